//! The thread that asks the routers on the way, for as long as the test lasts.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use kernel::Clock;
use results::observation::HopProbe;

use crate::path;

/// Hops are probed until this is [stopped](Self::stop).
pub(super) struct Hops {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Vec<HopProbe>>>,
}

impl Hops {
    /// Begins. A machine that does not let us ask has no hops to tell of: the test goes on without.
    pub(super) fn start(server: SocketAddr, test: u64, clock: Clock) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&stop);
        let work = move || path::probe(server, test, clock, &told).unwrap_or_default();
        Self { stop, thread: thread::Builder::new().name("hops".into()).spawn(work).ok() }
    }

    /// Ends, and answers with all probes in the order in which they were sent.
    pub(super) fn stop(mut self) -> Vec<HopProbe> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().and_then(|thread| thread.join().ok()).unwrap_or_default()
    }
}

impl Drop for Hops {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}
