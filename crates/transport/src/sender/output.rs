//! The state of a sender's output from one segment to the next: segments that must be sent,
//! segments that must wait, and counters.
//!
//! Specification: RFC 3168 section 6.1.2 (CWR), RFC 5682 section 2.1 (the segments that wait);
//! Linux 6.1 `tcp_write_xmit` and `tcp_tso_should_defer`. Deviations: none.

use units::{Bytes, Span, Time};

use crate::cc::Window;
use crate::config::Config;
use crate::pacing::Pacing;

/// The time after a segment was sent in which Linux defers others.
pub(super) const RECENT: Span = Span::from_millis(1);

/// The state of the output.
#[derive(Clone, Debug)]
pub(super) struct Output {
    forced: Option<Forced>,
    hold: Hold,
    /// True if the window was reduced, which the next new segment reports (RFC 3168 section 6.1.2).
    reduced: bool,
    /// The number of new segments sent in the current burst, which ends when no segment can be sent
    /// now.
    burst: u32,
    /// True to send super-packets.
    offload: bool,
    /// The number of segments still to be sent together with those before.
    together: u32,
    /// True if segments that the window allows wait to leave with more.
    deferred: bool,
    /// The pacing; `None` if segments leave in bursts.
    pacing: Option<Box<Pacing>>,
    /// True if a segment waits for its time by pacing.
    paced: bool,
    /// The time at which the last segment was sent; [`Time::MAX`] before any.
    last: Time,
    sent: Sent,
}

/// Counters of the segments that were sent; [`SenderStats`](super::SenderStats) describes them.
#[derive(Clone, Debug, Default)]
pub(super) struct Sent {
    pub(super) segments: u64,
    pub(super) retransmitted: u64,
    pub(super) bytes: Bytes,
    pub(super) tail_loss_probes: u64,
    pub(super) window_probes: u64,
}

/// A segment that is sent whatever the congestion window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Forced {
    /// The oldest segment again.
    Oldest,
    /// A tail loss probe.
    TailProbe,
    /// A probe of the closed window.
    WindowProbe,
}

/// The segments that must wait until the next acknowledgement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Hold {
    #[default]
    Nothing,
    /// The lost segments.
    Retransmissions,
    /// The lost segments, if new data can be sent (RFC 5682 section 3.1 step 2.b).
    UntilNew,
}

impl Output {
    pub(super) fn new(config: &Config) -> Self {
        Self {
            forced: None,
            hold: Hold::Nothing,
            reduced: false,
            burst: 0,
            offload: config.offload,
            together: 0,
            deferred: false,
            pacing: config.pacing.then(Box::default),
            paced: false,
            last: Time::MAX,
            sent: Sent::default(),
        }
    }

    /// Makes `forced` the next segment to be sent, whatever the congestion window.
    pub(super) fn force(&mut self, forced: Forced) {
        self.forced = Some(forced);
    }

    /// True if a segment is to be sent whatever the congestion window.
    pub(super) const fn is_forced(&self) -> bool {
        self.forced.is_some()
    }

    pub(super) fn take_forced(&mut self) -> Option<Forced> {
        self.forced.take()
    }

    /// Lets these segments wait until the next acknowledgement.
    pub(super) fn hold(&mut self, hold: Hold) {
        self.hold = hold;
    }

    pub(super) const fn held(&self) -> Hold {
        self.hold
    }

    /// True if this state gives no reason to send, and no burst is to be ended.
    pub(super) fn is_idle(&self) -> bool {
        (self.forced, self.hold, self.burst) == (None, Hold::Nothing, 0)
    }

    /// Takes notice that the window was reduced, which is reported to the peer if `ecn` was
    /// negotiated.
    pub(super) fn on_reduction(&mut self, ecn: bool) {
        self.reduced = ecn;
    }

    /// Takes notice that the reduction was taken back, so that it is not reported.
    pub(super) fn on_restored(&mut self) {
        self.reduced = false;
    }

    /// True if the segment that is sent now reports a reduction.
    pub(super) fn take_reduced(&mut self) -> bool {
        core::mem::take(&mut self.reduced)
    }

    /// Begins the choice of a segment: none waits.
    pub(super) fn begin_choice(&mut self) {
        (self.paced, self.deferred) = (false, false);
    }

    /// True if the chosen segment waits: for its time by pacing, or, if `defers`, for further
    /// segments to leave with.
    pub(super) fn waits(&mut self, defers: bool, now: Time) -> bool {
        let pacing = self.pacing.as_ref().filter(|_| self.together == 0);
        self.paced = pacing.is_some_and(|pacing| pacing.next() > now);
        self.deferred = defers;
        self.paced || self.deferred
    }

    /// True if a segment may wait for further ones to leave with: it begins a super-packet, and
    /// another was sent just before. Also true for the first segment, which waits for none, since
    /// nothing is outstanding.
    pub(super) fn may_defer(&self, now: Time) -> bool {
        self.has_offload() && self.together == 0 && now.since(self.last) <= RECENT
    }

    /// True if segments wait for further ones to leave with.
    pub(super) const fn is_deferred(&self) -> bool {
        self.deferred
    }

    /// The time until which pacing holds back a segment; `None` if it holds back none.
    pub(super) fn paced_until(&self) -> Option<Time> {
        self.pacing.as_ref().filter(|_| self.paced).map(|pacing| pacing.next())
    }

    /// True if segments are spread over the round trip.
    pub(super) const fn has_pacing(&self) -> bool {
        self.pacing.is_some()
    }

    /// Sets the rate of pacing for this window, of which `packets_out` segments are outstanding.
    pub(super) fn pace(&mut self, window: &Window, packets_out: u32, mss: u32, srtt: Span) {
        if let Some(pacing) = &mut self.pacing {
            pacing.update(window, packets_out, mss, srtt);
        }
    }

    /// True if segments leave as super-packets.
    pub(super) const fn has_offload(&self) -> bool {
        self.offload
    }

    /// True if the new segment that is sent now is the first of those that leave together.
    pub(super) const fn begins_super_packet(&self) -> bool {
        self.together == 0
    }

    /// Begins a super-packet of `segments`.
    pub(super) fn begin_super_packet(&mut self, segments: u32) {
        self.together = segments;
    }

    /// Notes that a new segment is sent. Returns true if it is the last of a super-packet.
    pub(super) fn on_new(&mut self) -> bool {
        self.burst += 1;
        self.together = self.together.saturating_sub(1);
        self.together == 0
    }

    /// Ends the current burst, and returns the number of new segments sent in it.
    pub(super) fn take_burst(&mut self) -> u32 {
        core::mem::take(&mut self.burst)
    }

    /// Ends the super-packet: segments that are sent later do not leave with those that were sent.
    pub(super) fn end_super_packet(&mut self) {
        self.together = 0;
    }

    /// Notes that a segment with `len` bytes of payload is sent.
    pub(super) fn on_sent(&mut self, len: u32, now: Time) {
        self.sent.segments += 1;
        self.sent.bytes.0 += u64::from(len);
        if let Some(pacing) = &mut self.pacing {
            pacing.on_sent(len, now);
        }
        self.last = now;
    }

    /// Counts a segment that was sent before.
    pub(super) fn on_retransmission(&mut self) {
        self.sent.retransmitted += 1;
    }

    /// Counts a tail loss probe.
    pub(super) fn on_tail_probe(&mut self) {
        self.sent.tail_loss_probes += 1;
    }

    /// Counts a probe of a closed window.
    pub(super) fn on_window_probe(&mut self) {
        self.sent.window_probes += 1;
    }

    /// The time since the last segment was sent; zero before any.
    pub(super) fn idle(&self, now: Time) -> Span {
        now.since(self.last)
    }

    pub(super) const fn sent(&self) -> &Sent {
        &self.sent
    }
}
