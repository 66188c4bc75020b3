//! The notes on the probes of a test.

use units::Time;

use super::challenges::Meter;

/// The probes of a test.
pub(super) struct ProbeLog {
    /// The number of probes received in each stream.
    seen: [u32; 256],
    notes: Vec<ProbeNote>,
    pub(super) challenges: Meter,
    /// The current second, and the number of probes answered in it.
    second: u64,
    answered: u32,
    /// The number of probes answered in all.
    pub(super) total: u64,
}

/// The note on a probe that was answered. Times are by the server's clock.
pub(super) struct ProbeNote {
    pub(super) stream: u8,
    pub(super) seq: u32,
    /// The time of reception.
    pub(super) reached: Time,
    /// The time of the answer.
    pub(super) answered: Time,
}

impl ProbeNote {
    /// The note as [`Log::Probes`](crate::protocol::Log::Probes) has it.
    pub(super) fn row(&self) -> (u8, u32, u64, u64) {
        (self.stream, self.seq, self.reached.as_nanos(), self.answered.as_nanos())
    }
}

/// The most notes that wait to be collected: 3 MB. The first notes are kept, because a gap in the
/// middle would look like loss.
const MOST: usize = 1 << 17;

/// The most probes of a test that are answered in a second: three streams at one a millisecond, and
/// as many again. Further probes get no answer.
const PER_SECOND: u32 = 6_000;

impl Default for ProbeLog {
    fn default() -> Self {
        Self {
            seen: [0; 256],
            notes: Vec::new(),
            challenges: Meter::default(),
            second: 0,
            answered: 0,
            total: 0,
        }
    }
}

impl ProbeLog {
    /// Takes all notes.
    pub(super) fn take(&mut self) -> Vec<ProbeNote> {
        std::mem::take(&mut self.notes)
    }

    pub(super) fn may_answer(&mut self, now: Time) -> bool {
        let second = now.as_nanos() / 1_000_000_000;
        if self.second != second {
            (self.second, self.answered) = (second, 0);
        }
        self.answered += 1;
        self.answered <= PER_SECOND
    }

    /// Counts a probe. Returns the number received in its stream.
    pub(super) fn count(&mut self, stream: u8) -> u32 {
        self.total += 1;
        let seen = &mut self.seen[usize::from(stream)];
        *seen = seen.wrapping_add(1);
        *seen
    }

    pub(super) fn note(&mut self, note: ProbeNote) {
        if self.notes.len() < MOST {
            self.notes.push(note);
        }
    }
}
