//! A shaper of one direction, in the terms of CAKE.

use observation::Heading;
use results::{Expected, PlannedRate};
use units::{Bytes, Rate, Span};

use crate::LinkKind;

/// A full IP packet.
const FULL: Bytes = Bytes(1500);

/// The division of traffic by its code points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tins {
    /// None: at home, code points are seldom set, and seldom right.
    #[default]
    BestEffort,
    /// CAKE's `diffserv4`.
    Diffserv4,
}

impl Tins {
    /// All divisions.
    pub const ALL: [Self; 2] = [Self::BestEffort, Self::Diffserv4];

    /// The division of this word of CAKE's; `None` if there is none.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tins| tins.cake() == name)
    }

    /// CAKE's word.
    pub const fn cake(self) -> &'static str {
        match self {
            Self::BestEffort => "besteffort",
            Self::Diffserv4 => "diffserv4",
        }
    }
}

/// A shaper of one direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shaper {
    /// The direction.
    pub heading: Heading,
    /// Rate of the line, as IP packets.
    pub line: Rate,
    /// Rate of the line in the opposite direction, whose acknowledgements pass here; `None` if it is
    /// not known.
    pub opposite: Option<Rate>,
    /// Part of the line's rate that is used, 0 to 1.
    pub share: f64,
    /// The kind of the line.
    pub link: &'static LinkKind,
    /// True if the router translates addresses.
    pub nat: bool,
    /// The division by code points.
    pub tins: Tins,
    /// True to leave out acknowledgements that later ones make needless.
    pub ack_filter: bool,
    /// About the longest round trip of the flows.
    pub rtt: Span,
}

impl Shaper {
    /// The rate of the shaper if each packet counts as long as it is on the line: three digits,
    /// rounded down.
    pub fn bandwidth(&self) -> Rate {
        rounded_bits(self.share * self.line.bits_per_sec() as f64 * self.stretch(FULL))
    }

    /// The rate of the shaper where a platform counts each packet as `counted` bytes longer than the
    /// IP packet, whatever the line adds.
    ///
    /// The line must carry what the shaper lets pass. How much longer the packets are on the line
    /// than the platform counts depends on their lengths: full packets, and the acknowledgements for as
    /// many as the opposite direction carries, one for two (RFC 5681 section 4.2). Where the rate of
    /// that direction is not known, they are of the simple IMIX.
    pub fn plain_bandwidth(&self, counted: u64) -> Rate {
        let line = self.line.bits_per_sec() as f64 * self.stretch(FULL);
        let mixture = self.opposite.map_or(IMIX, |opposite| self.acknowledging(opposite));
        let sum = |length: &dyn Fn(u64) -> u64| -> f64 {
            mixture.iter().map(|(number, bytes)| number * length(*bytes) as f64).sum()
        };
        let on_wire = sum(&|bytes| self.link.on_wire(Bytes(bytes)).0);
        let mixed = line * sum(&|bytes| bytes + counted) / on_wire;
        let full = line * (FULL.0 + counted) as f64 / self.link.on_wire(FULL).0 as f64;
        rounded_bits(self.share * self.for_drops() * mixed.min(full))
    }

    /// The part of the rate that is left where what is dropped is not counted: CAKE counts it with
    /// `ingress`, as the line has carried it. The slower the download, the more is dropped.
    fn for_drops(&self) -> f64 {
        if self.heading == Heading::Down && self.line < DROPS_MUCH { 0.95 } else { 1.0 }
    }

    /// The mixture of packets while both directions are full: of full ones, and of the acknowledgements
    /// for those of the opposite direction, which may take the whole line.
    fn acknowledging(&self, opposite: Rate) -> Mixture {
        let line = self.line.bits_per_sec() as f64;
        let sent = opposite.bits_per_sec() as f64 / line / 2.0;
        let [one, full] = [ACKNOWLEDGEMENT, FULL].map(|packet| self.link.on_wire(packet).0 as f64);
        let sent = sent.min(full / one);
        let room = 1.0 - sent * one / full;
        [(sent, ACKNOWLEDGEMENT.0), (0.0, 576), (room, FULL.0)]
    }

    /// CAKE with all its settings, as `tc` takes it. None is left to a default, because `tc qdisc
    /// replace` keeps what is not named.
    pub fn cake(&self) -> String {
        format!("cake bandwidth {} {}", tc(self.bandwidth()), self.keywords())
    }

    /// The words of CAKE behind its rate.
    pub fn keywords(&self) -> String {
        let (isolation, side, wash) = match self.heading {
            Heading::Up => ("dual-srchost", "egress", "nowash"),
            // What the provider marked is of no use at home, and some Wi-Fi takes it for a priority.
            Heading::Down => ("dual-dsthost", "ingress", "wash"),
        };
        let words = [
            self.tins.cake(),
            isolation,
            if self.nat { "nat" } else { "nonat" },
            wash,
            if self.ack_filter { "ack-filter" } else { "no-ack-filter" },
            side,
        ];
        format!("{} rtt {} {}", words.join(" "), self.rtt, self.link.cake())
    }

    /// The rate in the document, for a shaper of this rate that counts a full packet as so many bytes.
    pub fn planned(&self, bandwidth: Rate, full: Bytes) -> PlannedRate {
        let part = FULL.0 as f64 / full.0 as f64;
        let rate_mbit = bandwidth.as_mbit_f64() * part;
        let packet = FULL.0 as f64 * 8e-3 / rate_mbit;
        let (shortest, packets) = match self.heading {
            Heading::Up => AFTER_UPLOAD,
            Heading::Down => AFTER_DOWNLOAD,
        };
        PlannedRate {
            line_mbit: self.line.as_mbit_f64(),
            bandwidth_mbit: bandwidth.as_mbit_f64(),
            expected: Expected { rate_mbit, added_p95_ms: shortest + packets * packet },
        }
    }

    /// The rate in the document, for a shaper that counts packets as long as they are on the line.
    pub fn planned_exactly(&self) -> PlannedRate {
        self.planned(self.bandwidth(), self.link.on_wire(FULL))
    }

    /// The length of a packet on the line, as a multiple of itself.
    fn stretch(&self, packet: Bytes) -> f64 {
        self.link.on_wire(packet).0 as f64 / packet.0 as f64
    }
}

/// The most that others wait for an upload, in milliseconds and in full packets: CAKE's target at its
/// usual round trip (tc-cake(8)), and the packet that is being sent.
const AFTER_UPLOAD: (f64, f64) = (5.0, 1.5);

/// The most that others wait for a download. A shaper at home is behind the provider's buffer, where
/// packets still come in bursts. These are the bounds for 95 % of simulated lines (docs/fix.md).
const AFTER_DOWNLOAD: (f64, f64) = (20.0, 8.0);

/// The rate of downloads below which a shaper drops some of a hundred packets: a few connections have
/// there but some packets each under way.
const DROPS_MUCH: Rate = Rate::from_mbit(10);

/// Numbers and bytes of IP packets.
type Mixture = [(f64, u64); 3];

/// The simple IMIX (RFC 6985 cites it as 7:4:1).
const IMIX: Mixture = [(7.0, 40), (4.0, 576), (1.0, 1500)];

/// An acknowledgement of TCP over IPv4, with a timestamp.
const ACKNOWLEDGEMENT: Bytes = Bytes(52);

/// The rate in the words of `tc`, in whole kbit/s if it has these.
pub fn tc(rate: Rate) -> String {
    let bits = rate.bits_per_sec();
    if bits.is_multiple_of(1000) { format!("{}kbit", bits / 1000) } else { format!("{bits}bit") }
}

/// A rate of three digits and in whole kbit/s, which all platforms can say, rounded down: 19,999 kbit/s
/// become 20,000, as 0.1 % is no matter.
pub fn rounded(rate: Rate) -> Rate {
    rounded_bits(rate.bits_per_sec() as f64)
}

/// The rate of so many bits per second, as of [`rounded`].
pub(crate) fn rounded_bits(bits: f64) -> Rate {
    let whole = (bits * 1.001) as u64;
    let digits = whole.checked_ilog10().unwrap_or(0);
    let unit = 10_u64.pow(digits.saturating_sub(2)).max(1000);
    Rate::from_bits_per_sec((whole / unit * unit).max(1000)).expect("it is not zero")
}
