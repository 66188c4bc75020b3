//! Targets of one datagram for each probe: pings, servers of ours and of irtt, resolvers.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use measure::client::{RemoteServer, Session};
use observation::{ProbeFailure, ProbeOutcome};
use tokio::task::spawn_blocking;
use units::{Span, Time};

use super::{FRESH, Job};
use crate::asker::{Asker, failure};
use crate::context::{Report, Sent};
use crate::exchange::{Dns, Exchange, Irtt, Ping, Server};
use crate::pace::Slots;
use crate::resolve::is_address;
use crate::route::find_route;
use crate::target::TargetKind;

/// The time between two attempts to begin a test at a server of ours.
const AGAIN: Span = Span::from_secs(5);
/// The time between two attempts to open a socket, which cost nobody else anything.
const OPEN_AGAIN: Span = Span::from_secs(1);
/// The time between two looks at what is missing.
const LOOK: Span = Span::from_millis(500);

/// Probes a target for ever.
pub(crate) async fn watch_datagrams(job: Job) {
    let (mut slots, mut address) = (job.slots(), None);
    loop {
        address = Some(job.address(&mut slots, address).await);
        let Some(address) = address else { continue };
        match &job.target.kind {
            TargetKind::Ping => {
                let identifier = (job.context.seed as u16).wrapping_add(job.index as u16);
                ask(&job, &mut slots, Ping::new(address.ip(), identifier), |_| false).await;
            }
            TargetKind::Irtt => {
                ask(&job, &mut slots, Irtt::new(address, job.pace.fast), |_| false).await;
            }
            TargetKind::Dns(name) => {
                ask(&job, &mut slots, Dns::new(address, name), |_| false).await;
            }
            TargetKind::Server => ask_server(&job, &mut slots, address).await,
            TargetKind::Tcp | TargetKind::Https(_) => return,
        }
    }
}

/// Probes this machine's own loopback interface for ever.
pub(crate) async fn watch_machine(job: Job) {
    let identifier = (job.context.seed as u16).wrapping_add(job.index as u16);
    let mut slots = job.slots();
    loop {
        let ping = Ping::new(IpAddr::V4(Ipv4Addr::LOCALHOST), identifier);
        ask(&job, &mut slots, ping, |_| false).await;
    }
}

async fn ask_server(job: &Job, slots: &mut Slots, address: SocketAddr) {
    let server = RemoteServer {
        host: address.ip().to_string(),
        port: address.port(),
        token: job.token.clone(),
    };
    let opened = spawn_blocking(move || Session::open(&server));
    let (session, missed) = job.meanwhile(slots, opened).await;
    match session {
        Ok(Ok(session)) => return ask(job, slots, Server::new(session), Server::is_over).await,
        Ok(Err(error)) => job.context.report(Report::Detail(job.index, error.to_string())),
        Err(_) => {}
    }
    fail(job, slots, address, missed).await;
}

/// Tells of probes for which there is not even a request, until the time of the next attempt. Without a route the
/// target has not failed, but this machine's network.
async fn fail(job: &Job, slots: &mut Slots, address: SocketAddr, missed: Vec<Sent>) {
    let why = find_route(address).err().map_or(ProbeFailure::Unreachable, |it| failure(&it));
    job.fail(slots, missed, why);
    let (context, breaks) = (&job.context, job.context.breaks());
    let again = context.clock.now() + AGAIN;
    loop {
        let due = slots.due(context.clock.now(), job.pace.usual);
        context.until(due.min(again)).await;
        if due >= again || context.breaks() != breaks {
            return;
        }
        job.fail(slots, Vec::new(), why);
    }
}

/// Asks until the exchange is over, observation is broken off, or the name should be looked up again: a
/// socket keeps the address of this machine that it began with.
async fn ask<E: Exchange>(
    job: &Job,
    slots: &mut Slots,
    exchange: E,
    is_over: impl Fn(&mut E) -> bool,
) {
    let context = &job.context;
    let (begun, breaks) = (context.clock.now(), context.breaks());
    let mut asker = match Asker::new(exchange, context.clone()) {
        Ok(asker) => asker,
        Err(error) => {
            context.tell(job.index, job.sent(slots), ProbeOutcome::Failed(failure(&error)));
            return context.until(begun + OPEN_AGAIN).await;
        }
    };
    let mut fast = context.fast.clone();
    let mut due = slots.due(begun, job.every());
    let mut look = begun + LOOK;
    let mut heard = Vec::new();
    // A name is looked up again; an address stays.
    let until = if is_address(&job.target.host) { Time::MAX } else { begun + FRESH };
    loop {
        tokio::select! {
            () = context.until(due.min(look)) => {}
            () = asker.wait() => {}
            _ = fast.changed() => due = slots.due(context.clock.now(), job.every()),
        }
        asker.hear(&mut heard);
        let now = context.clock.now();
        if now >= look {
            asker.expire(job.index, &mut heard);
            look = now + LOOK;
            if is_over(asker.exchange()) {
                break;
            }
        }
        if now >= due {
            heard.extend(asker.ask(slots.take(now)));
            due = slots.due(now, job.every());
        }
        for it in heard.drain(..) {
            context.tell(job.index, it.sent, it.outcome);
        }
        if context.breaks() != breaks || now >= until && asker.is_idle() {
            break;
        }
    }
}
