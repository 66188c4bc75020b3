//! Findings about other things than a queue are made, and are not taken for the queue.

use observation::Heading;
use observed::{Bottleneck, Neighbour, Path};
use results::{FindingKind, LoadedDirection, QueueKind};
use units::Span;

/// A path of 10 Mbit/s up and 20 Mbit/s down over 20 ms, behind queues of this kind.
fn path(queue: &str, seconds: f64) -> Path {
    let way = |mbit: f64| Bottleneck {
        rate: format!("\"{mbit}mbit\""),
        mbit,
        queue: queue.into(),
        more: String::new(),
        longest: seconds,
    };
    Path { up: way(10.0), down: way(20.0), round_trip: 0.02, ..Path::new(1) }
}

/// The findings about the upload.
fn upload(path: &Path) -> LoadedDirection {
    diagnose::diagnose(&path.measure().observations).upload.expect("it was loaded")
}

/// The kind that is stated with enough confidence.
fn said(found: &LoadedDirection) -> Option<QueueKind> {
    found.queue.filter(|queue| queue.confidence >= 0.7).map(|queue| queue.kind)
}

fn has(found: &LoadedDirection, kind: FindingKind) -> bool {
    found.findings.iter().any(|one| one.kind == kind && one.confidence >= 0.7)
}

#[test]
fn probes_that_pass_the_queue_are_no_fair_queueing() {
    let found = upload(&Path { favours_probes: true, ..path("bfifo limit 128KiB", 0.1) });
    assert!(has(&found, FindingKind::ProbesFavoured), "{:?}", found.findings);
    assert_eq!(said(&found), None);
    let fair = upload(&path("fq_codel", 0.1));
    assert!(!has(&fair, FindingKind::ProbesFavoured), "{:?}", fair.findings);
    assert_eq!(said(&fair), Some(QueueKind::FairQueueing));
}

#[test]
fn a_neighbour_is_no_policer_and_leaves_a_bound_only() {
    for mbit in [None, Some(5.0)] {
        let neighbour = Neighbour {
            heading: Heading::Up,
            mbit,
            flows: 2 - u32::from(mbit.is_some()),
            during: [0.0, 1.0],
        };
        let found = upload(&Path { neighbours: vec![neighbour], ..path("pfifo limit 100", 0.12) });
        let others = found.findings.iter().find(|one| one.kind == FindingKind::OtherTraffic);
        let others = others.unwrap_or_else(|| panic!("{mbit:?}: {:?}", found.findings));
        // A neighbour that fills a queue before the load is seen at once, and one that never does,
        // in the pauses. The amount is a lower bound.
        let is_bound = |found: f64, sent: f64| (0.3 * sent..=1.02 * sent).contains(&found);
        let is_known = others.amount.zip(mbit).is_none_or(|(found, sent)| is_bound(found, sent));
        assert!(others.confidence > 0.9 && is_known, "{mbit:?}: {others:?}");
        assert_eq!(others.amount.is_some(), mbit.is_some(), "{others:?}");
        assert!(!matches!(said(&found), Some(QueueKind::Policer | QueueKind::VariableRate)));
        assert!(found.buffer.is_none_or(|buffer| buffer.at_least), "{:?}", found.buffer);
    }
    assert!(!has(&upload(&path("pfifo limit 100", 0.12)), FindingKind::OtherTraffic));
}

#[test]
fn a_line_that_is_fast_at_first_only_has_a_rate_that_is_not_known() {
    // Twice as fast while it is the only load, as with a provider's boost.
    let mut boosted = path("pfifo limit 100", 0.12);
    boosted.up.rate = r#"[["0s", "20mbit"], ["46s", "10mbit"]]"#.into();
    let found = upload(&boosted);
    assert!(has(&found, FindingKind::RateChanged), "{:?} {:?}", found.findings, found.window_s);
    let steady = upload(&path("pfifo limit 100", 0.12));
    assert!(!has(&steady, FindingKind::RateChanged), "{:?}", steady.findings);
}

#[test]
fn a_wire_that_loses_is_no_managed_queue() {
    let mut lossy = path("pfifo limit 100", 0.12);
    lossy.up.more = "loss = 0.02".into();
    let found = upload(&lossy);
    assert!(has(&found, FindingKind::RandomLoss), "{:?}", found.findings);
    assert!(
        !matches!(said(&found), Some(QueueKind::Aqm | QueueKind::Policer)),
        "{:?}",
        found.queue
    );
}

#[test]
fn five_packets_are_no_managed_queue() {
    let kind = said(&upload(&path("pfifo limit 5", 0.006)));
    assert!(!matches!(kind, Some(QueueKind::Aqm | QueueKind::Policer)), "{kind:?}");
}

#[test]
fn a_machine_that_starves_is_told_as_the_limit() {
    let found = upload(&Path { starved: Some(0.1), ..path("fq_codel", 0.1) });
    assert!(has(&found, FindingKind::MachineLimits), "{:?}", found.findings);
    assert!(said(&found).is_none() && !found.saturated, "{:?}", found.queue);
}

#[test]
fn an_end_that_holds_the_load_back_is_the_limit_if_nothing_waits() {
    let limited = |path: Path, part: f64| {
        let mut seen = path.measure().observations;
        for sample in seen.flows.iter_mut().flat_map(|flow| &mut flow.sender) {
            sample.receiver_limited = Span::from_secs_f64(part * sample.busy.as_secs_f64());
        }
        diagnose::diagnose(&seen).upload.expect("it was loaded")
    };
    let full = || path("pfifo limit 100", 0.12);
    let half = || Path { most: Some(5.0), ..full() };
    let held = limited(half(), 0.5);
    assert!(has(&held, FindingKind::EndLimits), "{:?}", held.findings);
    assert_eq!(held.queue.map(|queue| queue.kind), Some(QueueKind::Unknown));
    assert!(!held.saturated && held.buffer.is_none(), "{held:?}");
    // Many a load is held back by an end this little; where packets wait in the path, the path is
    // the limit.
    for found in [limited(half(), 0.1), limited(full(), 0.5)] {
        assert!(!has(&found, FindingKind::EndLimits), "{:?}", found.findings);
        assert_ne!(found.queue.map(|queue| queue.kind), Some(QueueKind::Unknown));
    }
}
