//! The contract of an active queue management algorithm: it decides, and holds no packets.
//!
//! Split by who owns what, as Linux splits `codel_params` from `codel_vars`: the implementing type
//! holds what all its queues share (parameters, the random source), [`Aqm::State`] is what one
//! queue remembers. So FQ-CoDel holds one `CoDel` and a thousand small states.

mod blue;
mod cobalt;
mod codel;
mod pie;
mod red;
mod tail_drop;

pub use blue::{Blue, BlueParameters, BlueState};
pub use cobalt::{Cobalt, CobaltParameters, CobaltState};
pub use codel::{CoDel, CoDelParameters, CoDelState, CoDelVariant};
pub use pie::{Pie, PieDelay, PieParameters, PieState, PieVariant};
pub use red::{Red, RedParameters, RedSpread, RedState, RedUnit, weight_for_burst};
pub use tail_drop::TailDrop;

use units::{Bytes, Span, Time};

use crate::{Backlog, Cause, Packet, Signals};

/// What the algorithm wants done with the packet at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Let it pass.
    Pass,
    /// Signal congestion: mark if the packet is ECN-capable and [`Aqm::ecn`] allows it, else drop.
    Signal,
    /// Drop, ECN-capable or not.
    Drop,
    /// Mark if the packet is ECN-capable, else let it pass (`ce_threshold`).
    Mark,
}

impl Verdict {
    /// Does it drop a packet, where `may_mark` says whether the packet can be marked instead?
    pub(crate) const fn drops(self, may_mark: bool) -> bool {
        match self {
            Self::Pass | Self::Mark => false,
            Self::Signal => !may_mark,
            Self::Drop => true,
        }
    }

    /// Carries the verdict out. The packet comes back unless it was dropped.
    #[inline]
    pub(crate) fn apply<P: Packet>(
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

/// A packet about to join a queue.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// Its length.
    pub len: Bytes,
    /// How many packets of the wire it is.
    pub packets: u64,
    /// Is it ECN-capable?
    pub ecn_capable: bool,
    /// What waits in its queue, without it.
    pub backlog: Backlog,
    /// Is there no room for it? Then it will be dropped whatever the verdict, and
    /// [`Aqm::on_overflow`] follows unless the verdict has dropped it already.
    pub full: bool,
    /// The time.
    pub now: Time,
}

/// A packet about to leave a queue.
#[derive(Clone, Copy, Debug)]
pub struct Departure {
    /// Its length.
    pub len: Bytes,
    /// How many packets of the wire it is.
    pub packets: u64,
    /// Is it ECN-capable?
    pub ecn_capable: bool,
    /// How long it waited.
    pub sojourn: Span,
    /// What is left behind it in its queue.
    pub backlog: Backlog,
    /// What is left in the whole set of queues that share the link (RFC 8289 section 4.4).
    pub shared: Backlog,
    /// The time.
    pub now: Time,
}

impl Departure {
    /// Asks the algorithm about the packet and does what it says. The packet comes back unless it
    /// was dropped.
    #[inline]
    pub(crate) fn judge<P: Packet, A: Aqm>(
        &self,
        packet: P,
        aqm: &mut A,
        state: &mut A::State,
        out: &mut dyn Signals<P>,
    ) -> Option<P> {
        aqm.on_dequeue(state, self).apply(packet, aqm.ecn(), self.now, out)
    }
}

/// An active queue management algorithm.
pub trait Aqm {
    /// One queue's memory.
    type State: Default;

    /// Does it take notice of anything? If not, it lets every packet pass.
    const IS_ACTIVE: bool = true;

    /// May it mark in place of dropping?
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

    /// `packets` were dropped from this queue because a limit was reached.
    fn on_overflow(&mut self, _queue: &mut Self::State, _packets: u64, _now: Time) {}

    /// A dequeue found this queue empty.
    fn on_empty(&mut self, _queue: &mut Self::State, _now: Time) {}
}
