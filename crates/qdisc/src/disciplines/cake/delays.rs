//! Moving averages of the delay in a tin, for its statistics.
//!
//! Specification: Linux, net/sched/sch_cake.c, `cake_ewma` and the end of `cake_dequeue`.

use units::Span;

/// An exponential moving average after a further sample, whose weight is 1/2^`shift`.
pub(super) const fn moved(average: u64, sample: u64, shift: u32) -> u64 {
    average - (average >> shift) + (sample >> shift)
}

/// The delays of the packets that a tin sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Delays {
    average: u64,
    peak: u64,
    base: u64,
}

impl Delays {
    /// Counts the delay of a packet that is sent. The peak follows upwards, and the base downwards,
    /// within some packets; the way back takes hundreds.
    pub(super) const fn note(&mut self, sojourn: Span) {
        let delay = sojourn.as_nanos();
        self.average = moved(self.average, delay, 8);
        self.peak = moved(self.peak, delay, if delay > self.peak { 2 } else { 8 });
        self.base = moved(self.base, delay, if delay < self.base { 2 } else { 8 });
    }

    pub(super) const fn average(&self) -> Span {
        Span::from_nanos(self.average)
    }

    pub(super) const fn peak(&self) -> Span {
        Span::from_nanos(self.peak)
    }

    pub(super) const fn base(&self) -> Span {
        Span::from_nanos(self.base)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_rises_fast_and_the_base_falls_fast() {
        let mut delays = Delays::default();
        (0..40).for_each(|_| delays.note(Span::from_millis(64)));
        assert!(delays.peak() > Span::from_millis(63), "{delays:?}");
        assert!(delays.average() < Span::from_millis(10), "{delays:?}");
        assert_eq!(delays.average(), delays.base());
        (0..40).for_each(|_| delays.note(Span::ZERO));
        assert!(delays.peak() > Span::from_millis(54), "{delays:?}");
        assert!(delays.base() < Span::from_micros(1), "{delays:?}");
    }
}
