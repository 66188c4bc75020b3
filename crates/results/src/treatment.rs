//! The treatment document: what `unbloat fix --apply --json` prints.

use observation::Heading;
use serde::{Deserialize, Serialize};

use crate::{Measurement, Plan, Tuning, Version};

/// A plan that was applied: the line before and after, and whether the change was kept.
///
/// It is what `unbloat fix --apply --json` prints. A later release may add fields without a new
/// version number: readers ignore what they do not know, and the JSON Schema allows it. It may add
/// names too, which only its own JSON Schema has.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Treatment {
    /// `"unbloat.treatment"`; reading anything else is an error.
    pub schema: TreatmentSchema,
    /// `1`; reading anything else is an error.
    pub version: Version<1>,
    /// The machine that was changed; `None` for the one that measured.
    pub machine: Option<String>,
    /// What was done.
    pub plan: Plan,
    /// The line before.
    pub before: Measurement,
    /// The line after; `None` if it was not measured.
    pub after: Option<Measurement>,
    /// The search for the rates; `None` if the rates of the plan were used at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tuning: Option<Tuning>,
    /// True if the change was kept.
    pub kept: bool,
    /// Why the change was taken back; empty if it was kept.
    pub reasons: Vec<UndoReason>,
    /// What was seen of the machine after the change was taken back; `None` if it was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken_back: Option<TakenBack>,
}

/// What was seen of a machine after a change was taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TakenBack {
    /// The queues and the redirect of the interface are those from before.
    AsBefore,
    /// The queues or the redirect of the interface differ from those before.
    Differs,
    /// The machine was not reached. Its timer takes the change back.
    NotSeen,
}

/// The name of the format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum TreatmentSchema {
    /// The only value.
    #[default]
    #[serde(rename = "unbloat.treatment")]
    Treatment,
}

/// The reason why a change was taken back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", tag = "name")]
pub enum UndoReason {
    /// The user stopped it.
    Interrupted,
    /// A command failed on the machine.
    Failed {
        /// What it printed.
        said: String,
    },
    /// A queue is not there, or not as asked.
    NotInForce {
        /// The device that should have it.
        device: String,
        /// The settings that it lacks; empty if there is no such queue.
        missing: Vec<String>,
    },
    /// The traffic of the test did not pass through the queue.
    CountersStill {
        /// The device of the queue.
        device: String,
        /// The direction; `None` in documents of earlier releases.
        #[serde(default)]
        heading: Option<Heading>,
    },
    /// The queue was there before the test, and not behind it.
    ShaperEnded {
        /// The device of the queue.
        device: String,
        /// The direction.
        heading: Heading,
    },
    /// The line could not be measured again.
    NotMeasured {
        /// The direction; `None` for all.
        heading: Option<Heading>,
    },
    /// The delay of others is still long.
    StillLong {
        /// The direction.
        heading: Heading,
        /// The added delay before, in milliseconds: its 95th percentile.
        before_ms: f64,
        /// The added delay after, in milliseconds: its 95th percentile.
        after_ms: f64,
    },
    /// Too much of the rate was lost.
    RateLost {
        /// The direction.
        heading: Heading,
        /// The rate that was expected, in Mbit/s.
        expected_mbit: f64,
        /// The rate after, in Mbit/s.
        after_mbit: f64,
    },
}
