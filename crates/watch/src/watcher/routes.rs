//! Routes to the targets: the times without any, in which nothing is observed.

use std::net::IpAddr;

use observation::{ProbeFailure, ProbeOutcome, WatchedProbe};
use results::WatchGap;
use units::{Span, Time};

/// The time within which both versions of the Internet Protocol lose their routes, or get them back, if it is one
/// gap: when a cable is pulled, targets notice one after the other.
const TOGETHER: Span = Span::from_secs(5);

/// The time after which a link with a new carrier should carry packets: bridges and neighbours have learnt where it leads.
const JOINING: Span = Span::from_secs(5);

/// The routes to all targets.
#[derive(Default)]
pub(super) struct Routes {
    /// The time since which there is no route to any target of IPv4, and of IPv6; `None` if there is one.
    without: [Option<Time>; 2],
    /// The latest time without a route to any target: its begin, and its end unless it lasts.
    all: Option<(Time, Option<Time>)>,
    /// The latest time in which the interface to the targets had no carrier, though routes may have been there.
    unplugged: Option<Unplugged>,
}

/// A time without a carrier.
struct Unplugged {
    from: Time,
    /// The end; `None` while it lasts.
    to: Option<Time>,
    /// The targets that are reached by other interfaces.
    elsewhere: Vec<IpAddr>,
}

impl Unplugged {
    /// True for a time without a carrier, or in which the link had just got one.
    fn covers(&self, at: Time, address: Option<IpAddr>) -> bool {
        let is_joined = self.to.is_some_and(|to| at > to + JOINING);
        at >= self.from && !is_joined && !self.is_elsewhere(address)
    }

    fn is_elsewhere(&self, address: Option<IpAddr>) -> bool {
        address.is_some_and(|it| self.elsewhere.contains(&it))
    }

    /// The gap that ends now; `None` if all targets have it, which is another gap.
    fn gap(&self, end: Time) -> Option<Gap> {
        let gap = Gap { end, duration: end.since(self.from), reason: WatchGap::NoLink };
        (!self.elsewhere.is_empty()).then_some(gap)
    }
}

/// What a probe says of the routes.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Noted {
    /// True if the probe belongs to a gap, so that it does not count.
    pub(super) is_hidden: bool,
    /// True if from now on there is no route to any target.
    pub(super) is_lost: bool,
    /// The gaps that have ended.
    pub(super) ended: Vec<Gap>,
}

/// A gap that is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gap {
    pub(super) end: Time,
    pub(super) duration: Span,
    pub(super) reason: WatchGap,
}

impl Routes {
    /// Takes a probe of a target with this address. `known` are the addresses of all targets, as far as they are
    /// known; `has_route` tells whether there is a route to one of them now.
    pub(super) fn note(
        &mut self,
        address: Option<IpAddr>,
        probe: WatchedProbe,
        known: &[Option<IpAddr>],
        has_route: impl Fn(IpAddr) -> bool,
    ) -> Noted {
        let is_unanswered = matches!(probe.outcome, ProbeOutcome::Failed(_) | ProbeOutcome::Lost);
        if is_unanswered && self.is_in_gap(probe.sent, address) || !self.has_carrier(address) {
            let is_hidden = self.is_in_gap(probe.sent, address);
            return Noted { is_hidden, ..Noted::default() };
        }
        match (probe.outcome, address.map(version)) {
            (ProbeOutcome::Failed(ProbeFailure::NoRoute), Some(version)) => {
                self.miss(version, probe.sent, known, has_route)
            }
            // Without a route no name can be looked up either.
            (ProbeOutcome::Failed(ProbeFailure::Name), _) => {
                let is_hidden = matches!(self.all, Some((_, None)));
                Noted { is_hidden, ..Noted::default() }
            }
            // An answer may have waited for the carrier.
            (_, Some(version)) => Noted {
                is_hidden: self.is_in_gap(probe.sent, address),
                ended: self.find(version, probe.sent),
                ..Noted::default()
            },
            (_, None) => Noted::default(),
        }
    }

    /// Takes a probe of a hop, which is on the way to a target: without a route there is none.
    pub(super) fn note_hop(&self, probe: WatchedProbe) -> Noted {
        let is_hidden = match probe.outcome {
            ProbeOutcome::Failed(ProbeFailure::NoRoute) => true,
            _ => self.is_in_gap(probe.sent, None),
        };
        Noted { is_hidden, ..Noted::default() }
    }

    /// True for a time in which the link had no carrier or had just got one, or within the latest gap once the gap is over.
    fn is_in_gap(&self, at: Time, address: Option<IpAddr>) -> bool {
        let is_over = matches!(self.all, Some((from, Some(to))) if from <= at && at < to);
        is_over || self.unplugged.as_ref().is_some_and(|it| it.covers(at, address))
    }

    /// Notes whether the interface to the targets has a carrier from this time on. `elsewhere` are the targets that are
    /// reached by other interfaces. Returns true if from now on targets cannot be reached, and a gap that has ended.
    pub(super) fn set_carrier(
        &mut self,
        at: Time,
        has_carrier: bool,
        known: &[Option<IpAddr>],
        elsewhere: Vec<IpAddr>,
    ) -> (bool, Option<Gap>) {
        if has_carrier {
            let Some(unplugged) = &mut self.unplugged else { return (false, None) };
            unplugged.to = Some(at);
            return (false, unplugged.gap(at));
        }
        if known.iter().flatten().all(|it| elsewhere.contains(it)) && !elsewhere.is_empty() {
            // All have another way already.
            self.unplugged = None;
            return (true, None);
        }
        let is_part = !elsewhere.is_empty();
        self.unplugged = Some(Unplugged { from: at, to: None, elsewhere });
        if is_part {
            return (true, None);
        }
        for address in known.iter().flatten().filter(|it| !it.is_loopback()) {
            self.without[version(*address)].get_or_insert(at);
        }
        let is_lost = !matches!(self.all, Some((_, None)));
        if is_lost {
            self.all = Some((at, None));
        }
        (is_lost, None)
    }

    /// False while the interface to the target of this address has no carrier.
    pub(super) fn has_carrier(&self, address: Option<IpAddr>) -> bool {
        let is_without = |it: &&Unplugged| it.to.is_none() && !it.is_elsewhere(address);
        self.unplugged.as_ref().filter(is_without).is_none()
    }

    /// The begin of the latest time without a route to any target; `None` if there was none.
    pub(super) fn lost_since(&self) -> Option<Time> {
        self.all.map(|(since, _)| since)
    }

    /// Ends the gaps that go on.
    pub(super) fn end(&mut self, now: Time) -> Vec<Gap> {
        let unplugged = self.unplugged.take().filter(|it| it.to.is_none());
        let gaps = [0, 1].into_iter().flat_map(|version| self.find(version, now));
        gaps.chain(unplugged.and_then(|it| it.gap(now))).collect()
    }

    /// Notes a probe that found no route. If another target of the version has one, its target alone has failed.
    fn miss(
        &mut self,
        version: usize,
        sent: Time,
        known: &[Option<IpAddr>],
        has_route: impl Fn(IpAddr) -> bool,
    ) -> Noted {
        let of =
            |wanted| known.iter().flatten().copied().filter(move |it| self::version(*it) == wanted);
        if self.without[version].is_none() {
            if of(version).any(has_route) {
                return Noted::default();
            }
            self.without[version] = Some(sent);
        }
        let is_all = (0..2).all(|it| self.without[it].is_some() || of(it).next().is_none());
        let is_lost = is_all && !matches!(self.all, Some((_, None)));
        if is_lost {
            let recent = self.without.iter().flatten().filter(|it| sent.since(**it) <= TOGETHER);
            self.all = Some((recent.min().copied().unwrap_or(sent), None));
        }
        Noted { is_hidden: true, is_lost, ended: Vec::new() }
    }

    /// Notes that there was a route to a target of the version. Returns the gaps that end.
    fn find(&mut self, version: usize, at: Time) -> Vec<Gap> {
        let gap = |since, reason| Gap { end: at, duration: at.since(since), reason };
        // A probe from before says nothing.
        let Some(since) = self.without[version].take_if(|since| *since < at) else {
            return Vec::new();
        };
        let mut ended = Vec::new();
        if let Some((first, None)) = self.all {
            self.all = Some((first, Some(at)));
            ended.push(gap(first, WatchGap::Disconnected));
        }
        let is_part = |(first, last): (Time, Option<Time>)| {
            since + TOGETHER >= first && last.is_some_and(|last| at <= last + TOGETHER)
        };
        if !self.all.is_some_and(is_part) {
            ended.push(gap(since, [WatchGap::NoIpv4, WatchGap::NoIpv6][version]));
        }
        ended
    }
}

/// The place of an address's version among both.
fn version(address: IpAddr) -> usize {
    usize::from(address.is_ipv6())
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, Ipv6Addr};

    use super::*;

    const V4: Option<IpAddr> = Some(IpAddr::V4(Ipv4Addr::LOCALHOST));
    const V6: Option<IpAddr> = Some(IpAddr::V6(Ipv6Addr::LOCALHOST));
    /// The third target has no address yet.
    const ADDRESSES: [Option<IpAddr>; 3] = [V4, V6, None];

    /// A probe of a target, at a second, and whether it found a route.
    type Probe = (usize, u64, bool);

    fn probe((_, second, has_route): Probe) -> WatchedProbe {
        let failed = ProbeOutcome::Failed(ProbeFailure::NoRoute);
        let outcome = if has_route { ProbeOutcome::Lost } else { failed };
        WatchedProbe { sent: Time::from_secs(second), is_extra: false, outcome }
    }

    /// What is noted of probes, to targets without routes to any other one.
    fn noted(routes: &mut Routes, probes: &[Probe]) -> Vec<Noted> {
        let note = |it: &Probe| routes.note(ADDRESSES[it.0], probe(*it), &ADDRESSES, |_| false);
        probes.iter().map(note).collect()
    }

    fn ended(probes: &[Probe]) -> Vec<Gap> {
        noted(&mut Routes::default(), probes).into_iter().flat_map(|it| it.ended).collect()
    }

    fn gap(end: u64, duration: u64, reason: WatchGap) -> Gap {
        Gap { end: Time::from_secs(end), duration: Span::from_secs(duration), reason }
    }

    #[test]
    fn a_probe_without_a_route_does_not_count_from_the_first_one_on() {
        let probes = [(0, 9, true), (0, 10, false), (1, 10, true), (0, 19, false), (0, 20, true)];
        let hidden: Vec<_> =
            noted(&mut Routes::default(), &probes).iter().map(|it| it.is_hidden).collect();
        assert_eq!(hidden, [false, true, false, true, false]);
    }

    #[test]
    fn a_target_that_alone_has_no_route_has_failed() {
        let others = [V4, Some(IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1)))];
        let mut routes = Routes::default();
        let noted = routes.note(V4, probe((0, 10, false)), &others, |it| Some(it) != V4);
        assert_eq!((noted, routes.end(Time::from_secs(99))), (Noted::default(), Vec::new()));
    }

    #[test]
    fn one_version_without_a_route_is_a_gap_of_its_own() {
        let probes = [(0, 10, false), (1, 10, true), (0, 19, false), (0, 20, true)];
        assert_eq!(ended(&probes), [gap(20, 10, WatchGap::NoIpv4)]);
        assert_eq!(ended(&[(1, 10, false), (1, 12, true)]), [gap(12, 2, WatchGap::NoIpv6)]);
        // What was sent before the gap says nothing of it.
        assert_eq!(ended(&[(1, 10, false), (1, 9, true)]), []);
    }

    #[test]
    fn a_cable_that_is_pulled_is_one_gap() {
        let mut routes = Routes::default();
        let pulled = noted(&mut routes, &[(0, 10, false), (1, 11, false)]);
        assert_eq!(pulled.iter().map(|it| it.is_lost).collect::<Vec<_>>(), [false, true]);
        let name = ProbeOutcome::Failed(ProbeFailure::Name);
        let name = WatchedProbe { sent: Time::from_secs(12), is_extra: false, outcome: name };
        assert!(routes.note(None, name, &ADDRESSES, |_| false).is_hidden);
        let back = noted(&mut routes, &[(1, 30, true), (0, 31, true)]);
        let ended: Vec<_> = back.into_iter().flat_map(|it| it.ended).collect();
        assert_eq!(ended, [gap(30, 20, WatchGap::Disconnected)]);
    }

    #[test]
    fn a_link_without_a_carrier_is_a_gap_although_its_routes_stay() {
        let far = |number| Some(IpAddr::V4(Ipv4Addr::new(192, 0, 2, number)));
        let known = [far(1), far(2)];
        let mut routes = Routes::default();
        let note = |routes: &mut Routes, second, outcome| {
            routes.note(
                far(1),
                WatchedProbe { sent: Time::from_secs(second), is_extra: false, outcome },
                &known,
                |_| true,
            )
        };
        let failed = ProbeOutcome::Failed(ProbeFailure::Unreachable);
        let ten = Time::from_secs(10);
        assert_eq!(routes.set_carrier(ten, false, &known, Vec::new()), (true, None));
        assert!(note(&mut routes, 11, failed).is_hidden);
        assert!(
            routes
                .note_hop(WatchedProbe {
                    sent: Time::from_secs(11),
                    is_extra: false,
                    outcome: failed
                })
                .is_hidden
        );
        let back = routes.set_carrier(Time::from_secs(18), true, &known, Vec::new());
        assert_eq!(back, (false, None));
        let answered =
            ProbeOutcome::Answered { round_trip: Span::from_millis(5), up: None, kept: None };
        // An error that comes late is one of the time before, too.
        assert_eq!(note(&mut routes, 17, failed), Noted { is_hidden: true, ..Noted::default() });
        let back = note(&mut routes, 19, answered);
        assert!(note(&mut routes, 18, ProbeOutcome::Lost).is_hidden, "it was sent in the gap");
        assert_eq!((back.is_hidden, back.ended), (true, vec![gap(19, 9, WatchGap::Disconnected)]));
        assert!(!note(&mut routes, 24, answered).is_hidden);
        let lost = ProbeOutcome::Lost;
        let hop = |second, outcome| WatchedProbe {
            sent: Time::from_secs(second),
            is_extra: false,
            outcome,
        };
        assert!(
            routes.note_hop(hop(12, lost)).is_hidden && !routes.note_hop(hop(24, lost)).is_hidden
        );
        assert!(!note(&mut routes, 24, failed).is_hidden, "the target has failed");
    }

    #[test]
    fn a_link_without_a_carrier_hides_only_the_targets_behind_it() {
        let known = [V4, V6];
        let mut routes = Routes::default();
        routes.set_carrier(Time::from_secs(10), false, &known, vec![V6.unwrap()]);
        let lost = |routes: &mut Routes, address| {
            let probe = probe((0, 12, true));
            routes.note(address, probe, &known, |_| true).is_hidden
        };
        assert_eq!([V4, V6].map(|it| lost(&mut routes, it)), [true, false]);
        assert_eq!([V4, V6].map(|it| routes.has_carrier(it)), [false, true]);
        let (_, ended) = routes.set_carrier(Time::from_secs(18), true, &known, Vec::new());
        assert_eq!(ended, Some(gap(18, 8, WatchGap::NoLink)));
        assert_eq!(routes.end(Time::from_secs(99)), []);
    }

    #[test]
    fn a_version_that_never_had_a_route_makes_no_other_gap_longer() {
        let mut routes = Routes::default();
        let probes = [(1, 10, false), (0, 1000, false), (0, 1020, true)];
        let ended: Vec<_> =
            noted(&mut routes, &probes).into_iter().flat_map(|it| it.ended).collect();
        assert_eq!(ended, [gap(1020, 20, WatchGap::Disconnected)]);
        assert_eq!(routes.end(Time::from_secs(2000)), [gap(2000, 1990, WatchGap::NoIpv6)]);
    }
}
