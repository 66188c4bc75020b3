//! Probes of both kinds, and how many the path can bear.

use std::sync::Arc;

use hyper::Uri;
use units::Span;

use super::connection::{Connection, Dialer};
use crate::score::Foreign;
use crate::{Error, Parameters};

/// What a small object may be large. The draft has 1 byte; of more we want no more than we must.
const SMALL: usize = 1 << 16;

/// What a probe measured.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Sample {
    /// On a connection of its own.
    Foreign(Foreign),
    /// On a load-generating connection.
    Loaded(Span),
}

/// Makes a connection for one request. It has no more priority than any.
pub(crate) async fn foreign(dialer: Dialer, small: Uri) -> Result<Sample, Error> {
    let (connection, _) = dialer.dial().await?;
    let asked = dialer.clock.now();
    connection.get(&small, SMALL).await?;
    let http = dialer.clock.now().since(asked);
    let handshakes = connection.handshakes;
    Ok(Sample::Foreign(Foreign { tcp: handshakes.tcp, tls: handshakes.tls, http }))
}

/// Asks beside the load, on its connection.
pub(crate) async fn loaded(
    connection: Arc<Connection>,
    clock: kernel::Clock,
    small: Uri,
) -> Result<Sample, Error> {
    let asked = clock.now();
    connection.get(&small, SMALL).await?;
    Ok(Sample::Loaded(clock.now().since(asked)))
}

/// Which kind is next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// On a connection of its own.
    Foreign,
    /// On a load-generating connection.
    Loaded,
}

impl Kind {
    /// "Measuring Responsiveness" estimates both, with what TCP and TLS add.
    const fn bytes(self) -> f64 {
        match self {
            Self::Foreign => 5000.0,
            Self::Loaded => 1000.0,
        }
    }
}

/// How many probes there may be: MPS of them a second, both kinds in turn, and no more than the
/// share PTC of what the load moves, which is the capacity as far as we have seen it.
///
/// Deviations: none of what the text says and its own sum of 300 kB a second; the step list, which
/// has MPS pairs a second, would be twice that.
#[derive(Debug)]
pub(crate) struct Allowance {
    share: f64,
    /// Bytes that probes may take now.
    budget: f64,
    /// What had been moved when we looked last.
    moved: u64,
    next: Kind,
}

impl Allowance {
    /// Of a load that has not begun.
    pub(crate) fn new(parameters: &Parameters) -> Self {
        Self { share: parameters.probe_share, budget: 0.0, moved: 0, next: Kind::Foreign }
    }

    /// So much has been moved in all: may a probe be sent, and which? To be asked MPS times a second.
    pub(crate) fn ask(&mut self, moved: u64) -> Option<Kind> {
        let earned = moved.saturating_sub(self.moved) as f64 * self.share;
        self.moved = self.moved.max(moved);
        let (kind, cost) = (self.next, self.next.bytes());
        // What was not used is lost, but for one probe: they are to be spread out.
        self.budget = (self.budget + earned).min(cost + earned);
        if self.budget < cost {
            return None;
        }
        self.budget -= cost;
        self.next = if kind == Kind::Foreign { Kind::Loaded } else { Kind::Foreign };
        Some(kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asked a hundred times a second for ten seconds, at this rate.
    fn probes(megabits: u64) -> (usize, usize) {
        let mut allowance = Allowance::new(&Parameters::default());
        let asked = (1..=1000).filter_map(|time| allowance.ask(time * megabits * 1_250));
        let (foreign, own): (Vec<_>, Vec<_>) = asked.partition(|kind| *kind == Kind::Foreign);
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
