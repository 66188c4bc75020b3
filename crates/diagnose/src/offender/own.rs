//! What our own interface says: how much of the path's added delay waits in its queue.

use results::observation::{Heading, Observations, Stage};
use units::Time;

use super::judgement::Share;
use super::queue::Queue;

/// Its queue is told in bytes; how long they take to send is known only as well as the rate.
const NOISE: f64 = 0.25;

/// Samples that are heard, from small to large: if the rate is wrong, all are wrong together, and many
/// would be no surer than a few.
const FEW: usize = 4;

/// Shares of the path's added delay that our own interface held while the upload was loaded; none if
/// it does not tell, or the rate is not known.
pub(super) fn shares(
    observations: &Observations,
    stages: &[&Stage],
    queue: &Queue<'_>,
) -> Vec<Share> {
    let of_stage = |stage: &&Stage| {
        let rate = rate(observations, stage)?;
        let within = observations.host.iter().filter(|it| is_within(stage, it.at));
        let shares = within.filter_map(|sample| {
            let load = queue.load(sample.at)?;
            Some(sample.backlog?.0 as f64 / rate / load.delay)
        });
        Some(shares.collect::<Vec<_>>())
    };
    let mut shares: Vec<f64> = stages.iter().filter_map(of_stage).flatten().collect();
    shares.sort_by(f64::total_cmp);
    let stand_for_all = (0..FEW).filter_map(|n| shares.get((2 * n + 1) * shares.len() / (2 * FEW)));
    stand_for_all.map(|value| Share { value: *value, noise: NOISE }).collect()
}

/// Bytes a second that a stage uploads, as the receiver counts them, headers left out.
fn rate(observations: &Observations, stage: &Stage) -> Option<f64> {
    let flows = observations.flows.iter();
    let flows = flows.filter(|it| it.heading == Heading::Up && is_within(stage, it.start));
    let rate: f64 = flows
        .filter_map(|flow| {
            let (first, last) = (flow.received.first()?, flow.received.last()?);
            let span = last.at.since(first.at).as_secs_f64();
            results::ratio(last.bytes.0.saturating_sub(first.bytes.0) as f64, span)
        })
        .sum();
    (rate > 0.0).then_some(rate)
}

fn is_within(stage: &Stage, at: Time) -> bool {
    stage.start <= at && at < stage.end
}
