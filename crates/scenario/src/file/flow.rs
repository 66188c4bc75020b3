//! A flow: the keys that every flow has, those of its kind of traffic, and those of TCP.

mod read;
mod schema;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use units::{Rate, Span};

use super::{Count, DscpFile, Name, Number, ObjectsFile, Octets, Quantity, TcpFile, TimesFile};
use crate::tree::{At, keys_of};
use crate::{Codec, PingTimer};

/// Data from one node to another. The value of `traffic` decides which keys there are.
#[derive(Serialize)]
pub(crate) struct FlowFile {
    #[serde(flatten)]
    pub(crate) common: CommonFile,
    #[serde(flatten)]
    pub(crate) traffic: TrafficFile,
    /// The keys of TCP; `None` for traffic that is not over TCP.
    #[serde(flatten)]
    pub(crate) tcp: Option<TcpFile>,
}

/// The keys that every flow has.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(expecting = "a flow")]
pub(crate) struct CommonFile {
    /// The name of the flow, used once: letters, digits, `_` and `-`.
    pub(crate) name: At<Name>,
    /// The node that sends the data; of a page or a web load, the node of the servers.
    pub(crate) from: At<Name>,
    /// The node that receives the data; of a page or a web load, the node of the browsers.
    pub(crate) to: At<Name>,
    /// The host behind `from` that has this end of the flow, with an address of its own. Default:
    /// the node itself.
    pub(crate) host: Option<Name>,
    /// The host behind `to` that has this end of the flow. Default: the node itself.
    pub(crate) to_host: Option<Name>,
    /// The kind of traffic.
    #[schemars(skip)]
    pub(crate) traffic: TrafficKind,
    /// The time at which the flow begins: `"5s"`, or at random between two times, `["0s", "500ms"]`.
    /// Default: `"0s"`.
    pub(crate) start: Option<At<TimesFile>>,
    /// The time at which the application stops sending. Default: never.
    pub(crate) stop: Option<At<Quantity<Span>>>,
    /// The number of flows like this. Default: 1.
    pub(crate) count: Option<At<Count>>,
    /// The DSCP of the packets that `from` sends; those of `to` have it too if they are echo
    /// replies, or of a page or a web load. Default: `"CS0"`.
    pub(crate) dscp: Option<DscpFile>,
    /// The firewall mark of the flow's packets, both ways, at each queue. Default: 0, which is none.
    pub(crate) mark: Option<At<Count>>,
}

/// The keys of one kind of traffic.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum TrafficFile {
    Bulk(BulkFile),
    Transfer(TransferFile),
    Periodic(PeriodicFile),
    Cbr(CbrFile),
    Voip(VoipFile),
    Ping(PingFile),
    Page(PageFile),
    Packmime(PackmimeFile),
}

impl TrafficFile {
    /// The kind of traffic that has these keys.
    pub(crate) const fn kind(&self) -> TrafficKind {
        match self {
            Self::Bulk(_) => TrafficKind::Bulk,
            Self::Transfer(_) => TrafficKind::Transfer,
            Self::Periodic(_) => TrafficKind::Periodic,
            Self::Cbr(_) => TrafficKind::Cbr,
            Self::Voip(_) => TrafficKind::Voip,
            Self::Ping(_) => TrafficKind::Ping,
            Self::Page(_) => TrafficKind::Page,
            Self::Packmime(_) => TrafficKind::Packmime,
        }
    }
}

/// One TCP connection that always has more to send.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct BulkFile {
    /// The size of all data. Default: no end.
    pub(crate) bytes: Option<At<Octets>>,
    /// The rate at which the application writes at most. Default: no limit.
    pub(crate) rate: Option<At<Quantity<Rate>>>,
    /// The number of bytes that the application sends before it waits for an answer. Default: it
    /// does not wait.
    pub(crate) greeting: Option<At<Octets>>,
}

/// One TCP connection that sends a number of bytes and closes.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct TransferFile {
    /// The size of all data.
    pub(crate) bytes: At<Octets>,
    /// The rate at which the application writes at most. Default: no limit.
    pub(crate) rate: Option<At<Quantity<Rate>>>,
    /// The number of bytes that the application sends before it waits for an answer. Default: it
    /// does not wait.
    pub(crate) greeting: Option<At<Octets>>,
}

/// One TCP connection to which the application writes a number of bytes again and again.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct PeriodicFile {
    /// The size of the data of each period.
    pub(crate) bytes: At<Octets>,
    /// The time from the beginning of one period to the beginning of the next.
    pub(crate) every: Option<At<Quantity<Span>>>,
    /// The time from the end of one period to the beginning of the next, in place of `every`:
    /// `"10s"`, or at random between two times, `["5s", "15s"]`.
    pub(crate) idle: Option<At<TimesFile>>,
}

/// Packets of one size at one rate over UDP, as a call sends them.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct CbrFile {
    /// The UDP payload per second.
    pub(crate) rate: At<Quantity<Rate>>,
    /// The number of bytes of UDP payload in a packet.
    pub(crate) packet: At<Octets>,
}

/// A call over UDP, both ways, judged by the E-model.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct VoipFile {
    /// `"cbr64"`, 64 kbit/s in IP packets of 100 bytes, or `"g711"`, IP packets of 200 bytes each
    /// 20 ms. Default: `"cbr64"`.
    pub(crate) codec: Option<Codec>,
    /// True for a way back too, which is a second flow called `NAME-back`. Default: true.
    pub(crate) two_way: Option<bool>,
}

/// ICMP echo requests and replies.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct PingFile {
    /// The ICMP payload. Default: 56.
    pub(crate) bytes: Option<At<Octets>>,
    /// The time from one request to the next. Default: `"1s"`.
    pub(crate) interval: Option<At<Quantity<Span>>>,
    /// `"regular"`, by the clock, or `"iputils"`, as the ping of iputils counts it: whole
    /// milliseconds, looked at when a reply comes. Default: `"regular"`.
    pub(crate) timer: Option<PingTimer>,
}

/// A web page: several TCP connections, each fetching one object after the other.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct PageFile {
    /// The number of TCP connections that are opened in parallel. Default: 6.
    pub(crate) connections: Option<At<Count>>,
    /// The sizes of the objects, `["20kB", "5kB"]` or `{ count = 60, bytes = "20kB" }`.
    pub(crate) objects: At<ObjectsFile>,
    /// The time from the end of a load to the beginning of the next. Default: the page is loaded
    /// once.
    pub(crate) pause: Option<At<Quantity<Span>>>,
}

/// The web load of a crowd: PackMime-HTTP.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct PackmimeFile {
    /// The mean number of new connections each second; 0 for none at all.
    pub(crate) connections_per_second: At<Number>,
}

/// The kinds of traffic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", expecting = "a kind of traffic such as \"bulk\"")]
pub(crate) enum TrafficKind {
    Bulk,
    Transfer,
    Periodic,
    Cbr,
    Voip,
    Ping,
    Page,
    Packmime,
}

impl TrafficKind {
    const ALL: [Self; 8] = [
        Self::Bulk,
        Self::Transfer,
        Self::Periodic,
        Self::Cbr,
        Self::Voip,
        Self::Ping,
        Self::Page,
        Self::Packmime,
    ];

    /// The word of the file for this kind of traffic.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Bulk => "bulk",
            Self::Transfer => "transfer",
            Self::Periodic => "periodic",
            Self::Cbr => "cbr",
            Self::Voip => "voip",
            Self::Ping => "ping",
            Self::Page => "page",
            Self::Packmime => "packmime",
        }
    }

    /// True if traffic of this kind runs over TCP, and has the keys of TCP.
    pub(crate) fn is_tcp(self) -> bool {
        !matches!(self, Self::Cbr | Self::Voip | Self::Ping)
    }

    /// The keys of this kind of traffic alone.
    pub(crate) fn own_keys(self) -> &'static [&'static str] {
        match self {
            Self::Bulk => keys_of::<BulkFile>(),
            Self::Transfer => keys_of::<TransferFile>(),
            Self::Periodic => keys_of::<PeriodicFile>(),
            Self::Cbr => keys_of::<CbrFile>(),
            Self::Voip => keys_of::<VoipFile>(),
            Self::Ping => keys_of::<PingFile>(),
            Self::Page => keys_of::<PageFile>(),
            Self::Packmime => keys_of::<PackmimeFile>(),
        }
    }

    /// All keys of a flow of this kind.
    pub(crate) fn keys(self) -> Vec<&'static str> {
        let tcp = if self.is_tcp() { keys_of::<TcpFile>() } else { &[] };
        [keys_of::<CommonFile>(), self.own_keys(), tcp].concat()
    }
}
