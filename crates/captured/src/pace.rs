//! What makes a sender send: acknowledgements, or something else.
//!
//! A sender whose window is full sends when an acknowledgement comes (V. Jacobson, SIGCOMM 1988, section 1). One whose
//! program has little to send, or that is paced, sends when its own clock says so. Only the first one shows that it
//! would send more if it could.

use units::{Span, Time};

/// The times behind an acknowledgement within which data is sent by it. Linux needs some microseconds, and other work may
/// come between. Of acknowledgements that follow each other closely, a long time tells nothing: all data is behind one.
const BY_IT: [Span; 3] = [Span::from_micros(300), Span::from_micros(100), Span::from_micros(30)];

/// The data that was sent by acknowledgements, and all data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pace {
    /// For each time of [`BY_IT`].
    by_acknowledgement: [u64; BY_IT.len()],
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
        let behind = now.since(latest);
        for (sum, by_it) in self.by_acknowledgement.iter_mut().zip(BY_IT) {
            *sum += if behind <= by_it { bytes } else { 0 };
        }
    }

    /// The part of the data that was sent by acknowledgements, beyond what chance would put behind one, from 0 to 1;
    /// `None` if it cannot be told.
    pub(crate) fn by_acknowledgements(&self) -> Option<f64> {
        /// The part of the data that chance may put behind an acknowledgement, so that the rest tells.
        const CHANCE: f64 = 0.2;
        let rate = self.acknowledgements as f64 / self.latest?.since(self.first?).as_secs_f64();
        let by_chance = BY_IT.map(|by_it| rate * by_it.as_secs_f64());
        let (chance, by_it) = by_chance
            .into_iter()
            .zip(self.by_acknowledgement)
            .find(|(chance, _)| *chance <= CHANCE)?;
        let part = (self.all > 0).then(|| by_it as f64 / self.all as f64)?;
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

    /// At 50 Mbit/s an acknowledgement comes each half of a millisecond: within 300 us of one, much is sent by chance.
    #[test]
    fn the_more_acknowledgements_the_closer_behind_one_is_data_sent_by_it() {
        let (mut by_them, mut by_a_clock) = (Pace::default(), Pace::default());
        for step in 0..1_000 {
            let now = Time::ZERO + Span::from_micros(480 * step);
            for (pace, behind) in [(&mut by_them, 10), (&mut by_a_clock, 250)] {
                pace.acknowledged(now);
                pace.sent(3_000, now + Span::from_micros(behind));
            }
        }
        assert_eq!(by_them.by_acknowledgements(), Some(1.0));
        assert_eq!(by_a_clock.by_acknowledgements(), Some(0.0));
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
