//! How often targets are probed: at times that are even on the long run, and drawn at random in each slot,
//! so that nothing periodic on the path hides (RFC 2330 section 11.1.1). Hosts of others are spared.

use std::net::{IpAddr, Ipv6Addr};

use units::{Rng, Span, Time};

use crate::target::TargetKind;

/// The part of a slot, around its middle, in which its probe is sent.
const DRAWN: f64 = 0.4;

/// The time between two probes that a target of ours gets while something happens.
const FAST: Span = Span::from_millis(50);
/// The same for pings to a host of somebody else.
const FAST_FOR_OTHERS: Span = Span::from_millis(200);

/// What a target bears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Politeness {
    /// Hosts of others get no more than is usual among people who watch them.
    Polite,
    /// All targets are the user's own.
    Own,
}

/// The time between two probes, usually and while something happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pace {
    pub(crate) usual: Span,
    pub(crate) fast: Span,
}

impl Pace {
    /// The pace for a target: what the user wants, or else a second; for hosts of others not below what
    /// their kind bears.
    pub(crate) fn new(
        kind: &TargetKind,
        address: Option<IpAddr>,
        wanted: Option<Span>,
        politeness: Politeness,
    ) -> Self {
        let is_own = is_own(address, politeness);
        let least = if is_own { least_for_own(kind) } else { least_for_others(kind) };
        let usual = wanted.unwrap_or(default(kind, is_own)).max(least);
        let fast = match kind {
            TargetKind::Ping if !is_own => FAST_FOR_OTHERS,
            TargetKind::Ping | TargetKind::Server | TargetKind::Irtt => FAST,
            TargetKind::Tcp | TargetKind::Dns(_) | TargetKind::Https(_) => usual,
        };
        Self { usual, fast: fast.min(usual) }
    }

    /// The pace for a place that costs nobody else anything: this machine, and the first hops' own pings.
    pub(crate) const fn near() -> Self {
        Self { usual: Span::from_secs(1), fast: FAST }
    }

    /// The pace of probes that end at a router: a Linux router sends one error a second to each address
    /// (`icmp_ratelimit`, icmp(7)).
    pub(crate) const fn of_errors() -> Self {
        Self { usual: Span::from_secs(1), fast: Span::from_secs(1) }
    }
}

/// True if a target is the user's own: all of them are, or its address is near.
pub(crate) fn is_own(address: Option<IpAddr>, politeness: Politeness) -> bool {
    politeness == Politeness::Own || address.is_some_and(is_near)
}

fn default(kind: &TargetKind, is_own: bool) -> Span {
    if is_own && !matches!(kind, TargetKind::Https(_)) {
        Span::from_secs(1)
    } else {
        least_for_others(kind).max(Span::from_secs(1))
    }
}

/// A handshake of TLS costs a server some thousand times as much as a ping.
fn least_for_others(kind: &TargetKind) -> Span {
    match kind {
        TargetKind::Ping => Span::from_secs(1),
        // Its owner has decided what it bears.
        TargetKind::Server | TargetKind::Irtt => FAST,
        TargetKind::Tcp | TargetKind::Dns(_) => Span::from_secs(5),
        TargetKind::Https(_) => Span::from_secs(30),
    }
}

fn least_for_own(kind: &TargetKind) -> Span {
    match kind {
        TargetKind::Ping | TargetKind::Server | TargetKind::Irtt => Span::from_millis(10),
        TargetKind::Tcp | TargetKind::Dns(_) => Span::from_millis(100),
        TargetKind::Https(_) => Span::from_secs(1),
    }
}

/// True for addresses that are of this machine or of its own networks: loopback, RFC 1918, RFC 3927,
/// RFC 4193, RFC 4291 section 2.5.6.
pub(crate) fn is_near(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(it) => it.is_loopback() || it.is_private() || it.is_link_local(),
        IpAddr::V6(it) => {
            it.is_loopback()
                || it.is_unicast_link_local()
                || it.is_unique_local()
                || it == Ipv6Addr::UNSPECIFIED
        }
    }
}

/// The times of a target's probes: a regular one in each slot, and extra ones meanwhile where probes are sent
/// faster. The regular ones keep their times whatever happens on the path, so that they are an even sample of
/// time (RFC 2330 section 11.1).
#[derive(Clone, Debug)]
pub(crate) struct Slots {
    rng: Rng,
    /// The length of a slot.
    usual: Span,
    /// The time of the next regular probe.
    regular: Time,
    /// The end of its slot.
    end: Time,
}

impl Slots {
    /// The slots of the target of this index. Targets are spread over the first slot evenly, however many
    /// there are.
    pub(crate) fn new(start: Time, pace: Pace, index: usize, seed: u64) -> Self {
        // The golden ratio's multiples are spread most evenly (H. Weyl, 1916).
        const GOLDEN: f64 = 0.618_033_988_749_894_9;
        let part = (index as f64 * GOLDEN).fract();
        let end = start + Span::from_secs_f64(pace.usual.as_secs_f64() * part);
        let rng = Rng::new(seed).fork(&index.to_string());
        let mut slots = Self { rng, usual: pace.usual, regular: start, end };
        slots.draw(start);
        slots
    }

    /// The time of the next probe, where `every` is the time between two at present.
    pub(crate) fn due(&mut self, now: Time, every: Span) -> Time {
        // What was missed is not made up for.
        if now > self.end {
            self.draw(now);
        }
        if every >= self.usual {
            return self.regular;
        }
        now + Span::from_secs_f64(every.as_secs_f64() * (1.0 + self.deviation()))
    }

    /// Takes the time of a probe that is sent now. Returns true if that is an extra one.
    pub(crate) fn take(&mut self, now: Time) -> bool {
        let is_extra = now < self.regular;
        if !is_extra {
            self.draw(now);
        }
        is_extra
    }

    /// Draws the time of the regular probe in the slot after this one, or in one that begins now if that is
    /// over too.
    fn draw(&mut self, now: Time) {
        let start = if now >= self.end + self.usual { now } else { self.end };
        self.end = start + self.usual;
        let drawn = 0.5 + self.deviation();
        self.regular = start + Span::from_secs_f64(self.usual.as_secs_f64() * drawn);
    }

    fn deviation(&mut self) -> f64 {
        DRAWN * (self.rng.next_f64() - 0.5)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_has_one_probe_and_none_is_made_up_for() {
        let pace = Pace::near();
        let mut slots = Slots::new(Time::from_secs(10), pace, 0, 1);
        let mut now = Time::from_secs(10);
        let mut gaps = Vec::new();
        for _ in 0..1000 {
            let due = slots.due(now, pace.usual);
            gaps.push(due.since(now).as_secs_f64());
            now = due;
            assert!(!slots.take(now));
        }
        assert!((now.as_secs_f64() - 1010.0).abs() < 1.0, "{now:?}");
        assert!(gaps[1..].iter().all(|it| (0.6..=1.4).contains(it)));
        assert!(gaps[1..].iter().any(|it| *it < 0.75) && gaps[1..].iter().any(|it| *it > 1.25));
        // A pause of a minute is followed by one probe.
        let due = slots.due(now + Span::from_secs(60), pace.usual);
        assert!(due > now + Span::from_secs(60));
        // A faster pace holds at once.
        assert!(slots.due(due, FAST).since(due) < FAST * 2);
    }

    #[test]
    fn faster_probes_are_extra_and_the_regular_ones_keep_their_rhythm() {
        for (usual, fast) in [(1000, 50), (1000, 200), (100, 50), (10_000, 50)].map(millis) {
            let mut slots = Slots::new(Time::ZERO, Pace { usual, fast }, 0, 1);
            let mut now = Time::ZERO;
            let (mut regular, mut all) = ([0, 0], [0, 0]);
            let phase = usual * 300;
            while now < Time::ZERO + phase * 2 {
                // Fast in the second half.
                let part = usize::from(now >= Time::ZERO + phase);
                now = slots.due(now, [usual, fast][part]);
                all[part] += 1;
                regular[part] += i32::from(!slots.take(now));
            }
            assert!((299..=301).contains(&regular[0]) && all[0] == regular[0], "{regular:?}");
            assert!((298..=302).contains(&regular[1]), "{regular:?} of {all:?}");
            let expected = phase.as_secs_f64() / fast.as_secs_f64();
            assert!((f64::from(all[1]) / expected - 1.0).abs() < 0.02, "{all:?}, {expected}");
        }
    }

    fn millis((usual, fast): (u64, u64)) -> (Span, Span) {
        (Span::from_millis(usual), Span::from_millis(fast))
    }

    #[test]
    fn hosts_of_others_are_spared() {
        let pace = |kind: TargetKind, address: &str, wanted: u64, politeness| {
            let wanted = Some(Span::from_millis(wanted));
            Pace::new(&kind, Some(address.parse().unwrap()), wanted, politeness)
        };
        let others = pace(TargetKind::Ping, "192.0.2.1", 100, Politeness::Polite);
        assert_eq!(others, Pace { usual: Span::from_secs(1), fast: FAST_FOR_OTHERS });
        let near = pace(TargetKind::Ping, "192.168.1.1", 100, Politeness::Polite);
        assert_eq!(near, Pace { usual: Span::from_millis(100), fast: FAST });
        let own = pace(TargetKind::Tcp, "192.0.2.1", 200, Politeness::Own);
        assert_eq!(own.usual, Span::from_millis(200));
        let web = Pace::new(&TargetKind::Https("/".into()), None, None, Politeness::Polite);
        assert_eq!(web.usual, Span::from_secs(30));
    }
}
