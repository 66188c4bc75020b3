//! Pings: ICMP echo. Specification: RFC 792, RFC 4443 section 4.
//!
//! On Linux a socket for echo requests alone needs no privilege, if the process's group is in the range of
//! `net.ipv4.ping_group_range`. The kernel then fills in identifier and checksum, and delivers only
//! answers to this socket. Otherwise a raw socket serves, which needs `CAP_NET_RAW`.

use std::io;
use std::net::{IpAddr, SocketAddr, UdpSocket};

use kernel::{set_hop_limit, stamp_receptions};
use socket2::{Domain, Protocol, Socket, Type};
use units::Time;
use wire::Checksum;

use super::{Answer, Exchange};

/// The bytes of a request: a header of 8, and 8 more. Shorter ones are dropped by some hosts.
const BYTES: usize = 16;

/// Pings to an address.
pub(crate) struct Ping {
    address: IpAddr,
    /// The hop at which they end; `None` for the target itself.
    hop: Option<u8>,
    is_raw: bool,
    identifier: u16,
    request: [u8; BYTES],
}

impl Ping {
    /// Pings to an address. `identifier` tells those of a raw socket from others'.
    pub(crate) fn new(address: IpAddr, identifier: u16) -> Self {
        Self { address, hop: None, is_raw: false, identifier, request: [0; BYTES] }
    }

    /// Pings that end at this hop on the way to the address.
    pub(crate) fn ending_at(self, hop: u8) -> Self {
        Self { hop: Some(hop), ..self }
    }

    /// ICMP's types of a request and of its answer.
    const fn types(&self) -> [u8; 2] {
        match self.address {
            IpAddr::V4(_) => [8, 0],
            IpAddr::V6(_) => [128, 129],
        }
    }

    /// The message in what a socket received: a raw one of IPv4 delivers the header of IP as well.
    fn message<'a>(&self, bytes: &'a [u8]) -> Option<&'a [u8]> {
        match (self.is_raw, self.address) {
            (true, IpAddr::V4(_)) => bytes.get(usize::from(bytes.first()? & 15) * 4..),
            _ => Some(bytes),
        }
    }
}

/// True if this process may send pings.
pub(crate) fn may_ping(is_ipv6: bool) -> bool {
    [Type::DGRAM, Type::RAW].into_iter().any(|kind| socket(is_ipv6, kind).is_ok())
}

fn socket(is_ipv6: bool, kind: Type) -> io::Result<Socket> {
    match is_ipv6 {
        false => Socket::new(Domain::IPV4, kind, Some(Protocol::ICMPV4)),
        true => Socket::new(Domain::IPV6, kind, Some(Protocol::ICMPV6)),
    }
}

impl Exchange for Ping {
    fn open(&mut self) -> io::Result<UdpSocket> {
        let is_ipv6 = self.address.is_ipv6();
        let plain = socket(is_ipv6, Type::DGRAM);
        self.is_raw = plain.is_err();
        let socket = plain.or_else(|_| socket(is_ipv6, Type::RAW))?;
        socket.set_nonblocking(true)?;
        stamp_receptions(&socket)?;
        socket.connect(&SocketAddr::from((self.address, 0)).into())?;
        let socket = UdpSocket::from(socket);
        kernel::report_errors(&socket)?;
        if let Some(hop) = self.hop {
            set_hop_limit(&socket, hop)?;
        }
        Ok(socket)
    }

    fn request(&mut self, number: u32, _now: Time) -> &[u8] {
        self.request = [0; BYTES];
        self.request[0] = self.types()[0];
        self.request[4..6].copy_from_slice(&self.identifier.to_be_bytes());
        self.request[6..8].copy_from_slice(&(number as u16).to_be_bytes());
        if self.is_raw && self.address.is_ipv4() {
            // The kernel sets that of ICMPv6 itself (RFC 3542 section 3.1).
            let sum = Checksum::default().with(&self.request).finish();
            self.request[2..4].copy_from_slice(&sum.to_be_bytes());
        }
        &self.request
    }

    fn answer(&mut self, bytes: &[u8], _now: Time) -> Option<Answer> {
        let [kind, code, _, _, i0, i1, s0, s1] = *self.message(bytes)?.first_chunk()?;
        let is_ours = !self.is_raw || u16::from_be_bytes([i0, i1]) == self.identifier;
        let number = u16::from_be_bytes([s0, s1]).into();
        (kind == self.types()[1] && code == 0 && is_ours).then(|| Answer::plain(number, u16::BITS))
    }

    /// The kernel returns the request's header of ICMP with the error, and only to the socket of its
    /// identifier.
    fn quoted(&self, bytes: &[u8]) -> Option<u32> {
        let [kind, _, _, _, i0, i1, s0, s1] = *bytes.first_chunk()?;
        let is_ours = !self.is_raw || u16::from_be_bytes([i0, i1]) == self.identifier;
        (kind == self.types()[0] && is_ours).then(|| u16::from_be_bytes([s0, s1]).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_as_its_request_was_written() {
        let mut ping = Ping::new("192.0.2.1".parse().unwrap(), 0x1234);
        ping.is_raw = true;
        let request = ping.request(70_000, Time::ZERO).to_vec();
        let sum = Checksum::default().with(&request).finish();
        assert_eq!(sum, 0, "RFC 1071: with its checksum, a message's sum is 0");
        assert_eq!(ping.quoted(&request), Some(70_000 - 65_536));
        let mut answer = request;
        answer[0] = 0;
        let packet = [&[0x45; 1][..], &[0; 19], &answer].concat();
        assert_eq!(ping.answer(&packet, Time::ZERO), Some(Answer::plain(70_000 - 65_536, 16)));
        answer[5] ^= 1;
        assert_eq!(
            ping.answer(&[&[0x45; 1][..], &[0; 19], &answer].concat(), Time::ZERO),
            None,
            "of another"
        );
        for len in 0..packet.len() {
            let _ = ping.answer(&packet[..len], Time::ZERO);
            let _ = ping.quoted(&packet[..len]);
        }
    }
}
