use results::{DirectionResult, Drops, FlowKind, FlowResult};
use stats::Histogram;
use units::Span;

use super::*;
use crate::Options;
use crate::recorder::tests::{recording, scenario};

fn outcome(kind: FlowKind, goodput: f64) -> FlowOutcome {
    let mut delays = Histogram::new();
    delays.record(20_000_000);
    let result = FlowResult {
        kind,
        goodput_mbit: Some(goodput),
        timeouts: Some(4),
        ..FlowResult::default()
    };
    FlowOutcome { result, delays }
}

fn outcomes() -> Vec<FlowOutcome> {
    vec![outcome(FlowKind::Bulk, 7.5), outcome(FlowKind::Ping, 0.1)]
}

/// The document of the recorded flows, ended at this time of ten seconds.
fn document_at(seconds: u64, options: &mut Options<'_>, flows: &[FlowOutcome]) -> Document {
    let (scenario, end) = (scenario(), Time::from_secs(seconds));
    let capacity = |direction: DirectionId, from: Time| {
        scenario.direction(direction).wire().capacity.between(from, end)
    };
    results(&scenario, recording(options, flows.len(), end), flows, capacity)
}

/// The rate, rounded.
fn mbit(direction: &DirectionResult) -> String {
    format!("{:.3}", direction.rate_mbit.unwrap())
}

/// Names, order and meaning are those of a simulated run.
#[test]
fn a_document_says_what_a_simulated_one_says() {
    let document = document_at(10, &mut Options::default(), &outcomes());
    assert_eq!((document.clock, document.interrupted_s), (Some(ClockKind::Real), None));
    let uplink = &document.links["uplink"].forward;
    assert!(uplink.queue.starts_with("codel limit"), "{}", uplink.queue);
    assert_eq!((uplink.delivered_packets, mbit(uplink)), (7, "0.007".into()));
    // 7 kB of the 8 MB that the wire carries in 8 s.
    assert_eq!(uplink.utilisation, Some(7.0 / 8000.0));
    assert_eq!(uplink.drops, Drops { full: 1, aqm: 2, loss: 0, ..Drops::default() });
    assert_eq!((uplink.sojourn_ms.max, uplink.jain_goodput), (Some(5.0), Some(1.0)));
    assert_eq!(document.links["internet"].reverse.utilisation, None);
    let flows: Vec<_> = document.flows.iter().map(|(name, flow)| (&**name, flow.kind)).collect();
    assert_eq!(flows, [("backup", FlowKind::Bulk), ("ping", FlowKind::Ping)]);
    let backup = &document.flows["backup"];
    assert_eq!((backup.lost_packets, backup.timeouts), (Some(3), Some(4)));
    assert_eq!((document.cost.bottleneck_packets, document.cost.packets), (107, 107));
}

#[test]
fn distributions_come_with_a_timeline() {
    let plain = document_at(10, &mut Options::default(), &outcomes());
    assert!(plain.distributions.is_none() && plain.timeline.is_none());
    let mut options = Options { timeline: Some(Span::from_secs(1)), ..Options::default() };
    let distributions = document_at(10, &mut options, &outcomes()).distributions.unwrap();
    assert_eq!(distributions.links["uplink"].forward.last(), Some(&5.0));
    assert_eq!(distributions.flows["backup"].first(), Some(&20.0));
}

#[test]
fn a_run_that_is_cut_short_says_when() {
    let document = document_at(6, &mut Options::default(), &outcomes());
    assert_eq!(document.interrupted_s, Some(6.0));
    assert_eq!(mbit(&document.links["uplink"].forward), "0.014");
}

/// The scenario's flows are not run: a command runs instead.
#[test]
fn a_command_has_links_and_no_flows() {
    let document = document_at(10, &mut Options::default(), &[]);
    assert_eq!((document.links.len(), document.flows.len()), (2, 0));
}
