//! Limits of a test: what may have bounded its figures, or made it other than planned.

use std::net::IpAddr;

use observation::Heading;
use serde::{Deserialize, Serialize};

use crate::{Claim, Remark};

/// A reason to doubt a figure.
///
/// In JSON a limit has the form of a [`Remark`]: its name is that of the [`Claim`],
/// and its figures are the remark's. The sentence is `report`'s.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "name", rename_all = "kebab-case")]
pub enum Limit {
    // --- of the machines ---
    /// The client's busiest processor was too busy at the 90th percentile.
    ProcessorBusy {
        /// The part of the time for which the processor was busy, 0 to 1.
        part: f64,
    },
    /// The server's busiest processor was too busy at the 90th percentile.
    ServerProcessorBusy {
        /// The part of the time for which the processor was busy, 0 to 1.
        part: f64,
    },
    /// The thread of the client that sends probes was late.
    LateProbes {
        /// The worst lateness, in milliseconds.
        delay_ms: f64,
    },
    /// Nothing was sent for a while: the client's machine slept.
    Slept {
        /// Duration of the sleep, in seconds.
        duration_s: f64,
    },
    /// The server did other tests meanwhile.
    ServerShared {
        /// Number of other tests.
        count: u64,
    },
    // --- of the load ---
    /// No probe was answered, so delays are those of TCP handshakes.
    UdpBlocked,
    /// The flows waited for a window or a buffer of an end, not for the path.
    HeldBack {
        /// The direction of the flows.
        heading: Heading,
        /// The part of the time for which they waited, 0 to 1.
        part: f64,
    },
    /// The senders had a congestion control that does not fill queues.
    GentleSenders {
        /// The direction of the load.
        heading: Heading,
    },
    /// The load went on for longer than planned, until the queue grew no more.
    Extended {
        /// The direction of the load.
        heading: Heading,
        /// Duration of the load, in seconds.
        duration_s: f64,
    },
    /// The queue still grew at the end.
    StillGrowing {
        /// The direction of the load.
        heading: Heading,
    },
    /// A load that was planned was not measured, since it did not last for long enough.
    NotLoaded {
        /// The direction of the load; `None` if it was of both directions at once.
        heading: Option<Heading>,
    },
    // --- of the path ---
    /// The direction was hardly ever without a queue, so its delays are lower bounds.
    NeverIdle {
        /// The direction.
        heading: Heading,
    },
    /// Packets waited before the test loaded anything.
    LoadedBefore {
        /// The direction in which they waited.
        heading: Heading,
        /// The median of their waits, in milliseconds.
        delay_ms: f64,
    },
    /// The client's address changed meanwhile.
    AddressChanged {
        /// Number of changes.
        count: u64,
    },
    /// An address of the server did not answer in time, and another one was measured.
    SilentAddress {
        /// The address that did not answer.
        address: IpAddr,
    },
    /// The server's clock jumped.
    ClockStepped {
        /// The jump, in milliseconds; negative if the clock was set back.
        delay_ms: f64,
    },
    // --- early ends ---
    /// The test was stopped before its end.
    Interrupted,
    /// The server or the path to it was lost before the end.
    Lost,
    /// Large packets do not come through, though small ones do.
    LargeLost,
    /// The client's machine slept, or its program stood still, and the test ended then.
    StoodStill,
    /// A limit with its sentence: as `report` writes it, or read from a file that has the sentence
    /// and not all figures.
    #[serde(untagged)]
    Told(Box<Remark>),
}

impl Limit {
    /// The name of the claim that the limit makes.
    pub fn claim(&self) -> Claim {
        match self {
            Self::ProcessorBusy { .. } => Claim::ProcessorBusy,
            Self::ServerProcessorBusy { .. } => Claim::ServerProcessorBusy,
            Self::LateProbes { .. } => Claim::LateProbes,
            Self::Slept { .. } => Claim::Slept,
            Self::ServerShared { .. } => Claim::ServerShared,
            Self::UdpBlocked => Claim::UdpBlocked,
            Self::HeldBack { .. } => Claim::HeldBack,
            Self::GentleSenders { .. } => Claim::GentleSenders,
            Self::Extended { .. } => Claim::Extended,
            Self::StillGrowing { .. } => Claim::StillGrowing,
            Self::NotLoaded { .. } => Claim::NotLoaded,
            Self::NeverIdle { .. } => Claim::NeverIdle,
            Self::LoadedBefore { .. } => Claim::LoadedBefore,
            Self::AddressChanged { .. } => Claim::AddressChanged,
            Self::SilentAddress { .. } => Claim::SilentAddress,
            Self::ClockStepped { .. } => Claim::ClockStepped,
            Self::Interrupted => Claim::Interrupted,
            Self::Lost => Claim::Lost,
            Self::LargeLost => Claim::LargeLost,
            Self::StoodStill => Claim::StoodStill,
            Self::Told(remark) => remark.name,
        }
    }

    /// The direction that the limit concerns; `None` if it concerns the test as a whole.
    pub fn heading(&self) -> Option<Heading> {
        match *self {
            Self::HeldBack { heading, .. }
            | Self::GentleSenders { heading }
            | Self::Extended { heading, .. }
            | Self::StillGrowing { heading }
            | Self::NeverIdle { heading }
            | Self::LoadedBefore { heading, .. } => Some(heading),
            Self::NotLoaded { heading } => heading,
            Self::Told(ref remark) => remark.heading,
            _ => None,
        }
    }

    /// The limit as a remark with this sentence: the same claim, direction and figures.
    pub fn told(&self, text: String) -> Remark {
        let (name, heading) = (self.claim(), self.heading());
        let remark = Remark { name, heading, text, ..Remark::default() };
        match *self {
            Self::ProcessorBusy { part }
            | Self::ServerProcessorBusy { part }
            | Self::HeldBack { part, .. } => Remark { part: Some(part), ..remark },
            Self::LateProbes { delay_ms }
            | Self::LoadedBefore { delay_ms, .. }
            | Self::ClockStepped { delay_ms } => Remark { delay_ms: Some(delay_ms), ..remark },
            Self::Slept { duration_s } | Self::Extended { duration_s, .. } => {
                Remark { duration_s: Some(duration_s), ..remark }
            }
            Self::ServerShared { count } | Self::AddressChanged { count } => {
                Remark { count: Some(count), ..remark }
            }
            Self::SilentAddress { address } => Remark { address: Some(address), ..remark },
            _ => remark,
        }
    }
}

/// A limit that is in words already.
impl From<Remark> for Limit {
    fn from(remark: Remark) -> Self {
        Self::Told(Box::new(remark))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Limit {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn a_limit_that_was_put_in_words_is_read_as_data() {
        let text = r#"{"name":"held-back","heading":"up","text":"It waited.","part":0.97}"#;
        assert_eq!(read(text), Limit::HeldBack { heading: Heading::Up, part: 0.97 });
        let both = r#"{"name":"not-loaded","heading":null,"text":"Nothing is known."}"#;
        assert_eq!(read(both), Limit::NotLoaded { heading: None });
    }

    #[test]
    fn a_limit_without_its_figures_keeps_its_sentence() {
        let text = r#"{"name":"slept","heading":null,"text":"It slept for 3 s."}"#;
        let kept = Remark::new(Claim::Slept, "It slept for 3 s.");
        assert_eq!(read(text), Limit::from(kept));
    }
}
