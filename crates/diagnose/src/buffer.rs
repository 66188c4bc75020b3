//! How large the buffer is: the longest delay times the rate at which it drains.
//!
//! Source: C. Kreibich, N. Weaver, B. Nechaev, V. Paxson, "Netalyzr: illuminating the edge network",
//! IMC 2010, section 5.2, where it is the sustained rate times the delay under load.

use results::observation::Ended;
use results::{Buffer, QueueFinding, QueueKind};

use crate::signs::Signs;

/// The size of what holds `signs`; nothing if it has none, or none was seen.
pub(crate) fn buffer(signs: &Signs, queue: QueueFinding, ended: Ended) -> Option<Buffer> {
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
    let size = |rate: f64| results::finite(rate * longest).filter(|size| *size > 0.0);
    Some(Buffer {
        bytes: Some(size(signs.busy.flux.bytes)?),
        packets: size(signs.busy.flux.packets).filter(|_| counts_packets),
        full_ms: results::finite(longest * 1e3),
        at_least: ended == Ended::StillGrowing || !signs.stage.drops(),
        confidence: queue.confidence,
    })
}
