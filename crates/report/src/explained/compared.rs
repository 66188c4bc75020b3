//! Statistics of a queue at two times.

use serde::Deserialize;
use serde_json::Value;
use tc::ListedQdisc;
use units::Span;

/// Statistics at two times with a span between them.
#[derive(Clone, Debug)]
pub(super) struct Compared<T> {
    pub(super) earlier: T,
    pub(super) now: T,
    pub(super) span: Span,
}

impl<T: Default + for<'de> Deserialize<'de>> Compared<T> {
    /// The statistics of a queue at two times. One that is not known earlier began with zeros.
    pub(super) fn of(earlier: Option<&ListedQdisc>, now: &ListedQdisc, span: Span) -> Self {
        Self { earlier: earlier.map(read).unwrap_or_default(), now: read(now), span }
    }
}

impl<T> Compared<T> {
    /// The growth of a counter; 0 if it began anew.
    pub(super) fn growth(&self, counter: impl Fn(&T) -> u64) -> u64 {
        counter(&self.now).saturating_sub(counter(&self.earlier))
    }

    /// The growth of a counter in a second.
    pub(super) fn per_second(&self, counter: impl Fn(&T) -> u64) -> f64 {
        match self.span.is_zero() {
            true => 0.0,
            false => self.growth(counter) as f64 / self.span.as_secs_f64(),
        }
    }
}

/// The fields as numbers and names. Where one has not the form that the kernel gives it, nothing is
/// known of the queue.
fn read<T: Default + for<'de> Deserialize<'de>>(queue: &ListedQdisc) -> T {
    T::deserialize(Value::Object(queue.fields().clone())).unwrap_or_default()
}
