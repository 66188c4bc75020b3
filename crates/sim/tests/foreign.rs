//! Queues of the caller.

mod support;

use std::collections::VecDeque;

use qdisc::aqm::{Aqm, Arrival, Departure, Verdict};
use qdisc::disciplines::codel::{CoDel, CoDelParameters, CoDelState};
use qdisc::{Cause, Limit};
use scenario::Scenario;
use sim::{
    Action, Choice, Error, ForeignAqm, ForeignDiscipline, ForeignKind, ForeignQueue, Options,
    QueuedPacket,
};
use support::{direction, parse};
use units::{DirectionId, Rate, Time, Way};

const UPLOAD: &str = r#"
    duration = "20s"
    [[link]]
    name = "uplink"
    from = "home"
    to = "isp"
    rate = "4mbit"
    delay = "10ms"
    queue = "codel"
    [[flow]]
    name = "upload"
    from = "home"
    to = "isp"
    traffic = "bulk"
    count = 3
"#;

const FORWARD: DirectionId = DirectionId::new(0, Way::Forward);

/// Our CoDel as an algorithm of a caller.
struct Ours(CoDel, CoDelState);

impl ForeignAqm for Ours {
    fn on_dequeue(&mut self, departure: &Departure) -> Verdict {
        self.0.on_dequeue(&mut self.1, departure)
    }
}

fn queue(aqm: impl ForeignAqm + Send + 'static) -> ForeignQueue {
    let kind = ForeignKind::Aqm { limit: Limit::packets(1000), aqm: Box::new(aqm) };
    ForeignQueue { direction: FORWARD, name: "Mine".into(), kind }
}

fn run(scenario: &Scenario, foreign: ForeignQueue) -> Result<results::Document, Error> {
    sim::run(scenario, Options { foreign: vec![foreign], ..Options::default() })
}

/// CoDel in place of a queue that never drops has CoDel's results.
#[test]
fn a_foreign_queue_takes_the_place_of_the_scenarios() {
    let scenario = parse(&UPLOAD.replace("codel", "pfifo"));
    let mut parameters = CoDelParameters::default();
    parameters.mtu = scenario.direction(FORWARD).link_info().mtu;
    let codel = Ours(CoDel::new(parameters), CoDelState::default());
    let mut foreign = run(&scenario, queue(codel)).expect("nothing is written");
    let listed = sim::run(&parse(UPLOAD), Options::default()).expect("nothing is written");
    assert_eq!(direction(&foreign, "uplink").queue, "Mine");
    assert!(direction(&foreign, "uplink").drops.aqm > 10);
    foreign.links["uplink"].forward.queue = direction(&listed, "uplink").queue.clone();
    assert_eq!(direction(&foreign, "uplink"), direction(&listed, "uplink"));
    assert_eq!(foreign.flows, listed.flows);
    assert_eq!(foreign.cost, listed.cost);
}

/// An algorithm that drops each tenth packet on its arrival.
struct EachTenth(u32);

impl ForeignAqm for EachTenth {
    fn on_enqueue(&mut self, _arrival: &Arrival) -> Verdict {
        self.0 += 1;
        if self.0.is_multiple_of(10) { Verdict::Drop } else { Verdict::Pass }
    }
}

#[test]
fn arrivals_are_judged_and_the_limit_holds() {
    let flood =
        UPLOAD.replace("traffic = \"bulk\"", "traffic = \"cbr\"\nrate = \"4mbit\"\npacket = 972");
    let document = run(&parse(&flood), queue(EachTenth(0))).expect("nothing is written");
    let uplink = direction(&document, "uplink");
    let judged = uplink.drops.aqm as f64;
    let offered = uplink.delivered_packets as f64 + uplink.drops.full as f64 + judged;
    assert!((judged / offered - 0.1).abs() < 0.01, "{judged} of {offered}");
    // Three times 4 Mbit/s enter a link of 4 Mbit/s.
    assert!(uplink.drops.full > uplink.delivered_packets, "{:?}", uplink.drops);
}

/// A FIFO of a caller that drops arrivals beyond a number of packets, and shapes to 2 Mbit/s if asked.
struct TailDrop {
    waiting: VecDeque<QueuedPacket>,
    limit: usize,
    shapes: bool,
    free: Time,
}

impl TailDrop {
    fn new(limit: usize) -> Self {
        Self { waiting: VecDeque::new(), limit, shapes: false, free: Time::ZERO }
    }
}

impl ForeignDiscipline for TailDrop {
    fn enqueue(&mut self, packet: QueuedPacket, _now: Time, actions: &mut Vec<Action>) {
        if self.waiting.len() < self.limit {
            self.waiting.push_back(packet);
        } else {
            actions.push(Action::Drop(packet.number, Cause::Overflow));
        }
    }

    fn dequeue(&mut self, now: Time, _actions: &mut Vec<Action>) -> Choice {
        if self.shapes && now < self.free {
            return Choice::NotBefore(self.free);
        }
        let Some(packet) = self.waiting.pop_front() else { return Choice::Nothing };
        self.free = now + packet.len / Rate::from_mbit(2);
        Choice::Packet(packet.number)
    }
}

fn scheduled(discipline: impl ForeignDiscipline + Send + 'static) -> ForeignQueue {
    let kind = ForeignKind::Discipline(Box::new(discipline));
    ForeignQueue { direction: FORWARD, name: "Mine".into(), kind }
}

/// Tail drop in place of a queue that is CoDel has the results of `pfifo`.
#[test]
fn a_foreign_discipline_takes_the_place_of_the_scenarios() {
    let listed = parse(&UPLOAD.replace("codel", "pfifo limit 30"));
    let listed = sim::run(&listed, Options::default()).expect("nothing is written");
    let foreign = run(&parse(UPLOAD), scheduled(TailDrop::new(30))).expect("nothing is written");
    assert!(direction(&foreign, "uplink").drops.full > 10);
    let named = |document: &results::Document| {
        let mut direction = direction(document, "uplink").clone();
        direction.queue = "pfifo".into();
        // Only the caller knows how long others would wait.
        direction.others_wait_ms = results::DelaySpread::default();
        (direction.grade, direction.grade_reason) = (None, Some(results::Ungraded::NotMeasured));
        direction
    };
    assert_eq!(direction(&foreign, "uplink").grade, None);
    assert_eq!(named(&foreign), named(&listed));
    assert_eq!(foreign.flows, listed.flows);
    assert_eq!(foreign.cost, listed.cost);
}

/// A link that is filled for less than a second has no grade with any queue. The waits in a foreign
/// discipline are not known then, either.
#[test]
fn waits_in_a_foreign_discipline_are_unknown_without_a_grade() {
    let late = UPLOAD.replace("20s", "20400ms").replace("count = 3", "start = \"19800ms\"");
    let brief = parse(&late);
    let listed = sim::run(&brief, Options::default()).expect("nothing is written");
    let foreign = run(&brief, scheduled(TailDrop::new(1000))).expect("nothing is written");
    let (listed, foreign) = (direction(&listed, "uplink"), direction(&foreign, "uplink"));
    assert!(listed.filled_s > Some(0.1) && listed.others_wait_ms.max.is_some());
    assert_eq!((listed.grade, listed.grade_reason), (None, Some(results::Ungraded::NotFilled)));
    assert_eq!(foreign.filled_s, listed.filled_s);
    assert_eq!(foreign.others_wait_ms, results::DelaySpread::default());
    assert_eq!(foreign.grade_reason, listed.grade_reason);
}

#[test]
fn a_foreign_discipline_can_hold_packets_back() {
    let shaper = TailDrop { shapes: true, ..TailDrop::new(30) };
    let document = run(&parse(UPLOAD), scheduled(shaper)).expect("nothing is written");
    let uplink = direction(&document, "uplink");
    let mbit = uplink.delivered_bytes as f64 * 8e-6 / 20.0;
    assert!((1.9..=2.001).contains(&mbit), "{mbit}");
}

/// A FIFO that also acts on packets: it drops each fifth packet of those that wait, and marks the
/// others.
#[derive(Default)]
struct Acts(VecDeque<QueuedPacket>);

impl ForeignDiscipline for Acts {
    fn enqueue(&mut self, packet: QueuedPacket, _now: Time, _actions: &mut Vec<Action>) {
        self.0.push_back(packet);
    }

    fn dequeue(&mut self, _now: Time, actions: &mut Vec<Action>) -> Choice {
        while let Some(packet) = self.0.pop_front() {
            // What is no longer there, is not there to be acted on.
            actions.push(Action::Drop(packet.number + 1_000_000, Cause::Congestion));
            // The first packet asks for ECN, and a repeated one does not.
            if packet.number % 5 != 4 {
                actions.push(Action::Mark(packet.number));
                return Choice::Packet(packet.number);
            }
            actions.push(Action::Drop(packet.number, Cause::Congestion));
        }
        Choice::Nothing
    }
}

#[test]
fn a_foreign_discipline_drops_and_marks() {
    let flood = r#"traffic = "cbr"
        rate = "1mbit"
        packet = 972"#;
    let document =
        run(&parse(&UPLOAD.replace(r#"traffic = "bulk""#, flood)), scheduled(Acts::default()));
    let document = document.expect("nothing is written");
    let uplink = direction(&document, "uplink");
    let dropped = uplink.drops.aqm as f64 / (uplink.drops.aqm + uplink.delivered_packets) as f64;
    assert!((dropped - 0.2).abs() < 0.001, "{dropped}");
    assert_eq!(uplink.marks, 0, "UDP is not ECN-capable");
    let capable = parse(&UPLOAD.replace("count = 3", "ecn = true"));
    let document = run(&capable, scheduled(Acts::default())).expect("nothing is written");
    let uplink = direction(&document, "uplink");
    assert!(uplink.marks > 100 && uplink.marks <= uplink.delivered_packets + 1, "{uplink:?}");
}

#[test]
fn what_a_foreign_queue_cannot_do_is_refused() {
    let refused = |text: &str, foreign| match run(&parse(text), foreign) {
        Err(Error::Unfit(why)) => why,
        other => panic!("{other:?}"),
    };
    let change = "[[change]]\nat = \"5s\"\nlink = \"uplink\"\nqueue = \"codel limit 20\"";
    let why = refused(&format!("{UPLOAD}{change}"), queue(EachTenth(0)));
    assert!(why.contains("changes the queue of uplink.forward at 5s"), "{why}");
    let elsewhere = DirectionId::new(1, Way::Forward);
    let nowhere = ForeignQueue { direction: elsewhere, ..queue(EachTenth(0)) };
    assert!(refused(UPLOAD, nowhere).contains("no link"));
}
