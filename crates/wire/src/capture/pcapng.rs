//! The packet blocks of a pcapng file.
//!
//! Specification: draft-ietf-opsawg-pcapng, sections 3.1 (blocks), 3.5 (options), 4.1 to 4.4
//! (section header, interface description, enhanced and simple packets), A (obsolete packets).
//!
//! Deviations: the length of a section is ignored, since sections announce themselves; blocks of
//! other types are skipped, whatever is in them.

mod interface;

use std::io::Read;

use interface::Interface;

use super::endian::Endian;
use super::pcap::too_long;
use super::window::{Stop, Window};
use super::{BufferedRecord, LARGEST_RECORD};

const SECTION_HEADER: u32 = 0x0a0d_0d0a;
const INTERFACE_DESCRIPTION: u32 = 1;
const OBSOLETE_PACKET: u32 = 2;
const SIMPLE_PACKET: u32 = 3;
const ENHANCED_PACKET: u32 = 6;

/// The length in bytes of what surrounds a block's body: type and length before it, length after
/// it.
const FRAME: u32 = 12;
/// The longest block in bytes that is read: a record and its options.
const LARGEST_BLOCK: u32 = 2 * LARGEST_RECORD;
/// The most interfaces: more than a machine has, but few enough to be kept.
const MOST_INTERFACES: usize = 1 << 16;

/// The state from the blocks so far that affects the packets to come.
#[derive(Debug)]
pub(super) struct Pcapng {
    endian: Endian,
    /// The interfaces of this section.
    interfaces: Vec<Interface>,
}

impl Pcapng {
    /// True if a file with this beginning is pcapng.
    pub(super) fn recognise(magic: [u8; 4]) -> bool {
        u32::from_le_bytes(magic) == SECTION_HEADER
    }

    /// Reads the header of the first section.
    pub(super) fn begin<R: Read>(window: &mut Window<R>) -> Result<Self, Stop> {
        let mut this = Self { endian: Endian::Little, interfaces: Vec::new() };
        let length = this.section(window)?;
        window.take(length as usize);
        Ok(this)
    }

    /// The next packet block. Other blocks on the way are applied or skipped.
    #[inline]
    pub(super) fn next<R: Read>(&mut self, window: &mut Window<R>) -> Result<BufferedRecord, Stop> {
        loop {
            if window.fill(FRAME as usize)?.is_empty() {
                return Err(Stop::End);
            }
            let offset = window.offset();
            let damage = |message| Stop::Damage { offset, message };
            let header = window.require(8)?;
            let kind = self.endian.u32(header, 0);
            let length = self.endian.u32(header, 4);
            match kind {
                ENHANCED_PACKET | SIMPLE_PACKET | OBSOLETE_PACKET => {
                    let block = self.load(window, length)?;
                    return self.packet(kind, block).map_err(damage);
                }
                INTERFACE_DESCRIPTION => {
                    let block = self.load(window, length)?;
                    self.interface(block).map_err(damage)?;
                    window.take(length as usize);
                }
                SECTION_HEADER => {
                    let length = self.section(window)?;
                    window.take(length as usize);
                }
                _ => self.pass_over(window, length)?,
            }
        }
    }

    /// Reads a block of `length` bytes into the window, whole.
    #[inline]
    fn load<'w, R: Read>(&self, window: &'w mut Window<R>, length: u32) -> Result<&'w [u8], Stop> {
        let offset = window.offset();
        check_length(length, offset)?;
        if length > LARGEST_BLOCK {
            let message = format!(
                "a block of {length} bytes, where {LARGEST_BLOCK} is the most; the file is damaged"
            );
            return Err(Stop::Damage { offset, message });
        }
        let block = &window.require(length as usize)?[..length as usize];
        check_trailer(length, self.endian.u32(block, block.len() - 4), offset)?;
        Ok(block)
    }

    /// Skips a block of `length` bytes, of which nothing is kept.
    fn pass_over<R: Read>(&self, window: &mut Window<R>, length: u32) -> Result<(), Stop> {
        let offset = window.offset();
        check_length(length, offset)?;
        let cut = |stop| if let Stop::Cut { .. } = stop { Stop::Cut { offset } } else { stop };
        window.skip(u64::from(length) - 4).map_err(cut)?;
        let trailer = self.endian.u32(window.require(4).map_err(cut)?, 0);
        check_trailer(length, trailer, offset)?;
        window.take(4);
        Ok(())
    }

    /// Begins a new section, with its own byte order and interfaces (section 4.1). Returns the
    /// length of its header.
    fn section<R: Read>(&mut self, window: &mut Window<R>) -> Result<u32, Stop> {
        let offset = window.offset();
        let header = window.require(16)?;
        self.endian = match header[8..12] {
            [0x4d, 0x3c, 0x2b, 0x1a] => Endian::Little,
            [0x1a, 0x2b, 0x3c, 0x4d] => Endian::Big,
            _ => {
                let message = "a section without its byte-order magic 1a2b3c4d".into();
                return Err(Stop::Damage { offset, message });
            }
        };
        let length = self.endian.u32(header, 4);
        let [major, minor] = [12, 14].map(|at| self.endian.u16(header, at));
        if major != 1 {
            let message = format!("this is pcapng of version {major}.{minor}; 1.0 can be read");
            return Err(Stop::Damage { offset, message });
        }
        self.interfaces.clear();
        self.load(window, length)?;
        Ok(length)
    }

    /// Adds an interface (section 4.2).
    fn interface(&mut self, block: &[u8]) -> Result<(), String> {
        if self.interfaces.len() == MOST_INTERFACES {
            return Err(format!("more than {MOST_INTERFACES} interfaces; the file is damaged"));
        }
        self.interfaces.push(Interface::read(self.endian, block)?);
        Ok(())
    }

    /// The packet of a packet block.
    #[inline]
    fn packet(&self, kind: u32, block: &[u8]) -> Result<BufferedRecord, String> {
        let number = |at| self.endian.u32(block, at);
        if kind == SIMPLE_PACKET {
            return self.simple_packet(block);
        }
        // Section 4.3; in the obsolete block, the interface shares its place with a count of drops.
        let data_at = 28;
        let room = room(block, data_at)?;
        let index = match kind {
            ENHANCED_PACKET => number(8),
            _ => self.endian.u16(block, 8).into(),
        };
        let interface = self.interfaces.get(index as usize).ok_or_else(|| {
            format!("a packet of interface {index}, which has not been described")
        })?;
        let data_len = number(20);
        if data_len > LARGEST_RECORD {
            return Err(too_long(data_len));
        }
        if data_len > room {
            return Err(format!("{data_len} bytes of a packet in a block with room for {room}"));
        }
        let ticks = u64::from(number(12)) << 32 | u64::from(number(16));
        Ok(BufferedRecord {
            time: Some(interface.clock.time(ticks)),
            interface: index,
            link_type: interface.link_type,
            original_len: number(24),
            data_at,
            data_len,
            block_len: block.len(),
        })
    }

    /// The packet of a simple block: one of the first interface, cut to its snap length (section
    /// 4.4).
    fn simple_packet(&self, block: &[u8]) -> Result<BufferedRecord, String> {
        let data_at = 12;
        let room = room(block, data_at)?;
        let interface = self.interfaces.first().ok_or("a packet before the first interface")?;
        let original_len = self.endian.u32(block, 8);
        let snap_len = if interface.snap_len == 0 { u32::MAX } else { interface.snap_len };
        let data_len = original_len.min(snap_len);
        // There may be up to three bytes of padding.
        if data_len > room {
            return Err(format!("{data_len} bytes of a packet in a block with room for {room}"));
        }
        if data_len > LARGEST_RECORD {
            return Err(too_long(data_len));
        }
        Ok(BufferedRecord {
            time: None,
            interface: 0,
            link_type: interface.link_type,
            original_len,
            data_at,
            data_len,
            block_len: block.len(),
        })
    }
}

/// The number of bytes of a block from `start` to its trailer.
fn room(block: &[u8], start: usize) -> Result<u32, String> {
    let room = block.len().checked_sub(start + 4);
    room.map(|room| room as u32)
        .ok_or_else(|| format!("a packet block of {} bytes is too short", block.len()))
}

fn check_length(length: u32, offset: u64) -> Result<(), Stop> {
    if length >= FRAME {
        return Ok(());
    }
    let message = format!("a block of {length} bytes; the shortest has {FRAME}");
    Err(Stop::Damage { offset, message })
}

/// Checks that the length at the end of a block is that at its beginning (section 3.1).
#[inline]
fn check_trailer(length: u32, trailer: u32, offset: u64) -> Result<(), Stop> {
    if length == trailer {
        return Ok(());
    }
    let message = format!("a block of {length} bytes says at its end that it has {trailer}");
    Err(Stop::Damage { offset, message })
}
