//! Which end's data waits.

use super::*;

/// A packet with timestamps: its own, and the echo of the other end's.
fn stamped(mut packet: Vec<u8>, value: u32, echo: u32) -> Vec<u8> {
    let len = packet.len() as u16 + 12;
    packet[2..4].copy_from_slice(&len.to_be_bytes());
    packet[32] = 0x80;
    let options = [&[1, 1, 8, 10][..], &value.to_be_bytes(), &echo.to_be_bytes()].concat();
    packet.splice(40..40, options);
    packet
}

/// A download, captured at the server: both the server's acknowledged data and its echoed timestamps show the queue on the
/// way to the client. The client's request has not waited in it.
#[test]
fn the_data_that_waits_is_that_of_the_end_that_sends_more() {
    const LEN: u32 = 1000;
    let request = (1, stamped(packet(1, [1, 1], ACK, 60_000, 40), 1, 0));
    let mut packets = vec![request];
    for step in 0..2000_u32 {
        let at = 10 + step;
        // The queue grows by a millisecond in ten, and then it shrinks.
        let phase = step / 10 % 80;
        let wait = 5 + phase.min(80 - phase);
        let seq = 1 + step * LEN;
        packets.push((at, stamped(packet(2, [seq, 41], ACK, 60_000, LEN as u16), at, at)));
        let back = at + wait;
        packets.push((back, stamped(packet(1, [41, seq + LEN], ACK, 60_000, 0), back, at)));
    }
    packets.sort_by_key(|(at, _)| *at);
    let mut connections = Connections::default();
    for (at, packet) in &packets {
        connections.take(&record(u64::from(*at), packet), &mut ());
    }
    let document = connections.document(String::new());
    let [client, server] = &document.connections[0].ends;
    let added = |end: &results::CapturedEnd| end.queue.as_ref()?.added_p95_ms;
    let echoes = server.waits_by_timestamps.p95_ms;
    assert!(echoes.is_some_and(|millis| millis > 30.0), "{echoes:?}");
    assert!(added(server).is_some_and(|millis| millis > 30.0), "{server:?}");
    assert_eq!(added(client), None, "{client:?}");
}
