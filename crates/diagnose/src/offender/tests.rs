//! Tests on paths whose queue is known.

use observation::{
    Ended, HopAnswer, HopProbe, HostSample, Load, LoadFlow, Ping, Probe, ProbeStream, Receipt,
    Stage, Wireless,
};
use results::WirelessRate;
use units::{Bytes, Rate, Rng};

use super::*;

/// Three routers, and the server behind them.
const HOPS: u8 = 4;

/// One-way delays of the links, in milliseconds.
const LINKS: [f64; 4] = [0.5, 6.0, 3.0, 2.0];

/// The answers of a router.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Answers {
    All,
    /// About one of three.
    Few,
    Never,
}

/// The lateness of a router's answers.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Late {
    Never,
    /// Now and then, by up to 400 ms.
    Sometimes,
    /// Always, by 60 ms in the mean.
    Always,
    /// As above, but only while there is load.
    UnderLoad,
}

#[derive(Clone, Copy, Debug)]
struct Case {
    /// The link with the queue: 1 is the client's.
    link: u8,
    heading: Heading,
    /// The longest delay of the queue, in milliseconds.
    longest: f64,
    answers: [Answers; 3],
    /// The late router.
    late: (u8, Late),
}

/// Idle for two seconds, then each direction for eight, and three of draining after each.
fn stages() -> Vec<Stage> {
    let stage = |load, start, end| Stage {
        load,
        start: Time::from_secs(start),
        end: Time::from_secs(end),
        ended: Ended::Planned,
    };
    vec![
        stage(Load::Idle, 0, 2),
        stage(Load::One(Heading::Down), 2, 10),
        stage(Load::Drain, 10, 13),
        stage(Load::One(Heading::Up), 13, 21),
        stage(Load::Drain, 21, 24),
    ]
}

impl Case {
    /// The wait in the queue, in milliseconds: it fills within a second, then goes up and down with
    /// TCP, and drains at the end.
    fn queue(&self, at: f64) -> f64 {
        let start = if self.heading == Heading::Down { 2.0 } else { 13.0 };
        let since = at - start;
        let level = |since: f64| self.longest * since.min(0.7 + 0.15 * (since % 2.0));
        match since {
            since if since < 0.0 => 0.0,
            since if since < 8.0 => level(since),
            since => (level(8.0) - (since - 8.0) * 1e3).max(0.0),
        }
    }

    fn delays(&self, rng: &mut Rng) -> Vec<Delays> {
        let delay = |index: u64| {
            let at = Time::from_millis(index * 20);
            let jitter = Span::from_secs_f64(rng.next_f64() * 1e-3);
            let queue = Span::from_secs_f64(self.queue(at.as_secs_f64()) / 1e3) + jitter;
            match self.heading {
                Heading::Up => Delays { at, up: queue, down: jitter },
                Heading::Down => Delays { at, up: jitter, down: queue },
            }
        };
        (0..1_200).map(delay).collect()
    }

    fn observations(&self, rng: &mut Rng) -> Observations {
        let mut hops = Vec::new();
        let rounds = [0.0, 0.35, 0.7].into_iter().chain((1..23).map(|n| 0.05 + f64::from(n)));
        for round in rounds {
            for hop in 1..=HOPS {
                hops.push(self.probe(hop, round + 0.2 * f64::from(hop), rng));
            }
        }
        let pings = (0..48).map(|index| self.ping(f64::from(index) / 2.0)).collect();
        Observations { stages: stages(), hops, pings, ..Observations::default() }
    }

    /// An echo of the server, which waits as all packets do.
    fn ping(&self, at: f64) -> Ping {
        let sent = Time::ZERO + Span::from_secs_f64(at);
        let round_trip = 2.0 * LINKS.iter().sum::<f64>() + self.queue(at);
        Ping { sent, returned: Some(sent + Span::from_secs_f64(round_trip / 1e3)) }
    }

    fn probe(&self, hop: u8, at: f64, rng: &mut Rng) -> HopProbe {
        let links: f64 = LINKS[..usize::from(hop)].iter().sum();
        let queue = if self.link <= hop { self.queue(at) } else { 0.0 };
        let mut round_trip = 2.0 * links + queue + rng.next_f64();
        let is_loaded = self.queue(at) > 0.5 * self.longest;
        if self.late.0 == hop {
            let late = -60.0 * libm::log(1.0 - rng.next_f64());
            round_trip += match self.late.1 {
                Late::Never => 0.0,
                Late::Sometimes if rng.next_f64() < 0.15 => 400.0 * rng.next_f64(),
                Late::Sometimes => 0.0,
                Late::UnderLoad if !is_loaded => 0.0,
                Late::Always | Late::UnderLoad => late,
            };
        }
        let answers = self.answers.get(usize::from(hop) - 1).copied().unwrap_or(Answers::All);
        let answered = match answers {
            Answers::All => true,
            Answers::Few => rng.next_f64() < 0.35,
            Answers::Never => false,
        };
        let sent = Time::ZERO + Span::from_secs_f64(at);
        let answer = answered.then(|| HopAnswer {
            from: [10, 0, hop - 1, 2].into(),
            at: sent + Span::from_secs_f64(round_trip / 1e3),
            is_server: hop == HOPS,
        });
        HopProbe { hop, sent, answer }
    }

    /// The hop that holds the queue.
    fn truth(&self) -> u8 {
        if self.heading == Heading::Up { self.link - 1 } else { self.link }
    }
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let ways = [Answers::All, Answers::Few, Answers::Never];
    for (index, heading) in (0..81 * 4).flat_map(|i| [(i, Heading::Up), (i, Heading::Down)]) {
        let answers = [ways[index % 3], ways[index / 3 % 3], ways[index / 9 % 3]];
        let link = (index / 27 % 4) as u8 + 1;
        let longest = [15.0, 100.0, 500.0][index / 108 % 3];
        for late in [Late::Never, Late::Sometimes, Late::Always, Late::UnderLoad] {
            for router in 1..=if late == Late::Never { 1 } else { 3 } {
                cases.push(Case { link, heading, longest, answers, late: (router, late) });
            }
        }
    }
    cases
}

/// True if the right hop is among those found; `None` if none is.
fn is_right(found: &Offender, case: &Case) -> Option<bool> {
    let first = found.hop?;
    Some((first..=found.last_hop.unwrap_or(first)).contains(&case.truth()))
}

/// True if more can be known than that the queue is somewhere; with all routers silent it cannot.
fn can_be_told(case: &Case) -> bool {
    case.answers.contains(&Answers::All)
}

/// True if every router answers, and in time.
fn is_plain(case: &Case) -> bool {
    case.late.1 == Late::Never && case.answers.iter().all(|answers| *answers == Answers::All)
}

/// The result of a case, with this seed.
fn found(case: &Case, seed: u64) -> Offender {
    let mut rng = Rng::new(seed);
    let (observations, delays) = (case.observations(&mut rng), case.delays(&mut rng));
    offender(&observations, &delays, case.heading).unwrap()
}

/// Routers that answer at once, whatever waits, do not show behind which of them the queue is.
#[test]
fn answers_that_pass_the_queue_place_it_nowhere() {
    let plain = Case {
        link: 2,
        heading: Heading::Down,
        longest: 100.0,
        answers: [Answers::All; 3],
        late: (1, Late::Never),
    };
    let passed = Case { link: HOPS, ..plain };
    let mut rng = Rng::new(1);
    let delays = plain.delays(&mut rng);
    let quick = passed.observations(&mut rng);
    let echo = |ping: &Ping| Ping { returned: Some(ping.sent + Span::from_millis(23)), ..*ping };
    let pings = quick.pings.iter().map(echo).collect();
    let found =
        |observations: &Observations| offender(observations, &delays, Heading::Down).unwrap();
    assert_eq!(found(&quick).hop, Some(HOPS), "echoes wait, so no router holds the queue");
    let none = Observations { pings: Vec::new(), ..quick.clone() };
    for observations in [Observations { pings, ..quick }, none] {
        let found = found(&observations);
        assert_eq!(found.hop, None);
        assert!(matches!(found.seen, Some(Evidence::Bypassed { .. })), "{found:?}");
    }
}

#[test]
fn the_hop_is_right_or_not_told() {
    let (mut right, mut untold) = (0.0, 0.0);
    for (seed, case) in (0..).zip(cases()) {
        let found = found(&case, seed);
        assert!((0.0..1.0).contains(&found.confidence), "{case:?} {found:?}");
        assert!(found.confidence > 0.5 || found.hop.is_none(), "{case:?} {found:?}");
        match is_right(&found, &case) {
            Some(is_right) => {
                assert!(is_right, "{case:?} {found:?}");
                right += 1.0;
            }
            None => untold += f64::from(u8::from(can_be_told(&case))),
        }
        if is_plain(&case) {
            assert_eq!(
                (found.hop, found.last_hop),
                (Some(case.truth()), None),
                "{case:?} {found:?}"
            );
        }
    }
    assert!(right > 0.95 * (right + untold), "{right} are right, {untold} could be");
}

/// A queue at the third link, which each router sees fully or not at all.
const PLAIN: Case = Case {
    link: 3,
    heading: Heading::Up,
    longest: 100.0,
    answers: [Answers::All; 3],
    late: (1, Late::Never),
};

/// The evidence of a step.
fn step(found: &Offender) -> &DelayStep {
    match &found.seen {
        Some(Evidence::Step(step)) => step,
        other => panic!("no step: {other:?}"),
    }
}

/// The numbers of the hops that show it.
fn hops(seen: &DelayStep) -> Vec<u8> {
    seen.hops.iter().map(|seen| seen.hop).collect()
}

#[test]
fn the_verdict_says_who_where_and_why() {
    let there = found(&PLAIN, 1);
    assert_eq!((there.hop, there.leg, there.place), (Some(2), Leg::Forward, NetworkPart::Beyond));
    assert_eq!(there.address, Some([10, 0, 1, 2].into()));
    let seen = step(&there);
    assert_eq!(seen.path.heading, Heading::Up);
    assert_eq!(hops(seen), [2, 3], "the last one before it, and the first one behind it");
    let back = found(&Case { heading: Heading::Down, link: 2, ..PLAIN }, 1);
    assert_eq!((back.hop, back.leg, back.place), (Some(2), Leg::Return, NetworkPart::AccessLine));
    let home = found(&Case { heading: Heading::Down, link: 1, ..PLAIN }, 1);
    assert_eq!((home.hop, home.place), (Some(1), NetworkPart::FirstHop));
    let ours = found(&Case { link: 1, ..PLAIN }, 1);
    assert_eq!((ours.hop, ours.place, ours.address), (Some(0), NetworkPart::OwnHost, None));
}

#[test]
fn silent_hops_make_it_wider() {
    let case = Case { answers: [Answers::All, Answers::Never, Answers::All], ..PLAIN };
    let found = found(&case, 1);
    assert_eq!((found.hop, found.last_hop, found.address), (Some(1), Some(2), None), "{found:?}");
    assert_eq!((step(&found).silent, step(&found).server_answered), (Some([2, 2]), true));
}

#[test]
fn what_cannot_be_told_is_not_told() {
    let silent = found(&Case { answers: [Answers::Never; 3], ..PLAIN }, 1);
    let small = found(&Case { longest: 4.0, ..PLAIN }, 1);
    let nobody = |found: &Offender| matches!(&found.seen, Some(Evidence::Contradictory { hops, .. }) if hops.is_empty());
    let too_small = |found: &Offender| matches!(found.seen, Some(Evidence::TooSmall { .. }));
    assert!(nobody(&silent) && too_small(&small), "{silent:?}, {small:?}");
    for found in [&silent, &small] {
        assert_eq!((found.hop, found.place), (None, NetworkPart::Unknown), "{found:?}");
        assert!(found.confidence < 0.5, "{found:?}");
    }
    let back = found(&Case { longest: 4.0, heading: Heading::Down, ..PLAIN }, 1);
    assert_eq!((back.hop, back.leg, small.leg), (None, Leg::Return, Leg::Forward), "{back:?}");
    let mut rng = Rng::new(1);
    let (observations, delays) = (PLAIN.observations(&mut rng), PLAIN.delays(&mut rng));
    assert_eq!(offender(&observations, &[], Heading::Up), None);
    let unprobed = Observations { hops: Vec::new(), ..observations.clone() };
    assert_eq!(offender(&unprobed, &delays, Heading::Up), None);
    let unloaded = Observations { stages: Vec::new(), ..observations.clone() };
    assert_eq!(offender(&unloaded, &delays, Heading::Up), None);
    // No probe has seen the path at rest.
    let restless: Vec<_> =
        observations.hops.into_iter().filter(|it| it.sent > Time::from_secs(13)).collect();
    let all = restless.iter().filter(|it| it.sent < Time::from_secs(21)).copied().collect();
    let loaded = Observations { hops: all, stages: observations.stages, ..Observations::default() };
    assert_eq!(offender(&loaded, &delays, Heading::Up).unwrap().hop, None);
}

#[test]
fn two_queues_are_not_one() {
    let mut rng = Rng::new(1);
    let (mut observations, delays) = (PLAIN.observations(&mut rng), PLAIN.delays(&mut rng));
    // Half of the delay is before the first hop.
    for probe in observations.hops.iter_mut().filter(|probe| probe.hop < 3) {
        let half = Span::from_secs_f64(PLAIN.queue(probe.sent.as_secs_f64()) / 2e3);
        probe.answer.iter_mut().for_each(|answer| answer.at += half);
    }
    let found = offender(&observations, &delays, Heading::Up).unwrap();
    assert_eq!(found.hop, None, "{found:?}");
    assert!(matches!(found.seen, Some(Evidence::Contradictory { .. })), "{found:?}");
}

#[test]
fn our_own_interface_is_a_witness() {
    let case = Case { link: 1, ..PLAIN };
    let backlogs = [(1.0, NetworkPart::OwnHost), (0.0, NetworkPart::FirstHop)];
    for (part, place) in backlogs {
        let mut rng = Rng::new(1);
        let (mut observations, delays) = (case.observations(&mut rng), case.delays(&mut rng));
        // A megabyte a second: a kilobyte takes a millisecond.
        let sample = |tenth: u64| {
            let at = Time::from_millis(tenth * 100);
            let backlog = Bytes((part * case.queue(at.as_secs_f64()) * 1e3) as u64);
            HostSample { at, backlog: Some(backlog), ..HostSample::default() }
        };
        observations.host = (0..240).map(sample).collect();
        observations.flows = vec![upload()];
        let found = offender(&observations, &delays, Heading::Up).unwrap();
        assert_eq!((found.hop, found.last_hop, found.place), (Some(0), None, place), "{found:?}");
        assert!(hops(step(&found)).contains(&0), "{found:?}");
    }
}

#[test]
fn what_probes_waited_here_counts_for_more_than_the_backlog() {
    let case = Case { link: 1, ..PLAIN };
    for (part, place) in [(1.0, NetworkPart::OwnHost), (0.0, NetworkPart::FirstHop)] {
        let mut rng = Rng::new(1);
        let (mut observations, delays) = (case.observations(&mut rng), case.delays(&mut rng));
        let probe = |delay: &Delays| {
            let wait = Span::from_secs_f64(part * case.queue(delay.at.as_secs_f64()) / 1e3);
            let departed = Some(delay.at + Span::from_micros(20) + wait);
            Probe { sent: delay.at, departed, ..Probe::default() }
        };
        let probes = delays.iter().map(probe).collect();
        observations.probes = vec![ProbeStream { probes, ..ProbeStream::default() }];
        // A device that shows half of it, as if the rate had changed.
        let sample = |tenth: u64| {
            let at = Time::from_millis(tenth * 100);
            let backlog = Bytes((0.5 * case.queue(at.as_secs_f64()) * 1e3) as u64);
            HostSample { at, backlog: Some(backlog), ..HostSample::default() }
        };
        observations.host = (0..240).map(sample).collect();
        observations.flows = vec![upload()];
        let found = offender(&observations, &delays, Heading::Up).unwrap();
        assert_eq!((found.hop, found.last_hop, found.place), (Some(0), None, place), "{found:?}");
        // The queue is at most 100 ms long, and drains and fills.
        let held = step(&found).hops.iter().find(|seen| seen.hop == 0).map(|own| own.added_ms);
        let expected = if part > 0.5 { 83.5..84.5 } else { 0.0..0.05 };
        assert!(held.is_some_and(|held| expected.contains(&held)), "{found:?}");
    }
}

#[test]
fn wifi_is_told_where_it_may_be_the_place() {
    let sample = |secs: u64| HostSample {
        at: Time::from_secs(secs),
        wireless: Some(Wireless {
            sends: Rate::from_bits_per_sec(if secs < 13 { 6_000_000 } else { 65_000_000 }),
            receives: None,
            signal: Some(-71),
        }),
        ..HostSample::default()
    };
    let wireless = |link, heading| {
        let case = Case { link, heading, ..PLAIN };
        let mut rng = Rng::new(1);
        let (mut observations, delays) = (case.observations(&mut rng), case.delays(&mut rng));
        observations.host = (0..24).map(sample).collect();
        step(&offender(&observations, &delays, heading).unwrap()).wireless
    };
    let near = WirelessRate { rate_mbit: 65.0, signal_dbm: Some(-71) };
    assert_eq!(wireless(1, Heading::Up), Some(near));
    // Elsewhere Wi-Fi does not matter, and what the radio does not tell is left out.
    assert_eq!((wireless(2, Heading::Up), wireless(1, Heading::Down)), (None, None));
}

/// A flow that uploads a megabyte a second, noted by a server's clock far from the client's.
fn upload() -> LoadFlow {
    let receipt = |secs: u64| Receipt {
        at: Time::from_secs(1_000 + secs),
        bytes: Bytes(secs * 1_000_000),
        segments: None,
    };
    LoadFlow {
        heading: Heading::Up,
        dscp: 0,
        congestion: "cubic".to_owned(),
        start: Time::from_secs(13),
        stop: Time::from_secs(21),
        received: (0..9).map(receipt).collect(),
        sender: Vec::new(),
    }
}
