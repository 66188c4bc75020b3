//! What else was found of a loaded direction, beside its queue.

use serde::{Deserialize, Serialize};

/// One finding, and how sure it is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// What was found.
    pub kind: FindingKind,
    /// How much of it, in the unit that [`FindingKind`] names; `None` if that was not measured.
    pub amount: Option<f64>,
    /// How sure it is, 0 to 1.
    pub confidence: f64,
}

/// What can be found beside a queue. Each has its evidence in docs/diagnosis.md.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    /// Others use this direction too: they had at least so many Mbit/s of it.
    OtherTraffic,
    /// The rate changed while packets waited, by this factor: others came or went, or the line changed.
    RateChanged,
    /// Probes pass the queue in which TCP waits: a TCP handshake waits so many milliseconds longer.
    ProbesFavoured,
    /// Packets are lost that no queue drops: this part of them, 0 to 1.
    RandomLoss,
    /// The server's own bound was the limit: so many Mbit/s.
    ServerRate,
    /// An end, and not the path, limited the rate: for this part of the time, 0 to 1.
    EndLimits,
    /// This machine was too busy to measure: one probe in twenty was more than so many milliseconds late, or, of a
    /// responsiveness, half of them. `None` where its processor or the server's was full, and sent or received no
    /// faster.
    MachineLimits,
}

impl FindingKind {
    /// Whether it leaves open what the queue is, and how much the line carries.
    pub const fn forbids_kind(self) -> bool {
        matches!(self, Self::ServerRate | Self::EndLimits | Self::MachineLimits)
    }

    /// Whether what the load carried is less than what the line can carry, or may be: where probes pass the
    /// queue, nobody sees who else is in it.
    pub const fn leaves_rate_open(self) -> bool {
        self.forbids_kind()
            || matches!(self, Self::OtherTraffic | Self::RateChanged | Self::ProbesFavoured)
    }
}
