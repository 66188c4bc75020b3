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

use units::{Span, Time};

use super::{Sender, State};
use crate::super_packet;

/// Linux defers only within this time after a segment was sent, and only if an acknowledgement is
/// expected within this time.
const RECENT: Span = Span::from_millis(1);
/// Linux `tcp_tso_win_divisor`: if this share of the window may leave, it is never deferred.
const WINDOW_DIVISOR: u64 = 3;

impl Sender {
    /// True if segments that may leave wait for the next acknowledgement, to leave with more.
    pub(super) fn defers(&self, now: Time) -> bool {
        let is_recent = self.output.last.is_some_and(|last| now.since(last) <= RECENT);
        let may_defer = self.offload && self.output.together == 0;
        if !may_defer || !is_recent || self.state >= State::Recovery {
            return false;
        }
        let mss = u64::from(self.peer.mss);
        let (cwnd, room) = (u64::from(self.window.cwnd) * mss, self.room());
        let may_leave = room.min(u64::from(self.allowed()) * mss);
        let offered = self.window_end.saturating_sub(self.una);
        if may_leave >= cwnd.min(offered) / WINDOW_DIVISOR || may_leave >= self.stream.unsent() {
            return false;
        }
        let Some(oldest) = self.board.oldest() else { return false };
        let srtt = self.rtt.srtt().unwrap_or_default();
        let expected = self.board.get(oldest).sent + srtt;
        expected <= now + RECENT.min(srtt / 2) && may_leave < u64::from(self.longest()) * mss
    }

    /// True if the new segment that is sent now is the last of several that leave together.
    pub(super) fn ends_super_packet(&mut self) -> bool {
        let begins = self.output.together == 0;
        let left = if begins { self.super_packet() } else { self.output.together };
        self.output.together = left.saturating_sub(1);
        !begins && left == 1
    }

    /// The number of new segments that leave together now: no more than half a window.
    fn super_packet(&self) -> u32 {
        let allowed = self.allowed().min((self.window.cwnd / 2).max(1));
        if allowed <= 1 || !self.offload {
            return 1;
        }
        let mss = u64::from(self.peer.mss);
        let ready = (self.room() / mss).min(self.stream.unsent().div_ceil(mss));
        let ready = u32::try_from(ready).unwrap_or(u32::MAX);
        allowed.min(ready).min(self.longest())
    }

    /// Segments that the congestion window allows to leave.
    fn allowed(&self) -> u32 {
        self.window.cwnd.saturating_sub(self.board.pipe())
    }

    /// Bytes that the peer's window allows to leave.
    fn room(&self) -> u64 {
        self.window_end.saturating_sub(self.stream.next())
    }

    fn longest(&self) -> u32 {
        let srtt = self.rtt.srtt().unwrap_or_default();
        let min_rtt = self.min_rtt.get().unwrap_or_default();
        let packets_out = self.board.packets_out();
        super_packet::longest(&self.window, packets_out, self.peer.mss, srtt, min_rtt)
    }
}
