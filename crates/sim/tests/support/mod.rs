//! Helpers that the tests of whole runs share.
#![allow(dead_code, reason = "each test binary uses its part")]

use results::{DirectionResult, Document, FlowDelay, FlowResult};
use scenario::Scenario;

pub(crate) fn parse(text: &str) -> Scenario {
    match Scenario::parse(text, "test.toml", &[], &|_| unreachable!("no trace is named")) {
        Ok(scenario) => scenario,
        Err(error) => panic!("{error}"),
    }
}

pub(crate) fn run(text: &str) -> Document {
    sim::run(&parse(text), sim::Options::default()).expect("nothing is written")
}

pub(crate) fn flow<'a>(document: &'a Document, name: &str) -> &'a FlowResult {
    &document.flows[name]
}

pub(crate) fn direction<'a>(document: &'a Document, link: &str) -> &'a DirectionResult {
    &document.links[link].forward
}

pub(crate) fn spread(flow: &FlowResult) -> FlowDelay {
    flow.rtt_ms.expect("a flow with round trips")
}
