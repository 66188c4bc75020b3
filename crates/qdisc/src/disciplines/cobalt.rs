//! COBALT is CoDel and BLUE together. The CoDel half differs in its memory: its count of signals
//! never jumps, but is taken back one by one, at the pace at which it grew, while the queue is
//! short. The BLUE half handles overload: each time the queue overflows, it raises the share of all
//! packets that it drops, ECN-capable or not, and each time the queue runs empty, it lowers that
//! share. So CoDel controls responsive senders, and BLUE thins out the packets of unresponsive
//! ones.
//!
//! Specification: Linux, net/sched/sch_cake.c, `cobalt_*`; Høiland-Jørgensen, Täht and Morton,
//! "Piece of CAKE: A Comprehensive Queue Management Solution for Home Gateways", 2018.
//!
//! Deviations:
//! - sch_cake.c starts with 1/sqrt(count) = 0, so that the first drop state of a queue has no
//!   `interval` of grace; here it has one, as its comment says and as ns-3 does it.
//! - sch_cake.c scales `target` and `interval` on a slow link; here they are as given, and only the
//!   guard of four packets' time depends on the link.
//! - Intervals above 4.29 s are not cut to 32 bits.

use units::{Rng, Span, Time};

use crate::ChangeError;
use crate::aqm::{Aqm, Departure, Verdict};

mod inverse_root;
mod spec;
#[cfg(test)]
mod tests;

pub use spec::{CobaltSpec, CobaltStats};

/// BLUE: the step up at an overflow; 1/256, as a fraction of 2^32.
const INCREMENT: u32 = 1 << 24;
/// BLUE: the step down when the queue is empty; 1/4096, as a fraction of 2^32.
const DECREMENT: u32 = 1 << 20;

/// The parameters that all queues of one COBALT share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CobaltParameters {
    /// The sojourn that is acceptable for ever, and the time between two steps of BLUE; 5 ms.
    pub target: Span,
    /// About the longest round trip of the flows; 100 ms.
    pub interval: Span,
    /// The time that the link takes for the longest packet; a sojourn of up to four times this is
    /// acceptable. 1.2112 ms, a full Ethernet frame at 10 Mbit/s.
    pub mtu_time: Span,
    /// True to let CoDel mark ECN-capable packets in place of dropping them; off.
    pub ecn: bool,
}

impl Default for CobaltParameters {
    fn default() -> Self {
        Self {
            target: Span::from_millis(5),
            interval: Span::from_millis(100),
            mtu_time: Span::from_nanos(1_211_200),
            ecn: false,
        }
    }
}

/// The controller of COBALT.
#[derive(Clone, Debug)]
pub struct Cobalt {
    parameters: CobaltParameters,
    /// Flows of which two full packets each may wait besides.
    bulk_flows: u32,
    rng: Rng,
}

/// The state of one queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CobaltState {
    count: u32,
    /// 1/sqrt(count) as a fraction of 2^32.
    inverse_root: u32,
    /// The time at which the next signal, or the next step back, is due.
    drop_next: Time,
    dropping: bool,
    /// BLUE's probability as a fraction of 2^32.
    p_drop: u32,
    /// The time of BLUE's last step; `None` before the first.
    blue_timer: Option<Time>,
    last_sojourn: Span,
}

impl Default for CobaltState {
    fn default() -> Self {
        Self {
            count: 0,
            inverse_root: inverse_root::for_count(0, 0),
            drop_next: Time::ZERO,
            dropping: false,
            p_drop: 0,
            blue_timer: None,
            last_sojourn: Span::ZERO,
        }
    }
}

impl Cobalt {
    /// A controller with these parameters and this random source.
    pub const fn new(parameters: CobaltParameters, rng: Rng) -> Self {
        Self { parameters, bulk_flows: 0, rng }
    }

    /// The parameters.
    pub(crate) const fn parameters(&self) -> &CobaltParameters {
        &self.parameters
    }

    /// Changes the parameters, and nothing else.
    pub(crate) const fn set_parameters(&mut self, parameters: CobaltParameters) {
        self.parameters = parameters;
    }

    /// Accepts sojourns in which the link sends two full packets of each of this many flows.
    pub(crate) const fn allow_for(&mut self, bulk_flows: u32) {
        self.bulk_flows = bulk_flows;
    }

    /// Enters and leaves the drop state: the first half of `cobalt_should_drop`.
    fn watch(&self, q: &mut CobaltState, now: Time) {
        let CobaltParameters { target, mtu_time, .. } = self.parameters;
        let packets = u64::from(self.bulk_flows).saturating_mul(2).max(4);
        let above = q.last_sojourn > target && q.last_sojourn > mtu_time * packets;
        if above && !q.dropping {
            q.drop_next = now;
            self.advance(q);
        }
        if above {
            q.count = q.count.max(1);
        }
        q.dropping = above;
    }

    /// CoDel's verdict, the second half of `cobalt_should_drop`. Returns whether a signal is due,
    /// and whether the one after it is already late.
    fn codel(&self, q: &mut CobaltState, now: Time) -> (bool, bool) {
        let due = q.is_due(now);
        let late = now > q.drop_next;
        self.watch(q, now);
        if !due {
            return (false, late);
        }
        let signals = q.dropping;
        if signals {
            self.recount(q, q.count.saturating_add(1));
        } else {
            while q.is_due(now) {
                self.recount(q, q.count - 1);
            }
        }
        (signals, now > q.drop_next)
    }

    /// Sets the count, and advances `drop_next` from the signal that was due at the pace of the new
    /// count.
    fn recount(&self, q: &mut CobaltState, count: u32) {
        q.count = count;
        q.inverse_root = inverse_root::for_count(count, q.inverse_root);
        self.advance(q);
    }

    /// Moves `drop_next` on by interval/sqrt(count): `cobalt_control`.
    fn advance(&self, q: &mut CobaltState) {
        let nanos = u128::from(self.parameters.interval.as_nanos()) * u128::from(q.inverse_root);
        q.drop_next += Span::from_nanos((nanos >> 32) as u64);
    }

    /// BLUE's verdict: true to drop.
    fn blue(&mut self, q: &CobaltState) -> bool {
        q.p_drop > 0 && self.rng.next_u64() >> 32 < u64::from(q.p_drop)
    }

    /// True if BLUE may take a step.
    fn is_thawed(&self, q: &CobaltState, now: Time) -> bool {
        q.blue_timer.is_none_or(|last| now.since(last) > self.parameters.target)
    }
}

impl Aqm for Cobalt {
    type State = CobaltState;

    fn change(&mut self, like: Self) -> Result<bool, ChangeError> {
        let before = core::mem::replace(&mut self.parameters, like.parameters);
        Ok(before != self.parameters)
    }

    fn ecn(&self) -> bool {
        self.parameters.ecn
    }

    fn on_dequeue(&mut self, q: &mut CobaltState, departure: &Departure) -> Verdict {
        let now = departure.now;
        let may_mark = self.parameters.ecn && departure.ecn_capable;
        q.last_sojourn = departure.sojourn;
        let (signals, late) = self.codel(q, now);
        let codel = if signals { Verdict::Signal } else { Verdict::Pass };
        let verdict = if self.blue(q) { Verdict::Drop } else { codel };
        if q.count == 0 {
            // The `drop_next` of an idle queue shows how long the queue has been idle.
            q.drop_next = now + self.parameters.interval;
        } else if late && !verdict.drops(may_mark) {
            q.drop_next = now;
        }
        // cake_dequeue: the last packet of a queue may be marked, but is not dropped.
        match departure.backlog.packets {
            0 if codel.drops(may_mark) => Verdict::Pass,
            0 => codel,
            _ => verdict,
        }
    }

    /// Raises BLUE's probability: `cobalt_queue_full`.
    fn on_overflow(&mut self, q: &mut CobaltState, _packets: u64, now: Time) {
        if self.is_thawed(q, now) {
            q.p_drop = q.p_drop.saturating_add(INCREMENT);
            q.blue_timer = Some(now);
        }
        q.dropping = true;
        q.drop_next = now;
        q.count = q.count.max(1);
    }

    /// Lowers BLUE's probability: `cobalt_queue_empty`.
    fn on_empty(&mut self, q: &mut CobaltState, now: Time) {
        if q.p_drop > 0 && self.is_thawed(q, now) {
            q.p_drop = q.p_drop.saturating_sub(DECREMENT);
            q.blue_timer = Some(now);
        }
        q.dropping = false;
        if q.is_due(now) {
            self.recount(q, q.count - 1);
        }
    }
}

impl CobaltState {
    /// The state of a queue whose first drop state begins with a signal, as in Linux.
    pub(crate) fn without_grace() -> Self {
        Self { inverse_root: 0, ..Self::default() }
    }

    /// True if BLUE drops.
    pub(crate) const fn is_unresponsive(&self) -> bool {
        self.p_drop > 0
    }

    /// True if the state of an empty queue tells no more than that of a new one.
    pub(crate) fn is_at_rest(&self, now: Time) -> bool {
        self.p_drop == 0 && self.count == 0 && now >= self.drop_next
    }

    fn is_due(&self, now: Time) -> bool {
        self.count > 0 && now >= self.drop_next
    }

    /// Signals since the drop state was entered, minus those that were taken back.
    pub const fn count(&self) -> u32 {
        self.count
    }

    /// The probability with which BLUE drops a packet.
    pub fn p_drop(&self) -> f64 {
        f64::from(self.p_drop) / (1_u64 << 32) as f64
    }

    /// The sojourn of the last packet that left.
    pub const fn last_sojourn(&self) -> Span {
        self.last_sojourn
    }

    /// True in the drop state.
    pub const fn is_dropping(&self) -> bool {
        self.dropping
    }

    /// The time of the next signal, if the drop state lasts.
    pub const fn drop_next(&self) -> Time {
        self.drop_next
    }
}
