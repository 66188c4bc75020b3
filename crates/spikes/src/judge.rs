//! The judge: probes and surroundings in, spikes out.

use std::collections::VecDeque;

use observation::{Heading, PATIENCE, WatchedProbe, WatchedSecond};
use results::{Spike, SpikeEvidence};
use units::{Span, Time};

use crate::cause;
use crate::course::{Course, Fate};
use crate::facts::{Facts, Share, up_part};
use crate::group::{Cut, Group, TOGETHER};
use crate::onsets::Onsets;
use crate::surroundings::{Flow, Load, Scope, Surroundings};
use crate::{Place, Watched};

/// The time of faster probes after an onset, and the least time until the next such time.
const ALERT: Span = Span::from_secs(30);
const REST: Span = Span::from_secs(60);
/// The time before an onset in which a queue may already have been filling.
const FILLING: Span = Span::from_secs(6);
/// The time within which a struck probe is looked for whose onset may repeat.
const RECENT: Span = Span::from_secs(2);
/// The time around a spike in which probes of others show what was there meanwhile: they are not sent at
/// the same moment.
const MARGIN: Span = Span::from_millis(500);
/// The struck probes of a target that is struck alone, and their part: a radio delays some by chance.
const LEAST_ALONE: usize = 4;
const LEAST_ALONE_PART: f64 = 0.5;
/// The time after which a spike lasts: a hundred of the faster probes tell what it is.
const LASTING: Span = Span::from_secs(5);
/// The spikes and tests that are remembered, to know which seconds were calm.
const REMEMBERED: usize = 16;

/// The judge of the spikes of some targets.
#[derive(Clone, Debug)]
pub struct SpikeJudge {
    watched: Vec<Watched>,
    courses: Vec<Course>,
    /// The time before which no spike of each target is sought: the end of its last one, or of a test.
    judged: Vec<Time>,
    /// The begin of the test that is under way; `None` if there is none.
    test: Option<Time>,
    surroundings: Surroundings,
    is_wireless: bool,
    groups: Vec<Group>,
    past: VecDeque<(Time, Time)>,
    onsets: Onsets,
    alert: Option<Time>,
}

/// A spike that has been judged, in time of the clock of the probes.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedSpike {
    /// The time at which the first struck probe was sent.
    pub start: Time,
    /// The time at which the last one was.
    pub end: Time,
    /// What it was.
    pub spike: Spike,
}

impl SpikeJudge {
    /// A judge of these targets, which are named by their index from now on.
    pub fn new(watched: Vec<Watched>) -> Self {
        let count = watched.len();
        Self {
            watched,
            courses: vec![Course::default(); count],
            judged: vec![Time::ZERO; count],
            test: None,
            surroundings: Surroundings::default(),
            is_wireless: false,
            groups: Vec::new(),
            past: VecDeque::new(),
            onsets: Onsets::default(),
            alert: None,
        }
    }

    /// Says whether the interface to the targets is Wi-Fi.
    pub fn set_wireless(&mut self, is_wireless: bool) {
        self.is_wireless = is_wireless;
    }

    /// Takes a probe to the target of this index of which nothing more will come.
    pub fn take_probe(&mut self, target: usize, probe: WatchedProbe) {
        let is_struck = self.groups.iter().any(|it| !it.is_over && it.members.contains(&target));
        let is_tested = self.test.is_some() || probe.sent <= self.judged[target];
        self.courses[target].take(probe, !is_struck && !is_tested);
    }

    /// Takes a probe whose answer is late and may still come.
    pub fn await_answer(&mut self, target: usize, sent: Time, is_extra: bool) {
        self.courses[target].await_answer(sent, is_extra);
    }

    /// Takes what passed the interface, about five times a second.
    pub fn take_load(&mut self, load: Load) {
        self.surroundings.take_load(load);
    }

    /// Takes a second of this machine.
    pub fn take_second(&mut self, second: WatchedSecond) {
        self.surroundings.take_second(second);
    }

    /// Forgets all probes, since nothing could be observed from now on; what is usual stays. Probes whose answers
    /// are awaited say nothing. Returns the spikes that were under way or not judged yet, which end here.
    pub fn break_off(&mut self, now: Time) -> Vec<JudgedSpike> {
        self.courses.iter_mut().for_each(Course::forget_awaited);
        let spikes = self.end_all(now, Cut::Gap);
        self.courses.iter_mut().for_each(Course::forget_points);
        spikes
    }

    /// Forgets what the line has carried: the link to it is another one, or has another rate.
    pub fn forget_rates(&mut self, now: Time) {
        self.surroundings.forget_rates(now);
    }

    /// Notes that a test of the path begins. Its load makes answers late, so that spikes end here, and none is
    /// sought until the test has ended.
    pub fn begin_test(&mut self, now: Time) {
        self.seek_ends(now);
        self.groups.iter_mut().for_each(|it| it.cut(Cut::Test));
        self.test = Some(now);
    }

    /// Notes that the test has ended, whose load is felt until this time; `None` if it has loaded nothing, so that
    /// spikes go on as if it had not been made. Does nothing if no test is under way.
    pub fn end_test(&mut self, until: Option<Time>) {
        let Some(begin) = self.test.take() else { return };
        let Some(until) = until else {
            return self.groups.iter_mut().for_each(|it| it.resume(Cut::Test));
        };
        for heading in Heading::BOTH {
            let flow = Flow { scope: Scope::Line, heading };
            let rate = self.surroundings.greatest_within(flow, begin, until);
            self.surroundings.note_filled(flow, rate);
        }
        self.judged.iter_mut().for_each(|it| *it = (*it).max(until));
        self.remember(begin, until);
    }

    /// True while faster probes would tell more: some seconds from an onset on.
    pub fn wants_more(&self, now: Time) -> bool {
        self.alert.is_some_and(|since| now.since(since) <= ALERT)
    }

    /// The beginning of the spike that is under way; `None` if there is none.
    pub fn ongoing(&self) -> Option<Time> {
        self.groups.iter().filter(|it| !it.is_over).map(|it| it.start).min()
    }

    /// The spike that is under way, with the cause that is suspected so far; `None` if there is none, or if it may be
    /// chance. Of several, it is the one that began first.
    pub fn suspected(&self) -> Option<Spike> {
        let first = self.groups.iter().filter(|it| !it.is_over).min_by_key(|it| it.start)?;
        let mut group = first.clone();
        group.cut(Cut::Watch);
        self.spike(&group).map(|it| it.spike)
    }

    /// True if a spike is under way that has lasted long enough for its cause to be told, that strikes the
    /// latest probes, and that is told if it ends now.
    pub fn is_lasting(&self, now: Time) -> bool {
        let has_lasted = |it: &&Group| !it.is_over && now.since(it.start) >= LASTING;
        let strikes = |it: &&Group| it.members.iter().any(|it| self.courses[*it].is_struck_last());
        self.groups.iter().filter(has_lasted).filter(strikes).any(|it| !self.may_be_chance(it))
    }

    /// The probes whose answers are late, and not here yet, as lost ones: each with its target.
    pub fn awaited(&self) -> Vec<(usize, WatchedProbe)> {
        let of = |(target, it): (usize, &Course)| {
            it.awaited().map(|it| (target, it)).collect::<Vec<_>>()
        };
        self.courses.iter().enumerate().flat_map(of).collect()
    }

    /// Ends the watch. Returns the spikes that are under way or not judged yet.
    pub fn end(&mut self, now: Time) -> Vec<JudgedSpike> {
        self.end_all(now, Cut::Watch)
    }

    fn end_all(&mut self, now: Time, cut: Cut) -> Vec<JudgedSpike> {
        self.seek_ends(now);
        self.groups.iter_mut().for_each(|it| it.cut(cut));
        let groups = std::mem::take(&mut self.groups);
        groups.iter().filter_map(|it| self.judge(it)).collect()
    }

    /// Looks for onsets and ends, some times a second. Returns the spikes that are over, and of whose
    /// probes nothing is awaited any more.
    pub fn tick(&mut self, now: Time) -> Vec<JudgedSpike> {
        for target in 0..self.watched.len() {
            self.seek_onset(target, now);
        }
        self.seek_ends(now);
        let judged = self.settle(now);
        let needed = self.groups.iter().map(|it| it.start).min();
        self.courses.iter_mut().for_each(|it| it.trim(now, needed));
        let spikes =
            self.groups.iter().map(|it| (it.start, it.end)).chain(self.past.iter().copied());
        let test = self.test.map(|begin| (begin, Time::MAX));
        let spikes: Vec<_> = spikes.chain(test).collect();
        let is_calm = |at| !spikes.iter().any(|(start, end)| at >= *start - FILLING && at <= *end);
        self.surroundings.count_calm(now, is_calm);
        judged
    }

    fn seek_onset(&mut self, target: usize, now: Time) {
        let is_member = |it: &Group| !it.is_over && it.members.contains(&target);
        let is_sought = self.watched[target].place == Place::Target && self.test.is_none();
        if !is_sought || self.groups.iter().any(is_member) {
            return;
        }
        let course = &self.courses[target];
        if let Some(struck) = course.last_struck(now - RECENT) {
            self.onsets.note(struck);
        }
        // The first struck probe is not sure yet, but faster probes will tell.
        if course.known_since().is_some()
            && let Some(struck) = course.last_struck(now - course.close())
            && struck > self.judged[target]
            && self.alert.is_none_or(|since| now.since(since) > ALERT + REST)
        {
            self.alert = Some(now);
        }
        let Some(onset) = course.onset(now, self.judged[target]) else { return };
        let known = course.known_since();
        match self.groups.iter_mut().find(|it| it.takes(onset, known)) {
            Some(group) => {
                group.members.push(target);
                group.start = group.start.min(onset);
            }
            None => self.groups.push(Group::new(onset, target)),
        }
    }

    fn seek_ends(&mut self, now: Time) {
        self.part(now);
        for group in self.groups.iter_mut().filter(|it| !it.is_over) {
            let members = || group.members.iter().map(|it| &self.courses[*it]);
            let last = members().filter_map(|it| it.last_struck(group.start)).max();
            let close = members().map(Course::close).min().unwrap_or_default();
            group.end = last.unwrap_or(group.start);
            group.is_over = now.since(group.end) > close;
            if group.is_usual(now) {
                group.is_over = true;
                group.members.iter().for_each(|it| self.courses[*it].forget_usual());
            }
        }
    }

    /// Ends spikes that only single targets prolong: those become a spike of their own. Otherwise a slow target would
    /// join a spike of all with the next one, which may have another cause.
    fn part(&mut self, now: Time) {
        for index in 0..self.groups.len() {
            let Some(rest) = self.rest(&self.groups[index], now) else { continue };
            let is_of_rest = |it: &&usize| rest.members.contains(it);
            let group = &mut self.groups[index];
            let recovered = group.members.iter().filter(|it| !is_of_rest(it));
            let last = recovered.filter_map(|it| self.courses[*it].last_struck(group.start)).max();
            (group.end, group.is_over) = (last.unwrap_or(group.start), true);
            self.groups.push(rest);
        }
    }

    /// The targets of a spike that stay struck though the others have recovered; `None` if none do so alone.
    fn rest(&self, group: &Group, now: Time) -> Option<Group> {
        let last_of = |member: &usize| self.courses[*member].last_struck(group.start);
        let close = group.members.iter().map(|it| self.courses[*it].close()).min()?;
        let is_recent = |it: &usize| last_of(it).is_some_and(|last| now.since(last) <= close);
        let (rest, recovered): (Vec<_>, Vec<_>) =
            group.members.iter().copied().partition(is_recent);
        let recovery = recovered.iter().filter_map(last_of).max()?;
        if group.is_over || now.since(recovery) <= TOGETHER.max(close) {
            return None;
        }
        let struck = |it: &usize| self.courses[*it].first_struck(recovery, now);
        let (start, end) =
            (rest.iter().filter_map(struck).min()?, rest.iter().filter_map(last_of).max()?);
        let rest = Group::rest(start, end, rest);
        cause::is_of_targets(&self.facts(&rest)).then_some(rest)
    }

    fn settle(&mut self, now: Time) -> Vec<JudgedSpike> {
        let courses = &self.courses;
        let is_settled = |it: &Group| {
            let awaits = |member: &usize| courses[*member].is_awaiting(it.start, it.end);
            let may_resume = self.test.is_some() && it.cut == Some(Cut::Test);
            let is_long_ago = now.since(it.end) > PATIENCE + ALERT;
            it.is_over && !may_resume && (is_long_ago || !it.members.iter().any(awaits))
        };
        let (over, open) = self.groups.drain(..).partition::<Vec<_>, _>(is_settled);
        self.groups = open;
        over.into_iter().filter_map(|group| self.judge(&group)).collect()
    }

    /// The spike that a group was, which is over; `None` if it may be chance.
    fn judge(&mut self, group: &Group) -> Option<JudgedSpike> {
        for member in &group.members {
            self.judged[*member] = self.judged[*member].max(group.end);
        }
        self.remember(group.start, group.end);
        let judged = self.spike(group)?;
        if group.cut.is_none() {
            self.note_load(group, &judged.spike);
        }
        Some(judged)
    }

    /// Notes what the load of a spike shows of the rates of queues.
    fn note_load(&mut self, group: &Group, spike: &Spike) {
        if let Some((flow, rate)) = cause::small_near(&self.facts(group)) {
            self.surroundings.suppose_near(flow, rate);
        }
        let own = |it: &SpikeEvidence| match *it {
            SpikeEvidence::Load { direction: heading, rate_mbit, is_first, is_local, .. } => {
                let scope = if is_local { Scope::Local } else { Scope::Line };
                Some((Flow { scope, heading }, rate_mbit / 8e-6, is_first))
            }
            _ => None,
        };
        if let Some((flow, rate, is_first)) = spike.evidence.iter().find_map(own) {
            match is_first {
                true => self.surroundings.suppose_filled(flow, rate),
                false => self.surroundings.note_filled(flow, rate),
            }
        }
    }

    /// The spike that a group is, as far as can be seen; `None` if it may be chance.
    fn spike(&self, group: &Group) -> Option<JudgedSpike> {
        if self.may_be_chance(group) {
            return None;
        }
        let facts = self.facts(group);
        let worst = facts.worst();
        let mut verdict = cause::judge(&facts);
        verdict.evidence.extend(group.cut.map(|it| match it {
            Cut::Test => SpikeEvidence::Test,
            Cut::Gap => SpikeEvidence::Gap,
            Cut::Watch => SpikeEvidence::Unfinished,
        }));
        let of = |count: fn(&Share) -> usize| {
            group.members.iter().map(|it| count(&facts.shares[*it]) as u64).sum()
        };
        let names = group.members.iter().map(|it| self.watched[*it].name.clone());
        let probed = self.watched.iter().filter(|it| it.place == Place::Target).count();
        let spike = Spike {
            targets: names.collect(),
            probed: probed as u32,
            direction: verdict.direction.or(facts.direction()),
            usual_ms: self.courses[facts.worst].usual_ms(),
            added_p95_ms: worst.added_p95_ms,
            added_most_ms: worst.added_most_ms,
            sent: of(|it| it.sent),
            late: of(|it| it.late),
            lost: of(|it| it.unanswered - it.failed),
            failed: of(|it| it.failed),
            cause: verdict.cause,
            confidence: verdict.confidence,
            evidence: verdict.evidence,
        };
        Some(JudgedSpike { start: group.start, end: group.end, spike })
    }

    /// True if a group may be chance, of which no spike is told: a target is struck alone, and rarely.
    fn may_be_chance(&self, group: &Group) -> bool {
        let [member] = group.members[..] else { return false };
        let share = Share::of(&self.courses[member], group.start, group.end);
        share.struck < LEAST_ALONE || share.struck_part() < LEAST_ALONE_PART
    }

    /// Remembers a time that was not calm.
    fn remember(&mut self, start: Time, end: Time) {
        self.past.push_back((start, end));
        self.past.drain(..self.past.len().saturating_sub(REMEMBERED));
    }

    fn facts<'a>(&'a self, group: &'a Group) -> Facts<'a> {
        let (start, end) = (group.start, group.end);
        let whole = |it: &usize| Share::of(&self.courses[*it], start, end);
        // Where something else was late too, what a server has kept is no matter of the path.
        let share_of = match group.members.iter().map(whole).all(|it| it.is_kept()) {
            true => Share::of,
            false => Share::of_path,
        };
        let share = |(index, course): (usize, &Course)| match group.members.contains(&index) {
            true => share_of(course, start, end),
            false => share_of(course, start - MARGIN, end + MARGIN),
        };
        let shares: Vec<_> = self.courses.iter().enumerate().map(share).collect();
        let weight = |index: &usize| {
            let share: &Share = &shares[*index];
            (share.struck_part(), share.added_p95_ms.unwrap_or(0.0))
        };
        let order = |a: &usize, b: &usize| {
            let ((part_a, added_a), (part_b, added_b)) = (weight(a), weight(b));
            added_a.total_cmp(&added_b).then(part_a.total_cmp(&part_b))
        };
        let worst = group.members.iter().copied().max_by(|a, b| order(a, b));
        let worst = worst.expect("a group has a member");
        let points = self.courses[worst].between(start, end).filter(|it| it.fate != Fate::Void);
        let up = group.members.iter().find_map(|it| up_part(&self.courses[*it], start, end));
        Facts {
            watched: &self.watched,
            shares,
            members: &group.members,
            worst,
            probes_worst: points.copied().collect(),
            surroundings: &self.surroundings,
            is_wireless: self.is_wireless,
            start,
            end,
            is_cut: group.cut.is_some(),
            up_part: up,
            repeats: self.onsets.in_time(),
        }
    }
}

#[cfg(test)]
mod tests;
