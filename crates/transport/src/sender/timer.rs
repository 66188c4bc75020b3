//! The one timer of a sender.
//!
//! There is one deadline at a time: the retransmission timeout, or before it a tail loss probe or
//! the end of RACK's reordering window, or a probe of a closed window.
//!
//! Specification: RFC 6298 sections 5.2 and 5.3, RFC 9293 section 3.8.6.1; Linux 6.1
//! `tcp_rearm_rto`, `tcp_probe0_when`. Deviations: none.

use units::{Span, Time};

use crate::rtt::LONGEST_TIMEOUT;

/// The shortest time to a probe. RFC 9293 section 3.8.6.1 leaves it open; Linux never probes
/// sooner.
const SHORTEST_WINDOW_PROBE: Span = Span::from_millis(200);

/// The purpose of the timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    Retransmission,
    TailLossProbe,
    Reordering,
    WindowProbe,
}

/// The deadline and its purpose, if the timer is set.
#[derive(Clone, Debug, Default)]
pub(super) struct Timer {
    set: Option<(Time, Purpose)>,
    /// The number of probes of a closed window since the last round-trip sample.
    window_probes: u32,
}

impl Timer {
    /// The time at which the timer runs out; `None` if it is not set.
    pub(super) fn deadline(&self) -> Option<Time> {
        self.set.map(|(deadline, _)| deadline)
    }

    pub(super) const fn is_set(&self) -> bool {
        self.set.is_some()
    }

    pub(super) fn is_for(&self, purpose: Purpose) -> bool {
        self.set.is_some_and(|(_, set)| set == purpose)
    }

    /// Stops the timer if it has run out, and returns its purpose; `None` if it has not.
    pub(super) fn take_expired(&mut self, now: Time) -> Option<Purpose> {
        let (_, purpose) = self.set.filter(|&(deadline, _)| deadline <= now)?;
        self.set = None;
        Some(purpose)
    }

    pub(super) fn set(&mut self, purpose: Purpose, deadline: Time) {
        self.set = Some((deadline, purpose));
    }

    pub(super) fn stop(&mut self) {
        self.set = None;
    }

    /// Restarts the retransmission timer after an acknowledgement. `oldest` is the time at which
    /// the oldest outstanding segment was sent; `None` stops the timer. If the timer had an earlier
    /// purpose, the timeout counts from `oldest`.
    pub(super) fn restart(&mut self, oldest: Option<Time>, rto: Span, now: Time) {
        if self.is_for(Purpose::TailLossProbe) || self.is_for(Purpose::Reordering) {
            self.resume(oldest, rto, now);
        } else {
            self.set = oldest.map(|_| (now + rto, Purpose::Retransmission));
        }
    }

    /// Sets the retransmission timer as it was when `oldest` was sent, but to the future.
    pub(super) fn resume(&mut self, oldest: Option<Time>, rto: Span, now: Time) {
        self.set = oldest
            .map(|sent| ((sent + rto).max(now + Span::from_nanos(1)), Purpose::Retransmission));
    }

    /// Sets the timer for a probe of a closed window, because nothing is outstanding, and the
    /// window admits nothing (RFC 9293 section 3.8.6.1).
    pub(super) fn await_window(&mut self, rto: Span, now: Time) {
        let patience = rto.max(SHORTEST_WINDOW_PROBE);
        let backed_off = patience * (1 << self.window_probes.min(16));
        self.set(Purpose::WindowProbe, now + backed_off.min(LONGEST_TIMEOUT));
    }

    /// Notes that a probe of the closed window is sent; the next one waits twice as long.
    pub(super) fn on_window_probe(&mut self) {
        self.window_probes += 1;
    }

    /// Ends the probes of a closed window.
    pub(super) fn end_window_probes(&mut self) {
        self.window_probes = 0;
    }
}
