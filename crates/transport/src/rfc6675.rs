//! Loss detection by the scoreboard: a segment is lost once enough has been delivered above it.
//!
//! Enough is three separate runs of segments, or more bytes than two full segments hold. Lost
//! segments lie below a frontier that only moves up; each segment is passed once.
//!
//! Specification: RFC 6675 section 4 (IsLost, NextSeg rules 3 and 4) and section 5.
//! Deviations: none.

use crate::scoreboard::{Id, Mark, Scoreboard};

/// The number of runs, or of duplicates in a row, that show a loss: DupThresh (RFC 6675 section 2).
const DUPLICATE_THRESHOLD: u32 = 3;

/// The frontier, and the deliveries above it.
#[derive(Clone, Debug)]
pub(crate) struct Frontier {
    at: Id,
    /// The number of bytes selectively acknowledged at the frontier and above.
    bytes: u64,
    /// The number of runs of those bytes, counted by their last segments.
    runs: u32,
    /// The number of acknowledgements in a row that reported new deliveries above (RFC 6675 section
    /// 5).
    duplicates: u32,
    /// The segment at which the search of NextSeg rule 3 goes on.
    eager: Id,
    /// The end of the rescue: RescueRxt; `None` before a rescue in this recovery.
    rescued: Option<u64>,
}

impl Frontier {
    pub(crate) const fn new(first: Id) -> Self {
        Self { at: first, bytes: 0, runs: 0, duplicates: 0, eager: first, rescued: None }
    }

    /// Takes notice that the segment `id`, of `len` bytes, is about to be marked as delivered.
    pub(crate) fn on_sacked(&mut self, board: &Scoreboard, id: Id, len: u32) {
        if !is_before(self.at, id) && self.at != id {
            return;
        }
        self.bytes += u64::from(len);
        let sacked = |id: Id| board.contains(id) && board.get(id).is(Mark::SACKED);
        self.runs += u32::from(!sacked(id.wrapping_add(1)));
        let joins = self.at != id && sacked(id.wrapping_sub(1));
        self.runs -= u32::from(joins);
    }

    /// Takes notice that all segments before `first` are about to be acknowledged cumulatively.
    pub(crate) fn on_acknowledged(&mut self, board: &Scoreboard, first: Id) {
        while is_before(self.at, first) {
            self.pass(board);
        }
        if is_before(self.eager, first) {
            self.eager = first;
        }
    }

    /// Marks the lost segments: IsLost of RFC 6675 section 4, for all segments at once.
    pub(crate) fn detect(&mut self, board: &mut Scoreboard, mss: u32) {
        while board.contains(self.at) {
            let mut above = self.clone();
            above.pass(board);
            let enough = above.runs >= DUPLICATE_THRESHOLD
                || above.bytes > u64::from(DUPLICATE_THRESHOLD - 1) * u64::from(mss);
            if !enough {
                return;
            }
            board.mark_original_lost(self.at);
            *self = above;
        }
    }

    /// Counts an acknowledgement that `advanced`, or that reported `sacked` segments (RFC 6675
    /// section 5). Returns true from the third duplicate in a row on.
    pub(crate) fn count_duplicate(&mut self, advanced: bool, sacked: u32) -> bool {
        if advanced {
            self.duplicates = 0;
        } else if sacked > 0 {
            self.duplicates += 1;
        }
        self.duplicates >= DUPLICATE_THRESHOLD
    }

    /// Drops all reports of deliveries, because the receiver may have dropped that data.
    pub(crate) fn forget(&mut self, board: &Scoreboard) {
        *self = Self::new(board.oldest().unwrap_or(board.end()));
    }

    /// Begins a recovery.
    pub(crate) fn on_recovery(&mut self, board: &Scoreboard) {
        self.eager = board.oldest().unwrap_or(board.end());
        self.rescued = None;
    }

    /// The next segment that is not known to be lost but lies below a delivered one, for when there
    /// is nothing better to send; `None` if there is none (RFC 6675 section 4, NextSeg rule 3).
    pub(crate) fn eager(&mut self, board: &mut Scoreboard) -> Option<Id> {
        let highest = board.highest_sacked()?;
        loop {
            self.eager = board.unsacked_from(self.eager);
            if !board.contains(self.eager) {
                return None;
            }
            let record = board.get(self.eager);
            if record.seq >= highest {
                return None;
            }
            if !record.is(Mark::LOST) && !record.is(Mark::RETRANSMITTED) {
                return Some(self.eager);
            }
            self.eager = self.eager.wrapping_add(1);
        }
    }

    /// The last segment that is not selectively acknowledged, once in a recovery; `None` after
    /// that, or if there is none (RFC 6675 section 4, NextSeg rule 4).
    pub(crate) fn rescue(&self, board: &Scoreboard, una: u64) -> Option<Id> {
        if self.rescued.is_some_and(|rescued| una <= rescued) {
            return None;
        }
        let mut id = board.newest()?;
        while board.contains(id) && board.get(id).is(Mark::SACKED) {
            id = id.wrapping_sub(1);
        }
        board.contains(id).then_some(id)
    }

    /// Notes that the rescue segment is sent in the recovery that ends at `recovery`.
    pub(crate) fn on_rescued(&mut self, recovery: u64) {
        self.rescued = Some(recovery);
    }

    /// Moves the frontier over one segment.
    fn pass(&mut self, board: &Scoreboard) {
        let record = board.get(self.at);
        let next = self.at.wrapping_add(1);
        if record.is(Mark::SACKED) {
            let goes_on = board.contains(next) && board.get(next).is(Mark::SACKED);
            self.bytes -= u64::from(record.len());
            self.runs -= u32::from(!goes_on);
        }
        self.at = next;
    }
}

/// True if `a` was sent for the first time before `b`. Ids wrap.
const fn is_before(a: Id, b: Id) -> bool {
    (a.wrapping_sub(b) as i32) < 0
}
