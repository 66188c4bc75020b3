//! The items of live queues: packets, or some packets of a super-packet.

use link::Framing;
use qdisc::{Dscp, Ecn, Flow, Headers, Hosts, IpLens, Marking, Packet, TcpHeader};
use units::{Bytes, Time, mix};
use wire::{LinkType, PacketView, dissect, host};

use crate::{Arena, PacketSlices, SuperPacket};

/// A packet, or some packets of a super-packet, in a queue: a small value, whose bytes are in the
/// `Arena`.
#[derive(Clone, Copy, Debug)]
pub struct QueuedPacket {
    /// The time at which the packet was offered to the queue.
    pub offered: Time,
    /// An unkeyed hash of the fields that tell flows apart.
    pub(crate) digest: u64,
    /// The place of the bytes in the arena.
    pub(crate) place: u32,
    /// The sum of the packets' lengths on the wire, with framing, in bytes.
    pub len: u32,
    /// The value that [`Watch::entered`](crate::Watch::entered) returned.
    pub tag: u32,
    /// The index of the first packet in the super-packet.
    pub(crate) first: u16,
    /// The number of packets.
    pub packets: u16,
    /// The traffic class, and whether this link's queue has marked it.
    pub marking: Marking,
}

/// A packet, or a super-packet, that the arena keeps.
#[derive(Clone, Copy, Debug)]
pub struct KeptPacket<'a> {
    /// The lengths.
    pub packet: &'a SuperPacket,
    /// The fields of the headers.
    pub view: &'a PacketView,
    /// The place in the arena.
    pub place: u32,
    /// The value that [`Watch::entered`](crate::Watch::entered) returned.
    pub tag: u32,
}

impl KeptPacket<'_> {
    /// Cuts the packet into [`SuperPacket::pieces`] pieces. Each has at most `most_packets`
    /// packets, and the wire adds its `framing` to each packet.
    pub fn pieces(
        &self,
        framing: Framing,
        most_packets: u16,
        offered: Time,
    ) -> impl Iterator<Item = QueuedPacket> + use<> {
        let Self { packet, view, place, tag } = *self;
        let (packet, most_packets) = (*packet, most_packets.max(1));
        let (digest, marking) = (digest(view), Marking::of_class(view.dscp << 2 | view.ecn));
        (0..packet.pieces(most_packets)).map(move |index| {
            let first = index * most_packets;
            let packets = most_packets.min(packet.packets - first);
            let frame = |index| framing.frame(Bytes(packet.ip_len(index, 1))).0;
            // All are as long but the last.
            let len = frame(first) * u64::from(packets - 1) + frame(first + packets - 1);
            let len = u32::try_from(len).unwrap_or(u32::MAX);
            QueuedPacket { offered, digest, place, len, tag, first, packets, marking }
        })
    }
}

impl QueuedPacket {
    /// The packets, with the traffic class that the queue has given them. Headers are built in
    /// `scratch`.
    pub(crate) fn slices<'a>(
        &self,
        arena: &'a Arena,
        scratch: &'a mut Vec<u8>,
    ) -> PacketSlices<'a> {
        let (packet, ip) = arena.packet(self.place);
        let class = Some(self.marking.traffic_class());
        let cut = packet.cut(ip, self.first, self.packets, class, scratch);
        PacketSlices { link_header: arena.link_header(self.place), ..cut }
    }
}

/// A hash of the fields that tell flows apart: two of the hashes that replayed packets have, so
/// that fragments are treated alike.
fn digest(view: &PacketView) -> u64 {
    const OTHER_SALT: u64 = 0x9e37_79b9_7f4a_7c15;
    u64::from(view.flow_hash(0)) << 32 | u64::from(view.flow_hash(OTHER_SALT))
}

impl Packet for QueuedPacket {
    type Store = Arena;

    #[inline]
    fn len(&self) -> Bytes {
        Bytes(self.len.into())
    }

    #[inline]
    fn packets(&self) -> u64 {
        self.packets.into()
    }

    #[inline]
    fn ecn(&self) -> Ecn {
        self.marking.ecn()
    }

    #[inline]
    fn set_ce(&mut self) {
        self.marking.set_ce();
    }
}

impl Flow for QueuedPacket {
    #[inline]
    fn flow_hash(&self, salt: u64) -> u32 {
        (mix(salt ^ self.digest) >> 32) as u32
    }
}

impl Headers for QueuedPacket {
    #[inline]
    fn dscp(&self) -> Dscp {
        self.marking.dscp()
    }

    #[inline]
    fn set_dscp(&mut self, dscp: Dscp) {
        self.marking.set_dscp(dscp);
    }

    fn hosts(&self, arena: &Arena) -> Hosts {
        if let Some(known) = arena.known(self.place) {
            return known.hosts;
        }
        let hosts = |view: PacketView| Hosts {
            source: host(view.source),
            destination: host(view.destination),
        };
        let (_, ip) = arena.packet(self.place);
        view_of(ip).map_or(Hosts::default(), hosts)
    }

    fn untranslated_hosts(&self, arena: &Arena) -> Hosts {
        arena.known(self.place).map_or_else(|| self.hosts(arena), |known| known.untranslated)
    }

    fn mark(&self, arena: &Arena) -> u32 {
        arena.known(self.place).map_or(0, |known| known.mark)
    }

    fn ip_lens(&self, arena: &Arena) -> IpLens {
        let (packet, _) = arena.packet(self.place);
        let len = |index| Bytes(packet.ip_len(index, 1));
        IpLens { each: len(self.first), last: len(self.first + self.packets - 1) }
    }

    fn tcp(&self, arena: &Arena) -> Option<TcpHeader> {
        let (packet, ip) = arena.packet(self.place);
        let (from, to) = packet.payload(self.first, self.packets);
        TcpHeader::parse(view_of(ip)?.tcp_header(ip)?, Bytes((to - from) as u64))
    }
}

/// The view of a packet in the arena, which had one when it was kept.
fn view_of(ip: &[u8]) -> Option<PacketView> {
    dissect(LinkType::RAW, ip, 0).ok()
}

#[cfg(test)]
mod tests {
    use link::Cells;
    use qdisc::Timestamps;

    use super::*;
    use crate::{KnownFlow, Offload, PartialChecksum, Received, Segmentation};

    /// A super-packet over IPv4: 25 packets with 40 bytes of headers and 1000 of payload; the last
    /// has less payload.
    fn super_packet() -> (SuperPacket, PacketView) {
        let mut ip = vec![0; 40 + 24_500];
        let len = (ip.len() as u16).to_be_bytes();
        ip[..12].copy_from_slice(&[0x45, 2, len[0], len[1], 0, 0, 0x40, 0, 64, 6, 0, 0]);
        ip[32] = 0x50;
        let checksum = Some(PartialChecksum { start: 20, offset: 16 });
        let segmentation = Some(Segmentation { tcp: true, size: 1000, cwr_first: false });
        let view = dissect(LinkType::RAW, &ip, ip.len() as u64).unwrap();
        let offload = Offload { checksum, segmentation };
        (SuperPacket::parse(&ip, &view, offload).unwrap(), view)
    }

    const ETHERNET: Framing = Framing { overhead: Bytes(14), cells: Cells::None };

    fn pieces(most_packets: u16) -> Vec<QueuedPacket> {
        let (packet, view) = super_packet();
        let now = Time::from_millis(5);
        KeptPacket { packet: &packet, view: &view, place: 3, tag: 8 }
            .pieces(ETHERNET, most_packets, now)
            .collect()
    }

    #[test]
    fn a_queue_moves_little() {
        assert!(size_of::<QueuedPacket>() <= 40, "{}", size_of::<QueuedPacket>());
    }

    #[test]
    fn pieces_share_all_that_there_is() {
        for (most, expected) in [(1, 25), (10, 3), (25, 1), (u16::MAX, 1), (0, 25)] {
            let pieces = pieces(most);
            assert_eq!((pieces.len(), super_packet().0.pieces(most)), (expected, expected as u16));
            let packets: u16 = pieces.iter().map(|piece| piece.packets).sum();
            let bytes: u32 = pieces.iter().map(|piece| piece.len).sum();
            assert_eq!((packets, bytes), (25, 25 * (40 + 14) + 24_500));
            assert!(pieces.iter().all(|piece| (piece.tag, piece.ecn()) == (8, Ecn::Ect0)));
            let starts = pieces.iter().map(|piece| piece.first);
            assert!(starts.eq((0..25).step_by(most.max(1).into())));
        }
        assert_eq!(
            pieces(10).iter().map(|piece| piece.len).collect::<Vec<_>>(),
            [10_540, 10_540, 4770]
        );
    }

    /// A TCP super-packet over IPv4 of 25 packets, each with 52 bytes of headers and 1000 of
    /// payload but the last, and what is expected of it. `wire` and `qdisc` read the same bytes.
    #[test]
    fn headers_are_read_from_the_bytes_in_the_arena() {
        let mut ip = vec![0; 52 + 24_500];
        let len = (ip.len() as u16).to_be_bytes();
        ip[..12].copy_from_slice(&[0x45, 0xba, len[0], len[1], 0, 0, 0x40, 0, 64, 6, 0, 0]);
        ip[12..20].copy_from_slice(&[192, 0, 2, 1, 198, 51, 100, 2]);
        ip[28..34].copy_from_slice(&[0, 0, 0, 77, 0x80, 0x18]);
        ip[40..52].copy_from_slice(&[1, 1, 8, 10, 0, 0, 0, 5, 0, 0, 0, 9]);
        let checksum = Some(PartialChecksum { start: 20, offset: 16 });
        let segmentation = Some(Segmentation { tcp: true, size: 1000, cwr_first: false });
        let view = dissect(LinkType::RAW, &ip, ip.len() as u64).unwrap();
        let packet = SuperPacket::parse(&ip, &view, Offload { checksum, segmentation }).unwrap();
        let mut arena = Arena::new(Bytes(1 << 20));
        arena.blank()[..ip.len()].copy_from_slice(&ip);
        let place = arena
            .keep(&Received::of_ip(0, ip.len(), packet.offload), packet, packet.pieces(10))
            .unwrap();
        let pieces: Vec<_> = KeptPacket { packet: &packet, view: &view, place, tag: 0 }
            .pieces(ETHERNET, 10, Time::ZERO)
            .collect();
        let hosts = Hosts { source: 0xc000_0201, destination: 0xc633_6402 };
        assert_eq!((pieces[0].untranslated_hosts(&arena), pieces[0].mark(&arena)), (hosts, 0));
        for (piece, (last, payload)) in
            pieces.iter().zip([(1052, 10_000), (1052, 10_000), (552, 4500)])
        {
            assert_eq!((piece.dscp(), piece.ecn()), (Dscp::from_bits(46), Ecn::Ect0));
            assert_eq!(piece.hosts(&arena), hosts);
            let lens = IpLens { each: Bytes(1052), last: Bytes(last) };
            assert_eq!(piece.ip_lens(&arena), lens);
            let header = piece.tcp(&arena).unwrap();
            assert_eq!((header.flags, header.ack, header.payload), (0x18, 77, Bytes(payload)));
            assert_eq!(header.timestamps, Some(Timestamps { value: 5, echo: 9 }));
        }
        let untranslated = Hosts { source: 7, ..hosts };
        arena.know(place, Some(KnownFlow { hosts: Hosts::default(), untranslated, mark: 3 }));
        assert_eq!(pieces[0].hosts(&arena), Hosts::default());
        assert_eq!(
            (pieces[0].untranslated_hosts(&arena), pieces[0].mark(&arena)),
            (untranslated, 3)
        );
        let mut washed = pieces[2];
        washed.set_dscp(Dscp::default());
        let mut scratch = vec![];
        assert_eq!(washed.slices(&arena, &mut scratch).headers[1], 0x02, "the ECN field stays");
    }

    #[test]
    fn flows_are_told_apart_and_fragments_are_not() {
        let (_, view) = super_packet();
        let flow =
            |source, is_fragment| PacketView { ports: Some((source, 2000)), is_fragment, ..view };
        assert_ne!(digest(&flow(1, false)), digest(&flow(2, false)));
        assert_eq!(digest(&flow(1, false)), digest(&flow(1, false)));
        assert_eq!(digest(&flow(1, true)), digest(&flow(2, true)));
        let mut packet = pieces(25)[0];
        let hash = packet.flow_hash(1);
        assert_ne!(hash, packet.flow_hash(2));
        packet.digest ^= 1;
        assert_ne!(hash, packet.flow_hash(1));
    }
}
