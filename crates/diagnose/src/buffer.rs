//! How large the buffer is: the longest delay times the rate at which it drains.
//!
//! Source: C. Kreibich, N. Weaver, B. Nechaev, V. Paxson, "Netalyzr: illuminating the edge network",
//! IMC 2010, section 5.2, where it is the sustained rate times the delay under load.

use results::observation::Ended;
use results::{Buffer, Finding, FindingKind, QueueFinding, QueueKind};

use crate::findings::has;
use crate::queue::PROBABLE;
use crate::signs::Signs;

/// A buffer of fewer packets has no size that could be told.
const FEWEST: f64 = 12.0;

/// Nor has one of fewer, of which several arrive in one piece: so many may be on the wire at once.
const FEWEST_IN_PIECES: f64 = 50.0;

/// A machine that is late by more than this part of the longest delay is a part of it.
const LATE: f64 = 0.03;

/// A segment or two may be sent again that had only been late (RFC 8985 section 7, RFC 6298): no FIFO was full then.
const DROPPED: f64 = 3.0;

/// Of all that was dropped, the part of a full FIFO's making; the rest others or a wire may have lost.
const AS_A_RULE: f64 = 0.5;

/// The part where neither of them is there: who drops less of it when it is longest is no single FIFO.
const OF_ONE_QUEUE: f64 = 0.7;

/// A size in bytes is told to a part of this, so the rate that it is made of has to be known as well: half of what is
/// between its bounds, as a part of their mean.
const UNSURE: f64 = 0.02;

/// The part of the sizes that were right, of queues of which the kind was told with 0.9 and more: of the paths of
/// `./x bench truth`, seeds 1013 to 1017 and 9100 to 9400 (docs/accuracy.md).
const RIGHT: f64 = 0.93;

/// The size of what holds `signs`, with the bounds of the `rate` that drains it; nothing if it has none, or none was
/// seen.
pub(crate) fn buffer(
    signs: &Signs,
    queue: QueueFinding,
    findings: &[Finding],
    rate: Option<[f64; 2]>,
    ended: Ended,
) -> Option<Buffer> {
    let counts_packets = match queue.kind {
        QueueKind::ByteFifo | QueueKind::Fifo => false,
        // A piece of several takes one place, and nobody tells how many it is of.
        QueueKind::PacketFifo if !signs.in_pieces => true,
        _ => return None,
    };
    // Of a packet FIFO the longest delay is that of its largest packets; it is as full, and as long on
    // average, whenever it drops.
    let longest = signs.at_loss.filter(|_| counts_packets).unwrap_or(signs.longest());
    // Before what waits there is half a packet on the wire, on average, which no buffer holds any more.
    // The longest delay has all of it; but then a large packet may not have fitted in, and up to its
    // size, half of it on average, may have been free.
    let longest = longest - 0.5 * signs.packet;
    // Others have a part of the line's rate, which is not in what the load carried.
    let is_shared = has(findings, FindingKind::OtherTraffic);
    // A few packets are counted to no better than a part of them, and what the machine adds is no queue.
    let fewest = if signs.in_pieces { FEWEST_IN_PIECES } else { FEWEST };
    let is_blurred = longest < fewest * signs.packet || signs.late[0] > LATE * longest;
    // Which rate drained it when it was longest is not known.
    let is_unsure = |[low, high]: [f64; 2]| high - low > UNSURE * (high + low);
    let is_open =
        has(findings, FindingKind::RateChanged) || !counts_packets && rate.is_some_and(is_unsure);
    if is_blurred || is_open || is_several(signs, findings) || queue.confidence < PROBABLE {
        return None;
    }
    let size = |rate: f64| results::finite(rate * longest).filter(|size| *size > 0.0);
    Some(Buffer {
        bytes: Some(size(signs.busy.flux.bytes)?),
        packets: size(signs.busy.flux.packets).filter(|_| counts_packets),
        full_ms: results::finite(longest * 1e3),
        // What it did not drop at as a rule is not its end.
        at_least: ended == Ended::StillGrowing
            || signs.drops.near <= AS_A_RULE * signs.drops.times
            || signs.drops.packets < DROPPED
            || is_shared,
        confidence: RIGHT * queue.confidence,
    })
}

/// May it be several queues in series? Each of them drops when it is full, at its own delay, and the longest delay is
/// that of all of them together, so it bounds the size of none. A wire that loses, and others, make one queue look so.
fn is_several(signs: &Signs, findings: &[Finding]) -> bool {
    let explained = [FindingKind::RandomLoss, FindingKind::OtherTraffic];
    let is_plain = !explained.iter().any(|kind| has(findings, *kind));
    is_plain && signs.drops.near < OF_ONE_QUEUE * signs.drops.times
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::busy::Busy;
    use crate::drops::Drops;
    use crate::signs::Shown;
    use crate::traffic::Flux;

    /// A queue of 100 ms on a line of 12 Mbit/s, which dropped ten times, when it was full.
    fn full() -> Signs {
        let shown = Shown { longest: 0.1005, ..Shown::default() };
        Signs {
            settled: shown,
            stage: shown,
            drops: Drops { times: 10.0, near: 10.0, usual: 0.3, packets: 40.0 },
            packet: 1e-3,
            busy: Busy {
                flux: Flux { payload: 1.44e6, bytes: 1.5e6, packets: 1000.0 },
                ..Busy::default()
            },
            ..Signs::default()
        }
    }

    /// Bytes, packets and whether they are a bound.
    fn found(
        signs: Signs,
        kind: QueueKind,
        beside: Option<FindingKind>,
        ended: Ended,
    ) -> Option<(f64, Option<f64>, bool)> {
        let finding = |kind| Finding { kind, amount: None, confidence: 0.95 };
        let findings: Vec<Finding> = beside.map(finding).into_iter().collect();
        let queue = QueueFinding { kind, confidence: 0.95 };
        let buffer = buffer(&signs, queue, &findings, Some([11.9, 12.1]), ended)?;
        Some((buffer.bytes?.round(), buffer.packets.map(f64::round), buffer.at_least))
    }

    #[test]
    fn a_size_is_the_longest_delay_times_the_rate() {
        let bytes = |signs| found(signs, QueueKind::ByteFifo, None, Ended::Planned);
        assert_eq!(bytes(full()), Some((150e3, None, false)));
        // The longest of a packet FIFO is that of its largest packets; it drops at what it holds as a rule.
        let lost = Signs { at_loss: Some(0.0905), ..full() };
        assert_eq!(bytes(lost), Some((150e3, None, false)));
        let packets = found(lost, QueueKind::PacketFifo, None, Ended::Planned);
        assert_eq!(packets, Some((135e3, Some(90.0), false)));
    }

    #[test]
    fn a_size_in_bytes_is_no_better_known_than_the_rate() {
        let told = |kind, rate| {
            let queue = QueueFinding { kind, confidence: 0.99 };
            buffer(&full(), queue, &[], Some(rate), Ended::Planned).is_some()
        };
        assert!(told(QueueKind::ByteFifo, [11.8, 12.2]));
        assert!(!told(QueueKind::ByteFifo, [11.7, 12.3]));
        assert!(told(QueueKind::PacketFifo, [11.7, 12.3]));
    }

    #[test]
    fn what_was_not_seen_full_alone_is_a_bound() {
        let bytes = |signs, beside, ended| found(signs, QueueKind::ByteFifo, beside, ended);
        let bound = Some((150e3, None, true));
        let never = Signs { drops: Drops::default(), ..full() };
        assert_eq!(bytes(never, None, Ended::Planned), bound);
        let late = Signs { drops: Drops { packets: 2.0, ..full().drops }, ..full() };
        assert_eq!(bytes(late, None, Ended::Planned), bound, "sent again, and not dropped");
        assert_eq!(bytes(full(), None, Ended::StillGrowing), bound);
        assert_eq!(bytes(full(), Some(FindingKind::OtherTraffic), Ended::Planned), bound);
        let changed = Some(FindingKind::RateChanged);
        assert_eq!(bytes(full(), changed, Ended::Planned), None, "which rate drained it is open");
    }

    #[test]
    fn what_drops_at_other_delays_than_the_longest_is_no_single_queue() {
        let several =
            Signs { drops: Drops { times: 10.0, near: 6.0, usual: 0.1, packets: 40.0 }, ..full() };
        let bytes = |beside| found(several, QueueKind::ByteFifo, beside, Ended::Planned);
        assert_eq!(bytes(None), None);
        assert!(bytes(Some(FindingKind::RandomLoss)).is_some(), "the wire loses, too");
    }
}
