//! A thread that probes the routers on the way to the server. Without permission a test runs
//! without it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use kernel::Clock;
use observation::HopProbe;

use crate::path;

/// The handle of the thread.
pub(super) struct Tracer {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Vec<HopProbe>>>,
}

impl Tracer {
    /// Starts the thread. `test` is the test's key in probes.
    pub(super) fn start(server: SocketAddr, test: u64, clock: Clock) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&stop);
        let work = move || path::probe(server, test, clock, &told).unwrap_or_default();
        let thread = thread::Builder::new().name("path".into()).spawn(work).ok();
        Self { stop, thread }
    }

    /// Stops the thread. Returns the probes; empty if they were not permitted.
    pub(super) fn stop(self) -> Vec<HopProbe> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.and_then(|thread| thread.join().ok()).unwrap_or_default()
    }
}
