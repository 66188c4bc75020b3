//! Sending with segmentation offload: new segments leave together, as super-packets.
//!
//! Three things show on the wire: segments that may leave wait a little to leave with more; the
//! last of the segments that leave together bears PSH, which a receiver acknowledges at once; and
//! pacing releases them as a whole.
//!
//! Specification: Linux `tcp_write_xmit`, `tcp_cwnd_test` and `tcp_tso_should_defer` (as of 6.18;
//! earlier it was half the round trip instead of a millisecond), and `__tcp_transmit_skb` for PSH.
//! Deviations: Linux also ends a super-packet where it cut the data written (each 64 KiB or so),
//! defers the end of the data written, and joins segments that it sends again.

use units::Time;

use super::Sender;
use super::output::RECENT;
use crate::super_packet;

/// The divisor of the window that gives a share which is never deferred if it may leave (Linux
/// `tcp_tso_win_divisor`).
const WINDOW_DIVISOR: u64 = 3;

impl Sender {
    /// True if segments that may leave wait for the next acknowledgement, to leave with more. They
    /// wait only if that acknowledgement is due within a millisecond: a round trip after the oldest
    /// segment was sent.
    pub(super) fn defers(&self, now: Time) -> bool {
        if !self.output.may_defer(now) || self.phase.is_recovering() {
            return false;
        }
        let mss = u64::from(self.options.mss);
        let cwnd = u64::from(self.window.cwnd()) * mss;
        let may_leave = self.sequence.room().min(u64::from(self.allowed()) * mss);
        let share = cwnd.min(self.sequence.offered()) / WINDOW_DIVISOR;
        if may_leave >= share || may_leave >= self.sequence.unsent() {
            return false;
        }
        let Some(oldest_sent) = self.losses.oldest_sent() else { return false };
        let srtt = self.round_trips.srtt_or_zero();
        let expected = oldest_sent + srtt;
        expected <= now + RECENT.min(srtt / 2) && may_leave < u64::from(self.longest()) * mss
    }

    /// True if segments wait to leave with more because the congestion window admits so few of
    /// them. If the peer's window does, the congestion window limits nothing (Linux
    /// `tcp_tso_should_defer`, `is_cwnd_limited`).
    pub(super) fn is_deferred_by_window(&self) -> bool {
        let admitted = u64::from(self.allowed()) * u64::from(self.options.mss);
        self.output.is_deferred() && admitted < self.sequence.room()
    }

    /// Notes that a new segment is sent. Returns true if it is the last of several that leave
    /// together.
    pub(super) fn ends_super_packet(&mut self) -> bool {
        let begins = self.output.begins_super_packet();
        if begins {
            let allowed = self.allowed().min((self.window.cwnd() / 2).max(1));
            let is_lone = allowed <= 1 || !self.output.has_offload();
            let segments = if is_lone { 1 } else { self.super_packet(allowed) };
            self.output.begin_super_packet(segments);
        }
        self.output.on_new() && !begins
    }

    /// The number of new segments that leave together now: no more than `allowed`.
    #[inline(never)]
    fn super_packet(&self, allowed: u32) -> u32 {
        let segments = self.ready(allowed);
        // The longest super-packet has at least two.
        if segments <= super_packet::LEAST { segments } else { segments.min(self.longest()) }
    }

    /// The number of segments that were written and that the peer accepts, `most` at most.
    fn ready(&self, most: u32) -> u32 {
        let (room, unsent) = (self.sequence.room(), self.sequence.unsent());
        let mss = u64::from(self.options.mss);
        if u64::from(most) * mss <= room.min(unsent) {
            return most;
        }
        let ready = (room / mss).min(unsent.div_ceil(mss));
        u32::try_from(ready).unwrap_or(u32::MAX).min(most)
    }

    /// The number of segments that the congestion window allows to leave.
    fn allowed(&self) -> u32 {
        self.window.cwnd().saturating_sub(self.losses.board().pipe())
    }

    fn longest(&self) -> u32 {
        let packets_out = self.losses.board().packets_out();
        let (srtt, min_rtt) = (self.round_trips.srtt_or_zero(), self.round_trips.min_or_zero());
        super_packet::longest(self.window.window(), packets_out, self.options.mss, srtt, min_rtt)
    }
}
