//! The owner of a link, by the addresses along the path.
//!
//! At home addresses are private (RFC 1918 section 3, RFC 4193), and of one block: those of the
//! hops from the client to the home router. The provider's follow, which may be private too,
//! usually of another block, or shared ones (RFC 6598). Where this shows nothing, because there are
//! public addresses from the beginning or private ones to the end, the first hop counts as the home
//! router.

use std::net::IpAddr;

use results::NetworkPart;

use super::path::ProbedPath;

/// The owner of these links; unknown if they have several owners.
pub(super) fn place(path: &ProbedPath<'_>, first: u8, last: u8) -> NetworkPart {
    let home = home_router(path);
    let of = |link: u8| match link {
        link if link <= home => NetworkPart::FirstHop,
        link if link == home + 1 => NetworkPart::AccessLine,
        _ => NetworkPart::Beyond,
    };
    if of(first) == of(last) { of(first) } else { NetworkPart::Unknown }
}

/// The number of the last hop at home.
fn home_router(path: &ProbedPath<'_>) -> u8 {
    let mut blocks = path.hops().filter_map(|(hop, it)| Some((hop, block(it.address?))));
    let Some((nearest, Some(block))) = blocks.next() else { return 1 };
    let mut home = nearest;
    for (hop, of) in blocks {
        if of != Some(block) {
            return home;
        }
        home = hop;
    }
    1
}

/// The block of private addresses that an address belongs to; `None` for other addresses.
fn block(address: IpAddr) -> Option<u8> {
    match address {
        IpAddr::V4(address) if address.is_private() => Some(address.octets()[0]),
        IpAddr::V6(address) if address.is_unique_local() => Some(0),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use observation::{HopAnswer, HopProbe};
    use units::Time;

    use super::*;

    /// The home router of a path of these hops; an empty one is silent.
    fn home(hops: &[&str]) -> u8 {
        let answer = |from| HopAnswer { from, at: Time::ZERO, is_server: false };
        let probe = |(hop, text): (u8, &&str)| HopProbe {
            hop,
            sent: Time::ZERO,
            answer: text.parse().ok().map(answer),
        };
        let probes: Vec<_> = (1..).zip(hops).map(probe).collect();
        home_router(&ProbedPath::new(&probes).unwrap())
    }

    #[test]
    fn home_is_where_addresses_are_private() {
        assert_eq!(home(&["192.168.1.1", "198.51.100.1", "203.0.113.1"]), 1);
        assert_eq!(home(&["192.168.1.1", "192.168.0.1", "198.51.100.1"]), 2, "two routers");
        assert_eq!(home(&["192.168.1.1", "10.20.0.1", "198.51.100.1"]), 1, "a provider's own");
        assert_eq!(home(&["192.168.1.1", "100.64.0.1", "198.51.100.1"]), 1, "shared addresses");
        assert_eq!(home(&["192.168.1.1", "", "198.51.100.1"]), 1, "a silent hop");
        assert_eq!(home(&["198.51.100.1", "203.0.113.1"]), 1, "public from the beginning");
        assert_eq!(home(&["10.0.0.2", "10.0.1.2", "10.0.2.2"]), 1, "private to the end");
        assert_eq!(home(&["fd00::1", "2001:db8::1"]), 1);
        assert_eq!(home(&["", "", ""]), 1);
    }
}
