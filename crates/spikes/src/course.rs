//! The course of a target: its probes of the last minutes, each struck or not.

use std::collections::VecDeque;

use observation::{ProbeFailure, ProbeOutcome, WatchedProbe};
use units::{Span, Time};

use crate::usual::Usual;

/// The time for which probes are remembered while no spike needs them for longer.
const REMEMBERED: Span = Span::from_secs(120);
/// The most probes that are remembered: of ten minutes at one a second, and of 30 s at twenty.
const MOST: usize = 2048;
/// The time within which the struck probes lie that begin a spike, unless the target is probed rarely.
const CLOSE: Span = Span::from_secs(5);
/// The probes of a target that is probed rarely among which those lie.
const CLOSE_PROBES: u64 = 4;
/// Late answers that begin a spike.
const LEAST_LATE: usize = 2;
/// Probes without an answer that begin one: more than of late ones, since a lost probe may be one of many that
/// a radio loses at random.
const LEAST_UNANSWERED: usize = 3;
/// The part of the probes meanwhile that these must be.
const LEAST_PART: f64 = 0.2;

/// A probe, as it is judged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    pub(crate) sent: Time,
    /// True if it is not one of the regular probes.
    pub(crate) is_extra: bool,
    /// The round trip beyond the usual one in milliseconds; `None` without an answer, or if nothing is
    /// usual yet.
    pub(crate) added_ms: Option<f64>,
    /// The offset that the target told: see [`ProbeOutcome::Answered`].
    pub(crate) up: Option<i64>,
    /// The part of the round trip in milliseconds for which the target kept it: see [`ProbeOutcome::Answered`].
    pub(crate) kept_ms: Option<f64>,
    pub(crate) is_struck: bool,
    pub(crate) fate: Fate,
}

/// The fate of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// An answer is still awaited, though it is late.
    Awaited,
    Answered,
    /// An answer came, but after a second.
    Late,
    Lost,
    /// The target cannot be reached.
    Unreachable,
    /// It says nothing of the path: this machine has no route, or a name is not known.
    Void,
}

impl Point {
    /// True if the target kept it for most of the time by which its answer was later than usual.
    pub(crate) fn is_kept(&self) -> bool {
        self.kept_ms.zip(self.added_ms).is_some_and(|(kept, added)| 2.0 * kept >= added)
    }

    /// The time in milliseconds that the path added; `None` without an answer, or if nothing is usual yet.
    pub(crate) fn added_by_path_ms(&self) -> Option<f64> {
        Some((self.added_ms? - self.kept_ms.unwrap_or(0.0)).max(0.0))
    }
}

impl Fate {
    pub(crate) fn is_unanswered(self) -> bool {
        matches!(self, Self::Awaited | Self::Lost | Self::Unreachable)
    }
}

/// The probes of a target.
#[derive(Clone, Debug, Default)]
pub(crate) struct Course {
    usual: Usual,
    /// The time since which it is known what is usual; `None` if it is not.
    known: Option<Time>,
    points: VecDeque<Point>,
}

impl Course {
    /// Takes a probe whose answer is late, and not here yet.
    pub(crate) fn await_answer(&mut self, sent: Time, is_extra: bool) {
        let (added_ms, up, kept_ms, fate) = (None, None, None, Fate::Awaited);
        self.insert(Point { sent, is_extra, added_ms, up, kept_ms, is_struck: true, fate });
    }

    /// Takes a probe of which nothing more will come. `is_quiet` says that no spike is under way, so that
    /// its round trip may become usual.
    pub(crate) fn take(&mut self, probe: WatchedProbe, is_quiet: bool) {
        let (up, kept) = match probe.outcome {
            ProbeOutcome::Answered { up, kept, .. } => (up, kept),
            ProbeOutcome::Lost | ProbeOutcome::Failed(_) => (None, None),
        };
        let fate = match probe.outcome {
            ProbeOutcome::Answered { .. } if probe.outcome.is_late() => Fate::Late,
            ProbeOutcome::Answered { .. } => Fate::Answered,
            ProbeOutcome::Lost => Fate::Lost,
            ProbeOutcome::Failed(ProbeFailure::Unreachable) => Fate::Unreachable,
            ProbeOutcome::Failed(_) => Fate::Void,
        };
        let added = probe.outcome.round_trip().map(|it| (it, self.usual.added(it)));
        let is_struck = fate.is_unanswered() || matches!(added, Some((_, Some((_, true)))));
        if let Some((round_trip, _)) = added
            && is_quiet
            && !is_struck
        {
            self.usual.note(round_trip);
            if self.usual.median_ms().is_some() {
                self.known.get_or_insert(probe.sent);
            }
        }
        let added_ms = added.and_then(|(_, added)| added).map(|(added, _)| added);
        let kept_ms = kept.map(Span::as_millis_f64);
        let WatchedProbe { sent, is_extra, .. } = probe;
        self.insert(Point { sent, is_extra, added_ms, up, kept_ms, is_struck, fate });
    }

    /// Puts a point in its place; one that was awaited is replaced.
    fn insert(&mut self, point: Point) {
        let place = self.points.partition_point(|it| it.sent < point.sent);
        match self.points.get_mut(place) {
            Some(there) if there.sent == point.sent => *there = point,
            _ => self.points.insert(place, point),
        }
        if self.points.len() > MOST {
            self.points.pop_front();
        }
    }

    /// Forgets probes that no spike needs; `needed` is the beginning of the earliest one.
    pub(crate) fn trim(&mut self, now: Time, needed: Option<Time>) {
        let keep = needed.map_or(now - REMEMBERED, |it| it.min(now - REMEMBERED));
        let old = self.points.partition_point(|it| it.sent < keep);
        self.points.drain(..old);
    }

    /// The time since which it is known what is usual; `None` if it is not.
    pub(crate) const fn known_since(&self) -> Option<Time> {
        self.known
    }

    /// The usual round trip in milliseconds; `None` until enough is known.
    pub(crate) fn usual_ms(&self) -> Option<f64> {
        self.usual.median_ms()
    }

    /// Forgets what was usual: it is so no more.
    pub(crate) fn forget_usual(&mut self) {
        (self.usual, self.known) = (Usual::default(), None);
    }

    /// The probes whose answers are late, and not here yet, as lost ones.
    pub(crate) fn awaited(&self) -> impl Iterator<Item = WatchedProbe> {
        self.points.iter().filter(|it| it.fate == Fate::Awaited).map(|it| WatchedProbe {
            sent: it.sent,
            is_extra: it.is_extra,
            outcome: ProbeOutcome::Lost,
        })
    }

    /// Forgets the probes whose answers are late, and will not be heard any more.
    pub(crate) fn forget_awaited(&mut self) {
        self.points.retain(|it| it.fate != Fate::Awaited);
    }

    /// Forgets all probes, of which nothing is awaited any more either.
    pub(crate) fn forget_points(&mut self) {
        self.points.clear();
    }

    /// The probes that were sent from one time to another.
    pub(crate) fn between(&self, from: Time, to: Time) -> impl DoubleEndedIterator<Item = &Point> {
        let first = self.points.partition_point(|it| it.sent < from);
        let end = self.points.partition_point(|it| it.sent <= to);
        self.points.range(first..end.max(first))
    }

    /// The time of the first struck probe of a spike that is under way, among the latest probes after
    /// `after`; `None` if there is no spike. A target that has not answered yet has none.
    pub(crate) fn onset(&self, now: Time, after: Time) -> Option<Time> {
        self.usual.median_ms()?;
        let from = (now - self.close()).max(after);
        let recent = || self.between(from, now).filter(|it| it.fate != Fate::Void);
        let all = recent().count();
        let struck = || recent().filter(|it| it.is_struck);
        let unanswered = struck().filter(|it| it.fate.is_unanswered()).count();
        let late = struck().count() - unanswered;
        let enough = |count, least| count >= least && count as f64 >= LEAST_PART * all as f64;
        // A late answer and a missing one together are as good as two late ones.
        let begins = enough(late + unanswered.min(1), LEAST_LATE) && late > 0
            || enough(unanswered, LEAST_UNANSWERED);
        struck().next().filter(|_| begins).map(|it| it.sent)
    }

    /// The last struck probe that was sent since a time; `None` if there is none.
    pub(crate) fn last_struck(&self, since: Time) -> Option<Time> {
        self.points
            .iter()
            .rev()
            .take_while(|it| it.sent >= since)
            .find(|it| it.is_struck)
            .map(|it| it.sent)
    }

    /// The first struck probe that was sent after one time and before another; `None` if there is none.
    pub(crate) fn first_struck(&self, after: Time, before: Time) -> Option<Time> {
        let struck = self.between(after, before).find(|it| it.sent > after && it.is_struck);
        struck.map(|it| it.sent)
    }

    /// True if the latest probe of which something is known was struck.
    pub(crate) fn is_struck_last(&self) -> bool {
        self.points.iter().rev().find(|it| it.fate != Fate::Void).is_some_and(|it| it.is_struck)
    }

    /// True if the answer to a probe that was sent in this time is still awaited. Queues keep the order of
    /// packets: once a later probe has been answered, an earlier one is as good as lost.
    pub(crate) fn is_awaiting(&self, from: Time, to: Time) -> bool {
        let has_answer = |it: &&Point| matches!(it.fate, Fate::Answered | Fate::Late);
        let answered = self.points.iter().rev().find(has_answer).map_or(Time::ZERO, |it| it.sent);
        self.between(from, to).any(|it| it.fate == Fate::Awaited && it.sent > answered)
    }

    /// The time within which probes are close to each other.
    pub(crate) fn close(&self) -> Span {
        let last = self.points.iter().rev().take(CLOSE_PROBES as usize);
        let pace = match (last.clone().next_back(), last.clone().next()) {
            (Some(first), Some(last)) if first.sent < last.sent => {
                last.sent.since(first.sent) / (CLOSE_PROBES - 1)
            }
            _ => Span::ZERO,
        };
        CLOSE.max(pace * CLOSE_PROBES)
    }
}
