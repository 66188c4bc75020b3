//! The plan document: what `unbloat fix --json` prints.

use observation::Heading;
use serde::{Deserialize, Serialize};

use crate::Version;

/// A configuration against bufferbloat, for one platform. Nothing is changed by it yet.
///
/// It is what `unbloat fix --json` prints. A later release may add fields without a new version
/// number: readers ignore what they do not know, and the JSON Schema allows it. It may add names
/// too, which only its own JSON Schema has.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Plan {
    /// `"unbloat.plan"`; reading anything else is an error.
    pub schema: PlanSchema,
    /// `1`; reading anything else is an error.
    pub version: Version<1>,
    /// Name of the platform: `openwrt`.
    pub platform: String,
    /// The platform in words: `OpenWrt with sqm-scripts`.
    pub system: String,
    /// The way in which the configuration was tried.
    pub tested: Tested,
    /// Interface to the provider; `None` if the commands find it themselves, or if the platform has
    /// no name for it.
    pub wan: Option<String>,
    /// The link layer of the line.
    pub link_layer: LinkLayer,
    /// What is done in each direction.
    pub rates: PlannedRates,
    /// Steps that apply the plan, in their order. They can be repeated.
    pub steps: Vec<Step>,
    /// Steps that show whether the plan is in force.
    pub check: Vec<Step>,
    /// Steps that take the plan back.
    pub undo: Vec<Step>,
    /// What the platform cannot be told, and what the plan does instead.
    pub cannot_say: Vec<CannotSay>,
    /// What the reader should know before the plan is applied.
    pub cautions: Vec<Caution>,
}

/// The name of the format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum PlanSchema {
    /// The only value.
    #[default]
    #[serde(rename = "unbloat.plan")]
    Plan,
}

/// The way in which the configuration of a platform was tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Tested {
    /// On the platform itself.
    Run,
    /// By the platform's own code, which read it; it was not applied.
    Parsed,
    /// Not at all: it was written from documentation.
    #[default]
    Documentation,
}

/// The framing of packets on a line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LinkLayer {
    /// Name of the kind: `vdsl2-pppoe`; `unknown` if nobody said it.
    pub kind: String,
    /// Bytes that each IP packet is longer on the line.
    pub overhead: u16,
    /// Fewest bytes of a packet on the line; 0 for no such bound.
    pub mpu: u16,
    /// The cells into which packets are cut.
    pub cells: WireCells,
}

/// The cells into which a line cuts packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum WireCells {
    /// None.
    #[default]
    None,
    /// 53 bytes that carry 48 (ITU-T I.361).
    Atm,
    /// 65 bytes that carry 64 (IEEE 802.3 clause 61.3.3).
    Ptm,
}

/// What is done in each direction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlannedRates {
    /// The direction from the provider.
    pub download: PlannedDirection,
    /// The direction to the provider.
    pub upload: PlannedDirection,
}

/// What is done in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PlannedDirection {
    /// It is shaped.
    Shaped(PlannedRate),
    /// It is left as it is.
    Left(Untreated),
}

impl Default for PlannedDirection {
    fn default() -> Self {
        Self::Left(Untreated::NotMeasured)
    }
}

/// The rate of a shaper, and what it is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlannedRate {
    /// Rate of the line as IP packets, in Mbit/s.
    pub line_mbit: f64,
    /// Rate to which the shaper is set, in Mbit/s, in packets as long as the platform counts them.
    pub bandwidth_mbit: f64,
    /// What is expected afterwards.
    pub expected: Expected,
}

/// What is expected of a direction after the plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Expected {
    /// Rate of full IP packets, in Mbit/s.
    pub rate_mbit: f64,
    /// Most of the added delay of others, in milliseconds: its 95th percentile over time.
    pub added_p95_ms: f64,
}

/// The reason why a direction is left as it is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", tag = "reason")]
pub enum Untreated {
    /// Nobody measured the direction, and nobody said its rate.
    NotMeasured,
    /// The measurement ended early.
    Partial,
    /// The load did not fill the direction.
    NotFilled,
    /// The server, an end of a connection or this computer was the limit.
    EndLimited,
    /// The queue is short: a shaper would cost rate and gain nothing.
    ShortAlready {
        /// Added delay of others, in milliseconds: its 95th percentile.
        added_p95_ms: f64,
    },
    /// Others used the line, or the rate could not be told for another reason.
    RateUnknown,
    /// A policer limits the direction, whose rate the test cannot tell.
    Policed,
}

/// What the reader of a plan should know.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", tag = "name")]
pub enum Caution {
    /// A rate was named, and no test of the line confirms it: it may be more than the line carries,
    /// as the sync rate of a modem is.
    RateUnconfirmed,
    /// The link layer is not known: a framing is assumed that is long for most lines.
    LinkUnknown,
    /// The line is so slow that it may be ADSL, whose cells need much more.
    MaybeAtm,
    /// The rate varies, which a fixed shaper cannot follow.
    Varies,
    /// The queue is further away than the line: a shaper helps only if nobody else shares it.
    BeyondLine {
        /// The hop that holds the queue, if it is known.
        hop: Option<u8>,
    },
    /// The queue is in the computer that measured, or before its router: a shaper on the router
    /// does not reach it.
    BeforeRouter,
    /// A rate is so high that many routers cannot shape it.
    Fast {
        /// The rate, in Mbit/s.
        mbit: f64,
    },
    /// The other direction is not shaped.
    OneDirection,
    /// Others may have used a part of the line during the test, so that it may carry more.
    MaybeFaster {
        /// The direction.
        heading: Heading,
        /// The most that the line may carry, in Mbit/s.
        most_mbit: f64,
    },
    /// The rate that the user named is far above the measured one.
    RateAbove {
        /// The direction.
        heading: Heading,
        /// The rate that the user named, in Mbit/s.
        named_mbit: f64,
        /// The rate of the line that was measured, in Mbit/s.
        measured_mbit: f64,
    },
    /// The rate that the user named is far below what passed in the test.
    RateBelow {
        /// The direction.
        heading: Heading,
        /// The rate that the user named, in Mbit/s.
        named_mbit: f64,
        /// The rate that was measured, in Mbit/s.
        measured_mbit: f64,
    },
}

/// Commands that belong together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Step {
    /// What they do, in words.
    pub text: String,
    /// The commands or settings, a line each.
    pub commands: Vec<String>,
}

impl Step {
    /// The step of these lines.
    pub fn new(text: impl Into<String>, lines: impl Into<String>) -> Self {
        let commands = lines.into().lines().map(str::to_owned).collect();
        Self { text: text.into(), commands }
    }
}

/// What a platform cannot be told.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CannotSay {
    /// The setting that is missing.
    pub what: String,
    /// What the plan does instead.
    pub instead: String,
}
