//! What strangers can make a server do.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use units::Rate;

/// What a server does at most, whoever asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Connections at once: 2048. Each costs a handshake of TLS, and its headers.
    pub connections: usize,
    /// Connections at once of one address, of IPv6 of one network of 64 bits: 512. A test needs 16,
    /// and as many probes as are sent in one loaded round trip; some clients leave each open.
    pub connections_of_one: usize,
    /// How long a connection may last: 5 min. The longest stage of a test has half of that.
    pub lifetime: Duration,
    /// How long nothing may move on a connection, and how long handshake and headers may take: 15 s.
    pub patience: Duration,
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
            idle: Duration::from_secs(3),
            rate: None,
        }
    }
}

/// Who is connected.
#[derive(Debug)]
pub(crate) struct Guests {
    limits: Limits,
    of_one: Mutex<BTreeMap<IpAddr, usize>>,
}

/// A connection that is counted until this is dropped.
#[derive(Debug)]
pub(crate) struct Guest {
    guests: Arc<Guests>,
    network: IpAddr,
}

impl Guests {
    /// Nobody yet.
    pub(crate) fn new(limits: Limits) -> Arc<Self> {
        Arc::new(Self { limits, of_one: Mutex::default() })
    }

    /// Somebody from this address comes: nothing if that is too many.
    pub(crate) fn admit(self: &Arc<Self>, address: IpAddr) -> Option<Guest> {
        let network = network(address);
        let mut of_one = self.of_one.lock().unwrap_or_else(PoisonError::into_inner);
        let all: usize = of_one.values().sum();
        let same = of_one.get(&network).copied().unwrap_or(0);
        if all >= self.limits.connections || same >= self.limits.connections_of_one {
            return None;
        }
        of_one.insert(network, same + 1);
        Some(Guest { guests: self.clone(), network })
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        let mut of_one = self.guests.of_one.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = of_one.get_mut(&self.network) {
            *count -= 1;
            if *count == 0 {
                of_one.remove(&self.network);
            }
        }
    }
}

/// Who has one address of IPv6 has 2^64 of them.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
        v4 @ IpAddr::V4(_) => v4,
    }
}

#[cfg(test)]
mod tests {
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
        assert!(guests.admit(address("192.0.2.2")).is_none(), "three are all");
        drop(one);
        assert!(guests.admit(address("192.0.2.1")).is_some());
    }

    #[test]
    fn a_network_of_ipv6_is_one() {
        assert_eq!(network(address("2001:db8::1")), network(address("2001:db8::ffff:1")));
        assert_ne!(network(address("2001:db8::1")), network(address("2001:db8:0:1::1")));
    }
}
