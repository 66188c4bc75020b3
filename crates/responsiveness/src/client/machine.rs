//! Decides whether this machine was the limit, and not the path: a test without enough processor
//! time measures itself.

use kernel::{Clock, Machine, Usage};
use results::{Finding, FindingKind, ProcessorLoad};
use stats::{ascending, quantile};
use units::{Span, Time};

/// The interval between observations of the machine.
const LOOK: Span = Span::from_millis(100);

/// An observer of this machine while a direction is loaded.
pub(crate) struct Watch {
    clock: Clock,
    machine: Machine,
    due: Time,
    /// The greatest lateness since the last observation.
    late: Span,
    /// The processor usage at each observation, and the greatest lateness before it.
    looks: Vec<(Usage, Span)>,
}

impl Watch {
    pub(crate) fn new(clock: Clock) -> Self {
        let now = clock.now();
        let machine = Machine::new(now);
        Self { clock, machine, due: now + LOOK, late: Span::ZERO, looks: Vec::new() }
    }

    /// Notes that the program woke late, by this time.
    pub(crate) fn woke(&mut self, late: Span) {
        self.late = self.late.max(late);
        let now = self.clock.now();
        if now >= self.due {
            self.due = now + LOOK;
            self.looks.push((self.machine.usage(now), std::mem::take(&mut self.late)));
        }
    }

    /// The load of the processors: the 90th percentile of the busiest one's, and the mean of this
    /// program's own.
    pub(crate) fn busy(&self) -> ProcessorLoad {
        let own: Vec<f64> = self.looks.iter().filter_map(|(usage, _)| usage.own).collect();
        ProcessorLoad {
            busiest: quantile(
                &ascending(self.looks.iter().filter_map(|(usage, _)| usage.busiest)),
                0.9,
            ),
            own: stats::ratio(own.iter().sum(), own.len() as f64),
        }
    }

    /// The median lateness of the program, in milliseconds. `None` before the first observation.
    pub(crate) fn late_ms(&self) -> Option<f64> {
        quantile(&ascending(self.looks.iter().map(|(_, late)| late.as_millis_f64())), 0.5)
    }

    /// A finding if this machine was the limit, by the same rules as for `unbloat test`; `None`
    /// otherwise. Handshakes, which kernels answer, waited `handshakes` ms beyond the idle path,
    /// and answers on loaded connections `answers` ms.
    pub(crate) fn finding(&self, handshakes: f64, answers: f64) -> Option<Finding> {
        let late = self.late_ms()?;
        let usual = |part: fn(&Usage) -> Option<f64>| {
            quantile(&ascending(self.looks.iter().filter_map(|(usage, _)| part(usage))), 0.5)
        };
        let [busiest, own] = [usual(|usage| usage.busiest), usual(|usage| usage.own)];
        let is_late = diagnose::machine::is_late(late / 1e3, answers / 1e3);
        let is_slow = diagnose::machine::is_slow(handshakes / 1e3, busiest, own);
        let (kind, amount) = (FindingKind::MachineLimits, Some(late).filter(|_| is_late));
        (is_late || is_slow).then_some(Finding { kind, amount, confidence: 0.85 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten observations with this load of the busiest processor, this test's part of it, and this
    /// lateness.
    fn watch(busiest: f64, own: f64, late_ms: u64) -> Watch {
        let usage = Usage { busy: None, busiest: Some(busiest), own: Some(own) };
        let looks = vec![(usage, Span::from_millis(late_ms)); 10];
        Watch { looks, ..Watch::new(Clock::start()) }
    }

    #[test]
    fn a_machine_is_the_limit_if_it_is_late_or_full_of_the_test() {
        let is_limit =
            |watch: &Watch, handshakes, answers| watch.finding(handshakes, answers).is_some();
        assert!(!is_limit(&watch(0.4, 0.2, 0), 0.1, 0.5));
        // Late by a large part of the answers' time, or by a small one.
        assert!(is_limit(&watch(0.4, 0.2, 20), 100.0, 130.0));
        assert!(!is_limit(&watch(0.4, 0.2, 5), 100.0, 130.0));
        // The processor is full of this test and nothing waits; or full of others; or packets wait
        // for the line.
        assert!(is_limit(&watch(1.0, 0.9, 0), 0.1, 0.5));
        assert!(!is_limit(&watch(1.0, 0.1, 0), 0.1, 0.5));
        assert!(!is_limit(&watch(1.0, 0.9, 0), 100.0, 130.0));
        assert_eq!(Watch::new(Clock::start()).finding(0.0, 0.0), None);
    }

    #[test]
    fn nine_of_ten_looks_are_no_busier() {
        let mut watch = watch(0.5, 0.2, 3);
        watch.looks[0].0.busiest = Some(1.0);
        assert_eq!((watch.busy().busiest, watch.late_ms()), (Some(0.5), Some(3.0)));
    }
}
