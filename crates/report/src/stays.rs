//! The choice of a short time in which queues can be watched, packet by packet.

mod choice;
mod words;

use results::{Document, FlowKind, QueueWindow, Stay};
use units::{Span, Time, Way};

use crate::congestion::places;
use crate::labels::distinct;
use crate::page::{QueueScene, WatchedPacket, WatchedQueue};
use crate::setting::{Capacity, capacity, queue_in_words};
use choice::{Choice, choice};

/// A full packet, in bits.
const PACKET_BITS: f64 = 1500.0 * 8.0;
/// A packet below this length is short, in bytes.
const SHORT: u64 = 500;

/// A run with the packets of one of its queues.
struct StayedRun<'a> {
    label: String,
    document: &'a Document,
    windows: &'a [QueueWindow],
}

impl StayedRun<'_> {
    /// True if somebody waits for this packet, and it is not of the load.
    fn is_other(&self, stay: &Stay) -> bool {
        let flow = self.document.flows.get_index(stay.flow as usize);
        flow.is_some_and(|(_, flow)| {
            matches!(flow.kind, FlowKind::Ping | FlowKind::Voip | FlowKind::Cbr)
        })
    }
}

/// The scene in which the queue of this direction of a link can be watched, with one run or with two of
/// several side by side: the one in which others wait longest, and the one in which they wait least.
/// `windows` has the same stretches of each run. `None` if hardly any packet waits, or if little is known.
pub fn queue_scene(
    runs: &[(String, Document)],
    windows: &[Vec<QueueWindow>],
    link: &str,
    way: Way,
) -> Option<QueueScene> {
    let labels: Vec<&str> = runs.iter().map(|(label, _)| label.as_str()).collect();
    let runs: Vec<StayedRun<'_>> = (distinct(&labels).into_iter().zip(runs).zip(windows))
        .map(|((label, (_, document)), windows)| StayedRun { label, document, windows })
        .collect();
    let rate_mbit = rate(runs.first()?.document, link, way)?;
    let packet_us = PACKET_BITS / rate_mbit;
    let choice = choice(&runs, Span::from_nanos((packet_us * 1e3) as u64))?;
    let mut queues: Vec<WatchedQueue> =
        choice.runs.iter().map(|run| watched(run, &choice)).collect();
    if let [run] = &runs[..] {
        // A run alone has no label.
        queues[0].name = queue_of(run.document, link, way);
    }
    let most = queues.iter().map(|queue| most_at_once(&queue.packets)).max()?;
    let length_us = micros(choice.to, choice.from);
    let slowed = slowed(packet_us, length_us);
    let is_telling = most >= FEWEST;
    is_telling.then(|| QueueScene {
        title: words::title(runs.len() > 1),
        explanation: words::explanation(&choice, slowed, link, way),
        slowed,
        from_s: choice.from.since(Time::ZERO).as_secs_f64(),
        length_us,
        still_us: micros(choice.still, choice.from),
        packet_us,
        most,
        queues,
    })
}

/// The fewest packets that must wait at once for a queue to be worth watching.
const FEWEST: usize = 4;

/// The rate of a direction in Mbit/s, the lowest of a schedule; `None` if it is not known.
fn rate(document: &Document, link: &str, way: Way) -> Option<f64> {
    let place = places(document).find(|place| place.link == link && place.way == way)?;
    let rate = match capacity(document, &place)? {
        Capacity::Constant(rate) => rate,
        Capacity::Schedule(steps) => steps.iter().map(|(_, rate)| *rate).reduce(f64::min)?,
    };
    Some(rate).filter(|rate| *rate > 0.0)
}

/// The queue of a direction, as tc writes it; empty if it is not known.
fn queue_of(document: &Document, link: &str, way: Way) -> String {
    let place = places(document).find(|place| place.link == link && place.way == way);
    place.map(|place| queue_in_words(&place.direction.queue)).unwrap_or_default()
}

/// The packets of a run that are in its queue during the scene.
fn watched(run: &StayedRun<'_>, choice: &Choice<'_>) -> WatchedQueue {
    let packet = |stay: &Stay| WatchedPacket {
        offered_us: micros(stay.offered, choice.from),
        left_us: micros(stay.left, choice.from),
        is_other: run.is_other(stay),
        is_short: stay.bytes.0 < SHORT,
        is_dropped: stay.is_dropped,
    };
    let packets: Vec<WatchedPacket> = choice.stays(run).map(packet).collect();
    WatchedQueue {
        caption: words::caption(run, choice, most_at_once(&packets)),
        name: run.label.clone(),
        packets,
    }
}

/// Largest number of packets that wait at once.
fn most_at_once(packets: &[WatchedPacket]) -> usize {
    let waits = |packet: &&WatchedPacket| packet.left_us > packet.offered_us;
    let ends = |packet: &WatchedPacket| [(packet.offered_us, 1), (packet.left_us, -1)];
    let mut ends: Vec<(i64, i64)> = packets.iter().filter(waits).flat_map(ends).collect();
    ends.sort_unstable();
    let sums = ends.iter().scan(0, |sum, (_, change)| {
        *sum += change;
        Some(*sum)
    });
    sums.max().and_then(|most| usize::try_from(most).ok()).unwrap_or(0)
}

/// The factor that lets an eye follow the packets: at most some tens leave in a second, and the scene
/// lasts no longer than people watch; 1, 2 or 5 times a power of ten.
fn slowed(packet_us: f64, length_us: i64) -> u64 {
    /// Packets that leave in a second.
    const IN_A_SECOND: f64 = 40.0;
    /// Length of the scene as it is shown, in microseconds.
    const LONGEST_US: f64 = 25e6;
    let wanted = (1e6 / IN_A_SECOND / packet_us).min(LONGEST_US / length_us.max(1) as f64);
    let powers = std::iter::successors(Some(1_u64), |power| power.checked_mul(10));
    let mut round = powers.flat_map(|power| [1, 2, 5].map(|one| power.saturating_mul(one)));
    round.find(|factor| *factor as f64 >= wanted).unwrap_or(1)
}

/// The time from one instant to another, in whole microseconds; below 0 for an earlier one.
fn micros(at: Time, from: Time) -> i64 {
    let whole = |span: Span| i64::try_from(span.as_nanos() / 1000).unwrap_or(i64::MAX);
    if at >= from { whole(at.since(from)) } else { -whole(from.since(at)) }
}

#[cfg(test)]
mod tests;
