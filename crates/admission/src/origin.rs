//! The client and the network behind an address.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The prefix of a client: the addresses that count as one client, which are an address of IPv4 or
/// a /64 of IPv6.
///
/// RFC 6177 section 2: a site is given a /64 at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClientPrefix(IpAddr);

/// A network: the addresses of many clients that one contract can provide, which are a /24 of IPv4
/// or a /48 of IPv6.
///
/// These are the longest prefixes that providers commonly route (RFC 7454 section 6.1.3), and a /48
/// is the most that a site of IPv6 is commonly given (RFC 6177 section 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Network(IpAddr);

/// The origin of a connection: its network, and its client within the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The network of the client.
    pub network: Network,
    /// The prefix of the client within the network.
    pub client: ClientPrefix,
}

impl From<IpAddr> for ClientPrefix {
    fn from(address: IpAddr) -> Self {
        Self(prefix(address, 32, 64))
    }
}

impl From<IpAddr> for Network {
    fn from(address: IpAddr) -> Self {
        Self(prefix(address, 24, 48))
    }
}

impl From<IpAddr> for Origin {
    fn from(address: IpAddr) -> Self {
        Self { network: address.into(), client: address.into() }
    }
}

impl ClientPrefix {
    /// The first address of the prefix.
    pub fn address(self) -> IpAddr {
        self.0
    }
}

/// The address with only its first `v4_bits` or `v6_bits` bits; the others are 0.
fn prefix(address: IpAddr, v4_bits: u32, v6_bits: u32) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => {
            let mask = u32::MAX << (32 - v4_bits);
            Ipv4Addr::from_bits(address.to_bits() & mask).into()
        }
        IpAddr::V6(address) => {
            let mask = u128::MAX << (128 - v6_bits);
            Ipv6Addr::from_bits(address.to_bits() & mask).into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(text: &str) -> Origin {
        text.parse::<IpAddr>().unwrap().into()
    }

    #[test]
    fn a_customer_with_many_addresses_is_one_client() {
        assert_eq!(origin("2001:db8::1").client, origin("2001:db8::ffff:2").client);
        assert_ne!(origin("2001:db8::1").client, origin("2001:db8:0:1::1").client);
        assert_eq!(origin("192.0.2.1").client, origin("::ffff:192.0.2.1").client);
        assert_ne!(origin("192.0.2.1").client, origin("192.0.2.2").client);
    }

    #[test]
    fn neighbours_are_one_network() {
        assert_eq!(origin("192.0.2.1").network, origin("192.0.2.254").network);
        assert_ne!(origin("192.0.2.1").network, origin("192.0.3.1").network);
        assert_eq!(origin("2001:db8::1").network, origin("2001:db8:0:ffff::1").network);
        assert_ne!(origin("2001:db8::1").network, origin("2001:db8:1::1").network);
    }
}
