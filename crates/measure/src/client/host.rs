//! What our own machine does meanwhile: a test that is short of processor measures itself.

use std::fs;
use std::net::IpAddr;

use kernel::Clock;
use results::observation::{HostSample, Interface, Wireless};
use rustix::time::{ClockId, clock_gettime};
use units::{Span, Time};

use crate::interface::Egress;

/// Looks at the machine from time to time.
pub(super) struct Host {
    clock: Clock,
    at: Time,
    processors: Vec<Processor>,
    own: Span,
    /// Our end of the path to the server, if the kernel tells.
    egress: Option<Egress>,
    /// When Wi-Fi is to be asked again.
    due: Time,
}

/// Wi-Fi is asked so seldom, because some radios have to be asked in turn.
const WIRELESS: Span = Span::from_secs(1);

/// What a processor did since the machine began, in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Processor {
    busy: u64,
    all: u64,
}

impl Host {
    pub(super) fn new(clock: Clock, server: IpAddr) -> Self {
        let egress = Egress::towards(server).ok();
        let at = clock.now();
        Self { clock, at, processors: processors(), own: own(), egress, due: at }
    }

    /// What our end of the path is like.
    pub(super) fn interface(&self) -> Option<Interface> {
        self.egress.as_ref().map(|egress| egress.interface().clone())
    }

    /// What it did since the last time. `lateness` is that of the probes.
    pub(super) fn sample(&mut self, lateness: Span) -> HostSample {
        let (at, processors, own) = (self.clock.now(), processors(), own());
        let parts: Vec<Option<f64>> = processors
            .iter()
            .zip(&self.processors)
            .map(|(now, then)| now.part_since(then))
            .collect();
        let (all, each) = parts.split_first().map_or((None, &[][..]), |(all, each)| (*all, each));
        let busiest = each.iter().flatten().copied().reduce(f64::max);
        let elapsed = at.since(self.at).as_secs_f64();
        let used = own.saturating_sub(self.own).as_secs_f64();
        let waiting = self.egress.as_ref().and_then(|egress| egress.waiting().ok());
        let sample = HostSample {
            at,
            busy: all,
            busiest,
            own: (elapsed > 0.0).then(|| used / elapsed),
            lateness,
            backlog: waiting.map(|waiting| waiting.backlog),
            drops: waiting.map(|waiting| waiting.drops),
            wireless: self.wireless(at),
        };
        (self.at, self.processors, self.own) = (at, processors, own);
        sample
    }

    /// How Wi-Fi is doing, now and then.
    fn wireless(&mut self, at: Time) -> Option<Wireless> {
        let egress = self.egress.as_ref().filter(|_| at >= self.due)?;
        self.due = at + WIRELESS;
        egress.wireless()
    }
}

impl Processor {
    fn part_since(&self, then: &Self) -> Option<f64> {
        let (busy, all) = (self.busy.saturating_sub(then.busy), self.all.saturating_sub(then.all));
        (all > 0).then(|| busy as f64 / all as f64)
    }
}

/// All processors together, and then each. Empty where nobody tells.
fn processors() -> Vec<Processor> {
    fs::read_to_string("/proc/stat").map_or_else(|_| Vec::new(), |text| read(&text))
}

/// proc_stat(5): `cpu user nice system idle iowait irq softirq steal guest guest_nice`, in ticks;
/// what guests use is counted among user and nice too.
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

/// Processor time that this process has used.
#[expect(clippy::disallowed_methods, reason = "says what the test itself cost")]
fn own() -> Span {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Span::from_secs(time.tv_sec as u64) + Span::from_nanos(time.tv_nsec as u64)
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

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

    #[test]
    fn our_own_machine_is_seen() {
        let mut host = Host::new(Clock::start(), Ipv4Addr::LOCALHOST.into());
        assert_eq!(host.interface().map(|interface| interface.name), Some("lo".to_owned()));
        let sample = host.sample(Span::from_micros(3));
        assert_eq!(sample.lateness, Span::from_micros(3));
        assert!(sample.own.is_some_and(|own| own >= 0.0), "{sample:?}");
    }
}
