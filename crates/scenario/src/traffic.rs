//! Flows: the sender, the receiver and the traffic.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Bytes, Rate, Span};

/// One flow, or `count` equal ones.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// Unique among the flows; the members of a `count` are `name[0]`, `name[1]`, ...
    pub name: String,
    /// The node that sends the data.
    pub from: String,
    /// The node that receives the data.
    pub to: String,
    /// The time at which it begins.
    pub start: Span,
    /// The time at which the application stops sending; `None` for never.
    pub stop: Option<Span>,
    /// The number of flows like this, at least 1.
    pub count: u32,
    /// The traffic of the application.
    pub traffic: Traffic,
    /// The behaviour of its connections, for traffic over TCP ([`Traffic::is_tcp`]).
    pub tcp: Tcp,
}

/// The traffic of an application.
#[derive(Clone, Debug, PartialEq)]
pub enum Traffic {
    /// One TCP connection that always has more to send.
    Bulk {
        /// The length in bytes; `None` for no end.
        bytes: Option<Bytes>,
    },
    /// One TCP connection that sends this much and closes.
    Transfer {
        /// The length in bytes.
        bytes: Bytes,
    },
    /// One TCP connection over which the application sends this much again and again.
    Periodic {
        /// The length of each transfer in bytes.
        bytes: Bytes,
        /// The time of the next transfer.
        next: Recurrence,
    },
    /// Packets of one size at one rate over UDP, as a call sends them.
    Cbr {
        /// UDP payload bits per second.
        rate: Rate,
        /// UDP payload of a packet.
        packet: Bytes,
    },
    /// One direction of a call: packets of a codec over UDP, judged by the E-model (ITU-T G.107). A
    /// call in the file has two directions, which are two flows here.
    Voip {
        /// The codec.
        codec: Codec,
    },
    /// ICMP echo: from `from` to `to` and back.
    Ping {
        /// The time from one request to the next.
        interval: Span,
        /// ICMP payload of a packet, without IP's 20 and ICMP's 8 bytes.
        bytes: Bytes,
    },
    /// A web page: `from` is the server, `to` the browser. Each of several TCP connections fetches
    /// one object after the other, and requests the next (a round trip) when it has one.
    Page {
        /// Connections opened in parallel.
        connections: u32,
        /// Sizes of the objects, in the order in which they are asked for.
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
    /// True if this runs over TCP.
    pub fn is_tcp(&self) -> bool {
        !matches!(self, Self::Cbr { .. } | Self::Voip { .. } | Self::Ping { .. })
    }
}

/// The time at which an application that sends again and again has more to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recurrence {
    /// This long after the beginning of the one before.
    Every(Span),
    /// A random time after the one before has fully arrived, uniform between these two.
    Idle {
        /// The least time.
        least: Span,
        /// The greatest time.
        most: Span,
    },
}

/// How voice becomes packets. Both are G.711, 64 kbit/s of voice, to the ear.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", expecting = "\"cbr64\" or \"g711\"")]
pub enum Codec {
    /// 64 kbit/s in IP packets of 100 bytes, 80 a second, headers counted in, as in the
    /// simulations of "Controlling Queue Delay" (Nichols and Jacobson, 2012).
    Cbr64,
    /// ITU-T G.711 with 20 ms of voice in a packet: 160 bytes of it, and RTP's 12 (RFC 3550).
    G711,
}

impl Codec {
    /// UDP payload of a packet: IP and UDP add 28 bytes.
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

    /// The voice in one packet, which is also the time from one packet to the next.
    pub fn frame(self) -> Span {
        match self {
            Self::Cbr64 => Span::from_micros(12_500),
            Self::G711 => Span::from_millis(20),
        }
    }
}

/// The behaviour of a TCP connection. The default is Linux's on a path with an MTU of 1500.
#[derive(Clone, Debug, PartialEq)]
pub struct Tcp {
    /// The congestion control.
    pub congestion: Congestion,
    /// The target delay of LEDBAT's packets in the queue (RFC 6817 section 2.5: at most 100 ms).
    pub ledbat_target: Span,
    /// The gain of LEDBAT's window (RFC 6817 section 2.5: at most 1).
    pub ledbat_gain: f64,
    /// The payload of a full segment in bytes.
    pub mss: Bytes,
    /// The receive window.
    pub receive_window: ReceiveWindow,
    /// Segments sent before the first acknowledgement (RFC 6928).
    pub initial_window: u32,
    /// The bytes at which slow start ends at the latest; `None` for no bound (RFC 5681). RFC 2001
    /// had 65535 bytes.
    pub initial_ssthresh: Option<Bytes>,
    /// Selective acknowledgements (RFC 2018).
    pub sack: bool,
    /// Timestamps (RFC 7323).
    pub timestamps: bool,
    /// Window scaling (RFC 7323); without it a window is at most 65535 bytes.
    pub window_scaling: bool,
    /// The receiver's acknowledgement policy.
    pub delayed_ack: DelayedAck,
    /// True to acknowledge the first segments of a connection at once, although ACKs are delayed.
    pub quick_ack: bool,
    /// HyStart: true to leave slow start when the round trip grows (CUBIC only).
    pub hystart: bool,
    /// The share of CUBIC's window that a loss leaves (RFC 9438 section 4.6: 0.7; Linux 2.6.22:
    /// 0.8).
    pub beta: f64,
    /// True to spread packets over the round trip.
    pub pacing: bool,
    /// True to send several segments as one super-packet (TSO, GSO).
    pub offload: bool,
    /// Explicit congestion notification (RFC 3168).
    pub ecn: bool,
    /// True to react less to a mark than to a loss (RFC 8511).
    pub abe: bool,
    /// True to find losses by time, and probe the tail (RFC 8985); otherwise by duplicate ACKs.
    pub rack: bool,
    /// The lower bound of the retransmission timeout (RFC 6298 section 2.4; Linux has 200 ms).
    pub min_rto: Span,
    /// The rate at which the application writes at most; `None` for as fast as TCP takes it.
    pub application_rate: Option<Rate>,
    /// The bytes that the application sends first. It then waits until the peer has them and an
    /// answer had time to come back; `None` for an application that does not wait.
    pub greeting: Option<Bytes>,
}

/// A congestion control. In the lab it is the kernel's of that name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", expecting = "\"cubic\", \"reno\", \"ledbat\" or \"bbr\"")]
pub enum Congestion {
    /// RFC 9438.
    Cubic,
    /// NewReno, RFC 5681 and RFC 6582.
    Reno,
    /// LEDBAT, RFC 6817, which gives way to everyone; in the simulator only.
    Ledbat,
    /// Whichever BBR the kernel has, in the lab; the simulator has none.
    Bbr,
}

/// The acknowledgement policy of a receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DelayedAck {
    /// Each segment at once.
    Off,
    /// Every second segment, or after a while (RFC 5681 section 4.2).
    On,
    /// Once per receive window, as the receivers of figure 4 of "Controlling Queue Delay"
    /// (Nichols and Jacobson, 2012). The window is then fixed.
    PerWindow,
}

/// The receive window: what a receiver allows to be in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReceiveWindow {
    /// Grows with what the application reads, as Linux's does.
    Auto {
        /// The largest window in bytes; Linux's `tcp_rmem` allows 6 MiB of memory, half of it
        /// window.
        max: Bytes,
    },
    /// Always this many bytes.
    Fixed(Bytes),
}

/// Linux's `tcp_rmem[2]`.
pub(crate) const LINUX_WINDOW: Bytes = Bytes(3 << 20);

impl Default for Tcp {
    fn default() -> Self {
        Self {
            congestion: Congestion::Cubic,
            ledbat_target: Span::from_millis(100),
            ledbat_gain: 1.0,
            mss: Bytes(1448),
            receive_window: ReceiveWindow::Auto { max: LINUX_WINDOW },
            initial_window: 10,
            initial_ssthresh: None,
            sack: true,
            timestamps: true,
            window_scaling: true,
            delayed_ack: DelayedAck::On,
            quick_ack: true,
            hystart: true,
            beta: 0.7,
            pacing: false,
            offload: true,
            ecn: false,
            abe: false,
            rack: true,
            min_rto: Span::from_millis(200),
            application_rate: None,
            greeting: None,
        }
    }
}
