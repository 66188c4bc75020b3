//! What each platform yields.

use crate::error::PlatformError;
use remedy::{Prescription, Shaper};
use results::{CannotSay, PlannedDirection, PlannedRate, PlannedRates, Step, Tested, Untreated};

/// A plan in the words of one platform.
#[derive(Debug, Default)]
pub(crate) struct Written {
    pub(crate) tested: Tested,
    pub(crate) rates: PlannedRates,
    pub(crate) steps: Vec<Step>,
    pub(crate) check: Vec<Step>,
    pub(crate) undo: Vec<Step>,
    pub(crate) cannot_say: Vec<CannotSay>,
    /// The reason why the platform cannot be told the plan at all; `None` if it can.
    pub(crate) refused: Option<PlatformError>,
}

/// The rates of both directions, planned by `rate` where there is a shaper.
pub(crate) fn rates(
    prescription: &Prescription,
    rate: impl Fn(&Shaper) -> PlannedRate,
) -> PlannedRates {
    let planned = |shaper: &Result<Shaper, Untreated>| match shaper {
        Ok(shaper) => PlannedDirection::Shaped(rate(shaper)),
        Err(why) => PlannedDirection::Left(*why),
    };
    PlannedRates { download: planned(&prescription.down), upload: planned(&prescription.up) }
}

/// A setting that the platform lacks.
pub(crate) fn lacks(what: &str, instead: impl Into<String>) -> CannotSay {
    CannotSay { what: what.to_owned(), instead: instead.into() }
}

/// The sentence for a platform that does not count what the line adds to packets.
pub(crate) const LOWER_RATE: &str =
    "the rate is lower instead, by as much as a usual mixture of packets is longer on the line";

/// The bytes that the queue of an interface counts of a packet beyond the IP packet: the header of
/// Ethernet, which packets do not have yet on an interface of PPP (`dev_hard_header` in Linux).
pub(crate) fn counted(wan: &str) -> u64 {
    if wan.starts_with("ppp") { 0 } else { 14 }
}
