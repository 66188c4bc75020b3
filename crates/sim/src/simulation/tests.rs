//! Flows that act in windows have the results of flows that act in the order of time.

use std::fmt::Write;

use scenario::Scenario;
use serde_json::Value;
use units::{Rng, Span};

use super::*;
use difference::difference;

#[path = "../../tests/support/difference.rs"]
mod difference;

const QUEUES: [&str; 8] = [
    "pfifo limit 1000",
    "pfifo limit 20",
    "pfifo limit 5 headdrop",
    "bfifo limit 30kb",
    "codel ecn",
    "fq_codel",
    "red limit 100kb avpkt 1000",
    "cake bandwidth 3mbit",
];
const RATES: [&str; 5] = ["20mbit", "10mbit", "5mbit", "1mbit", "unlimited"];
const DELAYS: [&str; 5] = ["100us", "1ms", "5ms", "24ms", "150ms"];
const TRAFFIC: [&str; 8] = [
    "traffic = 'bulk'",
    "traffic = 'bulk'\necn = true",
    "traffic = 'ping'\ninterval = '50ms'",
    "traffic = 'cbr'\nrate = '300kbit'\npacket = 500",
    "traffic = 'page'\nconnections = 4\nobjects = { count = 8, bytes = '20kB' }\npause = '0.2s'",
    "traffic = 'transfer'\nbytes = '200kB'",
    "traffic = 'periodic'\nbytes = '30kB'\nidle = '0.1s'",
    "traffic = 'packmime'\nconnections_per_second = 3",
];

/// A row of links whose flows all go from one end to the other. `members` is the most for one `count`.
fn random_scenario(rng: &mut Rng, members: u64) -> Scenario {
    let pick = |rng: &mut Rng, from: &[&'static str]| from[rng.below(from.len() as u64) as usize];
    let mut text = format!("duration = '2s'\nseed = {}\n", rng.below(1000));
    if rng.below(2) == 0 {
        text += "warmup = '0.5s'\n";
    }
    let links = 1 + rng.below(3);
    for link in 0..links {
        // One link has a limit.
        let rate = pick(rng, if link == 0 { &RATES[..4] } else { &RATES });
        let delay = pick(rng, &DELAYS);
        let (queue, back) = (pick(rng, &QUEUES), pick(rng, &QUEUES));
        writeln!(text, "[[link]]\nname = 'l{link}'\nfrom = 'n{link}'\nto = 'n{}'", link + 1)
            .unwrap();
        writeln!(text, "rate = '{rate}'\ndelay = '{delay}'\nqueue = '{queue}'").unwrap();
        if rng.below(4) == 0 {
            text += "loss = '0.5%'\n";
        }
        writeln!(text, "[link.reverse]\nqueue = '{back}'").unwrap();
        if queue == "pfifo limit 1000" && rng.below(2) == 0 {
            writeln!(text, "[[change]]\nat = '1.3s'\nlink = 'l{link}'\nqueue = 'pfifo limit 8'")
                .unwrap();
        }
    }
    for flow in 0..1 + rng.below(5) {
        let (from, to) = if rng.below(3) > 0 { (0, links) } else { (links, 0) };
        writeln!(text, "[[flow]]\nname = 'f{flow}'\nfrom = 'n{from}'\nto = 'n{to}'").unwrap();
        writeln!(text, "{}\ncount = {}", pick(rng, &TRAFFIC), 1 + rng.below(members)).unwrap();
        writeln!(text, "start = '{}ms'", 100 * rng.below(8)).unwrap();
    }
    Scenario::parse(&text, "test.toml", &[], &|_| unreachable!()).expect(&text)
}

/// The result of a run in steps of this length.
fn result(scenario: &Scenario, timeline: Option<Span>, step: Span, in_windows: bool) -> Value {
    let setup = Setup { timeline, ..Setup::default() };
    let mut simulation = Simulation::new(scenario, setup).unwrap();
    assert!(simulation.world.has_windows());
    if !in_windows {
        simulation.world.separate_flows();
    }
    while simulation.now() < simulation.end() {
        simulation.advance(simulation.now() + step).unwrap();
    }
    serde_json::to_value(simulation.finish().unwrap()).unwrap()
}

fn assert_same(rng: &mut Rng, members: u64) {
    let scenario = random_scenario(rng, members);
    let timeline = (rng.below(2) == 0).then_some(Span::from_millis(130));
    let steps = [Span::from_secs(9), Span::from_millis(1 + rng.below(400))];
    let separate = result(&scenario, timeline, steps[0], false);
    for step in steps {
        let windows = result(&scenario, timeline, step, true);
        if let Some(difference) = difference("", &windows, &separate) {
            panic!("{}\nin windows and not: {difference}", scenario.to_json());
        }
    }
}

#[test]
fn a_block_has_the_results_of_flows_in_the_order_of_time() {
    for seed in 0..60 {
        assert_same(&mut Rng::new(seed), 3);
    }
}

#[test]
fn several_blocks_have_the_results_of_flows_in_the_order_of_time() {
    for seed in 100..108 {
        assert_same(&mut Rng::new(seed), 300);
    }
}
