//! The routers on the way to a server, and the time that each takes to answer: datagrams whose time
//! to live ends at the first router, the second and so on, until the server itself answers.
//!
//! All of them go from one local port to the server's port of probes, so that routers that spread
//! flows over several ways send them all the same way. The server understands these datagrams and
//! answers those that reach it, so no other sign of delivery is needed. Where routers quote only
//! the header of a discarded packet (RFC 1812 section 4.3.2.3 wants more), an answer counts if only
//! one probe can have caused it.
//!
//! This needs no privilege, but Linux: on other systems no socket reports which router has
//! discarded its packets.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};

use kernel::Clock;
use observation::HopProbe;

mod pending;
mod prober;
mod quote;
mod schedule;

use prober::Prober;

/// Probes the path until it is told to stop, about once a second for each hop. Returns all probes
/// in the order in which they were sent. Must be called in a thread of its own.
///
/// `test` is the running test's key in probes: the first 8 bytes of its name.
///
/// # Errors
/// If there is no socket for this, or no route to the server at the beginning; `Unsupported` on
/// systems other than Linux. A later failure is a probe without an answer.
pub fn probe(
    server: SocketAddr,
    test: u64,
    clock: Clock,
    stop: &AtomicBool,
) -> io::Result<Vec<HopProbe>> {
    let mut prober = Prober::new(server, test, clock)?;
    while !stop.load(Ordering::Relaxed) {
        prober.turn()?;
    }
    Ok(prober.finish())
}
