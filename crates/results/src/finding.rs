//! Findings about a loaded direction other than its queue.

use serde::{Deserialize, Serialize};

/// A finding, with its confidence.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finding {
    /// The kind of the finding.
    pub kind: FindingKind,
    /// Size of what was found, in the unit that [`FindingKind`] names; `None` if it was not
    /// measured.
    pub amount: Option<f64>,
    /// Confidence, 0 to 1.
    pub confidence: f64,
}

/// Kinds of findings. docs/diagnosis.md names the evidence for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    /// Others use this direction too. Amount: Mbit/s that they had, at least.
    OtherTraffic,
    /// The rate changed while packets waited: others came or went, or the line changed. Amount: the
    /// factor.
    RateChanged,
    /// Probes bypass the queue in which TCP waits. Amount: milliseconds by which a TCP handshake
    /// waits longer.
    ProbesFavoured,
    /// Packets are lost that no queue drops. Amount: the part of the packets, 0 to 1.
    RandomLoss,
    /// The server's own bound was the limit. Amount: Mbit/s.
    ServerRate,
    /// An end, and not the path, limited the rate. Amount: the part of the time, 0 to 1.
    EndLimits,
    /// The client's machine was too busy to measure. Amount: the lateness, in milliseconds, that
    /// one probe in twenty exceeded, or in a responsiveness test one in two; `None` where the
    /// processor of that machine or of the server was full, and the machine could send or receive
    /// no faster.
    MachineLimits,
}

impl FindingKind {
    /// True if one of these findings is of this kind.
    pub fn is_in(self, findings: &[Finding]) -> bool {
        findings.iter().any(|finding| finding.kind == self)
    }

    /// True if the finding leaves open what kind of queue there is, and how much the line carries.
    pub const fn forbids_kind(self) -> bool {
        matches!(self, Self::ServerRate | Self::EndLimits | Self::MachineLimits)
    }

    /// True if, with this finding, the line may be able to carry more than it carried for the load.
    /// Where probes bypass the queue, probes do not show whether others use the queue.
    pub const fn leaves_rate_open(self) -> bool {
        self.forbids_kind()
            || matches!(self, Self::OtherTraffic | Self::RateChanged | Self::ProbesFavoured)
    }
}
