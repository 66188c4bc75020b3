//! Flows: the sender, the receiver and the traffic.

use qdisc::Dscp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Bytes, Rate, Rng, Span};

/// The suffix of the name of a call's way back.
pub(crate) const BACK: &str = "-back";

/// A flow of the scenario, or `count` equal ones.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// The name of the flow, unique among the flows; the members of a `count` are `name[0]`,
    /// `name[1]`, ...
    pub name: String,
    /// The node that sends the data.
    pub from: String,
    /// The node that receives the data.
    pub to: String,
    /// The host behind `from` at which the flow begins; `None` for the node itself.
    pub host: Option<String>,
    /// The host behind `to` at which the flow ends; `None` for the node itself.
    pub to_host: Option<String>,
    /// The time at which the flow begins.
    pub start: Start,
    /// The time at which the application stops sending; `None` for never.
    pub stop: Option<Span>,
    /// The number of flows like this, at least 1.
    pub count: u32,
    /// The code point of the packets that `from` sends.
    pub dscp: Dscp,
    /// The firewall mark of its packets, both ways; 0 for none. A mark belongs to the machine that
    /// sets it and is not sent, so that this is what the rules of every machine on the way say.
    pub mark: u32,
    /// The traffic of the application.
    pub traffic: Traffic,
    /// The behaviour of the flow's connections, for traffic over TCP ([`Traffic::is_tcp`]).
    pub tcp: Tcp,
}

/// A time at which flows begin: uniform between two times, which are equal if it is not random.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Start {
    /// The earliest time.
    pub least: Span,
    /// The latest time.
    pub most: Span,
}

impl Start {
    /// The time for a flow with this random stream. The other draws of the stream stay the same.
    pub fn draw(self, rng: &Rng) -> Span {
        let choices = (self.most - self.least).as_nanos() + 1;
        self.least + Span::from_nanos(rng.fork("start").below(choices))
    }
}

impl Flow {
    /// The code point of the packets that `to` sends, which is the flow's or best effort. Each end
    /// of a connection chooses its own, and Linux's TCP does not take over the peer's
    /// (`tcp_reflect_tos`). Of web traffic, both ends choose the flow's. The reply to an echo
    /// request has that of the request (RFC 1349 section 5.1).
    pub fn dscp_back(&self) -> Dscp {
        match self.traffic {
            Traffic::Ping { .. } | Traffic::Page { .. } | Traffic::Packmime { .. } => self.dscp,
            _ => Dscp::default(),
        }
    }
}

/// The traffic of an application.
#[derive(Clone, Debug, PartialEq)]
pub enum Traffic {
    /// One TCP connection that always has more to send.
    Bulk {
        /// The length in bytes; `None` for no end.
        bytes: Option<Bytes>,
        /// The way in which the application writes.
        writing: Writing,
    },
    /// One TCP connection that sends this many bytes and closes.
    Transfer {
        /// The length in bytes.
        bytes: Bytes,
        /// The way in which the application writes.
        writing: Writing,
    },
    /// One TCP connection over which the application sends this many bytes again and again.
    Periodic {
        /// The length of each transfer in bytes.
        bytes: Bytes,
        /// The time of the next transfer.
        next: Recurrence,
    },
    /// Packets of one size at one rate over UDP, as a call sends them.
    Cbr {
        /// The rate of the UDP payload.
        rate: Rate,
        /// The UDP payload of a packet.
        packet: Bytes,
    },
    /// One direction of a call: packets of a codec over UDP, judged by the E-model (ITU-T G.107). A
    /// call in the file has two directions, which are two flows here.
    Voip {
        /// The codec.
        codec: Codec,
    },
    /// ICMP echo requests from `from` to `to`, and the replies.
    Ping {
        /// The time from one request to the next.
        interval: Span,
        /// What the interval is counted by.
        timer: PingTimer,
        /// The ICMP payload of a packet, without IP's 20 and ICMP's 8 bytes.
        bytes: Bytes,
    },
    /// A web page: `from` is the server, `to` the browser. Each of several TCP connections fetches
    /// one object after the other, and requests the next object when one is complete, which costs a
    /// round trip.
    Page {
        /// The number of connections opened in parallel.
        connections: u32,
        /// The sizes of the objects, in the order in which they are requested.
        objects: Vec<Bytes>,
        /// The time from the end of one page to the beginning of the next, on new connections;
        /// `None` to load the page once.
        pause: Option<Span>,
    },
    /// The web load of a crowd, PackMime-HTTP (Cao et al. 2004): `from` has the servers, `to` the
    /// browsers, and each connection is new.
    Packmime {
        /// The mean number of new connections per second; zero for none at all.
        connections_per_second: f64,
    },
}

impl Traffic {
    /// True if the traffic runs over TCP.
    pub fn is_tcp(&self) -> bool {
        !matches!(self, Self::Cbr { .. } | Self::Voip { .. } | Self::Ping { .. })
    }

    /// The way in which the application writes: all at once, where the traffic has no choice.
    pub fn writing(&self) -> Writing {
        match self {
            Self::Bulk { writing, .. } | Self::Transfer { writing, .. } => *writing,
            _ => Writing::default(),
        }
    }
}

/// The way in which an application writes to its connection. The default is all at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Writing {
    /// The rate at which the application writes at most; `None` for as fast as TCP takes the data.
    pub rate: Option<Rate>,
    /// The number of bytes that the application sends first. It then waits until the peer has them
    /// and an answer had time to come back; `None` for an application that does not wait.
    pub greeting: Option<Bytes>,
}

/// The time at which an application that sends again and again has more to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recurrence {
    /// A fixed time after the beginning of the previous transfer.
    Every(Span),
    /// A random time after the previous transfer has been fully delivered, uniform between these
    /// two.
    Idle {
        /// The least time.
        least: Span,
        /// The greatest time.
        most: Span,
    },
}

/// What the interval of a ping is counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", expecting = "\"regular\" or \"iputils\"")]
pub enum PingTimer {
    /// The clock: requests are regular.
    Regular,
    /// Whole milliseconds since the last request, looked at when a reply comes, as the ping of
    /// iputils does: the next request follows that reply by whole milliseconds.
    Iputils,
}

/// A codec of voice. All carry G.711, which is 64 kbit/s of voice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", expecting = "\"cbr64\" or \"g711\"")]
pub enum Codec {
    /// A codec of 64 kbit/s in IP packets of 100 bytes, 80 a second, headers counted in, as in the
    /// simulations of "Controlling Queue Delay" (Nichols and Jacobson, 2012).
    Cbr64,
    /// ITU-T G.711 with 20 ms of voice in a packet: 160 bytes of it, and RTP's 12 (RFC 3550).
    G711,
}

impl Codec {
    /// The UDP payload of a packet: IP and UDP add 28 bytes.
    pub fn packet(self) -> Bytes {
        match self {
            Self::Cbr64 => Bytes(100 - 28),
            Self::G711 => Bytes(160 + 12),
        }
    }

    /// The rate of the UDP payload.
    pub fn rate(self) -> Rate {
        (self.packet() / self.frame()).expect("many bytes in a few milliseconds are a rate")
    }

    /// The time whose voice is in one packet, which is also the time from one packet to the next.
    pub fn frame(self) -> Span {
        match self {
            Self::Cbr64 => Span::from_micros(12_500),
            Self::G711 => Span::from_millis(20),
        }
    }
}

/// The behaviour of a TCP connection, as in [`transport`], with a congestion control that a
/// scenario can name.
pub type Tcp = transport::Config<Congestion>;

/// A congestion control that a scenario can name. In the lab it is the kernel's of that name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Congestion {
    /// CUBIC (RFC 9438).
    Cubic {
        /// True to leave slow start when the round trip grows (HyStart).
        hystart: bool,
        /// The share of the window that a loss leaves (RFC 9438 section 4.6: 0.7; Linux 2.6.22:
        /// 0.8).
        beta: f64,
    },
    /// NewReno (RFC 5681 and RFC 6582).
    Reno,
    /// LEDBAT (RFC 6817), which yields to other flows; in the simulator only.
    Ledbat {
        /// The target delay of the flow's packets in the queue (RFC 6817 section 2.5: at most 100
        /// ms).
        target: Span,
        /// The gain of the window (RFC 6817 section 2.5: at most 1).
        gain: f64,
    },
    /// The BBR that the kernel has, in the lab; the simulator has none.
    Bbr,
}

impl Congestion {
    /// The congestion control of [`transport`] with these settings; `None` if it has none.
    pub const fn simulated(self) -> Option<transport::Congestion> {
        Some(match self {
            Self::Cubic { hystart, beta } => transport::Congestion::Cubic { hystart, beta },
            Self::Reno => transport::Congestion::Reno,
            Self::Ledbat { target, gain } => transport::Congestion::Ledbat { target, gain },
            Self::Bbr => return None,
        })
    }
}
