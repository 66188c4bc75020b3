//! A packet, or a piece of a super-packet, ready to be sent.

use wire::{LinkType, PacketView, dissect};

use super::{SuperPacket, complete};
use crate::Offload;

/// A packet or super-packet in two slices: headers, and payload that was not copied.
#[derive(Clone, Copy, Debug)]
pub struct PacketSlices<'a> {
    /// The header before the IP header, which stays as it was; empty if the port makes one.
    pub link_header: &'a [u8],
    /// The bytes from the IP header on; all bytes of a packet that is not cut.
    pub headers: &'a [u8],
    /// The bytes after `headers`.
    pub payload: &'a [u8],
    /// The work that is left to be done on the packet.
    pub offload: Offload,
}

impl<'a> PacketSlices<'a> {
    /// A packet in one slice, before which a port puts a link header of its own.
    pub const fn whole(headers: &'a [u8], offload: Offload) -> Self {
        Self { link_header: &[], headers, payload: &[], offload }
    }

    /// Calls `each` with each of the packets, from the IP header on, as it would be on a wire: cut,
    /// and with complete checksums. An invalid packet is passed as it is. The packets are built in
    /// `packet`, one after the other. This is for captures.
    pub fn each_packet(&self, packet: &mut Vec<u8>, each: &mut dyn FnMut(&[u8])) {
        let Some((view, all)) = self.understand() else {
            packet.clear();
            self.append(0, self.len(), packet);
            return each(packet);
        };
        for index in 0..all.packets {
            all.write_headers(self.headers, index, 1, None, packet);
            let (from, to) = all.payload(index, 1);
            self.append(from, to, packet);
            if let Some(partial) = self.offload.checksum {
                complete(packet, view.protocol, partial);
            }
            each(packet);
        }
    }

    fn understand(&self) -> Option<(PacketView, SuperPacket)> {
        let view = dissect(LinkType::RAW, self.headers, self.len() as u64).ok()?;
        let all = SuperPacket::of_headers(self.headers, self.len(), &view, self.offload).ok()?;
        Some((view, all))
    }

    fn len(&self) -> usize {
        self.headers.len() + self.payload.len()
    }

    /// Appends bytes `from..to`, counted from the IP header.
    fn append(&self, from: usize, to: usize, packet: &mut Vec<u8>) {
        let (middle, from_headers) = (self.headers.len(), from.min(self.headers.len()));
        packet.extend_from_slice(&self.headers[from_headers..to.min(middle)]);
        packet.extend_from_slice(&self.payload[from.max(middle) - middle..to.max(middle) - middle]);
    }
}
