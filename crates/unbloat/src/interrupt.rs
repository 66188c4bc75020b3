//! Ctrl-C: once to finish early and keep what there is, twice to stop at once. Around a command in
//! the lab once is enough: what there is to keep is its output. Ctrl-\ always stops at once.

use std::fmt;
#[cfg(unix)]
use std::io;
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
#[cfg(unix)]
use std::thread;

#[cfg(unix)]
use signal_hook::consts::SIGQUIT;
#[cfg(unix)]
use signal_hook::iterator::Signals;

use crate::failure::Failure;
use crate::output;
use crate::staged;

static ASKED: AtomicBool = AtomicBool::new(false);

/// The exit code of whoever was stopped before there was a result.
pub(crate) const STOPPED: u8 = 3;

/// From now on Ctrl-C (and a polite kill) asks us to finish.
pub(crate) fn watch() -> Result<(), Failure> {
    ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::Relaxed) {
            stop();
        }
        output::note("\nfinishing with what there is; interrupt again to stop at once");
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

/// Nothing half written stays.
fn stop() -> ! {
    staged::discard_all();
    process::exit(STOPPED.into())
}

fn failure(error: &dyn fmt::Display) -> Failure {
    Failure::Run(format!("cannot listen for interrupts: {error}"))
}

/// Are we to finish?
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}
