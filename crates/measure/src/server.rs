//! The far end of a test: it sends and takes load, answers probes, and notes what it sees.
//!
//! Anybody may be its client, so all that a client can make it do has [`Bounds`], and it answers
//! only who has proved that it can receive at its address: over TCP by having connected, over UDP
//! by a cookie. No answer to a datagram is longer than the datagram.

mod bounds;
mod challenges;
mod congestion;
mod control;
pub mod conversation;
mod door;
mod echo;
mod flow;
mod listen;
mod lobby;
mod notes;
mod object;
mod probes;
mod talk;
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
use echo::Echo;
use listen::Place;
use lobby::Lobby;
use probes::Cookies;
use test::Tests;

/// What a server is to be like.
#[derive(Clone, Default)]
pub struct Options {
    /// Where to listen; nowhere means: at all addresses of this machine.
    pub addresses: Vec<SocketAddr>,
    /// The port, TCP and UDP, if no addresses are given; 0 is any that is free.
    pub port: u16,
    /// What strangers can make it do.
    pub bounds: Bounds,
    /// How it controls congestion, whatever clients wish; if not given, as they wish, or by CUBIC
    /// where this program may use it.
    pub congestion: Option<String>,
    /// What clients must know, if anything.
    pub token: Option<Token>,
    /// What is wrong with its clock, to try whether that misleads a client.
    pub fault: Option<Fault>,
}

/// A test that is over.
#[derive(Clone, Debug, PartialEq)]
pub struct Account {
    /// For whom.
    pub client: SocketAddr,
    /// What it called itself; any text.
    pub program: String,
    /// How long it was.
    pub lasted: Span,
    /// Application bytes that arrived.
    pub up: Bytes,
    /// Application bytes that the client acknowledged.
    pub down: Bytes,
    /// Probes that arrived, and were answered.
    pub probes: u64,
}

/// Why there is no server.
#[derive(Debug, Error)]
pub enum ServerError {
    /// It cannot listen there.
    #[error("cannot listen on {what} {address}: {cause}")]
    Listen {
        /// TCP or UDP.
        what: &'static str,
        /// Where.
        address: SocketAddr,
        /// Why not.
        cause: io::Error,
    },
    /// It cannot control congestion as it is to.
    #[error(transparent)]
    Congestion(#[from] kernel::CongestionError),
    /// The machine does not give what it needs.
    #[error("cannot {what}: {cause}")]
    Machine {
        /// What it wanted to do.
        what: &'static str,
        /// Why not.
        cause: io::Error,
    },
}

/// A server that listens.
pub struct Server {
    places: Vec<Place>,
    congestion: Congestion,
    options: Options,
    stop: watch::Sender<bool>,
}

/// Stops a server, from any thread.
#[derive(Clone)]
pub struct Stopper(watch::Sender<bool>);

/// What all parts of a server share.
struct Shared {
    bounds: Bounds,
    token: Option<Arc<Token>>,
    clock: ServerClock,
    tests: Arc<Tests>,
    lobby: Arc<Lobby>,
    cookies: Cookies,
    noise: Vec<u8>,
    congestion: Congestion,
    tell: Box<dyn Fn(&Account) + Send + Sync>,
}

/// Bytes of load that are made once and sent again and again: more than any compressor on the way
/// looks back.
const NOISE: usize = 1 << 20;

/// How long connections may take to end when the server stops.
const FAREWELL: Duration = Duration::from_millis(200);

impl Server {
    /// Listens. Clients that come from now on will be served once it runs.
    ///
    /// # Errors
    /// If it cannot listen there, or not control congestion as it is to.
    pub fn bind(options: Options) -> Result<Self, ServerError> {
        let places = listen::places(&options.addresses, options.port)?;
        let congestion = Congestion::new(options.congestion.clone());
        for Place { tcp, .. } in &places {
            congestion.listen(tcp)?;
        }
        Ok(Self { places, congestion, options, stop: watch::Sender::new(false) })
    }

    /// Where it listens.
    pub fn addresses(&self) -> Vec<SocketAddr> {
        self.places.iter().map(|place| place.address).collect()
    }

    /// What stops it.
    pub fn stopper(&self) -> Stopper {
        Stopper(self.stop.clone())
    }

    /// Serves until it is stopped. `tell` is told of each test that is over.
    ///
    /// # Errors
    /// If the machine does not give it threads or descriptors.
    pub fn run(self, tell: impl Fn(&Account) + Send + Sync + 'static) -> Result<(), ServerError> {
        let shared = Arc::new(Shared::new(self.options, self.congestion, Box::new(tell))?);
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        let runtime = runtime.map_err(machine("start threads"))?;
        let mut echoes = Vec::new();
        for Place { tcp, udp, .. } in self.places {
            let echo = Echo::start(udp, Arc::clone(&shared));
            echoes.push(echo.map_err(machine("start a thread"))?);
            let _inside = runtime.enter();
            let listener = tokio::net::TcpListener::from_std(tcp).map_err(machine("listen"))?;
            runtime.spawn(door::open(listener, Arc::clone(&shared)));
        }
        // The sender is ours, so that it cannot be gone.
        let _ = runtime.block_on(self.stop.subscribe().wait_for(|stop| *stop));
        runtime.shutdown_timeout(FAREWELL);
        Ok(())
    }
}

impl Stopper {
    /// Stops it.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

impl ServerError {
    /// Does this machine not have such addresses at all?
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
            lobby: Lobby::new(&options.bounds),
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

/// What a thread that panicked left behind is as good as before: no update has two steps.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
