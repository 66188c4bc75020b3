//! Paths between the client and the server. A path is a function of (seed, index).
//!
//! Nodes are counted from the client: 0 is the client, then come the routers, and the last one is
//! the server. Link `n` joins node `n` and node `n + 1`.

use observation::Heading;
use results::QueueKind;
use serde::{Deserialize, Serialize};

mod words;

/// The bytes of an Ethernet header, which the kernel's queues count and IP does not.
pub(crate) const FRAMING: f64 = 14.0;
/// The bytes of the largest frame.
pub(crate) const FRAME: f64 = 1514.0;
/// The payload of the largest frame, for TCP with timestamps.
const PAYLOAD: f64 = 1448.0;

/// The parameters of a path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Path {
    /// The name; `None` for a random path.
    #[serde(default)]
    pub(crate) name: Option<String>,
    pub(crate) seed: u64,
    pub(crate) index: u64,
    /// The number of routers, two to four.
    pub(crate) routers: usize,
    /// The round trip of the delay line, in milliseconds.
    pub(crate) rtt_ms: f64,
    /// The largest additional random delay each way, in milliseconds; no packet overtakes another.
    pub(crate) jitter_ms: f64,
    /// The link that holds the delay line.
    pub(crate) delay_link: usize,
    /// True if the stacks may exchange super-packets.
    pub(crate) offload: bool,
    pub(crate) ipv6: bool,
    /// True if the first router translates addresses.
    pub(crate) nat: bool,
    pub(crate) up: PathDirection,
    pub(crate) down: PathDirection,
    /// The packets that have priority in both directions; `None` if no packets have.
    pub(crate) favoured: Option<Favoured>,
    pub(crate) neighbour: Option<Neighbour>,
    /// A router that answers probes never or seldom; `None` if all answer.
    pub(crate) deaf: Option<(usize, Deaf)>,
    pub(crate) block: Option<Block>,
    /// The server's limit on sending and receiving, in Mbit/s; `None` for no limit.
    pub(crate) server_limit: Option<f64>,
    /// The end whose processor other programs occupy; `None` if both are idle.
    pub(crate) busy: Option<End>,
    /// The server's congestion control.
    pub(crate) congestion: String,
    /// The test's arguments beside the server's address.
    #[serde(default)]
    pub(crate) arguments: Vec<String>,
}

/// One direction of a path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PathDirection {
    /// The node that sends over the bottleneck.
    pub(crate) node: usize,
    /// The bottleneck; `None` where nothing is shaped.
    pub(crate) queue: Option<Queue>,
    /// A second queue, faster and at another node; `None` for one queue.
    pub(crate) second: Option<(usize, Queue)>,
    /// The part of the packets that are lost behind the queue.
    pub(crate) loss: f64,
    /// The seconds between changes of the rate, each to a value between a third of it and all of
    /// it; `None` if it is constant.
    pub(crate) varies_s: Option<f64>,
}

/// A bottleneck.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Queue {
    /// The rate in Mbit/s with Ethernet headers.
    pub(crate) mbit: f64,
    pub(crate) shaper: Shaper,
    pub(crate) limit: Limit,
}

/// The shaper that enforces the rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Shaper {
    Htb,
    Tbf,
    /// A TBF with a large bucket: this many bytes pass at a multiple of the rate.
    Boosted {
        bytes: f64,
        times: f64,
    },
    /// An nftables limit with a burst of this many bytes.
    Policer {
        bytes: f64,
    },
}

/// The capacity of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Limit {
    Bytes(f64),
    Packets(f64),
    Nothing,
}

/// The packets that have priority over all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Favoured {
    Udp,
    Icmp,
}

/// A neighbour at the first router, whose traffic shares the bottleneck.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Neighbour {
    pub(crate) up: bool,
    /// The number of TCP connections; with 0 the neighbour sends UDP.
    pub(crate) connections: usize,
    /// The part of the bottleneck's rate, for UDP.
    pub(crate) part: f64,
    /// The start and end, in seconds of the test; `None` for all the time.
    pub(crate) seconds: Option<[f64; 2]>,
}

/// The way in which a silent router answers packets whose time is exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Deaf {
    Silent,
    /// With at most one answer a second.
    Seldom,
}

/// The packets that the middle router drops silently.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Block {
    /// Packets that are longer than 1400 bytes.
    Large,
    Udp,
    /// All packets, from this second of the test on.
    Cut(f64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum End {
    Client,
    Server,
}

impl Path {
    /// The name of the path's files.
    pub(crate) fn key(&self) -> String {
        self.name.clone().unwrap_or_else(|| format!("{}-{:04}", self.seed, self.index))
    }

    /// The number of the server's node.
    pub(crate) fn server(&self) -> usize {
        self.routers + 1
    }

    pub(crate) fn way(&self, heading: Heading) -> &PathDirection {
        match heading {
            Heading::Up => &self.up,
            Heading::Down => &self.down,
        }
    }

    /// The router that blocks: the one in the middle.
    pub(crate) fn middle(&self) -> usize {
        self.routers.div_ceil(2)
    }

    /// True if the server limits this direction, and not the path. The server counts payload, the
    /// line counts frames; close to the line's rate both may be the limit.
    pub(crate) fn is_held_back(&self, heading: Heading) -> bool {
        const CLEARLY: f64 = 0.9;
        let line = self.way(heading).mbit().unwrap_or(f64::INFINITY);
        self.server_limit.is_some_and(|limit| limit * FRAME / PAYLOAD < CLEARLY * line)
    }

    /// True if the server's limit is about the line's rate.
    pub(crate) fn is_close_to_bound(&self, heading: Heading) -> bool {
        const MORE: f64 = 1.05;
        let line = self.way(heading).mbit().unwrap_or(f64::INFINITY);
        let is_near = |limit: f64| limit * FRAME / PAYLOAD <= MORE * line;
        !self.is_held_back(heading) && self.server_limit.is_some_and(is_near)
    }

    /// True if UDP has priority over TCP.
    pub(crate) fn favours_udp(&self) -> bool {
        self.favoured == Some(Favoured::Udp)
    }

    /// True if the neighbour's data, or its acknowledgements, use this direction.
    pub(crate) fn is_used_by_others(&self, heading: Heading) -> bool {
        let acknowledges = |neighbour: &Neighbour| neighbour.connections > 0;
        self.neighbour(heading).is_some() || self.neighbour.as_ref().is_some_and(acknowledges)
    }

    /// The neighbour; `None` if it does not share this direction.
    pub(crate) fn neighbour(&self, heading: Heading) -> Option<&Neighbour> {
        self.neighbour.as_ref().filter(|neighbour| neighbour.heading() == heading)
    }
}

impl Neighbour {
    /// The direction of its data.
    pub(crate) const fn heading(&self) -> Heading {
        if self.up { Heading::Up } else { Heading::Down }
    }
}

impl PathDirection {
    /// The bottleneck's rate in Mbit/s, with Ethernet headers; `None` without a bottleneck.
    pub(crate) fn mbit(&self) -> Option<f64> {
        self.queue.as_ref().map(|queue| queue.mbit)
    }

    /// True if the queue drops excess packets instead of queueing them.
    pub(crate) fn is_policed(&self) -> bool {
        self.queue.as_ref().is_some_and(|queue| queue.limit == Limit::Nothing)
    }

    /// True if the queue is faster at first.
    pub(crate) fn is_boosted(&self) -> bool {
        self.queues().any(|(_, queue)| matches!(queue.shaper, Shaper::Boosted { .. }))
    }

    /// Every queue with its node, the bottleneck first.
    pub(crate) fn queues(&self) -> impl Iterator<Item = (usize, &Queue)> {
        let second = self.second.as_ref().map(|(node, queue)| (*node, queue));
        self.queue.iter().map(|queue| (self.node, queue)).chain(second)
    }
}

impl Queue {
    /// The true kind of the queue.
    pub(crate) fn kind(&self) -> QueueKind {
        match (self.shaper, self.limit) {
            (Shaper::Policer { .. }, _) | (_, Limit::Nothing) => QueueKind::Policer,
            (_, Limit::Bytes(_)) => QueueKind::ByteFifo,
            (_, Limit::Packets(_)) => QueueKind::PacketFifo,
        }
    }

    /// The highest rate at which the queue ever sends, in Mbit/s.
    pub(crate) fn fastest_mbit(&self) -> f64 {
        match self.shaper {
            Shaper::Boosted { times, .. } => self.mbit * times,
            _ => self.mbit,
        }
    }

    /// The sojourn of the last packet in a queue full of the largest packets, in milliseconds.
    pub(crate) fn full_ms(&self) -> f64 {
        let bytes = match self.limit {
            Limit::Bytes(bytes) => bytes,
            Limit::Packets(packets) => packets * FRAME,
            Limit::Nothing => 0.0,
        };
        bytes * 8.0 / self.mbit / 1e3
    }
}
