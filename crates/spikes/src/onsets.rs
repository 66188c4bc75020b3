//! Onsets that repeat: a satellite's terminal gets another satellite every 15 s, at the same seconds of
//! each minute everywhere, and packets wait or are lost meanwhile.
//!
//! Source: N. Mohan et al., "A Multifaceted Look at Starlink Performance", WWW 2024: reconfigurations at
//! seconds 12, 27, 42 and 57 of each minute.

use std::collections::VecDeque;

use units::{Span, Time};

/// The period.
pub(crate) const PERIOD: Span = Span::from_secs(15);
/// The distance from the common phase within which an onset is in time: half of what a probe a second
/// can tell, and a little more.
const TOLERANCE: Span = Span::from_millis(800);
/// The onsets that are remembered, and how many of them must be in time. By chance alone, one in 4,000
/// rows would look so: 5 of 7 others, each with a part of 1.6 of 15 s.
const MOST: usize = 8;
const LEAST: u32 = 6;
/// The time without a struck probe before an onset.
const APART: Span = Span::from_secs(4);
/// The time after which an onset is forgotten.
const REMEMBERED: Span = Span::from_secs(1200);

/// The last onsets: times at which a probe was struck after some seconds without a struck one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Onsets {
    onsets: VecDeque<Time>,
    last_struck: Time,
}

impl Onsets {
    /// Takes the time of a struck probe. It is an onset if none was struck shortly before.
    pub(crate) fn note(&mut self, struck: Time) {
        let is_new = struck.since(self.last_struck) > APART;
        self.last_struck = self.last_struck.max(struck);
        if is_new {
            self.note_onset(struck);
        }
    }

    fn note_onset(&mut self, onset: Time) {
        let Self { onsets, .. } = self;
        onsets.push_back(onset);
        onsets.retain(|it| onset.since(*it) < REMEMBERED);
        if onsets.len() > MOST {
            onsets.pop_front();
        }
    }

    /// The number of onsets in time with the last one; `None` if too few are.
    pub(crate) fn in_time(&self) -> Option<u32> {
        let last = *self.onsets.back()?;
        let is_in_time = |onset: &&Time| {
            let phase = last.since(**onset).as_nanos() % PERIOD.as_nanos();
            phase.min(PERIOD.as_nanos() - phase) <= TOLERANCE.as_nanos()
        };
        let count = self.onsets.iter().filter(is_in_time).count() as u32;
        (count >= LEAST).then_some(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_time(millis: &[u64]) -> Option<u32> {
        let mut onsets = Onsets::default();
        millis.iter().for_each(|at| onsets.note(Time::from_millis(*at)));
        onsets.in_time()
    }

    #[test]
    fn six_onsets_in_time_repeat() {
        assert_eq!(in_time(&[100_000, 115_300, 129_600, 160_100, 175_500]), None);
        assert_eq!(in_time(&[100_000, 115_300, 129_600, 160_100, 175_500, 190_000]), Some(6));
        assert_eq!(
            in_time(&[100_000, 107_000, 115_300, 129_600, 160_100, 175_500, 190_000]),
            Some(6)
        );
        assert_eq!(in_time(&[1_000, 9_000, 21_000, 28_000, 39_000, 51_000, 66_000, 70_000]), None);
    }

    #[test]
    fn old_onsets_are_forgotten() {
        let onsets: Vec<u64> = (0..6).map(|n| n * 300_000).collect();
        assert_eq!(in_time(&onsets), None);
    }
}
