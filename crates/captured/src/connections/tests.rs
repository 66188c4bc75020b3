use results::CaptureAnomaly;
use units::Span;
use wire::LinkType;

use super::*;

mod copies;
mod halves;
mod super_packets;

const FIN: u8 = 1;
const SYN: u8 = 2;
const RST: u8 = 4;
const ACK: u8 = 16;
const ECE: u8 = 64;
const CWR: u8 = 128;

/// An IPv4 packet of a TCP segment of one of two ends, with so many bytes of data.
fn packet(from: u8, [seq, ack]: [u32; 2], flags: u8, window: u16, len: u16) -> Vec<u8> {
    let mut bytes = vec![0; 40];
    bytes[0] = 0x45;
    bytes[2..4].copy_from_slice(&(40 + len).to_be_bytes());
    bytes[8..10].copy_from_slice(&[64, 6]);
    bytes[12..20].copy_from_slice(&[10, 0, 0, from, 10, 0, 0, 3 - from]);
    bytes[20..24].copy_from_slice(&[0, from, 0, 3 - from]);
    bytes[24..28].copy_from_slice(&seq.to_be_bytes());
    bytes[28..32].copy_from_slice(&ack.to_be_bytes());
    bytes[32..34].copy_from_slice(&[0x50, flags]);
    bytes[34..36].copy_from_slice(&window.to_be_bytes());
    bytes.resize(40 + usize::from(len), 0);
    bytes
}

/// A record of a packet: the packets are a millisecond apart.
fn record(number: u64, data: &[u8]) -> Record<'_> {
    Record {
        number,
        time: Some(Time::ZERO + Span::from_millis(number)),
        interface: 0,
        link_type: LinkType::RAW,
        original_len: data.len() as u64,
        data,
    }
}

/// The first end of the only connection of these packets.
fn first_end(packets: &[Vec<u8>]) -> results::CapturedEnd {
    let mut connections = Connections::default();
    for (number, data) in (1..).zip(packets) {
        connections.take(&record(number, data), &mut ());
    }
    let document = connections.document(String::new());
    let [connection] = &document.connections[..] else { panic!("{document:?}") };
    connection.ends[0].clone()
}

/// What RFC 5681 section 2 asks of a duplicate, against each rule once; tcptrace counts some of these.
#[test]
fn a_duplicate_acknowledgement_repeats_the_greatest_while_data_is_in_flight() {
    let data = [packet(1, [100, 500], ACK, 900, 50), packet(1, [150, 500], ACK, 900, 50)];
    let first = packet(2, [500, 150], ACK, 900, 0);
    let found = |last: Vec<u8>| {
        let end = first_end(&[&data[..], &[first.clone(), last]].concat());
        (end.rfc_duplicate_acks, end.duplicate_acks)
    };
    assert_eq!(found(packet(2, [500, 150], ACK, 900, 0)), (1, 1));
    assert_eq!(found(packet(2, [500, 150], ACK | FIN, 900, 0)), (0, 1), "a FIN");
    assert_eq!(found(packet(2, [500, 150], ACK | RST, 900, 0)).0, 0, "a reset");
    assert_eq!(found(packet(2, [500, 150], ACK, 900, 5)), (0, 0), "data");
    assert_eq!(found(packet(2, [500, 150], ACK, 800, 0)), (0, 0), "another window");
    assert_eq!(found(packet(2, [500, 200], ACK, 900, 0)), (0, 0), "something new");
    assert_eq!(found(packet(2, [500, 100], ACK, 900, 0)), (0, 0), "an older one");
    // Once all is acknowledged, nothing is in flight.
    let all = packet(2, [500, 200], ACK, 900, 0);
    let end = first_end(&[&data[..], &[all.clone(), all]].concat());
    assert_eq!((end.rfc_duplicate_acks, end.duplicate_acks), (0, 1));
}

/// Where no mark passes, its echo and the sender's answer show that there was one. The answer alone does not: it also
/// follows a loss.
#[test]
fn a_mark_is_known_by_itself_or_by_its_echo_and_the_answer() {
    let marks = |packets: &[Vec<u8>]| first_end(packets).queue.unwrap().marks;
    let plain = packet(1, [100, 500], ACK, 900, 50);
    let mut marked = packet(1, [150, 500], ACK, 900, 50);
    marked[1] = 3;
    let slowed = packet(1, [200, 500], ACK | CWR, 900, 50);
    assert_eq!(marks(std::slice::from_ref(&plain)), 0);
    assert_eq!(marks(&[plain.clone(), marked.clone()]), 1);
    assert_eq!(marks(&[plain.clone(), slowed.clone()]), 0, "after a loss");
    let echo = packet(2, [500, 150], ACK | ECE, 900, 0);
    assert_eq!(marks(&[plain.clone(), echo.clone(), slowed.clone()]), 1);
    assert_eq!(marks(&[plain, marked, echo, slowed]), 1, "one and the same");
}

/// A client that gives up before the answer to its SYN: tcptrace takes the answer for that of another connection.
#[test]
fn the_answer_to_a_syn_belongs_to_its_connection_after_a_fin_too() {
    let gone = [packet(1, [100, 0], SYN, 900, 0), packet(1, [100, 0], FIN, 900, 0)];
    let answer = packet(2, [500, 101], SYN | ACK, 900, 0);
    let again = packet(1, [100, 501], ACK | FIN, 900, 0);
    let end = first_end(&[&gone[..], &[answer, again]].concat());
    assert_eq!((end.counts.packets, end.counts.fins), (3, 2));
    // A SYN that answers none is another connection's.
    let mut connections = Connections::default();
    for (number, data) in (1..).zip(gone.into_iter().chain([packet(2, [500, 0], SYN, 900, 0)])) {
        connections.take(&record(number, &data), &mut ());
    }
    assert_eq!(connections.document(String::new()).connections.len(), 2);
}

/// The acknowledgement comes 40 ms after the data, by a clock that was set back by three seconds in between.
#[test]
fn a_clock_that_goes_back_makes_no_short_round_trip() {
    let read = |mut connections: Connections| {
        let [data, ack] = [packet(1, [100, 500], ACK, 900, 50), packet(2, [500, 150], ACK, 900, 0)];
        let acked = packet(1, [150, 500], ACK, 900, 50);
        for (millis, data) in [(10_000, &data), (10_040, &ack), (10_041, &acked), (7_081, &ack)] {
            connections.take(&record(millis, data), &mut ());
        }
        connections.document(String::new())
    };
    let found = read(Connections::default());
    let step = CaptureAnomaly::ClockSteps { count: 1, largest_s: 2.96 };
    assert_eq!(found.anomalies, [step]);
    assert_eq!(found.connections[0].elapsed_s, 0.041);
    // tcptrace takes times as they are.
    assert_eq!(read(Connections::with_copies()).anomalies, []);
}

/// A file of two records, behind which the disk fails.
fn with_failing_disk() -> impl Read {
    struct Failing;
    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("no disk"))
        }
    }
    let packet = packet(1, [100, 500], ACK, 900, 0);
    let len = packet.len() as u32;
    let header = [0xa1b2_c3d4, 2 | 4 << 16, 0, 0, 1 << 16, 101];
    let record = [[1, 0, len, len].map(u32::to_le_bytes).concat(), packet].concat();
    let file = [header.map(u32::to_le_bytes).concat(), record.clone(), record].concat();
    std::io::Cursor::new(file).chain(Failing)
}

/// A read that an interrupt breaks off is no damage of the file.
#[test]
fn what_is_read_before_an_error_counts_and_an_end_is_no_error() {
    let document = |answers: &[bool]| {
        let mut answers = answers.iter().copied();
        let read = Connections::read(with_failing_disk(), || answers.next().unwrap());
        read.unwrap().document(String::new())
    };
    let broken = document(&[true, true]);
    let [CaptureAnomaly::Damaged { reason }] = &broken.anomalies[..] else { panic!("{broken:?}") };
    assert!(reason.contains("no disk"), "{reason}");
    let ended = document(&[true, false]);
    assert_eq!((broken.packets, ended.packets, ended.anomalies.len()), (2, 2, 0));
}

#[test]
fn a_packet_that_is_none_of_ip_is_counted_by_its_protocol() {
    let mut connections = Connections::default();
    connections.note_skipped(NonIp::EtherType(0x0806));
    let capture = connections.document(String::new());
    let [CaptureAnomaly::Skipped(skipped)] = &capture.anomalies[..] else { panic!("{capture:?}") };
    assert_eq!((skipped.list().as_str(), capture.packets), ("1 ARP", 1));
}

/// A segment without data with a SACK block, one option behind two of no operation (RFC 2018 section 3).
fn with_sack(mut packet: Vec<u8>, from: u32, to: u32) -> Vec<u8> {
    packet[2..4].copy_from_slice(&52_u16.to_be_bytes());
    packet[32] = 0x80;
    packet.extend([1, 1, 5, 10]);
    packet.extend([from.to_be_bytes(), to.to_be_bytes()].concat());
    packet
}

/// A receiver waits with the acknowledgement of one segment until another one comes, in order or not.
#[test]
fn an_acknowledgement_that_tells_a_hole_may_have_waited() {
    let data = |seq| packet(1, [seq, 500], ACK, 900, 50);
    let ack = |ack| packet(2, [500, ack], ACK, 900, 0);
    let waits = |answer: Vec<u8>| {
        let full = [data(100), data(150), ack(200)];
        let one = [data(200), data(300), data(350), data(400), answer];
        // A round trip counts until the next one.
        let next = [data(250), ack(450), data(450), ack(500), data(500), ack(550)];
        first_end(&[&full[..], &one, &next].concat()).waits.most_ms
    };
    // Each packet comes a millisecond after the one before.
    assert_eq!(waits(ack(250)), Some(4.0), "one segment, without a wait");
    // The data behind the hole was sent three milliseconds before, and is told at once.
    assert_eq!(waits(with_sack(ack(250), 300, 350)), Some(3.0), "after a wait");
}

/// What found no room in the kernel is told.
#[test]
fn what_is_missing_is_told() {
    let mut connections = Connections::default();
    assert!(connections.document(String::new()).anomalies.is_empty());
    connections.note_missed(3);
    connections.note_missed(4);
    let found = connections.document(String::new()).anomalies;
    assert_eq!(found, [results::CaptureAnomaly::Missed { count: 7 }]);
}

/// A header that was captured up to its window is enough.
#[test]
fn headers_that_are_cut_are_told() {
    let packet = packet(1, [100, 500], ACK, 900, 50);
    let mut connections = Connections::default();
    for captured in [16, 26, 35, 36] {
        let data = &packet[..captured];
        connections.take(&Record { original_len: 90, ..record(1, data) }, &mut ());
    }
    let found = connections.document(String::new());
    let [ip, tcp] =
        [CaptureAnomaly::CutIpHeaders { count: 1 }, CaptureAnomaly::CutHeaders { count: 2 }];
    assert_eq!(found.anomalies, [ip, tcp]);
    assert_eq!(found.segments, 1);
}

/// Data that was lost before the place of the capture comes again a round trip later; what only comes out of order does
/// not.
#[test]
fn a_hole_that_is_filled_a_round_trip_later_was_sent_again() {
    let repairs = |late: u64| {
        let data = |seq| packet(1, [seq, 501], ACK, 900, 50);
        let mut connections = Connections::default();
        for (millis, packet) in [
            (0, packet(1, [99, 0], SYN, 900, 0)),
            (1, packet(2, [500, 100], SYN | ACK, 900, 0)),
            // The round trip to the sender.
            (21, packet(1, [100, 501], ACK, 900, 0)),
            (22, data(100)),
            (23, data(200)),
            (23 + late, data(150)),
        ] {
            connections.take(&record(millis, &packet), &mut ());
        }
        let counts = connections.document(String::new()).connections[0].ends[0].counts;
        (counts.out_of_order, [counts.repairs, counts.repaired_bytes], counts.retransmitted_packets)
    };
    assert_eq!((repairs(19), repairs(20)), ((1, [0, 0], 0), (1, [1, 50], 0)));
}
