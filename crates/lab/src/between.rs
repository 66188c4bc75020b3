//! Lends the links of a scenario to the caller's own sockets, mostly for programs that measure.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use live::{Clock, Health};
use results::Document;
use scenario::Scenario;
use units::Time;

use crate::outcome::document;
use crate::over::Node;
use crate::plan::Plan;
use crate::recorder::{Datagrams, Recorder, Shared};
use crate::stage::Stage;
use crate::{LabError, Options, fit};

/// The result of a caller's use of the links.
#[derive(Debug)]
pub struct Between<T> {
    /// The result document. As that of a command, it has links and no flows.
    pub document: Document,
    /// The packets of UDP and ICMP at each queue.
    pub datagrams: Datagrams,
    /// The value that the caller's `work` returned.
    pub answer: T,
}

/// Joins the nodes of a scenario by its links while `work` runs. `work` gets the nodes, in the
/// order in which the links name them, and the clock of the [`Datagrams`]. The scenario's flows are
/// not run. Call [`isolate`](crate::isolate) first.
///
/// # Errors
/// If the machine forbids something that is needed, or if writing fails. Only things that `work`
/// made are left behind.
pub fn between<T>(
    scenario: &Scenario,
    mut options: Options<'_>,
    work: impl FnOnce(&[Node<'_>], Clock) -> T,
) -> Result<Between<T>, LabError> {
    let scenario = Scenario { flows: Vec::new(), ..scenario.clone() };
    fit(&scenario)?;
    let plan = Plan::of(&scenario);
    let mut stage = Stage::build(&scenario, &plan, &options)?;
    let shared = Arc::new(Shared::default());
    let recorder =
        Recorder::new(&scenario, &plan, &mut options, [].into(), shared.clone(), Time::MAX);
    let mut recorder = recorder.map_err(LabError::Output)?.with_datagrams();
    // `work` uses the nodes while the loop has the stage.
    let nodes = std::mem::take(&mut stage.nodes);
    let named = nodes.iter().zip(&plan.nodes);
    let named: Vec<Node<'_>> =
        named.map(|(namespace, node)| Node { namespace, address: node.v4 }).collect();
    let work = |clock| work(&named, clock);
    let (health, answer) = perform(&mut stage, &mut recorder, &shared.stop, work)?;
    let datagrams = recorder.take_datagrams().unwrap_or_default();
    let lasted = Scenario { duration: recorder.lasted(), ..scenario };
    let document = document(&lasted, &stage, recorder, &health, Vec::new(), options.queues)?;
    Ok(Between { document, datagrams, answer })
}

/// Runs the loop on a thread of its own while `work` runs on this one.
fn perform<T>(
    stage: &mut Stage,
    recorder: &mut Recorder,
    stop: &AtomicBool,
    work: impl FnOnce(Clock) -> T,
) -> Result<(Health, T), LabError> {
    let clock = Clock::start();
    thread::scope(|scope| {
        let over = Over(stop);
        let packets = thread::Builder::new().name("packets".into());
        let packets = packets.spawn_scoped(scope, || stage.run(clock, recorder));
        let packets = packets.map_err(|error| LabError::Machine(format!("no thread: {error}")))?;
        let answer = work(clock);
        drop(over);
        let health = packets.join().map_err(|_| {
            LabError::Machine("the loop that moves packets has failed; please report this".into())
        })?;
        let health =
            health.map_err(|error| LabError::Machine(format!("moving packets: {error}")))?;
        Ok((health, answer))
    })
}

/// Ends the loop when dropped, on every way out.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
