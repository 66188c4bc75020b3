//! Limits the data that is not yet sent, so that a small answer can overtake it.
//!
//! Between HTTP/2 and the wire there are three buffers that keep order: that of TLS, that of the
//! socket, and that of the code that writes to TLS. A probe behind the data in them measures these
//! buffers, not the path. So a stream takes nothing while TLS still holds data, the socket takes
//! only what it can send in a few milliseconds, and a producer of load waits until its previous
//! piece is in the socket.
//!
//! Specification: draft-ietf-ippm-responsiveness-09, "Client-Side Influence": the data that waits,
//! not sent, is the throughput of the connection times 5 ms, set by `TCP_NOTSENT_LOWAT`.
//! Deviations: the 5 ms are those of all three buffers together, and never less than two segments.
//! The time is longer on a machine so busy that this program wakes later than that and TCP has no
//! data meanwhile: otherwise the test would measure this machine.

use std::io::{self, IoSlice};
use std::ops::Deref;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker, ready};

use kernel::{Clock, tcp_info};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsStream;
use units::{Span, Time};

/// The longest wait of unsent data, in seconds.
const WAIT_S: f64 = 0.005;

/// The interval at which the rate is measured: short enough for a start that doubles each round
/// trip.
const LOOK: Span = Span::from_millis(50);

/// The largest factor on [`WAIT_S`], for a machine that is very late: 320 ms.
const MOST_PATIENT: f64 = 64.0;

/// The smallest piece of load in bytes. With 9 bytes of HTTP/2 and 22 of TLS it fills a segment
/// with timestamps (1448 bytes).
const LEAST_PIECE: usize = 1417;

/// The payload of the largest frame that every peer accepts, in a single TLS record.
const LARGEST_PIECE: usize = 16_384 - 9;

/// The bytes that TLS 1.3 adds to each record, for header, type and tag: RFC 8446 section 5.2.
const RECORD_BYTES: u64 = 5 + 1 + 16;

/// The state that the layers of one connection share.
#[derive(Debug)]
pub(crate) struct NotsentLimit {
    /// The bytes that TLS has taken.
    accepted: AtomicU64,
    records: AtomicU64,
    /// The value of `accepted` when last everything was in the socket.
    flushed: AtomicU64,
    /// The bytes of load's payload in the pieces made so far.
    payload: AtomicU64,
    received: AtomicU64,
    /// The requests that carry load now.
    loads: AtomicUsize,
    /// The size of the next piece of load in bytes.
    piece: AtomicUsize,
    waiting: Mutex<Vec<Waker>>,
}

impl NotsentLimit {
    fn new() -> Self {
        Self {
            accepted: AtomicU64::new(0),
            records: AtomicU64::new(0),
            flushed: AtomicU64::new(0),
            payload: AtomicU64::new(0),
            received: AtomicU64::new(0),
            loads: AtomicUsize::new(0),
            piece: AtomicUsize::new(LEAST_PIECE),
            waiting: Mutex::new(Vec::new()),
        }
    }

    /// The size of a new piece of load in bytes, and the ticket by which [`left`](Self::left) knows
    /// it.
    pub(crate) fn piece(&self) -> (usize, u64) {
        let piece = self.piece.load(Ordering::Relaxed);
        self.payload.fetch_add(piece as u64, Ordering::Relaxed);
        (piece, self.accepted.load(Ordering::Acquire) + piece as u64)
    }

    /// Ready if the piece with this ticket has left for the socket; otherwise wakes the task when
    /// it has.
    pub(crate) fn left(&self, ticket: u64, context: &Context<'_>) -> Poll<()> {
        let left = || self.flushed.load(Ordering::Acquire) >= ticket;
        if left() {
            return Poll::Ready(());
        }
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if !waiting.iter().any(|waker| waker.will_wake(context.waker())) {
            waiting.push(context.waker().clone());
        }
        // The piece may have left before the waker was on the list.
        if left() { Poll::Ready(()) } else { Poll::Pending }
    }

    /// Counts a request with load on this connection until the guard is dropped.
    pub(crate) fn load(self: Arc<Self>) -> Loading {
        self.loads.fetch_add(1, Ordering::Relaxed);
        Loading(self)
    }

    /// True if there is load, however slow.
    pub(crate) fn is_loaded(&self) -> bool {
        self.loads.load(Ordering::Relaxed) > 0
    }

    /// The bytes received and accepted, which grow while anything is transferred.
    pub(crate) fn moved(&self) -> u64 {
        self.received.load(Ordering::Relaxed) + self.accepted.load(Ordering::Relaxed)
    }

    /// The bytes of load's payload among this many bytes on the wire.
    pub(crate) fn payload_of(&self, wire: u64) -> u64 {
        let records = self.records.load(Ordering::Relaxed) * RECORD_BYTES;
        let all = (self.accepted.load(Ordering::Relaxed) + records).max(1);
        let payload = u128::from(self.payload.load(Ordering::Relaxed));
        (u128::from(wire) * payload / u128::from(all)) as u64
    }

    fn accept(&self, bytes: usize) {
        self.accepted.fetch_add(bytes as u64, Ordering::Release);
        self.records.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes that everything accepted is in the socket, and wakes the waiting tasks.
    fn empty(&self) {
        let accepted = self.accepted.load(Ordering::Acquire);
        if self.flushed.swap(accepted, Ordering::AcqRel) != accepted {
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            waiting.drain(..).for_each(Waker::wake);
        }
    }
}

/// A request that carries load, counted until it is dropped.
#[derive(Debug)]
pub(crate) struct Loading(Arc<NotsentLimit>);

impl Deref for Loading {
    type Target = NotsentLimit;

    fn deref(&self) -> &NotsentLimit {
        &self.0
    }
}

impl Drop for Loading {
    fn drop(&mut self) {
        self.0.loads.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A connection with TLS whose buffers stay small.
#[derive(Debug)]
pub(crate) struct ShallowStream {
    inner: TlsStream<TcpStream>,
    limit: Arc<NotsentLimit>,
    clock: Clock,
    /// The time of the last measurement, and the bytes flushed by then.
    seen: (Time, u64),
    /// The factor on [`WAIT_S`], more than 1 if this program wakes late.
    patience: f64,
}

impl ShallowStream {
    /// The stream, and the limit that its load must observe.
    pub(crate) fn new(inner: TlsStream<TcpStream>) -> (Self, Arc<NotsentLimit>) {
        let limit = Arc::new(NotsentLimit::new());
        let stream = Self {
            inner,
            limit: limit.clone(),
            clock: Clock::start(),
            seen: (Time::ZERO, 0),
            patience: 1.0,
        };
        (stream, limit)
    }

    /// Moves all data from TLS to the socket.
    fn drain(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.inner).poll_flush(context))?;
        self.limit.empty();
        Poll::Ready(Ok(()))
    }

    /// Drains TLS before more is written: at this moment unsent data is only in the socket. Adapts
    /// the limits when it is time.
    fn make_room(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.drain(context))?;
        let (now, flushed) = (self.clock.now(), self.limit.flushed.load(Ordering::Relaxed));
        let (before, sent) = self.seen;
        let span = now.since(before);
        if span >= LOOK {
            self.seen = (now, flushed);
            self.adapt((flushed - sent) as f64 / span.as_secs_f64());
        }
        Poll::Ready(Ok(()))
    }

    /// Sets the limits from the rate. Half of the data that may wait is in the socket, one piece
    /// may be added to that, and one waits in TLS.
    fn adapt(&mut self, bytes_per_second: f64) {
        let socket = self.inner.get_ref().0;
        let is_dry = tcp_info(socket).is_ok_and(|tcp| tcp.unsent == 0 && tcp.in_flight < tcp.cwnd);
        let patience = if is_dry { self.patience * 2.0 } else { self.patience / 2.0 };
        self.patience = patience.clamp(1.0, MOST_PATIENT);
        let quarter = (bytes_per_second * WAIT_S * self.patience / 4.0) as usize;
        let piece = quarter.clamp(LEAST_PIECE, LARGEST_PIECE);
        self.limit.piece.store(piece, Ordering::Relaxed);
        limit_unsent(socket, (2 * quarter).max(LEAST_PIECE));
    }
}

/// Limits the unsent data in the socket. A failure only makes the test less exact.
fn limit_unsent(socket: &TcpStream, bytes: usize) {
    let _ = kernel::set_unsent_low_water(socket, u32::try_from(bytes).unwrap_or(u32::MAX));
}

impl AsyncRead for ShallowStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(context, buffer))?;
        let read = buffer.filled().len() - before;
        self.limit.received.fetch_add(read as u64, Ordering::Relaxed);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for ShallowStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        ready!(self.make_room(context))?;
        let written = ready!(Pin::new(&mut self.inner).poll_write(context, bytes))?;
        self.limit.accept(written);
        Poll::Ready(Ok(written))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        ready!(self.make_room(context))?;
        let written = ready!(Pin::new(&mut self.inner).poll_write_vectored(context, slices))?;
        self.limit.accept(written);
        Poll::Ready(Ok(written))
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.drain(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_waits_until_the_one_before_has_left() {
        let limit = NotsentLimit::new();
        let context = Context::from_waker(Waker::noop());
        let (bytes, ticket) = limit.piece();
        assert_eq!(limit.left(ticket, &context), Poll::Pending);
        limit.accept(bytes + 9);
        assert_eq!(limit.left(ticket, &context), Poll::Pending, "it is in TLS only");
        limit.empty();
        assert_eq!(limit.left(ticket, &context), Poll::Ready(()));
    }

    #[test]
    fn framing_is_no_payload() {
        let limit = NotsentLimit::new();
        assert_eq!(limit.payload_of(1000), 0);
        for _ in 0..100 {
            let (bytes, _) = limit.piece();
            limit.accept(bytes + 9);
        }
        assert_eq!(limit.payload_of(1448 * 10), 1417 * 10);
    }
}
