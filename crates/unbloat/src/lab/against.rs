//! `unbloat lab --against sim`: the scenario in the simulator, compared with the lab run.

use results::{Agreement, Document};
use scenario::Scenario;
use sim::Options;
use units::Span;

use crate::args::LabArgs;
use crate::failure::Failure;
use crate::intent::Outputs;
use crate::output;

/// Simulates the scenario with the same seed and tells how simulator and lab differ.
pub(super) fn sim(
    lab: Document,
    scenario: &Scenario,
    outputs: Outputs,
    args: &LabArgs,
) -> Result<(), Failure> {
    let over_time = args.json || outputs.drawings.wanted();
    let simulated = simulate(&as_long_as(&lab, scenario), over_time)?;
    let agreement = Agreement::of(lab, simulated);
    if outputs.drawings.wanted() {
        outputs.drawings.draw(&report::agreement_page(&agreement))?;
    }
    outputs.telling(args.volume.quiet).commit()?;
    match args.json {
        true => output::print(&report::json(&report::told(agreement))),
        false => output::print(&report::agreement_table(&agreement, output::style())),
    }
}

/// The scenario, shortened to the lab run's duration if that was interrupted.
fn as_long_as(lab: &Document, scenario: &Scenario) -> Scenario {
    let mut scenario = scenario.clone();
    if let Some(interrupted_s) = lab.interrupted_s {
        let shortest = Span::from_millis(1);
        scenario.duration = Span::from_secs_f64(interrupted_s).max(shortest);
        if scenario.warmup >= scenario.duration {
            scenario.warmup = Span::ZERO;
        }
    }
    scenario
}

fn simulate(scenario: &Scenario, over_time: bool) -> Result<Document, Failure> {
    let timeline = over_time.then(|| ::sim::timeline_step(scenario));
    let options = Options { timeline, ..Options::default() };
    crate::sim::run(scenario, options).map_err(|error| Failure::Run(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupted_run_is_simulated_as_long_as_it_lasted() {
        let text = r#"
            duration = "60s"
            warmup = "10s"
            link = [{ name = "uplink", from = "home", to = "isp", rate = "2mbit" }]
            flow = [{ name = "backup", from = "home", to = "isp", traffic = "bulk" }]
        "#;
        let no_traces = |_: &str| Err(std::io::ErrorKind::NotFound.into());
        let scenario = Scenario::parse(text, "home.toml", &[], &no_traces).expect("a scenario");
        for (interrupted_s, duration, warmup) in [
            (None, Span::from_secs(60), Span::from_secs(10)),
            (Some(20.0), Span::from_secs(20), Span::from_secs(10)),
            (Some(5.0), Span::from_secs(5), Span::ZERO),
            (Some(0.0), Span::from_millis(1), Span::ZERO),
        ] {
            let lab = Document { interrupted_s, ..Document::default() };
            let short = as_long_as(&lab, &scenario);
            assert_eq!((short.duration, short.warmup), (duration, warmup), "{interrupted_s:?}");
        }
    }
}
