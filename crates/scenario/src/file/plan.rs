//! Values that can be written in more than one way. The form of the text decides which one it is,
//! so that a mistake is reported at its place.

use std::fmt;

use schemars::JsonSchema;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{
    Deserialize, Deserializer, Error, IntoDeserializer, MapAccess, SeqAccess, Visitor,
};
use serde::{Deserialize as DeriveDeserialize, Serialize};
use units::{Bytes, Prob, Rate, Span};

use super::leaf::numbers_as_text;
use super::{Count, Number, Quantity};
use crate::tree::At;

/// A rate over time.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "RatePlan")]
pub(crate) enum RateFile {
    /// A constant rate, as in `"10mbit"`.
    Constant(Quantity<Rate>),
    /// No limit: the wire takes no time.
    Unlimited(Unlimited),
    /// A schedule of rates, each from its time on: `[["0s", "100mbit"], ["50s", "10mbit"]]`.
    Schedule(Vec<At<Step>>),
    /// The rate of a recorded trace.
    Trace(TraceFile),
}

/// The word for no limit.
#[derive(Clone, Copy, Serialize, DeriveDeserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Unlimited {
    /// No limit.
    Unlimited,
}

/// A time, and the rate from then on.
#[derive(Serialize, DeriveDeserialize, JsonSchema)]
#[serde(expecting = "a time and a rate such as [\"50s\", \"10mbit\"]")]
pub(crate) struct Step(pub(crate) At<Quantity<Span>>, pub(crate) At<Quantity<Rate>>);

/// A mahimahi trace: each line is the millisecond at which 1500 bytes may pass.
#[derive(Serialize, DeriveDeserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a trace such as { trace = \"file\" }")]
#[schemars(rename = "Trace")]
pub(crate) struct TraceFile {
    /// The path of the trace, relative to the scenario file.
    pub(crate) trace: At<String>,
}

impl<'de> Deserialize<'de> for RateFile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RateVisitor)
    }
}

struct RateVisitor;

impl<'de> Visitor<'de> for RateVisitor {
    type Value = RateFile;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a rate such as \"10mbit\", a schedule such as [[\"0s\", \"10mbit\"]], ")?;
        f.write_str("or { trace = \"file\" }")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<RateFile, E> {
        match text.trim() {
            "unlimited" => Ok(RateFile::Unlimited(Unlimited::Unlimited)),
            text => Quantity::deserialize(text.into_deserializer()).map(RateFile::Constant),
        }
    }

    numbers_as_text!();

    fn visit_seq<A: SeqAccess<'de>>(self, steps: A) -> Result<RateFile, A::Error> {
        Deserialize::deserialize(SeqAccessDeserializer::new(steps)).map(RateFile::Schedule)
    }

    fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<RateFile, A::Error> {
        TraceFile::deserialize(MapAccessDeserializer::new(table)).map(RateFile::Trace)
    }
}

/// The losses of a wire.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Loss")]
pub(crate) enum LossFile {
    /// Losses of single packets at random, as in `"1%"`.
    Random(Quantity<Prob>),
    /// Losses in bursts.
    Bursty(BurstFile),
}

/// Losses that come in bursts.
#[derive(Serialize, DeriveDeserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table such as { rate = \"1%\", burst = 5 }")]
#[schemars(rename = "Burst")]
pub(crate) struct BurstFile {
    /// The share of packets lost in the long run.
    pub(crate) rate: At<Quantity<Prob>>,
    /// The mean length of a burst in packets, at least 1.
    pub(crate) burst: At<Number>,
}

impl<'de> Deserialize<'de> for LossFile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LossVisitor)
    }
}

struct LossVisitor;

impl<'de> Visitor<'de> for LossVisitor {
    type Value = LossFile;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a loss such as \"1%\" or { rate = \"1%\", burst = 5 }")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<LossFile, E> {
        Quantity::deserialize(text.into_deserializer()).map(LossFile::Random)
    }

    numbers_as_text!();

    fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<LossFile, A::Error> {
        BurstFile::deserialize(MapAccessDeserializer::new(table)).map(LossFile::Bursty)
    }
}

/// The window that a receiver announces.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "ReceiveWindow")]
pub(crate) enum WindowFile {
    /// The window of Linux.
    Auto(Auto),
    /// A window that grows up to a bound.
    UpTo(UpTo),
    /// A constant window, as in `"64kB"`.
    Fixed(Quantity<Bytes>),
}

/// The word for a window that grows with what the application reads.
#[derive(Clone, Copy, Serialize, DeriveDeserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Auto {
    /// Grows with what the application reads.
    Auto,
}

/// A window that grows with what the application reads.
#[derive(Serialize, DeriveDeserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table such as { auto = \"3MiB\" }")]
pub(crate) struct UpTo {
    /// The largest window.
    pub(crate) auto: Quantity<Bytes>,
}

impl<'de> Deserialize<'de> for WindowFile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WindowVisitor)
    }
}

struct WindowVisitor;

impl<'de> Visitor<'de> for WindowVisitor {
    type Value = WindowFile;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"auto\", { auto = \"3MiB\" } or a size such as \"64kB\"")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<WindowFile, E> {
        match text.trim() {
            "auto" => Ok(WindowFile::Auto(Auto::Auto)),
            text => Quantity::deserialize(text.into_deserializer()).map(WindowFile::Fixed),
        }
    }

    numbers_as_text!();

    fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<WindowFile, A::Error> {
        UpTo::deserialize(MapAccessDeserializer::new(table)).map(WindowFile::UpTo)
    }
}

/// The delay of acknowledgements.
#[derive(Clone, Copy, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "DelayedAck")]
pub(crate) enum AckFile {
    /// An acknowledgement of every second segment (true) or of each (false).
    Delayed(bool),
    /// One acknowledgement for each receive window.
    PerWindow(PerWindow),
}

/// The word for one acknowledgement for each receive window.
#[derive(Clone, Copy, Serialize, DeriveDeserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PerWindow {
    /// One acknowledgement for each receive window.
    PerWindow,
}

impl<'de> Deserialize<'de> for AckFile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AckVisitor)
    }
}

struct AckVisitor;

impl Visitor<'_> for AckVisitor {
    type Value = AckFile;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("true, false or \"per_window\"")
    }

    fn visit_bool<E: Error>(self, delayed: bool) -> Result<AckFile, E> {
        Ok(AckFile::Delayed(delayed))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<AckFile, E> {
        PerWindow::deserialize(text.into_deserializer()).map(AckFile::PerWindow)
    }
}

/// A time, which may be random.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Times")]
pub(crate) enum TimesFile {
    /// A constant time, as in `"10s"`.
    Always(Quantity<Span>),
    /// A random time, uniform between two times: `["5s", "15s"]`.
    Between(Between),
}

/// The least and the greatest time.
#[derive(Serialize, DeriveDeserialize, JsonSchema)]
#[serde(expecting = "two times such as [\"5s\", \"15s\"]")]
pub(crate) struct Between(pub(crate) At<Quantity<Span>>, pub(crate) At<Quantity<Span>>);

impl<'de> Deserialize<'de> for TimesFile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TimesVisitor)
    }
}

struct TimesVisitor;

impl<'de> Visitor<'de> for TimesVisitor {
    type Value = TimesFile;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a time such as \"10s\", or two such as [\"5s\", \"15s\"]")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<TimesFile, E> {
        Quantity::deserialize(text.into_deserializer()).map(TimesFile::Always)
    }

    numbers_as_text!();

    fn visit_seq<A: SeqAccess<'de>>(self, times: A) -> Result<TimesFile, A::Error> {
        Deserialize::deserialize(SeqAccessDeserializer::new(times)).map(TimesFile::Between)
    }
}

/// The objects of a page.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Objects")]
pub(crate) enum ObjectsFile {
    /// The size of each object.
    Sizes(Vec<At<Quantity<Bytes>>>),
    /// A number of objects of one size.
    Equal(Equal),
}

/// Objects of one size.
#[derive(Serialize, DeriveDeserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table such as { count = 60, bytes = \"20kB\" }")]
pub(crate) struct Equal {
    /// The number of objects.
    pub(crate) count: At<Count>,
    /// The size of each object.
    pub(crate) bytes: At<Quantity<Bytes>>,
}

impl<'de> Deserialize<'de> for ObjectsFile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ObjectsVisitor)
    }
}

struct ObjectsVisitor;

impl<'de> Visitor<'de> for ObjectsVisitor {
    type Value = ObjectsFile;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("sizes such as [\"20kB\", \"5kB\"] or { count = 60, bytes = \"20kB\" }")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, sizes: A) -> Result<ObjectsFile, A::Error> {
        Deserialize::deserialize(SeqAccessDeserializer::new(sizes)).map(ObjectsFile::Sizes)
    }

    fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<ObjectsFile, A::Error> {
        Equal::deserialize(MapAccessDeserializer::new(table)).map(ObjectsFile::Equal)
    }
}
