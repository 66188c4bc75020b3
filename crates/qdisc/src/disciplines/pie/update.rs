//! The periodic update of PIE's drop probability (RFC 8033 sections 4.2, 4.4 and 5.5).

use units::Span;

use super::{DQ_THRESHOLD, Pie, PieDelay, PieParameters, PieState, PieVariant};
use crate::Backlog;

/// The largest step once the probability is high (RFC 8033 section 5.5).
const LARGEST_STEP: f64 = 0.02;
/// The probability from which `LARGEST_STEP` holds.
const HIGH_PROBABILITY: f64 = 0.1;
/// The factors of a step while the probability is small, each with the probability below which it
/// holds (RFC 8033 section 4.2, appendix A).
const GAINS: [(f64, f64); 6] = [
    (0.000_001, 1.0 / 2048.0),
    (0.000_01, 1.0 / 512.0),
    (0.000_1, 1.0 / 128.0),
    (0.001, 1.0 / 32.0),
    (0.01, 1.0 / 8.0),
    (0.1, 1.0 / 2.0),
];
/// The delay above which Linux adds `LARGEST_STEP` to each step (sch_pie.c).
const LINUX_EXTREME_DELAY: Span = Span::from_millis(250);

impl Pie {
    /// Makes one update while `backlog` waits.
    pub(super) fn update(&self, q: &mut PieState, backlog: Backlog) {
        let old = q.qdelay_old;
        if self.parameters.delay == PieDelay::DequeueRate {
            // RFC 8033 appendix B: delay = backlog x time per DQ_THRESHOLD bytes / DQ_THRESHOLD.
            let share = backlog.bytes.0 as f64 / DQ_THRESHOLD.0 as f64;
            q.current_qdelay = Span::from_secs_f64(share * q.avg_dq_time);
        }
        let current = q.current_qdelay;
        let p = q.drop_prob + self.step(q.drop_prob, current, old);
        let p = if self.is_calm(current, old, backlog) { self.decayed(p) } else { p };
        q.drop_prob = p.clamp(0.0, 1.0);
        q.qdelay_old = current;
        self.refresh_burst(q, current, old);
        // RFC 8033 section 5.3, appendix B: nothing to do, go to sleep.
        if self.parameters.activation.is_some()
            && q.drop_prob == 0.0
            && current.is_zero()
            && old.is_zero()
        {
            q.active = false;
            q.measurement = None;
        }
    }

    /// The probability after a step (RFC 8033 section 4.2).
    fn step(&self, p: f64, current: Span, old: Span) -> f64 {
        let PieParameters { target, alpha, beta, variant, .. } = self.parameters;
        let (current_s, old_s) = (current.as_secs_f64(), old.as_secs_f64());
        let gain = GAINS.iter().find(|(below, _)| p < *below).map_or(1.0, |(_, gain)| *gain);
        let step = (alpha * (current_s - target.as_secs_f64()) + beta * (current_s - old_s)) * gain;
        let step = if p >= HIGH_PROBABILITY { step.min(LARGEST_STEP) } else { step };
        match variant {
            PieVariant::Linux if current > LINUX_EXTREME_DELAY => step + LARGEST_STEP,
            _ => step,
        }
    }

    /// True if the congestion is over, so that the probability decays.
    fn is_calm(&self, current: Span, old: Span, backlog: Backlog) -> bool {
        let half = self.parameters.target / 2;
        match self.parameters.variant {
            // RFC 8033 appendix B; appendix A waits for both to be zero.
            PieVariant::Rfc8033 => current < half && old < half,
            PieVariant::Linux => current.is_zero() && old.is_zero() && backlog.packets == 0,
        }
    }

    fn decayed(&self, p: f64) -> f64 {
        match self.parameters.variant {
            PieVariant::Rfc8033 => p * 0.98,
            PieVariant::Linux => p - p / 64.0,
        }
    }

    /// Uses up the burst allowance with time, and restores it while the queue is calm (RFC 8033
    /// section 4.4).
    fn refresh_burst(&self, q: &mut PieState, current: Span, old: Span) {
        let PieParameters { target, max_burst, update_interval, variant, delay, .. } =
            self.parameters;
        let by_time = variant == PieVariant::Rfc8033 || delay == PieDelay::DequeueRate;
        if by_time {
            q.burst_allowance -= update_interval;
        }
        if q.drop_prob == 0.0 && current < target / 2 && old < target / 2 {
            q.burst_allowance = max_burst;
            if variant == PieVariant::Linux {
                // sch_pie.c, pie_vars_init.
                q.accu_prob = 0.0;
                q.last_departure = None;
            }
        }
    }
}
