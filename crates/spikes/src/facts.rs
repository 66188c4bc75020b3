//! The facts about a spike: what each target and hop showed meanwhile, and what was seen beside them.

use std::collections::BTreeSet;

use observation::Heading;
use results::SpikeEvidence;
use stats::{ascending, median, quantile};
use units::{Span, Time};

use crate::course::{Course, Fate, Point};
use crate::surroundings::Surroundings;
use crate::{Place, Watched};

/// The time before and after a spike with which it is compared.
pub(crate) const BESIDE: Span = Span::from_secs(30);
/// The probes without which a target shows nothing.
pub(crate) const LEAST_PROBES: usize = 2;

/// The facts about a spike.
pub(crate) struct Facts<'a> {
    pub(crate) watched: &'a [Watched],
    pub(crate) shares: Vec<Share>,
    pub(crate) members: &'a [usize],
    /// The member that was struck most.
    pub(crate) worst: usize,
    /// The probes of that member.
    pub(crate) probes_worst: Vec<Point>,
    pub(crate) surroundings: &'a Surroundings,
    pub(crate) is_wireless: bool,
    pub(crate) start: Time,
    pub(crate) end: Time,
    /// True if nothing is known of what came afterwards.
    pub(crate) is_cut: bool,
    /// The part of the added round trip that was added on the way up; `None` if no target tells.
    pub(crate) up_part: Option<f64>,
    /// The onsets in time, if they repeat.
    pub(crate) repeats: Option<u32>,
}

/// What a target or hop showed during a spike.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Share {
    /// Probes that were sent, without those that say nothing of the path.
    pub(crate) sent: usize,
    pub(crate) struck: usize,
    pub(crate) late: usize,
    /// Without an answer: lost or failed.
    pub(crate) unanswered: usize,
    /// Failed at once.
    pub(crate) failed: usize,
    /// Struck, and kept by the target itself for most of the added time.
    pub(crate) kept: usize,
    pub(crate) kept_most_ms: Option<f64>,
    pub(crate) added_p50_ms: Option<f64>,
    pub(crate) added_p95_ms: Option<f64>,
    pub(crate) added_most_ms: Option<f64>,
    /// True if enough was answered before to know what is usual.
    pub(crate) is_known: bool,
}

impl Share {
    pub(crate) fn of(course: &Course, from: Time, to: Time) -> Self {
        Self::with(course, from, to, |it| it.added_ms)
    }

    /// What the path showed, without the time for which the target kept probes.
    pub(crate) fn of_path(course: &Course, from: Time, to: Time) -> Self {
        Self::with(course, from, to, Point::added_by_path_ms)
    }

    fn with(
        course: &Course,
        from: Time,
        to: Time,
        added_ms: impl Fn(&Point) -> Option<f64>,
    ) -> Self {
        let points = || course.between(from, to).filter(|it| it.fate != Fate::Void);
        let added = ascending(points().filter_map(added_ms));
        let count = |fate| points().filter(|it| it.fate == fate).count();
        Self {
            sent: points().count(),
            struck: points().filter(|it| it.is_struck).count(),
            late: count(Fate::Late),
            unanswered: points().filter(|it| it.fate.is_unanswered()).count(),
            failed: count(Fate::Unreachable),
            kept: points().filter(|it| it.is_struck && it.is_kept()).count(),
            kept_most_ms: points().filter_map(|it| it.kept_ms).reduce(f64::max),
            added_p50_ms: median(&added),
            added_p95_ms: quantile(&added, 0.95),
            added_most_ms: added.last().copied(),
            is_known: course.known_since().is_some(),
        }
    }

    /// True if the target kept most of its struck probes.
    pub(crate) fn is_kept(&self) -> bool {
        2 * self.kept >= self.struck
    }

    pub(crate) fn struck_part(&self) -> f64 {
        self.struck as f64 / self.sent.max(1) as f64
    }

    /// True if there is enough of it to tell.
    pub(crate) fn tells(&self) -> bool {
        self.is_known && self.sent >= LEAST_PROBES
    }

    /// True if half of what another one showed, or more, was here too.
    pub(crate) fn shares(&self, other: &Self) -> bool {
        let delay = match (self.added_p95_ms, other.added_p95_ms) {
            (Some(own), Some(others)) if other.unanswered * 2 < other.struck => {
                own >= 0.5 * others && !self.is_later_by_less(other, 0.25)
            }
            _ => false,
        };
        delay
            || other.unanswered * 2 >= other.struck
                && self.struck_part() >= 0.5 * other.struck_part()
    }

    /// True if half of the answers were later by less than this part of what another one showed. A router that answers
    /// pings late at times has a high percentile by itself, but no high median.
    fn is_later_by_less(&self, other: &Self, part: f64) -> bool {
        match (self.added_p50_ms, other.added_p50_ms) {
            (Some(own), Some(others)) => other.struck_part() >= 0.5 && own < part * others,
            _ => false,
        }
    }

    /// True if nearly nothing of what another one showed was here.
    pub(crate) fn is_calm_beside(&self, other: &Self) -> bool {
        let calm = match (self.added_p95_ms, other.added_p95_ms) {
            (Some(own), Some(others)) => own <= 0.25 * others || self.is_later_by_less(other, 0.1),
            (Some(_), None) => true,
            (None, _) => false,
        };
        let delays = other.unanswered * 2 < other.struck;
        self.tells()
            && self.struck_part() <= 0.25 * other.struck_part().max(0.4)
            && (calm || !delays)
    }
}

impl Facts<'_> {
    pub(crate) fn worst(&self) -> &Share {
        &self.shares[self.worst]
    }

    /// The targets that showed enough to tell, and what they showed.
    pub(crate) fn targets(&self) -> impl Iterator<Item = (usize, &Share)> {
        let all = self.watched.iter().zip(&self.shares).enumerate();
        all.filter(|(_, (it, share))| it.place == Place::Target && share.tells())
            .map(|(index, (_, share))| (index, share))
    }

    /// The number of hosts of these targets.
    pub(crate) fn hosts(&self, targets: impl Iterator<Item = usize>) -> usize {
        targets.map(|index| &self.watched[index].host).collect::<BTreeSet<_>>().len()
    }

    /// What a place showed; `None` if it did not show enough to tell.
    pub(crate) fn place(&self, place: Place) -> Option<&Share> {
        let index = self.watched.iter().position(|it| it.place == place)?;
        Some(&self.shares[index]).filter(|it| it.tells())
    }

    /// What the hops behind the first one showed that showed enough to tell.
    pub(crate) fn later_hops(&self) -> impl Iterator<Item = &Share> {
        let all = self.watched.iter().zip(&self.shares);
        all.filter(|(it, share)| matches!(it.place, Place::Hop(2..)) && share.tells())
            .map(|(_, it)| it)
    }

    /// The direction that was late; `None` if no target tells, or if it was both.
    pub(crate) fn direction(&self) -> Option<Heading> {
        match self.up_part? {
            0.7.. => Some(Heading::Up),
            part if part <= 0.3 => Some(Heading::Down),
            _ => None,
        }
    }

    /// The evidence that all causes share: who was struck, and what the hops showed.
    pub(crate) fn common_evidence(&self) -> Vec<SpikeEvidence> {
        let probed = self.watched.iter().filter(|it| it.place == Place::Target).count() as u32;
        let struck = self.members.len() as u32;
        let mut evidence = vec![SpikeEvidence::Struck { struck, probed }];
        if let Some(hop) = self.place(Place::Hop(1)) {
            evidence.push(SpikeEvidence::FirstHop { added_p95_ms: hop.added_p95_ms });
        }
        let later = self.later_hops().filter_map(|it| it.added_p95_ms).reduce(f64::max);
        if self.later_hops().next().is_some() {
            evidence.push(SpikeEvidence::LaterHops { added_p95_ms: later });
        }
        evidence
    }
}

/// The part of the added round trip that was added on the way up, as a target's clock tells it against the
/// quiet probes before; `None` if the target tells none.
pub(crate) fn up_part(course: &Course, start: Time, end: Time) -> Option<f64> {
    let middle = |offsets: Vec<f64>| median(&ascending(offsets));
    let ms = |up: i64| up as f64 * 1e-6;
    let quiet = course.between(start - BESIDE, start).filter(|it| !it.is_struck);
    let quiet = middle(quiet.filter_map(|it| it.up).map(ms).collect())?;
    // What the target kept was late in neither direction.
    let struck = course.between(start, end).filter(|it| it.is_struck && !it.is_kept());
    // Each probe's own part, since the added round trip differs from probe to probe.
    middle(struck.filter_map(|it| Some((ms(it.up?) - quiet) / it.added_ms?.max(1.0))).collect())
}
