//! The checkup document: what `unbloat doctor --json` prints.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Step, Version};

/// What is wrong with the queues of a machine.
///
/// It is what `unbloat doctor --json` prints. A later release may add fields without a new version
/// number: readers ignore what they do not know, and the JSON Schema allows it. It may add names
/// too, which only its own JSON Schema has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Checkup {
    /// `"unbloat.checkup"`; reading anything else is an error.
    pub schema: CheckupSchema,
    /// `1`; reading anything else is an error.
    pub version: Version<1>,
    /// The machine's system: `Debian GNU/Linux 12 (bookworm)`; empty if it is not known.
    pub system: String,
    /// The machine's kernel: `Linux 6.1.0-50-amd64`.
    pub kernel: String,
    /// Interface to the provider; `None` if there is none.
    pub wan: Option<String>,
    /// What was found, the worst first.
    pub findings: Vec<Fault>,
    /// What cannot be told.
    pub cannot_tell: Vec<CannotTell>,
}

/// The name of the format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum CheckupSchema {
    /// The only value.
    #[default]
    #[serde(rename = "unbloat.checkup")]
    Checkup,
}

/// What was found at one place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fault {
    /// Its name, which is stable.
    pub name: FaultName,
    /// How sure and how bad it is.
    pub severity: Severity,
    /// The device or the file.
    #[serde(rename = "where")]
    pub place: String,
    /// What the machine said.
    pub evidence: Vec<Fact>,
    /// What to do about it.
    pub remedy: Step,
}

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// It is wrong, whatever was meant.
    Wrong,
    /// It is wrong unless it was meant so.
    Doubtful,
    /// It is good to know.
    Note,
}

/// A value that a machine said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fact {
    /// Its name: `bandwidth`.
    pub what: String,
    /// The value: `19mbit`.
    pub value: String,
}

/// What cannot be told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CannotTell {
    /// What is not known.
    pub what: String,
    /// The reason.
    pub why: String,
}

/// Kinds of findings. docs/doctor.md tells of each when it is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum FaultName {
    /// Nothing shapes, and the line is the bottleneck.
    NoShaper,
    /// One direction is shaped, and the other is not.
    OneDirection,
    /// The upload has the download's rate, and the download the upload's.
    RatesSwapped,
    /// A shaper is faster than the line.
    RateAboveLine,
    /// A shaper is much slower than the line.
    RateFarBelowLine,
    /// A shaper has eight times the line's rate: bytes were named in place of bits.
    RateMistyped,
    /// No packets are sent to an IFB that shapes.
    RedirectMissing,
    /// Packets are sent to an IFB that is missing or down.
    IfbMissing,
    /// Packets pass the device, and not its shaper.
    CountersStill,
    /// A shaper has words that belong to the other direction.
    KeptKeywords,
    /// A shaper counts packets without what the line adds to them.
    OverheadMissing,
    /// The overhead is in a size table beside CAKE.
    OverheadInStab,
    /// The overhead is not that of the line.
    OverheadWrong,
    /// CAKE's `rtt` is not what people mean.
    RttMistyped,
    /// The configuration has a setting that is not in force.
    ConfigDropped,
    /// A CAKE on several hardware queues isolates hosts within each only.
    CakeMqLimits,
    /// A fast shaper has one hardware queue, so one processor.
    OneTxQueue,
    /// The bottleneck's queue is a long FIFO.
    DeepFifo,
    /// The bottleneck's hardware queue is not limited in bytes.
    NoBql,
    /// A slow shaper sends super-packets whole.
    Lumps,
    /// The bottleneck is Wi-Fi without fair queueing.
    WifiWithoutFq,
    /// Airtime queue limits are off.
    WifiWithoutAql,
    /// TCP's buffers are huge.
    HugeTcpBuffers,
    /// BBR is not paced.
    UnpacedBbr,
    /// ECN does not survive the path.
    EcnBleached,
}

/// The stable name, as the document has it: `no-shaper`.
impl fmt::Display for FaultName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

impl Checkup {
    /// Number of findings of a severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|fault| fault.severity == severity).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_the_same_everywhere() {
        for (name, text) in
            [(FaultName::NoShaper, "no-shaper"), (FaultName::HugeTcpBuffers, "huge-tcp-buffers")]
        {
            assert_eq!(name.to_string(), text);
            assert_eq!(serde_json::to_value(name).unwrap(), text);
        }
    }
}
