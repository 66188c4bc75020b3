//! The routers on the way to a server, and how long each takes to answer: datagrams whose time to
//! live ends at the first router, the second and so on, until the server itself answers.
//!
//! All of them go from one port of ours to the port where probes go, so that routers that spread
//! flows over several ways send them the same way as each other. They are datagrams that the server
//! understands, so that it answers those that reach it: no other sign of arrival is needed. Where
//! routers quote only the header of what they discard (RFC 1812 section 4.3.2.3 wants more), an
//! answer counts if there is one probe only that it can be about.
//!
//! It takes no rights, and Linux: elsewhere no socket is told which router has discarded what it
//! sent.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};

use kernel::Clock;
use results::observation::HopProbe;

mod pending;
mod prober;
mod quote;
mod schedule;

use prober::Prober;

/// Probes the path until it is told to stop, about once a second for each hop, and answers with all
/// probes in the order in which they were sent. It wants a thread of its own.
///
/// `test` names the running test: the first 8 bytes of what the server has called it.
///
/// # Errors
/// If there is no socket for this, or no way to the server when it begins; `Unsupported` on systems
/// other than Linux. What fails later is a probe without an answer.
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
