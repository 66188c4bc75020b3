//! Observes packets as the paper's simulator did.
//!
//! The paper's figures depend on the times of observation. OMNeT++ takes the mean over all values
//! that were recorded, however long each had lasted, and its INET models record
//! - the length of a queue after each packet that joins and after each that leaves. A packet that
//!   finds the wire idle does neither, because it is sent at once. So where packets seldom wait for
//!   one another, the mean is 0.5, and in a small buffer it is more than the mean over time;
//! - the round trip of one segment at a time: the next segment to be timed is the first that is
//!   sent after the acknowledgement of the last one. So each round trip counts once, not each
//!   packet.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tables::{FateSink, PacketFate};
use units::{Bytes, Time, Way};

use super::wire::{EDGE, EDGE_DELAY, FRAMING, HEADERS};

/// The observations of packets.
#[derive(Default)]
struct Sightings {
    /// The sending times of the segments with payload.
    sent: Vec<Time>,
    /// The packets that came to the bottleneck. Later packets may stand before earlier ones,
    /// because a drop is written at once.
    queued: Vec<Queued>,
    /// The times at which acknowledgements were back.
    acknowledged: Vec<Time>,
}

/// A packet at the bottleneck.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Queued {
    joined: Time,
    /// The departure time; `None` if the packet was dropped.
    left: Option<Time>,
    /// True for a segment with payload.
    is_segment: bool,
}

/// An observer of the packets of a run.
#[derive(Default)]
pub(super) struct Watch {
    seen: Arc<Mutex<Sightings>>,
}

impl Watch {
    /// The destination of the packets.
    pub(super) fn sink(&self) -> Box<dyn FateSink + Send> {
        Box::new(self.seen.clone())
    }

    fn seen(&self) -> MutexGuard<'_, Sightings> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The mean round trip of one segment at a time, in seconds; `None` if none was acknowledged.
    pub(super) fn mean_rtt(&self) -> Option<f64> {
        let mut seen = self.seen();
        // Frames on one wire are delivered one after the other, so the order by time is the order
        // of sending.
        seen.queued.sort_unstable();
        let queued = seen.queued.iter().filter(|queued| queued.is_segment);
        let delivered = seen.sent.iter().zip(queued).filter(|(_, queued)| queued.left.is_some());
        let (mut free, mut total, mut count) = (Time::ZERO, 0, 0_u32);
        for ((sent, _), back) in delivered.zip(&seen.acknowledged) {
            if *sent >= free {
                free = *back;
                total += back.since(*sent).as_nanos();
                count += 1;
            }
        }
        (count > 0).then(|| total as f64 / 1e9 / f64::from(count))
    }

    /// The mean length of the queue after each packet that joined or left it. A packet that need
    /// not wait does neither. `None` if no packet waited.
    pub(super) fn mean_queue(&self) -> Option<f64> {
        let mut seen = self.seen();
        seen.queued.sort_unstable();
        let passed: Vec<(Time, Time)> = seen
            .queued
            .iter()
            .filter_map(|queued| Some((queued.joined, queued.left?)))
            .filter(|(joined, left)| joined < left)
            .collect();
        let mut total = 0;
        // Of simultaneous events, OMNeT++ executes the one first that was scheduled first: a
        // packet's departure, scheduled when its transmission began, before the arrival of a packet
        // with a smaller delay.
        let mut left_before = 0;
        for (index, (joined, _)) in passed.iter().enumerate() {
            while passed[left_before].1 <= *joined {
                left_before += 1;
            }
            total += index + 1 - left_before;
        }
        let mut joined_by = 0;
        for (index, (_, left)) in passed.iter().enumerate() {
            while passed.get(joined_by).is_some_and(|(joined, _)| joined < left) {
                joined_by += 1;
            }
            total += joined_by - (index + 1);
        }
        (!passed.is_empty()).then(|| total as f64 / (2 * passed.len()) as f64)
    }
}

impl FateSink for Sightings {
    fn packet(&mut self, packet: &PacketFate<'_>) -> io::Result<()> {
        let PacketFate { link, direction, flow, bytes, enqueued: joined, fate, .. } = *packet;
        let (is_bulk, left) = (flow == "bulk", fate.departed());
        let bare = HEADERS + FRAMING;
        let is_segment = is_bulk && bytes > bare + LONGEST_OPTIONS;
        match (link, direction) {
            ("access", Way::Forward) if is_segment => self.sent.push(joined),
            ("access", Way::Reverse) if is_bulk && bytes == bare => {
                let travels = bytes / EDGE + EDGE_DELAY;
                self.acknowledged.extend(left.map(|left| left + travels));
            }
            ("bottleneck", Way::Forward) => self.queued.push(Queued { joined, left, is_segment }),
            _ => {}
        }
        Ok(())
    }
}

/// The longest TCP options. Every segment with payload is longer than that.
const LONGEST_OPTIONS: Bytes = Bytes(40);

#[cfg(test)]
mod tests {
    use tables::Fate;
    use units::Span;

    use super::*;

    /// A packet that is offered at a time in microseconds, and leaves the queue at another; `None`
    /// if the queue drops it.
    fn packet(
        (link, direction): (&'static str, Way),
        (flow, bytes): (&'static str, u64),
        enqueued: u64,
        departed: Option<u64>,
    ) -> PacketFate<'static> {
        let at = |micros| Time::ZERO + Span::from_micros(micros);
        let departed = departed.map(at);
        PacketFate {
            index: 0,
            link,
            direction,
            flow,
            bytes: Bytes(bytes),
            enqueued: at(enqueued),
            fate: departed.map_or(Fate::DroppedFull, |departed| Fate::Delivered { departed }),
        }
    }

    fn watch(packets: &[PacketFate<'_>]) -> Watch {
        let watch = Watch::default();
        let mut sink = watch.sink();
        packets.iter().for_each(|packet| sink.packet(packet).unwrap());
        watch
    }

    const THERE: (&str, Way) = ("access", Way::Forward);
    const BACK: (&str, Way) = ("access", Way::Reverse);
    const QUEUE: (&str, Way) = ("bottleneck", Way::Forward);
    const SEGMENT: (&str, u64) = ("bulk", 583);
    const ACKNOWLEDGEMENT: (&str, u64) = ("bulk", 47);

    #[test]
    fn one_segment_is_timed_at_a_time() {
        let at_once = |place, what, micros| packet(place, what, micros, Some(micros));
        // Three segments; the second is on its way while the first is timed, the third is dropped,
        // the fourth is sent when the first is acknowledged.
        let packets = [
            at_once(THERE, SEGMENT, 0),
            at_once(THERE, SEGMENT, 10_000),
            at_once(THERE, SEGMENT, 20_000),
            packet(QUEUE, SEGMENT, 23_332, None),
            at_once(QUEUE, SEGMENT, 3_332),
            at_once(QUEUE, SEGMENT, 13_332),
            at_once(BACK, ACKNOWLEDGEMENT, 98_812),
            at_once(THERE, SEGMENT, 100_000),
            at_once(QUEUE, SEGMENT, 103_332),
            at_once(BACK, ACKNOWLEDGEMENT, 108_812),
            at_once(BACK, ACKNOWLEDGEMENT, 298_812),
        ];
        // 100 ms and 200 ms; an ACK travels 1.188 ms to the client.
        let mean = watch(&packets).mean_rtt().unwrap();
        assert!((mean - 0.150).abs() < 1e-12, "{mean}");
    }

    #[test]
    fn the_queue_is_looked_at_when_it_changes() {
        let lone = packet(QUEUE, SEGMENT, 1_000_000, Some(1_000_000));
        assert_eq!(watch(&[lone]).mean_queue(), None);
        // Two wait for it; a third comes at the instant at which the first leaves: 1, 2, 1, 2, 1,
        // 0.
        let packets = [
            lone,
            packet(QUEUE, SEGMENT, 1_500_000, Some(2_000_000)),
            packet(QUEUE, ("ping", 91), 1_600_000, Some(3_000_000)),
            packet(QUEUE, SEGMENT, 2_000_000, Some(4_000_000)),
        ];
        assert_eq!(watch(&packets).mean_queue(), Some(7.0 / 6.0));
        assert_eq!(watch(&[]).mean_queue(), None);
    }
}
