//! The stages of the load, as the flows of a file show them.

use observation::Heading;
use results::{FlowSeries, MeasuredStage};

/// Shortest duration of a stage, in seconds: flows of one stage do not all begin at once.
const SLIVER_S: f64 = 1.0;

/// The stages of a test that took `end_s` seconds, without gaps between them.
pub(crate) fn stages(flows: &[FlowSeries], end_s: f64) -> Vec<MeasuredStage> {
    let (up, down) = (busy(flows, Heading::Up), busy(flows, Heading::Down));
    let mut bounds: Vec<f64> = up.iter().chain(&down).flatten().copied().collect();
    bounds.extend([0.0, end_s]);
    bounds.retain(|at| (0.0..=end_s).contains(at));
    bounds.sort_by(f64::total_cmp);
    let mut stages: Vec<MeasuredStage> = Vec::new();
    for pair in bounds.windows(2) {
        let (start_s, end_s) = (pair[0], pair[1]);
        let middle = (start_s + end_s) / 2.0;
        let within =
            |busy: &[[f64; 2]]| busy.iter().any(|[from, to]| (*from..*to).contains(&middle));
        let name = match (within(&up), within(&down)) {
            (false, false) => "idle",
            (true, false) => "upload",
            (false, true) => "download",
            (true, true) => "both",
        };
        let sliver = end_s - start_s < SLIVER_S;
        match stages.last_mut() {
            Some(last) if sliver || last.name == name => last.end_s = end_s,
            _ if sliver => {}
            last => {
                let start_s = last.map_or(0.0, |last| last.end_s);
                stages.push(MeasuredStage { name: name.into(), start_s, end_s });
            }
        }
    }
    stages
}

/// The times in which flows of a direction ran: spans that do not touch, in order.
fn busy(flows: &[FlowSeries], heading: Heading) -> Vec<[f64; 2]> {
    let mut spans: Vec<[f64; 2]> =
        flows.iter().filter(|flow| flow.heading == heading).filter_map(span).collect();
    spans.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let mut merged: Vec<[f64; 2]> = Vec::new();
    for [from, to] in spans {
        match merged.last_mut() {
            Some(last) if from <= last[1] => last[1] = last[1].max(to),
            _ => merged.push([from, to]),
        }
    }
    merged
}

/// The time from the beginning of a flow's first interval to the end of its last; `None` if it has
/// none.
fn span(flow: &FlowSeries) -> Option<[f64; 2]> {
    let (first, last) = (*flow.at_s.first()?, *flow.at_s.last()?);
    let interval = flow.at_s.get(1).map_or(0.0, |second| second - first);
    Some([(first - interval).max(0.0), last])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flow(heading: Heading, from: u32, to: u32) -> FlowSeries {
        let at_s = (from + 1..=to).map(f64::from).collect();
        FlowSeries { at_s, ..FlowSeries::new(heading, "BE") }
    }

    fn told(flows: &[FlowSeries], end_s: f64) -> Vec<(String, f64, f64)> {
        stages(flows, end_s).into_iter().map(|s| (s.name, s.start_s, s.end_s)).collect()
    }

    #[test]
    fn both_directions_between_idle_ends() {
        let flows = [flow(Heading::Up, 5, 65), flow(Heading::Down, 5, 65)];
        let wanted =
            [("idle".into(), 0.0, 5.0), ("both".into(), 5.0, 65.0), ("idle".into(), 65.0, 70.0)];
        assert_eq!(told(&flows, 70.0), wanted);
    }

    #[test]
    fn one_direction_after_the_other() {
        let flows =
            [flow(Heading::Down, 2, 8), flow(Heading::Down, 3, 8), flow(Heading::Up, 8, 16)];
        let wanted = [
            ("idle".into(), 0.0, 2.0),
            ("download".into(), 2.0, 8.0),
            ("upload".into(), 8.0, 16.0),
        ];
        assert_eq!(
            told(&flows, 16.5),
            wanted.map(|(n, a, b): (String, _, _)| match b {
                16.0 => (n, a, 16.5),
                _ => (n, a, b),
            })
        );
    }

    #[test]
    fn without_flows_nothing_is_loaded() {
        assert_eq!(told(&[], 10.0), [("idle".into(), 0.0, 10.0)]);
        assert_eq!(told(&[], 0.0), []);
    }
}
