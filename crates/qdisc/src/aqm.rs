//! The interface of an active queue management algorithm, which decides and holds no packets.
//!
//! State is split by owner, as Linux splits `codel_params` from `codel_vars`: the implementing type
//! holds the state that all its queues share (parameters, the random source), and [`Aqm::State`] is
//! the state of one queue. So FQ-CoDel holds one `CoDel` and a thousand small states.

mod tail_drop;

pub use tail_drop::TailDrop;

use units::{Bytes, Span, Time};

use crate::{Backlog, Cause, ChangeError, Packet, Signals};

/// The decision of an algorithm about a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// Let the packet pass.
    Pass,
    /// Signal congestion: mark the packet if it is ECN-capable and [`Aqm::ecn`] allows it, else
    /// drop it.
    Signal,
    /// Drop the packet, ECN-capable or not.
    Drop,
    /// Mark the packet if it is ECN-capable, else let it pass (`ce_threshold`).
    Mark,
}

impl Verdict {
    /// True if the verdict drops a packet; `may_mark` says whether the packet can be marked
    /// instead.
    pub const fn drops(self, may_mark: bool) -> bool {
        match self {
            Self::Pass | Self::Mark => false,
            Self::Signal => !may_mark,
            Self::Drop => true,
        }
    }

    /// Carries out the verdict: marks or drops the packet, and reports this to `out`. Returns the
    /// packet; `None` if it was dropped. `ecn` says whether the algorithm may mark ([`Aqm::ecn`]).
    #[inline]
    pub fn apply<P: Packet>(
        self,
        mut packet: P,
        ecn: bool,
        now: Time,
        out: &mut dyn Signals<P>,
    ) -> Option<P> {
        let capable = packet.ecn().is_capable();
        let cause = match self {
            Self::Signal if ecn && capable => Cause::Congestion,
            Self::Mark if capable => Cause::Threshold,
            Self::Pass | Self::Mark => return Some(packet),
            Self::Signal | Self::Drop => {
                out.dropped(packet, Cause::Congestion, now);
                return None;
            }
        };
        packet.set_ce();
        out.marked(&packet, cause, now);
        Some(packet)
    }
}

/// A packet about to join a queue, made by [`Arrival::of`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Arrival {
    /// The length of the packet.
    pub len: Bytes,
    /// The number of packets on the wire that the packet stands for.
    pub packets: u64,
    /// True if the packet is ECN-capable.
    pub ecn_capable: bool,
    /// The backlog of the packet's queue, without the packet.
    pub backlog: Backlog,
    /// True if there is no room for the packet. Then the packet is dropped whatever the verdict,
    /// and [`Aqm::on_overflow`] follows unless the verdict has dropped the packet already.
    pub full: bool,
    /// The current time.
    pub now: Time,
}

impl Arrival {
    /// The arrival of this packet at a queue with this backlog and room for the packet.
    #[inline]
    pub fn of<P: Packet>(packet: &P, backlog: Backlog, now: Time) -> Self {
        Self {
            len: packet.len(),
            packets: packet.packets(),
            ecn_capable: packet.ecn().is_capable(),
            backlog,
            full: false,
            now,
        }
    }
}

/// A packet about to leave a queue, made by [`Departure::of`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Departure {
    /// The length of the packet.
    pub len: Bytes,
    /// The number of packets on the wire that the packet stands for.
    pub packets: u64,
    /// True if the packet is ECN-capable.
    pub ecn_capable: bool,
    /// The time for which the packet waited.
    pub sojourn: Span,
    /// The backlog that the packet leaves behind in its queue.
    pub backlog: Backlog,
    /// The backlog that the packet leaves behind in all queues that share the link (RFC 8289
    /// section 4.4).
    pub shared: Backlog,
    /// The current time.
    pub now: Time,
}

impl Departure {
    /// The departure of this packet, which arrived at `arrived`, from a queue that is empty without
    /// it and shares its link with no other. For other queues, set `backlog` and `shared`.
    #[inline]
    pub fn of<P: Packet>(packet: &P, arrived: Time, now: Time) -> Self {
        Self {
            len: packet.len(),
            packets: packet.packets(),
            ecn_capable: packet.ecn().is_capable(),
            sojourn: now.since(arrived),
            backlog: Backlog::default(),
            shared: Backlog::default(),
            now,
        }
    }
}

/// The packets that a queue keeps when its settings change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kept {
    /// All packets, even if they are more than the new limit.
    All,
    /// The packets that fit under the new limit; those that have waited longest are dropped.
    WhatFits,
    /// No packets, and the state of the queue begins anew.
    Nothing,
}

/// An active queue management algorithm.
pub trait Aqm {
    /// The state of one queue.
    type State: Default;

    /// True if the algorithm uses any of the calls below. If false, every packet passes.
    const IS_ACTIVE: bool = true;

    /// The packets that a queue keeps when its settings change; by default those that fit under the
    /// new limit.
    const KEPT: Kept = Kept::WhatFits;

    /// Takes over the parameters of `like`. Returns true if they differ from the present ones.
    ///
    /// # Errors
    /// If one of the parameters cannot change while the queue runs. Then none has changed.
    fn change(&mut self, _like: Self) -> Result<bool, ChangeError>
    where
        Self: Sized,
    {
        Err(ChangeError::Fixed)
    }

    /// True if the algorithm may mark in place of dropping.
    fn ecn(&self) -> bool {
        false
    }

    /// Judges a packet that arrives.
    fn on_enqueue(&mut self, _queue: &mut Self::State, _arrival: &Arrival) -> Verdict {
        Verdict::Pass
    }

    /// Judges a packet that leaves. After a drop the next packet is judged in the same way.
    fn on_dequeue(&mut self, _queue: &mut Self::State, _departure: &Departure) -> Verdict {
        Verdict::Pass
    }

    /// Notes that `packets` were dropped from this queue because a limit was reached.
    fn on_overflow(&mut self, _queue: &mut Self::State, _packets: u64, _now: Time) {}

    /// Notes that a dequeue found this queue empty.
    fn on_empty(&mut self, _queue: &mut Self::State, _now: Time) {}
}
