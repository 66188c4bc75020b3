//! Traffic of others in the same queue.
//!
//! 1. *Before the test.* Packets that wait while the test loads nothing wait behind those of others.
//! 2. *When the load pauses.* A queue to which nothing more comes drains by a second of waiting a
//!    second: a packet sent later waits that much less. If others send at a part of the line's rate,
//!    it drains more slowly by that part; and a queue that others' TCP keeps full does not drain at
//!    all.
//! 3. *While it is full.* A FIFO of a line whose rate varies holds packets longer when the line is
//!    slow. If the load's share of a line goes up and down and the longest delay does not, others
//!    have the rest.

use observation::{Heading, Load};
use results::{Buffer, Finding, FindingKind, LoadedDirection, Measurement};

use crate::view::View;

use crate::noise::{NO_DELAY, OF_MACHINES};
use crate::signs::Signs;
use crate::window::Window;

/// The shortest queue, in seconds, whose drain shows a slope.
const SHORTEST: f64 = 0.025;

/// The fewest probes that show a slope.
const FEWEST: usize = 4;

/// The part of packets' waits above which a machine's lateness hides the slope.
const OF_THE_WAIT: f64 = 0.1;

/// The finding that others use this direction; `None` if nothing shows it.
pub(crate) fn others(view: &View<'_>, heading: Heading, signs: &Signs) -> Option<Finding> {
    let rate = signs.carried * 8e-6;
    let found =
        |amount, confidence| Finding { kind: FindingKind::OtherTraffic, amount, confidence };
    // A late machine makes packets wait too.
    let [usual, stalled] = signs.late;
    let late = stalled.max(3.0 * usual);
    let before = view.noise(heading).1 - late;
    let packet = signs.packet.max(NO_DELAY);
    if before > 3.0 * packet + signs.noise {
        return Some(found(None, 0.95));
    }
    let often = view.idle_wait(heading, 0.75) - late;
    if often > OF_MACHINES.max(0.3 * signs.packet) {
        return Some(found(None, 0.75));
    }
    if late > OF_THE_WAIT * signs.settled.median {
        return None;
    }
    let parts: Vec<f64> = drains(view, heading, signs).collect();
    let (part, count) = (parts.iter().copied().fold(f64::INFINITY, f64::min), parts.len());
    // A single pause may be a load that stops late. Others have this part of a line that carries
    // more than the load had of it.
    (count > 1 && part > LoadedDirection::OTHERS_NOTICED).then(|| found(Some(rate * part), 0.95))
}

/// The largest part of the line that others may have had, of all pauses; `None` without a pause
/// that shows it. A load that stops late looks like traffic of others, so this alone is no finding.
pub(crate) fn most_of_others(view: &View<'_>, heading: Heading, signs: &Signs) -> Option<f64> {
    drains(view, heading, signs).reduce(f64::max)
}

/// Marks buffers as lower bounds where others use the opposite direction: the acknowledgements of
/// their data, if they use TCP, pass this direction. The part of a slow line that these take is not
/// known, and the load had only a part of the queue.
pub(crate) fn acknowledge(measurement: &mut Measurement) {
    let Measurement { download: Some(down), upload: Some(up), .. } = measurement else { return };
    let is_used = |one: &LoadedDirection| FindingKind::OtherTraffic.is_in(&one.findings);
    let used = [is_used(down), is_used(up)];
    for (used, back) in used.into_iter().zip([up, down]) {
        if used && !is_used(back) {
            back.buffer = back.buffer.map(|buffer| Buffer { at_least: true, ..buffer });
        }
    }
}

/// The part of the line that others had, by each pause after this direction was loaded: what did
/// not drain, less the test's own traffic in the pause.
fn drains(view: &View<'_>, heading: Heading, signs: &Signs) -> impl Iterator<Item = f64> {
    let rate = signs.busy.flux.bytes;
    let pairs = view.seen.stages.windows(2);
    let pauses = pairs.filter(move |pair| {
        let is_loaded = matches!(pair[0].load, Load::One(of) | Load::Small(of) if of == heading);
        is_loaded && pair[1].load == Load::Drain
    });
    pauses.filter_map(move |pair| {
        let pause = Window::of(&pair[1], &view.clock);
        let part = part_of_others(&pause.waits(view.passages.heading(heading)))?;
        let own = view.traffic(heading).part_of_probes(pause.from, pause.to, rate);
        Some((part - own).max(0.0))
    })
}

/// The part of the line that others had, by the steepest fall of these waits over at least half of
/// the longest wait: the load's last packets are delivered before.
fn part_of_others(waits: &[(f64, f64)]) -> Option<f64> {
    let longest = waits.iter().map(|(_, wait)| *wait).fold(0.0, f64::max);
    let step = longest / 2.0;
    if longest < SHORTEST {
        return None;
    }
    let mut steepest: Option<f64> = None;
    for (index, (at, wait)) in waits.iter().enumerate() {
        let Some(far) = waits[index..].iter().position(|one| one.0 >= at + step) else { break };
        let (later, left) = waits[index + far];
        // A queue that has drained falls no more, and what waits after that is not the load's.
        if far + 1 >= FEWEST && *wait > NO_DELAY && left > NO_DELAY {
            let slope = (wait - left) / (later - at);
            steepest = Some(steepest.map_or(slope, |known| known.max(slope)));
        }
    }
    steepest.map(|slope| (1.0 - slope).clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The part of others, for waits of a second that fall at this slope, probed each 20 ms.
    fn falling(slope: f64) -> Option<f64> {
        let times = (0..100).map(|index| f64::from(index) * 0.02);
        let waits: Vec<(f64, f64)> = times.map(|at| (at, (1.0 - slope * at).max(0.0))).collect();
        part_of_others(&waits)
    }

    #[test]
    fn what_nobody_fills_drains_a_second_a_second() {
        for (slope, part) in [(1.0, 0.0), (0.6, 0.4), (0.0, 1.0)] {
            let found = falling(slope);
            assert!(found.is_some_and(|found| (found - part).abs() < 1e-6), "{slope}: {found:?}");
        }
        assert_eq!(part_of_others(&[(0.0, 0.01), (0.1, 0.0)]), None, "too short");
        // It drained between three probes, and a probe met another a little later.
        let waits = [56.0, 37.0, 17.0, 0.0, 0.0, 0.0, 3.7, 0.0].map(|millis| millis / 1e3);
        let times = (0..).map(|index| f64::from(index) * 0.02);
        assert_eq!(part_of_others(&times.zip(waits).collect::<Vec<_>>()), None, "too few");
    }
}
