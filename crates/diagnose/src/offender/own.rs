//! The evidence of the client's own interface: the share of the path's added delay in its queue.
//!
//! The best evidence is the kernel's time stamp of each probe's handover to the driver. Where
//! drivers give none, the backlog of the queue and the rate serve.

use observation::{Heading, Observations, Stage};
use units::{Span, Time};

use super::judgement::Share;
use super::queue::QueueDelays;

/// The error of a probe's share: the probe's own wait is known to the microsecond, but the path's
/// delay at that time is not.
const OF_PROBES: f64 = 0.1;

/// The error of the backlog's share: the queue is known in bytes, and their time only as well as
/// the rate.
const OF_BACKLOG: f64 = 0.25;

/// The number of samples that count, from small to large. An error is common to all samples, so
/// that many are no more certain than a few.
const FEW: usize = 4;

/// The shares of the path's added delay that the client's interface held while the upload was
/// loaded; empty if the interface does not report its queue, or the rate is not known.
pub(super) fn shares(
    observations: &Observations,
    stages: &[&Stage],
    queue: &QueueDelays<'_>,
) -> Vec<Share> {
    let (noise, mut shares) = match of_probes(observations, queue) {
        shares if shares.len() >= FEW => (OF_PROBES, shares),
        _ => (OF_BACKLOG, of_backlog(observations, stages, queue)),
    };
    shares.sort_by(f64::total_cmp);
    let stand_for_all = (0..FEW).filter_map(|n| shares.get((2 * n + 1) * shares.len() / (2 * FEW)));
    stand_for_all.map(|value| Share { value: *value, noise }).collect()
}

/// The shares by each probe's wait until the driver got it, beyond the least.
fn of_probes(observations: &Observations, queue: &QueueDelays<'_>) -> Vec<f64> {
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

/// The shares by the time that the queue's backlog takes to send.
fn of_backlog(observations: &Observations, stages: &[&Stage], queue: &QueueDelays<'_>) -> Vec<f64> {
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

/// The rate of a stage's upload in bytes a second, by the receiver's count, without headers; `None`
/// if it is not known.
fn rate(observations: &Observations, stage: &Stage) -> Option<f64> {
    let flows = observations.flows.iter();
    let flows = flows.filter(|it| it.heading == Heading::Up && is_within(stage, it.start));
    let rate: f64 = flows
        .filter_map(|flow| {
            let (first, last) = (flow.received.first()?, flow.received.last()?);
            let span = last.at.since(first.at).as_secs_f64();
            stats::ratio(last.bytes.0.saturating_sub(first.bytes.0) as f64, span)
        })
        .sum();
    (rate > 0.0).then_some(rate)
}

fn is_within(stage: &Stage, at: Time) -> bool {
    stage.start <= at && at < stage.end
}
