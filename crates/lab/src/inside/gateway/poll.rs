//! What the gateway waits for.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::io::Errno;
use rustix::time::Timespec;

/// Who has something to tell. The number is that of its slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A door has been opened, or all is over.
    Bell,
    /// Somebody knocks.
    Door(usize),
    /// A spliced connection, towards the command.
    Inside(usize),
    /// A spliced connection, towards the world.
    Outside(usize),
    /// Datagrams from the world.
    Datagrams(usize),
}

impl Token {
    fn data(self) -> EventData {
        let (kind, slot) = match self {
            Self::Bell => (0, 0),
            Self::Door(slot) => (1, slot),
            Self::Inside(slot) => (2, slot),
            Self::Outside(slot) => (3, slot),
            Self::Datagrams(slot) => (4, slot),
        };
        EventData::new_u64((slot as u64) << 3 | kind)
    }

    fn of(data: EventData) -> Self {
        let slot = (data.u64() >> 3) as usize;
        match data.u64() & 7 {
            0 => Self::Bell,
            1 => Self::Door(slot),
            2 => Self::Inside(slot),
            3 => Self::Outside(slot),
            _ => Self::Datagrams(slot),
        }
    }
}

/// Descriptors that are waited for, level-triggered.
#[derive(Debug)]
pub(super) struct Poll {
    epoll: OwnedFd,
}

impl Poll {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self { epoll: epoll::create(CreateFlags::CLOEXEC)? })
    }

    /// One that can wait for nothing.
    #[cfg(test)]
    pub(super) fn broken() -> Self {
        Self { epoll: std::fs::File::open("/dev/null").unwrap().into() }
    }

    pub(super) fn add(&self, fd: impl AsFd, token: Token, flags: EventFlags) -> io::Result<()> {
        Ok(epoll::add(&self.epoll, fd, token.data(), flags)?)
    }

    pub(super) fn modify(&self, fd: impl AsFd, token: Token, flags: EventFlags) -> io::Result<()> {
        Ok(epoll::modify(&self.epoll, fd, token.data(), flags)?)
    }

    pub(super) fn delete(&self, fd: impl AsFd) -> io::Result<()> {
        Ok(epoll::delete(&self.epoll, fd)?)
    }

    /// Waits, for a while at most.
    pub(super) fn wait(&self, span: Duration) -> io::Result<Vec<(Token, EventFlags)>> {
        let span = Timespec { tv_sec: span.as_secs() as i64, tv_nsec: span.subsec_nanos().into() };
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
