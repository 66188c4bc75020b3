//! The size of the buffer: the longest delay times the rate at which it drains.
//!
//! Source: C. Kreibich, N. Weaver, B. Nechaev, V. Paxson, "Netalyzr: illuminating the edge network",
//! IMC 2010, section 5.2, where it is the sustained rate times the delay under load.

use observation::Ended;
use results::{Buffer, Finding, FindingKind, QueueFinding, QueueKind};

use crate::queue::PROBABLE;
use crate::signs::Signs;

/// The fewest packets of a buffer whose size can be told.
const FEWEST: f64 = 12.0;

/// The fewest packets where several are delivered in one piece, since that many may be on the wire
/// at once.
const FEWEST_IN_PIECES: f64 = 50.0;

/// The part of the longest delay by which a machine may be late without blurring the size.
const LATE: f64 = 0.03;

/// The fewest segments sent again that show drops: fewer may only have been late (RFC 8985 section
/// 7, RFC 6298), so that no FIFO need have been full.
const DROPPED: f64 = 3.0;

/// The part of drops near the longest delay above which the longest delay is that of a full FIFO;
/// traffic of others or a wire may cause the other drops.
const AS_A_RULE: f64 = 0.5;

/// The part of drops near the longest delay, where neither traffic of others nor a wire causes
/// losses, below which the drops are not those of a single FIFO.
const OF_ONE_QUEUE: f64 = 0.7;

/// The precision to which a size in bytes is told, and so the precision that its rate must have:
/// half of the distance between the bounds of the rate, as a part of their mean.
const UNSURE: f64 = 0.02;

/// The part of the sizes that were right, among queues whose kind was told at 0.9 or more: on the
/// paths of `./x bench truth`, seeds 1013 to 1017 and 9100 to 9400 (docs/accuracy.md).
const RIGHT: f64 = 0.94;

/// The size of the buffer that shows these `signs`, drained at a rate between the bounds `rate`;
/// `None` if the queue has no buffer, or its size cannot be told.
pub(crate) fn buffer(
    signs: &Signs,
    queue: QueueFinding,
    findings: &[Finding],
    rate: Option<[f64; 2]>,
    ended: Ended,
) -> Option<Buffer> {
    let counts_packets = match queue.kind {
        QueueKind::ByteFifo | QueueKind::Fifo => false,
        // A piece of several segments takes one place, and their number is not known.
        QueueKind::PacketFifo if !signs.in_pieces => true,
        _ => return None,
    };
    // The longest delay of a packet FIFO is that of its largest packets; at its drops the FIFO is
    // as full, and the delay is as long on average.
    let longest = signs.at_loss.filter(|_| counts_packets).unwrap_or(signs.longest());
    // On average half a packet is on the wire, and no longer in the buffer. At the longest delay a
    // whole packet is; but then a large packet may not have fitted in, so that up to its size, half
    // of it on average, was free.
    let longest = longest - 0.5 * signs.packet;
    // Others have a part of the line's rate, which is not in the load's rate.
    let is_shared = FindingKind::OtherTraffic.is_in(findings);
    // A few packets are counted only roughly, and a machine's lateness is no queue.
    let fewest = if signs.in_pieces { FEWEST_IN_PIECES } else { FEWEST };
    let is_blurred = longest < fewest * signs.packet || signs.late[0] > LATE * longest;
    // The rate at the longest delay is not known.
    let is_unsure = |[low, high]: [f64; 2]| high - low > UNSURE * (high + low);
    let is_open =
        FindingKind::RateChanged.is_in(findings) || !counts_packets && rate.is_some_and(is_unsure);
    if is_blurred || is_open || is_several(signs, findings) || queue.confidence < PROBABLE {
        return None;
    }
    let size = |rate: f64| stats::finite(rate * longest).filter(|size| *size > 0.0);
    Some(Buffer {
        bytes: Some(size(signs.busy.flux.bytes)?),
        packets: size(signs.busy.flux.packets).filter(|_| counts_packets),
        full_ms: stats::finite(longest * 1e3),
        // If the queue does not drop at this delay as a rule, it holds more.
        at_least: ended == Ended::StillGrowing
            || signs.drops.near <= AS_A_RULE * signs.drops.times
            || signs.drops.packets < DROPPED
            || is_shared,
        confidence: RIGHT * queue.confidence,
    })
}

/// True if there may be several queues in series. Each of them drops when it is full, at its own
/// delay; the longest delay is the sum of all, and so bounds the size of none. Losses on the wire
/// and traffic of others make one queue look like several.
fn is_several(signs: &Signs, findings: &[Finding]) -> bool {
    let explained = [FindingKind::RandomLoss, FindingKind::OtherTraffic];
    let is_plain = !explained.iter().any(|kind| kind.is_in(findings));
    is_plain && signs.drops.near < OF_ONE_QUEUE * signs.drops.times
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::busy::BusyRate;
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
            busy: BusyRate {
                flux: Flux { payload: 1.44e6, bytes: 1.5e6, packets: 1000.0 },
                ..BusyRate::default()
            },
            ..Signs::default()
        }
    }

    /// Bytes, packets, and whether these are lower bounds.
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
        // The longest delay of a packet FIFO is that of its largest packets; its size is that of
        // its usual delay at a drop.
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
