//! Targets of one connection for each probe: TCP, and HTTPS on top of it.

use std::io;
use std::net::SocketAddr;
use std::rc::Rc;

#[cfg(feature = "https")]
use observation::ProbeFailure;
use observation::{LATE, PATIENCE, ProbeOutcome};
use tokio::net::TcpStream;
use tokio::task::spawn_local;
use tokio::time::{Duration, timeout};
use units::{Span, Time};

#[cfg(feature = "https")]
use super::https::{REFUSED, fault};
use super::{FRESH, Job};
use crate::asker::failure;
use crate::context::{Report, Sent};
use crate::resolve::is_address;

/// The most connections to one target that are on their way at once.
const MOST: usize = 64;

/// What a connection is made for.
pub(crate) enum Connections {
    /// The handshake of TCP alone.
    Tcp,
    /// The answer of a web server.
    #[cfg(feature = "https")]
    Https(super::https::Tls, String),
}

/// Probes a target for ever.
pub(crate) async fn watch_connections(job: Job, connections: Connections) {
    let (job, connections) = (Rc::new(job), Rc::new(connections));
    let mut slots = job.slots();
    let (mut address, mut looked) = (None, Time::ZERO);
    let under_way = Rc::new(());
    loop {
        let now = job.context.clock.now();
        let is_old = !is_address(&job.target.host) && now.since(looked) > FRESH;
        let known = match address.filter(|_| !is_old) {
            Some(known) => known,
            None => job.address(&mut slots, address).await,
        };
        if address != Some(known) || is_old {
            (address, looked) = (Some(known), now);
        }
        job.context.until(slots.due(job.context.clock.now(), job.every())).await;
        let sent = job.sent(&mut slots);
        // The count of those who hold it, without this one.
        if Rc::strong_count(&under_way) <= MOST {
            let (job, connections, place) = (job.clone(), connections.clone(), under_way.clone());
            spawn_local(async move {
                probe(&job, &connections, known, sent).await;
                drop(place);
            });
        }
    }
}

/// Makes one connection, and tells what came of it.
async fn probe(job: &Job, connections: &Connections, address: SocketAddr, sent: Sent) {
    let context = &job.context;
    let breaks = context.breaks();
    let duration = |span: Span| Duration::from_nanos(span.as_nanos());
    let mut work = Box::pin(connect(job, connections, address, sent.at));
    let done = match timeout(duration(LATE), &mut work).await {
        Ok(done) => Some(done),
        Err(_) => {
            context.report(Report::Awaited(job.index, sent));
            timeout(duration(PATIENCE - LATE), work).await.ok()
        }
    };
    // What was measured while this machine stood still is the machine's time.
    if context.breaks() == breaks && context.runs(context.clock.now()) {
        context.tell(job.index, sent, done.unwrap_or(ProbeOutcome::Lost));
    }
}

async fn connect(
    job: &Job,
    connections: &Connections,
    address: SocketAddr,
    sent: Time,
) -> ProbeOutcome {
    let clock = job.context.clock;
    let round_trip = |round_trip| ProbeOutcome::Answered { round_trip, up: None, kept: None };
    let stream = match TcpStream::connect(address).await {
        Ok(stream) => stream,
        // A host that refuses has answered.
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            return match connections {
                Connections::Tcp => round_trip(clock.now().since(sent)),
                #[cfg(feature = "https")]
                Connections::Https(..) => unanswered(job, REFUSED),
            };
        }
        // The kernel gives up after some minutes, and nobody waits so long.
        Err(error) if error.kind() == io::ErrorKind::TimedOut => return ProbeOutcome::Lost,
        Err(error) => return ProbeOutcome::Failed(failure(&error)),
    };
    // What was lost is lost, whatever the kernel sends again.
    let Some(handshake) = kernel::handshake(&stream, clock.now().since(sent)) else {
        return ProbeOutcome::Lost;
    };
    match connections {
        Connections::Tcp => round_trip(handshake),
        #[cfg(feature = "https")]
        Connections::Https(tls, path) => match tls.head(stream, &job.target.host, path).await {
            Ok(()) => round_trip(clock.now().since(sent)),
            Err(error) => unanswered(job, &fault(&error)),
        },
    }
}

/// A probe without a good answer, for this reason.
#[cfg(feature = "https")]
fn unanswered(job: &Job, why: &str) -> ProbeOutcome {
    job.context.report(Report::Detail(job.index, why.to_owned()));
    ProbeOutcome::Failed(ProbeFailure::Answer)
}
