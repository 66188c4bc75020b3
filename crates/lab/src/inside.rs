//! Runs a program at one end of a link. At the other end are a peer, and the way to the network of
//! the host.
//!
//! ```text
//!   command      near namespace     the loop        far namespace               host's network
//!   its init <-> kernel's stack <-> our link <-> kernel's stack: listeners <-> gateway <-> the world
//! ```

mod description;
mod names;
mod network_setup;

use std::ffi::OsString;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Builder, Scope, ScopedJoinHandle};

use gateway::{Gateway, IngressFilter, Waker, World};
use live::{Clock, Health};
use results::Document;
use sandbox::{CapabilitySet, Command, Launch, Namespace, Outcome, SandboxError, Signals, Watcher};
use scenario::Scenario;
use units::{Time, Way};

use crate::descriptors::Descriptors;
use crate::options::{AtPeer, Progress};
use crate::outcome::document;
use crate::plan::Plan;
use crate::recorder::{Recorder, Shared};
use crate::stage::Stage;
use crate::{LabError, Options};
use names::NameResolution;

/// The end of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The exit code; 128 + N if signal N killed the command, as in a shell.
    pub code: u8,
    /// The things that the command had to do without, one line each.
    pub notes: Vec<String>,
}

/// Runs `command` at the `from` end of the scenario's only link, until the command ends. The
/// scenario's flows are not run. Call [`isolate`](crate::isolate) first, and have `main` call
/// [`init`](crate::init()).
///
/// The command is in our process group and has our terminal, so that Ctrl-C reaches it. While it
/// runs, `SIGINT`, `SIGQUIT`, `SIGTERM` and `SIGHUP` do not end this process. Before and afterwards
/// they are the caller's business; start threads that listen for them in
/// [`with_signals_blocked`](crate::with_signals_blocked()). `SIGTERM` and `SIGHUP` end the command:
/// politely, and 0.6 s later by force. So does a `progress` that returns `false`. A second `SIGINT`
/// or `SIGTERM` within five seconds of one ends it by force at once.
///
/// The duration in the document is the time for which the link existed.
///
/// # Errors
/// If the command cannot be started, if the machine forbids what is needed, or if writing fails.
/// Nothing is left behind.
pub fn inside(
    scenario: &Scenario,
    command: &[OsString],
    mut options: Options<'_>,
) -> Result<(Document, Ended), LabError> {
    let plan = Plan::in_network(scenario, network_setup::free_network());
    let mut stage = Stage::build(scenario, &plan, &options)?;
    network_setup::open(&plan, &stage)?;
    let peer: [IpAddr; 2] = [plan.nodes[1].v4.into(), plan.nodes[1].v6.into()];
    let names = NameResolution::with(peer);
    let descriptors = Descriptors::raise_to(gateway::ENOUGH);
    let most = gateway::most(descriptors.now);
    // Other threads would take the signals, so this comes before there are any.
    let signals = Signals::hold_back().map_err(no("signals"))?;
    let world = World::new(peer, names.resolvers);
    let (gateway, waker) = Gateway::new(world, most).map_err(no("gateway"))?;
    let shared = Arc::new(Shared::default());
    let filter = IngressFilter::new(peer, most, waker.clone());
    let mut recorder =
        Recorder::new(scenario, &plan, &mut options, [].into(), shared.clone(), Time::MAX)
            .map_err(LabError::Output)?
            .with_ingress_filter(at_far_end(filter));
    let near = Command {
        words: command,
        environment: description::environment(scenario, peer[0]),
        namespace: stage.nodes[0].run(Namespace::current).flatten().map_err(no("namespace"))?,
        files: &names.files,
        descriptors: descriptors.before,
    };
    let (launch, mut watcher) = near.prepare(signals)?;
    let near = Near { launch, watcher: &mut watcher, progress: options.progress };
    let far = Far { gateway, waker, at_peer: options.at_peer, peer };
    let (health, outcome) = perform(&mut stage, &mut recorder, near, far, &shared)?;
    let Outcome { code, notes } = watcher.conclude(outcome)?;
    let notes = stage.forced.as_deref().map(forced).into_iter().chain(names.notes).chain(notes);
    let ended = Ended { code, notes: notes.collect() };
    // The document's duration is that of the command.
    let lasted = Scenario { duration: recorder.lasted(), ..scenario.clone() };
    let document = document(&lasted, &stage, recorder, &health, Vec::new(), options.queues)?;
    Ok((document, ended))
}

/// The note for the case that routes force a congestion control on sockets.
fn forced(congestion: &str) -> String {
    format!(
        "connections use {congestion} until their program chooses another after connecting: this \
         machine does not let programs choose {congestion}, and a choice before connecting is \
         ignored (`sysctl net.ipv4.tcp_allowed_congestion_control`)"
    )
}

/// The filter, for packets that travel to the far end.
fn at_far_end(mut filter: IngressFilter) -> crate::recorder::IngressFilter {
    Box::new(move |direction, view, packet| {
        direction.way() == Way::Reverse || filter.admits(view, packet.headers)
    })
}

/// The command at the near end.
struct Near<'run, 'command> {
    launch: Launch<'command>,
    watcher: &'run mut Watcher<'command>,
    progress: Option<Progress<'run>>,
}

/// The services at the far end.
struct Far<'a> {
    gateway: Gateway,
    waker: Waker,
    at_peer: Option<AtPeer<'a>>,
    peer: [IpAddr; 2],
}

/// The loop's health, and the end of the command.
type Performed = (Health, Result<Outcome, SandboxError>);

/// Runs loop, gateway, server and command on threads of their own, and the watcher on this one.
fn perform(
    stage: &mut Stage,
    recorder: &mut Recorder,
    near: Near<'_, '_>,
    far: Far<'_>,
    shared: &Shared,
) -> Result<Performed, LabError> {
    let Near { launch, watcher, mut progress } = near;
    let Far { gateway, waker, at_peer, peer } = far;
    let stop = &*shared.stop;
    thread::scope(|scope| {
        // Dropping `end` stops the other threads, so that the scope ends on every way out.
        let end = End { stop, waker };
        let far = stage.nodes[1].run(Namespace::current).flatten().map_err(no("namespace"))?;
        let packets = spawn(scope, "packets", || {
            // The loop opens sockets at the far end, also on ports that only root may open.
            stage.nodes[1].enter()?;
            sandbox::keep_only(CapabilitySet::NET_BIND_SERVICE)?;
            stage.run(Clock::start(), recorder)
        })?;
        let gateway = spawn(scope, "gateway", || {
            sandbox::keep_only(CapabilitySet::empty())?;
            gateway.run(stop)
        })?;
        let server = at_peer.map(|at_peer| {
            spawn(scope, "server", move || {
                far.enter()?;
                sandbox::keep_only(CapabilitySet::empty())?;
                at_peer(peer, stop);
                io::Result::Ok(())
            })
        });
        let server = server.transpose()?;
        let command = spawn(scope, "command", || launch.run())?;
        let is_wanted = || {
            let status = shared.status.lock().unwrap_or_else(PoisonError::into_inner).clone();
            progress.as_mut().is_none_or(|progress| progress(&status))
        };
        watcher.watch(|| packets.is_finished() || gateway.is_finished(), is_wanted);
        let outcome = command.join().map_err(broken("start of the command"))?;
        drop(end);
        let (health, gateway) = (packets.join(), gateway.join());
        let health = health.map_err(broken("loop that moves packets"))?;
        let health =
            health.map_err(|error| LabError::Machine(format!("moving packets: {error}")))?;
        gateway.map_err(broken("gateway"))?.map_err(no("gateway"))?;
        let server = server.map(|server| server.join().map_err(broken("server at the far end")));
        server.transpose()?.transpose().map_err(no("server at the far end"))?;
        Ok((health, outcome))
    })
}

/// Returns the error that the thread `what` has panicked.
fn broken<T>(what: &'static str) -> impl Fn(T) -> LabError {
    move |_| LabError::Machine(format!("the {what} has failed; please report this"))
}

/// Ends the loop, the gateway and the server when dropped.
struct End<'a> {
    stop: &'a AtomicBool,
    waker: Waker,
}

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.waker.wake();
    }
}

fn spawn<'scope, 'env, T: Send + 'scope>(
    scope: &'scope Scope<'scope, 'env>,
    name: &'static str,
    action: impl FnOnce() -> T + Send + 'scope,
) -> Result<ScopedJoinHandle<'scope, T>, LabError> {
    Builder::new().name(name.into()).spawn_scoped(scope, action).map_err(no("thread"))
}

/// Returns the error that the machine does not provide `what`.
fn no(what: &'static str) -> impl Fn(io::Error) -> LabError {
    move |error| LabError::Machine(format!("no {what} for the command: {error}"))
}
