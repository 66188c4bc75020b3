//! Bodies of responses: a text, or a number of filler bytes.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::body::{Body, Bytes, Frame, SizeHint};

/// The piece of which downloads consist.
static PIECE: [u8; 64 << 10] = [b'.'; 64 << 10];

/// A piece, repeated until there are enough bytes.
#[derive(Clone, Debug)]
pub(crate) struct Content {
    piece: Bytes,
    /// The number of bytes that are still to come.
    left: u64,
}

impl Content {
    /// The body with this text.
    pub(crate) fn text(text: impl Into<Bytes>) -> Self {
        let piece = text.into();
        Self { left: piece.len() as u64, piece }
    }

    /// The body of this number of filler bytes.
    pub(crate) fn bytes(size: u64) -> Self {
        Self { piece: Bytes::from_static(&PIECE), left: size }
    }

    /// The length in bytes.
    pub(crate) fn len(&self) -> u64 {
        self.left
    }
}

impl Body for Content {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.left == 0 {
            return Poll::Ready(None);
        }
        let length = self.left.min(self.piece.len() as u64);
        self.left -= length;
        Poll::Ready(Some(Ok(Frame::data(self.piece.slice(..length as usize)))))
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}
