//! Statements of a test that were once false, and today's: docs/diagnosis.md has a row for each.
//!
//! Paths are simulated and judged by the sentences that people read.

use observation::{Heading, Load};
use observed::{Bottleneck, Measured, Neighbour, Path};
use report::{measurement_advice, measurement_verdict};
use results::{Claim, FindingKind, LoadedDirection, Measurement, QueueKind, Remark};
use units::Rate;

/// A link with this rate in Mbit/s behind this queue, whose longest wait is `longest` seconds.
fn way(mbit: f64, queue: &str, longest: f64) -> Bottleneck {
    let (rate, queue, more) = (format!("\"{mbit}mbit\""), queue.to_owned(), String::new());
    Bottleneck { rate, mbit, queue, more, longest }
}

/// A policer of this rate: excess packets cannot wait.
fn policer(mbit: f64) -> Bottleneck {
    let more = "shaper = true\nburst = \"30kB\"".to_owned();
    Bottleneck { more, ..way(mbit, "pfifo limit 1p", 0.05) }
}

/// A path with a round trip of 20 ms.
fn path(up: Bottleneck, down: Bottleneck) -> Path {
    Path { up, down, round_trip: 0.02, ..Path::new(1) }
}

/// A neighbour that uses the path in these parts of the test.
fn neighbour(heading: Heading, mbit: Option<f64>, during: [f64; 2]) -> Neighbour {
    Neighbour { heading, mbit, flows: 2 - u32::from(mbit.is_some()), during }
}

/// All statements about a path.
struct Said {
    found: Measurement,
    verdict: Vec<Remark>,
    advice: Vec<Remark>,
}

/// The statements about a path. On all these paths both ends have the same clock.
fn said(path: &Path) -> Said {
    said_of(&path.measure())
}

fn said_of(measured: &Measured) -> Said {
    let found = diagnose::diagnose(&measured.observations);
    let (verdict, advice) = (measurement_verdict(&found), measurement_advice(&found));
    let said = Said { found, verdict, advice };
    assert!(!said.limits(Claim::ClockStepped), "{:?}", said.found.limits);
    said
}

impl Said {
    fn of(&self, heading: Heading) -> &LoadedDirection {
        let Measurement { upload, download, .. } = &self.found;
        let direction = if heading == Heading::Up { upload } else { download };
        direction.as_ref().expect("it was loaded")
    }

    /// The kind, where the confidence is high enough to state it.
    fn kind(&self, heading: Heading) -> Option<QueueKind> {
        let queue = self.of(heading).queue.filter(|queue| queue.confidence >= 0.7);
        queue.map(|queue| queue.kind).filter(|kind| *kind != QueueKind::Unknown)
    }

    fn finds(&self, heading: Heading, kind: FindingKind) -> bool {
        let findings = &self.of(heading).findings;
        findings.iter().any(|one| one.kind == kind && one.confidence >= 0.7)
    }

    fn says(&self, claims: &[Claim]) -> bool {
        self.verdict.iter().chain(&self.advice).any(|remark| claims.contains(&remark.name))
    }

    fn limits(&self, claim: Claim) -> bool {
        self.found.limits.iter().any(|limit| limit.claim() == claim)
    }

    /// True if nothing is stated about the queue of a direction that something else limited.
    fn is_silent_of_queue(&self, heading: Heading) -> bool {
        let direction = self.of(heading);
        let is_told = |remark: &Remark| {
            let about = [Claim::Kind, Claim::Policer, Claim::AddedDelay, Claim::Buffer];
            remark.heading == Some(heading) && about.contains(&remark.name)
        };
        self.kind(heading).is_none()
            && direction.grade.is_none()
            && direction.buffer.is_none()
            && !self.verdict.iter().any(is_told)
            && self.advice.is_empty()
            && !self.says(&PRAISE)
    }
}

impl std::fmt::Debug for Said {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for heading in [Heading::Up, Heading::Down] {
            let LoadedDirection { queue, findings, buffer, saturated, .. } = self.of(heading);
            writeln!(f, "{heading:?}: {queue:?} {findings:?} {buffer:?} filled {saturated}")?;
        }
        self.found.limits.iter().try_for_each(|limit| writeln!(f, "{limit:?}"))?;
        let mut all = self.verdict.iter().chain(&self.advice);
        all.try_for_each(|remark| writeln!(f, "{:?}: {}", remark.name, remark.text))
    }
}

const PRAISE: [Claim; 2] = [Claim::Cured, Claim::Healthy];

#[test]
fn statement_01_a_policer_is_named_only_where_nothing_waits() {
    let line = || path(way(10.0, "bfifo limit 128KiB", 0.105), way(40.0, "pfifo limit 200", 0.06));
    let neighbours = vec![neighbour(Heading::Down, None, [0.0, 1.0])];
    let shared = said(&Path { neighbours, ..line() });
    let reno = said(&Path { congestion: ["cubic", "reno"], ..line() });
    for said in [&shared, &reno] {
        assert_ne!(said.kind(Heading::Down), Some(QueueKind::Policer), "{said:?}");
        assert!(!said.says(&[Claim::Policer, Claim::ShapeToContract]), "{said:?}");
        assert!(said.says(&[Claim::AddedDelay]), "{said:?}");
    }
    assert_eq!(reno.kind(Heading::Down), Some(QueueKind::PacketFifo), "{reno:?}");
}

#[test]
fn statement_02_two_policers_are_not_called_cured() {
    let said = said(&path(policer(10.0), policer(20.0)));
    assert_eq!(said.kind(Heading::Up), Some(QueueKind::Policer), "{said:?}");
    assert_eq!(said.kind(Heading::Down), Some(QueueKind::Policer), "{said:?}");
    assert!(!said.says(&PRAISE), "{said:?}");
}

#[test]
fn statement_03_what_lets_udp_pass_is_not_called_fair() {
    let line = path(way(10.0, "bfifo limit 128KiB", 0.105), way(20.0, "bfifo limit 128KiB", 0.053));
    let said = said(&Path { favours_probes: true, ..line });
    for heading in [Heading::Up, Heading::Down] {
        assert!(said.finds(heading, FindingKind::ProbesFavoured), "{said:?}");
        assert_eq!((said.kind(heading), said.of(heading).grade), (None, None), "{said:?}");
    }
    assert!(!said.says(&PRAISE) && !said.says(&[Claim::Lag, Claim::Page]), "{said:?}");
}

#[test]
fn statement_04_a_neighbour_is_named_and_leaves_bounds() {
    let line =
        || path(way(10.0, "bfifo limit 126800B", 0.101), way(20.0, "bfifo limit 128KiB", 0.053));
    for (mbit, during) in [(Some(5.0), [0.0, 1.0]), (None, [0.0, 1.0]), (None, [0.45, 0.6])] {
        let neighbours = vec![neighbour(Heading::Up, mbit, during)];
        let said = said(&Path { neighbours, ..line() });
        let kind = said.kind(Heading::Up);
        assert!(!matches!(kind, Some(QueueKind::VariableRate | QueueKind::Policer)), "{said:?}");
        let up = said.of(Heading::Up);
        let is_bound = up.buffer.is_none_or(|buffer| buffer.at_least);
        assert!(up.saturated && !said.limits(Claim::NotFilled), "{said:?}");
        let shapes = |one: &Remark| one.name == Claim::Shape && one.heading == Some(Heading::Up);
        if during == [0.0, 1.0] {
            assert!(said.finds(Heading::Up, FindingKind::OtherTraffic), "{said:?}");
            assert!(is_bound && said.says(&[Claim::PauseOthers]), "{said:?}");
        } else {
            // A neighbour that came and went leaves no size, or a bound.
            assert!(has_size(&said, Heading::Up, (126.8e3, None)), "{said:?}");
        }
        assert!(!said.advice.iter().any(shapes), "{said:?}");
    }
}

#[test]
fn statement_05_a_machine_that_is_the_limit_has_no_queue() {
    let wide = || path(way(40.0, "pfifo limit 1000", 0.05), way(40.0, "pfifo limit 1000", 0.05));
    let cured = || path(way(10.0, "fq_codel", 0.3), way(20.0, "fq_codel", 0.3));
    // One machine is late at all times, and one has a processor that cannot send faster.
    let late = Path { starved: Some(0.1), ..cured() }.measure();
    let mut slow = Path { most: Some(10.0), ..wide() }.measure();
    for sample in &mut slow.observations.host {
        (sample.busiest, sample.own) = (Some(1.0), Some(0.6));
    }
    for measured in [late, slow] {
        let said = said_of(&measured);
        for heading in [Heading::Up, Heading::Down] {
            assert!(said.finds(heading, FindingKind::MachineLimits), "{said:?}");
            assert!(said.is_silent_of_queue(heading), "{said:?}");
        }
        assert!(said.says(&[Claim::MachineLimit]) && said.found.grade.is_none(), "{said:?}");
    }
}

#[test]
fn statement_06_the_bound_of_a_server_is_no_bufferbloat() {
    let wide = path(way(40.0, "pfifo limit 1000", 0.05), way(40.0, "pfifo limit 1000", 0.05));
    let mut measured = Path { most: Some(10.0), ..wide }.measure();
    measured.observations.server_rate = Some(Rate::from_mbit(10));
    let said = said_of(&measured);
    for heading in [Heading::Up, Heading::Down] {
        assert!(said.finds(heading, FindingKind::ServerRate), "{said:?}");
        assert!(said.is_silent_of_queue(heading), "{said:?}");
    }
}

#[test]
fn statement_07_a_short_fifo_and_a_wire_that_loses_are_no_aqm() {
    let short = path(way(10.0, "pfifo limit 5", 0.006), way(20.0, "pfifo limit 5", 0.003));
    let mut lossy = way(40.0, "pfifo limit 200", 0.06);
    lossy.more = "loss = 0.02".into();
    let lossy = path(way(10.0, "bfifo limit 128KiB", 0.105), lossy);
    for path in [short, lossy] {
        let said = said(&path);
        for heading in [Heading::Up, Heading::Down] {
            let kind = said.kind(heading);
            assert!(!matches!(kind, Some(QueueKind::Aqm | QueueKind::FairQueueing)), "{said:?}");
        }
        assert!(!said.says(&[Claim::Cured]), "{said:?}");
    }
}

#[test]
fn statement_08_lumps_are_no_rate_that_varies() {
    for mbit in [1.0, 4.0] {
        let queue = || way(mbit, "bfifo limit 128KiB", 1.05 / mbit);
        let said = said(&Path { offload: true, ..path(queue(), queue()) });
        for heading in [Heading::Up, Heading::Down] {
            assert_ne!(said.kind(heading), Some(QueueKind::VariableRate), "{said:?}");
            assert!(!said.finds(heading, FindingKind::RateChanged), "{said:?}");
        }
    }
}

/// True if the size is within 2 % or a packet in bytes, or 10 % or three packets in packets. A
/// lower bound must not be larger.
fn has_size(said: &Said, heading: Heading, (bytes, packets): (f64, Option<f64>)) -> bool {
    let Some(buffer) = said.of(heading).buffer else { return true };
    let (found, truth, slack) = match (buffer.packets, packets) {
        (Some(found), Some(truth)) => (found, truth, (0.1 * truth).max(3.0)),
        _ => (buffer.bytes.unwrap_or(0.0), bytes, (0.02 * bytes).max(1500.0)),
    };
    found < truth + slack && (buffer.at_least || found > truth - slack)
}

#[test]
fn statement_09_sizes_are_those_of_the_queue_or_bounds() {
    let packets = path(way(10.0, "pfifo limit 200", 0.24), way(20.0, "pfifo limit 200", 0.12));
    let said_of_packets = said(&packets);
    for heading in [Heading::Up, Heading::Down] {
        let truth = (300e3, Some(200.0));
        assert!(has_size(&said_of_packets, heading, truth), "{said_of_packets:?}");
        assert_ne!(said_of_packets.kind(heading), Some(QueueKind::ByteFifo), "{said_of_packets:?}");
    }
}

#[test]
fn statement_09_a_queue_that_takes_longer_to_fill_than_the_test_lasts_has_a_bound() {
    let down = way(40.0, "bfifo limit 256KiB", 0.052);
    // The queue holds twelve seconds of packets; the test ends long before it is full.
    let said = said(&path(way(1.0, "pfifo limit 1000", 1.0), down));
    let up = said.of(Heading::Up);
    assert_ne!(said.kind(Heading::Up), Some(QueueKind::ByteFifo), "{said:?}");
    assert!(up.buffer.is_none_or(|buffer| buffer.at_least), "{said:?}");
    assert!(has_size(&said, Heading::Up, (1.5e6, Some(1000.0))), "{said:?}");
}

#[test]
fn statement_09_two_queues_in_series_are_not_added_into_one() {
    for faster in [1.05, 1.2, 2.0] {
        let line =
            path(way(10.0, "bfifo limit 128KiB", 0.105), way(20.0, "bfifo limit 256KiB", 0.105));
        let second = |mbit: f64, queue| way(faster * mbit, queue, 0.105 / faster);
        let beyond = [second(10.0, "bfifo limit 128KiB"), second(20.0, "bfifo limit 256KiB")];
        let said = said(&Path { beyond: Some(beyond), ..line });
        assert!(has_size(&said, Heading::Up, (131_072.0, None)), "{faster} {said:?}");
        assert!(has_size(&said, Heading::Down, (262_144.0, None)), "{faster} {said:?}");
    }
}

/// One flow's full window moves packets from one queue into the other, without a step of a clock.
#[test]
fn statement_10_clocks_that_are_one_do_not_jump() {
    let fast = || way(40.0, "pfifo limit 200", 0.06);
    for heading in [Heading::Up, Heading::Down] {
        let neighbours = vec![neighbour(heading, None, [0.0, 1.0])];
        for noise in [0.05e-3, 1e-3] {
            // That no step is stated is asserted for each path.
            said(&Path { neighbours: neighbours.clone(), noise, ..path(fast(), fast()) });
        }
    }
}

#[test]
fn statement_11_a_queue_of_many_seconds_is_a_queue() {
    let up = way(0.5, "bfifo limit 475kB", 7.6);
    let said = said(&path(up, way(8.0, "bfifo limit 128KiB", 0.131)));
    assert!(!said.limits(Claim::Lost) && !said.limits(Claim::Interrupted), "{said:?}");
    let p95 = said.of(Heading::Up).added_delay_ms.p95.unwrap_or(0.0);
    assert!((7e3..7.7e3).contains(&p95), "{p95} ms\n{said:?}");
    assert!(has_size(&said, Heading::Up, (475e3, None)), "{said:?}");
    assert_eq!(said.found.grade, Some(results::Grade::F), "{said:?}");
}

/// The test of Flent, whose only load is both directions at once.
#[test]
fn statement_13_a_direction_that_was_not_filled_has_no_second_story() {
    let mut measured =
        path(way(1.0, "bfifo limit 128KiB", 1.05), way(40.0, "bfifo limit 256KiB", 0.052))
            .measure();
    measured.observations.stages.retain(|stage| matches!(stage.load, Load::Idle | Load::Both));
    let found = diagnose::diagnose(&measured.observations);
    let verdict = measurement_verdict(&found);
    for (heading, direction) in found.judged() {
        let told = |claims: &[Claim]| {
            let mut about = verdict.iter().filter(|remark| remark.heading == Some(heading));
            about.any(|remark| claims.contains(&remark.name))
        };
        let size = told(&[Claim::Buffer, Claim::BufferAtLeast, Claim::FullBuffer]);
        let unfilled = told(&[Claim::NotFilled]);
        assert!(!(size && unfilled), "{verdict:#?}");
        assert!(direction.saturated || !told(&[Claim::Kind, Claim::Buffer]), "{verdict:#?}");
    }
}

#[test]
fn statement_14_where_udp_does_not_pass_tcp_tells_the_delay() {
    // 120 ms each way, loaded long enough that handshakes suffice for percentiles.
    let line = path(way(20.0, "bfifo limit 300kB", 0.12), way(20.0, "bfifo limit 300kB", 0.12));
    let mut measured = line.measure();
    for probe in measured.observations.probes.iter_mut().flat_map(|stream| &mut stream.probes) {
        (probe.reached, probe.answered, probe.returned) = (None, None, None);
    }
    let said = said_of(&measured);
    assert!(said.limits(Claim::UdpBlocked) && !said.says(&[Claim::NoDelay]), "{said:?}");
    for heading in [Heading::Up, Heading::Down] {
        let p50 = said.of(heading).added_delay_ms.p50.unwrap_or(0.0);
        assert!((0.8 * 120.0..1.05 * 120.0).contains(&p50), "{p50} ms\n{said:?}");
        assert_eq!(said.of(heading).grade, Some(results::Grade::C), "{said:?}");
    }
}
