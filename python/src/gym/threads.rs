//! The threads that step through episodes at the same time.

use std::process;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use pyo3::prelude::*;

/// Work in parts, of which each thread takes the next one until there is none.
pub(super) trait Work: Send + Sync {
    /// Does parts until none is left, on the caller's thread or on another.
    fn take_parts(&self, is_callers: bool);

    /// Waits for the parts that other threads have taken.
    fn wait(&self);
}

/// Some threads, the caller's among them.
///
/// The caller waits for parts of its work, and never for a thread: one that comes late finds nothing to do.
#[pyclass(frozen, module = "unbloat._unbloat")]
pub(crate) struct Threads {
    /// The process that has the other threads: none of them is in a fork of it.
    process: u32,
    others: Vec<SyncSender<Arc<dyn Work>>>,
}

#[pymethods]
impl Threads {
    /// This number of threads, at least one, or fewer if the system gives no more.
    #[new]
    fn new(number: usize) -> Self {
        let other = || {
            let (sender, work): (_, Receiver<Arc<dyn Work>>) = sync_channel(1);
            let serve = move || work.into_iter().for_each(|work| work.take_parts(false));
            thread::Builder::new().spawn(serve).ok().map(|_| sender)
        };
        let others = (1..number).map_while(|_| other()).collect();
        Self { process: process::id(), others }
    }
}

impl Threads {
    /// Does work of so many parts.
    pub(super) fn work(threads: Option<&Self>, work: &Arc<dyn Work>, parts: usize) {
        let others = threads.filter(|threads| threads.process == process::id());
        let others = others.map_or(&[][..], |threads| &threads.others);
        for other in others.iter().take(parts.saturating_sub(1)) {
            // A thread that still has work of the last step before it is not needed.
            let _ = other.try_send(Arc::clone(work));
        }
        work.take_parts(true);
        work.wait();
    }
}
