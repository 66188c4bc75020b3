//! Who is connected: so many of one address, and so many who have not said what they want.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use admission::{Entry, Party, Places, Ticket};
use tokio::sync::oneshot;

use super::bounds::Bounds;
use super::lock;

/// Counts the connections.
pub(super) struct Lobby {
    per_address: u32,
    guests: Mutex<Guests>,
}

struct Guests {
    /// Who has not said what it wants. Dropped, the sender calls them.
    waiting: Places<oneshot::Sender<()>>,
    connections: HashMap<Party, u32>,
}

/// A connection's place. It is free again when this is dropped.
pub(super) struct Seat {
    lobby: Arc<Lobby>,
    ticket: Ticket,
    party: Party,
    shown_out: oneshot::Receiver<()>,
}

impl Lobby {
    pub(super) fn new(bounds: &Bounds) -> Arc<Self> {
        let waiting = Places::new(bounds.waiting.max(1) as usize);
        let guests = Guests { waiting, connections: HashMap::new() };
        Arc::new(Self { per_address: bounds.per_address, guests: Mutex::new(guests) })
    }

    /// Somebody connects. Nothing if its address has as many connections as it may; if too many
    /// wait, whoever has waited longest in the network with the most is shown out.
    pub(super) fn enter(self: &Arc<Self>, address: IpAddr) -> Option<Seat> {
        let party = Party::from(address);
        let mut guests = lock(&self.guests);
        let connections = guests.connections.entry(party).or_default();
        if *connections >= self.per_address {
            return None;
        }
        *connections += 1;
        let (sender, shown_out) = oneshot::channel();
        match guests.waiting.push(address, sender) {
            Entry::Free(ticket) | Entry::InPlaceOf(ticket, _) => {
                Some(Seat { lobby: Arc::clone(self), ticket, party, shown_out })
            }
            // There is at least one place, and whoever pushes gets one.
            Entry::Full => None,
        }
    }
}

impl Seat {
    /// Waits until we are to make room for others.
    pub(super) async fn shown_out(&mut self) {
        let _ = (&mut self.shown_out).await;
    }

    /// It belongs to a test now, which has bounds of its own.
    pub(super) fn served(&mut self) {
        lock(&self.lobby.guests).waiting.leave(self.ticket);
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut guests = lock(&self.lobby.guests);
        guests.waiting.leave(self.ticket);
        if let Some(connections) = guests.connections.get_mut(&self.party) {
            *connections -= 1;
            if *connections == 0 {
                guests.connections.remove(&self.party);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lobby(waiting: u32, per_address: u32) -> Arc<Lobby> {
        Lobby::new(&Bounds { waiting, per_address, ..Bounds::default() })
    }

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn an_address_has_so_many_connections() {
        let lobby = lobby(10, 2);
        let one = lobby.enter(address("192.0.2.1")).unwrap();
        let mut other = lobby.enter(address("::ffff:192.0.2.1")).unwrap();
        other.served();
        assert!(lobby.enter(address("192.0.2.1")).is_none());
        assert!(lobby.enter(address("192.0.2.2")).is_some());
        drop(one);
        assert!(lobby.enter(address("192.0.2.1")).is_some());
        drop(other);
        assert!(lock(&lobby.guests).connections.is_empty());
    }

    #[test]
    fn a_customer_with_many_addresses_is_one() {
        let lobby = lobby(10, 1);
        let _one = lobby.enter(address("2001:db8::1")).unwrap();
        assert!(lobby.enter(address("2001:db8::ffff:2")).is_none());
        assert!(lobby.enter(address("2001:db8:0:1::1")).is_some());
    }

    #[test]
    fn who_has_waited_longest_makes_room() {
        let lobby = lobby(2, 10);
        let mut seats: Vec<_> =
            (0..3).map(|n| lobby.enter([192, 0, 2, n].into()).unwrap()).collect();
        assert!(
            seats[0].shown_out.try_recv().is_err_and(|e| e == oneshot::error::TryRecvError::Closed)
        );
        assert!(
            seats[1].shown_out.try_recv().is_err_and(|e| e == oneshot::error::TryRecvError::Empty)
        );
        seats[1].served();
        let _fourth = lobby.enter([192, 0, 2, 4].into()).unwrap();
        assert!(
            seats[2].shown_out.try_recv().is_err_and(|e| e == oneshot::error::TryRecvError::Empty)
        );
    }
}
