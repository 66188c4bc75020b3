//! Probes of both kinds, and the number that is allowed.

use std::sync::Arc;

use hyper::Uri;
use units::Span;

use super::connection::{Connection, Dialer};
use crate::score::Foreign;
use crate::{Error, Parameters};

/// The largest small object that is accepted, in bytes. The draft has 1 byte.
const SMALL: usize = 1 << 16;

/// The result of a probe.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ProbeResult {
    /// A probe on a connection of its own.
    Foreign(Foreign),
    /// A probe on a load-generating connection.
    Loaded(Span),
}

/// Makes a connection for one request. The connection has no special priority.
pub(crate) async fn foreign(dialer: Dialer, small: Uri) -> Result<ProbeResult, Error> {
    let (connection, _) = dialer.dial().await?;
    let asked = dialer.clock.now();
    connection.get(&small, SMALL).await?;
    let http = dialer.clock.now().since(asked);
    let handshakes = connection.handshakes;
    Ok(ProbeResult::Foreign(Foreign { tcp: handshakes.tcp, tls: handshakes.tls, http }))
}

/// Makes a request on a load-generating connection.
pub(crate) async fn loaded(
    connection: Arc<Connection>,
    clock: kernel::Clock,
    small: Uri,
) -> Result<ProbeResult, Error> {
    let asked = clock.now();
    connection.get(&small, SMALL).await?;
    Ok(ProbeResult::Loaded(clock.now().since(asked)))
}

/// The kind of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProbeKind {
    /// A probe on a connection of its own.
    Foreign,
    /// A probe on a load-generating connection.
    Loaded,
}

impl ProbeKind {
    /// The bytes of a probe with those of TCP and TLS, as "Measuring Responsiveness" estimates
    /// both.
    const fn bytes(self) -> f64 {
        match self {
            Self::Foreign => 5000.0,
            Self::Loaded => 1000.0,
        }
    }
}

/// The allowance of probes: MPS of them a second, both kinds in turn, and no more bytes than the
/// share PTC of the load, which shows the capacity as far as it is known.
///
/// Deviations: none from the text and its own sum of 300 kB a second. The step list, with MPS pairs
/// a second, would be twice that.
#[derive(Debug)]
pub(crate) struct Allowance {
    share: f64,
    /// The bytes that probes may take now.
    budget: f64,
    /// The bytes transferred at the last call.
    moved: u64,
    next: ProbeKind,
}

impl Allowance {
    /// The allowance of a load that has not begun.
    pub(crate) fn new(parameters: &Parameters) -> Self {
        Self { share: parameters.probe_share, budget: 0.0, moved: 0, next: ProbeKind::Foreign }
    }

    /// The kind of probe that may be sent now, after `moved` bytes of load in all; `None` if none
    /// may. Must be called MPS times a second.
    pub(crate) fn ask(&mut self, moved: u64) -> Option<ProbeKind> {
        let earned = moved.saturating_sub(self.moved) as f64 * self.share;
        self.moved = self.moved.max(moved);
        let (kind, cost) = (self.next, self.next.bytes());
        // Unused bytes beyond one probe are lost, so that the probes are spread out.
        self.budget = (self.budget + earned).min(cost + earned);
        if self.budget < cost {
            return None;
        }
        self.budget -= cost;
        self.next = if kind == ProbeKind::Foreign { ProbeKind::Loaded } else { ProbeKind::Foreign };
        Some(kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The probes allowed at this rate, with a hundred calls a second for ten seconds.
    fn probes(megabits: u64) -> (usize, usize) {
        let mut allowance = Allowance::new(&Parameters::default());
        let asked = (1..=1000).filter_map(|time| allowance.ask(time * megabits * 1_250));
        let (foreign, own): (Vec<_>, Vec<_>) = asked.partition(|kind| *kind == ProbeKind::Foreign);
        (foreign.len(), own.len())
    }

    #[test]
    fn a_slow_path_is_spared() {
        // 2 Mbit/s are 250 kB/s; 5 % of them in ten seconds 125 kB: 20 pairs of 6 kB, and a bit.
        assert_eq!(probes(2), (21, 20));
    }

    #[test]
    fn a_fast_path_gets_a_hundred_a_second() {
        assert_eq!(probes(1000), (500, 500));
    }

    #[test]
    fn nothing_moved_nothing_asked() {
        assert_eq!(probes(0), (0, 0));
    }
}
