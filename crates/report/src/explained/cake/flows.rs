//! The flows in a CAKE, and how they share its queues.

use super::Cake;
use crate::number::things;
use crate::number::{count, share};

/// The part of the packets from which collisions are told. With fewer, the flow that shares a queue
/// hardly waits for the other.
const COLLIDING: f64 = 0.01;

/// The flows on CAKE's lists. A flow without packets stays there until its turn comes, and as a
/// sparse one until its AQM has come to rest (sch_cake.c, `cake_dequeue`, `cake_dump_stats`).
pub(super) fn sentence(cake: &Cake) -> String {
    let [bulk, sparse] = [cake.sum(|tin| tin.bulk_flows), cake.sum(|tin| tin.sparse_flows)];
    let flows = format!(
        "Flows with much to send, which take turns: {} (bk_flows). Flows with little to send, \
         which go first: {} (sp_flows).",
        count(bulk),
        count(sparse)
    );
    match cake.sum(|tin| tin.unresponsive_flows) {
        0 => flows,
        unresponsive => format!(
            "{flows} CAKE drops packets of {} at random (BLUE), because these flows filled the \
             memory and did not slow down (un_flows).",
            things(unresponsive, "flow")
        ),
    }
}

/// How often flows shared a queue; `None` if seldom.
pub(super) fn collisions(cake: &Cake) -> Option<String> {
    let collisions = cake.sum(|tin| tin.way_collisions);
    let packets = cake.sum(|tin| tin.sent_packets);
    let part = collisions as f64 / packets.max(1) as f64;
    (part >= COLLIDING).then(|| {
        format!(
            "{} of the packets, {collisions}, arrived when no queue was free for their flow \
             (way_cols), and share a queue with another flow: more flows are active at a time than \
             CAKE can keep apart.",
            share(part)
        )
    })
}
