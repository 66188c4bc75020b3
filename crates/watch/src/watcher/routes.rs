//! Routes to the targets: whether this machine has any, and since when it has none.

use std::net::IpAddr;

use observation::{ProbeFailure, ProbeOutcome, WatchedProbe};
use results::WatchGap;
use units::{Span, Time};

/// The shortest gap of one version of the Internet Protocol that is told: when a cable is pulled, targets
/// notice one after the other.
const LEAST: Span = Span::from_secs(5);

/// The routes to all targets.
pub(super) struct Routes {
    /// True for a target to which there was none at its last probe.
    missing: Vec<bool>,
    /// The gap that goes on, and its begin; `None` if there is none.
    gap: Option<(Time, WatchGap)>,
}

/// A turn for the worse or for the better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// There is no route to any target from now on.
    Lost,
    /// A gap has ended.
    Ended(Gap),
}

/// A gap that is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gap {
    pub(super) end: Time,
    pub(super) duration: Span,
    pub(super) reason: WatchGap,
}

impl Routes {
    pub(super) fn new(targets: usize) -> Self {
        Self { missing: vec![false; targets], gap: None }
    }

    /// Takes a probe of a target. `addresses` are those of all targets, as far as they are known.
    pub(super) fn note(
        &mut self,
        target: usize,
        probe: WatchedProbe,
        addresses: &[Option<IpAddr>],
    ) -> Option<Turn> {
        let missing = self.missing.get_mut(target)?;
        *missing = probe.outcome == ProbeOutcome::Failed(ProbeFailure::NoRoute);
        let reason = self.reason(addresses);
        if reason == self.gap.map(|(_, reason)| reason) {
            return None;
        }
        if reason == Some(WatchGap::Disconnected) {
            // What one version lacks first, the other one lacks a moment later.
            let since = self.gap.map_or(probe.sent, |(since, _)| since);
            self.gap = Some((since, WatchGap::Disconnected));
            return Some(Turn::Lost);
        }
        let ended = self.end(probe.sent);
        self.gap = reason.map(|it| (probe.sent, it));
        ended.map(Turn::Ended)
    }

    /// Ends the gap that goes on; `None` if there is none that is worth telling.
    pub(super) fn end(&mut self, now: Time) -> Option<Gap> {
        let (since, reason) = self.gap.take()?;
        let duration = now.since(since);
        let is_told = reason == WatchGap::Disconnected || duration >= LEAST;
        is_told.then_some(Gap { end: now, duration, reason })
    }

    /// What is missing now; `None` if there is a route to a target of each version.
    fn reason(&self, addresses: &[Option<IpAddr>]) -> Option<WatchGap> {
        if self.missing.iter().all(|it| *it) {
            return Some(WatchGap::Disconnected);
        }
        let is_lost = |is_of: fn(&IpAddr) -> bool| {
            let mut all = addresses.iter().zip(&self.missing);
            let mut of = all.by_ref().filter(|(it, _)| it.as_ref().is_some_and(is_of)).peekable();
            of.peek().is_some() && of.all(|(_, is_missing)| *is_missing)
        };
        if is_lost(IpAddr::is_ipv4) {
            Some(WatchGap::NoIpv4)
        } else {
            is_lost(IpAddr::is_ipv6).then_some(WatchGap::NoIpv6)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADDRESSES: [Option<IpAddr>; 3] = [
        Some(IpAddr::V4(std::net::Ipv4Addr::LOCALHOST)),
        Some(IpAddr::V6(std::net::Ipv6Addr::LOCALHOST)),
        None,
    ];

    /// What is told of probes, each of a target, at a second, with or without a route.
    fn told(probes: &[(usize, u64, bool)]) -> Vec<Turn> {
        let mut routes = Routes::new(3);
        let probe = |&(target, second, has_route): &(usize, u64, bool)| {
            let failed = ProbeOutcome::Failed(ProbeFailure::NoRoute);
            let outcome = if has_route { ProbeOutcome::Lost } else { failed };
            let probe = WatchedProbe { sent: Time::from_secs(second), outcome };
            routes.note(target, probe, &ADDRESSES)
        };
        probes.iter().filter_map(probe).collect()
    }

    fn ended(end: u64, duration: u64, reason: WatchGap) -> Turn {
        let (end, duration) = (Time::from_secs(end), Span::from_secs(duration));
        Turn::Ended(Gap { end, duration, reason })
    }

    #[test]
    fn one_version_without_a_route_is_a_gap_of_its_own() {
        let probes = [(0, 10, false), (1, 10, true), (2, 10, true), (0, 19, false), (0, 20, true)];
        assert_eq!(told(&probes), [ended(20, 10, WatchGap::NoIpv4)]);
        assert_eq!(told(&[(1, 10, false), (1, 16, true)]), [ended(16, 6, WatchGap::NoIpv6)]);
        // Nothing is known of the version of the third one.
        assert_eq!(told(&[(2, 10, false), (2, 30, true)]), []);
    }

    #[test]
    fn a_cable_that_is_pulled_is_one_gap() {
        let pulled = [(0, 10, false), (1, 11, false), (2, 12, false)];
        let back = [(1, 30, true), (0, 31, true), (2, 32, true)];
        let told = told(&[&pulled[..], &back[..]].concat());
        assert_eq!(told, [Turn::Lost, ended(30, 20, WatchGap::Disconnected)]);
    }
}
