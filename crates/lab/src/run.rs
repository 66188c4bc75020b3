//! Runs a scenario in real time.

use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, PoisonError};
use std::thread;
use std::time::Duration;

use live::{Clock, Health};
use meter::StayRecorder;
use results::Document;
use scenario::Scenario;
use units::{Span, Time};

use crate::outcome::document;
use crate::plan::Plan;
use crate::recorder::{Recorder, Shared};
use crate::stage::Stage;
use crate::traffic::{FlowOutcome, Traffic};
use crate::{LabError, Options, Progress, fit};

/// The time until the clock starts, by which all threads are ready.
pub(crate) const READY: Span = Span::from_millis(100);
/// The time between two reports of progress.
const TOLD_EACH: Duration = Duration::from_millis(100);

/// Runs the scenario in real time. Call [`isolate`](crate::isolate) first.
///
/// # Errors
/// If the scenario is not [fit](crate::fit()) for a kernel, if the machine forbids something that
/// is needed, or if writing fails. Nothing is left behind.
pub fn run(scenario: &Scenario, mut options: Options<'_>) -> Result<Document, LabError> {
    fit(scenario)?;
    let plan = Plan::of(scenario);
    let mut stage = Stage::build(scenario, &plan, &options)?;
    let traffic = Traffic::prepare(&plan, &stage.nodes)?;
    let shared = Arc::new(Shared::default());
    let end = Time::ZERO + scenario.duration;
    let gauges = traffic.gauges();
    let mut recorder = Recorder::new(scenario, &plan, &mut options, gauges, shared.clone(), end)
        .map_err(LabError::Output)?;
    let stays = options.stays.take();
    if let Some(stays) = &stays {
        recorder.record_stays(StayRecorder::of(scenario, stays.direction));
    }
    let (health, flows) =
        perform(scenario, &mut stage, traffic, &mut recorder, &shared, options.progress)?;
    if let Some(stays) = stays {
        *stays.windows = recorder.take_stays();
    }
    document(scenario, &stage, recorder, &health, flows, options.queues)
}

/// Runs the loop and the traffic on threads of their own, and reports progress on this one.
fn perform(
    scenario: &Scenario,
    stage: &mut Stage,
    traffic: Traffic,
    recorder: &mut Recorder,
    shared: &Shared,
    progress: Option<Progress<'_>>,
) -> Result<(Health, Vec<FlowOutcome>), LabError> {
    let (warm, end) = (Time::ZERO + scenario.warmup, Time::ZERO + scenario.duration);
    let clock = Clock::starting_in(READY);
    let (over, is_over) = channel();
    thread::scope(|scope| {
        let work = || {
            let health = stage.run(clock, recorder);
            // Without the loop no packets are carried, whatever ended it.
            shared.stop.store(true, Ordering::Relaxed);
            drop(over);
            health
        };
        let packets = thread::Builder::new().name("packets".into()).spawn_scoped(scope, work);
        let packets = packets.map_err(|error| LabError::Machine(format!("no thread: {error}")))?;
        let flows = traffic.start(clock, warm, end, shared.stop.clone()).and_then(|running| {
            look_on(&is_over, shared, progress);
            running.finish()
        });
        shared.stop.store(true, Ordering::Relaxed);
        let health = packets.join().map_err(|_| {
            LabError::Machine("the loop that moves packets has failed; please report this".into())
        })?;
        // The loop's error comes first: errors of sockets may follow from it.
        let health = health.map_err(|error| {
            LabError::Machine(format!("moving packets: {error}; has somebody removed a device?"))
        })?;
        Ok((health, flows?))
    })
}

/// Reports progress until the run is over. Ends the run soon if `progress` returns false.
fn look_on(is_over: &Receiver<()>, shared: &Shared, mut progress: Option<Progress<'_>>) {
    while let Err(RecvTimeoutError::Timeout) = is_over.recv_timeout(TOLD_EACH) {
        let status = shared.status.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if progress.as_mut().is_some_and(|progress| !progress(&status)) {
            shared.stop.store(true, Ordering::Relaxed);
        }
    }
}
