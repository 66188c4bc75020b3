//! Makes a result document from the data of a recorder, the results of the traffic, and the health
//! of the loop.

use std::sync::atomic::Ordering;

use live::Health;
use meter::{FlowReport, Instruments, QueueState, Run};
use results::{ClockKind, Document};
use scenario::Scenario;
use units::{Bytes, DirectionId, Time};

use crate::LabError;
use crate::recorder::{Recorder, Recording};
use crate::stage::Stage;
use crate::traffic::FlowOutcome;
use crate::validity::{Offered, validity};

/// The place for the state of each queue, if it is asked for.
pub(crate) type Queues<'a> = Option<&'a mut Vec<QueueState>>;

/// Makes the result document, and notes the state of the queues. `flows` are those of the plan, in
/// its order; a command has none.
pub(crate) fn document(
    scenario: &Scenario,
    stage: &Stage,
    recorder: Recorder,
    health: &Health,
    flows: Vec<FlowOutcome>,
    queues: Queues<'_>,
) -> Result<Document, LabError> {
    let recording = recorder.finish().map_err(LabError::Output)?;
    if let Some(queues) = queues {
        *queues = states(scenario, stage, &recording);
    }
    let offered = offered(&recording.instruments);
    let now = recording.now;
    let capacity = |direction: DirectionId, from: Time| stage.fabric.capacity(direction, from, now);
    let mut document = results(scenario, recording, &flows, capacity);
    document.validity = Some(validity(health, stage.ports, offered));
    document.cost = document.cost.measured(Some(health.cpu.as_secs_f64()), None);
    Ok(document)
}

/// The state of each queue at the end of the run.
fn states(scenario: &Scenario, stage: &Stage, recording: &Recording) -> Vec<QueueState> {
    let Recording { instruments, now, .. } = recording;
    let state = |direction: DirectionId| {
        let spec = scenario.queue_at(direction, now.since(Time::ZERO));
        instruments.queue_state(direction, spec, stage.fabric.queue(direction), *now)
    };
    DirectionId::all(scenario.links.len()).map(state).collect()
}

fn offered(instruments: &Instruments) -> Offered {
    instruments.counters().fold(Offered::default(), |sum, counters| {
        let dropped = counters.drops.total() - counters.drops.loss;
        Offered {
            packets: sum.packets + counters.departed + dropped,
            dropped: sum.dropped + dropped,
        }
    })
}

/// The document without the validity of the run and the cost of the loop. `capacity` gives the
/// bytes that a direction could carry since a time.
fn results(
    scenario: &Scenario,
    recording: Recording,
    outcomes: &[FlowOutcome],
    capacity: impl Fn(DirectionId, Time) -> Option<Bytes>,
) -> Document {
    let Recording { instruments, gauges, now, is_cut_short } = recording;
    let mut document = Document::new(scenario.to_json());
    document.clock = Some(ClockKind::Real);
    document.interrupted_s = is_cut_short.then(|| now.as_secs_f64());
    // Gauges may have changed since the loop ended; those changes belong to the time after the end.
    let reports = outcomes.iter().zip(&*gauges).map(|(outcome, gauges)| FlowReport {
        result: outcome.result.clone(),
        delays: &outcome.delays,
        delivered: gauges.delivered.load(Ordering::Relaxed),
    });
    let queues = scenario.directions().map(|(spec, _)| spec.queue.to_string());
    let run = Run { document, end: now, queues: queues.collect(), flows: reports.collect() };
    instruments.document(run, capacity)
}

#[cfg(test)]
mod tests;
