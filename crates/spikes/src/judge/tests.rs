//! The judge on a small world of three targets, three hops and this machine, probed once a second.

use observation::{Heading, ProbeFailure, ProbeOutcome};
use results::{SpikeCause, SpikeEvidence};
use units::{Bytes, Rng};

use super::*;
use crate::Traffic;

mod causes;

/// What is watched, in this order: this machine, three hops, three targets.
const USUAL_MS: [f64; 7] = [0.05, 1.0, 8.0, 9.0, 20.0, 35.0, 90.0];
const TARGETS: [usize; 3] = [4, 5, 6];

struct World {
    judge: SpikeJudge,
    rng: Rng,
    second: u64,
    spikes: Vec<JudgedSpike>,
}

/// What happens in a second.
#[derive(Clone, Copy)]
struct Second {
    /// Milliseconds added at each place; infinite for a loss, not a number for no probe.
    added: [f64; 7],
    up_mbit: f64,
    down_mbit: f64,
    local_mbit: f64,
    lateness: Span,
    signal: Option<i8>,
}

const CALM: Second = Second {
    added: [0.0; 7],
    up_mbit: 0.02,
    down_mbit: 0.05,
    local_mbit: 0.0,
    lateness: Span::ZERO,
    signal: None,
};

/// A second in which all places from this one on are late.
fn late_from(place: usize, ms: f64) -> Second {
    let mut added = [0.0; 7];
    added[place..].fill(ms);
    Second { added, ..CALM }
}

fn late_at(places: &[usize], ms: f64) -> Second {
    let mut added = [0.0; 7];
    places.iter().for_each(|it| added[*it] = ms);
    Second { added, ..CALM }
}

fn place(n: usize) -> Place {
    match n {
        0 => Place::Machine,
        1..4 => Place::Hop(n as u8),
        _ => Place::Target,
    }
}

impl World {
    fn new() -> Self {
        Self::with(|n| Watched { name: n.to_string(), host: n.to_string(), place: place(n) })
    }

    fn with(watched: impl Fn(usize) -> Watched) -> Self {
        let judge = SpikeJudge::new((0..7).map(watched).collect());
        let mut world = Self { judge, rng: Rng::new(7), second: 0, spikes: Vec::new() };
        world.pass(200, CALM);
        world
    }

    fn pass(&mut self, seconds: u64, second: Second) {
        for _ in 0..seconds {
            self.one(second);
        }
    }

    fn one(&mut self, second: Second) {
        let start = Time::from_secs(self.second);
        for (place, usual) in USUAL_MS.iter().enumerate() {
            let sent = start + Span::from_millis(10 * place as u64);
            let noise = 0.5 * self.rng.next_f64();
            let ms = usual + noise + second.added[place];
            if ms.is_nan() {
                continue;
            }
            if ms.is_infinite() {
                self.judge.await_answer(place, sent, false);
            } else {
                let round_trip = Span::from_secs_f64(ms / 1e3);
                let outcome = ProbeOutcome::Answered { round_trip, up: None, kept: None };
                self.judge.take_probe(place, WatchedProbe { sent, is_extra: false, outcome });
            }
        }
        for fifth in 1..=5 {
            let at = start + Span::from_millis(200 * fifth);
            let bytes = |mbit: f64| Bytes((mbit * 1e6 / 8.0 / 5.0) as u64);
            let line = Traffic { up: bytes(second.up_mbit), down: bytes(second.down_mbit) };
            let local = Traffic { up: bytes(second.local_mbit), down: Bytes::ZERO };
            self.judge.take_load(Load { at, during: Span::from_millis(200), line, local });
        }
        self.second += 1;
        let at = Time::from_secs(self.second);
        let (lateness, signal) = (second.lateness, second.signal);
        self.judge.take_second(WatchedSecond { at, lateness, signal, ..WatchedSecond::default() });
        let judged = self.judge.tick(at);
        self.spikes.extend(judged);
    }

    /// The only spike, after half a minute of calm.
    fn spike(&mut self) -> JudgedSpike {
        self.pass(30, CALM);
        assert_eq!(self.spikes.len(), 1, "{:#?}", self.spikes);
        self.spikes.pop().unwrap()
    }

    fn cause(&mut self) -> SpikeCause {
        self.spike().spike.cause
    }
}

#[test]
fn calm_makes_no_spike() {
    let mut world = World::new();
    world.pass(300, CALM);
    assert_eq!(world.spikes, []);
    assert_eq!(world.judge.ongoing(), None);
}

#[test]
fn one_late_probe_makes_none_but_asks_for_more() {
    let mut world = World::new();
    world.one(late_at(&[4], 100.0));
    assert!(world.judge.wants_more(Time::from_secs(world.second)));
    world.pass(40, CALM);
    assert!(!world.judge.wants_more(Time::from_secs(world.second)));
    assert_eq!(world.spikes, []);
}

#[test]
fn hops_alone_make_none() {
    let mut world = World::new();
    world.pass(20, late_at(&[1, 2, 3], 100.0));
    world.pass(30, CALM);
    assert_eq!(world.spikes, []);
}

#[test]
fn a_spike_begins_and_ends_with_its_struck_probes() {
    let mut world = World::new();
    world.pass(12, late_from(2, 80.0));
    let JudgedSpike { start, end, spike } = world.spike();
    assert_eq!(start.as_nanos() / 1_000_000, 200_040);
    assert_eq!(end.as_nanos() / 1_000_000, 211_060);
    assert_eq!((spike.targets.len(), spike.probed, spike.sent), (3, 3, 36));
    assert!((79.0..81.0).contains(&spike.added_p95_ms.unwrap()), "{spike:?}");
    assert_eq!((spike.late, spike.lost), (0, 0));
}

#[test]
fn all_behind_the_first_hop_is_the_line() {
    let mut world = World::new();
    world.pass(12, late_from(2, 80.0));
    assert_eq!(world.cause(), SpikeCause::Line);
}

#[test]
fn own_load_that_came_and_went_is_own_load() {
    for (up, down, cause) in
        [(5.0, 0.3, SpikeCause::OwnUpload), (0.6, 40.0, SpikeCause::OwnDownload)]
    {
        let mut world = World::new();
        world.pass(12, Second { up_mbit: up, down_mbit: down, ..late_from(2, 200.0) });
        let spike = world.spike().spike;
        assert_eq!(spike.cause, cause);
        assert!(matches!(spike.evidence[0], SpikeEvidence::Load { .. }), "{spike:?}");
    }
}

/// Until a load has filled the line, one of somebody else may have done so at the same time.
#[test]
fn a_first_own_load_is_less_sure_than_a_second_one() {
    let mut world = World::new();
    for confidence in [0.75, 0.95] {
        world.pass(12, Second { up_mbit: 5.0, ..late_from(2, 200.0) });
        assert_eq!(world.spike().spike.confidence, confidence);
    }
}

#[test]
fn an_own_load_that_the_delay_outlasts_is_no_cause() {
    let mut world = World::new();
    world.pass(12, Second { up_mbit: 0.3, ..late_from(2, 200.0) });
    world.pass(12, late_from(2, 200.0));
    assert_eq!(world.cause(), SpikeCause::Line);
}

#[test]
fn a_cause_is_suspected_while_a_spike_lasts() {
    let mut world = World::new();
    assert_eq!(world.judge.suspected(), None);
    world.pass(12, Second { up_mbit: 5.0, ..late_from(2, 200.0) });
    let suspected = world.judge.suspected().map(|it| (it.cause, it.confidence));
    assert_eq!(suspected, Some((SpikeCause::OwnUpload, 0.6)));
}

#[test]
fn a_load_that_the_line_carries_calmly_is_no_cause() {
    let mut world = World::new();
    world.pass(100, Second { down_mbit: 30.0, ..CALM });
    world.pass(2, Second { down_mbit: 50.0, ..CALM });
    world.pass(40, CALM);
    world.pass(12, Second { down_mbit: 30.0, ..late_from(2, 200.0) });
    assert_eq!(world.cause(), SpikeCause::Line);
}

/// A copy to another computer at home by UDP was faster than the line, and counts as load of it: neither is the acknowledgement of an upload a download
/// that fills it, nor is it sure that the upload does not.
#[test]
fn beside_a_faster_local_copy_no_cause_of_an_upload_is_sure() {
    let mut world = World::new();
    world.pass(100, Second { up_mbit: 150.0, ..CALM });
    world.pass(40, CALM);
    world.pass(12, Second { up_mbit: 8.0, down_mbit: 0.26, ..late_from(2, 200.0) });
    let spike = world.spike().spike;
    assert_eq!((spike.cause, spike.confidence), (SpikeCause::Line, 0.75));
    world.pass(12, late_from(2, 200.0));
    let without = world.spike().spike;
    assert!(without.cause == SpikeCause::Line && without.confidence > 0.75, "{without:?}");
}

/// Nothing faster was ever seen: the line may be full, with a queue this time and without one before.
#[test]
fn of_a_load_that_may_fill_the_line_calmly_nothing_is_known() {
    let mut world = World::new();
    world.pass(100, Second { down_mbit: 30.0, ..CALM });
    world.pass(40, CALM);
    world.pass(12, Second { down_mbit: 30.0, ..late_from(2, 200.0) });
    assert_eq!(world.cause(), SpikeCause::Unknown);
}

#[test]
fn a_load_that_neither_came_nor_went_is_no_cause() {
    let mut world = World::new();
    world.pass(40, Second { down_mbit: 30.0, ..CALM });
    world.pass(12, Second { down_mbit: 30.0, ..late_from(2, 200.0) });
    world.pass(20, Second { down_mbit: 30.0, ..CALM });
    assert_eq!(world.cause(), SpikeCause::Line);
}

/// A backup of an hour is told after ten minutes, though it goes on.
#[test]
fn an_own_load_that_goes_on_is_own_load() {
    let mut world = World::new();
    world.pass(640, Second { up_mbit: 5.0, ..late_from(2, 200.0) });
    assert_eq!(world.spikes.pop().map(|it| it.spike.cause), Some(SpikeCause::OwnUpload));
}

#[test]
fn a_late_first_hop_is_the_router_or_the_wireless() {
    for (is_wireless, cause) in [(false, SpikeCause::Router), (true, SpikeCause::Wireless)] {
        let mut world = World::new();
        world.judge.set_wireless(is_wireless);
        world.pass(8, late_from(1, 60.0));
        assert_eq!(world.cause(), cause);
    }
}

#[test]
fn a_weak_signal_is_evidence() {
    let mut world = World::new();
    world.judge.set_wireless(true);
    world.pass(30, Second { signal: Some(-50), ..CALM });
    world.pass(8, Second { signal: Some(-71), ..late_from(1, 60.0) });
    let signal = SpikeEvidence::Signal { weakest_dbm: -71, usual_dbm: -50 };
    assert!(world.spike().spike.evidence.contains(&signal));
}

#[test]
fn late_wake_ups_are_this_machine() {
    let mut world = World::new();
    world.pass(5, Second { lateness: Span::from_millis(150), ..late_from(0, 160.0) });
    assert_eq!(world.cause(), SpikeCause::OwnMachine);
}

#[test]
fn one_target_of_three_is_that_target() {
    let mut world = World::new();
    world.pass(12, late_at(&[5], 80.0));
    let spike = world.spike().spike;
    assert_eq!((spike.cause, &spike.targets[..]), (SpikeCause::Target, &["5".to_owned()][..]));
}

#[test]
fn short_spikes_each_15_seconds_are_slots() {
    let mut world = World::new();
    for _ in 0..8 {
        world.pass(2, late_from(2, 40.0));
        world.pass(13, CALM);
    }
    world.pass(30, CALM);
    let causes: Vec<_> = world.spikes.iter().map(|it| it.spike.cause).collect();
    assert_eq!(causes[..5], [SpikeCause::Line; 5]);
    assert_eq!(causes[5..], [SpikeCause::Slots; 3]);
}

/// Queues keep the order of packets: what is still awaited once later probes are answered is lost.
#[test]
fn an_outage_is_told_once_answers_come_again() {
    let mut world = World::new();
    world.pass(10, late_from(2, f64::INFINITY));
    assert!(world.judge.ongoing().is_some());
    assert_eq!(world.spikes, []);
    world.pass(7, CALM);
    assert_eq!((world.judge.ongoing(), world.spikes.len()), (None, 1));
    let spike = world.spikes.pop().unwrap().spike;
    assert_eq!((spike.cause, spike.lost, spike.added_p95_ms), (SpikeCause::Line, 30, None));
}

#[test]
fn late_answers_are_late_and_not_lost() {
    let mut world = World::new();
    world.pass(4, late_from(2, 2500.0));
    let spike = world.spike().spike;
    assert_eq!((spike.late, spike.lost), (12, 0));
}

/// A target that says that it cannot be reached has failed, in a spike as in a minute.
#[test]
fn what_failed_is_not_lost() {
    let mut world = World::new();
    for _ in 0..10 {
        let sent = Time::from_secs(world.second);
        let outcome = ProbeOutcome::Failed(ProbeFailure::Unreachable);
        TARGETS.iter().for_each(|it| {
            world.judge.take_probe(*it, WatchedProbe { sent, is_extra: false, outcome });
        });
        world.spikes.extend(world.judge.tick(sent));
        world.second += 1;
    }
    let spike = world.spike().spike;
    assert_eq!((spike.lost, spike.failed), (0, 10 * TARGETS.len() as u64));
}

#[test]
fn a_machine_without_a_route_makes_no_spike() {
    let mut world = World::new();
    for second in 0..20 {
        let sent = Time::from_secs(world.second + second);
        let outcome = ProbeOutcome::Failed(ProbeFailure::NoRoute);
        TARGETS.iter().for_each(|it| {
            world.judge.take_probe(*it, WatchedProbe { sent, is_extra: false, outcome });
        });
    }
    world.second += 20;
    world.pass(30, CALM);
    assert_eq!(world.spikes, []);
}

#[test]
fn what_stays_becomes_usual() {
    let mut world = World::new();
    world.pass(700, late_from(2, 80.0));
    assert_eq!(world.judge.ongoing(), None);
    let spike = world.spike();
    assert!(spike.end.since(spike.start) > Span::from_secs(590));
}

#[test]
fn a_test_ends_a_spike_whose_cause_is_that_of_the_time_before() {
    let mut world = World::new();
    world.pass(4, late_from(2, 80.0));
    assert!(!world.judge.is_lasting(Time::from_secs(world.second)));
    world.pass(2, late_from(2, 80.0));
    assert!(world.judge.is_lasting(Time::from_secs(world.second)));
    world.judge.begin_test(Time::from_secs(world.second));
    assert_eq!(world.judge.ongoing(), None);
    // The load of the test fills the queue of the router.
    world.pass(25, Second { up_mbit: 40.0, ..late_from(1, 300.0) });
    world.judge.end_test(Some(Time::from_secs(world.second + 5)));
    world.pass(5, late_from(2, 80.0));
    assert_eq!(world.judge.ongoing(), None);
    let [spike] = &world.spikes[..] else { panic!("{:#?}", world.spikes) };
    assert_eq!(spike.end.since(spike.start), Span::from_millis(5_020));
    assert_eq!(spike.spike.cause, SpikeCause::Line);
    assert!(spike.spike.evidence.contains(&SpikeEvidence::Test));
    assert!((79.0..81.0).contains(&spike.spike.added_most_ms.unwrap()), "{spike:?}");
    // The rest is a spike of its own, and what is usual is as before.
    world.spikes.clear();
    world.pass(12, late_from(2, 80.0));
    let JudgedSpike { start, end, spike } = world.spike();
    assert_eq!((end.since(start), spike.cause), (Span::from_millis(11_020), SpikeCause::Line));
    assert!((79.0..81.0).contains(&spike.added_most_ms.unwrap()), "{spike:?}");
    assert!(!spike.evidence.contains(&SpikeEvidence::Test));
}

/// A target alone that is late at times is told as no spike, however long that lasts.
#[test]
fn what_may_be_chance_does_not_last() {
    let mut world = World::new();
    for n in 0..30 {
        world.one(if n % 3 == 0 { late_at(&[4], 100.0) } else { CALM });
        assert!(!world.judge.is_lasting(Time::from_secs(world.second)), "{n}");
    }
    assert!(world.judge.ongoing().is_some());
    // The same target in all probes.
    world.pass(60, CALM);
    assert_eq!(world.spikes, []);
    world.pass(6, late_at(&[4], 100.0));
    assert!(world.judge.is_lasting(Time::from_secs(world.second)));
}

#[test]
fn a_test_that_loads_nothing_ends_no_spike() {
    let mut world = World::new();
    world.pass(6, late_from(2, 80.0));
    world.judge.begin_test(Time::from_secs(world.second));
    world.pass(2, late_from(2, 80.0));
    world.judge.end_test(None);
    world.pass(4, late_from(2, 80.0));
    let JudgedSpike { start, end, spike } = world.spike();
    assert_eq!(end.since(start), Span::from_millis(11_020));
    assert_eq!(spike.cause, SpikeCause::Line);
    assert!(!spike.evidence.contains(&SpikeEvidence::Test));
}

#[test]
fn an_own_load_that_a_test_hides_is_less_sure() {
    let mut world = World::new();
    let load = Second { up_mbit: 40.0, ..late_from(2, 80.0) };
    world.pass(6, load);
    world.judge.begin_test(Time::from_secs(world.second));
    world.pass(25, load);
    world.judge.end_test(Some(Time::from_secs(world.second + 5)));
    let spike = world.spike().spike;
    assert_eq!((spike.cause, spike.confidence), (SpikeCause::OwnUpload, 0.6));
}

#[test]
fn what_is_under_way_is_told_at_the_end() {
    let mut world = World::new();
    world.pass(6, Second { up_mbit: 40.0, ..late_from(2, 80.0) });
    world.one(late_from(4, f64::INFINITY));
    let awaited = world.judge.awaited();
    assert_eq!(awaited.iter().map(|it| it.0).collect::<Vec<_>>(), TARGETS);
    let spikes = world.judge.end(Time::from_secs(world.second));
    let [JudgedSpike { end, spike, .. }] = &spikes[..] else { panic!("{spikes:#?}") };
    assert_eq!(end.as_nanos() / 1_000_000, 206_060);
    assert_eq!((spike.cause, spike.confidence), (SpikeCause::OwnUpload, 0.6));
    assert_eq!(world.judge.end(Time::from_secs(world.second)), []);
}

/// What is awaited when a gap begins may have been lost in the gap.
#[test]
fn an_outage_under_way_ends_where_a_gap_begins() {
    let mut world = World::new();
    for _ in 0..8 {
        let sent = Time::from_secs(world.second);
        TARGETS.iter().for_each(|it| {
            let outcome = ProbeOutcome::Lost;
            world.judge.take_probe(*it, WatchedProbe { sent, is_extra: false, outcome });
        });
        world.second += 1;
        world.judge.tick(sent + Span::from_millis(900));
    }
    world.one(late_from(4, f64::INFINITY));
    let spikes = world.judge.break_off(Time::from_secs(world.second));
    let [JudgedSpike { start, end, spike }] = &spikes[..] else { panic!("{spikes:#?}") };
    assert_eq!((*start, *end), (Time::from_secs(200), Time::from_secs(207)));
    assert_eq!((spike.targets.len(), spike.lost), (3, 24));
    assert!(spike.evidence.contains(&SpikeEvidence::Gap));
    // The time after the gap has nothing of it.
    world.pass(30, CALM);
    assert_eq!((world.spikes.len(), world.judge.ongoing()), (0, None));
}

/// The clock of the server is 4 s ahead, and the way up is late.
#[test]
fn a_target_that_tells_shows_the_direction() {
    for (up_part, direction) in [(1.0, Heading::Up), (0.0, Heading::Down)] {
        let mut world = World::new();
        for n in 0..60 {
            let added = if (40..52).contains(&n) { 100.0 } else { 0.0 };
            let sent = Time::from_secs(world.second) + Span::from_millis(500);
            let round_trip = Span::from_secs_f64((20.0 + added) / 1e3);
            let up = 4_000_000_000 + ((10.0 + added * up_part) * 1e6) as i64;
            let outcome = ProbeOutcome::Answered { round_trip, up: Some(up), kept: None };
            world.judge.take_probe(4, WatchedProbe { sent, is_extra: false, outcome });
            let rest = if added > 0.0 { late_from(2, added) } else { CALM };
            world.one(rest);
        }
        assert_eq!(world.spike().spike.direction, Some(direction));
    }
}
