//! Every scenario that can be read can be run.

use std::io;

use scenario::{Direction, RatePlan, Scenario};
use sim::{Options, SeriesOptions};
use tables::{FateWriter, SeriesFormat};
use units::{Rate, Span};

/// Simulates the first moments of a scenario file twice, with the same result.
pub fn simulation(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let Ok(mut scenario) = Scenario::parse(&text, "fuzz.toml", &[], &super::parsers::a_trace)
    else {
        return;
    };
    scenario.duration = scenario.duration.min(Span::from_millis(500));
    scenario.warmup = scenario.warmup.min(scenario.duration / 2);
    if !is_soon_done(&scenario) || sim::fit(&scenario).is_err() {
        return;
    }
    let (format, step) = (SeriesFormat::Csv, Span::from_millis(100));
    let fates = FateWriter::new(io::sink()).expect("nothing is written that can fail");
    let watched = Options {
        series: Some(SeriesOptions::to_writer(io::sink(), format, step)),
        packets: Some(Box::new(fates)),
        ..Options::default()
    };
    let run = |options| sim::run(&scenario, options).expect("nothing is written that can fail");
    assert_eq!(run(watched), run(Options::default()), "watching changes the result of\n{text}");
}

/// True if there is little enough traffic for a fuzzer.
fn is_soon_done(scenario: &Scenario) -> bool {
    let slow = |direction: &Direction| match &direction.rate {
        Some(RatePlan::Constant(rate)) => *rate <= Rate::from_mbit(20),
        Some(RatePlan::Schedule(schedule)) => {
            schedule.steps().iter().all(|(_, rate)| *rate <= Rate::from_mbit(20))
        }
        Some(RatePlan::Trace { .. }) => true,
        None => false,
    };
    scenario.links.iter().all(|link| link.directions.iter().all(slow))
        && scenario.flows.iter().map(|flow| u64::from(flow.count)).sum::<u64>() <= 20
}
