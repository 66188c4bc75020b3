//! The sockets of the doors, and who is let in.

use std::net::{TcpListener, UdpSocket};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use indexmap::IndexMap;
use rustix::event::epoll::EventFlags;

use super::poll::{Poll, Token};
use crate::inside::door::Door;
use crate::inside::slots::Slots;

/// Sockets by their number, and by their door.
#[derive(Debug)]
pub(super) struct Entrances {
    entrances: Slots<Entrance>,
    by_door: IndexMap<Door, usize>,
}

#[derive(Debug)]
struct Entrance {
    door: Door,
    socket: Socket,
    /// Is it waited for?
    watched: bool,
}

#[derive(Debug)]
pub(super) enum Socket {
    Listening(TcpListener),
    Bound(UdpSocket),
}

impl Entrances {
    pub(super) fn new() -> Self {
        Self { entrances: Slots::new(), by_door: IndexMap::new() }
    }

    /// Lets in whoever comes to this door.
    pub(super) fn open(&mut self, door: Door, socket: OwnedFd, poll: &Poll) {
        let socket = match door.is_udp {
            true => Socket::Bound(socket.into()),
            false => Socket::Listening(socket.into()),
        };
        let slot = self.entrances.insert(Entrance { door, socket, watched: false });
        self.by_door.insert(door, slot);
        self.watch(slot, poll);
    }

    /// Where this door is.
    pub(super) fn find(&self, door: Door) -> Option<usize> {
        self.by_door.get(&door).copied()
    }

    pub(super) fn at(&mut self, slot: usize) -> Option<(Door, &Socket)> {
        self.entrances.at(slot).map(|entrance| (entrance.door, &entrance.socket))
    }

    pub(super) fn close(&mut self, slot: usize) {
        if let Some(entrance) = self.entrances.remove(slot) {
            self.by_door.swap_remove(&entrance.door);
        }
    }

    /// Lets nobody in until [`rouse`](Self::rouse), because there is nothing to do it with.
    pub(super) fn rest(&mut self, slot: usize, poll: &Poll) {
        if let Some(entrance) = self.entrances.at(slot)
            && poll.delete(&entrance.socket).is_ok()
        {
            entrance.watched = false;
        }
    }

    /// Tries again where nobody is let in.
    pub(super) fn rouse(&mut self, poll: &Poll) {
        let resting = |(slot, entrance): (usize, &Entrance)| (!entrance.watched).then_some(slot);
        let resting: Vec<_> = self.entrances.iter().filter_map(resting).collect();
        resting.into_iter().for_each(|slot| self.watch(slot, poll));
    }

    /// No event is on its way any more.
    pub(super) fn settle(&mut self) {
        self.entrances.settle();
    }

    fn watch(&mut self, slot: usize, poll: &Poll) {
        if let Some(entrance) = self.entrances.at(slot) {
            // If the kernel has no memory for it now, it rests.
            entrance.watched =
                poll.add(&entrance.socket, Token::Door(slot), EventFlags::IN).is_ok();
        }
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Listening(socket) => socket.as_fd(),
            Self::Bound(socket) => socket.as_fd(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpStream;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_door_that_rests_is_not_heard_until_it_is_roused() {
        let poll = Poll::new().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let door = Door { is_udp: false, address: listener.local_addr().unwrap() };
        let mut entrances = Entrances::new();
        entrances.open(door, listener.into(), &poll);
        let slot = entrances.find(door).unwrap();
        let _client = TcpStream::connect(door.address).unwrap();
        entrances.rest(slot, &poll);
        assert_eq!(poll.wait(Duration::ZERO).unwrap(), []);
        for _ in 0..2 {
            entrances.rouse(&poll);
            assert_eq!(poll.wait(Duration::from_secs(10)).unwrap()[0].0, Token::Door(slot));
        }
        entrances.close(slot);
        assert_eq!(entrances.find(door), None);
        assert_eq!(poll.wait(Duration::ZERO).unwrap(), []);
    }
}
