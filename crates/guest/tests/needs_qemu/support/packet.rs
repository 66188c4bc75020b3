//! IPv4 packets as bytes, and as our queues see them.

use qdisc::{Dscp, Ecn, Flow, Headers, Hosts, IpLens, Marking, Packet, TcpHeader};
use units::{Bytes, mix};

/// The bytes of an IPv4 header without options (RFC 791 section 3.1), and of an Ethernet header.
pub(crate) const IP: usize = 20;
const ETHERNET: u64 = 14;
/// The numbers of protocols (IANA).
const TCP: u8 = 6;
const UDP: u8 = 17;

/// Both ends of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    /// The last byte of the source's address, 10.1.0.x.
    pub(crate) source: u8,
    /// The last byte of the destination's address, 10.2.0.x.
    pub(crate) destination: u8,
    /// The source's port.
    pub(crate) port: u16,
}

/// A UDP packet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Udp {
    pub(crate) address: Address,
    /// The byte of the IP header that holds DSCP and ECN field.
    pub(crate) traffic_class: u8,
    /// The length of the IP packet.
    pub(crate) len: u16,
}

impl Udp {
    /// The packet with this identification. Its datagram has no checksum (RFC 768).
    pub(crate) fn packet(self, id: u16) -> Vec<u8> {
        let mut payload = [self.address.port.to_be_bytes(), 9_u16.to_be_bytes()].concat();
        payload.extend_from_slice(&(self.len - IP as u16).to_be_bytes());
        payload.resize(usize::from(self.len) - IP, 0);
        ip(self.address, self.traffic_class, UDP, id, &payload)
    }
}

impl Address {
    /// A TCP segment: the header's flags and reserved bits, its acknowledgement number, its options
    /// (whole words), and a payload of zeroes.
    pub(crate) fn segment(
        self,
        id: u16,
        flags: u16,
        ack: u32,
        options: &[u8],
        payload: usize,
    ) -> Vec<u8> {
        let words = (20 + options.len() as u16) / 4;
        let mut segment = [self.port.to_be_bytes(), 80_u16.to_be_bytes()].concat();
        segment.extend_from_slice(&1_u32.to_be_bytes());
        segment.extend_from_slice(&ack.to_be_bytes());
        segment.extend_from_slice(&(words << 12 | flags).to_be_bytes());
        segment.extend_from_slice(&[1, 0, 0, 0, 0, 0]);
        segment.extend_from_slice(options);
        segment.resize(segment.len() + payload, 0);
        ip(self, 0, TCP, id, &segment)
    }
}

fn ip(address: Address, traffic_class: u8, protocol: u8, id: u16, payload: &[u8]) -> Vec<u8> {
    let len = (IP + payload.len()) as u16;
    let mut packet = vec![0x45, traffic_class];
    packet.extend_from_slice(&len.to_be_bytes());
    packet.extend_from_slice(&id.to_be_bytes());
    // Not to be fragmented; 64 hops; the sending kernel fills in the checksum.
    packet.extend_from_slice(&[0x40, 0, 64, protocol, 0, 0]);
    packet.extend_from_slice(&[10, 1, 0, address.source, 10, 2, 0, address.destination]);
    packet.extend_from_slice(payload);
    packet
}

/// The identification in the IP header.
pub(crate) fn identity(packet: &[u8]) -> u16 {
    u16::from_be_bytes([packet[4], packet[5]])
}

/// The byte of the IP header that holds DSCP and ECN field.
pub(crate) fn traffic_class(packet: &[u8]) -> u8 {
    packet[1]
}

/// The source's port.
pub(crate) fn port(packet: &[u8]) -> u16 {
    u16::from_be_bytes([packet[IP], packet[IP + 1]])
}

/// A packet as our queues see it.
#[derive(Clone, Debug)]
pub(crate) struct TestPacket {
    bytes: Vec<u8>,
    marking: Marking,
}

impl TestPacket {
    pub(crate) fn new(bytes: &[u8]) -> Self {
        Self { bytes: bytes.to_vec(), marking: Marking::of_class(traffic_class(bytes)) }
    }

    pub(crate) fn identity(&self) -> u16 {
        identity(&self.bytes)
    }

    pub(crate) fn traffic_class(&self) -> u8 {
        self.marking.traffic_class()
    }

    /// The four bytes from here on.
    fn word(&self, at: usize) -> u64 {
        self.bytes[at..at + 4].iter().fold(0, |word, byte| word << 8 | u64::from(*byte))
    }
}

impl Packet for TestPacket {
    type Store = ();

    fn len(&self) -> Bytes {
        Bytes(self.bytes.len() as u64 + ETHERNET)
    }

    fn ecn(&self) -> Ecn {
        self.marking.ecn()
    }

    fn set_ce(&mut self) {
        self.marking.set_ce();
    }
}

impl Flow for TestPacket {
    fn flow_hash(&self, salt: u64) -> u32 {
        let (hosts, ports) = (self.word(12) << 32 | self.word(16), self.word(IP));
        mix(mix(hosts ^ salt) ^ ports << 8 ^ u64::from(self.bytes[9])) as u32
    }
}

impl Headers for TestPacket {
    fn dscp(&self) -> Dscp {
        self.marking.dscp()
    }

    fn set_dscp(&mut self, dscp: Dscp) {
        self.marking.set_dscp(dscp);
    }

    fn hosts(&self, _store: &()) -> Hosts {
        Hosts { source: self.word(12), destination: self.word(16) }
    }

    fn ip_lens(&self, _store: &()) -> IpLens {
        IpLens::of_one(Bytes(self.bytes.len() as u64))
    }

    fn tcp(&self, _store: &()) -> Option<TcpHeader> {
        let segment = &self.bytes[IP..];
        let header_len = usize::from(*segment.get(12)? >> 4) * 4;
        let payload = Bytes(segment.len().checked_sub(header_len)? as u64);
        (self.bytes[9] == TCP).then(|| TcpHeader::parse(segment, payload))?
    }
}
