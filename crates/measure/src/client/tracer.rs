//! The way to the server, probed in a thread of its own. A test does without it where it cannot be had.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use kernel::Clock;
use results::observation::HopProbe;

use crate::path;

/// The thread, from outside.
pub(super) struct Tracer {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Vec<HopProbe>>>,
}

impl Tracer {
    /// Begins to probe. `test` is as the probes name it.
    pub(super) fn start(server: SocketAddr, test: u64, clock: Clock) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&stop);
        let work = move || path::probe(server, test, clock, &told).unwrap_or_default();
        let thread = thread::Builder::new().name("path".into()).spawn(work).ok();
        Self { stop, thread }
    }

    /// Ends it: what was seen, which is nothing if there is no right to it.
    pub(super) fn stop(self) -> Vec<HopProbe> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.and_then(|thread| thread.join().ok()).unwrap_or_default()
    }
}
