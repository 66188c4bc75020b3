//! The state of a queue at the end of a run, as `tc -s` would show it.

use qdisc::{AnyQdisc, AnyStats, Backlog, Headers, Qdisc, QdiscSpec, Statistics, Tally};
use units::{Bytes, Time};

use crate::Counters;

/// The state of a queue at the end of a run, and the counts since its beginning, warm-up included.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct QueueState {
    /// The name of the direction, as options name it: `uplink`, or `uplink.reverse`.
    pub name: String,
    /// The settings, with the changes while the run lasted.
    pub spec: QdiscSpec,
    /// The counts, and the state of the discipline.
    pub statistics: Statistics<AnyStats>,
}

impl QueueState {
    /// The state of a queue now. `counters` are those of its direction since the beginning.
    pub(crate) fn of<P: Headers>(
        name: String,
        spec: &QdiscSpec,
        queue: &AnyQdisc<P>,
        counters: Counters,
        now: Time,
    ) -> Self {
        let (backlog, stats) = (queue.backlog(), queue.stats(now));
        let statistics = Statistics { tally: tally(counters), backlog, stats };
        Self { name, spec: spec.clone(), statistics }
    }
}

/// The counts of a queue among those of its direction.
fn tally(counters: Counters) -> Tally {
    let mut tally = Tally::default();
    tally.sent = Backlog { packets: counters.departed, bytes: Bytes(counters.departed_bytes) };
    tally.overflowed = counters.drops.full - counters.discarded;
    tally.discarded =
        Backlog { packets: counters.discarded, bytes: Bytes(counters.discarded_bytes) };
    tally.dropped_early = counters.drops.aqm;
    tally.superseded = counters.drops.ack_filter;
    tally.marked = counters.marks - counters.threshold_marks;
    tally.marked_above_threshold = counters.threshold_marks;
    tally
}

#[cfg(test)]
mod tests {
    use results::Drops;

    use super::*;

    /// tc counts what left the queue, lost on the wire or not, and no loss as a drop.
    #[test]
    fn a_tally_is_of_the_queue_alone() {
        let tally = tally(Counters {
            delivered_packets: 6,
            delivered_bytes: 6000,
            departed: 7,
            departed_bytes: 7000,
            drops: Drops { full: 10, aqm: 2, loss: 4, ack_filter: 8 },
            discarded: 9,
            discarded_bytes: 9000,
            marks: 5,
            threshold_marks: 3,
            ..Counters::default()
        });
        assert_eq!(tally.sent, Backlog { packets: 7, bytes: Bytes(7000) });
        assert_eq!((tally.overflowed, tally.dropped_early, tally.superseded), (1, 2, 8));
        assert_eq!(tally.discarded, Backlog { packets: 9, bytes: Bytes(9000) });
        assert_eq!(tally.dropped(), 20);
        assert_eq!((tally.marked, tally.marked_above_threshold), (2, 3));
    }
}
