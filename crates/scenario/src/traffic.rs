//! Flows: who sends what to whom.

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
    /// When it begins.
    pub start: Span,
    /// When the application stops sending; `None` for never.
    pub stop: Option<Span>,
    /// How many flows like this there are, at least 1.
    pub count: u32,
    /// What the application does.
    pub traffic: Traffic,
    /// How its connections behave, for the kinds that run over TCP ([`Traffic::is_tcp`]).
    pub tcp: Tcp,
}

/// What an application sends.
#[derive(Clone, Debug, PartialEq)]
pub enum Traffic {
    /// One TCP connection that always has more to send.
    Bulk {
        /// Ends after this much; `None` for never.
        bytes: Option<Bytes>,
    },
    /// One TCP connection that sends so much and closes.
    Transfer {
        /// How much.
        bytes: Bytes,
    },
    /// One TCP connection to which the application hands so much again and again.
    Periodic {
        /// How much each time.
        bytes: Bytes,
        /// When the next begins.
        next: Recurrence,
    },
    /// Packets of one size at one rate over UDP, as a call sends them.
    Cbr {
        /// UDP payload bits per second.
        rate: Rate,
        /// UDP payload of a packet.
        packet: Bytes,
    },
    /// One way of a call: packets of a codec over UDP, judged by the E-model (ITU-T G.107). In the
    /// file a call has both ways, which are two flows here.
    Voip {
        /// How voice becomes packets.
        codec: Codec,
    },
    /// ICMP echo: from `from` to `to` and back.
    Ping {
        /// From one request to the next.
        interval: Span,
        /// ICMP payload of a packet, without IP's 20 and ICMP's 8 bytes.
        bytes: Bytes,
    },
    /// A web page: `from` is the server, `to` the browser. Each of several TCP connections
    /// fetches one object after the other, asking for the next (a round trip) when it has one.
    Page {
        /// Connections opened in parallel.
        connections: u32,
        /// Sizes of the objects, in the order in which they are asked for.
        objects: Vec<Bytes>,
        /// From the end of one page to the beginning of the next, on new connections; `None` to
        /// load it once.
        pause: Option<Span>,
    },
    /// The web load of a crowd, PackMime-HTTP (Cao et al. 2004): `from` has the servers, `to` the
    /// browsers, and each connection is new.
    Packmime {
        /// New connections each second in the mean; zero for none at all.
        connections_per_second: f64,
    },
}

impl Traffic {
    /// Does this run over TCP?
    pub fn is_tcp(&self) -> bool {
        !matches!(self, Self::Cbr { .. } | Self::Voip { .. } | Self::Ping { .. })
    }
}

/// When an application that sends again and again has more to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recurrence {
    /// So long after the beginning of the one before.
    Every(Span),
    /// So long after the one before has fully arrived, at random between these, evenly.
    Idle {
        /// At least.
        least: Span,
        /// At most.
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

    /// UDP payload per second.
    pub fn rate(self) -> Rate {
        (self.packet() / self.frame()).expect("many bytes in a few milliseconds are a rate")
    }

    /// Of how much voice a packet is made, which is also the time from one to the next.
    pub fn frame(self) -> Span {
        match self {
            Self::Cbr64 => Span::from_micros(12_500),
            Self::G711 => Span::from_millis(20),
        }
    }
}

/// How a TCP connection behaves. The default is Linux's on a path with an MTU of 1500.
#[derive(Clone, Debug, PartialEq)]
pub struct Tcp {
    /// The congestion control.
    pub congestion: Congestion,
    /// How long LEDBAT lets its packets wait (RFC 6817 section 2.5: at most 100 ms).
    pub ledbat_target: Span,
    /// How fast LEDBAT's window changes (RFC 6817 section 2.5: at most 1).
    pub ledbat_gain: f64,
    /// Payload of a full segment.
    pub mss: Bytes,
    /// What the receiver allows to be in flight.
    pub receive_window: ReceiveWindow,
    /// Segments sent before the first acknowledgement (RFC 6928).
    pub initial_window: u32,
    /// Slow start ends here at the latest; `None` for no bound (RFC 5681). RFC 2001 had 65535
    /// bytes.
    pub initial_ssthresh: Option<Bytes>,
    /// Selective acknowledgements (RFC 2018).
    pub sack: bool,
    /// Timestamps (RFC 7323).
    pub timestamps: bool,
    /// Window scaling (RFC 7323); without it a window is at most 65535 bytes.
    pub window_scaling: bool,
    /// When the receiver acknowledges.
    pub delayed_ack: DelayedAck,
    /// Acknowledge the first segments of a connection at once, although ACKs are delayed.
    pub quick_ack: bool,
    /// HyStart: leave slow start when the round trip grows (CUBIC only).
    pub hystart: bool,
    /// What a loss leaves of CUBIC's window (RFC 9438 section 4.6: 0.7; Linux 2.6.22: 0.8).
    pub beta: f64,
    /// Spread packets over the round trip.
    pub pacing: bool,
    /// Send several segments as one super-packet (TSO, GSO).
    pub offload: bool,
    /// Explicit congestion notification (RFC 3168).
    pub ecn: bool,
    /// React less to a mark than to a loss (RFC 8511).
    pub abe: bool,
    /// Find losses by time, and probe the tail (RFC 8985); otherwise by duplicate ACKs.
    pub rack: bool,
    /// Lower bound of the retransmission timeout (RFC 6298 section 2.4; Linux has 200 ms).
    pub min_rto: Span,
    /// The application writes at most at this rate; `None` for as fast as TCP takes it.
    pub application_rate: Option<Rate>,
    /// The application sends so much first, and waits until the peer has had it and an answer had
    /// time to come back; `None` for an application that sends at once what it has.
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

/// When a receiver acknowledges.
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

/// What a receiver allows to be in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReceiveWindow {
    /// Grows with what the application reads, as Linux's does.
    Auto {
        /// The most that it grows to; Linux's `tcp_rmem` allows 6 MiB of memory, half of it window.
        max: Bytes,
    },
    /// Always this much.
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
