//! IP packets as bytes, and as our queues see them.

use qdisc::{Dscp, Ecn, Flow, Headers, Hosts, IpLens, Marking, Packet, TcpHeader};
use units::{Bytes, mix};

/// The bytes of an Ethernet header.
const ETHERNET: u64 = 14;
/// The numbers of protocols (IANA).
const TCP: u8 = 6;
const UDP: u8 = 17;

/// The version of IP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Version {
    V4,
    V6,
}

impl Version {
    /// The bytes of a header without options (RFC 791 section 3.1, RFC 8200 section 3).
    fn header_len(self) -> usize {
        match self {
            Self::V4 => 20,
            Self::V6 => 40,
        }
    }
}

/// Both ends of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) version: Version,
    /// The last byte of the source's address, 10.1.0.x or fd00:1::x.
    pub(crate) source: u8,
    /// The last byte of the destination's address, 10.2.0.x or fd00:2::x.
    pub(crate) destination: u8,
    /// The source's port.
    pub(crate) port: u16,
}

/// A UDP packet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Udp {
    pub(crate) address: Address,
    /// The byte that holds DSCP and ECN field.
    pub(crate) traffic_class: u8,
    /// The length of the IP packet.
    pub(crate) len: u16,
}

impl Udp {
    /// The packet with this identification.
    pub(crate) fn packet(self, id: u16) -> Vec<u8> {
        let len = self.len - self.address.version.header_len() as u16;
        let mut datagram = [self.address.port, 9, len].map(u16::to_be_bytes).concat();
        datagram.resize(len.into(), 0);
        ip(self.address, self.traffic_class, UDP, id, datagram)
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
        ip(self, 0, TCP, id, segment)
    }
}

/// An IP packet. Its identification is that of the IPv4 header; in IPv6, which has none, the
/// checksum of the transport, which nobody looks at.
fn ip(
    address: Address,
    traffic_class: u8,
    protocol: u8,
    id: u16,
    mut transport: Vec<u8>,
) -> Vec<u8> {
    let Address { version, source, destination, .. } = address;
    if version == Version::V6 {
        let checksum = CHECKSUMS[usize::from(protocol == TCP)];
        transport[checksum..][..2].copy_from_slice(&id.to_be_bytes());
    }
    let mut packet = match version {
        Version::V4 => {
            let [len, id] =
                [(version.header_len() + transport.len()) as u16, id].map(u16::to_be_bytes);
            // Not to be fragmented; 64 hops; the sending kernel fills in the checksum.
            let rest = [0x40, 0, 64, protocol, 0, 0, 10, 1, 0, source, 10, 2, 0, destination];
            [&[0x45, traffic_class], &len[..], &id, &rest].concat()
        }
        Version::V6 => {
            let len = (transport.len() as u16).to_be_bytes();
            let class = [0x60 | traffic_class >> 4, traffic_class << 4, 0, 0];
            let host = |side, host| [0xfd, 0, 0, side, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, host];
            let hosts = [host(1, source), host(2, destination)].concat();
            [&class, &len[..], &[protocol, 64], &hosts].concat()
        }
    };
    packet.extend(transport);
    packet
}

/// The places of the checksum in the headers of UDP (RFC 768) and TCP (RFC 9293 section 3.1).
const CHECKSUMS: [usize; 2] = [6, 16];

/// An IP packet whose fields are read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fields<'a>(pub(crate) &'a [u8]);

impl<'a> Fields<'a> {
    pub(crate) fn version(self) -> Version {
        if self.0[0] >> 4 == 6 { Version::V6 } else { Version::V4 }
    }

    /// Which packet it is.
    pub(crate) fn identity(self) -> u16 {
        let place = match self.version() {
            Version::V4 => &self.0[4..],
            Version::V6 => &self.transport()[CHECKSUMS[usize::from(self.protocol() == TCP)]..],
        };
        u16::from_be_bytes([place[0], place[1]])
    }

    /// The byte that holds DSCP and ECN field.
    pub(crate) fn traffic_class(self) -> u8 {
        match self.version() {
            Version::V4 => self.0[1],
            Version::V6 => self.0[0] << 4 | self.0[1] >> 4,
        }
    }

    /// The source's port.
    pub(crate) fn port(self) -> u16 {
        u16::from_be_bytes([self.transport()[0], self.transport()[1]])
    }

    /// The addresses of source and destination.
    pub(crate) fn hosts(self) -> [&'a [u8]; 2] {
        match self.version() {
            Version::V4 => [&self.0[12..16], &self.0[16..20]],
            Version::V6 => [&self.0[8..24], &self.0[24..40]],
        }
    }

    fn protocol(self) -> u8 {
        match self.version() {
            Version::V4 => self.0[9],
            Version::V6 => self.0[6],
        }
    }

    fn transport(self) -> &'a [u8] {
        &self.0[self.version().header_len()..]
    }
}

/// A packet as our queues see it.
#[derive(Clone, Debug)]
pub(crate) struct TestPacket {
    bytes: Vec<u8>,
    marking: Marking,
}

impl TestPacket {
    pub(crate) fn new(bytes: &[u8]) -> Self {
        let marking = Marking::of_class(Fields(bytes).traffic_class());
        Self { bytes: bytes.to_vec(), marking }
    }

    pub(crate) fn identity(&self) -> u16 {
        self.fields().identity()
    }

    pub(crate) fn traffic_class(&self) -> u8 {
        self.marking.traffic_class()
    }

    fn fields(&self) -> Fields<'_> {
        Fields(&self.bytes)
    }
}

/// A number of these bytes, at most 16 of them.
fn number(bytes: &[u8]) -> u64 {
    bytes.chunks(8).fold(0, |number, chunk| {
        mix(number) ^ chunk.iter().fold(0, |word, byte| word << 8 | u64::from(*byte))
    })
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
        let [source, destination] = self.fields().hosts().map(number);
        let (hosts, ports) =
            (mix(mix(source ^ salt) ^ destination), &self.fields().transport()[..4]);
        mix(hosts ^ number(ports) << 8 ^ u64::from(self.fields().protocol())) as u32
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
        let [source, destination] = self.fields().hosts().map(number);
        Hosts { source, destination }
    }

    fn ip_lens(&self, _store: &()) -> IpLens {
        IpLens::of_one(Bytes(self.bytes.len() as u64))
    }

    /// The sender marks each packet with its port.
    fn mark(&self, _store: &()) -> u32 {
        self.fields().port().into()
    }

    fn tcp(&self, _store: &()) -> Option<TcpHeader> {
        let segment = self.fields().transport();
        let header_len = usize::from(*segment.get(12)? >> 4) * 4;
        let payload = Bytes(segment.len().checked_sub(header_len)? as u64);
        (self.fields().protocol() == TCP).then(|| TcpHeader::parse(segment, payload))?
    }
}
