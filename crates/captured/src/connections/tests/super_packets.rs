//! Super-packets (GSO): several full packets in one frame of the capture.

use super::*;

const FULL: u32 = 1448;

/// A SYN that allows full packets.
fn with_mss(mut packet: Vec<u8>) -> Vec<u8> {
    packet[2..4].copy_from_slice(&44_u16.to_be_bytes());
    packet[32] = 0x60;
    packet.splice(40..40, [&[2, 4][..], &(FULL as u16).to_be_bytes()].concat());
    packet
}

/// An upload over 20 ms and a queue that grows, captured at its sender: super-packets of these many full packets, by turns,
/// and an acknowledgement of each full packet. Of every `last`-th, the last packet is short.
fn upload(packets: [u32; 2], last: u32) -> results::CapturedEnd {
    let mut all = vec![
        (0, with_mss(packet(1, [0, 0], SYN, 60_000, 0))),
        (20_000, with_mss(packet(2, [0, 1], SYN | ACK, 60_000, 0))),
        (20_020, packet(1, [1, 1], ACK, 60_000, 0)),
    ];
    let mut seq = 1;
    for step in 0..2_000_u32 {
        let count = packets[step as usize % 2];
        let short = if step % last == last - 1 { FULL - 500 } else { FULL };
        let at = 30_000 + 6_000 * u64::from(step * (packets[0] + packets[1]) / 2);
        let len = (count - 1) * FULL + short;
        all.push((at, packet(1, [seq, 1], ACK, 60_000, len as u16)));
        for one in 1..=count {
            let acked = if one == count { seq + len } else { seq + one * FULL };
            // The queue grows by 100 ms.
            let wait = u64::from(step) * 50 + 1_200 * u64::from(one);
            all.push((at + 20_000 + wait, packet(2, [1, acked], ACK, 60_000, 0)));
        }
        seq += len;
    }
    all.sort_by_key(|(at, _)| *at);
    let mut connections = Connections::default();
    for (at, packet) in &all {
        let time = Some(Time::ZERO + Span::from_micros(*at));
        connections.take(&Record { time, ..record(0, packet) }, &mut ());
    }
    connections.document(String::new()).connections[0].ends[0].clone()
}

#[test]
fn a_super_packet_of_full_packets_is_full() {
    let limited = |packets, last| {
        let limited = upload(packets, last).limited.unwrap();
        limited.application_s / (limited.application_s + limited.path_s)
    };
    assert!(limited([2, 6], u32::MAX) < 0.01, "{}", limited([2, 6], u32::MAX));
    // The program has nothing more after a short one: in half of the time.
    assert!((0.4..0.6).contains(&limited([6, 6], 2)), "{}", limited([6, 6], 2));
}

/// tcptrace counts only round trips of whole frames. Here no acknowledgement of a whole frame is the first one in it.
#[test]
fn the_parts_of_a_super_packet_have_round_trips() {
    let end = upload([6, 6], u32::MAX);
    assert_eq!(end.round_trips.count, 1, "that of the SYN: {:?}", end.round_trips);
    let waits = end.queue.unwrap().waits;
    let added = waits.p95_ms.unwrap() - waits.least_ms.unwrap();
    assert!((90.0..110.0).contains(&added), "{waits:?}");
}
