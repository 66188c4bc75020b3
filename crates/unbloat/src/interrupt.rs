//! Ctrl-C: once to finish within a second and keep what there is, twice to stop at once. Around a
//! command in the lab the first is the command's while it runs. Ctrl-\ always stops at
//! once. Whoever was interrupted exits with 3, but for a command in the lab, whose code it is, and a
//! server, which ends in no other way.

use std::fmt;
#[cfg(unix)]
use std::io;
use std::process::{self, ExitCode};
#[cfg(unix)]
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

#[cfg(unix)]
use signal_hook::consts::{SIGINT, SIGQUIT, SIGTERM};
#[cfg(unix)]
use signal_hook::flag;
#[cfg(unix)]
use signal_hook::iterator::Signals;

use crate::failure::Failure;
use crate::output;
use crate::staged;

static ASKED: AtomicBool = AtomicBool::new(false);

/// The exit code of whoever was interrupted.
pub(crate) const STOPPED: u8 = 3;

/// The time to finish in after the first interrupt, so that with the start and the end of all that
/// it takes it is no more than a second.
const TIME_TO_FINISH: Duration = Duration::from_millis(900);

/// From now on, until somebody listens, Ctrl-C (and a polite kill) ends us at once: nothing has
/// begun. It takes no thread, which the lab could not have yet.
#[cfg(unix)]
pub(crate) fn begin() -> io::Result<()> {
    let always = Arc::new(AtomicBool::new(true));
    for signal in [SIGINT, SIGTERM] {
        flag::register_conditional_shutdown(signal, STOPPED.into(), Arc::clone(&always))?;
    }
    Ok(())
}

/// From now on Ctrl-C (and a polite kill) asks us to finish.
pub(crate) fn watch() -> Result<(), Failure> {
    ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::Relaxed) {
            stop();
        }
        stop_in_time();
        output::note(
            "\nfinishing with what there is, within a second; interrupt again to stop at once",
        );
    })
    .map_err(|error| failure(&error))?;
    #[cfg(unix)]
    stop_on_quit().map_err(|error| failure(&error))?;
    Ok(())
}

/// From now on Ctrl-C (and a polite kill) stops us at once, but while a command runs in the lab, for
/// which it is then.
#[cfg(all(feature = "simulate", target_os = "linux"))]
pub(crate) fn stop_at_once() -> Result<(), Failure> {
    let listen = || {
        ctrlc::set_handler(|| stop()).map_err(|error| failure(&error))?;
        stop_on_quit().map_err(|error| failure(&error))
    };
    ::lab::deaf(listen).map_err(|error| failure(&error))?
}

/// Who quits by Ctrl-\ wants no result, and a program that ends of it would leave files half
/// written.
#[cfg(unix)]
fn stop_on_quit() -> io::Result<()> {
    let mut signals = Signals::new([SIGQUIT])?;
    let wait = move || {
        if signals.forever().next().is_some() {
            stop()
        }
    };
    thread::Builder::new().name("quit".into()).spawn(wait)?;
    Ok(())
}

/// Whatever waits meanwhile, for a server or for somebody who reads what we write, and whatever is
/// still to be done: after a second it is over. It says nothing, since that might wait as well.
#[expect(clippy::disallowed_methods, reason = "who interrupts waits no longer than that")]
fn stop_in_time() {
    let wait = || {
        thread::sleep(TIME_TO_FINISH);
        stop()
    };
    if thread::Builder::new().name("deadline".into()).spawn(wait).is_err() {
        stop();
    }
}

/// Nothing half written stays.
fn stop() -> ! {
    staged::discard_all();
    process::exit(STOPPED.into())
}

fn failure(error: &dyn fmt::Display) -> Failure {
    Failure::Run(format!("cannot listen for interrupts: {error}"))
}

/// How to exit after all is done.
pub(crate) fn exit() -> ExitCode {
    if asked() { ExitCode::from(STOPPED) } else { ExitCode::SUCCESS }
}

/// Are we to finish?
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}
