//! Ctrl-C: once to finish early and keep what there is, twice to stop at once.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::Failure;
use crate::output;
use crate::staged;

static ASKED: AtomicBool = AtomicBool::new(false);

/// The exit code of whoever was interrupted twice.
const TWICE: i32 = 3;

/// From now on Ctrl-C (and a polite kill) asks us to finish.
pub(crate) fn watch() -> Result<(), Failure> {
    ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::Relaxed) {
            staged::discard_all();
            process::exit(TWICE);
        }
        output::note("\nfinishing with what there is; interrupt again to stop at once");
    })
    .map_err(|error| Failure::Run(format!("cannot listen for interrupts: {error}")))
}

/// Are we to finish?
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}
