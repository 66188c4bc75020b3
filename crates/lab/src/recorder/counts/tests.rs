use qdisc::Ecn;
use results::FlowKind;
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

pub(crate) fn scenario() -> Scenario {
    let no_traces = |_: &str| Err(std::io::ErrorKind::NotFound.into());
    Scenario::parse(SCENARIO, "test", &[], &no_traces).unwrap()
}

/// A number of packets of 1000 bytes each.
pub(crate) struct Piece(pub(crate) u64);

impl Packet for Piece {
    type Store = ();

    fn len(&self) -> Bytes {
        Bytes(1000 * self.0)
    }

    fn packets(&self) -> u64 {
        self.0
    }

    fn ecn(&self) -> Ecn {
        Ecn::NotEct
    }

    fn set_ce(&mut self) {}
}

/// The counts of ten seconds, two of them of warm-up.
pub(crate) fn counts() -> Counts {
    let scenario = scenario();
    let mut counts = Counts::new(&scenario, &Plan::of(&scenario), 2);
    let uplink = |flow| (0, flow);
    // The second link was written in the opposite direction.
    let internet = |flow| (3, flow);
    counts.at(Time::from_secs(1)).offered(uplink(BACKUP), &Piece(100));
    counts.at(Time::from_secs(1)).delivered(0, &Piece(100));
    let warm = Time::from_secs(2);
    counts.at(warm).offered(uplink(BACKUP), &Piece(8));
    counts.offered(uplink(PING), &Piece(1));
    counts.offered(uplink(OTHER), &Piece(1));
    counts.dropped(uplink(BACKUP), &Piece(2), Cause::Congestion);
    counts.dropped(uplink(OTHER), &Piece(1), Cause::Overflow);
    counts.marked(uplink(BACKUP), &Piece(3));
    counts.departed(0, &Piece(6), Span::from_millis(5));
    counts.departed(0, &Piece(1), Span::from_millis(1));
    counts.delivered(0, &Piece(7));
    counts.offered(internet(BACKUP), &Piece(6));
    counts.lost(internet(BACKUP), &Piece(1));
    counts.offered((2, PING), &Piece(1));
    counts.dropped((2, PING), &Piece(1), Cause::Overflow);
    counts.offered((2, BACKUP), &Piece(4));
    counts.dropped((2, BACKUP), &Piece(4), Cause::Overflow);
    counts
}

#[test]
fn each_flow_is_counted_where_its_packets_go() {
    let counts = counts();
    let hop = |offered, dropped, marked| HopCounts { offered, dropped, marked };
    let (uplink, internet) = (DirectionId::new(0, Way::Forward), DirectionId::new(1, Way::Reverse));
    assert_eq!(counts.there(0), [(uplink, hop(8, 2, 3)), (internet, hop(6, 1, 0))]);
    assert_eq!(counts.there(1), [(uplink, hop(1, 0, 0)), (internet, hop(0, 0, 0))]);
}

/// Lost acknowledgements on the way back are not lost data; a lost reply is a lost ping.
#[test]
fn flows_learn_what_only_links_know() {
    let result = |kind: FlowKind| FlowResult { kind, ..FlowResult::default() };
    let backup = counts().charge(0, result(FlowKind::Bulk));
    assert_eq!(
        (backup.sent_packets, backup.lost_packets, backup.marks),
        (Some(8), Some(3), Some(3))
    );
    let ping = counts().charge(1, result(FlowKind::Ping));
    assert_eq!((ping.sent_packets, ping.lost_packets, ping.marks), (Some(1), Some(1), Some(0)));
}

#[test]
fn the_warm_up_is_left_out_of_statistics_but_not_of_counters() {
    let counts = counts();
    assert_eq!(counts.from(), Time::from_secs(2));
    assert_eq!(counts.counters().next().unwrap().delivered_packets, 107);
    let uplink = counts.meters()[0].counted();
    assert_eq!((uplink.delivered_packets, uplink.departed, uplink.marks), (7, 7, 3));
    assert_eq!((uplink.drops.aqm, uplink.drops.full), (2, 1));
    assert_eq!(uplink.waited_nanos, 31_000_000);
}

/// A late loop reports events from before the end of the warm-up after it.
#[test]
fn what_comes_late_does_not_turn_time_back() {
    let mut counts = counts();
    let backlog = |packets| Backlog { packets, bytes: Bytes(packets) };
    counts.waits(0, backlog(10), Time::from_millis(1999));
    counts.waits(0, backlog(0), Time::from_secs(6));
    let now = Time::from_secs(10);
    let uplink = counts.meters()[0].direction(counts.from(), now, None);
    assert_eq!(uplink.backlog_packets.mean, Some(5.0));
}
