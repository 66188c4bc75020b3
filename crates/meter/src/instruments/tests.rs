use std::sync::{Arc, Mutex};

use qdisc::{Backlog, Cause};
use results::{Document, FlowKind, FlowResult};
use scenario::Scenario;
use stats::Histogram;
use tables::FateWriter;
use units::{Bytes, Way};

use super::*;

/// Two links one after the other; a bulk flow and a ping cross both.
const SCENARIO: &str = r#"
    duration = "10s"
    warmup = "2s"
    link = [
        { name = "uplink", from = "home", to = "isp", rate = "8mbit", queue = "codel" },
        { name = "internet", from = "server", to = "isp", queue = "codel" },
    ]
    flow = [
        { name = "backup", from = "home", to = "server", traffic = "bulk" },
        { name = "ping", from = "home", to = "server", traffic = "ping", interval = "1s" },
    ]
"#;

const BACKUP: u32 = 0;
const PING: u32 = 1;
const OTHER: u32 = 2;
const UPLINK: DirectionId = DirectionId::new(0, Way::Forward);
/// The second link was written in the opposite direction.
const INTERNET: DirectionId = DirectionId::new(1, Way::Reverse);

fn scenario() -> Scenario {
    let no_traces = |_: &str| Err(io::ErrorKind::NotFound.into());
    Scenario::parse(SCENARIO, "test", &[], &no_traces).unwrap()
}

fn options() -> InstrumentOptions {
    InstrumentOptions {
        network: Network::of(&scenario()),
        start: Time::ZERO,
        warmup: scenario().warmup,
        fates: None,
        series: None,
        timeline: None,
    }
}

/// A number of packets of 1000 bytes each.
fn tag(flow: u32, packets: u64) -> Tag {
    Tag { flow, packets, bytes: Bytes(1000 * packets), is_marked: false }
}

/// Ticks the instruments of idle links until this time.
fn pass(instruments: &mut Instruments, until: Time) {
    while instruments.due() <= until {
        let now = instruments.due();
        let delivered = 1000 * (now.as_secs_f64() as u64);
        let gauges = |_: usize| Gauges { delivered, ..Gauges::default() };
        instruments.tick(now, || now, &[LinkState::default(); 4], gauges);
        assert!(instruments.due() > now);
    }
}

/// The instruments after ten seconds, two of them of warm-up.
fn counted() -> Instruments {
    let mut instruments = Instruments::new(options()).unwrap();
    let never = || -> Time { panic!("there is no table of fates") };
    instruments.tap(UPLINK).offered(&tag(BACKUP, 100));
    instruments.tap(UPLINK).delivered(&tag(BACKUP, 100));
    pass(&mut instruments, Time::from_secs(2));
    let mut uplink = instruments.tap(UPLINK);
    uplink.offered(&tag(BACKUP, 8));
    uplink.offered(&tag(PING, 1));
    uplink.offered(&tag(OTHER, 1));
    uplink.dropped(&tag(BACKUP, 2), Cause::Congestion, never);
    uplink.dropped(&tag(OTHER, 1), Cause::Overflow, never);
    uplink.marked(&tag(BACKUP, 3), Cause::Congestion);
    uplink.departed(&tag(BACKUP, 6), Span::from_millis(5), Time::from_secs(3));
    uplink.departed(&tag(PING, 1), Span::from_millis(1), Time::from_secs(3));
    uplink.delivered(&tag(BACKUP, 7));
    let mut internet = instruments.tap(INTERNET);
    internet.offered(&tag(BACKUP, 6));
    internet.lost(&tag(BACKUP, 1));
    let mut back = instruments.tap(INTERNET.opposite());
    back.offered(&tag(PING, 1));
    back.dropped(&tag(PING, 1), Cause::Overflow, never);
    back.offered(&tag(BACKUP, 4));
    back.dropped(&tag(BACKUP, 4), Cause::Overflow, never);
    pass(&mut instruments, Time::from_secs(10));
    instruments
}

/// The result document, with flows of these kinds.
fn document(instruments: Instruments) -> Document {
    let delays = Histogram::new();
    let report = |kind| FlowReport {
        result: FlowResult { kind, ..FlowResult::default() },
        delays: &delays,
        delivered: 10_000,
    };
    let run = Run {
        document: Document::new(scenario().to_json()),
        end: Time::from_secs(10),
        queues: vec!["codel".into(); 4],
        flows: [FlowKind::Bulk, FlowKind::Ping].map(report).into(),
    };
    instruments.document(run, |direction, _| (direction == UPLINK).then_some(Bytes(70_000)))
}

#[test]
fn each_flow_is_counted_where_its_packets_go() {
    let instruments = counted();
    let hop = |offered, dropped, marked| crate::HopCounts { offered, dropped, marked };
    let there = [UPLINK, INTERNET];
    assert_eq!(instruments.network.flows[0].paths.there, there);
    assert_eq!(instruments.hop_counts(&there, 0), [hop(8, 2, 3), hop(6, 1, 0)]);
    assert_eq!(instruments.hop_counts(&there, 1), [hop(1, 0, 0), hop(0, 0, 0)]);
}

/// Lost acknowledgements on the way back are not lost data; a lost reply is a lost ping.
#[test]
fn flows_learn_what_only_links_know() {
    let document = document(counted());
    let counts = |flow: &str| {
        let flow = &document.flows[flow];
        [flow.sent_packets, flow.lost_packets, flow.marks]
    };
    assert_eq!(counts("backup"), [8, 3, 3].map(Some));
    assert_eq!(counts("ping"), [1, 1, 0].map(Some));
    let uplink = &document.links["uplink"].forward;
    assert_eq!((uplink.queue.as_str(), uplink.utilisation), ("codel", Some(0.1)));
    assert_eq!((document.cost.bottleneck_packets, document.cost.packets), (107, 107));
}

#[test]
fn the_warm_up_is_left_out_of_statistics_but_not_of_counters() {
    let instruments = counted();
    assert_eq!(instruments.from(), Time::from_secs(2));
    assert_eq!(instruments.counters().next().unwrap().delivered_packets, 107);
    let uplink = instruments.directions[0].meter.counted();
    assert_eq!((uplink.delivered_packets, uplink.departed, uplink.marks), (7, 7, 3));
    assert_eq!((uplink.drops.aqm, uplink.drops.full), (2, 1));
    assert_eq!(uplink.waited_nanos, 31_000_000);
}

/// What waits when the statistics begin goes on waiting.
#[test]
fn statistics_begin_with_the_backlog_that_is_there() {
    let mut instruments = Instruments::new(options()).unwrap();
    let backlog = |packets| Backlog { packets, bytes: Bytes(packets) };
    instruments.tap(UPLINK).waits(backlog(10), Time::from_secs(1));
    pass(&mut instruments, Time::from_secs(6));
    instruments.tap(UPLINK).waits(backlog(0), Time::from_secs(6));
    let document = document(instruments);
    assert_eq!(document.links["uplink"].forward.backlog_packets.mean, Some(5.0));
}

/// Everything that is recorded besides, in steps of one second and rows of two.
#[test]
fn a_run_is_recorded_as_it_was() {
    let (step, row) = (Span::from_secs(1), Span::from_secs(2));
    let fates = Arc::new(Mutex::new(FateWriter::new(Vec::new()).unwrap()));
    let series = Arc::default();
    let mut instruments = Instruments::new(InstrumentOptions {
        fates: Some(Box::new(fates.clone())),
        series: Some(SeriesOptions::to_memory(&series, row)),
        timeline: Some(TimelineOptions::of(&scenario(), step)),
        ..options()
    })
    .unwrap();
    assert_eq!(instruments.name_flow("other".into()), OTHER);
    pass(&mut instruments, Time::from_millis(4500));
    let mut uplink = instruments.tap(UPLINK);
    uplink.dropped(&tag(OTHER, 1), Cause::Overflow, || Time::from_secs(4));
    uplink.departed(&tag(PING, 1), Span::from_millis(500), Time::from_millis(4500));
    uplink.delivered(&tag(PING, 1));
    instruments.flow(0).unwrap().window(7);
    pass(&mut instruments, Time::from_secs(10));

    instruments.finish_tables().unwrap();
    let fates = Arc::into_inner(fates).unwrap().into_inner().unwrap().finish().unwrap();
    let fates = String::from_utf8(fates).unwrap();
    let fates: Vec<&str> = fates.lines().skip(1).collect();
    assert_eq!(
        fates,
        [
            "0,uplink,forward,other,1000,4.000000000,,,dropped_full",
            "1,uplink,forward,ping,1000,4.000000000,4.500000000,500.000000,delivered",
        ]
    );
    let rows = [2, 4, 6, 8, 10].map(Time::from_secs);
    assert!(series.lock().unwrap().rows().map(|(time, _)| time).eq(rows));
    let document = document(instruments);
    let timeline = document.timeline.unwrap();
    let sums: Vec<u64> = (0..10).map(|step| 1000 * u64::from(step == 4)).collect();
    assert_eq!(timeline.links["uplink"].forward.delivered_bytes, sums);
    assert_eq!(timeline.links["uplink"].forward.sojourn_ms.high[4], Some(500.0));
    assert_eq!(timeline.flows["backup"].cwnd_segments.high[3..6], [None, Some(7.0), Some(7.0)]);
    assert_eq!(timeline.flows["backup"].delivered_bytes, [1000; 10]);
    assert_eq!(document.distributions.unwrap().links["uplink"].forward.last(), Some(&500.0));
}
