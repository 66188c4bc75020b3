//! The documents of a watch: its events, and what its page draws.

use observation::Heading;
use serde::{Deserialize, Serialize};

use crate::{Grade, Version};

/// An event of a watch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WatchEvent {
    /// The time of the beginning in seconds since 1970 (UTC).
    pub start_s: f64,
    /// The time from the beginning to the end in seconds; 0 for what has no duration.
    pub duration_s: f64,
    /// The kind of the event, with what belongs to it.
    #[serde(flatten)]
    pub what: WatchEventKind,
}

/// The kinds of events.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum WatchEventKind {
    /// Answers came later than usual, or not at all.
    Spike(Spike),
    /// A time in which nothing could be observed: its probes count neither as answered nor as lost.
    Gap {
        /// The reason.
        reason: WatchGap,
    },
    /// A change at our end, to compare the time before with the time after.
    Change(WatchChange),
    /// A test of the path that the watch has made.
    Test(WatchedTest),
}

/// A time in which answers came later than usual, or not at all.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Spike {
    /// The targets that it struck.
    pub targets: Vec<String>,
    /// The targets that were probed meanwhile, the struck ones included.
    pub probed: u32,
    /// The direction that was late; `None` if it is not known.
    pub direction: Option<Heading>,
    /// The usual round trip of the target that it struck most, in milliseconds; `None` if it has none.
    pub usual_ms: Option<f64>,
    /// The 95th percentile of the round trip that was added there, in milliseconds; `None` if nothing
    /// was answered.
    pub added_p95_ms: Option<f64>,
    /// The longest round trip that was added there, in milliseconds; `None` if nothing was answered.
    pub added_most_ms: Option<f64>,
    /// Probes to the struck targets meanwhile, regular and extra ones.
    pub sent: u64,
    /// Probes among them that were answered after more than a second.
    pub late: u64,
    /// Probes among them that nobody answered.
    pub lost: u64,
    /// Probes among them that failed at once: a router or the target said that it cannot be reached.
    #[serde(default)]
    pub failed: u64,
    /// The cause.
    pub cause: SpikeCause,
    /// Confidence in the cause, 0 to 1; 0 if it is not known. docs/watch.md counts how often each is right.
    pub confidence: f64,
    /// The evidence for the cause, the strongest first.
    pub evidence: Vec<SpikeEvidence>,
}

/// The cause of a spike: whose it was.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SpikeCause {
    /// What this machine sent: a queue on the way up was full.
    OwnUpload,
    /// What this machine received: a queue on the way down was full.
    OwnDownload,
    /// This machine was busy, and sent or heard too late.
    OwnMachine,
    /// The Wi-Fi between this machine and the first hop.
    Wireless,
    /// The first hop, or the wire to it.
    Router,
    /// The line behind the first hop, or somebody else who fills it; in an outage, the line alone.
    Line,
    /// One target alone, or the way to it beyond the line.
    Target,
    /// The slots of a satellite or of a radio, which repeat.
    Slots,
    /// Nothing tells.
    #[default]
    Unknown,
}

impl Spike {
    /// The probes without an answer: lost or failed.
    pub const fn unanswered(&self) -> u64 {
        self.lost + self.failed
    }

    /// True if nearly nothing was answered.
    pub fn is_outage(&self) -> bool {
        is_outage(self.unanswered(), self.sent)
    }

    /// True if probes had no answer, and no answer was notably late: packets were lost without a queue.
    pub fn only_loses(&self) -> bool {
        /// The least delay in milliseconds that counts as late.
        const LATE_MS: f64 = 10.0;
        self.unanswered() > 0 && self.added_most_ms.is_none_or(|most| most < LATE_MS)
    }
}

/// The part of the probes that a full queue loses at most, and not an outage.
const MOST_LOST: f64 = 0.8;

/// True if so many probes without an answer, among these, are those of an outage: a full queue still lets the better
/// part through.
pub fn is_outage(unanswered: u64, sent: u64) -> bool {
    unanswered as f64 > MOST_LOST * sent as f64
}

impl SpikeCause {
    /// All causes.
    pub const ALL: [Self; 9] = [
        Self::OwnUpload,
        Self::OwnDownload,
        Self::OwnMachine,
        Self::Wireless,
        Self::Router,
        Self::Line,
        Self::Target,
        Self::Slots,
        Self::Unknown,
    ];
}

/// A fact that speaks for the cause of a spike.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "fact", rename_all = "snake_case")]
pub enum SpikeEvidence {
    /// The own load of a direction meanwhile.
    Load {
        /// The direction.
        direction: Heading,
        /// Its rate in Mbit/s.
        rate_mbit: f64,
        /// The greatest rate that such a load had, in Mbit/s: the mean of ten seconds, or of a shorter spike.
        greatest_mbit: f64,
        /// True if no load of about this rate had made answers late before, so that the rate of the line is not
        /// known.
        #[serde(default)]
        is_first: bool,
        /// True if it was to and from hosts on the interface's own link, so that it did not reach the line.
        #[serde(default)]
        is_local: bool,
    },
    /// The time by which this machine was woken too late.
    Lateness {
        /// The longest such time in milliseconds.
        most_ms: f64,
    },
    /// The busiest processor.
    Busy {
        /// Its busy part, 0 to 1.
        part: f64,
    },
    /// The round trip that was added at the first hop.
    FirstHop {
        /// Its 95th percentile in milliseconds; `None` if the hop answered nothing.
        added_p95_ms: Option<f64>,
    },
    /// The round trip that was added at the hops behind the first one.
    LaterHops {
        /// Its 95th percentile in milliseconds; `None` if these hops answered nothing.
        added_p95_ms: Option<f64>,
    },
    /// The time for which the struck target itself kept probes, by its own clock.
    Kept {
        /// The longest such time in milliseconds.
        most_ms: f64,
    },
    /// The targets that were struck.
    Struck {
        /// The number of targets that were struck.
        struck: u32,
        /// The number of targets that were probed.
        probed: u32,
    },
    /// The signal of the Wi-Fi.
    Signal {
        /// The weakest one meanwhile in dBm.
        weakest_dbm: i8,
        /// The usual one in dBm.
        usual_dbm: i8,
    },
    /// Frames of the Wi-Fi that were sent again.
    Retries {
        /// The frames in a second meanwhile.
        per_s: f64,
        /// The frames in a second usually.
        usual_per_s: f64,
    },
    /// A test of the watch itself began at the end, whose load hides what came later.
    Test,
    /// A time without observation began at the end, so that nothing is known of what came later.
    Gap,
    /// The watch ended before the spike did, so that nothing is known of what came later.
    Unfinished,
    /// Onsets that repeat.
    Repeats {
        /// The time between two of them in seconds.
        period_s: f64,
        /// The number of onsets in time.
        onsets: u32,
    },
}

/// The reason why nothing could be observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum WatchGap {
    /// The watch did not run.
    Stopped,
    /// The machine slept.
    Asleep,
    /// The watch had no processor for seconds.
    Starved,
    /// No interface had a route to the targets.
    Disconnected,
    /// There was none to those with IPv4 addresses.
    NoIpv4,
    /// There was none to those with IPv6 addresses.
    NoIpv6,
    /// The interface to some of the targets had no link; others are reached by other interfaces.
    NoLink,
}

/// A change at our end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum WatchChange {
    /// Somebody told of a change, in these words.
    Mark {
        /// The words.
        text: String,
    },
    /// The machine's wall clock was set.
    Clock {
        /// By how much it was set forward, in seconds; negative if it was set back.
        by_s: f64,
    },
    /// The way to the targets leaves by another interface.
    Interface {
        /// The one before; `None` if there was none.
        from: Option<String>,
        /// The new one.
        to: String,
    },
    /// The address of this machine changed.
    Address {
        /// The one before.
        from: String,
        /// The new one.
        to: String,
    },
    /// The Wi-Fi went to another access point.
    AccessPoint {
        /// The one before.
        from: String,
        /// The new one.
        to: String,
    },
    /// The queue at the interface is another one.
    Queue {
        /// The one before as `tc` names it; `None` if it was not known.
        from: Option<String>,
        /// The new one; `None` if it is not known.
        to: Option<String>,
    },
}

/// A test that a watch has made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WatchedTest {
    /// The host that it was made with.
    pub server: String,
    /// True if a spike started it, whose cause may have taken a part of the line meanwhile.
    #[serde(default)]
    pub on_spike: bool,
    /// The grade of the download; `None` if there is none.
    pub down: Option<Grade>,
    /// The grade of the upload; `None` if there is none.
    pub up: Option<Grade>,
    /// The rate of the download in Mbit/s; `None` if it was not measured.
    pub down_mbit: Option<f64>,
    /// The rate of the upload in Mbit/s; `None` if it was not measured.
    pub up_mbit: Option<f64>,
    /// The delay that the download added at its 95th percentile in milliseconds; `None` if it is not
    /// known.
    pub down_added_ms: Option<f64>,
    /// The delay that the upload added at its 95th percentile in milliseconds; `None` if it is not known.
    pub up_added_ms: Option<f64>,
    /// The reason why there is no result; `None` if there is one.
    pub failure: Option<String>,
}

/// The name of this machine among what is watched: its own loopback interface.
pub const WATCHED_MACHINE: &str = "this machine";

/// The name of the hop with this number on the way to the targets. No target has such a name: a host has no
/// blank in it.
pub fn watched_hop(number: u8) -> String {
    format!("{HOP}{number}")
}

/// True for the name of a target, and not of this machine or a hop.
pub fn is_watched_target(name: &str) -> bool {
    name != WATCHED_MACHINE && !name.starts_with(HOP)
}

const HOP: &str = "hop ";

/// A line of what `unbloat watch --json` prints: an event, or a minute of a target.
///
/// A later release may add fields without a new version number: readers ignore what they do not know, and
/// the JSON Schema allows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WatchLine {
    /// `"unbloat.watch"`; reading anything else is an error.
    pub schema: WatchSchema,
    /// `1`; reading anything else is an error.
    pub version: Version<1>,
    /// The news.
    #[serde(flatten)]
    pub news: WatchNews,
}

/// The name of the format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum WatchSchema {
    /// The only value.
    #[default]
    #[serde(rename = "unbloat.watch")]
    Watch,
}

/// The news of a line of a watch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum WatchNews {
    /// An event is over.
    Event(WatchEvent),
    /// A minute of a target has passed, or the watch has ended within it.
    Minute(WatchedMinute),
}

/// A minute of a target.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WatchedMinute {
    /// The target by its name, or as its user wrote it; a hop on the way (`hop 1`), or `this machine`.
    pub target: String,
    /// The time of the beginning in seconds since 1970 (UTC).
    pub start_s: f64,
    /// True unless the watch began or ended within this minute, so that the probes are those of a part of it.
    pub is_complete: bool,
    /// The probes, and what came of them.
    #[serde(flatten)]
    pub counts: WatchedCounts,
}

/// Regular probes of a target in some time, and what came of them. Extra probes, which are sent between them
/// after a first late answer, do not count, so that percentiles and shares are those of the time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WatchedCounts {
    /// Probes whose fate is known.
    pub sent: u64,
    /// Probes among them that were answered after more than a second.
    pub late: u64,
    /// Probes among them that nobody answered within a minute, or until the watch ended.
    pub lost: u64,
    /// Probes among them that failed at once: no route, no address, or the target cannot be reached.
    pub failed: u64,
    /// The shortest round trip in milliseconds; `None` if nothing was answered.
    pub min_ms: Option<f64>,
    /// The median round trip in milliseconds; `None` if nothing was answered.
    pub p50_ms: Option<f64>,
    /// The 95th percentile of the round trip in milliseconds; `None` if nothing was answered.
    pub p95_ms: Option<f64>,
    /// The longest round trip in milliseconds; `None` if nothing was answered.
    pub max_ms: Option<f64>,
}

impl WatchedCounts {
    /// The probes that nobody answered: lost or failed.
    pub const fn unanswered(&self) -> u64 {
        self.lost + self.failed
    }

    /// The part of the probes that nobody answered, 0 to 1; `None` without probes.
    pub fn loss(&self) -> Option<f64> {
        (self.sent > 0).then(|| self.unanswered() as f64 / self.sent as f64)
    }
}
