//! The first hop was late too: the Wi-Fi to it, or else the router or the wire to it.

use observation::WatchedSecond;
use results::{SpikeCause, SpikeEvidence};
use stats::{ascending, median};
use units::Span;

use super::Verdict;
use crate::Place;
use crate::facts::{BESIDE, Facts};

/// The fall of the signal in dB that says something.
const FALL: f64 = 10.0;
/// The rise of frames that were sent again, as a multiple, and the least number a second.
const RISE: f64 = 3.0;
const LEAST_RETRIES: f64 = 10.0;
const CONFIDENCE: f64 = 0.9;
/// Confidence where only the radio speaks for it, or only the first hop, since the radio tells nothing.
const BY_ONE_ALONE: f64 = 0.7;

/// The verdict that it was between here and the first hop; `None` if the first hop was not late, or does
/// not tell and no radio does.
pub(crate) fn judge(facts: &Facts<'_>) -> Option<Verdict> {
    let hop = facts.place(Place::Hop(1));
    let is_late = hop.is_some_and(|it| it.shares(facts.worst()));
    let mut evidence = Vec::new();
    if let Some(hop) = hop {
        evidence.push(SpikeEvidence::FirstHop { added_p95_ms: hop.added_p95_ms });
    }
    if !facts.is_wireless {
        let router = SpikeCause::Router;
        return is_late.then(|| Verdict::new(router, CONFIDENCE, evidence));
    }
    let radio = radio(facts);
    let confidence = match (is_late, hop) {
        (true, _) if !radio.is_empty() => CONFIDENCE,
        // Behind a radio that shows nothing, a router may be busy, or answer pings late.
        (true, _) if !tells(facts) => BY_ONE_ALONE,
        (false, None) if !radio.is_empty() => BY_ONE_ALONE,
        _ => return None,
    };
    evidence.extend(radio);
    Some(Verdict::new(SpikeCause::Wireless, confidence, evidence))
}

/// True if the radio shows that it was disturbed.
pub(super) fn shows_radio(facts: &Facts<'_>) -> bool {
    !radio(facts).is_empty()
}

/// True if the radio tells of itself at all.
fn tells(facts: &Facts<'_>) -> bool {
    let mut seconds = facts.surroundings.seconds(facts.start, facts.end + Span::from_secs(1));
    seconds.any(|it| it.signal.is_some() || it.retries.is_some())
}

/// What the radio says: a weaker signal than usual, or more frames that were sent again.
fn radio(facts: &Facts<'_>) -> Vec<SpikeEvidence> {
    let second = Span::from_secs(1);
    let before = || facts.surroundings.seconds(facts.start - BESIDE, facts.start - second);
    let during = || facts.surroundings.seconds(facts.start, facts.end + second);
    let mut evidence = Vec::new();
    let signals = ascending(before().filter_map(|it| it.signal).map(f64::from));
    if let (Some(usual), Some(weakest)) =
        (median(&signals), during().filter_map(|it| it.signal).min())
        && usual - f64::from(weakest) >= FALL
    {
        evidence.push(SpikeEvidence::Signal { weakest_dbm: weakest, usual_dbm: usual as i8 });
    }
    if let (Some(usual), Some(now)) = (retries(before()), retries(during()))
        && now >= LEAST_RETRIES.max(RISE * usual)
    {
        evidence.push(SpikeEvidence::Retries { per_s: now, usual_per_s: usual });
    }
    evidence
}

/// The mean number of frames that were sent again in a second; `None` if nothing tells.
fn retries<'a>(seconds: impl Iterator<Item = &'a WatchedSecond>) -> Option<f64> {
    let counts: Vec<f64> = seconds.filter_map(|it| it.retries).map(f64::from).collect();
    (!counts.is_empty()).then(|| counts.iter().sum::<f64>() / counts.len() as f64)
}
