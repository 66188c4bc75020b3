//! The connections that the kernel's firewall follows, and the translation of their addresses.
//!
//! Specification: Linux `include/uapi/linux/netfilter/nfnetlink_conntrack.h`, `nfnetlink.h`.

use std::io;
use std::net::IpAddr;

use netlink_sys::protocols::NETLINK_NETFILTER;
use rustix::io::Errno;

use crate::attributes::{attribute, value};
use crate::message::Message;
use crate::{Netlink, errno};

/// `NFNL_SUBSYS_CTNETLINK` and `IPCTNL_MSG_CT_GET`.
const GET: u16 = 1 << 8 | 1;
/// The flag of an attribute with attributes in it (`NLA_F_NESTED`).
const NESTED: u16 = 1 << 15;
/// `CTA_TUPLE_ORIG` and `CTA_TUPLE_REPLY`: how packets of each direction look when they come.
const TUPLES: [u16; 2] = [1, 2];
const ADDRESSES: u16 = 1;
const TRANSPORT: u16 = 2;
/// Source and destination, of IPv4 and of IPv6.
const V4: [u16; 2] = [1, 2];
const V6: [u16; 2] = [3, 4];
const PROTOCOL: u16 = 1;
/// Source and destination.
const PORTS: [u16; 2] = [2, 3];

/// The fields by which the kernel tells the packets of a connection, of one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tuple {
    /// The sender's address.
    pub source: IpAddr,
    /// The receiver's address.
    pub destination: IpAddr,
    /// The number of the transport protocol: 6 is TCP, 17 UDP.
    pub protocol: u8,
    /// The sender's port.
    pub source_port: u16,
    /// The receiver's port.
    pub destination_port: u16,
}

/// The connections of the network namespace in which this was opened.
#[derive(Debug)]
pub struct Conntrack {
    netlink: Netlink,
}

impl Tuple {
    /// The tuple of an answer, without a translation of addresses.
    pub const fn reversed(self) -> Self {
        Self {
            source: self.destination,
            destination: self.source,
            source_port: self.destination_port,
            destination_port: self.source_port,
            ..self
        }
    }

    fn attributes(&self) -> Vec<u8> {
        let address = |kind, address| match address {
            IpAddr::V4(address) => attribute(kind, &address.octets()),
            IpAddr::V6(address) => attribute(kind, &address.octets()),
        };
        let [source, destination] = if self.source.is_ipv4() { V4 } else { V6 };
        let addresses = [address(source, self.source), address(destination, self.destination)];
        let ports = [self.source_port, self.destination_port];
        let ports =
            PORTS.into_iter().zip(ports).map(|(kind, port)| attribute(kind, &port.to_be_bytes()));
        let transport: Vec<_> =
            std::iter::once(attribute(PROTOCOL, &[self.protocol])).chain(ports).collect();
        [
            attribute(ADDRESSES | NESTED, &addresses.concat()),
            attribute(TRANSPORT | NESTED, &transport.concat()),
        ]
        .concat()
    }

    /// The tuple in an attribute; `None` if the kernel left something out.
    fn parse(attributes: &[u8]) -> Option<Self> {
        let addresses = value(attributes, ADDRESSES)?;
        let v4 = |kind| {
            let bytes: [u8; 4] = value(addresses, kind)?.try_into().ok()?;
            Some(IpAddr::from(bytes))
        };
        let v6 = |kind| {
            let bytes: [u8; 16] = value(addresses, kind)?.try_into().ok()?;
            Some(IpAddr::from(bytes))
        };
        let transport = value(attributes, TRANSPORT)?;
        let port = |kind| {
            let bytes = value(transport, kind)?.try_into().ok()?;
            Some(u16::from_be_bytes(bytes))
        };
        Some(Self {
            source: v4(V4[0]).or_else(|| v6(V6[0]))?,
            destination: v4(V4[1]).or_else(|| v6(V6[1]))?,
            protocol: *value(transport, PROTOCOL)?.first()?,
            source_port: port(PORTS[0])?,
            destination_port: port(PORTS[1])?,
        })
    }
}

impl Conntrack {
    /// Opens the connections of the calling thread's network namespace.
    ///
    /// # Errors
    /// If the kernel follows no connections.
    pub fn open() -> io::Result<Self> {
        Ok(Self { netlink: Netlink::to(NETLINK_NETFILTER)? })
    }

    /// The tuple of the other direction, where its packets come in, of the connection that has packets
    /// of this tuple coming in. `None` if the kernel knows no such connection.
    ///
    /// # Errors
    /// The kernel's error.
    pub fn opposite(&self, tuple: Tuple) -> io::Result<Option<Tuple>> {
        let family = if tuple.source.is_ipv4() { libc::AF_INET } else { libc::AF_INET6 };
        let question = Message {
            kind: GET,
            header: [family as u8, 0, 0, 0],
            attributes: attribute(TUPLES[0] | NESTED, &tuple.attributes()),
        };
        let answers = match self.netlink.exchange(question, 0) {
            Err(error) if errno(&error) == Some(Errno::NOENT) => return Ok(None),
            answers => answers?,
        };
        let Some(answer) = answers.first() else { return Ok(None) };
        let [original, reply] =
            TUPLES.map(|kind| Tuple::parse(value(&answer.attributes, kind).unwrap_or_default()));
        Ok(if original == Some(tuple) { reply } else { original })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tuples_are_read_as_they_are_written() {
        for (source, destination) in [("192.0.2.1", "198.51.100.7"), ("2001:db8::1", "2001:db8::2")]
        {
            let tuple = Tuple {
                source: source.parse().unwrap(),
                destination: destination.parse().unwrap(),
                protocol: 17,
                source_port: 5000,
                destination_port: 53,
            };
            assert_eq!(Tuple::parse(&tuple.attributes()), Some(tuple));
            assert_eq!(tuple.reversed().reversed(), tuple);
        }
        assert_eq!(Tuple::parse(&[]), None);
    }
}
