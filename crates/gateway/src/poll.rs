//! The events that the gateway waits for.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::io::Errno;
use rustix::time::Timespec;

/// The source of an event, with the number of its slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// The waker: a socket has been opened, or the run is over.
    Waker,
    /// A listening socket of the namespace.
    Destination(usize),
    /// A proxied connection, at the client's side.
    Inside(usize),
    /// A proxied connection, at the world's side.
    Outside(usize),
    /// The socket of a client's datagrams.
    Datagrams(usize),
}

impl Token {
    fn data(self) -> EventData {
        let (kind, slot) = match self {
            Self::Waker => (0, 0),
            Self::Destination(slot) => (1, slot),
            Self::Inside(slot) => (2, slot),
            Self::Outside(slot) => (3, slot),
            Self::Datagrams(slot) => (4, slot),
        };
        EventData::new_u64((slot as u64) << 3 | kind)
    }

    fn of(data: EventData) -> Self {
        let slot = (data.u64() >> 3) as usize;
        match data.u64() & 7 {
            0 => Self::Waker,
            1 => Self::Destination(slot),
            2 => Self::Inside(slot),
            3 => Self::Outside(slot),
            _ => Self::Datagrams(slot),
        }
    }
}

/// The descriptors that the gateway waits for, level-triggered.
#[derive(Debug)]
pub(crate) struct Poll {
    epoll: OwnedFd,
}

impl Poll {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self { epoll: epoll::create(CreateFlags::CLOEXEC)? })
    }

    /// A poll whose calls all fail.
    #[cfg(test)]
    pub(crate) fn broken() -> Self {
        Self { epoll: std::fs::File::open("/dev/null").unwrap().into() }
    }

    pub(crate) fn add(&self, fd: impl AsFd, token: Token, flags: EventFlags) -> io::Result<()> {
        Ok(epoll::add(&self.epoll, fd, token.data(), flags)?)
    }

    pub(crate) fn modify(&self, fd: impl AsFd, token: Token, flags: EventFlags) -> io::Result<()> {
        Ok(epoll::modify(&self.epoll, fd, token.data(), flags)?)
    }

    pub(crate) fn delete(&self, fd: impl AsFd) -> io::Result<()> {
        Ok(epoll::delete(&self.epoll, fd)?)
    }

    /// Waits for events for at most this time.
    pub(crate) fn wait(&self, span: Duration) -> io::Result<Vec<(Token, EventFlags)>> {
        let span = Timespec { tv_sec: span.as_secs() as i64, tv_nsec: span.subsec_nanos() as _ };
        let mut events = [MaybeUninit::uninit(); 64];
        match epoll::wait(&self.epoll, &mut events, Some(&span)) {
            Ok((events, _)) => {
                Ok(events.iter().map(|event| (Token::of(event.data), event.flags)).collect())
            }
            Err(Errno::INTR) => Ok(Vec::new()),
            Err(error) => Err(error.into()),
        }
    }
}
