//! The discrete-event simulator, which drives links and transports in virtual time.
//!
//! [`run`] is a function of the scenario, seed included: the same bytes come out on every machine.
//! Nothing here reads a clock; the caller can measure the processor time of a run.

mod agenda;
mod build;
mod capture;
mod error;
mod fates;
mod fit;
mod flow;
mod hops;
mod nodes;
mod observer;
mod outcome;
mod packet;
mod payloads;
mod standstill;
mod store;
mod world;

use std::io::Write;

pub use meter::timeline_step;
use meter::{FateRecorder, SeriesRecorder, Timekeeper};
use results::Document;
use scenario::Scenario;
pub use tables::SeriesFormat;
use units::{DirectionId, Span, Time};

use capture::Capture;
pub use error::Error;
pub use fit::fit;
use standstill::Standstill;
use world::World;

/// A destination for output.
type Writer = Box<dyn Write>;

/// The destination and the format of a table of quantities over time.
pub type SeriesOptions = meter::SeriesOptions<Box<dyn Write>>;

/// The outputs of a run besides its result.
#[derive(Default)]
pub struct Options<'a> {
    /// A table of quantities over time.
    pub series: Option<SeriesOptions>,
    /// A table of the fate of each packet on each link.
    pub packets: Option<Box<dyn Write>>,
    /// A capture of the packets that pass one end of a link.
    pub pcap: Option<PcapOptions>,
    /// The length of a step of the result's [`timeline`](Document::timeline), more than zero;
    /// `None` for a result without it and without [`distributions`](Document::distributions). See
    /// [`timeline_step`].
    pub timeline: Option<Span>,
    /// A function that is called often with the part of the run that is done, from 0 to 1. If it
    /// returns `false` the run ends there; its result is that of the time up to then, which is in
    /// [`interrupted_s`](Document::interrupted_s).
    pub progress: Option<Box<dyn FnMut(f64) -> bool + 'a>>,
}

/// The destination and the content of a capture (pcapng).
pub struct PcapOptions {
    /// The destination: buffered, and flushed at the end of the run.
    pub writer: Box<dyn Write>,
    /// The direction whose near end is captured: its packets before their queue, and those of the
    /// opposite direction as they arrive.
    pub direction: DirectionId,
    /// The most bytes that are kept of a packet, its Ethernet header included; 0 for all.
    pub snap: u32,
}

/// Runs the scenario.
///
/// # Errors
/// If the scenario asks for a feature that the simulator does not have ([`fit()`]), if an output
/// cannot be written, or if the clock of the run stands still.
pub fn run(scenario: &Scenario, options: Options<'_>) -> Result<Document, Error> {
    let configs = fit(scenario).map_err(Error::Unfit)?;
    let mut world = build::world(scenario, &configs);
    let Options { series, packets, pcap, timeline, mut progress } = options;
    world.timeline = timeline.map(|step| Timekeeper::new(scenario, step));
    let flows = scenario.flow_names();
    if let Some(writer) = packets {
        let links = scenario.links.iter().map(|link| link.name.clone()).collect();
        world.record_fates(FateRecorder::new(writer, links, flows.clone())?);
    }
    if let Some(pcap) = pcap {
        world.capture = Some(Box::new(Capture::new(pcap, scenario)?));
    }
    if let Some(series) = series {
        let directions = scenario.direction_names();
        world.series = Some(SeriesRecorder::new(series, &directions, &flows)?);
    }
    let statistics_from = advance(scenario, &mut world, progress.as_deref_mut())
        .map_err(|standstill| Error::of(standstill, scenario))?;
    world.finish_records()?;
    let timeline = world.finish_timeline();
    let distributions = timeline.as_ref().map(|_| outcome::distributions(scenario, &world));
    let document = outcome::document(scenario, &world, statistics_from);
    Ok(Document { distributions, timeline, ..document })
}

/// Runs the world to its end, with pauses for the end of the warm-up, rows of the series, steps
/// of the timeline, and progress. Returns the time at which the statistics began.
///
/// # Errors
/// If the clock stands still.
fn advance(
    scenario: &Scenario,
    world: &mut World,
    mut progress: Option<&mut (dyn FnMut(f64) -> bool + '_)>,
) -> Result<Time, Standstill> {
    /// The number of events from one call of `progress` to the next: about a millisecond, however
    /// slowly the virtual time goes.
    const TOLD_EACH: u64 = 4096;
    let end = Time::ZERO + scenario.duration;
    let warm = Time::ZERO + scenario.warmup;
    let mut statistics_from = Time::ZERO;
    let mut next_row = world.series.as_ref().map_or(Time::MAX, |series| Time::ZERO + series.step());
    let mut told_after = 0;
    while world.now < end {
        let warming = statistics_from < warm;
        let pause = if warming { warm } else { end };
        let pause = pause.min(next_row).min(world.step_ends()).min(world.others.due()).min(end);
        if world.run_until(pause, told_after + TOLD_EACH - world.events)? {
            if world.now == world.others.due() {
                world.look();
            }
            world.end_step();
            if world.now == next_row {
                next_row = world.sample().map_or(Time::MAX, |step| world.now + step);
            }
            if warming && world.now == warm {
                world.reset();
                statistics_from = warm;
            }
        }
        if world.events - told_after >= TOLD_EACH {
            told_after = world.events;
            let done = world.now.as_secs_f64() / scenario.duration.as_secs_f64();
            if progress.as_mut().is_some_and(|progress| !progress(done)) {
                break;
            }
        }
    }
    Ok(statistics_from)
}
