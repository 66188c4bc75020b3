//! Limits on connections: on those of one address, and on those that have not sent a request.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use admission::{Admission, ClientPrefix, Places, Ticket};
use tokio::sync::oneshot;

use super::bounds::Bounds;
use super::lock;

/// The connections, counted by address.
pub(super) struct Connections {
    per_address: u32,
    guests: Mutex<Guests>,
}

struct Guests {
    /// Connections that have not sent a request. Dropping a sender evicts its connection.
    waiting: Places<oneshot::Sender<()>>,
    connections: HashMap<ClientPrefix, u32>,
}

/// A connection's place, which is free again when the permit is dropped.
pub(super) struct Permit {
    connections: Arc<Connections>,
    ticket: Ticket,
    client: ClientPrefix,
    evicted: oneshot::Receiver<()>,
}

impl Connections {
    pub(super) fn new(bounds: &Bounds) -> Arc<Self> {
        let waiting = Places::new(bounds.waiting.max(1) as usize);
        let guests = Guests { waiting, connections: HashMap::new() };
        Arc::new(Self { per_address: bounds.per_address, guests: Mutex::new(guests) })
    }

    /// The place of a new connection; `None` if its address has as many connections as it may have.
    /// If too many wait, the one that has waited longest in the network with the most of them is
    /// evicted.
    pub(super) fn enter(self: &Arc<Self>, address: IpAddr) -> Option<Permit> {
        let client = ClientPrefix::from(address);
        let mut guests = lock(&self.guests);
        let connections = guests.connections.entry(client).or_default();
        if *connections >= self.per_address {
            return None;
        }
        *connections += 1;
        let (sender, evicted) = oneshot::channel();
        match guests.waiting.push(address, sender) {
            Admission::Free(ticket) | Admission::InPlaceOf(ticket, _) => {
                Some(Permit { connections: Arc::clone(self), ticket, client, evicted })
            }
            // There is at least one place, and [`Places::push`] always gives one.
            Admission::Full => None,
        }
    }
}

impl Permit {
    /// Waits until this connection must make room for another.
    pub(super) async fn evicted(&mut self) {
        let _ = (&mut self.evicted).await;
    }

    /// Notes that the connection now belongs to a test, whose bounds apply.
    pub(super) fn served(&mut self) {
        lock(&self.connections.guests).waiting.leave(self.ticket);
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut guests = lock(&self.connections.guests);
        guests.waiting.leave(self.ticket);
        if let Some(connections) = guests.connections.get_mut(&self.client) {
            *connections -= 1;
            if *connections == 0 {
                guests.connections.remove(&self.client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connections(waiting: u32, per_address: u32) -> Arc<Connections> {
        Connections::new(&Bounds { waiting, per_address, ..Bounds::default() })
    }

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn an_address_has_so_many_connections() {
        let connections = connections(10, 2);
        let one = connections.enter(address("192.0.2.1")).unwrap();
        let mut other = connections.enter(address("::ffff:192.0.2.1")).unwrap();
        other.served();
        assert!(connections.enter(address("192.0.2.1")).is_none());
        assert!(connections.enter(address("192.0.2.2")).is_some());
        drop(one);
        assert!(connections.enter(address("192.0.2.1")).is_some());
        drop(other);
        assert!(lock(&connections.guests).connections.is_empty());
    }

    #[test]
    fn a_customer_with_many_addresses_is_one() {
        let connections = connections(10, 1);
        let _one = connections.enter(address("2001:db8::1")).unwrap();
        assert!(connections.enter(address("2001:db8::ffff:2")).is_none());
        assert!(connections.enter(address("2001:db8:0:1::1")).is_some());
    }

    #[test]
    fn who_has_waited_longest_makes_room() {
        let connections = connections(2, 10);
        let mut seats: Vec<_> =
            (0..3).map(|n| connections.enter([192, 0, 2, n].into()).unwrap()).collect();
        assert!(
            seats[0].evicted.try_recv().is_err_and(|e| e == oneshot::error::TryRecvError::Closed)
        );
        assert!(
            seats[1].evicted.try_recv().is_err_and(|e| e == oneshot::error::TryRecvError::Empty)
        );
        seats[1].served();
        let _fourth = connections.enter([192, 0, 2, 4].into()).unwrap();
        assert!(
            seats[2].evicted.try_recv().is_err_and(|e| e == oneshot::error::TryRecvError::Empty)
        );
    }
}
