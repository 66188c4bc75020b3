//! The scenario as a whole.

use std::io;
use std::path::Path;

use units::Span;

use crate::route::Map;
use crate::{Flow, Link, Override, Route, ScenarioError};

/// A scenario in which everything has been checked: names are unique, every flow has a route,
/// and every value is within its bounds.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// One line for people.
    pub title: String,
    /// How long the run lasts.
    pub duration: Span,
    /// The beginning that is left out of the statistics; shorter than `duration`.
    pub warmup: Span,
    /// What all randomness is derived from.
    pub seed: u64,
    /// In file order, at least one.
    pub links: Vec<Link>,
    /// In file order, at least one.
    pub flows: Vec<Flow>,
}

impl Scenario {
    /// The route of each flow, in the order of `flows`: fewest hops, ties by file order.
    pub fn routes(&self) -> Vec<Route> {
        let map = Map::new(&self.links);
        let route = |flow: &Flow| map.route(&flow.from, &flow.to);
        // A checked scenario has them all; one made by hand may not, and gets an empty route.
        self.flows.iter().map(|flow| route(flow).unwrap_or(Route { hops: Vec::new() })).collect()
    }

    /// Reads and checks the file at `path`, with these overrides. Paths of traces are relative to
    /// the folder that holds the file.
    ///
    /// # Errors
    /// The first mistake found, with its place.
    pub fn load(path: &Path, overrides: &[Override]) -> Result<Self, ScenarioError> {
        let _ = (path, overrides);
        unimplemented!()
    }

    /// Checks `text`, which `name` tells apart in messages. Traces are asked of `read_trace`.
    ///
    /// # Errors
    /// The first mistake found, with its place.
    pub fn parse(
        text: &str,
        name: &str,
        overrides: &[Override],
        read_trace: &dyn Fn(&str) -> io::Result<String>,
    ) -> Result<Self, ScenarioError> {
        let _ = (text, name, overrides, read_trace);
        unimplemented!()
    }

    /// The scenario as run, all defaults spelled out, in the file's own syntax: read as a
    /// scenario it gives this one again.
    pub fn to_json(&self) -> serde_json::Value {
        unimplemented!()
    }
}

/// The JSON Schema of the scenario file.
pub fn schema() -> serde_json::Value {
    unimplemented!()
}
