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

/// A machine that is late by more than this part of the longest delay is a part of it.
const LATE: f64 = 0.03;

/// Of all that was dropped, the part of a full FIFO's making; the rest others or a wire may have lost.
const AS_A_RULE: f64 = 0.5;

/// The size of what holds `signs`; nothing if it has none, or none was seen.
pub(crate) fn buffer(
    signs: &Signs,
    queue: QueueFinding,
    findings: &[Finding],
    ended: Ended,
) -> Option<Buffer> {
    let counts_packets = match queue.kind {
        QueueKind::ByteFifo | QueueKind::Fifo => false,
        QueueKind::PacketFifo => true,
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
    let is_blurred = longest < FEWEST * signs.packet || signs.late[0] > LATE * longest;
    if is_blurred || queue.confidence < PROBABLE {
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
            || is_shared,
        confidence: queue.confidence,
    })
}
