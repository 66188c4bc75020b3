//! What has not left yet waits where a small answer can overtake it.
//!
//! Between HTTP/2 and the wire there are three buffers that keep order: of TLS, of the socket, and
//! of whoever writes to TLS. A probe behind them measures them, not the path. So a stream takes
//! nothing while TLS still holds something, the socket takes only what it can send in a few
//! milliseconds, and who makes data waits until what it made before is in the socket.
//!
//! Specification: draft-ietf-ippm-responsiveness-09, "Client-Side Influence": the data that waits,
//! not sent, is the throughput of the connection times 5 ms, set by `TCP_NOTSENT_LOWAT`.
//! Deviations: the 5 ms are those of all three buffers together, and never less than two segments. On
//! a machine so busy that we wake too late for that, and TCP runs dry meanwhile, they are more: or we
//! would measure ourselves.

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

/// How long what is not sent may wait to be.
const WAIT_S: f64 = 0.005;

/// How often it is asked how fast we are: often enough for a start that doubles each round trip.
const LOOK: Span = Span::from_millis(50);

/// Of a machine that is very late: 320 ms.
const MOST_PATIENT: f64 = 64.0;

/// With 9 bytes of HTTP/2 and 22 of TLS it fills a segment with time stamps (1448 bytes).
const LEAST_PIECE: usize = 1417;

/// The payload of the largest frame that every peer takes, in a single record of TLS.
const LARGEST_PIECE: usize = 16_384 - 9;

/// TLS 1.3 adds to each record a header, a type and a tag: RFC 8446 section 5.2.
const RECORD_BYTES: u64 = 5 + 1 + 16;

/// What the layers of one connection know of each other.
#[derive(Debug)]
pub(crate) struct Outlet {
    /// Bytes that TLS has taken, and records.
    accepted: AtomicU64,
    records: AtomicU64,
    /// Those of them that were in the socket when all were.
    flushed: AtomicU64,
    /// Those of them that are payload of load.
    payload: AtomicU64,
    received: AtomicU64,
    /// Requests that move load now.
    loads: AtomicUsize,
    /// How large the next piece of data should be.
    piece: AtomicUsize,
    waiting: Mutex<Vec<Waker>>,
}

impl Outlet {
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

    /// A piece of load is made: how large it should be, and the ticket by which
    /// [`left`](Self::left) knows it.
    pub(crate) fn piece(&self) -> (usize, u64) {
        let piece = self.piece.load(Ordering::Relaxed);
        self.payload.fetch_add(piece as u64, Ordering::Relaxed);
        (piece, self.accepted.load(Ordering::Acquire) + piece as u64)
    }

    /// Has the piece with this ticket left for the socket? If not, wakes when it has.
    pub(crate) fn left(&self, ticket: u64, context: &Context<'_>) -> Poll<()> {
        let left = || self.flushed.load(Ordering::Acquire) >= ticket;
        if left() {
            return Poll::Ready(());
        }
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if !waiting.iter().any(|waker| waker.will_wake(context.waker())) {
            waiting.push(context.waker().clone());
        }
        // It may have left before we were on the list.
        if left() { Poll::Ready(()) } else { Poll::Pending }
    }

    /// Load begins to move on this connection, until the guard is dropped.
    pub(crate) fn load(self: Arc<Self>) -> Loading {
        self.loads.fetch_add(1, Ordering::Relaxed);
        Loading(self)
    }

    /// Is there load, however slow?
    pub(crate) fn is_loaded(&self) -> bool {
        self.loads.load(Ordering::Relaxed) > 0
    }

    /// Bytes that came and went, to see whether anything moves.
    pub(crate) fn moved(&self) -> u64 {
        self.received.load(Ordering::Relaxed) + self.accepted.load(Ordering::Relaxed)
    }

    /// Of so many bytes on the wire, those that are payload of load.
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

    /// All that was accepted is in the socket.
    fn empty(&self) {
        let accepted = self.accepted.load(Ordering::Acquire);
        if self.flushed.swap(accepted, Ordering::AcqRel) != accepted {
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            waiting.drain(..).for_each(Waker::wake);
        }
    }
}

/// A request that moves load.
#[derive(Debug)]
pub(crate) struct Loading(Arc<Outlet>);

impl Deref for Loading {
    type Target = Outlet;

    fn deref(&self) -> &Outlet {
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
    outlet: Arc<Outlet>,
    clock: Clock,
    /// What had been flushed when.
    seen: (Time, u64),
    /// So many times longer than [`WAIT_S`], since we wake late.
    patience: f64,
}

impl ShallowStream {
    /// With what its load is to know.
    pub(crate) fn new(inner: TlsStream<TcpStream>) -> (Self, Arc<Outlet>) {
        let outlet = Arc::new(Outlet::new());
        let stream = Self {
            inner,
            outlet: outlet.clone(),
            clock: Clock::start(),
            seen: (Time::ZERO, 0),
            patience: 1.0,
        };
        (stream, outlet)
    }

    /// TLS gives all that it holds to the socket.
    fn drain(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.inner).poll_flush(context))?;
        self.outlet.empty();
        Poll::Ready(Ok(()))
    }

    /// The same before more is written: a moment at which nothing waits but in the socket.
    fn make_room(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.drain(context))?;
        let (now, flushed) = (self.clock.now(), self.outlet.flushed.load(Ordering::Relaxed));
        let (before, sent) = self.seen;
        let span = now.since(before);
        if span >= LOOK {
            self.seen = (now, flushed);
            self.adapt((flushed - sent) as f64 / span.as_secs_f64());
        }
        Poll::Ready(Ok(()))
    }

    /// Half of what may wait is in the socket, a piece may come on top of that, and one waits in TLS.
    fn adapt(&mut self, bytes_per_second: f64) {
        let socket = self.inner.get_ref().0;
        let is_dry = tcp_info(socket).is_ok_and(|tcp| tcp.unsent == 0 && tcp.in_flight < tcp.cwnd);
        let patience = if is_dry { self.patience * 2.0 } else { self.patience / 2.0 };
        self.patience = patience.clamp(1.0, MOST_PATIENT);
        let quarter = (bytes_per_second * WAIT_S * self.patience / 4.0) as usize;
        let piece = quarter.clamp(LEAST_PIECE, LARGEST_PIECE);
        self.outlet.piece.store(piece, Ordering::Relaxed);
        limit_unsent(socket, (2 * quarter).max(LEAST_PIECE));
    }
}

/// Without it, it is only less exact.
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
        self.outlet.received.fetch_add(read as u64, Ordering::Relaxed);
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
        self.outlet.accept(written);
        Poll::Ready(Ok(written))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        ready!(self.make_room(context))?;
        let written = ready!(Pin::new(&mut self.inner).poll_write_vectored(context, slices))?;
        self.outlet.accept(written);
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
        let outlet = Outlet::new();
        let context = Context::from_waker(Waker::noop());
        let (bytes, ticket) = outlet.piece();
        assert_eq!(outlet.left(ticket, &context), Poll::Pending);
        outlet.accept(bytes + 9);
        assert_eq!(outlet.left(ticket, &context), Poll::Pending, "it is in TLS only");
        outlet.empty();
        assert_eq!(outlet.left(ticket, &context), Poll::Ready(()));
    }

    #[test]
    fn framing_is_no_payload() {
        let outlet = Outlet::new();
        assert_eq!(outlet.payload_of(1000), 0);
        for _ in 0..100 {
            let (bytes, _) = outlet.piece();
            outlet.accept(bytes + 9);
        }
        assert_eq!(outlet.payload_of(1448 * 10), 1417 * 10);
    }
}
