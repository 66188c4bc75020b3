//! Runs that their caller advances.

mod support;

use std::sync::{Arc, Mutex};

use scenario::Scenario;
use sim::{ForeignCongestion, Options, Setup, Simulation};
use support::{direction, parse};
use transport::cc::{Acked, CongestionControl, Factory, Reduction, Reno, Window};
use units::{DirectionId, Span, Time, Way};

const UPLOAD: &str = r#"
    duration = "10s"
    [[link]]
    name = "uplink"
    from = "home"
    to = "isp"
    rate = "4mbit"
    delay = "10ms"
    loss = 0.001
    queue = "fq_codel"
    [[flow]]
    name = "upload"
    from = "home"
    to = "isp"
    traffic = "bulk"
    congestion = "reno"
    [[flow]]
    name = "ping"
    from = "home"
    to = "isp"
    traffic = "ping"
    [[change]]
    at = "4s"
    link = "uplink"
    rate = "2mbit"
    [[change]]
    at = "6s"
    link = "uplink"
    queue = "fq_codel target 20ms"
"#;

fn run(scenario: &Scenario) -> results::Document {
    sim::run(scenario, Options::default()).expect("nothing is written")
}

/// Steps of any length, some of which end at a change, have the result of one run.
#[test]
fn a_run_in_steps_has_the_same_result() {
    let scenario = parse(UPLOAD);
    for step in [Span::from_millis(1), Span::from_nanos(123_456_789), Span::from_secs(2)] {
        let mut simulation = Simulation::new(&scenario, Setup::default()).unwrap();
        let mut until = Time::ZERO;
        while simulation.now() < Time::from_secs(10) {
            until += step;
            simulation.advance(until).unwrap();
            assert_eq!(simulation.now(), until.min(Time::from_secs(10)));
        }
        simulation.advance(Time::from_secs(20)).unwrap();
        assert_eq!(simulation.finish().unwrap(), run(&scenario), "{step}");
    }
}

#[test]
fn a_result_may_lack_its_scenario() {
    let scenario = parse(UPLOAD);
    let options = Options { without_scenario: true, ..Options::default() };
    let bare = sim::run(&scenario, options).expect("nothing is written");
    let whole = run(&scenario);
    assert!(bare.scenario.is_null() && !whole.scenario.is_null());
    assert_eq!(results::Document { scenario: whole.scenario.clone(), ..bare }, whole);
}

#[test]
fn a_run_that_ends_early_says_so() {
    let mut simulation = Simulation::new(Arc::new(parse(UPLOAD)), Setup::default()).unwrap();
    simulation.advance(Time::from_secs(3)).unwrap();
    let uplink = DirectionId::new(0, Way::Forward);
    let delivered = simulation.control().counters(uplink).unwrap().delivered_packets;
    let document = simulation.finish().unwrap();
    assert_eq!(document.interrupted_s, Some(3.0));
    assert_eq!(direction(&document, "uplink").delivered_packets, delivered);
}

/// The segments delivered, and the reductions.
type Told = Arc<Mutex<(u64, Vec<Reduction>)>>;

/// Reno, which notes what it is told.
#[derive(Clone, Debug)]
struct Watched {
    reno: Reno,
    told: Told,
}

impl CongestionControl for Watched {
    fn on_ack(&mut self, window: &mut Window, ack: &Acked) {
        self.told.lock().unwrap().0 += u64::from(ack.delivered);
        self.reno.on_ack(window, ack);
    }

    fn reduce(&mut self, window: &Window, cause: Reduction, now: Time) -> u32 {
        self.told.lock().unwrap().1.push(cause);
        self.reno.reduce(window, cause, now)
    }
}

fn foreign(flow: usize) -> (ForeignCongestion, Told) {
    let told = Told::default();
    let watched = Watched { reno: Reno::new(false), told: Arc::clone(&told) };
    (ForeignCongestion { flow, factory: Factory::new("watched", move || watched.clone()) }, told)
}

/// Reno of the caller in place of BBR, which the simulator does not have, has the results of `reno`.
#[test]
fn a_foreign_congestion_control_takes_the_place_of_the_scenarios() {
    let (congestion, told) = foreign(0);
    let scenario = parse(&UPLOAD.replace("reno", "bbr"));
    let options = Options { congestion: vec![congestion], ..Options::default() };
    let foreign = sim::run(&scenario, options).unwrap();
    let listed = run(&parse(UPLOAD));
    assert_eq!(foreign.flows, listed.flows);
    assert_eq!(foreign.links, listed.links);
    let (delivered, reductions) = &*told.lock().unwrap();
    let bytes = foreign.flows["upload"].delivered_bytes.unwrap();
    assert!(delivered * 1448 > bytes - 100_000 && reductions.contains(&Reduction::Loss));
}

#[test]
fn a_foreign_congestion_control_needs_a_flow_with_tcp() {
    for (flow, says) in [(1, "the flow ping has no TCP"), (2, "no flow 2")] {
        let (congestion, _) = foreign(flow);
        let options = Options { congestion: vec![congestion], ..Options::default() };
        let error = sim::run(&parse(UPLOAD), options).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
}
