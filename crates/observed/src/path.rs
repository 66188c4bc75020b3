//! A path, and its measurement.

use link::{Cells, Framing};
use observation::{Heading, Observations};
use units::{Bytes, Span, Time};

/// One direction of a link, with its queue.
#[derive(Clone, Debug)]
pub struct Bottleneck {
    /// The rate in the syntax of a scenario: `"2mbit"` or a schedule.
    pub rate: String,
    /// The approximate rate in Mbit/s.
    pub mbit: f64,
    /// The queue in the syntax of `tc`.
    pub queue: String,
    /// Further keys of the link, a line each.
    pub more: String,
    /// The approximate longest wait in the queue, in seconds.
    pub longest: f64,
}

/// Other traffic on the path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbour {
    /// The direction of the traffic.
    pub heading: Heading,
    /// The rate of its UDP in Mbit/s; `None` for TCP.
    pub mbit: Option<f64>,
    /// The number of connections.
    pub flows: u32,
    /// The start and end, as parts of the whole test.
    pub during: [f64; 2],
}

impl Neighbour {
    /// The flow of neighbour number `index`, in the words of a scenario: between these nodes, from the
    /// first of these times to the second, in seconds.
    pub fn flow(&self, index: usize, [from, to]: [&str; 2], [start, stop]: [f64; 2]) -> String {
        let traffic = match self.mbit {
            Some(mbit) => format!("\"cbr\"\nrate = \"{:.0}bit\"\npacket = \"1200B\"", mbit * 1e6),
            None => "\"bulk\"\nreceive_window = { auto = \"64MiB\" }".to_owned(),
        };
        format!(
            "[[flow]]\nname = \"neighbour{index}\"\nfrom = \"{from}\"\nto = \"{to}\"\ncount = {}\n\
             start = \"{start:.3}s\"\nstop = \"{stop:.3}s\"\ntraffic = {traffic}\n",
            self.flows
        )
    }
}

/// A path, and the conditions of its measurement.
#[derive(Clone, Debug)]
pub struct Path {
    /// The direction to the server.
    pub up: Bottleneck,
    /// The direction from the server.
    pub down: Bottleneck,
    /// A second queue in each direction, up and down, farther from the client; `None` for one
    /// queue.
    pub beyond: Option<[Bottleneck; 2]>,
    /// The bytes that the link of `up` and `down` adds to each packet.
    pub framing: Framing,
    /// The round trip in seconds.
    pub round_trip: f64,
    /// The seconds by which the server's clock is ahead at a time.
    pub ahead: fn(f64) -> f64,
    /// The number of loading flows in each direction.
    pub flows: u32,
    /// The seconds for which a buffer is filled that is deep for its rate.
    pub filling: f64,
    /// The usual lateness of timestamps, in seconds; three in a thousand are twenty times as late.
    pub noise: f64,
    /// The other users of the path.
    pub neighbours: Vec<Neighbour>,
    /// True if the bottlenecks give probes priority over all other packets.
    pub favours_probes: bool,
    /// The congestion control of the senders up and down.
    pub congestion: [&'static str; 2],
    /// The most that the ends send each way, in Mbit/s; `None` for no limit.
    pub most: Option<f64>,
    /// The most by which a client with a full processor is late, in seconds; `None` if its
    /// processor is not full.
    pub starved: Option<f64>,
    /// True if senders send several segments as one.
    pub offload: bool,
    /// The seed of all random numbers.
    pub seed: u64,
}

/// The measurement of a path, and the truth.
pub struct Measured {
    /// The observations of both ends.
    pub observations: Observations,
    /// Every packet that went through the queues, up and down.
    pub waits: [Vec<Waited>; 2],
}

/// A packet that went through the queues of one direction, in seconds.
#[derive(Clone, Copy, Debug)]
pub struct Waited {
    /// The time at which the packet was offered to the first queue.
    pub at: f64,
    /// The wait in the queues.
    pub wait: f64,
    /// The transmission time on the link.
    pub service: f64,
    /// The size in bytes.
    pub bytes: f64,
    /// True for a probe.
    pub is_probe: bool,
    /// True for a neighbour's packet.
    pub is_others: bool,
}

impl Path {
    /// A plain path: four flows of CUBIC each way, and links that are still to be set.
    pub fn new(seed: u64) -> Self {
        let nothing = || Bottleneck {
            rate: String::new(),
            mbit: 0.0,
            queue: String::new(),
            more: String::new(),
            longest: 0.0,
        };
        Self {
            up: nothing(),
            down: nothing(),
            beyond: None,
            framing: Framing::default(),
            round_trip: 0.0,
            ahead: |_| 0.0,
            flows: 4,
            filling: 25.0,
            noise: 0.2e-3,
            neighbours: Vec::new(),
            favours_probes: false,
            congestion: ["cubic"; 2],
            most: None,
            starved: None,
            offload: true,
            seed,
        }
    }

    /// The keys of a scenario's link for the framing of the link of `up` and `down`, a line each.
    pub fn framing_keys(&self) -> String {
        let Framing { overhead, cells } = self.framing;
        let cells = if cells == Cells::None { "none" } else { cells.name() };
        format!("overhead = \"{}B\"\ncells = \"{cells}\"\n", overhead.0)
    }

    /// The links of a direction, in the order in which its packets pass them.
    pub(crate) fn ways(&self, heading: Heading) -> Vec<&Bottleneck> {
        match (heading, &self.beyond) {
            (Heading::Up, None) => vec![&self.up],
            (Heading::Down, None) => vec![&self.down],
            (Heading::Up, Some([up, _])) => vec![&self.up, up],
            (Heading::Down, Some([_, down])) => vec![down, &self.down],
        }
    }

    pub(crate) fn slowest(&self, heading: Heading) -> &Bottleneck {
        let ways = self.ways(heading);
        ways.into_iter().min_by(|a, b| a.mbit.total_cmp(&b.mbit)).expect("there is one")
    }

    /// The length of an IP packet on the link of `up` and `down`, in bytes.
    pub(crate) fn on_link(&self, packet: f64) -> f64 {
        self.framing.frame(Bytes(packet as u64)).0 as f64
    }

    /// The time from the last queue to the far end, in seconds.
    pub(crate) fn flight(&self, heading: Heading, bytes: f64) -> f64 {
        let last = self.ways(heading).pop().expect("there is one");
        let is_long = heading == Heading::Down || self.beyond.is_none();
        bytes * 8e-6 / last.mbit + if is_long { self.round_trip / 2.0 } else { 0.0 }
    }

    /// The time on the server's clock.
    pub(crate) fn theirs(&self, at: f64) -> Time {
        stamp(1000.0 + at + (self.ahead)(at))
    }
}

pub(crate) fn stamp(seconds: f64) -> Time {
    Time::ZERO + Span::from_secs_f64(seconds)
}
