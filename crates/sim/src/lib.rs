//! The discrete-event simulator, which drives links and transports in virtual time.
//!
//! [`run`] is a function of the scenario, seed included: the same bytes come out on every machine.
//! Nothing in this crate reads a clock. The caller can measure the processor time of a run.

mod agenda;
mod build;
mod capture;
mod chain;
mod congestion;
mod direction;
mod error;
mod fit;
mod flow;
mod hops;
mod lookahead;
mod observer;
mod offer_times;
mod outcome;
mod packet;
mod payloads;
mod queue;
mod simulation;
mod standstill;
mod store;
mod supervisor;
mod world;

use std::io::Write;

pub use meter::{QueueState, SeriesOptions, StayOptions, check_series_step, timeline_step};
use results::Document;
use scenario::Scenario;
use tables::FateSink;
use units::Span;

pub use congestion::ForeignCongestion;
pub use error::Error;
pub use fit::fit;
pub use queue::{
    Action, Choice, ForeignAqm, ForeignDiscipline, ForeignKind, ForeignQueue, QueuedPacket,
};
pub use simulation::{Setup, Simulation};
pub use supervisor::{Supervised, Supervisor};

/// The destination and the content of a capture (pcapng).
pub type PcapOptions = meter::CaptureOptions<Box<dyn Write + Send>>;

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
    /// The congestion controls of the caller, each in place of that of a flow in the scenario. Of
    /// several for one flow the first counts.
    pub congestion: Vec<ForeignCongestion>,
    /// The place for the state of each queue at the end of the run, in the order of the directions
    /// and without those of the caller; `None` for none.
    pub queues: Option<&'a mut Vec<QueueState>>,
    /// The packets of one queue, one by one, in some short stretches of the run; `None` for none.
    pub stays: Option<StayOptions<'a>>,
    /// A function that is called often with the part of the run that is done, from 0 to 1. If the
    /// function returns `false` the run ends: its result is that of the time up to then, which is
    /// in [`interrupted_s`](Document::interrupted_s). `None` for a run that nobody watches.
    pub progress: Option<Box<dyn FnMut(f64) -> bool + 'a>>,
    /// True for a result whose [`scenario`](Document::scenario) stays empty: of one of many runs, from
    /// which only figures are kept.
    pub without_scenario: bool,
    /// A program that looks at the run now and then, and changes its queues; `None` for none.
    pub supervisor: Option<&'a mut dyn Supervisor>,
}

/// Runs the scenario.
///
/// # Errors
/// If the scenario asks for a feature that the simulator does not have ([`fit()`]) or changes a queue
/// that the caller replaces, if an output cannot be written, or if the clock of the run stands still.
pub fn run(scenario: &Scenario, options: Options<'_>) -> Result<Document, Error> {
    let Options { series, packets, pcap, timeline, foreign, congestion, .. } = options;
    let setup = Setup { series, packets, timeline, foreign, congestion };
    let mut simulation = Simulation::new(scenario, setup)?;
    if let Some(pcap) = pcap {
        simulation.capture(pcap)?;
    }
    if let Some(stays) = &options.stays {
        simulation.record_stays(stays);
    }
    simulation.run(options.progress, options.supervisor)?;
    if let Some(stays) = options.stays {
        *stays.windows = simulation.take_stays();
    }
    if let Some(queues) = options.queues {
        *queues = simulation.queues();
    }
    match options.without_scenario {
        true => simulation.finish_without_scenario(),
        false => simulation.finish(),
    }
}
