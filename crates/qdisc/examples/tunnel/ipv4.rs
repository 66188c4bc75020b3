//! IPv4 packets in byte buffers, with what a queue reads of them: length, ECN field, 5-tuple.

use qdisc::{Ecn, Flow, Headers, Packet};
use units::Bytes;

/// An IP packet with its header. Of packets without a whole IPv4 header, those of IPv6 among them,
/// only the length is read here: they share one queue and are never marked.
pub(crate) struct Datagram(pub(crate) Vec<u8>);

/// The bytes that the tunnel adds: IPv4, UDP, and WireGuard's header and tag.
const TUNNEL: u64 = 20 + 8 + 16 + 16;

/// The IPv4 header without options (RFC 791 section 3.1).
const HEADER: usize = 20;
const UDP: u8 = 17;
const TCP: u8 = 6;

impl Datagram {
    /// Builds a UDP datagram. Only the fields that the queue reads are filled in, and the header's
    /// checksum.
    pub(crate) fn udp(mut buffer: Vec<u8>, ports: [u16; 2], ecn: Ecn, len: u16) -> Self {
        buffer.clear();
        buffer.resize(usize::from(len), 0);
        buffer[0] = 0x45;
        buffer[1] = ecn as u8;
        buffer[2..4].copy_from_slice(&len.to_be_bytes());
        buffer[8..10].copy_from_slice(&[64, UDP]);
        buffer[12..20].copy_from_slice(&[192, 168, 1, 2, 203, 0, 113, 5]);
        buffer[20..22].copy_from_slice(&ports[0].to_be_bytes());
        buffer[22..24].copy_from_slice(&ports[1].to_be_bytes());
        let mut datagram = Self(buffer);
        datagram.write_checksum();
        datagram
    }

    /// The header; `None` if the packet has no whole IPv4 header.
    fn header(&self) -> Option<&[u8; HEADER]> {
        self.0.first_chunk().filter(|header| header[0] >> 4 == 4)
    }

    /// The destination port; `None` if the packet is too short to have one.
    pub(crate) fn destination_port(&self) -> Option<u16> {
        self.0.get(22..24).map(|port| u16::from_be_bytes([port[0], port[1]]))
    }

    /// The ones' complement of the ones' complement sum of the header (RFC 791 section 3.1); zero
    /// if the checksum in the header is right.
    fn checksum(&self) -> u16 {
        let words = self.header().into_iter().flat_map(|header| header.chunks_exact(2));
        let sum: u32 = words.map(|word| u32::from(u16::from_be_bytes([word[0], word[1]]))).sum();
        let folded = (sum & 0xffff) + (sum >> 16);
        !(((folded & 0xffff) + (folded >> 16)) as u16)
    }

    fn write_checksum(&mut self) {
        self.0[10..12].fill(0);
        let checksum = self.checksum();
        self.0[10..12].copy_from_slice(&checksum.to_be_bytes());
    }

    /// The bytes that identify a flow: addresses, protocol, and the ports where there are any.
    fn five_tuple(&self) -> impl Iterator<Item = u8> {
        let header = self.header().map_or(&[][..], |header| header);
        let is_first = header.get(6..8).is_some_and(|f| f[0] & 0x1f == 0 && f[1] == 0);
        let has_ports = is_first && matches!(header.get(9), Some(&UDP | &TCP));
        let ports = if has_ports { self.0.get(HEADER..HEADER + 4) } else { None };
        let addresses = header.get(12..20).unwrap_or_default();
        let protocol = header.get(9..10).unwrap_or_default();
        addresses.iter().chain(protocol).chain(ports.unwrap_or_default()).copied()
    }
}

impl Packet for Datagram {
    type Store = ();

    /// The length on the uplink, since the rate of the uplink counts this length.
    fn len(&self) -> Bytes {
        Bytes(self.0.len() as u64 + TUNNEL)
    }

    fn ecn(&self) -> Ecn {
        self.header().map_or(Ecn::NotEct, |header| Ecn::from_bits(header[1]))
    }

    fn set_ce(&mut self) {
        self.0[1] |= Ecn::Ce as u8;
        self.write_checksum();
    }
}

impl Flow for Datagram {
    /// FNV-1a over the 5-tuple, started from the salt. A program that receives packets from
    /// untrusted senders should take a hash that resists collisions, such as SipHash.
    fn flow_hash(&self, salt: u64) -> u32 {
        let hash = self.five_tuple().fold(salt ^ 0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        (hash >> 32) as u32
    }
}

/// The defaults suffice: FQ-CoDel reads no header beyond the flow's.
impl Headers for Datagram {}
