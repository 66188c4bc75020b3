//! Writes captures as pcapng, which Wireshark, tcpdump and tcptrace read.
//!
//! The file is a section header, a description of each interface, names for addresses, and then one
//! enhanced packet block for each packet: its time in nanoseconds, its direction, and its bytes.
//! Numbers are little-endian on every machine, so that the same run gives the same file. The file
//! says nothing about the machine.
//!
//! Specification: draft-ietf-opsawg-pcapng sections 3 (structure), 4.1 (section header), 4.2
//! (interface description), 4.3 (enhanced packet), 4.5 (name resolution).

use std::io::{self, Write};
use std::net::Ipv4Addr;

use units::Time;

const SECTION_HEADER: u32 = 0x0a0d_0d0a;
const INTERFACE_DESCRIPTION: u32 = 1;
const NAME_RESOLUTION: u32 = 4;
const ENHANCED_PACKET: u32 = 6;
const BYTE_ORDER: u32 = 0x1a2b_3c4d;
const LINK_TYPE_ETHERNET: u16 = 1;

/// The direction of a packet at the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketDirection {
    /// The packet came in through the interface.
    Inbound,
    /// The packet was sent from the interface.
    Outbound,
}

/// An interface at which packets are captured. All frames are Ethernet's.
#[derive(Clone, Copy, Debug)]
pub struct Interface<'a> {
    /// The name of the interface, such as `eth0`.
    pub name: &'a str,
    /// A description for the reader.
    pub description: &'a str,
    /// The most bytes that are kept of a packet; 0 for all.
    pub snap: u32,
}

/// A writer of one capture.
#[derive(Debug)]
pub struct PcapngWriter<W> {
    writer: W,
    /// The most bytes that are kept of a packet, for each interface.
    snaps: Vec<u32>,
}

impl<W: Write> PcapngWriter<W> {
    /// Begins a capture made by `application`.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn new(writer: W, application: &str, comment: &str) -> io::Result<Self> {
        const VERSION_1_0: [u8; 4] = [1, 0, 0, 0];
        const OF_UNKNOWN_LENGTH: u64 = u64::MAX;
        let mut body = BYTE_ORDER.to_le_bytes().to_vec();
        body.extend(VERSION_1_0);
        body.extend(OF_UNKNOWN_LENGTH.to_le_bytes());
        option(&mut body, 1, comment.as_bytes());
        option(&mut body, 4, application.as_bytes());
        option(&mut body, 0, &[]);
        let mut this = Self { writer, snaps: Vec::new() };
        this.block(SECTION_HEADER, &body)?;
        Ok(this)
    }

    /// Adds an interface; returns its number.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn interface(&mut self, interface: &Interface<'_>) -> io::Result<u32> {
        const IN_NANOSECONDS: u8 = 9;
        let mut body = LINK_TYPE_ETHERNET.to_le_bytes().to_vec();
        body.extend([0, 0]);
        body.extend(interface.snap.to_le_bytes());
        option(&mut body, 2, interface.name.as_bytes());
        option(&mut body, 3, interface.description.as_bytes());
        option(&mut body, 9, &[IN_NANOSECONDS]);
        option(&mut body, 0, &[]);
        self.block(INTERFACE_DESCRIPTION, &body)?;
        self.snaps.push(if interface.snap == 0 { u32::MAX } else { interface.snap });
        Ok(self.snaps.len() as u32 - 1)
    }

    /// Adds names for addresses.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn names(&mut self, names: &[(Ipv4Addr, &str)]) -> io::Result<()> {
        const IPV4_RECORD: u16 = 1;
        let mut body = Vec::new();
        for (address, name) in names {
            let name = clip(name.as_bytes(), usize::from(u16::MAX) - 8);
            option(&mut body, IPV4_RECORD, &[&address.octets(), name, &[0]].concat());
        }
        // The end of the records. No options follow.
        option(&mut body, 0, &[]);
        self.block(NAME_RESOLUTION, &body)
    }

    /// Writes a packet that passed `interface` at `time` after 1970 began: as much of `frame` as
    /// the interface keeps.
    ///
    /// # Errors
    /// Those of the writer; [`io::ErrorKind::InvalidInput`] if there is no such interface.
    pub fn packet(
        &mut self,
        interface: u32,
        time: Time,
        direction: PacketDirection,
        frame: &[u8],
    ) -> io::Result<()> {
        const HEADER: usize = 28;
        /// The bytes behind the packet: option 2 with its 4 bytes, the end of options, and the
        /// length of the block.
        const TRAILER: usize = 8 + 4 + 4;
        let snap = self.snaps.get(interface as usize).ok_or(io::ErrorKind::InvalidInput)?;
        let kept = &frame[..frame.len().min(*snap as usize)];
        let padding = kept.len().next_multiple_of(4) - kept.len();
        let len = (HEADER + kept.len() + padding + TRAILER) as u32;
        let nanos = time.as_nanos();
        let header = [
            ENHANCED_PACKET,
            len,
            interface,
            (nanos >> 32) as u32,
            nanos as u32,
            kept.len() as u32,
            frame.len() as u32,
        ];
        let flags = match direction {
            PacketDirection::Inbound => 1,
            PacketDirection::Outbound => 2,
        };
        // The option's code and its length share a word.
        let trailer = [0, 4 << 16 | 2, flags, 0, len];
        self.writer.write_all(words(header).as_flattened())?;
        self.writer.write_all(kept)?;
        self.writer.write_all(&words(trailer).as_flattened()[4 - padding..])
    }

    /// Returns the writer, flushed.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn finish(mut self) -> io::Result<W> {
        self.writer.flush()?;
        Ok(self.writer)
    }

    /// Writes a block: type, length, body, and the length once more (section 3.1).
    fn block(&mut self, kind: u32, body: &[u8]) -> io::Result<()> {
        let len = body.len() as u32 + 12;
        self.writer.write_all(words([kind, len]).as_flattened())?;
        self.writer.write_all(body)?;
        self.writer.write_all(&len.to_le_bytes())
    }
}

fn words<const N: usize>(words: [u32; N]) -> [[u8; 4]; N] {
    words.map(u32::to_le_bytes)
}

/// Appends an option (section 3.5), or a record of the same shape: code, length, value, padding.
fn option(body: &mut Vec<u8>, code: u16, value: &[u8]) {
    let value = clip(value, usize::from(u16::MAX));
    body.extend(code.to_le_bytes());
    body.extend((value.len() as u16).to_le_bytes());
    body.extend(value);
    body.resize(body.len().next_multiple_of(4), 0);
}

/// The longest beginning of a text that fits in `most` bytes, not cut within a character.
fn clip(text: &[u8], most: usize) -> &[u8] {
    let Some(clipped) = text.get(..most) else { return text };
    let whole = clipped.utf8_chunks().next().map_or(0, |chunk| chunk.valid().len());
    &clipped[..whole]
}

#[cfg(test)]
mod tests;
