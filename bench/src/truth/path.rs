//! Paths: what lies between the client and the server. A path is a function of (seed, index).
//!
//! Nodes are counted from the client: 0 is the client, then come the routers, the last one is the
//! server. Link `n` joins node `n` and node `n + 1`.

use results::QueueKind;
use results::observation::Heading;
use serde::{Deserialize, Serialize};

mod words;

/// Bytes of an Ethernet header, which the kernel's queues count and IP does not.
pub(crate) const FRAMING: f64 = 14.0;
/// Bytes of the largest frame.
pub(crate) const FRAME: f64 = 1514.0;
/// What it carries for TCP with time stamps.
const PAYLOAD: f64 = 1448.0;

/// All that is drawn of a path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Path {
    /// `None` where it was drawn.
    #[serde(default)]
    pub(crate) name: Option<String>,
    pub(crate) seed: u64,
    pub(crate) index: u64,
    /// Two to four.
    pub(crate) routers: usize,
    /// Round trip of the delay line, in milliseconds.
    pub(crate) rtt_ms: f64,
    /// A packet takes up to so much longer each way, in milliseconds; none overtakes another.
    pub(crate) jitter_ms: f64,
    /// The link that holds the delay line.
    pub(crate) delay_link: usize,
    /// May the stacks hand over super-packets?
    pub(crate) offload: bool,
    pub(crate) ipv6: bool,
    /// Does the first router translate addresses?
    pub(crate) nat: bool,
    pub(crate) up: Way,
    pub(crate) down: Way,
    /// What favours some packets, both ways.
    pub(crate) favoured: Option<Favoured>,
    pub(crate) neighbour: Option<Neighbour>,
    /// A router that never answers, or seldom.
    pub(crate) deaf: Option<(usize, Deaf)>,
    pub(crate) block: Option<Block>,
    /// What the server was told to send and take at most, in Mbit/s.
    pub(crate) server_limit: Option<f64>,
    /// The end whose processor is taken by others.
    pub(crate) busy: Option<End>,
    /// TCP of the server.
    pub(crate) congestion: String,
    /// What the test is told beside the server's address.
    #[serde(default)]
    pub(crate) arguments: Vec<String>,
}

/// One direction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Way {
    /// Who sends over the bottleneck.
    pub(crate) node: usize,
    /// `None` where nothing is shaped.
    pub(crate) queue: Option<Queue>,
    /// A second one, faster and elsewhere.
    pub(crate) second: Option<(usize, Queue)>,
    /// Part of the packets that are lost behind the queue.
    pub(crate) loss: f64,
    /// Seconds between changes of the rate, each of which is to a third of it up to all of it.
    pub(crate) varies_s: Option<f64>,
}

/// A bottleneck.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Queue {
    /// Mbit/s with Ethernet headers.
    pub(crate) mbit: f64,
    pub(crate) shaper: Shaper,
    pub(crate) limit: Limit,
}

/// What keeps the rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Shaper {
    Htb,
    Tbf,
    /// TBF with a large bucket: so many bytes pass at so many times the rate.
    Boosted {
        bytes: f64,
        times: f64,
    },
    /// An nftables limit with room for so many bytes.
    Policer {
        bytes: f64,
    },
}

/// What a queue holds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Limit {
    Bytes(f64),
    Packets(f64),
    Nothing,
}

/// Who goes before all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Favoured {
    Udp,
    Icmp,
}

/// Somebody at the first router, whose traffic shares the bottleneck.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Neighbour {
    pub(crate) up: bool,
    /// TCP connections; none sends UDP instead.
    pub(crate) connections: usize,
    /// Of the bottleneck's rate, for UDP.
    pub(crate) part: f64,
    /// From and to, in seconds of the test; `None` for all the time.
    pub(crate) seconds: Option<[f64; 2]>,
}

/// How a router answers packets whose time is exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Deaf {
    Silent,
    /// Once a second.
    Seldom,
}

/// What a router in the middle swallows without a word.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Block {
    /// Packets that are longer than 1400 bytes.
    Large,
    Udp,
    /// Everything, from this second of the test on.
    Cut(f64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum End {
    Client,
    Server,
}

impl Path {
    /// What its files are called.
    pub(crate) fn key(&self) -> String {
        self.name.clone().unwrap_or_else(|| format!("{}-{:04}", self.seed, self.index))
    }

    /// The number of the server's node.
    pub(crate) fn server(&self) -> usize {
        self.routers + 1
    }

    pub(crate) fn way(&self, heading: Heading) -> &Way {
        match heading {
            Heading::Up => &self.up,
            Heading::Down => &self.down,
        }
    }

    /// The router that blocks: that in the middle.
    pub(crate) fn middle(&self) -> usize {
        self.routers.div_ceil(2)
    }

    /// Does the server hold this direction back, and not the path? It counts payload, the line counts
    /// frames; close to the line's rate both may.
    pub(crate) fn is_held_back(&self, heading: Heading) -> bool {
        const CLEARLY: f64 = 0.9;
        let line = self.way(heading).mbit().unwrap_or(f64::INFINITY);
        self.server_limit.is_some_and(|limit| limit * FRAME / PAYLOAD < CLEARLY * line)
    }

    /// Is the server's bound about the line's rate?
    pub(crate) fn is_close_to_bound(&self, heading: Heading) -> bool {
        const MORE: f64 = 1.05;
        let line = self.way(heading).mbit().unwrap_or(f64::INFINITY);
        let is_near = |limit: f64| limit * FRAME / PAYLOAD <= MORE * line;
        !self.is_held_back(heading) && self.server_limit.is_some_and(is_near)
    }

    /// Is UDP treated unlike TCP?
    pub(crate) fn favours_udp(&self) -> bool {
        self.favoured == Some(Favoured::Udp)
    }

    /// Does somebody else's data come this way, or what acknowledges it?
    pub(crate) fn is_used_by_others(&self, heading: Heading) -> bool {
        let acknowledges = |neighbour: &Neighbour| neighbour.connections > 0;
        self.neighbour(heading).is_some() || self.neighbour.as_ref().is_some_and(acknowledges)
    }

    /// The neighbour, if it shares this direction.
    pub(crate) fn neighbour(&self, heading: Heading) -> Option<&Neighbour> {
        self.neighbour.as_ref().filter(|neighbour| neighbour.up == (heading == Heading::Up))
    }
}

impl Way {
    /// The bottleneck's rate, with Ethernet headers.
    pub(crate) fn mbit(&self) -> Option<f64> {
        self.queue.as_ref().map(|queue| queue.mbit)
    }

    /// Does it drop what is too much instead of holding it?
    pub(crate) fn is_policed(&self) -> bool {
        self.queue.as_ref().is_some_and(|queue| queue.limit == Limit::Nothing)
    }

    /// Is it faster at first?
    pub(crate) fn is_boosted(&self) -> bool {
        self.queues().any(|(_, queue)| matches!(queue.shaper, Shaper::Boosted { .. }))
    }

    /// Every queue with the node that holds it; the bottleneck first.
    pub(crate) fn queues(&self) -> impl Iterator<Item = (usize, &Queue)> {
        let second = self.second.as_ref().map(|(node, queue)| (*node, queue));
        self.queue.iter().map(|queue| (self.node, queue)).chain(second)
    }
}

impl Queue {
    /// What is true of its kind.
    pub(crate) fn kind(&self) -> QueueKind {
        match (self.shaper, self.limit) {
            (Shaper::Policer { .. }, _) | (_, Limit::Nothing) => QueueKind::Policer,
            (_, Limit::Bytes(_)) => QueueKind::ByteFifo,
            (_, Limit::Packets(_)) => QueueKind::PacketFifo,
        }
    }

    /// The fastest that it ever sends, in Mbit/s.
    pub(crate) fn fastest_mbit(&self) -> f64 {
        match self.shaper {
            Shaper::Boosted { times, .. } => self.mbit * times,
            _ => self.mbit,
        }
    }

    /// How long the last packet waits in it when it is full of the largest ones, in milliseconds.
    pub(crate) fn full_ms(&self) -> f64 {
        let bytes = match self.limit {
            Limit::Bytes(bytes) => bytes,
            Limit::Packets(packets) => packets * FRAME,
            Limit::Nothing => 0.0,
        };
        bytes * 8.0 / self.mbit / 1e3
    }
}
