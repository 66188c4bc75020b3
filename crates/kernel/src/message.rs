//! Messages of netlink as bytes: those of other families than rtnetlink have a kind, four bytes of a header, and
//! attributes.

use std::io;

use netlink_packet_core::{NetlinkDeserializable, NetlinkHeader, NetlinkSerializable};

/// The length in bytes of the header: `struct genlmsghdr`, or `struct nfgenmsg`.
const HEADER: usize = 4;

/// A message of a family.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    /// The kind of the message; of generic netlink, the family.
    pub(crate) kind: u16,
    /// The header: of generic netlink command and version, of netfilter family and version.
    pub(crate) header: [u8; HEADER],
    pub(crate) attributes: Vec<u8>,
}

impl NetlinkSerializable for Message {
    fn message_type(&self) -> u16 {
        self.kind
    }

    fn buffer_len(&self) -> usize {
        HEADER + self.attributes.len()
    }

    fn serialize(&self, buffer: &mut [u8]) {
        buffer[..HEADER].copy_from_slice(&self.header);
        buffer[HEADER..].copy_from_slice(&self.attributes);
    }
}

impl NetlinkDeserializable for Message {
    type Error = io::Error;

    fn deserialize(header: &NetlinkHeader, payload: &[u8]) -> Result<Self, io::Error> {
        let (first, attributes) =
            payload.split_first_chunk().ok_or(io::ErrorKind::UnexpectedEof)?;
        Ok(Self { kind: header.message_type, header: *first, attributes: attributes.to_vec() })
    }
}

/// A message as its kind and its bytes, without the netlink header.
pub(crate) struct Plain {
    pub(crate) kind: u16,
    pub(crate) bytes: Vec<u8>,
}

impl NetlinkSerializable for Plain {
    fn message_type(&self) -> u16 {
        self.kind
    }

    fn buffer_len(&self) -> usize {
        self.bytes.len()
    }

    fn serialize(&self, buffer: &mut [u8]) {
        buffer[..self.bytes.len()].copy_from_slice(&self.bytes);
    }
}

impl NetlinkDeserializable for Plain {
    type Error = io::Error;

    fn deserialize(header: &NetlinkHeader, payload: &[u8]) -> io::Result<Self> {
        Ok(Self { kind: header.message_type, bytes: payload.to_vec() })
    }
}
