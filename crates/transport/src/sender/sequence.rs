//! The sequence space of a sender: the data written, sent and acknowledged, and the peer's window.
//!
//! Specification: RFC 9293 sections 3.3.1 (send sequence variables), 3.8.6.2.1 (when to send less
//! than a full segment) and 3.10.7.4 (which acknowledgement sets the window).
//! Deviations: RFC 9293 section 3.8.6.2.1: a window below two segments is not used by halves, as
//! that would cut segments short.

use super::FIRST_DATA;
use crate::stream::{Piece, Stream};

/// The send sequence variables. Acknowledged data was sent, and the window never shrinks.
#[derive(Clone, Debug)]
pub(super) struct SendSequence {
    stream: Stream,
    /// The first unacknowledged sequence number (SND.UNA).
    una: u64,
    /// The window that the peer announced last, in bytes (SND.WND).
    window: u64,
    /// The first sequence number that the peer does not accept.
    window_end: u64,
    /// The largest window that the peer has announced, in bytes: Max(SND.WND) of RFC 9293 section
    /// 3.8.6.2.1.
    largest_window: u64,
}

impl SendSequence {
    pub(super) const fn new() -> Self {
        Self {
            stream: Stream::new(),
            una: FIRST_DATA,
            window: 0,
            window_end: FIRST_DATA,
            largest_window: 0,
        }
    }

    /// Takes notice that the handshake is complete, in which the peer announced a window of
    /// `window` bytes.
    pub(super) fn open(&mut self, window: u64) {
        self.window = window;
        self.window_end = self.una.saturating_add(window);
        self.largest_window = window;
    }

    /// The stream to write to.
    pub(super) fn stream_mut(&mut self) -> &mut Stream {
        &mut self.stream
    }

    /// The first unacknowledged sequence number.
    pub(super) const fn una(&self) -> u64 {
        self.una
    }

    /// The next new sequence number to be sent.
    pub(super) const fn next(&self) -> u64 {
        self.stream.next()
    }

    /// The number of bytes written and not yet sent.
    pub(super) const fn unsent(&self) -> u64 {
        self.stream.unsent()
    }

    /// True if there is data or a FIN to send.
    pub(super) const fn has_unsent(&self) -> bool {
        self.stream.has_unsent()
    }

    /// True if everything is acknowledged, FIN included.
    pub(super) const fn is_done(&self) -> bool {
        self.stream.is_over() && self.una == self.next()
    }

    /// True if the peer has sent `ack` and `window` before.
    pub(super) const fn is_known(&self, ack: u64, window: u64) -> bool {
        ack == self.una && ack.saturating_add(window) <= self.window_end
    }

    /// Takes the window of a segment that acknowledges `ack`. An old acknowledgement does not set
    /// the window (RFC 9293 section 3.10.7.4). Returns true if the window is used, and differs from
    /// the one before.
    pub(super) fn on_window(&mut self, ack: u64, window: u64) -> bool {
        let end = ack.saturating_add(window);
        if ack < self.una || (ack == self.una && end <= self.window_end) {
            return false;
        }
        let changed = window != self.window;
        self.window = window;
        self.window_end = end;
        self.largest_window = self.largest_window.max(window);
        changed
    }

    /// Takes the acknowledgement of everything below `ack`, which was sent. Returns true if the
    /// acknowledgement is new.
    pub(super) fn on_acknowledged(&mut self, ack: u64) -> bool {
        let advances = ack > self.una;
        self.una = self.una.max(ack);
        advances
    }

    /// Takes notice that `piece`, which is the next one, is sent.
    pub(super) fn on_sent(&mut self, piece: &Piece) {
        self.stream.advance(piece);
    }

    /// True if the peer accepts data up to `end`.
    pub(super) const fn accepts(&self, end: u64) -> bool {
        end <= self.window_end
    }

    /// The number of bytes that the peer's window allows to be sent now.
    pub(super) const fn room(&self) -> u64 {
        self.window_end.saturating_sub(self.next())
    }

    /// The number of bytes that the peer accepts from the first unacknowledged one on.
    pub(super) const fn offered(&self) -> u64 {
        self.window_end.saturating_sub(self.una)
    }

    /// The next piece: a full segment or the end of the data written; or less, if it is at least
    /// half of the largest window that the peer ever announced (RFC 9293 section 3.8.6.2.1). `None`
    /// if nothing may be sent.
    #[inline]
    pub(super) fn next_piece(&self, mss: u32) -> Option<Piece> {
        self.stream.peek(mss, self.window_end).or_else(|| self.next_half_piece(mss))
    }

    fn next_half_piece(&self, mss: u32) -> Option<Piece> {
        let room = self.room();
        let is_half = room > 0 && room >= self.largest_window.div_ceil(2);
        is_half.then(|| self.next_piece_cut(mss)).flatten()
    }

    /// The next piece, cut to the peer's window; `None` if the window or the data is at its end.
    pub(super) fn next_piece_cut(&self, mss: u32) -> Option<Piece> {
        self.stream.peek_cut(mss, self.window_end)
    }
}
