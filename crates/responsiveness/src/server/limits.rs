//! Limits on what clients can make a server do.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use admission::{Admission, Places, Ticket};
use tokio::sync::oneshot;
use units::Rate;

/// The limits of a server over all clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most connections at once: 2048, which networks (of IPv4: /24, of IPv6: /48) share
    /// fairly. Each costs a TLS handshake, and its headers.
    pub connections: usize,
    /// The most connections at once of one address, or of one IPv6 network of 64 bits: 512. A test
    /// needs 16, and as many probes as are sent in one loaded round trip; some clients leave each
    /// open.
    pub connections_of_one: usize,
    /// The longest duration of a connection: 5 min. The longest stage of a test has half of that.
    pub lifetime: Duration,
    /// The longest inactivity of a connection without load, and the longest time for handshake and
    /// headers: 15 s.
    pub patience: Duration,
    /// The longest inactivity of a connection with load: 60 s. A segment that is lost repeatedly is
    /// sent after 1, 2, 4 and more seconds; RFC 6298 section 2.5 allows no upper limit below 60 s.
    pub standstill: Duration,
    /// The longest inactivity of a connection that has been answered and carries no load: 3 s.
    pub idle: Duration,
    /// The total rate over both directions. `None` for no limit.
    pub rate: Option<Rate>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 2048,
            connections_of_one: 512,
            lifetime: Duration::from_mins(5),
            patience: Duration::from_secs(15),
            standstill: Duration::from_secs(60),
            idle: Duration::from_secs(3),
            rate: None,
        }
    }
}

/// The open connections. Networks share the available places.
#[derive(Debug)]
pub(crate) struct Guests {
    limits: Limits,
    /// The places; dropping a sender evicts its connection.
    connected: Mutex<Places<oneshot::Sender<()>>>,
}

/// A connection that is counted until it is dropped.
#[derive(Debug)]
pub(crate) struct Guest {
    guests: Arc<Guests>,
    ticket: Ticket,
    evicted: oneshot::Receiver<()>,
}

impl Guests {
    /// The state without any connection.
    pub(crate) fn new(limits: Limits) -> Arc<Self> {
        Arc::new(Self { limits, connected: Mutex::new(Places::new(limits.connections)) })
    }

    /// Admits a connection from this address; `None` if there are too many. If all places are
    /// taken, a connection of a network with more than its share is evicted.
    pub(crate) fn admit(self: &Arc<Self>, address: IpAddr) -> Option<Guest> {
        let mut connected = self.connected.lock().unwrap_or_else(PoisonError::into_inner);
        if connected.of_client(address) >= self.limits.connections_of_one {
            return None;
        }
        let (sender, evicted) = oneshot::channel();
        // The latest connection is evicted: a long measurement is worth more.
        match connected.enter(address, sender, |_| ()) {
            Admission::Free(ticket) | Admission::InPlaceOf(ticket, _) => {
                Some(Guest { guests: self.clone(), ticket, evicted })
            }
            Admission::Full => None,
        }
    }
}

impl Guest {
    /// Returns when another connection has taken this connection's place.
    pub(crate) async fn evicted(&mut self) {
        let _ = (&mut self.evicted).await;
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        let mut connected = self.guests.connected.lock().unwrap_or_else(PoisonError::into_inner);
        connected.leave(self.ticket);
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot::error::TryRecvError;

    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn each_has_a_share() {
        let limits = Limits { connections: 3, connections_of_one: 2, ..Limits::default() };
        let guests = Guests::new(limits);
        let one = [guests.admit(address("192.0.2.1")), guests.admit(address("::ffff:192.0.2.1"))];
        assert!(one.iter().all(Option::is_some));
        assert!(guests.admit(address("192.0.2.1")).is_none(), "two are his");
        let other = guests.admit(address("2001:db8::1"));
        assert!(other.is_some());
        assert!(guests.admit(address("2001:db8::2")).is_none(), "three are all");
        let mut newcomer =
            guests.admit(address("198.51.100.1")).expect("a network without a place");
        let [kept, lost] = one.map(|guest| guest.expect("admitted").evicted.try_recv());
        assert_eq!((kept, lost), (Err(TryRecvError::Empty), Err(TryRecvError::Closed)));
        assert_eq!(newcomer.evicted.try_recv(), Err(TryRecvError::Empty));
    }
}
