//! What is raced, run by run.

use autorate::{Both, Rules};
use units::Span;

use crate::kinds::recorded;
use crate::line::Line;
use crate::truth::Truth;
use crate::{Course, LineKind};

/// The rules and the lines of a race.
#[derive(Clone, Debug)]
pub struct Request {
    /// The rules, beside which the oracle always runs.
    pub rules: Vec<Rules>,
    /// The first seed.
    pub seed: u64,
    /// The number of seeds.
    pub seeds: u64,
    /// The time of each run.
    pub time: Span,
    /// The line that was recorded; `None` for all kinds of lines.
    pub recorded: Option<Course>,
}

/// One run: who drives which line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Start {
    /// The kind of the line; `None` for the recorded one.
    pub(crate) kind: Option<LineKind>,
    pub(crate) seed: u64,
    /// The rules; `None` for the oracle.
    pub(crate) rules: Option<Rules>,
}

/// The result of a run.
#[derive(Clone, Debug)]
pub(crate) struct Finish {
    pub(crate) truth: Truth,
    /// The bytes that the transfers of each direction delivered.
    pub(crate) goodput: Both<f64>,
    /// The requests that were sent to reflectors.
    pub(crate) requests: u64,
}

/// All runs, those of one line side by side, the oracle first.
pub(crate) fn starts(request: &Request) -> Vec<Start> {
    let kinds = match request.recorded {
        Some(_) => vec![None],
        None => LineKind::ALL.map(Some).to_vec(),
    };
    let seeds = request.seed..request.seed.saturating_add(request.seeds);
    let rules = || [None].into_iter().chain(request.rules.iter().copied().map(Some));
    let of_seed = |kind, seed| rules().map(move |rules| Start { kind, seed, rules });
    let of_kind = |kind| seeds.clone().flat_map(move |seed| of_seed(kind, seed));
    kinds.into_iter().flat_map(of_kind).collect()
}

/// The line of a run.
pub(crate) fn line(request: &Request, start: &Start) -> Line {
    match (start.kind, &request.recorded) {
        (Some(kind), _) => kind.line(start.seed, request.time),
        (None, Some(course)) => recorded(course, start.seed, request.time),
        (None, None) => LineKind::Steps.line(start.seed, request.time),
    }
}
