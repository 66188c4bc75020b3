//! The content of a request or an answer: none, a small text, or endless load.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use tokio::time::Sleep;

use crate::notsent_limit::{Loading, NotsentLimit};
use crate::throttle::Throttle;

/// The bytes of load. They cannot be compressed on the way, since TLS hides them.
static LOAD: [u8; 1 << 14] = [0; 1 << 14];

/// The content of a message.
pub(crate) enum Content {
    /// Bytes of a whole content; `None` once they are taken.
    Whole(Option<Bytes>),
    /// Load, piece by piece, until the receiver has enough.
    Endless(Endless),
}

/// Load on one stream of HTTP/2.
pub(crate) struct Endless {
    limit: Loading,
    /// The ticket of the previous piece.
    ticket: u64,
    throttle: Option<Arc<Throttle>>,
    pause: Option<Pin<Box<Sleep>>>,
}

impl Content {
    /// Empty content.
    pub(crate) fn none() -> Self {
        Self::Whole(None)
    }

    /// Content of these bytes.
    pub(crate) fn whole(bytes: impl Into<Bytes>) -> Self {
        Self::Whole(Some(bytes.into()))
    }

    /// Endless load that leaves through `limit`, no faster than `throttle` allows.
    pub(crate) fn endless(limit: Arc<NotsentLimit>, throttle: Option<Arc<Throttle>>) -> Self {
        Self::Endless(Endless { limit: limit.load(), ticket: 0, throttle, pause: None })
    }
}

impl Body for Content {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let bytes = match &mut *self {
            Self::Whole(bytes) => bytes.take(),
            Self::Endless(load) => Some(ready!(load.piece(context))),
        };
        Poll::Ready(bytes.map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Whole(None))
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, Bytes::len) as u64),
            Self::Endless(_) => SizeHint::default(),
        }
    }
}

impl Endless {
    fn piece(&mut self, context: &mut Context<'_>) -> Poll<Bytes> {
        if let Some(pause) = &mut self.pause {
            ready!(pause.as_mut().poll(context));
            self.pause = None;
        }
        ready!(self.limit.left(self.ticket, context));
        let (bytes, ticket) = self.limit.piece();
        self.ticket = ticket;
        let pause = self.throttle.as_ref().map(|throttle| throttle.take(bytes as u64));
        // This piece may leave now; the next one waits for the time that this one takes.
        self.pause = pause.map(|pause| Box::pin(tokio::time::sleep(pause)));
        Poll::Ready(Bytes::from_static(&LOAD[..bytes]))
    }
}
