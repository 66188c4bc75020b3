//! What makes a sender send: acknowledgements, or something else.
//!
//! A sender whose window is full sends when an acknowledgement comes (V. Jacobson, SIGCOMM 1988, section 1). One whose
//! program has little to send, or that is paced, sends when its own clock says so. Only the first one shows that it
//! would send more if it could.

use units::{Span, Time};

/// The time behind an acknowledgement within which data is sent by it: Linux needs some microseconds, and other work
/// may come between.
const BY_IT: Span = Span::from_micros(300);

/// The data that was sent by acknowledgements, and all data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pace {
    by_acknowledgement: u64,
    all: u64,
    acknowledgements: u64,
    latest: Option<Time>,
    first: Option<Time>,
}

impl Pace {
    /// Notes an acknowledgement.
    pub(crate) fn acknowledged(&mut self, now: Time) {
        self.acknowledgements += 1;
        self.first = self.first.or(Some(now));
        self.latest = Some(now);
    }

    /// Notes data of this length.
    pub(crate) fn sent(&mut self, bytes: u64, now: Time) {
        let Some(latest) = self.latest else { return };
        self.all += bytes;
        if now.since(latest) <= BY_IT {
            self.by_acknowledgement += bytes;
        }
    }

    /// The part of the data that was sent by acknowledgements, beyond what chance would put behind one, from 0 to 1;
    /// `None` if it cannot be told.
    pub(crate) fn by_acknowledgements(&self) -> Option<f64> {
        let time = self.latest?.since(self.first?).as_secs_f64();
        let chance = self.acknowledgements as f64 * BY_IT.as_secs_f64() / time;
        if self.all == 0 || chance.is_nan() || chance > 0.8 {
            return None;
        }
        let part = self.by_acknowledgement as f64 / self.all as f64;
        Some(((part - chance) / (1.0 - chance)).max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_behind_an_acknowledgement_is_sent_by_it() {
        let mut pace = Pace::default();
        for step in 0..100 {
            let now = Time::from_millis(10 * step);
            pace.acknowledged(now);
            pace.sent(100, now + Span::from_micros(50));
            pace.sent(300, now + Span::from_millis(5));
        }
        // One of four, of which chance would put 3 %.
        let part = pace.by_acknowledgements().unwrap();
        assert!((part - 0.227).abs() < 0.002, "{part}");
    }

    #[test]
    fn acknowledgements_without_a_pause_tell_nothing() {
        let mut pace = Pace::default();
        for step in 0..100 {
            let now = Time::ZERO + Span::from_micros(100 * step);
            pace.acknowledged(now);
            pace.sent(100, now);
        }
        assert_eq!(pace.by_acknowledgements(), None);
    }
}
