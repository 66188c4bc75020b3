//! The data that the application wrote, and how it is cut into segments.
//!
//! Every segment is full unless it is the last of the data written (RFC 1122 section 4.2.3.4's
//! sender side of silly window avoidance; Nagle's algorithm is off). Once sent, a segment is
//! never cut differently.

/// The bytes of one direction as sequence numbers; data starts at 1.
#[derive(Clone, Debug)]
pub(crate) struct Stream {
    /// The number of bytes written; `u64::MAX` for a stream without end.
    written: u64,
    finished: bool,
    /// The next sequence number to be sent.
    next: u64,
    fin_sent: bool,
}

/// A piece of the stream to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) seq: u64,
    pub(crate) len: u32,
    pub(crate) fin: bool,
    pub(crate) push: bool,
}

impl Piece {
    /// The sequence number after the piece's last one.
    pub(crate) const fn end(&self) -> u64 {
        self.seq + self.len as u64 + self.fin as u64
    }
}

impl Stream {
    pub(crate) const fn new() -> Self {
        Self { written: 0, finished: false, next: 1, fin_sent: false }
    }

    pub(crate) fn write(&mut self, bytes: u64) {
        if !self.finished {
            self.written = self.written.saturating_add(bytes);
        }
    }

    /// Ends the stream after the last byte written. A stream without end stops after the last byte
    /// sent.
    pub(crate) fn finish(&mut self) {
        if self.written == u64::MAX {
            self.abandon();
        }
        self.finished = true;
    }

    /// Ends the stream after the last byte sent.
    pub(crate) fn abandon(&mut self) {
        if !self.fin_sent {
            self.written = self.next - 1;
        }
        self.finished = true;
    }

    /// The next sequence number to be sent.
    pub(crate) const fn next(&self) -> u64 {
        self.next
    }

    /// True if everything is sent, FIN included.
    pub(crate) const fn is_over(&self) -> bool {
        self.fin_sent
    }

    /// The number of bytes written and not yet sent.
    pub(crate) const fn unsent(&self) -> u64 {
        // Saturates for the stream without end, and once the FIN is sent.
        self.written.saturating_add(1).saturating_sub(self.next)
    }

    /// True if there is data or a FIN to send.
    pub(crate) const fn has_unsent(&self) -> bool {
        self.unsent() > 0 || (self.finished && !self.fin_sent)
    }

    /// The next piece of at most `mss` bytes, if it ends before `limit` without a cut; `None`
    /// otherwise. The FIN may follow alone.
    pub(crate) fn peek(&self, mss: u32, limit: u64) -> Option<Piece> {
        Self::fitting(self.cut(u64::from(mss))?, limit)
    }

    /// The next piece of at most `mss` bytes, cut to end before `limit`, as a sender does when the
    /// window stays small (RFC 9293 section 3.8.6.2.1); `None` if nothing is left.
    pub(crate) fn peek_cut(&self, mss: u32, limit: u64) -> Option<Piece> {
        let room = limit.saturating_sub(self.next).min(u64::from(mss));
        Self::fitting(self.cut(room)?, limit).filter(|piece| piece.end() > piece.seq)
    }

    /// Moves on over `piece`, which was peeked and is sent.
    pub(crate) fn advance(&mut self, piece: &Piece) {
        self.next = piece.end();
        self.fin_sent |= piece.fin;
    }

    fn fitting(piece: Piece, limit: u64) -> Option<Piece> {
        if piece.end() <= limit {
            return Some(piece);
        }
        let bare = Piece { fin: false, ..piece };
        (piece.fin && piece.len > 0 && bare.end() <= limit).then_some(bare)
    }

    fn cut(&self, longest: u64) -> Option<Piece> {
        if !self.has_unsent() {
            return None;
        }
        let unsent = self.unsent();
        let len = unsent.min(longest);
        let last = len == unsent;
        // At most `mss`, which has 32 bits.
        let len = len as u32;
        Some(Piece { seq: self.next, len, fin: last && self.finished, push: last && len > 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_abandoned_is_not_sent() {
        let mut stream = Stream::new();
        stream.write(3000);
        let piece = stream.peek(1000, u64::MAX).unwrap();
        stream.advance(&piece);
        stream.abandon();
        assert_eq!(drain(&mut stream, 1000), [(0, false, true)]);
        stream.abandon();
        assert!(!stream.has_unsent());
    }

    fn drain(stream: &mut Stream, mss: u32) -> Vec<(u32, bool, bool)> {
        core::iter::from_fn(|| {
            let piece = stream.peek(mss, u64::MAX)?;
            stream.advance(&piece);
            Some((piece.len, piece.push, piece.fin))
        })
        .collect()
    }

    #[test]
    fn full_segments_until_the_end_of_a_write() {
        let mut stream = Stream::new();
        stream.write(2500);
        assert_eq!(
            drain(&mut stream, 1000),
            [(1000, false, false), (1000, false, false), (500, true, false)]
        );
        stream.write(1000);
        stream.finish();
        assert_eq!(drain(&mut stream, 1000), [(1000, true, true)]);
        assert_eq!((stream.next(), stream.is_over(), stream.has_unsent()), (3502, true, false));
        stream.write(1);
        assert!(!stream.has_unsent(), "nothing follows the end");
    }

    #[test]
    fn a_lone_fin() {
        let mut stream = Stream::new();
        stream.write(10);
        drain(&mut stream, 1000);
        stream.finish();
        assert_eq!(drain(&mut stream, 1000), [(0, false, true)]);
    }

    #[test]
    fn a_stream_without_end_ends_where_it_is() {
        let mut stream = Stream::new();
        stream.write(5);
        stream.write(u64::MAX);
        let piece = stream.peek(1000, u64::MAX).unwrap();
        stream.advance(&piece);
        stream.finish();
        assert_eq!(drain(&mut stream, 1000), [(0, false, true)]);
    }

    #[test]
    fn the_window_holds_back_whole_segments() {
        let mut stream = Stream::new();
        stream.write(1000);
        stream.finish();
        assert_eq!(stream.peek(1000, 1000), None);
        assert_eq!(stream.peek(1000, 1001).map(|p| (p.len, p.fin)), Some((1000, false)));
        assert_eq!(stream.peek(1000, 1002).map(|p| (p.len, p.fin)), Some((1000, true)));
        assert_eq!(stream.peek_cut(1000, 301).map(|p| (p.len, p.fin)), Some((300, false)));
        assert_eq!(stream.peek_cut(1000, 1), None);
    }
}
