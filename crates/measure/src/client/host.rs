//! Observations of the client's own machine during a test.

use std::net::IpAddr;

use kernel::{Clock, Machine};
use observation::{HostSample, Interface, Wireless};
use units::{Span, Time};

use crate::interface::Egress;

/// The client's machine, of which samples are taken.
pub(super) struct Host {
    clock: Clock,
    machine: Machine,
    /// The interface to the server; `None` if the kernel does not report it.
    egress: Option<Egress>,
    /// The time from which Wi-Fi may be queried again.
    due: Time,
}

/// The time between two queries of Wi-Fi: some radios need a message for each.
const WIRELESS: Span = Span::from_secs(1);

impl Host {
    pub(super) fn new(clock: Clock, server: IpAddr) -> Self {
        let egress = Egress::towards(server).ok();
        let at = clock.now();
        Self { clock, machine: Machine::new(at), egress, due: at }
    }

    /// The interface to the server; `None` if the kernel does not report it.
    pub(super) fn interface(&self) -> Option<Interface> {
        self.egress.as_ref().map(|egress| egress.interface().clone())
    }

    /// The machine's state, and its work since the last sample. `lateness` is that of the probes.
    pub(super) fn sample(&mut self, lateness: Span) -> HostSample {
        let at = self.clock.now();
        let usage = self.machine.usage(at);
        let waiting = self.egress.as_ref().and_then(|egress| egress.waiting().ok());
        HostSample {
            at,
            busy: usage.busy,
            busiest: usage.busiest,
            own: usage.own,
            lateness,
            backlog: waiting.map(|waiting| waiting.backlog),
            drops: waiting.map(|waiting| waiting.drops),
            wireless: self.wireless(at),
        }
    }

    /// The state of Wi-Fi, queried at most once in [`WIRELESS`]; `None` otherwise, or if there is
    /// none.
    fn wireless(&mut self, at: Time) -> Option<Wireless> {
        let egress = self.egress.as_ref().filter(|_| at >= self.due)?;
        self.due = at + WIRELESS;
        egress.wireless()
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    #[test]
    fn our_own_machine_is_seen() {
        let mut host = Host::new(Clock::start(), Ipv4Addr::LOCALHOST.into());
        assert_eq!(host.interface().map(|interface| interface.name), Some("lo".to_owned()));
        let sample = host.sample(Span::from_micros(3));
        assert_eq!(sample.lateness, Span::from_micros(3));
        assert!(sample.own.is_some_and(|own| own >= 0.0), "{sample:?}");
    }
}
