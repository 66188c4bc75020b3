//! A run that its caller advances.

use std::io;
use std::ops::Deref;

use meter::{
    InstrumentOptions, Instruments, Network, QueueState, SeriesOptions, StayOptions, StayRecorder,
    TimelineOptions,
};
use results::{Document, QueueWindow};
use scenario::Scenario;
use tables::FateSink;
use units::{Span, Time};

use crate::capture::Capture;
use crate::chain::Ahead;
use crate::lookahead::Lookahead;
use crate::standstill::Standstill;
use crate::world::World;
use crate::{
    Error, ForeignCongestion, ForeignQueue, PcapOptions, Supervised, Supervisor, build, fit,
    outcome,
};

/// The outputs of a [`Simulation`], and the parts of the caller. The fields are those of
/// [`Options`](crate::Options).
#[derive(Default)]
pub struct Setup {
    /// The table of quantities over time; `None` for no table.
    pub series: Option<SeriesOptions>,
    /// The destination of the fate of each packet on each link; `None` for none.
    pub packets: Option<Box<dyn FateSink + Send>>,
    /// The length of a step of the result's timeline; `None` for a result without it.
    pub timeline: Option<Span>,
    /// The queues of the caller.
    pub foreign: Vec<ForeignQueue>,
    /// The congestion controls of the caller.
    pub congestion: Vec<ForeignCongestion>,
}

/// A run that its caller advances: between two steps, the caller looks at it and changes it.
///
/// However a run is divided into steps, its result is that of [`run`](crate::run), unless the caller
/// changes something.
pub struct Simulation<S> {
    scenario: S,
    world: World,
    /// The number of the scenario's changes that have been made.
    changed: usize,
}

impl<S: Deref<Target = Scenario>> Simulation<S> {
    /// The run at time zero.
    ///
    /// # Errors
    /// If the scenario asks for a feature that the simulator does not have ([`fit()`](crate::fit())),
    /// if a part of the caller has no place in it, or if an output cannot be written.
    pub fn new(scenario: S, mut setup: Setup) -> Result<Self, Error> {
        setup.congestion.iter().try_for_each(|it| it.check(&scenario)).map_err(Error::Unfit)?;
        setup.foreign.iter().try_for_each(|it| it.check(&scenario)).map_err(Error::Unfit)?;
        let configs = fit::configs(&scenario, &setup.congestion).map_err(Error::Unfit)?;
        let has_fates = setup.packets.is_some();
        // A caller's queues may know of each other.
        let is_watched = has_fates || !setup.foreign.is_empty();
        let instruments = instruments(&scenario, &mut setup)?;
        let mut world = build::world(&scenario, &configs, setup.foreign, instruments);
        if has_fates {
            world.note_offer_times();
        }
        if is_watched {
            world.separate_links();
        }
        Ok(Self { scenario, world, changed: 0 })
    }

    /// The time up to which the run has come.
    pub fn now(&self) -> Time {
        self.world.now
    }

    /// The scenario of the run.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// Advances the run to this time, or to its end if that is earlier. What happens at this very time
    /// is left to the next step, but for changes of the scenario.
    ///
    /// # Errors
    /// If the clock stands still.
    pub fn advance(&mut self, until: Time) -> Result<(), Error> {
        self.advance_beside(until, &mut Beside { progress: None, supervisor: None })
    }

    /// What a program beside the run can see and change now.
    pub fn control(&mut self) -> Supervised<'_> {
        Supervised::new(&mut self.world, &self.scenario)
    }

    /// The result up to now.
    ///
    /// # Errors
    /// If an output cannot be written.
    pub fn finish(self) -> Result<Document, Error> {
        let scenario = self.scenario.to_json();
        Ok(Document { scenario, ..self.finish_without_scenario()? })
    }

    /// The result up to now, whose [`scenario`](Document::scenario) is empty.
    pub(crate) fn finish_without_scenario(mut self) -> Result<Document, Error> {
        self.world.finish_files()?;
        Ok(outcome::document(&self.scenario, self.world))
    }

    /// Advances the run to its end, or until `progress` returns `false`.
    pub(crate) fn run<'a>(
        &mut self,
        mut progress: Option<Box<dyn FnMut(f64) -> bool + 'a>>,
        supervisor: Option<&mut (dyn Supervisor + 'a)>,
    ) -> Result<(), Error> {
        let end = self.end();
        self.advance_beside(end, &mut Beside { progress: progress.as_deref_mut(), supervisor })
    }

    /// Writes packets to a capture from now on.
    pub(crate) fn capture(&mut self, options: PcapOptions) -> io::Result<()> {
        self.world.capture = Some(Box::new(Capture::new(options, &self.scenario)?));
        self.world.separate_links();
        Ok(())
    }

    /// Records the packets of one queue from now on.
    pub(crate) fn record_stays(&mut self, options: &StayOptions<'_>) {
        self.world.note_offer_times();
        self.world.separate_links();
        if let Some(recorder) = StayRecorder::of(&self.scenario, options.direction) {
            self.world.instruments.record_stays(recorder);
        }
    }

    /// The packets of the recorded queue.
    pub(crate) fn take_stays(&mut self) -> Vec<QueueWindow> {
        self.world.instruments.take_stays()
    }

    /// The state of each queue of the scenario now.
    pub(crate) fn queues(&mut self) -> Vec<QueueState> {
        self.world.queues(&self.scenario)
    }

    fn end(&self) -> Time {
        Time::ZERO + self.scenario.duration
    }

    /// Advances the run, with pauses for the instruments, for changes of links, for the supervisor and
    /// for progress.
    fn advance_beside(&mut self, until: Time, beside: &mut Beside<'_, '_>) -> Result<(), Error> {
        let mut end = until.min(self.end());
        let Self { scenario, world, changed } = self;
        let scenario: &Scenario = scenario;
        let mut lookahead = Lookahead::new(world.turns, world.now, beside.progress.is_some());
        while world.now < end {
            let change = scenario.changes.get(*changed);
            let next_change = change.map_or(Time::MAX, |change| Time::ZERO + change.at);
            let step_ends = next_change.min(beside.due()).min(end);
            let look = world.instruments.due().min(step_ends);
            let horizon = lookahead.horizon(look, world.instruments.counts_due().min(step_ends));
            let is_there = world
                .run_until(Ahead { look, horizon }, lookahead.turns_left(world.turns))
                .map_err(|standstill: Standstill| Error::of(standstill, scenario))?;
            if is_there && world.now == world.instruments.due() {
                world.tick();
            }
            make_changes(world, scenario, changed);
            let acting = beside.supervisor.as_mut().filter(|it| is_there && it.due() <= world.now);
            if let Some(supervisor) = acting {
                supervisor.act(&mut Supervised::new(world, scenario));
            }
            let done = || world.now.as_secs_f64() / scenario.duration.as_secs_f64();
            if lookahead.is_question_due(world.turns, world.now)
                && beside.progress.as_mut().is_some_and(|progress| !progress(done()))
            {
                (end, beside.progress) = (horizon, None);
            }
        }
        Ok(())
    }
}

/// Makes the changes that the scenario asks for now. Adds them to the number of those that have been made.
fn make_changes(world: &mut World, scenario: &Scenario, made: &mut usize) {
    let now = world.now;
    let later = scenario.changes[*made..].iter();
    for change in later.take_while(|change| Time::ZERO + change.at == now) {
        world.change(change, scenario.direction(change.direction));
        *made += 1;
    }
}

/// The instruments that the setup asks for. Takes the destinations of the tables out of it.
pub(crate) fn instruments(scenario: &Scenario, setup: &mut Setup) -> io::Result<Instruments> {
    Instruments::new(InstrumentOptions {
        network: Network::of(scenario),
        start: Time::ZERO,
        warmup: scenario.warmup,
        fates: setup.packets.take(),
        series: setup.series.take(),
        timeline: setup.timeline.map(|step| TimelineOptions::of(scenario, step)),
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
