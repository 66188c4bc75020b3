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

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

use units::Bytes;

use super::wire::{EDGE, EDGE_DELAY, FRAMING, HEADERS};
use crate::packets::{Observer, Rows, number, number_or_none};

/// The observations of packets.
#[derive(Default)]
struct Sightings {
    /// The sending times of the segments with payload, in nanoseconds.
    sent: Vec<u64>,
    /// The packets that came to the bottleneck. Later packets may stand before earlier ones,
    /// because a drop is written at once.
    queued: Vec<Queued>,
    /// The times, in nanoseconds, at which acknowledgements were back.
    acknowledged: Vec<u64>,
}

/// A packet at the bottleneck.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Queued {
    joined: u64,
    /// The departure time; `None` if the packet was dropped.
    left: Option<u64>,
    /// True for a segment with payload.
    is_segment: bool,
}

/// An observer of the table of packets.
#[derive(Default)]
pub(super) struct Watch {
    seen: Rc<RefCell<Sightings>>,
}

impl Watch {
    /// The writer for the table.
    pub(super) fn rows(&self) -> impl Write + 'static {
        Rows::to(&self.seen)
    }

    /// The mean round trip of one segment at a time, in seconds; `None` if none was acknowledged.
    pub(super) fn mean_rtt(&self) -> Option<f64> {
        let mut seen = self.seen.borrow_mut();
        // Frames on one wire are delivered one after the other, so the order by time is the order
        // of sending.
        seen.queued.sort_unstable();
        let queued = seen.queued.iter().filter(|queued| queued.is_segment);
        let delivered = seen.sent.iter().zip(queued).filter(|(_, queued)| queued.left.is_some());
        let (mut free, mut total, mut count) = (0, 0, 0_u32);
        for ((sent, _), back) in delivered.zip(&seen.acknowledged) {
            if *sent >= free {
                free = *back;
                total += back.saturating_sub(*sent);
                count += 1;
            }
        }
        (count > 0).then(|| total as f64 / 1e9 / f64::from(count))
    }

    /// The mean length of the queue after each packet that joined or left it. A packet that need
    /// not wait does neither. `None` if no packet waited.
    pub(super) fn mean_queue(&self) -> Option<f64> {
        let mut seen = self.seen.borrow_mut();
        seen.queued.sort_unstable();
        let passed: Vec<(u64, u64)> = seen
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

impl Observer for Sightings {
    fn row(&mut self, row: &[u8]) -> io::Result<()> {
        let mut fields = row.split(|byte| *byte == b',').skip(1);
        let mut field = || fields.next().unwrap_or_default();
        let (link, forward) = (field(), field() == b"forward");
        let is_bulk = field() == b"bulk";
        if !matches!((link, forward), (b"access", _) | (b"bottleneck", true)) {
            return Ok(());
        }
        let bytes = Bytes(number(field())?);
        let (joined, left) = (number(field())?, number_or_none(field())?);
        let bare = HEADERS + FRAMING;
        let is_segment = is_bulk && bytes > bare + LONGEST_OPTIONS;
        match (link, forward) {
            (b"access", true) if is_segment => self.sent.push(joined),
            (b"access", false) if is_bulk && bytes == bare => {
                let travels = bytes / EDGE + EDGE_DELAY;
                self.acknowledged.extend(left.map(|nanos| nanos + travels.as_nanos()));
            }
            (b"bottleneck", true) => self.queued.push(Queued { joined, left, is_segment }),
            _ => {}
        }
        Ok(())
    }
}

/// The longest TCP options. Every segment with payload is longer than that.
const LONGEST_OPTIONS: Bytes = Bytes(40);

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "index,link,direction,flow,bytes,enqueued_s,departed_s,sojourn_ms,fate\n";

    /// Observations of a table that is written in pieces of this size.
    fn watch(lines: &str, piece: usize) -> Watch {
        let watch = Watch::default();
        let mut rows = watch.rows();
        for piece in (HEADER.to_owned() + lines).as_bytes().chunks(piece) {
            rows.write_all(piece).unwrap();
        }
        watch
    }

    #[test]
    fn one_segment_is_timed_at_a_time() {
        // Three segments; the second is on its way while the first is timed, the third is dropped,
        // the fourth is sent when the first is acknowledged.
        let lines = "\
            0,access,forward,bulk,583,0.000000000,0.000000000,0.000000,delivered\n\
            1,access,forward,bulk,583,0.010000000,0.010000000,0.000000,delivered\n\
            2,access,forward,bulk,583,0.020000000,0.020000000,0.000000,delivered\n\
            2,bottleneck,forward,bulk,583,0.023332000,,,dropped_full\n\
            0,bottleneck,forward,bulk,583,0.003332000,0.003332000,0.000000,delivered\n\
            1,bottleneck,forward,bulk,583,0.013332000,0.013332000,0.000000,delivered\n\
            0,access,reverse,bulk,47,0.098812000,0.098812000,0.000000,delivered\n\
            3,access,forward,bulk,583,0.100000000,0.100000000,0.000000,delivered\n\
            3,bottleneck,forward,bulk,583,0.103332000,0.103332000,0.000000,delivered\n\
            1,access,reverse,bulk,47,0.108812000,0.108812000,0.000000,delivered\n\
            2,access,reverse,bulk,47,0.298812000,0.298812000,0.000000,delivered\n";
        for piece in [1, 7, 10_000] {
            // 100 ms and 200 ms; an ACK travels 1.188 ms to the client.
            let mean = watch(lines, piece).mean_rtt().unwrap();
            assert!((mean - 0.150).abs() < 1e-12, "{mean}");
        }
    }

    #[test]
    fn the_queue_is_looked_at_when_it_changes() {
        let lone = "0,bottleneck,forward,bulk,583,1.000000000,1.000000000,0.000000,delivered\n";
        assert_eq!(watch(lone, 99).mean_queue(), None);
        // Two wait for it; a third comes at the instant at which the first leaves: 1, 2, 1, 2, 1,
        // 0.
        let more = "\
            1,bottleneck,forward,bulk,583,1.500000000,2.000000000,500.000000,delivered\n\
            2,bottleneck,forward,ping,91,1.600000000,3.000000000,1400.000000,delivered\n\
            3,bottleneck,forward,bulk,583,2.000000000,4.000000000,2000.000000,delivered\n";
        assert_eq!(watch(&(lone.to_owned() + more), 99).mean_queue(), Some(7.0 / 6.0));
        assert_eq!(watch("", 99).mean_queue(), None);
    }

    #[test]
    fn what_is_not_a_number_is_an_error() {
        let mut watch = Watch::default().rows();
        let line = b"0,bottleneck,forward,bulk,583,soon,,,dropped_full\n";
        assert_eq!(watch.write(line).unwrap_err().kind(), io::ErrorKind::InvalidData);
    }
}
