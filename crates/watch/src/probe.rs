//! The tasks that probe, one for each target.

mod connections;
mod datagrams;
mod hop;
#[cfg(feature = "https")]
mod https;

use std::future::Future;
use std::net::SocketAddr;
use std::pin::pin;

use measure::client::Family;
use measure::token::Token;
use observation::{ProbeFailure, ProbeOutcome};
use units::Span;

use crate::context::{Context, Report, Sent};
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
    pub(crate) async fn address(
        &self,
        slots: &mut Slots,
        before: Option<SocketAddr>,
    ) -> SocketAddr {
        loop {
            let Target { host, port, .. } = &self.target;
            let looked = resolve::address(host, *port, self.family, before);
            let (found, missed) = self.meanwhile(slots, looked).await;
            // A name that cannot be looked up any more keeps its address.
            if let Some(address) = found.or(before) {
                if before != Some(address) {
                    self.context.report(Report::News(News::Address(self.index, address.ip())));
                }
                return address;
            }
            self.fail(slots, missed, ProbeFailure::Name);
            self.context.until(slots.due(self.context.clock.now(), self.pace.usual)).await;
        }
    }

    /// Waits for what probes need. Returns it, and the regular probes that could not be sent meanwhile: none if
    /// observation was broken off.
    pub(crate) async fn meanwhile<T>(
        &self,
        slots: &mut Slots,
        needed: impl Future<Output = T>,
    ) -> (T, Vec<Sent>) {
        let (context, breaks) = (&self.context, self.context.breaks());
        let mut missed = Vec::new();
        let mut needed = pin!(needed);
        let needed = loop {
            let due = slots.due(context.clock.now(), self.pace.usual);
            tokio::select! {
                needed = &mut needed => break needed,
                () = context.until(due) => missed.push(self.sent(slots)),
            }
        };
        if context.breaks() != breaks {
            missed.clear();
        }
        (needed, missed)
    }

    /// Tells that probes failed because they lack what they need: those that were missed, or else one now.
    pub(crate) fn fail(&self, slots: &mut Slots, missed: Vec<Sent>, why: ProbeFailure) {
        let all = if missed.is_empty() { vec![self.sent(slots)] } else { missed };
        for sent in all {
            self.context.tell(self.index, sent, ProbeOutcome::Failed(why));
        }
    }

    /// The probe that is sent now.
    pub(crate) fn sent(&self, slots: &mut Slots) -> Sent {
        let at = self.context.clock.now();
        Sent { at, is_extra: slots.take(at) }
    }
}
