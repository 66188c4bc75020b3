//! What has been told to a store and is not in its file yet.

use std::collections::BTreeMap;

use observation::{WatchedProbe, WatchedSecond};
use results::WatchEvent;
use units::{Span, Time};

use crate::machine::Machine;
use crate::micros::seconds;
use crate::summary::Tally;
use crate::target::TargetId;

/// The longest time that a block covers, so that a reader knows where to begin to look.
pub(crate) const LONGEST: Span = Span::from_secs(3600);
/// The time by which an entry may be earlier than the latest one of its block: an answer is waited for a
/// minute. If it is more, the clock was set back.
const BACK: Span = Span::from_secs(120);
/// Full blocks of a target that wait for a disk that takes them: an hour at one a second ...
const MOST_BLOCKS: usize = 6;
/// ... and more while they come faster, as in a minute at two hundred a second.
const MOST_FAST_BLOCKS: usize = 40;
/// Minutes that wait for it, and events.
const MOST_MINUTES: usize = 70;
const MOST_EVENTS: usize = 10_000;

/// What has a time.
pub(crate) trait Timed: Copy {
    /// Entries of a full block: two to three kilobytes, which fill pages well.
    const BLOCK: usize;

    /// Its time.
    fn time(&self) -> Time;
}

impl Timed for WatchedProbe {
    const BLOCK: usize = 600;

    fn time(&self) -> Time {
        self.sent
    }
}

impl Timed for WatchedSecond {
    const BLOCK: usize = 300;

    fn time(&self) -> Time {
        self.at
    }
}

/// Entries in the order of their times, and the row that they are in.
#[derive(Debug)]
pub(crate) struct Block<T> {
    /// The row; `None` if there is none yet.
    pub(crate) row: Option<i64>,
    pub(crate) entries: Vec<T>,
    /// True if the row is not what it should be.
    pub(crate) is_changed: bool,
}

impl<T> Default for Block<T> {
    fn default() -> Self {
        Self { row: None, entries: Vec::new(), is_changed: false }
    }
}

/// The block that is being filled, and full ones that wait.
#[derive(Debug)]
pub(crate) struct Blocks<T> {
    pub(crate) full: Vec<Block<T>>,
    pub(crate) open: Block<T>,
}

impl<T> Default for Blocks<T> {
    fn default() -> Self {
        Self { full: Vec::new(), open: Block::default() }
    }
}

impl<T: Timed> Blocks<T> {
    /// Adds an entry; returns how many of the oldest were given up.
    pub(crate) fn add(&mut self, entry: T) -> u64 {
        let dropped = if self.takes(entry.time()) { 0 } else { self.close() };
        let entries = &mut self.open.entries;
        let at = entries.iter().rposition(|it| it.time() <= entry.time()).map_or(0, |it| it + 1);
        entries.insert(at, entry);
        self.open.is_changed = true;
        dropped
    }

    fn takes(&self, time: Time) -> bool {
        let entries = &self.open.entries;
        let (Some(first), Some(last)) = (entries.first(), entries.last()) else { return true };
        let (start, end) = (first.time().min(time), last.time().max(time));
        entries.len() < T::BLOCK && end.since(start) <= LONGEST && last.time().since(time) <= BACK
    }

    fn close(&mut self) -> u64 {
        let open = std::mem::take(&mut self.open);
        if open.is_changed {
            self.full.push(open);
        }
        let is_long = self.full.len() > MOST_BLOCKS && self.reach() > LONGEST;
        let is_too_much = is_long || self.full.len() > MOST_FAST_BLOCKS;
        if is_too_much { self.full.remove(0).entries.len() as u64 } else { 0 }
    }

    /// The time that the full blocks cover.
    fn reach(&self) -> Span {
        let times = || self.full.iter().flat_map(|it| &it.entries).map(Timed::time);
        times().max().unwrap_or_default().since(times().min().unwrap_or_default())
    }

    /// The blocks whose rows are to be written.
    pub(crate) fn changed(&mut self) -> impl Iterator<Item = &mut Block<T>> {
        self.full.iter_mut().chain(Some(&mut self.open)).filter(|it| it.is_changed)
    }

    /// Notes that all rows have been written; `rows` are those of [`Self::changed`].
    pub(crate) fn written(&mut self, rows: &[i64]) {
        self.changed().zip(rows).for_each(|(block, row)| {
            block.row = Some(*row);
            block.is_changed = false;
        });
        self.full.clear();
    }
}

/// What waits of a target.
#[derive(Debug, Default)]
pub(crate) struct PendingTarget {
    pub(crate) blocks: Blocks<WatchedProbe>,
    /// By the beginning of the minute, in seconds.
    pub(crate) minutes: BTreeMap<i64, Tally>,
    /// The first and the last time of sending.
    pub(crate) reach: Option<(Time, Time)>,
}

/// All that waits.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    pub(crate) targets: BTreeMap<TargetId, PendingTarget>,
    pub(crate) seconds: Blocks<WatchedSecond>,
    /// By the beginning of the minute, in seconds.
    pub(crate) machine: BTreeMap<i64, Machine>,
    pub(crate) events: Vec<WatchEvent>,
    /// Entries that were given up because the disk took none for too long.
    pub(crate) dropped: u64,
}

impl Pending {
    pub(crate) fn keep(&mut self, target: TargetId, probe: WatchedProbe) {
        let target = self.targets.entry(target).or_default();
        self.dropped += target.blocks.add(probe);
        let (first, last) = target.reach.unwrap_or((probe.sent, probe.sent));
        target.reach = Some((first.min(probe.sent), last.max(probe.sent)));
        // Extra probes lie close together: with them, the figures would weigh probes and not time.
        if probe.is_extra {
            return;
        }
        let minute = seconds(probe.sent) / 60 * 60;
        target.minutes.entry(minute).or_default().record(&probe);
        if target.minutes.len() > MOST_MINUTES {
            target.minutes.pop_first();
        }
    }

    pub(crate) fn keep_second(&mut self, second: WatchedSecond) {
        self.dropped += self.seconds.add(second);
        // A second belongs to the minute in which it began.
        let start = seconds(second.at).saturating_sub(1).max(0);
        self.machine.entry(start / 60 * 60).or_default().record(&second);
        if self.machine.len() > MOST_MINUTES {
            self.machine.pop_first();
        }
    }

    pub(crate) fn keep_event(&mut self, event: &WatchEvent) {
        self.events.push(event.clone());
        if self.events.len() > MOST_EVENTS {
            self.events.remove(0);
            self.dropped += 1;
        }
    }

    /// Notes that all is in the file.
    pub(crate) fn written(&mut self, rows: &Written) {
        for (target, rows) in self.targets.values_mut().zip(&rows.targets) {
            target.blocks.written(rows);
            target.minutes.clear();
            target.reach = None;
        }
        self.seconds.written(&rows.seconds);
        self.machine.clear();
        self.events.clear();
    }
}

/// The rows of the blocks that a commit has written: of each target in the order of [`Pending`].
#[derive(Debug, Default)]
pub(crate) struct Written {
    pub(crate) targets: Vec<Vec<i64>>,
    pub(crate) seconds: Vec<i64>,
}
