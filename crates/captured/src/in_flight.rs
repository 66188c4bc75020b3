//! The data in flight.

use units::{Span, Time};

/// The data in flight, in bytes ("owin"): what one end has sent beyond the latest acknowledgement of the other,
/// seen where the capture was made. As in tcptrace, one byte more than that, and segments that were sent again
/// or out of order do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct InFlight {
    /// The most ("max owin").
    pub(crate) most: u64,
    /// The least that is not zero ("min non-zero owin"); 0 if there was none.
    pub(crate) least: u64,
    /// The sum, and the number of segments that it is of.
    pub(crate) sum: u64,
    count: u64,
    /// The sum over time, in byte-seconds, up to the latest segment.
    over_time: u64,
    latest: Option<(Time, u64)>,
}

impl InFlight {
    /// Takes the data in flight behind a segment.
    pub(crate) fn record(&mut self, bytes: u64, now: Time) {
        self.most = self.most.max(bytes);
        if bytes > 0 && (self.least == 0 || bytes < self.least) {
            self.least = bytes;
        }
        self.sum += bytes;
        self.count += 1;
        if let Some((since, before)) = self.latest {
            self.over_time = self.over_time.saturating_add(byte_seconds(before, now.since(since)));
        }
        self.latest = Some((now, bytes));
    }

    /// The mean over segments ("avg owin"); 0 if there was none.
    pub(crate) fn mean(&self) -> u64 {
        self.sum.checked_div(self.count).unwrap_or(0)
    }

    /// The sum over time in byte-seconds, which the length of the connection makes a mean over time ("wavg
    /// owin").
    pub(crate) const fn over_time(&self) -> u64 {
        self.over_time
    }
}

/// So many bytes for so long, without the fraction, as in tcptrace.
fn byte_seconds(bytes: u64, span: Span) -> u64 {
    const NANOS: u64 = 1_000_000_000;
    let nanos = span.as_nanos();
    let whole = bytes.saturating_mul(nanos / NANOS);
    whole.saturating_add(bytes.saturating_mul(nanos % NANOS) / NANOS)
}
