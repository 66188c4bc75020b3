//! What strangers can make a server do.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use admission::{Entry, Places, Ticket};
use tokio::sync::oneshot;
use units::Rate;

/// What a server does at most, whoever asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Connections at once: 2048, which networks (of IPv4: /24, of IPv6: /48) share fairly. Each costs a handshake of TLS, and its headers.
    pub connections: usize,
    /// Connections at once of one address, of IPv6 of one network of 64 bits: 512. A test needs 16,
    /// and as many probes as are sent in one loaded round trip; some clients leave each open.
    pub connections_of_one: usize,
    /// How long a connection may last: 5 min. The longest stage of a test has half of that.
    pub lifetime: Duration,
    /// How long nothing may move on a connection without load, and how long handshake and headers may
    /// take: 15 s.
    pub patience: Duration,
    /// How long nothing may move on a connection with load: 60 s. A segment that is lost again and
    /// again is sent after 1, 2, 4 and more seconds; RFC 6298 section 2.5 has no less than 60 s as the
    /// longest.
    pub standstill: Duration,
    /// The same once a connection has been answered, and moves no load: 3 s.
    pub idle: Duration,
    /// What is sent and taken in all directions together; as fast as it goes, if not given.
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

/// Who is connected. Networks share what there is.
#[derive(Debug)]
pub(crate) struct Guests {
    limits: Limits,
    /// Dropped, the sender calls them.
    connected: Mutex<Places<oneshot::Sender<()>>>,
}

/// A connection that is counted until this is dropped.
#[derive(Debug)]
pub(crate) struct Guest {
    guests: Arc<Guests>,
    ticket: Ticket,
    shown_out: oneshot::Receiver<()>,
}

impl Guests {
    /// Nobody yet.
    pub(crate) fn new(limits: Limits) -> Arc<Self> {
        Arc::new(Self { limits, connected: Mutex::new(Places::new(limits.connections)) })
    }

    /// Somebody from this address comes: nothing if that is too many. If all places are taken, somebody
    /// whose network has more than its share loses one.
    pub(crate) fn admit(self: &Arc<Self>, address: IpAddr) -> Option<Guest> {
        let mut connected = self.connected.lock().unwrap_or_else(PoisonError::into_inner);
        if connected.of_party(address) >= self.limits.connections_of_one {
            return None;
        }
        let (sender, shown_out) = oneshot::channel();
        // The latest goes: what has been measured for long is worth more.
        match connected.enter(address, sender, |_| ()) {
            Entry::Free(ticket) | Entry::InPlaceOf(ticket, _) => {
                Some(Guest { guests: self.clone(), ticket, shown_out })
            }
            Entry::Full => None,
        }
    }
}

impl Guest {
    /// Waits until the place is somebody else's.
    pub(crate) async fn shown_out(&mut self) {
        let _ = (&mut self.shown_out).await;
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
        let [kept, lost] = one.map(|guest| guest.expect("admitted").shown_out.try_recv());
        assert_eq!((kept, lost), (Err(TryRecvError::Empty), Err(TryRecvError::Closed)));
        assert_eq!(newcomer.shown_out.try_recv(), Err(TryRecvError::Empty));
    }
}
