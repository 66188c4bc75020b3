//! The sending end of one TCP connection: bulk, transfer and periodic traffic.

use std::io;
use std::net::SocketAddrV4;

use rustix::event::epoll::EventFlags;
use rustix::io::Errno;
use rustix::net::{SendFlags, Shutdown, connect, send, shutdown};
use units::Time;

use super::FlowOutcome;
use super::inspector::Inspector;
use super::open::Stream;
use super::work::Work;
use super::worker::{Party, Poll};

/// The data of all writes, and the most bytes of one.
pub(super) static ZEROS: [u8; 256 << 10] = [0; 256 << 10];

/// A connection and the application that writes to it.
pub(super) struct Source {
    /// The connection; `None` once it is over.
    stream: Option<Stream>,
    to: SocketAddrV4,
    start: Time,
    state: State,
    work: Work,
    inspector: Inspector,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Before the start.
    Idle,
    Connecting,
    /// Connected. `waiting` if TCP has not taken everything.
    Open {
        waiting: bool,
    },
    /// Everything is written, and the sending side is closed.
    Finished,
}

impl Source {
    pub(super) fn new(
        stream: Stream,
        to: SocketAddrV4,
        start: Time,
        work: Work,
        inspector: Inspector,
    ) -> Self {
        Self { stream: Some(stream), to, start, state: State::Idle, work, inspector }
    }

    fn connect(&mut self, poll: &mut Poll<'_>) -> io::Result<()> {
        let Some(stream) = &self.stream else { return Ok(()) };
        self.state = State::Connecting;
        match connect(stream, &self.to) {
            Ok(()) | Err(Errno::INPROGRESS) => poll.add(stream, 0, EventFlags::OUT),
            // The connection is refused at once: the flow gets nothing.
            Err(_) => {
                self.stream = None;
                Ok(())
            }
        }
    }

    /// Gives TCP the bytes that it takes now, and waits for room if some are left.
    fn write(&mut self, poll: &mut Poll<'_>) -> io::Result<()> {
        let (Some(stream), State::Open { waiting }) = (&self.stream, self.state) else {
            return Ok(());
        };
        if self.work.written > 0 {
            let bytes = self.work.written.min(ZEROS.len() as u64) as usize;
            match send(stream, &ZEROS[..bytes], SendFlags::NOSIGNAL) {
                Ok(taken) => self.work.written -= taken as u64,
                Err(Errno::AGAIN | Errno::INTR) => {}
                // The connection broke; the poll reports it.
                Err(_) => self.work.written = 0,
            }
        }
        let waits = self.work.written > 0;
        if self.work.is_finished() {
            self.state = State::Finished;
            // Fails only if the connection is gone already.
            let _ = shutdown(stream, Shutdown::Write);
        } else {
            self.state = State::Open { waiting: waits };
        }
        if waits != waiting {
            poll.modify(stream, 0, if waits { EventFlags::OUT } else { EventFlags::empty() })?;
        }
        Ok(())
    }
}

impl Party for Source {
    fn begin(&mut self, _: &mut Poll<'_>) -> io::Result<()> {
        // The socket is registered later: one that is not connected would be ready all the time.
        Ok(())
    }

    fn ready(&mut self, _: u32, flags: EventFlags, _: Time, poll: &mut Poll<'_>) -> io::Result<()> {
        if flags.intersects(EventFlags::ERR | EventFlags::HUP) {
            // Closed on both sides, refused or reset.
            if let Some(stream) = self.stream.take() {
                self.inspector.part(0, &stream);
                stream.close();
            }
            return Ok(());
        }
        if self.state == State::Connecting {
            self.state = State::Open { waiting: true };
        }
        self.write(poll)
    }

    fn wake(&mut self, now: Time, poll: &mut Poll<'_>) -> io::Result<()> {
        self.work.advance(now);
        if self.state == State::Idle && now >= self.start {
            return self.connect(poll);
        }
        self.write(poll)
    }

    fn next_wake(&self) -> Option<Time> {
        self.work.next_wake()
    }

    fn tick(&mut self) {
        if let Some(stream) = self.stream.as_ref().filter(|_| self.state != State::Idle) {
            self.inspector.ask(0, stream);
        }
        self.inspector.show();
    }

    fn reset(&mut self) {
        self.tick();
        self.inspector.reset();
    }

    fn outcome(&self, _: Time, _: Time) -> FlowOutcome {
        self.inspector.outcome()
    }
}
