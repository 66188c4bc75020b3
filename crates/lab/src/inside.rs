//! Runs a program at one end of a link. At the other end are the world and a peer of ours.
//!
//! ```text
//!   command      near namespace     the loop        far namespace               host's network
//!   its init <-> kernel's stack <-> our link <-> kernel's stack: listeners <-> gateway <-> the world
//! ```

mod control;
mod description;
mod files;
mod gateway;
mod ingress;
mod init;
mod launch;
mod limit;
mod mounts;
mod network_setup;
mod peer;
mod recent;
mod resolver;
mod signals;
mod slots;
mod terminal;
mod watch;

use std::env;
use std::ffi::OsString;
use std::io;
use std::net::IpAddr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Builder, Scope, ScopedJoinHandle};

use live::{CapabilitySet, Clock, Health, Namespace};
use results::Document;
use scenario::Scenario;
use units::Time;

use crate::descriptors::Descriptors;
use crate::options::AtPeer;
use crate::outcome::document;
use crate::plan::Plan;
use crate::recorder::{Recorder, Shared};
use crate::stage::Stage;
use crate::{LabError, Options};
use files::Files;
use gateway::{Gateway, World};
use ingress::Waker;
use launch::{Launch, Over};
use signals::Signals;
pub use signals::with_signals_blocked;
use watch::Watcher;

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
/// [`init()`].
///
/// The command is in our process group and has our terminal, so that Ctrl-C reaches it. While it
/// runs, `SIGINT`, `SIGQUIT`, `SIGTERM` and `SIGHUP` do not end this process. Before and afterwards
/// they are the caller's business; start threads that listen for them in
/// [`with_signals_blocked()`]. `SIGTERM` and `SIGHUP` end the command: politely, and 0.6 s later by
/// force. So does a `progress` that returns `false`. A second `SIGINT` or `SIGTERM` within five
/// seconds of one ends it by force at once.
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
    let files = Files::with(peer);
    let descriptors = Descriptors::raise_to(limit::ENOUGH);
    let most = limit::most(descriptors.now);
    // Other threads would take the signals, so this comes before there are any.
    let signals = Signals::hold_back().map_err(no("signals"))?;
    let world = World::new(peer, files.resolvers.clone());
    let (gateway, waker) = Gateway::new(world, most).map_err(no("gateway"))?;
    let shared = Arc::new(Shared::default());
    let ingress_filter = ingress::ingress_filter(peer, most, waker.clone());
    let mut recorder =
        Recorder::new(scenario, &plan, &mut options, [].into(), shared.clone(), Time::MAX)
            .map_err(LabError::Output)?
            .with_ingress_filter(ingress_filter);
    let tty = signals.terminal().and_then(|terminal| terminal.for_shell(command));
    let (launch, line) = launch(scenario, command, &stage, (&files, descriptors, tty))?;
    let mut watcher = Watcher::new(signals, line, &shared, options.progress);
    let mover = (&mut stage, &mut recorder);
    let far = Far { gateway, waker, also: options.at_peer.map(|also| (also, peer)) };
    let (health, over) = perform(mover, far, launch, (&mut watcher, &shared.stop))?;
    let Over { code, notes } = watcher.judge(over, command)?;
    let notes = stage.forced.as_deref().map(forced).into_iter().chain(files.notes).chain(notes);
    let ended = Ended { code, notes: notes.collect() };
    // The document's duration is that of the command.
    let lasted = Scenario { duration: recorder.lasted(), ..scenario.clone() };
    Ok((document(&lasted, &stage, recorder, &health, Vec::new())?, ended))
}

/// A note for the case that routes force a congestion control on sockets.
fn forced(congestion: &str) -> String {
    format!(
        "each connection has {congestion} until its program chooses another after connecting: this \
         machine lets nobody prefer {congestion}, and what is chosen before is passed over (`sysctl \
         net.ipv4.tcp_allowed_congestion_control`)"
    )
}

/// Looks after a command, if [`inside`] has started this process for that. The answer is then the
/// exit code; `None` in any other process. `main` must call this first.
pub fn init() -> Option<ExitCode> {
    let mut arguments = env::args_os();
    (arguments.next()? == init::NAME).then(|| init::main(arguments))
}

/// The command, ready to be started at the near end, and our end of the control line to its init.
fn launch<'a>(
    scenario: &Scenario,
    command: &'a [OsString],
    stage: &Stage,
    (files, descriptors, tty): (&'a Files, Descriptors, Option<BorrowedFd<'_>>),
) -> Result<(Launch<'a>, OwnedFd), LabError> {
    let (ours, theirs) = control::line().map_err(no("socket"))?;
    control::hand_over(&ours, io::stdin().as_fd(), tty).map_err(no("standard input"))?;
    let launch = Launch {
        command,
        environment: description::environment(scenario, files.peer),
        near: stage.nodes[0].run(Namespace::current).flatten().map_err(no("namespace"))?,
        files,
        descriptors: descriptors.before,
        line: theirs,
    };
    Ok((launch, ours))
}

/// The services at the far end.
struct Far<'a> {
    gateway: Gateway,
    waker: Waker,
    also: Option<(AtPeer<'a>, [IpAddr; 2])>,
}

/// The loop's health, and what became of the command.
type Performed = (Health, Result<Over, LabError>);

/// Runs loop, gateway, server and command on threads of their own, and the watcher on this one.
fn perform(
    (stage, recorder): (&mut Stage, &mut Recorder),
    Far { gateway, waker, also }: Far<'_>,
    launch: Launch<'_>,
    (watcher, stop): (&mut Watcher<'_>, &AtomicBool),
) -> Result<Performed, LabError> {
    thread::scope(|scope| {
        // Dropping `end` stops the other threads, so that the scope ends on every way out.
        let end = End { stop, waker };
        let far = stage.nodes[1].run(Namespace::current).flatten().map_err(no("namespace"))?;
        let packets = spawn(scope, "packets", || {
            // The loop opens sockets at the far end, also on ports that only root may open.
            stage.nodes[1].enter()?;
            live::keep_only(CapabilitySet::NET_BIND_SERVICE)?;
            stage.run(Clock::start(), recorder)
        })?;
        let gateway = spawn(scope, "gateway", || {
            live::keep_only(CapabilitySet::empty())?;
            gateway.run(stop)
        })?;
        let also = also.map(|(also, peer)| {
            spawn(scope, "server", move || {
                far.enter()?;
                live::keep_only(CapabilitySet::empty())?;
                also(peer, stop);
                io::Result::Ok(())
            })
        });
        let also = also.transpose()?;
        let command = spawn(scope, "command", || launch.run())?;
        watcher.watch(|| packets.is_finished() || gateway.is_finished());
        let over = command.join();
        drop(end);
        let (health, gateway) = (packets.join(), gateway.join());
        let broken = |what: &'static str| {
            move |_| LabError::Machine(format!("the {what} has failed; please report this"))
        };
        let health = health.map_err(broken("loop that moves packets"))?;
        let health =
            health.map_err(|error| LabError::Machine(format!("moving packets: {error}")))?;
        gateway.map_err(broken("gateway"))?.map_err(no("gateway"))?;
        let also = also.map(|also| also.join().map_err(broken("server at the far end")));
        also.transpose()?.transpose().map_err(no("server at the far end"))?;
        Ok((health, over.map_err(broken("start of the command"))?))
    })
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

/// An error: the machine does not give us a `what`.
fn no(what: &'static str) -> impl Fn(io::Error) -> LabError {
    move |error| LabError::Machine(format!("no {what} for the command: {error}"))
}
