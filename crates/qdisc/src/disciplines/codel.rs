//! CoDel ("controlled delay") watches how long packets wait, not how many wait. Bursts may come,
//! but when even the packets that wait least have waited longer than `target` for a whole
//! `interval`, the queue is a standing one: CoDel drops one packet from the head, the next after
//! interval/sqrt(2), interval/sqrt(3), ... until the wait falls below `target`. A sender's rate
//! falls with the square root of its losses, so this takes it down at a steady pace.
//!
//! Specification: RFC 8289 sections 3 to 5; the variants are those of Linux (include/net/codel.h),
//! of the paper (Nichols and Jacobson, "Controlling Queue Delay", 2012, appendix) and of
//! draft-nichols-tsvwg-codel-01.
//!
//! The RFC has one loop that takes packets out until one may pass. Here that loop is the lane's
//! ([`Lane::pop_under`](crate::Lane::pop_under)), and CoDel judges packet after packet; the steps
//! of the RFC between two packets of one call are kept in `Pending`. A test compares the two.
//!
//! Deviations:
//! - RFC 8289 has no code for ECN; a mark stands for a drop as in Linux: the marked packet is
//!   delivered, `count` and `drop_next` advance as for a drop, and no second packet is judged.
//! - RFC 8289 section 4.4: the guard is the link's MTU in place of the constant 512.
//! - Linux: times are 64 bits wide and do not wrap.

use units::{Bytes, Span, Time};

use crate::ChangeError;
use crate::aqm::{Aqm, Departure, Verdict};

mod control_law;
mod parameters;
mod spec;
#[cfg(test)]
mod tests;

pub use parameters::{CoDelParameters, CoDelVariant};
pub use spec::{CoDelSpec, CoDelStats};

/// The controller of CoDel.
#[derive(Clone, Debug)]
pub struct CoDel {
    parameters: CoDelParameters,
    largest_packet: Bytes,
}

/// The state of one queue, under the RFC's names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoDelState {
    /// The time at which the wait will have been above target for an interval; `Time::ZERO` while
    /// the wait is not above target.
    first_above_time: Time,
    drop_next: Time,
    last_sojourn: Span,
    count: u32,
    lastcount: u32,
    /// 1/sqrt(count) as a fraction of 2^16 (Linux).
    rec_inv_sqrt: u16,
    dropping: bool,
    pending: Pending,
}

/// The step that follows a drop when the next packet of the same call is judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Pending {
    #[default]
    Nothing,
    /// `drop_next` advances if the next packet is still above target.
    Advance,
    /// The drop state was entered: let the next packet pass.
    Entered,
}

impl CoDel {
    /// A controller with these parameters.
    pub fn new(parameters: CoDelParameters) -> Self {
        let ticked = |span| Span::from_nanos(parameters.variant.clock(span_end(span)).as_nanos());
        let CoDelParameters { target, interval, .. } = parameters;
        let parameters = CoDelParameters {
            target: ticked(target),
            interval: ticked(interval),
            ce_threshold: parameters.ce_threshold.map(ticked),
            ..parameters
        };
        Self { parameters, largest_packet: Bytes::ZERO }
    }

    /// The length of the longest packet that has left any of the controller's queues.
    pub const fn largest_packet(&self) -> Bytes {
        self.largest_packet
    }

    /// True if this packet may be dropped: `dodequeue` of RFC 8289 section 5.6.
    fn ok_to_drop(&self, q: &mut CoDelState, departure: &Departure) -> bool {
        let CoDelParameters { target, interval, mtu, variant, .. } = self.parameters;
        let now = variant.clock(departure.now);
        // RFC 8289 section 4.4: all queues count, since the link has to send their packets too.
        let left = departure.shared.bytes;
        let starved = match variant {
            CoDelVariant::Paper2012 => left < mtu,
            _ => left <= mtu,
        };
        if q.last_sojourn < target || starved {
            q.first_above_time = Time::ZERO;
            return false;
        }
        if q.first_above_time == Time::ZERO {
            q.first_above_time = now + interval;
            return false;
        }
        match variant {
            CoDelVariant::Linux => now > q.first_above_time,
            _ => now >= q.first_above_time,
        }
    }

    /// The verdict about one packet: `dequeue` of RFC 8289 section 5.5. Most packets leave a queue that
    /// is neither too long nor in the drop state, and has nothing pending.
    #[inline]
    fn judge(&self, q: &mut CoDelState, ok: bool, departure: &Departure) -> Verdict {
        if ok || q.dropping || q.pending != Pending::Nothing {
            return self.control(q, ok, departure);
        }
        Verdict::Pass
    }

    /// The verdict about a packet of a queue that is or was too long. It has a function of its own, so
    /// that other packets do not pay for it.
    #[inline(never)]
    fn control(&self, q: &mut CoDelState, ok: bool, departure: &Departure) -> Verdict {
        let now = self.parameters.variant.clock(departure.now);
        let marks = self.parameters.ecn && departure.ecn_capable;
        match core::mem::take(&mut q.pending) {
            Pending::Entered => return Verdict::Pass,
            Pending::Advance if ok => self.advance(q, q.drop_next),
            Pending::Advance | Pending::Nothing => {}
        }
        if q.dropping {
            q.dropping = ok;
            if !ok || now < q.drop_next {
                return Verdict::Pass;
            }
            q.count = q.count.saturating_add(1);
            self.refine(q);
            if marks {
                self.advance(q, q.drop_next);
            } else {
                q.pending = Pending::Advance;
            }
            return Verdict::Signal;
        }
        if !ok || !self.may_enter(q, now) {
            return Verdict::Pass;
        }
        self.enter(q, now);
        q.pending = if marks { Pending::Nothing } else { Pending::Entered };
        Verdict::Signal
    }

    /// True if the drop state may be entered. In the paper's appendix a fresh episode must have
    /// lasted another interval.
    fn may_enter(&self, q: &CoDelState, now: Time) -> bool {
        let CoDelParameters { interval, variant, .. } = self.parameters;
        variant != CoDelVariant::Paper2012
            || now.since(q.drop_next) < interval
            || now.since(q.first_above_time) >= interval
    }

    /// Enters the drop state. If the last drop state ended recently, the drop rate that controlled
    /// the queue then is a good start.
    fn enter(&self, q: &mut CoDelState, now: Time) {
        let CoDelParameters { interval, variant, .. } = self.parameters;
        // The clock may have started with this queue, so a drop state that never was is not a
        // recent one.
        let ever = q.drop_next != Time::ZERO;
        let within = |intervals| ever && now.since(q.drop_next) < interval * intervals;
        let resumed = match variant {
            CoDelVariant::Rfc8289 | CoDelVariant::Linux => {
                let delta = q.count.wrapping_sub(q.lastcount);
                (delta > 1 && within(16)).then_some(delta)
            }
            CoDelVariant::Paper2012 => (q.count > 2 && within(1)).then(|| q.count - 2),
            CoDelVariant::Draft01 => (q.count > 2 && within(8)).then(|| q.count - 2),
        };
        q.dropping = true;
        q.count = resumed.unwrap_or(1);
        match resumed {
            Some(_) => self.refine(q),
            None => q.rec_inv_sqrt = u16::MAX,
        }
        q.lastcount = q.count;
        self.advance(q, now);
    }

    /// Sets the next drop to `from` + interval/sqrt(count).
    fn advance(&self, q: &mut CoDelState, from: Time) {
        let CoDelParameters { interval, variant, .. } = self.parameters;
        q.drop_next = match variant {
            CoDelVariant::Linux => control_law::fixed_point(from, interval, q.rec_inv_sqrt),
            _ => control_law::exact(from, interval, q.count),
        };
    }

    /// Brings 1/sqrt(count) up to date after a change of `count`.
    fn refine(&self, q: &mut CoDelState) {
        if self.parameters.variant == CoDelVariant::Linux {
            q.rec_inv_sqrt = control_law::newton_step(q.rec_inv_sqrt, q.count);
        }
    }
}

impl Aqm for CoDel {
    type State = CoDelState;

    fn change(&mut self, like: Self) -> Result<bool, ChangeError> {
        if like.parameters.variant != self.parameters.variant {
            return Err(ChangeError::Variant);
        }
        let before = core::mem::replace(&mut self.parameters, like.parameters);
        Ok(before != self.parameters)
    }

    fn ecn(&self) -> bool {
        self.parameters.ecn
    }

    #[inline(always)]
    fn on_dequeue(&mut self, q: &mut CoDelState, departure: &Departure) -> Verdict {
        self.largest_packet = self.largest_packet.max(departure.len);
        let clock = |time| self.parameters.variant.clock(time);
        q.last_sojourn = clock(departure.now).since(clock(departure.now - departure.sojourn));
        let ok = self.ok_to_drop(q, departure);
        match self.judge(q, ok, departure) {
            Verdict::Pass if self.parameters.ce_threshold.is_some_and(|t| q.last_sojourn > t) => {
                Verdict::Mark
            }
            verdict => verdict,
        }
    }

    fn on_overflow(&mut self, q: &mut CoDelState, packets: u64, _now: Time) {
        if self.parameters.count_overflow {
            q.count = q.count.saturating_add(u32::try_from(packets).unwrap_or(u32::MAX));
        }
    }

    fn on_empty(&mut self, q: &mut CoDelState, _now: Time) {
        q.first_above_time = Time::ZERO;
        // RFC 8289 section 5.5 leaves `dropping` set if the drop that entered the state emptied the
        // queue; the next packet would clear it, having just begun to be above target.
        q.dropping = false;
        q.pending = Pending::Nothing;
    }
}

impl CoDelState {
    /// The drops and marks since the drop state was entered, plus the number with which it resumed.
    pub const fn count(&self) -> u32 {
        self.count
    }

    /// `count` when the drop state was last entered.
    pub const fn lastcount(&self) -> u32 {
        self.lastcount
    }

    /// The sojourn of the last packet that left.
    pub const fn last_sojourn(&self) -> Span {
        self.last_sojourn
    }

    /// True in the drop state.
    pub const fn is_dropping(&self) -> bool {
        self.dropping
    }

    /// The time of the next drop, if the drop state lasts.
    pub const fn drop_next(&self) -> Time {
        self.drop_next
    }
}

/// The time that lies this span after the epoch.
fn span_end(span: Span) -> Time {
    Time::ZERO + span
}
