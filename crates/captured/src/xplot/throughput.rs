//! The throughput: of each segment, of ten, and of all.

use units::{Span, Time};

use super::curve::Curve;
use super::sheet::{Colour, Mark, Sheet};

/// The segments with data whose throughput is one value.
const INTERVAL: u64 = 10;

/// The throughput of one end.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Throughput {
    now: Curve,
    mean: Curve,
    /// All bytes of data, also those that were sent again.
    all: u64,
    /// The time since which segments and bytes are counted, and the counts; `None` before the first segment.
    since: Option<Time>,
    segments: u64,
    bytes: u64,
    latest: Time,
}

impl Throughput {
    /// Draws a segment with so many bytes of data, of a connection that began at `first`.
    pub(super) fn draw(&mut self, sheet: &mut Sheet, bytes: u64, first: Time, now: Time) {
        self.all += bytes;
        let Some(since) = self.since else {
            (self.since, self.segments, self.bytes, self.latest) = (Some(now), 1, bytes, now);
            return;
        };
        if bytes == 0 {
            return;
        }
        let rate = |bytes: u64, since: Time| {
            (bytes as f64 / not_zero(now.since(since)).as_secs_f64()).floor()
        };
        if self.segments + 1 >= INTERVAL {
            self.now.extend(sheet, "inst. tput", Colour::Red, now, rate(self.bytes, since));
            self.mean.extend(sheet, "avg. tput", Colour::Blue, now, rate(self.all, first));
            (self.since, self.segments, self.bytes) = (Some(now), 0, 0);
        }
        sheet.pen(Colour::Yellow).mark(Mark::Dot, (now, rate(bytes, self.latest)));
        self.latest = now;
        self.segments += 1;
        self.bytes += bytes;
    }
}

/// A time that is not zero, as tcptrace has it where a rate would be infinite.
fn not_zero(span: Span) -> Span {
    if span == Span::ZERO { Span::from_millis(1) } else { span }
}
