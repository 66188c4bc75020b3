//! A trouble of a home, and whose it is.

use std::fmt;

use observed::between;
use results::SpikeCause;
use units::Rng;

use super::bbr::Bbr;
use super::home::{CALM, Home, uniform};
use super::matrix::Happened;

/// The kind of a trouble.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    OwnUpload,
    OwnDownload,
    OwnBoth,
    /// A download with BBR.
    OwnBbr,
    OthersUpload,
    OthersDownload,
    /// Somebody else's load, while this machine has a small one from its beginning on.
    OthersBeside,
    /// Somebody else's load, while this machine copies to another one at home.
    OthersCopy,
    Provider,
    LineOutage,
    Wireless,
    WirelessOutage,
    Router,
    RouterOutage,
    Machine,
    Target,
    TargetOutage,
    Slots,
    Calm,
    /// A router that is busy behind a Wi-Fi whose radio shows nothing.
    WirelessRouter,
    /// The provider's evening, while an upload of this machine has a queue that spares others (`fq_codel`).
    FairQueue,
    /// Somebody else's load from the beginning to the end of a small own one, for the second time, and before this
    /// machine ever filled the line.
    OthersTwice,
}

impl Kind {
    pub(super) const ALL: [Self; 19] = [
        Self::OwnUpload,
        Self::OwnDownload,
        Self::OwnBoth,
        Self::OwnBbr,
        Self::OthersUpload,
        Self::OthersDownload,
        Self::OthersBeside,
        Self::OthersCopy,
        Self::Provider,
        Self::LineOutage,
        Self::Wireless,
        Self::WirelessOutage,
        Self::Router,
        Self::RouterOutage,
        Self::Machine,
        Self::Target,
        Self::TargetOutage,
        Self::Slots,
        Self::Calm,
    ];
    /// The kinds of `--further`.
    pub(super) const FURTHER: [Self; 3] =
        [Self::WirelessRouter, Self::FairQueue, Self::OthersTwice];
}

impl Happened for Kind {
    fn is_right(self, cause: SpikeCause) -> bool {
        match self {
            Self::OwnUpload => cause == SpikeCause::OwnUpload,
            Self::OwnDownload | Self::OwnBbr => cause == SpikeCause::OwnDownload,
            Self::OwnBoth => matches!(cause, SpikeCause::OwnUpload | SpikeCause::OwnDownload),
            Self::OthersUpload
            | Self::OthersDownload
            | Self::OthersBeside
            | Self::OthersCopy
            | Self::OthersTwice
            | Self::Provider
            | Self::LineOutage
            | Self::FairQueue => cause == SpikeCause::Line,
            Self::Wireless | Self::WirelessOutage => cause == SpikeCause::Wireless,
            Self::Router | Self::RouterOutage | Self::WirelessRouter => cause == SpikeCause::Router,
            Self::Machine => cause == SpikeCause::OwnMachine,
            Self::Target | Self::TargetOutage => cause == SpikeCause::Target,
            Self::Slots => matches!(cause, SpikeCause::Slots | SpikeCause::Line),
            Self::Calm => false,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OwnUpload => "own upload",
            Self::OwnDownload => "own download",
            Self::OwnBoth => "own, both directions",
            Self::OwnBbr => "own download with BBR",
            Self::OthersUpload => "somebody else's upload",
            Self::OthersDownload => "somebody else's download",
            Self::OthersBeside => "somebody else's load beside a small own one",
            Self::OthersCopy => "somebody else's load beside a copy at home",
            Self::Provider => "the provider's evening",
            Self::LineOutage => "outage of the line",
            Self::Wireless => "trouble of the Wi-Fi",
            Self::WirelessOutage => "outage of the Wi-Fi",
            Self::Router => "a busy router",
            Self::RouterOutage => "outage of the router",
            Self::Machine => "a busy machine",
            Self::Target => "trouble of one target",
            Self::TargetOutage => "outage of one target",
            Self::Slots => "slots of 15 s",
            Self::Calm => "nothing",
            Self::WirelessRouter => "a busy router, Wi-Fi",
            Self::FairQueue => "the provider's evening, own upload in fq_codel",
            Self::OthersTwice => "twice somebody else's load with a small own one",
        })
    }
}

/// A trouble: when it begins, how long it takes, and how large it is.
#[derive(Clone, Debug)]
pub(super) struct Trouble {
    pub(super) kind: Kind,
    pub(super) start: f64,
    pub(super) duration: f64,
    /// The delay that it adds where it is no load, in milliseconds.
    pub(super) delay_ms: f64,
    /// The struck target.
    pub(super) target: usize,
    /// True if a radio shows a weaker signal.
    pub(super) weak: bool,
    /// True if a busy machine also delays the packets, and not only its programs.
    pub(super) in_kernel: bool,
    /// A load of this machine beside it, as a part of the line's rate, and when it begins and ends.
    pub(super) beside: f64,
    pub(super) beside_from: f64,
    pub(super) beside_to: f64,
    /// The direction of a load of somebody else with an own one beside it: 0 is up.
    pub(super) way: usize,
    /// The small own load the first time, as a part of the line's rate.
    pub(super) before: f64,
    /// The flows of BBR: the round trip of their path in seconds, and the queue that they keep, in round trips.
    pub(super) bbr: Bbr,
}

impl Trouble {
    pub(super) fn draw(rng: &mut Rng, home: &Home, kinds: &[Kind]) -> Self {
        let may_be = |kind: &Kind| match kind {
            Kind::Wireless | Kind::WirelessOutage | Kind::WirelessRouter => home.is_wireless,
            Kind::Router | Kind::RouterOutage => !home.is_wireless,
            _ => true,
        };
        let kinds: Vec<Kind> = kinds.iter().copied().filter(may_be).collect();
        let kind = kinds[rng.below(kinds.len() as u64) as usize];
        let duration = match kind {
            Kind::Slots => 150.0,
            Kind::LineOutage | Kind::WirelessOutage | Kind::RouterOutage | Kind::TargetOutage => {
                between(rng, 4.0, 60.0)
            }
            _ => between(rng, 2.0, 120.0),
        };
        let start = CALM + uniform(rng, 0.0, 20.0);
        let mut trouble = Self {
            kind,
            start,
            duration,
            delay_ms: between(rng, 25.0, 1000.0),
            target: rng.below(home.targets_ms.len() as u64) as usize,
            weak: rng.below(2) == 0,
            in_kernel: rng.below(2) == 0,
            beside: if rng.below(4) == 0 { uniform(rng, 0.05, 0.4) } else { 0.0 },
            beside_from: start + uniform(rng, -20.0, duration),
            beside_to: start + duration + uniform(rng, 0.0, 20.0),
            way: 0,
            before: 0.0,
            bbr: Bbr { round_trip: 0.0, standing: 0.0 },
        };
        match kind {
            Kind::OthersBeside => trouble.set_beside(rng),
            Kind::OwnBbr => trouble.bbr = Bbr::draw(rng),
            Kind::OthersCopy => trouble.way = rng.below(2) as usize,
            Kind::OthersTwice => {
                trouble.set_beside(rng);
                trouble.beside_to = start + duration;
                trouble.before = uniform(rng, 0.05, 0.4);
            }
            _ => {}
        }
        trouble
    }

    /// The small own load begins with the other one. Half of the times it also ends with it, otherwise earlier.
    fn set_beside(&mut self, rng: &mut Rng) {
        self.way = rng.below(2) as usize;
        self.beside = uniform(rng, 0.05, 0.4);
        self.beside_from = self.start;
        let part = if rng.below(2) == 0 { 1.0 } else { uniform(rng, 0.1, 1.0) };
        self.beside_to = self.start + part * self.duration;
    }

    /// True while it lasts.
    pub(super) fn is_on(&self, at: f64) -> bool {
        let since = at - self.start;
        let is_within = (0.0..self.duration).contains(&since);
        match self.kind {
            Kind::Slots => is_within && since % 15.0 < 0.4 + self.delay_ms / 1000.0,
            Kind::Calm => false,
            _ => is_within,
        }
    }
}
