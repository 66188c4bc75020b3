//! The places for connections. Where all are taken, the connection that has been idle or stalled longest
//! makes room for a new one: so nobody can keep others out by connections that do nothing.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::task::AbortHandle;

/// The connections that have a place.
pub(crate) struct Places {
    most: usize,
    /// The number of the last event of any connection.
    events: Arc<AtomicU64>,
    taken: Vec<(Progress, AbortHandle)>,
}

/// The last event of a connection, by number: the least is the longest ago.
#[derive(Clone)]
pub(crate) struct Progress {
    events: Arc<AtomicU64>,
    last: Arc<AtomicU64>,
}

impl Places {
    /// So many places, all of them free.
    pub(crate) fn new(most: usize) -> Self {
        Self { most, events: Arc::default(), taken: Vec::new() }
    }

    /// The progress of a new connection.
    pub(crate) fn progress(&self) -> Progress {
        let progress = Progress { events: self.events.clone(), last: Arc::default() };
        progress.made();
        progress
    }

    /// Gives a place to a connection that this task serves.
    pub(crate) fn give(&mut self, progress: Progress, task: AbortHandle) {
        self.taken.retain(|(_, task)| !task.is_finished());
        if self.taken.len() >= self.most {
            let idle = self.taken.iter().enumerate().min_by_key(|(_, (it, _))| it.last());
            if let Some((idle, _)) = idle {
                self.taken.swap_remove(idle).1.abort();
            }
        }
        self.taken.push((progress, task));
    }
}

impl Progress {
    /// The number of the last event.
    pub(crate) fn last(&self) -> u64 {
        self.last.load(Ordering::Relaxed)
    }

    fn made(&self) {
        self.last.store(self.events.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
    }

    /// Notes progress if bytes have passed.
    fn note(&self, done: &Poll<io::Result<usize>>) {
        if matches!(done, Poll::Ready(Ok(1..))) {
            self.made();
        }
    }
}

/// A connection whose progress is noted.
pub(crate) struct Noted {
    stream: TcpStream,
    progress: Progress,
}

impl Noted {
    pub(crate) const fn new(stream: TcpStream, progress: Progress) -> Self {
        Self { stream, progress }
    }
}

impl AsyncRead for Noted {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let done = Pin::new(&mut self.stream).poll_read(context, buffer);
        let done = done.map_ok(|()| buffer.filled().len() - before);
        self.progress.note(&done);
        done.map_ok(|_| ())
    }
}

impl AsyncWrite for Noted {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let done = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.progress.note(&done);
        done
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let done = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.progress.note(&done);
        done
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
