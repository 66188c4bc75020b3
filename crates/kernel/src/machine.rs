//! The load of a machine. A test that is short of processor time measures the machine, and not the
//! network.

use std::fs;

use rustix::time::{ClockId, clock_gettime};
use units::{Span, Time};

/// The machine, of whose load samples are taken.
#[derive(Debug)]
pub struct Machine {
    at: Time,
    processors: Vec<Processor>,
    own: Span,
}

/// The usage between two samples. A value is `None` where the system does not report it, or if no
/// time has passed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Usage {
    /// The busy part of all processors, 0 to 1.
    pub busy: Option<f64>,
    /// The busy part of the busiest processor, 0 to 1.
    pub busiest: Option<f64>,
    /// The part of one processor that this process took.
    pub own: Option<f64>,
}

/// The work of a processor since the machine was started, in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Processor {
    busy: u64,
    all: u64,
}

impl Machine {
    /// Takes the first sample.
    pub fn new(now: Time) -> Self {
        Self { at: now, processors: processors(), own: own() }
    }

    /// The usage since the last call, with `now` by any clock that does not stand still.
    pub fn usage(&mut self, now: Time) -> Usage {
        let (processors, own) = (processors(), own());
        let parts: Vec<Option<f64>> = processors
            .iter()
            .zip(&self.processors)
            .map(|(now, then)| now.part_since(then))
            .collect();
        let (all, each) = parts.split_first().map_or((None, &[][..]), |(all, each)| (*all, each));
        let elapsed = now.since(self.at).as_secs_f64();
        let used = own.saturating_sub(self.own).as_secs_f64();
        (self.at, self.processors, self.own) = (now, processors, own);
        Usage {
            busy: all,
            busiest: each.iter().flatten().copied().reduce(f64::max),
            own: (elapsed > 0.0).then(|| used / elapsed),
        }
    }
}

impl Processor {
    fn part_since(&self, then: &Self) -> Option<f64> {
        let (busy, all) = (self.busy.saturating_sub(then.busy), self.all.saturating_sub(then.all));
        (all > 0).then(|| busy as f64 / all as f64)
    }
}

/// The work of all processors together, and then of each. Empty where the system does not report
/// it.
fn processors() -> Vec<Processor> {
    fs::read_to_string("/proc/stat").map_or_else(|_| Vec::new(), |text| read(&text))
}

/// Parses proc_stat(5): `cpu user nice system idle iowait irq softirq steal guest guest_nice`, in
/// ticks. The time of guests is counted in `user` and `nice` too.
fn read(text: &str) -> Vec<Processor> {
    let lines = text.lines().take_while(|line| line.starts_with("cpu"));
    let processor = |line: &str| {
        let ticks: Vec<u64> =
            line.split_ascii_whitespace().skip(1).take(8).map_while(|n| n.parse().ok()).collect();
        let all = ticks.iter().sum::<u64>();
        let idle = ticks.iter().skip(3).take(2).sum::<u64>();
        Processor { busy: all - idle, all }
    };
    lines.map(processor).collect()
}

/// The processor time that this process has used.
#[expect(clippy::disallowed_methods, reason = "says what the test itself cost")]
fn own() -> Span {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Span::from_secs(time.tv_sec as u64) + Span::from_nanos(time.tv_nsec as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_are_read() {
        let text = "cpu  10 0 10 60 20 0 0 0 5 0\ncpu0 5 0 5 30 10 0 0 0 5 0\nintr 7\ncpu9\n";
        let (all, first) = (Processor { busy: 20, all: 100 }, Processor { busy: 10, all: 50 });
        assert_eq!(read(text), [all, first]);
        assert_eq!(all.part_since(&first), Some(0.2));
        assert_eq!(all.part_since(&all), None);
        assert_eq!(read("cpu x\n"), [Processor::default()]);
    }
}
