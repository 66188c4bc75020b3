//! The listening sockets of the namespace.

use std::net::{TcpListener, UdpSocket};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use indexmap::IndexMap;
use rustix::event::epoll::EventFlags;

use crate::ingress::Destination;
use crate::poll::{Poll, Token};
use crate::slots::Slots;

/// The listening sockets by number, and by destination.
#[derive(Debug)]
pub(crate) struct Listeners {
    listeners: Slots<Listener>,
    by_destination: IndexMap<Destination, usize>,
}

#[derive(Debug)]
struct Listener {
    destination: Destination,
    socket: Socket,
    /// True if the gateway waits for events at the socket.
    watched: bool,
}

#[derive(Debug)]
pub(crate) enum Socket {
    Listening(TcpListener),
    Bound(UdpSocket),
}

impl Listeners {
    pub(crate) fn new() -> Self {
        Self { listeners: Slots::new(), by_destination: IndexMap::new() }
    }

    /// Watches the socket of this destination from now on.
    pub(crate) fn open(&mut self, destination: Destination, socket: OwnedFd, poll: &Poll) {
        let socket = match destination.is_udp {
            true => Socket::Bound(socket.into()),
            false => Socket::Listening(socket.into()),
        };
        let slot = self.listeners.insert(Listener { destination, socket, watched: false });
        self.by_destination.insert(destination, slot);
        self.watch(slot, poll);
    }

    /// The number of this destination's socket; `None` if it has none.
    pub(crate) fn find(&self, destination: Destination) -> Option<usize> {
        self.by_destination.get(&destination).copied()
    }

    pub(crate) fn at(&mut self, slot: usize) -> Option<(Destination, &Socket)> {
        self.listeners.at(slot).map(|listener| (listener.destination, &listener.socket))
    }

    pub(crate) fn close(&mut self, slot: usize) {
        if let Some(listener) = self.listeners.remove(slot) {
            self.by_destination.swap_remove(&listener.destination);
        }
    }

    /// Stops watching a socket until [`resume`](Self::resume), because resources are short.
    pub(crate) fn pause(&mut self, slot: usize, poll: &Poll) {
        if let Some(listener) = self.listeners.at(slot)
            && poll.delete(&listener.socket).is_ok()
        {
            listener.watched = false;
        }
    }

    /// Tries again to watch the sockets that are paused.
    pub(crate) fn resume(&mut self, poll: &Poll) {
        let paused = |(slot, listener): (usize, &Listener)| (!listener.watched).then_some(slot);
        let paused: Vec<_> = self.listeners.iter().filter_map(paused).collect();
        paused.into_iter().for_each(|slot| self.watch(slot, poll));
    }

    /// Frees the numbers of closed sockets: no event for them is pending any more.
    pub(crate) fn settle(&mut self) {
        self.listeners.settle();
    }

    fn watch(&mut self, slot: usize, poll: &Poll) {
        if let Some(listener) = self.listeners.at(slot) {
            // If the kernel has no memory for the registration now, the socket stays paused.
            listener.watched =
                poll.add(&listener.socket, Token::Destination(slot), EventFlags::IN).is_ok();
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
    fn a_socket_that_rests_is_not_watched_until_it_is_roused() {
        let poll = Poll::new().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let destination = Destination { is_udp: false, address: listener.local_addr().unwrap() };
        let mut listeners = Listeners::new();
        listeners.open(destination, listener.into(), &poll);
        let slot = listeners.find(destination).unwrap();
        let _client = TcpStream::connect(destination.address).unwrap();
        listeners.pause(slot, &poll);
        assert_eq!(poll.wait(Duration::ZERO).unwrap(), []);
        for _ in 0..2 {
            listeners.resume(&poll);
            assert_eq!(poll.wait(Duration::from_secs(10)).unwrap()[0].0, Token::Destination(slot));
        }
        listeners.close(slot);
        assert_eq!(listeners.find(destination), None);
        assert_eq!(poll.wait(Duration::ZERO).unwrap(), []);
    }
}
