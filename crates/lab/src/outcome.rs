//! Makes a result document from what a recorder saw, what the traffic got, and how the loop kept
//! time.

use live::Health;
use results::{ClockKind, Direction, Document, FlowResult, LinkResult};
use scenario::Scenario;
use units::{DirectionId, Time};

use crate::LabError;
use crate::recorder::{Recorder, Recording};
use crate::stage::Stage;
use crate::traffic::FlowOutcome;
use crate::validity::{Offered, validity};

/// The result document. `flows` are those of the plan, in its order; a command has none.
pub(crate) fn document(
    scenario: &Scenario,
    stage: &Stage,
    recorder: Recorder,
    health: &Health,
    flows: Vec<FlowOutcome>,
) -> Result<Document, LabError> {
    let recording = recorder.finish().map_err(LabError::Output)?;
    let offered = offered(&recording);
    let mut document = of(scenario, recording, flows);
    document.validity = Some(validity(health, stage.ports, offered));
    document.cost = document.cost.measured(Some(health.cpu.as_secs_f64()), None);
    Ok(document)
}

fn offered(recording: &Recording) -> Offered {
    recording.counts.counters().fold(Offered::default(), |sum, counters| {
        let dropped = counters.drops.full + counters.drops.aqm;
        Offered {
            packets: sum.packets + counters.departed + dropped,
            dropped: sum.dropped + dropped,
        }
    })
}

/// The document without validity and cost of the loop.
fn of(scenario: &Scenario, recording: Recording, outcomes: Vec<FlowOutcome>) -> Document {
    let Recording { counts, timeline, now, is_cut_short } = recording;
    let mut document = Document::new(scenario.to_json());
    document.clock = Some(ClockKind::Real);
    document.interrupted_s = is_cut_short.then(|| now.as_secs_f64());
    document.distributions = timeline.is_some().then(|| {
        let none = stats::Histogram::new();
        let sojourns = |direction: DirectionId| counts.meters()[direction.index()].sojourn();
        let delays = |flow: usize| outcomes.get(flow).map_or(&none, |outcome| &outcome.delays);
        meter::distributions(scenario, sojourns, delays)
    });
    document.timeline = timeline;

    let results = outcomes.iter().map(|outcome| outcome.result.clone()).enumerate();
    let mut flows: Vec<FlowResult> =
        results.map(|(flow, result)| counts.charge(flow, result)).collect();
    meter::judge_calls(scenario, &mut flows, |flow| &outcomes[flow].delays);
    let hop_counts = flows.iter().enumerate().map(|(flow, result)| (result, counts.there(flow)));
    let fairness = meter::fairness(counts.meters().len(), hop_counts);

    let capacity = |spec: &scenario::Direction, from| spec.wire().capacity.between(from, now);
    let result = |direction: DirectionId, spec: &scenario::Direction| {
        let index = direction.index();
        let direction = counts.direction(index, now, capacity(spec, counts.from()));
        Direction { queue: spec.queue.to_string(), ..fairness[index].judge(direction) }
    };
    for (index, link) in scenario.links.iter().enumerate() {
        let both =
            LinkResult::new(|way| result(DirectionId::new(index, way), &link.directions[way]));
        document.links.insert(link.name.clone(), both);
    }
    let specs = scenario.links.iter().flat_map(|link| link.directions.iter());
    let capacities = specs.map(|spec| capacity(spec, Time::ZERO));
    document.cost = meter::carried(counts.counters().zip(capacities));
    document.flows = scenario.flow_names().into_iter().zip(flows).collect();
    document
}

#[cfg(test)]
mod tests;
