//! What each platform yields.

use crate::error::PlatformError;
use remedy::{Prescription, Shaper, Tins};
use results::{CannotSay, PlannedDirection, PlannedRate, PlannedRates, Step, Tested, Untreated};
use units::Span;

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

/// No plan, for this reason.
pub(crate) fn refused(why: PlatformError) -> Written {
    Written { refused: Some(why), ..Written::default() }
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

/// What the platform does with wishes that it has no setting for; `None` if it has one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Instead {
    /// Packets divided by their code points.
    pub(crate) tins: Option<&'static str>,
    /// A router that does not translate addresses.
    pub(crate) no_nat: Option<&'static str>,
    /// Another round trip than the usual 100 ms.
    pub(crate) rtt: Option<&'static str>,
}

/// The wishes of a prescription that the platform lacks a setting for. What nobody wishes is not lacking.
pub(crate) fn lacks_wishes(prescription: &Prescription, instead: Instead) -> Vec<CannotSay> {
    let Some(shaper) = prescription.shapers().next() else { return Vec::new() };
    let tins = instead.tins.filter(|_| shaper.tins != Tins::BestEffort);
    let no_nat = instead.no_nat.filter(|_| !shaper.nat);
    let rtt = instead.rtt.filter(|_| shaper.rtt != CAKES_RTT);
    [
        tins.map(|instead| lacks(&format!("--tins {}", shaper.tins.cake()), instead)),
        no_nat.map(|instead| lacks("--no-nat", instead)),
        rtt.map(|instead| lacks(&format!("a round trip of {} (--rtt)", shaper.rtt), instead)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The interface that somebody named, for a platform that is not told it.
pub(crate) fn lacks_wan(wan: &str, instead: &str) -> Option<CannotSay> {
    (!wan.is_empty()).then(|| lacks(&format!("--wan {wan}"), instead))
}

/// The round trip that CAKE expects if it is not told (tc-cake(8), `rtt`).
pub(crate) const CAKES_RTT: Span = Span::from_millis(100);

/// The round trip in whole milliseconds, for a platform that takes no others: not shorter than it is.
pub(crate) const fn whole_millis(rtt: Span) -> u64 {
    rtt.as_nanos().div_ceil(1_000_000)
}

/// The round trip of a prescription, where a platform takes whole milliseconds; `None` if it is whole.
pub(crate) fn lacks_fractions(prescription: &Prescription, queue: &str) -> Option<CannotSay> {
    let rtt = prescription.shapers().next()?.rtt;
    let millis = whole_millis(rtt);
    let instead = format!("{queue} expects {millis} ms");
    (rtt != Span::from_millis(millis)).then(|| lacks(&format!("a round trip of {rtt}"), instead))
}

/// The text of the step behind `commit-confirm`, which asks a question.
pub(crate) const CONFIRM: &str = "Answer y to the question. Check that the line works, and test \
                                  it. If the line is better, type this within the ten minutes:";

/// The setting that such a platform lacks.
pub(crate) const OVERHEAD: &str = "what the line adds to each packet (overhead)";

/// The sentence for a platform that does not count what the line adds to packets.
pub(crate) const LOWER_RATE: &str =
    "the rate is lower instead, by as much as a usual mixture of packets is longer on the line";

/// The setting of a platform whose CAKE does not know what has passed the line already.
pub(crate) const INGRESS: &str = "that the download has passed the line already (ingress)";

/// The sentence for such a platform.
pub(crate) const DROPS_LATER: &str = "CAKE treats it as an upload, and drops a little later";

/// The bytes that the queue of an interface counts of a packet beyond the IP packet: the header of
/// Ethernet, which packets do not have on an interface of PPP or of a tunnel of IP packets
/// (`dev_hard_header` in Linux).
pub(crate) fn counted(wan: &str) -> u64 {
    const OF_PACKETS: [&str; 5] = ["ppp", "wg", "tun", "vti", "sstpc"];
    if OF_PACKETS.iter().any(|kind| wan.starts_with(kind)) { 0 } else { 14 }
}
