//! What our own interface says: how much of the path's added delay waits in its queue.
//!
//! Best is what the kernel says of each probe: when it was handed to the driver. Where drivers do not
//! tell, the backlog of the queue has to do, and with it the rate.

use results::observation::{Heading, Observations, Stage};
use units::{Span, Time};

use super::judgement::Share;
use super::queue::Queue;

/// A probe's own wait is known to the microsecond; what the path added around that time is not.
const OF_PROBES: f64 = 0.1;

/// The queue is told in bytes; how long they take to send is known only as well as the rate.
const OF_BACKLOG: f64 = 0.25;

/// Samples that are heard, from small to large: if one is wrong, all are wrong together, and many
/// would be no surer than a few.
const FEW: usize = 4;

/// Shares of the path's added delay that our own interface held while the upload was loaded; none if
/// it does not tell, or the rate is not known.
pub(super) fn shares(
    observations: &Observations,
    stages: &[&Stage],
    queue: &Queue<'_>,
) -> Vec<Share> {
    let (noise, mut shares) = match of_probes(observations, queue) {
        shares if shares.len() >= FEW => (OF_PROBES, shares),
        _ => (OF_BACKLOG, of_backlog(observations, stages, queue)),
    };
    shares.sort_by(f64::total_cmp);
    let stand_for_all = (0..FEW).filter_map(|n| shares.get((2 * n + 1) * shares.len() / (2 * FEW)));
    stand_for_all.map(|value| Share { value: *value, noise }).collect()
}

/// What each probe waited until the driver had it, beyond the least.
fn of_probes(observations: &Observations, queue: &Queue<'_>) -> Vec<f64> {
    let stream = observations.probes.iter().find(|stream| stream.dscp == 0);
    let stream = stream.or(observations.probes.first());
    let waits = stream.into_iter().flat_map(|stream| &stream.probes);
    let waits = waits.filter_map(|probe| Some((probe.sent, probe.departed?.since(probe.sent))));
    let waits: Vec<(Time, Span)> = waits.collect();
    let least = waits.iter().map(|wait| wait.1).min().unwrap_or_default();
    let share =
        |(at, wait): &(Time, Span)| Some((*wait - least).as_secs_f64() / queue.load(*at)?.delay);
    waits.iter().filter_map(share).collect()
}

/// How long what waits in the queue takes to send.
fn of_backlog(observations: &Observations, stages: &[&Stage], queue: &Queue<'_>) -> Vec<f64> {
    let of_stage = |stage: &&Stage| {
        let rate = rate(observations, stage)?;
        let within = observations.host.iter().filter(|it| is_within(stage, it.at));
        let shares = within.filter_map(|sample| {
            let load = queue.load(sample.at)?;
            Some(sample.backlog?.0 as f64 / rate / load.delay)
        });
        Some(shares.collect::<Vec<_>>())
    };
    stages.iter().filter_map(of_stage).flatten().collect()
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
