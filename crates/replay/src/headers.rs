//! The headers of the packet that arrives.

use qdisc::{Hosts, TcpHeader};
use units::Bytes;
use wire::{PacketView, host};

/// The most bytes of a TCP header (RFC 9293 section 3.1: 15 words).
const LONGEST_TCP: usize = 60;

/// The headers of the latest packet of a capture. Packets of a CSV file have none: they count as
/// packets of one host, and as not TCP.
#[derive(Clone, Debug)]
pub(crate) struct LatestHeaders {
    view: Option<PacketView>,
    tcp: [u8; LONGEST_TCP],
    /// The bytes of `tcp` that were captured.
    tcp_len: usize,
    /// Bytes that the wire adds to each IP packet.
    overhead: u32,
}

impl LatestHeaders {
    /// No headers, and nothing added to a packet.
    pub(crate) const NONE: Self = Self::none(0);

    /// No headers, before a wire that adds `overhead` bytes to each IP packet.
    pub(crate) const fn none(overhead: u32) -> Self {
        Self { view: None, tcp: [0; LONGEST_TCP], tcp_len: 0, overhead }
    }

    /// Keeps the headers of a packet; `ip` are its captured bytes from the IP header on.
    #[inline]
    pub(crate) fn keep(&mut self, view: &PacketView, ip: &[u8]) {
        self.view = Some(*view);
        let header = view.tcp_header(ip).unwrap_or_default();
        self.tcp_len = header.len().min(LONGEST_TCP);
        self.tcp[..self.tcp_len].copy_from_slice(&header[..self.tcp_len]);
    }

    /// The hosts of the packet.
    pub(crate) fn hosts(&self) -> Hosts {
        let hosts = |view: PacketView| Hosts {
            source: host(view.source),
            destination: host(view.destination),
        };
        self.view.map_or(Hosts::default(), hosts)
    }

    /// The IP length of a packet that is `len` bytes long on the wire.
    pub(crate) fn ip_len(&self, len: u32) -> Bytes {
        Bytes(u64::from(len.saturating_sub(self.overhead)))
    }

    /// The TCP header of a packet with this IP length; `None` if the packet is not TCP.
    pub(crate) fn tcp(&self, ip_len: Bytes) -> Option<TcpHeader> {
        let payload = ip_len - Bytes(self.view?.header_len.into());
        TcpHeader::parse(&self.tcp[..self.tcp_len], payload)
    }
}
