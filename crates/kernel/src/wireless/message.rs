//! A message of generic netlink: its family, its command, and its attributes as bytes.

use std::io;

use netlink_packet_core::{NetlinkDeserializable, NetlinkHeader, NetlinkSerializable};

use crate::attributes::attribute;

/// The length in bytes of `struct genlmsghdr`: command, version, and two bytes that are not used.
const HEADER: usize = 4;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Message {
    family: u16,
    command: u8,
    pub(super) attributes: Vec<u8>,
}

impl Message {
    pub(super) fn new(family: u16, command: u8, attributes: &[(u16, &[u8])]) -> Self {
        let attributes = attributes.iter().flat_map(|(kind, value)| attribute(*kind, value));
        Self { family, command, attributes: attributes.collect() }
    }
}

impl NetlinkSerializable for Message {
    fn message_type(&self) -> u16 {
        self.family
    }

    fn buffer_len(&self) -> usize {
        HEADER + self.attributes.len()
    }

    fn serialize(&self, buffer: &mut [u8]) {
        const VERSION: u8 = 1;
        buffer[..HEADER].copy_from_slice(&[self.command, VERSION, 0, 0]);
        buffer[HEADER..].copy_from_slice(&self.attributes);
    }
}

impl NetlinkDeserializable for Message {
    type Error = io::Error;

    fn deserialize(header: &NetlinkHeader, payload: &[u8]) -> Result<Self, io::Error> {
        let (first, attributes) =
            payload.split_at_checked(HEADER).ok_or(io::ErrorKind::UnexpectedEof)?;
        let attributes = attributes.to_vec();
        Ok(Self { family: header.message_type, command: first[0], attributes })
    }
}
