use wire::{LinkType, dissect};

use super::*;
use crate::Offload;
use crate::{KeptPacket, QueuedPacket};

/// An IPv4 packet of this length, of an unknown protocol.
fn receive(arena: &mut Arena, ip_start: usize, len: u16, fill: u8) -> SuperPacket {
    let ip = &mut arena.blank()[ip_start..ip_start + usize::from(len)];
    ip.fill(fill);
    ip[..20].fill(0);
    (ip[0], ip[9]) = (0x45, 253);
    ip[2..4].copy_from_slice(&len.to_be_bytes());
    let view = dissect(LinkType::RAW, ip, len.into()).unwrap();
    SuperPacket::parse(ip, &view, Offload::default()).unwrap()
}

fn received(ip_start: usize) -> Received {
    Received::of_ip(ip_start, 0, Offload::default())
}

fn keep(arena: &mut Arena, len: u16, fill: u8) -> Result<u32, Full> {
    let packet = receive(arena, 24, len, fill);
    arena.keep(&received(24), packet, 1)
}

/// A packet as it would come out of a queue.
fn queued(arena: &Arena, place: u32) -> QueuedPacket {
    let (packet, ip) = arena.packet(place);
    let view = dissect(LinkType::RAW, ip, ip.len() as u64).unwrap();
    let (framing, most, now) = (link::Framing::default(), 1, units::Time::ZERO);
    KeptPacket { packet, view: &view, place, tag: 0 }.pieces(framing, most, now).next().unwrap()
}

#[test]
fn what_is_kept_is_what_was_received() {
    let mut arena = Arena::new(Bytes(1 << 20));
    let lens = [20, 60, 1500, 2048, 2049, 9000, 16_384, 16_385, 65_535];
    let places: Vec<_> =
        (1..).zip(lens).map(|(fill, len)| keep(&mut arena, len, fill).unwrap()).collect();
    arena.blank().fill(0xff);
    for ((fill, len), place) in (1..).zip(lens).zip(places) {
        let (packet, ip) = arena.packet(place);
        assert_eq!((packet.total, ip.len()), (len.into(), len.into()));
        assert!(ip[20..].iter().all(|byte| *byte == fill), "{len}");
    }
}

#[test]
fn memory_is_reused_and_bounded() {
    let most = Bytes(200 << 10);
    let mut arena = Arena::new(most);
    let mut kept = vec![];
    while let Ok(place) = keep(&mut arena, 1500, 1) {
        kept.push(place);
    }
    assert_eq!((kept.len(), arena.held()), (100, most));
    // A full arena has no room for any size; memory freed by small packets serves large ones.
    assert_eq!(keep(&mut arena, 60_000, 2), Err(Full));
    for place in kept.drain(..40) {
        arena.release(place);
    }
    let large = keep(&mut arena, 60_000, 3).unwrap();
    assert_eq!(arena.held(), Bytes((120 + 65) << 10));
    arena.release(large);
    while let Ok(place) = keep(&mut arena, 1500, 4) {
        kept.push(place);
    }
    assert_eq!(kept.len(), 100);
    kept.sort_unstable();
    kept.dedup();
    assert_eq!(kept.len(), 100, "no place is given twice");
    kept.into_iter().for_each(|place| arena.release(place));
    assert_eq!(arena.held(), Bytes::ZERO);
}

/// A warm arena reuses the same places and blanks.
#[test]
fn a_warm_arena_does_not_grow() {
    let mut arena = Arena::new(Bytes(1 << 30));
    let lens = [60, 1500, 9000, 40_000, 65_535];
    for round in 0..100_u8 {
        let places: Vec<_> =
            lens.iter().map(|len| keep(&mut arena, *len, round).unwrap()).collect();
        places.into_iter().for_each(|place| arena.release(place));
    }
    assert_eq!((arena.slots.len(), arena.held()), (lens.len(), Bytes::ZERO));
}

#[test]
fn a_packet_stays_until_its_last_piece_has_gone() {
    let mut arena = Arena::new(Bytes(1 << 20));
    let packet = receive(&mut arena, 0, 1000, 9);
    let place = arena.keep(&received(0), packet, 3).unwrap();
    let piece = queued(&arena, place);
    for _ in 0..2 {
        arena.release(piece.place);
        assert_eq!(arena.held(), Bytes(2048));
    }
    arena.release(piece.place);
    assert_eq!(arena.held(), Bytes::ZERO);
}
