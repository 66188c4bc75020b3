//! Queues of the caller.

mod support;

use qdisc::Limit;
use qdisc::aqm::{Aqm, Arrival, Departure, Verdict};
use qdisc::disciplines::codel::{CoDel, CoDelParameters, CoDelState};
use scenario::Scenario;
use sim::{Error, ForeignAqm, ForeignQueue, Options};
use support::{direction, parse};
use units::{DirectionId, Way};

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
    let (name, limit, aqm) = ("Mine".into(), Limit::packets(1000), Box::new(aqm));
    ForeignQueue { direction: FORWARD, name, limit, aqm }
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
