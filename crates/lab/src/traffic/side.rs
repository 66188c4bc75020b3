//! One end of a TCP connection: its socket, and the application's pending requests.

use std::io;

use rustix::event::epoll::EventFlags;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, Shutdown, recv, send, shutdown};

use super::open::Stream;
use super::worker::Poll;

/// The data of all writes, and the most bytes of one.
static ZEROS: [u8; 256 << 10] = [0; 256 << 10];

/// One end of a connection, as the application uses it.
#[derive(Default)]
pub(super) struct Side {
    /// The socket; `None` before the connection is accepted, and once it is over.
    stream: Option<Stream>,
    is_connected: bool,
    /// The bytes that the application has written and TCP has not taken yet.
    owed: u64,
    /// True if the application writes no more.
    has_closed: bool,
    /// True if the socket is shut down after the last byte.
    is_shut: bool,
    /// True if the end of the peer's data has been read.
    is_read: bool,
    /// The events for which the socket is registered.
    watched: EventFlags,
}

/// The result of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    Bytes(u64),
    Nothing,
    /// The peer has closed.
    End,
    /// The connection broke.
    Broken,
}

impl Side {
    /// Takes the socket, which is connected or about to be, and registers it under `number`.
    pub(super) fn begin(
        &mut self,
        stream: Stream,
        is_connected: bool,
        number: u32,
        poll: &Poll<'_>,
    ) -> io::Result<()> {
        self.is_connected = is_connected;
        self.watched = self.wanted();
        poll.add(&stream, number, self.watched)?;
        self.stream = Some(stream);
        Ok(())
    }

    /// The socket; `None` before the connection is accepted, and once it is over.
    pub(super) fn stream(&self) -> Option<&Stream> {
        self.stream.as_ref()
    }

    /// Notes that the socket is ready. Returns true if the connection is now made.
    pub(super) fn connects(&mut self) -> bool {
        !std::mem::replace(&mut self.is_connected, true)
    }

    /// Appends data that the application writes; without effect once it has closed.
    pub(super) fn write(&mut self, bytes: u64) {
        if !self.has_closed {
            self.owed = self.owed.saturating_add(bytes);
        }
    }

    /// Closes this end after the data written.
    pub(super) fn close(&mut self) {
        if self.owed == u64::MAX {
            self.owed = 0;
        }
        self.has_closed = true;
    }

    /// Closes this end after the data that TCP has taken.
    pub(super) fn abandon(&mut self) {
        self.owed = 0;
        self.has_closed = true;
    }

    /// Takes the data that has been received, as much as would fit into `scratch`, and throws it
    /// away.
    pub(super) fn read(&mut self, scratch: &mut [u8]) -> Taken {
        let Some(stream) = self.stream.as_ref().filter(|_| !self.is_read) else {
            return Taken::Nothing;
        };
        // With MSG_TRUNC, TCP drops the bytes instead of copying them: tcp(7).
        match recv(stream, scratch, RecvFlags::TRUNC) {
            Ok((_, 0)) => {
                self.is_read = true;
                Taken::End
            }
            Ok((_, bytes)) => Taken::Bytes(bytes as u64),
            Err(Errno::AGAIN | Errno::INTR) => Taken::Nothing,
            Err(_) => Taken::Broken,
        }
    }

    /// Gives TCP as many of the written bytes as it takes now, shuts the socket down after the last
    /// one, and registers for the events that this end waits for. Returns false if the connection
    /// broke.
    pub(super) fn go_on(&mut self, number: u32, poll: &Poll<'_>) -> io::Result<bool> {
        let Some(stream) = self.stream.as_ref().filter(|_| self.is_connected) else {
            return Ok(true);
        };
        if self.owed > 0 {
            let bytes = self.owed.min(ZEROS.len() as u64) as usize;
            match send(stream, &ZEROS[..bytes], SendFlags::NOSIGNAL) {
                Ok(taken) => self.owed -= taken as u64,
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(_) => return Ok(false),
            }
        }
        if self.has_closed && self.owed == 0 && !self.is_shut {
            self.is_shut = true;
            // Fails only if the connection is gone already.
            let _ = shutdown(stream, Shutdown::Write);
        }
        let wanted = self.wanted();
        if wanted != self.watched {
            poll.modify(stream, number, wanted)?;
            self.watched = wanted;
        }
        Ok(true)
    }

    /// True if both directions have ended.
    pub(super) fn is_over(&self) -> bool {
        self.is_shut && self.is_read
    }

    /// Takes the socket away; `None` if it has been taken.
    pub(super) fn take(&mut self) -> Option<Stream> {
        self.stream.take()
    }

    /// The events to wait for: data, until its end, and room, while there is something to write.
    fn wanted(&self) -> EventFlags {
        let mut wanted = EventFlags::empty();
        wanted.set(EventFlags::IN, !self.is_read);
        wanted.set(EventFlags::OUT, !self.is_connected || self.owed > 0);
        wanted
    }
}
