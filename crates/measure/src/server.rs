//! The server end of a test: the server sends and receives load, answers probes, and records both.
//!
//! Anybody may be its client, so everything that a client can make it do has [`Bounds`]. It answers
//! only clients that have proved that they can receive at their address: over TCP by having
//! connected, over UDP by a cookie. No answer to a datagram is longer than the datagram.

mod acceptor;
mod bounds;
mod challenges;
mod congestion;
mod connections;
mod control;
pub mod conversation;
mod decimating_log;
mod echo;
mod flow;
mod flow_log;
mod framed;
mod listen;
mod object;
mod probe_log;
mod probes;
mod test;

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use thiserror::Error;
use tokio::sync::watch;
use units::{Bytes, Span};

pub use bounds::Bounds;

use crate::clock::{Fault, ServerClock};
use crate::token::Token;
use congestion::Congestion;
use connections::Connections;
use echo::Echo;
use listen::BoundSockets;
use probes::Cookies;
use test::Tests;

/// Settings of a server.
#[derive(Clone, Default)]
pub struct Options {
    /// The addresses to listen at; if empty, all addresses of this machine.
    pub addresses: Vec<SocketAddr>,
    /// The port, TCP and UDP, if no addresses are given; 0 is any that is free.
    pub port: u16,
    /// Limits on what clients can make the server do.
    pub bounds: Bounds,
    /// The congestion control of every connection, whatever clients ask for. `None` for the one
    /// that a client asks for, or else CUBIC where this program may use it.
    pub congestion: Option<String>,
    /// The token that clients must know; `None` if there is none.
    pub token: Option<Token>,
    /// A fault of the server's clock, to test whether it misleads a client; `None` for a true
    /// clock.
    pub fault: Option<Fault>,
}

/// A test that is over.
#[derive(Clone, Debug, PartialEq)]
pub struct Account {
    /// The client's address.
    pub client: SocketAddr,
    /// The client's own name for itself; any text.
    pub program: String,
    /// The test's duration.
    pub lasted: Span,
    /// Application bytes that were received.
    pub up: Bytes,
    /// Application bytes that the client's TCP acknowledged.
    pub down: Bytes,
    /// Probes that were received and answered.
    pub probes: u64,
}

/// The reasons why a server cannot run.
#[derive(Debug, Error)]
pub enum ServerError {
    /// The server cannot listen at this address.
    #[error("cannot listen on {what} {address}: {cause}")]
    Listen {
        /// The protocol: TCP or UDP.
        what: &'static str,
        /// The address.
        address: SocketAddr,
        /// The system's error.
        cause: io::Error,
    },
    /// The congestion control that the server was given cannot be used.
    #[error(transparent)]
    Congestion(#[from] kernel::CongestionError),
    /// The machine lacks a resource that the server needs.
    #[error("cannot {what}: {cause}")]
    Machine {
        /// The action that failed.
        what: &'static str,
        /// The system's error.
        cause: io::Error,
    },
}

/// A server that listens.
pub struct Server {
    bound: Vec<BoundSockets>,
    congestion: Congestion,
    options: Options,
    stop: watch::Sender<bool>,
}

/// A handle that stops a server, from any thread.
#[derive(Clone)]
pub struct Stopper(watch::Sender<bool>);

/// State that all parts of a server share.
struct Shared {
    bounds: Bounds,
    token: Option<Arc<Token>>,
    clock: ServerClock,
    tests: Arc<Tests>,
    connections: Arc<Connections>,
    cookies: Cookies,
    noise: Vec<u8>,
    congestion: Congestion,
    tell: Box<dyn Fn(&Account) + Send + Sync>,
}

/// The number of random bytes that are made once and sent again and again: more than the window of
/// any compressor on the path.
const NOISE: usize = 1 << 20;

/// The time that connections have to end when the server stops.
const FAREWELL: Duration = Duration::from_millis(200);

impl Server {
    /// Opens the listening sockets. Clients that connect before [`Self::run`] are served once it
    /// runs.
    ///
    /// # Errors
    /// If the server cannot listen at an address, or cannot use the congestion control that it was
    /// given.
    pub fn bind(options: Options) -> Result<Self, ServerError> {
        let bound = listen::places(&options.addresses, options.port)?;
        let congestion = Congestion::new(options.congestion.clone());
        for BoundSockets { tcp, .. } in &bound {
            congestion.listen(tcp)?;
        }
        Ok(Self { bound, congestion, options, stop: watch::Sender::new(false) })
    }

    /// The addresses at which the server listens.
    pub fn addresses(&self) -> Vec<SocketAddr> {
        self.bound.iter().map(|place| place.address).collect()
    }

    /// A handle that stops the server.
    pub fn stopper(&self) -> Stopper {
        Stopper(self.stop.clone())
    }

    /// Serves until the server is stopped. `tell` is called with each test that is over.
    ///
    /// # Errors
    /// If the machine has no more threads or descriptors.
    pub fn run(self, tell: impl Fn(&Account) + Send + Sync + 'static) -> Result<(), ServerError> {
        let shared = Arc::new(Shared::new(self.options, self.congestion, Box::new(tell))?);
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        let runtime = runtime.map_err(machine("start threads"))?;
        let mut echoes = Vec::new();
        for BoundSockets { tcp, udp, .. } in self.bound {
            let echo = Echo::start(udp, Arc::clone(&shared));
            echoes.push(echo.map_err(machine("start a thread"))?);
            let _inside = runtime.enter();
            let listener = tokio::net::TcpListener::from_std(tcp).map_err(machine("listen"))?;
            runtime.spawn(acceptor::accept(listener, Arc::clone(&shared)));
        }
        // `self` owns the sender, so the wait cannot fail.
        let _ = runtime.block_on(self.stop.subscribe().wait_for(|stop| *stop));
        runtime.shutdown_timeout(FAREWELL);
        Ok(())
    }
}

impl Stopper {
    /// Stops the server.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

impl ServerError {
    /// True if this machine has no addresses of the family at all.
    fn is_missing_family(&self) -> bool {
        // EAFNOSUPPORT and EADDRNOTAVAIL.
        let Self::Listen { cause, .. } = self else { return false };
        let missing = [rustix::io::Errno::AFNOSUPPORT, rustix::io::Errno::ADDRNOTAVAIL];
        missing.iter().any(|errno| cause.raw_os_error() == Some(errno.raw_os_error()))
    }
}

impl Shared {
    fn new(
        options: Options,
        congestion: Congestion,
        tell: Box<dyn Fn(&Account) + Send + Sync>,
    ) -> Result<Self, ServerError> {
        let mut noise = vec![0; NOISE];
        let mut key = [0; 32];
        let filled = getrandom::fill(&mut noise).and_then(|()| getrandom::fill(&mut key));
        filled.map_err(|error| machine("draw random bytes")(error.into()))?;
        Ok(Self {
            bounds: options.bounds,
            token: options.token.map(Arc::new),
            clock: ServerClock::start(options.fault),
            tests: Tests::new(options.bounds),
            connections: Connections::new(&options.bounds),
            cookies: Cookies::new(&key),
            noise,
            congestion,
            tell,
        })
    }
}

fn machine(what: &'static str) -> impl Fn(io::Error) -> ServerError {
    move |cause| ServerError::Machine { what, cause }
}

/// The guard of a mutex, also after a thread panicked with it: no update has two steps, so the data
/// are never half changed.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
