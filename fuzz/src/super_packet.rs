//! The data that a program writes to a port of the lab: packets and super-packets with arbitrary
//! headers.

use live::{Format, Offload, PacketSlices, Reading, SuperPacket};
use wire::{LinkType, dissect};

/// Cuts a packet that a program writes to a port: the kind of the port, the most packets in one
/// piece, and the data, which are a virtio-net header (with numbers in the machine's byte order),
/// an Ethernet header for some ports, and a packet. However the packet is cut, the result is the
/// same packets, with the announced number of bytes.
pub fn super_packet(bytes: &[u8]) {
    let Some((offload, most, ip)) = read(bytes) else { return };
    let Some(packet) = parse(ip, offload) else { return };
    let (at_once, in_pieces) = (cut(&packet, ip, packet.packets), cut(&packet, ip, most));
    assert!(at_once == in_pieces, "{packet:?} in pieces of {most}");
    let sum: usize = at_once.iter().map(Vec::len).sum();
    assert_eq!(sum as u64, packet.ip_len(0, packet.packets), "{packet:?}");
    assert_eq!(at_once.len(), usize::from(packet.packets), "{packet:?}");
    if packet.packets == 1 && offload.checksum.is_some() {
        // A checksum requested in the middle of a packet's headers is written there.
        return;
    }
    for single in &at_once {
        let single_of = parse(single, Offload::default());
        assert!(single_of.is_some_and(|single| single.packets == 1), "{single:x?} of {packet:?}");
    }
}

fn read(bytes: &[u8]) -> Option<(Offload, u16, &[u8])> {
    let (&[kind, most], came_out) = bytes.split_first_chunk::<2>()?;
    let format = if kind % 2 == 0 { Format::Ip } else { Format::MadeEthernet };
    let Reading::Packet(received) = format.understand(came_out) else { return None };
    Some((received.offload, most.into(), &came_out[received.ip_start..received.end]))
}

fn parse(ip: &[u8], offload: Offload) -> Option<SuperPacket> {
    let view = dissect(LinkType::RAW, ip, ip.len() as u64).ok()?;
    SuperPacket::parse(ip, &view, offload).ok()
}

/// The packets, all marked and of the code point 0, cut through pieces of at most `most` packets.
fn cut(packet: &SuperPacket, ip: &[u8], most: u16) -> Vec<Vec<u8>> {
    let most = most.clamp(1, packet.packets);
    let (mut packets, mut scratch, mut single) = (vec![], vec![], vec![]);
    for first in (0..packet.packets).step_by(most.into()) {
        let count = most.min(packet.packets - first);
        let piece: PacketSlices<'_> = packet.cut(ip, first, count, Some(0b11), &mut scratch);
        piece.each_packet(&mut single, &mut |packet| packets.push(packet.to_vec()));
    }
    packets
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The seeds must be valid: mutations of an invalid one reach nothing.
    #[test]
    fn the_seeds_are_packets() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/seeds/super_packet");
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let bytes = std::fs::read(&path).unwrap();
            let (offload, _, ip) = read(&bytes).unwrap();
            let packet = parse(ip, offload).unwrap_or_else(|| panic!("{path:?}"));
            assert_eq!(packet.packets > 1, offload.segmentation.is_some(), "{path:?}");
        }
    }
}
