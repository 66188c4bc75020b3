//! The discrete-event simulator, which drives links and transports in virtual time.
//!
//! [`run`] is a function of the scenario, seed included: the same bytes come out on every machine.
//! Nothing in this crate reads a clock. The caller can measure the processor time of a run.

mod agenda;
mod build;
mod capture;
mod error;
mod fit;
mod flow;
mod hops;
mod observer;
mod offer_times;
mod outcome;
mod packet;
mod payloads;
mod queue;
mod standstill;
mod store;
mod supervisor;
mod world;

use std::io::{self, Write};

use meter::{InstrumentOptions, Instruments, Network, StayRecorder, TimelineOptions};
pub use meter::{QueueState, SeriesOptions, StayOptions, check_series_step, timeline_step};
use results::Document;
use scenario::Scenario;
use tables::FateSink;
use units::{Span, Time};

use capture::Capture;
pub use error::Error;
pub use fit::fit;
use offer_times::OfferTimes;
pub use queue::{ForeignAqm, ForeignQueue};
use standstill::Standstill;
pub use supervisor::{Supervised, Supervisor};
use world::World;

/// The destination and the content of a capture (pcapng).
pub type PcapOptions = meter::CaptureOptions<Box<dyn Write>>;

/// The outputs of a run besides its result.
#[derive(Default)]
pub struct Options<'a> {
    /// The table of quantities over time; `None` for no table.
    pub series: Option<SeriesOptions>,
    /// The destination of the fate of each packet on each link; `None` for none.
    pub packets: Option<Box<dyn FateSink + Send>>,
    /// The capture of the packets that pass one end of a link; `None` for no capture.
    pub pcap: Option<PcapOptions>,
    /// The length of a step of the result's [`timeline`](Document::timeline), more than zero;
    /// `None` for a result without it and without [`distributions`](Document::distributions). See
    /// [`timeline_step`].
    pub timeline: Option<Span>,
    /// The queues of the caller, each in place of a direction's queue in the scenario. Of several for
    /// one direction the first counts.
    pub foreign: Vec<ForeignQueue>,
    /// The place for the state of each queue at the end of the run, in the order of the directions
    /// and without those of the caller; `None` for none.
    pub queues: Option<&'a mut Vec<QueueState>>,
    /// The packets of one queue, one by one, in some short stretches of the run; `None` for none.
    pub stays: Option<StayOptions<'a>>,
    /// A function that is called often with the part of the run that is done, from 0 to 1. If the
    /// function returns `false` the run ends: its result is that of the time up to then, which is
    /// in [`interrupted_s`](Document::interrupted_s). `None` for a run that nobody watches.
    pub progress: Option<Box<dyn FnMut(f64) -> bool + 'a>>,
    /// A program that looks at the run now and then, and changes its queues; `None` for none.
    pub supervisor: Option<&'a mut dyn Supervisor>,
}

/// Runs the scenario.
///
/// # Errors
/// If the scenario asks for a feature that the simulator does not have ([`fit()`]) or changes a queue
/// that the caller replaces, if an output cannot be written, or if the clock of the run stands still.
pub fn run(scenario: &Scenario, mut options: Options<'_>) -> Result<Document, Error> {
    let configs = fit(scenario).map_err(Error::Unfit)?;
    let has_fates = options.packets.is_some();
    let foreign = std::mem::take(&mut options.foreign);
    foreign.iter().try_for_each(|queue| queue.check(scenario)).map_err(Error::Unfit)?;
    let instruments = instruments(scenario, &mut options)?;
    let mut world = build::world(scenario, &configs, foreign, instruments);
    let stays = options.stays.take();
    world.offer_times = (has_fates || stays.is_some()).then(OfferTimes::default);
    if let Some(recorder) = stays.as_ref().and_then(|it| StayRecorder::of(scenario, it.direction)) {
        world.instruments.record_stays(recorder);
    }
    if let Some(pcap) = options.pcap.take() {
        world.capture = Some(Box::new(Capture::new(pcap, scenario)?));
    }
    let mut beside = Beside {
        progress: options.progress.as_deref_mut(),
        supervisor: options.supervisor.as_deref_mut(),
    };
    advance(scenario, &mut world, &mut beside)
        .map_err(|standstill| Error::of(standstill, scenario))?;
    world.finish_files()?;
    if let Some(stays) = stays {
        *stays.windows = world.instruments.take_stays();
    }
    if let Some(queues) = options.queues {
        *queues = world.queues(scenario);
    }
    Ok(outcome::document(scenario, world))
}

/// The instruments that the options ask for. Takes the destinations of the tables out of the
/// options.
fn instruments(scenario: &Scenario, options: &mut Options<'_>) -> io::Result<Instruments> {
    Instruments::new(InstrumentOptions {
        network: Network::of(scenario),
        start: Time::ZERO,
        warmup: scenario.warmup,
        fates: options.packets.take(),
        series: options.series.take(),
        timeline: options.timeline.map(|step| TimelineOptions::of(scenario, step)),
    })
}

/// What accompanies a run.
struct Beside<'a, 'b> {
    /// The function that is told the part that is done; `None` for a run that nobody watches.
    progress: Option<&'a mut (dyn FnMut(f64) -> bool + 'b)>,
    /// The program that changes queues; `None` for none.
    supervisor: Option<&'a mut (dyn Supervisor + 'b)>,
}

impl Beside<'_, '_> {
    fn due(&self) -> Time {
        self.supervisor.as_ref().map_or(Time::MAX, |supervisor| supervisor.due())
    }
}

/// Runs the world to its end, with pauses for the instruments, for changes of links, for the
/// supervisor and for progress.
///
/// # Errors
/// If the clock stands still.
fn advance(
    scenario: &Scenario,
    world: &mut World,
    beside: &mut Beside<'_, '_>,
) -> Result<(), Standstill> {
    /// The number of events from one call of `progress` to the next: they take about a millisecond,
    /// however slowly the virtual time passes.
    const TOLD_EACH: u64 = 4096;
    let end = Time::ZERO + scenario.duration;
    let mut changes = scenario.changes.iter().peekable();
    let mut told_after = 0;
    while world.now < end {
        let next_change = changes.peek().map_or(Time::MAX, |change| Time::ZERO + change.at);
        let pause = world.instruments.due().min(next_change).min(beside.due()).min(end);
        let is_there = world.run_until(pause, told_after + TOLD_EACH - world.events)?;
        if is_there && world.now == world.instruments.due() {
            world.tick();
        }
        while let Some(change) = changes.next_if(|change| Time::ZERO + change.at == world.now) {
            world.change(change, scenario.direction(change.direction));
        }
        let acting = beside.supervisor.as_mut().filter(|it| is_there && it.due() <= world.now);
        if let Some(supervisor) = acting {
            supervisor.act(&mut Supervised::new(world, scenario));
        }
        if world.events - told_after >= TOLD_EACH {
            told_after = world.events;
            let done = world.now.as_secs_f64() / scenario.duration.as_secs_f64();
            if beside.progress.as_mut().is_some_and(|progress| !progress(done)) {
                break;
            }
        }
    }
    Ok(())
}
