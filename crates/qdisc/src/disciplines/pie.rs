//! PIE ("proportional integral controller, enhanced") drops arrivals with one probability, which it
//! updates every 15 ms: up when packets wait longer than `target` or longer than at the last
//! update, down when they wait less. Its steps are smaller while the probability is small, it lets
//! a first burst of 150 ms through, and it spaces its drops so that they do not cluster.
//!
//! Specification: RFC 8033 sections 4 and 5 and appendices A and B; variant `linux` follows
//! net/sched/sch_pie.c.
//!
//! Where the RFC's appendices differ:
//! - decay of the probability: appendix B (both delays below half the target), not A (both zero);
//! - the cap of 2 % on a step (section 5.5) is in appendix B only, and is here;
//! - derandomisation (section 5.4) is as in appendix B. The accumulated probability is cleared by
//!   every drop and mark; read literally, the branch at 8.5 would drop for ever after;
//! - the burst allowance is checked before the lottery (section 4.1), not after it (appendix B);
//! - switching off when idle (section 5.3) is an option of the RFC and is off by default.
//!
//! Deviations:
//! - RFC 8033 section 4.2: the updates fall due by the clock but are made by the next call, which
//!   yields the same, since nothing changes in between. After a silence with more than
//!   `CATCH_UP` updates (a minute) the rest is left out unless they would change nothing anyway.
//! - RFC 8033 section 5.2: MEAN_PKTSIZE has no value there; it is the link's MTU, as in Linux.
//! - Linux: probabilities are floating point and never above 1, times are in nanoseconds, and the
//!   dequeue rate estimator is the RFC's. sch_pie.c starts its timer half a second after the queue
//!   is set up, long before the first packet; so here the timer is running when that comes.

use units::{Bytes, Rng, Span, Time};

use crate::aqm::{Aqm, Arrival, Departure, Verdict};
use crate::{Backlog, ChangeError};

mod parameters;
mod spec;
#[cfg(test)]
mod tests;
mod update;

pub use parameters::{PieDelay, PieParameters, PieVariant};
pub use spec::{PieSpec, PieStats};

/// The bytes over which the dequeue rate is measured (RFC 8033 section 5.2, DQ_THRESHOLD).
const DQ_THRESHOLD: Bytes = Bytes(1 << 14);
/// The weight of the newest measurement of the dequeue rate (RFC 8033 section 5.2).
const DQ_WEIGHT: f64 = 0.25;
/// The most updates that one call catches up with.
const CATCH_UP: u32 = 4096;
/// The accumulated probability below which no packet is dropped (RFC 8033 section 5.4).
const ACCUMULATED_LEAST: f64 = 0.85;
/// The accumulated probability from which every packet is dropped (RFC 8033 section 5.4).
const ACCUMULATED_MOST: f64 = 8.5;
/// The probability below which a short queue drops nothing (RFC 8033 section 4.1).
const SAFE_PROBABILITY: f64 = 0.2;

/// The controller of PIE.
#[derive(Clone, Debug)]
pub struct Pie {
    parameters: PieParameters,
    rng: Rng,
}

/// The state of one queue, under the RFC's names where it has them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PieState {
    drop_prob: f64,
    accu_prob: f64,
    current_qdelay: Span,
    qdelay_old: Span,
    burst_allowance: Span,
    /// The time of the next update; `None` before the first packet.
    next_update: Option<Time>,
    active: bool,
    /// The measurement of the dequeue rate that is under way: when it began, and the bytes since.
    /// `None` while there is none.
    measurement: Option<(Time, Bytes)>,
    /// The time that `DQ_THRESHOLD` bytes take to leave, in seconds; 0 = not measured yet.
    avg_dq_time: f64,
    /// The time of the last departure since the burst allowance was set (Linux); `None` before the
    /// first.
    last_departure: Option<Time>,
    /// The most packets that one has found waiting that joined them.
    most_packets: u64,
}

impl Pie {
    /// A controller with these parameters and this random source.
    pub const fn new(parameters: PieParameters, rng: Rng) -> Self {
        Self { parameters, rng }
    }

    /// True if the controller measures the rate at which packets leave.
    pub fn measures_rate(&self) -> bool {
        self.parameters.delay == PieDelay::DequeueRate
    }

    /// Starts the clock of the updates at the first packet.
    fn start(&self, q: &mut PieState, now: Time) {
        q.next_update.get_or_insert(now + self.parameters.update_interval);
    }

    /// Makes the updates that became due while `backlog` waited.
    fn catch_up(&self, q: &mut PieState, backlog: Backlog, now: Time) {
        let every = self.parameters.update_interval.max(Span::from_nanos(1));
        let Some(due) = q.next_update else { return };
        if now < due {
            return;
        }
        let missed = now.since(due).as_nanos() / every.as_nanos() + 1;
        q.next_update = Some(due + every * missed);
        if !q.active {
            return;
        }
        for _ in 0..missed.min(u64::from(CATCH_UP)) {
            let before = *q;
            self.update(q, backlog);
            if *q == before || !q.active {
                break;
            }
        }
    }

    /// Switches the controller on, reset, when the queue fills up (RFC 8033 section 5.3).
    fn activate(&self, q: &mut PieState, backlog: Backlog, now: Time) {
        if !q.active && backlog.bytes >= self.parameters.activation.unwrap_or(Bytes::ZERO) {
            let measurement = (self.parameters.activation.is_some()).then_some((now, Bytes::ZERO));
            *q = PieState {
                active: true,
                burst_allowance: self.parameters.max_burst,
                measurement,
                next_update: q.next_update,
                most_packets: q.most_packets,
                ..PieState::default()
            };
            if self.parameters.activation.is_some() {
                q.next_update = Some(now + self.parameters.update_interval);
            }
        }
    }

    /// True if this packet would be dropped: `drop_early` of RFC 8033 section 4.1 and appendix B.
    fn drop_early(&mut self, q: &mut PieState, arrival: &Arrival) -> bool {
        let PieParameters { target, variant, mean_packet, byte_mode, .. } = self.parameters;
        let (delay, short) = match variant {
            PieVariant::Rfc8033 => (q.qdelay_old, arrival.backlog.bytes <= mean_packet * 2),
            PieVariant::Linux => (q.current_qdelay, arrival.backlog.bytes < mean_packet * 2),
        };
        if !q.burst_allowance.is_zero()
            || (delay < target / 2 && q.drop_prob < SAFE_PROBABILITY)
            || short
        {
            return false;
        }
        // sch_pie.c: a packet shorter than the MTU is dropped less often in byte mode.
        let weight = arrival.len.0 as f64 / mean_packet.0 as f64;
        let p = if byte_mode { q.drop_prob * weight.min(1.0) } else { q.drop_prob };
        // RFC 8033 section 5.4: derandomisation.
        q.accu_prob = if p == 0.0 { 0.0 } else { q.accu_prob + p };
        let hit = q.accu_prob >= ACCUMULATED_LEAST
            && (q.accu_prob >= ACCUMULATED_MOST || self.rng.next_f64() < p);
        if hit {
            q.accu_prob = 0.0;
        }
        hit
    }

    /// Measures the time that `DQ_THRESHOLD` bytes take to leave (RFC 8033 section 5.2 and appendix
    /// B).
    fn measure(&self, q: &mut PieState, departure: &Departure) {
        if let Some((began, bytes)) = q.measurement {
            let bytes = bytes + departure.len;
            q.measurement = Some((began, bytes));
            if bytes >= DQ_THRESHOLD {
                let took = departure.now.since(began).as_secs_f64();
                q.avg_dq_time = if q.avg_dq_time == 0.0 {
                    took
                } else {
                    took * DQ_WEIGHT + q.avg_dq_time * (1.0 - DQ_WEIGHT)
                };
                q.measurement = None;
            }
        }
        if q.measurement.is_none() && departure.backlog.bytes >= DQ_THRESHOLD {
            q.measurement = Some((departure.now, Bytes::ZERO));
        }
    }

    /// Sets the queue's delay to the wait of the packet that leaves (RFC 8033 section 4.3).
    fn read_timestamp(&self, q: &mut PieState, departure: &Departure) {
        let empty = departure.backlog.packets == 0;
        q.current_qdelay = if empty { Span::ZERO } else { departure.sojourn };
        if self.parameters.variant == PieVariant::Linux {
            // sch_pie.c, pie_process_dequeue: the allowance burns while packets leave.
            let since = q.last_departure.replace(departure.now);
            q.burst_allowance -= since.map_or(Span::ZERO, |last| departure.now.since(last));
        }
    }
}

impl Aqm for Pie {
    type State = PieState;

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

    fn on_enqueue(&mut self, q: &mut PieState, arrival: &Arrival) -> Verdict {
        let Arrival { now, backlog, len, packets, .. } = *arrival;
        self.start(q, now);
        if self.parameters.activation.is_none() {
            self.activate(q, backlog, now);
        }
        self.catch_up(q, backlog, now);
        // RFC 8033 section 4.1: the limit is checked first, and its drops do not count for the
        // lottery.
        if !arrival.full && q.active && self.drop_early(q, arrival) {
            // RFC 8033 section 5.1: at a high probability ECN-capable packets are dropped too.
            let marks = match self.parameters.variant {
                PieVariant::Rfc8033 => q.drop_prob < self.parameters.mark_threshold.get(),
                PieVariant::Linux => q.drop_prob <= self.parameters.mark_threshold.get(),
            };
            let verdict = if marks { Verdict::Signal } else { Verdict::Drop };
            if !verdict.drops(self.parameters.ecn && arrival.ecn_capable) {
                q.most_packets = q.most_packets.max(backlog.packets);
            }
            return verdict;
        }
        let mut backlog = backlog;
        if !arrival.full {
            q.most_packets = q.most_packets.max(backlog.packets);
            backlog += Backlog { packets, bytes: len };
        }
        self.activate(q, backlog, now);
        Verdict::Pass
    }

    fn on_dequeue(&mut self, q: &mut PieState, departure: &Departure) -> Verdict {
        let mut backlog = departure.backlog;
        backlog += Backlog { packets: departure.packets, bytes: departure.len };
        self.catch_up(q, backlog, departure.now);
        match self.parameters.delay {
            PieDelay::Timestamps => self.read_timestamp(q, departure),
            PieDelay::DequeueRate => self.measure(q, departure),
        }
        Verdict::Pass
    }

    fn on_overflow(&mut self, q: &mut PieState, _packets: u64, _now: Time) {
        q.accu_prob = 0.0;
    }

    fn on_empty(&mut self, q: &mut PieState, now: Time) {
        self.catch_up(q, Backlog::default(), now);
    }
}

impl PieState {
    /// The drop probability.
    pub const fn probability(&self) -> f64 {
        self.drop_prob
    }

    /// The queue's delay as last estimated.
    pub const fn delay(&self) -> Span {
        self.current_qdelay
    }

    /// The measured dequeue rate in bytes per second; 0 before the first measurement.
    pub fn dequeue_rate(&self) -> u64 {
        if self.avg_dq_time > 0.0 { (DQ_THRESHOLD.0 as f64 / self.avg_dq_time) as u64 } else { 0 }
    }

    /// The most packets that one has found waiting that joined them (`maxq` of sch_pie.c).
    pub const fn most_packets(&self) -> u64 {
        self.most_packets
    }
}
