//! What our own interface says: how much of the path's added delay waits in its queue.

use results::observation::{Heading, Observations, Stage};

use super::judgement::Share;
use super::queue::{Queue, median};

/// Its queue is told in bytes; how long they take to send is known only as well as the rate.
const NOISE: f64 = 0.25;

/// The share of the path's added delay that our own interface holds while the upload is loaded;
/// nothing if it does not tell, or the rate is not known.
pub(super) fn share(
    observations: &Observations,
    stages: &[&Stage],
    queue: &Queue<'_>,
) -> Option<Share> {
    let rate = rate(observations, stages)?;
    let shares = observations.host.iter().filter_map(|sample| {
        let load = queue.load(sample.at)?;
        Some(sample.backlog?.0 as f64 / rate / load.delay)
    });
    Some(Share { value: median(shares.collect())?, noise: NOISE })
}

/// Bytes a second that the upload carries, as its receiver counts them, headers left out.
fn rate(observations: &Observations, stages: &[&Stage]) -> Option<f64> {
    let is_of_stage = |at| stages.iter().any(|stage| stage.start <= at && at < stage.end);
    let flows = observations.flows.iter();
    let flows = flows.filter(|flow| flow.heading == Heading::Up && is_of_stage(flow.start));
    let rate: f64 = flows
        .filter_map(|flow| {
            let (first, last) = (flow.received.first()?, flow.received.last()?);
            let span = last.at.since(first.at).as_secs_f64();
            results::ratio(last.bytes.0.saturating_sub(first.bytes.0) as f64, span)
        })
        .sum();
    (rate > 0.0).then_some(rate)
}
