//! The discrete-event simulator: drives links and transports in virtual time.
//!
//! [`run`] is a function of the scenario, seed included: the same bytes come out on every machine.
//! Nothing here reads a clock; what a run costs in processor time is for the caller to measure.

mod agenda;
mod build;
mod fates;
mod flow;
mod hops;
mod meter;
mod outcome;
mod packet;
mod payloads;
mod series;
mod world;

use std::io::{self, Write};

use results::Document;
pub use results::SeriesFormat;
use scenario::Scenario;
use units::{Span, Time};

use fates::FateRecorder;
use series::SeriesRecorder;
use world::World;

/// What is wanted of a run besides its result.
#[derive(Default)]
pub struct Options<'a> {
    /// Writes a table of quantities over time.
    pub series: Option<SeriesOptions>,
    /// Writes what became of each packet on each link.
    pub packets: Option<Box<dyn Write>>,
    /// Is told often how much is done, from 0 to 1. If it answers `false` the run ends there, and
    /// its result is that of the time up to then, which
    /// [`interrupted_s`](Document::interrupted_s) says.
    pub progress: Option<Box<dyn FnMut(f64) -> bool + 'a>>,
}

/// Where to write a table of quantities over time, and how.
pub struct SeriesOptions {
    /// Buffered; flushed at the end of the run.
    pub writer: Box<dyn Write>,
    /// As what.
    pub format: SeriesFormat,
    /// From one row to the next; more than zero.
    pub step: Span,
}

/// Runs the scenario.
///
/// # Errors
/// What writing the series or the packets yields; the run itself cannot fail.
pub fn run(scenario: &Scenario, options: Options<'_>) -> io::Result<Document> {
    let mut world = build::world(scenario);
    let Options { series, packets, mut progress } = options;
    let flows = build::flow_names(scenario);
    if let Some(writer) = packets {
        let links = scenario.links.iter().map(|link| link.name.clone()).collect();
        world.fates = Some(FateRecorder::new(writer, links, flows.clone())?);
    }
    if let Some(series) = series {
        let directions = build::direction_names(scenario);
        world.series = Some(SeriesRecorder::new(series, &directions, &flows)?);
    }
    let statistics_from = advance(scenario, &mut world, progress.as_deref_mut());
    world.finish_records()?;
    Ok(outcome::document(scenario, &world, statistics_from))
}

/// Runs the world to its end, with pauses for the end of the warm-up, rows of the series, and
/// progress. Returns when the statistics began.
fn advance(
    scenario: &Scenario,
    world: &mut World,
    mut progress: Option<&mut (dyn FnMut(f64) -> bool + '_)>,
) -> Time {
    /// Progress is told each time so many events have happened: every millisecond or so, however
    /// slowly the virtual time goes.
    const TOLD_EACH: u64 = 4096;
    let end = Time::ZERO + scenario.duration;
    let warm = Time::ZERO + scenario.warmup;
    let mut statistics_from = Time::ZERO;
    let mut next_row = world.series.as_ref().map_or(Time::MAX, |series| Time::ZERO + series.step());
    while world.now < end {
        let warming = statistics_from < warm;
        let pause = if warming { warm } else { end };
        if !world.run_until(pause.min(next_row).min(end), TOLD_EACH) {
            let done = world.now.as_secs_f64() / scenario.duration.as_secs_f64();
            if progress.as_mut().is_some_and(|progress| !progress(done)) {
                break;
            }
            continue;
        }
        if world.now == next_row {
            next_row = world.sample().map_or(Time::MAX, |step| world.now + step);
        }
        if warming && world.now == warm {
            world.reset();
            statistics_from = warm;
        }
    }
    statistics_from
}
