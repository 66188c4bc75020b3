//! Ctrl-C: once to finish early and keep what there is, twice to stop at once. Around a command in
//! the lab once is enough: what there is to keep is its output.

use std::fmt;
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::Failure;
use crate::output;
use crate::staged;

static ASKED: AtomicBool = AtomicBool::new(false);

/// The exit code of whoever was stopped at once.
const STOPPED: i32 = 3;

/// From now on Ctrl-C (and a polite kill) asks us to finish.
pub(crate) fn watch() -> Result<(), Failure> {
    ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::Relaxed) {
            stop();
        }
        output::note("\nfinishing with what there is; interrupt again to stop at once");
    })
    .map_err(|error| failure(&error))
}

/// From now on Ctrl-C (and a polite kill) stops us at once, but while a command runs in the lab, for
/// which it is then.
#[cfg(target_os = "linux")]
pub(crate) fn stop_at_once() -> Result<(), Failure> {
    let listening =
        ::lab::deaf(|| ctrlc::set_handler(|| stop())).map_err(|error| failure(&error))?;
    listening.map_err(|error| failure(&error))
}

/// Nothing half written stays.
fn stop() -> ! {
    staged::discard_all();
    process::exit(STOPPED)
}

fn failure(error: &dyn fmt::Display) -> Failure {
    Failure::Run(format!("cannot listen for interrupts: {error}"))
}

/// Are we to finish?
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}
