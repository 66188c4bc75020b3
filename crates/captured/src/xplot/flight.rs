//! The data in flight, and its means.

use units::Time;

use super::curve::Curve;
use super::sheet::{Colour, Sheet};

/// The data that one end has in flight.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Flight {
    /// The window that the other end has offered last, in bytes.
    pub(super) window: u64,
    now: Curve,
    windows: Curve,
    mean: Curve,
    mean_over_time: Curve,
    sum: u64,
    count: u64,
    /// The sum over time in byte-seconds, up to the latest value.
    over_time: f64,
    latest: Option<(Time, u64)>,
}

impl Flight {
    /// Draws the data in flight behind a segment of a connection that began at `first`.
    pub(super) fn draw(&mut self, sheet: &mut Sheet, bytes: u64, first: Time, now: Time) {
        self.sum += bytes;
        self.count += 1;
        if let Some((since, before)) = self.latest.replace((now, bytes)) {
            self.over_time += before as f64 * now.since(since).as_secs_f64();
            let elapsed = now.since(first).as_secs_f64();
            let mean = if elapsed > 0.0 { (self.over_time / elapsed).floor() } else { 0.0 };
            self.mean_over_time.extend(sheet, "wavg owin", Colour::Green, since, mean);
        }
        self.now.extend(sheet, "owin", Colour::Red, now, bytes as f64);
        self.windows.extend(sheet, "rwin", Colour::Yellow, now, self.window as f64);
        let mean = (self.sum / self.count) as f64;
        self.mean.extend(sheet, "avg owin", Colour::Blue, now, mean);
    }
}
