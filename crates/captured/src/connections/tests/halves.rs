//! Which end's data waits.

use results::Unmeasured;

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

/// The queue that the data of an upload waits in ahead of the capture, with a segment in each `every` microseconds. The path
/// needs 100 microseconds to the receiver and back, and `behind` to the sender, which only the handshake shows: there are
/// no timestamps. The receiver offers this window.
fn upload_without_timestamps(every: u64, behind: u64, window: u16) -> results::CapturedQueue {
    const LEN: u32 = 1000;
    const AHEAD: u64 = 100;
    const TIME: u64 = 2_400_000;
    let mut packets = vec![
        (0, packet(1, [0, 0], SYN, 60_000, 0)),
        (AHEAD, packet(2, [0, 1], SYN | ACK, 60_000, 0)),
        (AHEAD + behind, packet(1, [1, 1], ACK, 60_000, 0)),
    ];
    for (step, begin) in (0..TIME).step_by(every as usize).enumerate() {
        let at = 1000 + begin;
        // The queue grows by half a millisecond in twelve, and then it shrinks.
        let phase = begin / 12_000 % 160;
        let back = at + AHEAD + 480 * phase.min(160 - phase);
        let seq = 1 + step as u32 * LEN;
        packets.push((at, packet(1, [seq, 1], ACK, 60_000, LEN as u16)));
        packets.push((back, packet(2, [1, seq + LEN], ACK, window, 0)));
    }
    packets.sort_by_key(|(at, _)| *at);
    let mut connections = Connections::default();
    for (at, packet) in &packets {
        let time = Some(Time::ZERO + Span::from_micros(*at));
        connections.take(&Record { time, ..record(0, packet) }, &mut ());
    }
    let document = connections.document(String::new());
    document.connections[0].ends[0].queue.clone().unwrap()
}

/// Which of two distances is longer cannot be told where both differ by less than a wake-up takes: there, a long wait ahead
/// of the capture is one of a queue. Where the sender is farther away than the receiver, the capture may be behind the
/// queue that counts.
#[test]
fn a_long_wait_ahead_counts_where_both_ends_are_near() {
    let added = |behind| upload_without_timestamps(120, behind, 60_000).added_p95_ms;
    assert!(added(180).is_some_and(|millis| millis > 30.0), "{:?}", added(180));
    assert!(added(50).is_some_and(|millis| millis > 30.0), "{:?}", added(50));
    assert_eq!(added(400), None);
}

/// A program that sends by its own clock does not show whose queue it waits in, so that its acknowledgements may wait.
#[test]
fn without_timestamps_only_an_own_queue_is_one_of_the_data() {
    let queue = upload_without_timestamps(1_000, 50, 60_000);
    assert_eq!((queue.added_p95_ms, queue.added_reason), (None, Some(Unmeasured::WayBack)));
    assert!(queue.waits.p95_ms.is_some_and(|millis| millis > 30.0), "{:?}", queue.waits);
}

/// A receiver that has hardly room waits with its acknowledgements for a program that does not read.
#[test]
fn acknowledgements_without_room_tell_no_wait() {
    let waits = |window| upload_without_timestamps(120, 50, window).waits.p95_ms;
    assert!(waits(2_000).is_some_and(|millis| millis > 30.0), "{:?}", waits(2_000));
    assert_eq!(waits(1_999), None);
}

/// What is known of an upload of two seconds, captured at its receiver: the sender is 50 ms away. `edit` changes what is
/// captured of each packet.
fn at_receiver(edit: impl Fn(Vec<u8>) -> Vec<u8>) -> (results::Capture, results::CapturedQueue) {
    const LEN: u32 = 1000;
    let mut packets = vec![
        (0, packet(1, [0, 0], SYN, 60_000, 0)),
        (0, packet(2, [0, 1], SYN | ACK, 60_000, 0)),
        (50, packet(1, [1, 1], ACK, 60_000, 0)),
    ];
    for step in 0..2000_u32 {
        let (at, seq) = (50 + step, 1 + step * LEN);
        packets.push((at, stamped(packet(1, [seq, 1], ACK, 60_000, LEN as u16), at, at - 50)));
        packets.push((at, stamped(packet(2, [1, seq + LEN], ACK, 60_000, 0), at, at)));
    }
    let mut connections = Connections::default();
    for (at, packet) in packets {
        let original_len = packet.len() as u64;
        let packet = edit(packet);
        if !packet.is_empty() {
            connections.take(&Record { original_len, ..record(at.into(), &packet) }, &mut ());
        }
    }
    let document = connections.document(String::new());
    let queue = document.connections[0].ends.iter().find(|it| it.port == 1).unwrap().queue.clone();
    (document, queue.unwrap())
}

/// At the receiver, timestamps alone show how long the data waited.
#[test]
fn the_reason_why_waits_are_not_known_is_told() {
    let reason = |edit: &dyn Fn(Vec<u8>) -> Vec<u8>| at_receiver(edit).1.added_reason;
    assert_eq!(reason(&|packet| packet), None);
    assert_eq!(
        reason(&|packet| packet[..packet.len().min(46)].to_vec()),
        Some(Unmeasured::CutOptions)
    );
    // The options of no operation in place of the timestamps.
    let bare = |mut packet: Vec<u8>| {
        packet.iter_mut().skip(40).take(12).for_each(|byte| *byte = 1);
        packet
    };
    assert_eq!(reason(&bare), Some(Unmeasured::NoTimestamps));
    let data_alone = |packet: Vec<u8>| if packet[15] == 1 { packet } else { Vec::new() };
    assert_eq!(reason(&data_alone), Some(Unmeasured::OneDirection));
    let (cut, _) = at_receiver(|packet| packet[..packet.len().min(46)].to_vec());
    assert_eq!(cut.anomalies, [CaptureAnomaly::CutOptions { count: 4000 }]);
}

/// The acknowledgements of data that was not captured tell its rate.
#[test]
fn acknowledgements_alone_tell_the_rate() {
    let acks_alone = |packet: Vec<u8>| if packet[15] == 2 { packet } else { Vec::new() };
    let (document, queue) = at_receiver(acks_alone);
    assert_eq!((queue.added_reason, queue.grade), (Some(Unmeasured::OneDirection), None));
    let sender = document.connections[0].ends.iter().find(|it| it.port == 1).unwrap();
    assert_eq!(sender.acknowledged_bytes, 2_000_000);
    let rate = sender.goodput_bytes_per_s.unwrap();
    assert!((rate / 1e6 - 1.0).abs() < 0.05, "{rate}");
}

/// A burst of a few packets shows no rate, unless they took long.
#[test]
fn a_burst_shows_no_rate() {
    let rate = |count: u32, micros: u64| {
        let mut connections = Connections::default();
        for step in 0..count {
            let at = Time::ZERO + Span::from_micros(micros) * u64::from(step);
            let data = packet(1, [step * 1448, 1], ACK, 60_000, 1448);
            connections.take(&Record { time: Some(at), ..record(0, &data) }, &mut ());
            let ack = packet(2, [1, (step + 1) * 1448], ACK, 60_000, 0);
            connections.take(&Record { time: Some(at), ..record(0, &ack) }, &mut ());
        }
        connections.document(String::new()).connections[0].ends[0].goodput_bytes_per_s
    };
    assert_eq!(rate(20, 100), None);
    assert!(rate(21, 100).is_some());
    assert!(rate(20, 300_000).is_some());
}

/// Without timestamps, and without a queue ahead, data may have waited before the capture. At the sender, none can have.
#[test]
fn the_wait_before_the_capture_is_not_known() {
    let longest = |behind: u64| {
        let mut packets = vec![
            (0, packet(1, [0, 0], SYN, 60_000, 0)),
            (20_000, packet(2, [0, 1], SYN | ACK, 60_000, 0)),
            (20_000 + behind, packet(1, [1, 1], ACK, 60_000, 0)),
        ];
        for step in 0..2000_u32 {
            let at = 30_000 + 2000 * u64::from(step);
            packets.push((at, packet(1, [1 + step * 1000, 1], ACK, 60_000, 1000)));
            packets.push((at + 20_000, packet(2, [1, 1001 + step * 1000], ACK, 60_000, 0)));
        }
        packets.sort_by_key(|(at, _)| *at);
        let mut connections = Connections::default();
        for (at, packet) in &packets {
            let time = Some(Time::ZERO + Span::from_micros(*at));
            connections.take(&Record { time, ..record(0, packet) }, &mut ());
        }
        let queue =
            connections.document(String::new()).connections[0].ends[0].queue.clone().unwrap();
        (queue.added_p95_ms, queue.added_most_ms)
    };
    assert_eq!(longest(50), (Some(0.0), Some(0.0)));
    assert_eq!(longest(500), (Some(0.0), None));
    assert_eq!(longest(5000), (None, None));
}

/// The queues of a connection of twenty seconds between two ends that both send data, with so many milliseconds of wait on the way of each
/// one's data. The capture is made at the first end, and the way without queues takes 10 ms.
fn both_ways(waits: [u64; 2], has_timestamps: bool) -> [results::CapturedQueue; 2] {
    const LEN: u32 = 1000;
    const WAY: u64 = 5;
    let mut packets = Vec::new();
    let mut send = |at: u64, packet: Vec<u8>, value: u64, echo: u64| {
        let packet =
            if has_timestamps { stamped(packet, value as u32, echo as u32) } else { packet };
        packets.push((at, packet));
    };
    let [there, back] = waits.map(|wait| move |at: u64| WAY + if at > 2000 { wait } else { 0 });
    for step in 0..1000_u64 {
        let at = 10 + 20 * step;
        let seq = 1 + step as u32 * LEN;
        let arrives = at + there(at);
        let acked = arrives + back(arrives);
        send(at, packet(1, [seq, seq], ACK, 60_000, LEN as u16), at, at);
        send(acked, packet(2, [seq, seq + LEN], ACK, 60_000, LEN as u16), arrives, at);
        send(acked, packet(1, [seq + LEN, seq + LEN], ACK, 60_000, 0), acked, arrives);
    }
    packets.sort_by_key(|(at, _)| *at);
    let mut connections = Connections::default();
    for (at, packet) in &packets {
        connections.take(&record(*at, packet), &mut ());
    }
    let document = connections.document(String::new());
    let mut ends = document.connections[0].ends.clone();
    ends.sort_by_key(|end| end.port);
    ends.map(|end| end.queue.unwrap())
}

#[test]
fn timestamps_tell_which_way_waits() {
    for waits in [[0, 0], [150, 0], [0, 150], [150, 60]] {
        let queues = both_ways(waits, true);
        let off = |queue: &results::CapturedQueue, wait: u64| {
            queue.added_p95_ms.map(|told| (told - wait as f64).abs())
        };
        assert!(off(&queues[0], waits[0]).unwrap() <= 2.0, "{waits:?}: {:?}", queues[0]);
        // Of the other end, hardly any echo comes at once; half of the pause of 20 ms may be missing.
        let other = off(&queues[1], waits[1]);
        assert!(other.is_none_or(|off| off <= 10.0), "{waits:?}: {:?}", queues[1]);
    }
}

#[test]
fn without_timestamps_data_both_ways_does_not_tell_which_way_waits() {
    let told =
        |waits| both_ways(waits, false).map(|it| (it.added_p95_ms.is_some(), it.added_reason));
    assert_eq!(told([0, 150])[0], (false, Some(Unmeasured::WayBack)));
    assert_eq!(told([150, 0])[0], (false, Some(Unmeasured::WayBack)));
    assert_eq!(told([0, 0])[0], (true, None));
}
