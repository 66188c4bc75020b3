//! The tasks that probe, one for each target.

mod connections;
mod datagrams;
mod hop;
#[cfg(feature = "https")]
mod https;

use std::net::SocketAddr;

use measure::client::Family;
use measure::token::Token;
use observation::{ProbeFailure, ProbeOutcome};
use units::Span;

use crate::context::{Context, Report};
use crate::news::News;
use crate::pace::{Pace, Slots};
use crate::resolve;
use crate::target::Target;

pub(crate) use connections::{Connections, watch_connections};
pub(crate) use datagrams::{watch_datagrams, watch_machine};
pub(crate) use hop::watch_hop;
#[cfg(feature = "https")]
pub(crate) use https::Tls;

/// The time after which a name is looked up again.
pub(crate) const FRESH: Span = Span::from_secs(300);

/// A target and how it is probed.
#[derive(Clone)]
pub(crate) struct Job {
    pub(crate) index: usize,
    pub(crate) target: Target,
    pub(crate) pace: Pace,
    pub(crate) family: Family,
    pub(crate) token: Option<Token>,
    pub(crate) context: Context,
}

impl Job {
    pub(crate) fn slots(&self) -> Slots {
        Slots::new(self.context.clock.now(), self.pace, self.index, self.context.seed)
    }

    /// The time between two probes at present.
    pub(crate) fn every(&self) -> Span {
        if *self.context.fast.borrow() { self.pace.fast } else { self.pace.usual }
    }

    /// Waits until the target has an address; while it has none, probes fail. Reports an address that is
    /// not `before`.
    pub(crate) async fn address(&self, before: Option<SocketAddr>) -> SocketAddr {
        let mut slots = self.slots();
        loop {
            let Target { host, port, .. } = &self.target;
            let found = resolve::address(host, *port, self.family, before).await;
            // A name that cannot be looked up any more keeps its address.
            if let Some(address) = found.or(before) {
                if before != Some(address) {
                    self.context.report(Report::News(News::Address(self.index, address.ip())));
                }
                return address;
            }
            let sent = self.context.clock.now();
            self.context.tell(self.index, sent, ProbeOutcome::Failed(ProbeFailure::Name));
            self.context.until(slots.draw(sent, self.pace.usual)).await;
        }
    }
}
