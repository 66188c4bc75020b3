use qdisc::{Dscp, Ecn, Headers, Hosts, IpLens, Packet, Timestamps};
use results::CaptureAnomaly;
use units::{Bytes, Time};

use super::cut::Pieces;
use super::{CaptureArrivals, Framing};
use crate::packet::ReplayPacket;
use crate::{Arrival, ReplayError};

const FRAMING: Framing = Framing { mtu: 1500, overhead: 14 };

/// A pcap of raw IP packets with nanosecond times, cut off after 64 bytes each.
fn pcap(packets: &[(u64, Vec<u8>, u32)]) -> Vec<u8> {
    // Nanosecond magic, version 2.4, two unused words, snap length, link type 101 (raw IP).
    let words = [0xa1b2_3c4d_u32, 0x0004_0002, 0, 0, 64, 101];
    let mut file: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    for (nanos, data, original) in packets {
        let second = 1_000_000_000;
        let (secs, nanos) = ((nanos / second) as u32, (nanos % second) as u32);
        for word in [secs, nanos, data.len() as u32, *original] {
            file.extend(word.to_le_bytes());
        }
        file.extend(data);
    }
    file
}

/// The headers of a UDP packet over IPv4 of this length.
fn udp(ip_len: u16, port: u16, tos: u8) -> Vec<u8> {
    let mut packet = vec![0x45, tos, 0, 0, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2];
    packet[2..4].copy_from_slice(&ip_len.to_be_bytes());
    packet.extend(port.to_be_bytes());
    packet.extend([0, 53]);
    packet.extend((ip_len - 20).to_be_bytes());
    packet.extend([0, 0]);
    packet
}

type Read = Result<(Vec<Arrival>, Vec<CaptureAnomaly>), String>;

fn read(file: &[u8], framing: Framing) -> Read {
    let message = |error| match error {
        ReplayError::Input(message) => message,
        other => panic!("not an input error: {other}"),
    };
    let mut arrivals = CaptureArrivals::new(file, framing).map_err(message)?;
    let mut all = Vec::new();
    while let Some(arrival) = arrivals.next().map_err(message)? {
        all.push(arrival);
    }
    Ok((all, arrivals.anomalies().found()))
}

const EPOCH: u64 = 1_700_000_000_000_000_000;

#[test]
fn times_count_from_the_first_record() {
    let file = pcap(&[
        (EPOCH, udp(100, 1, 0), 100),
        (EPOCH + 1, udp(100, 1, 0b1011_1010), 100),
        (EPOCH + 2_000_000_000, udp(200, 2, 0b11), 200),
    ]);
    let (arrivals, anomalies) = read(&file, FRAMING).unwrap();
    let times: Vec<u64> = arrivals.iter().map(|arrival| arrival.time.as_nanos()).collect();
    assert_eq!(times, [0, 1, 2_000_000_000]);
    let bytes: Vec<u32> = arrivals.iter().map(|arrival| arrival.bytes).collect();
    assert_eq!(bytes, [114, 114, 214]);
    assert_eq!(arrivals[0].flow, arrivals[1].flow);
    assert_ne!(arrivals[0].flow, arrivals[2].flow);
    let fields: Vec<_> = arrivals.iter().map(|a| (a.ecn as u8, a.dscp)).collect();
    assert_eq!(fields, [(0, 0), (0b10, 46), (0b11, 0)]);
    assert!(anomalies.is_empty(), "{anomalies:?}");
}

/// The packet has 28 bytes of headers and 40000 of payload; each piece has the headers and at most
/// 1472 bytes.
#[test]
fn super_packets_are_cut() {
    let file = pcap(&[(EPOCH, udp(40_028, 1, 0), 40_028), (EPOCH + 9, udp(1500, 1, 0), 1500)]);
    let (arrivals, anomalies) = read(&file, FRAMING).unwrap();
    let (pieces, last) = (40_000_u32.div_ceil(1472), 40_000 % 1472);
    assert_eq!(arrivals.len() as u32, pieces + 1);
    let (last_piece, rest) = (&arrivals[pieces as usize - 1], &arrivals[pieces as usize]);
    assert!(arrivals[..pieces as usize - 1].iter().all(|arrival| arrival.bytes == 1514));
    assert_eq!((last_piece.bytes, rest.bytes), (14 + 28 + last, 1514));
    assert!(arrivals[..pieces as usize].iter().all(|arrival| arrival.time == Time::ZERO));
    let payload: u32 = arrivals[..pieces as usize].iter().map(|a| a.bytes - 14 - 28).sum();
    assert_eq!(payload, 40_000);
    assert_eq!(anomalies, [CaptureAnomaly::SuperPackets { count: 1, pieces: 28 }]);

    let (arrivals, anomalies) = read(&file, Framing { mtu: 65_536, overhead: 0 }).unwrap();
    assert_eq!(arrivals.iter().map(|a| a.bytes).collect::<Vec<_>>(), [40_028, 1500]);
    assert!(anomalies.is_empty(), "{anomalies:?}");
}

#[test]
fn headers_without_room_are_not_cut() {
    let file = pcap(&[(EPOCH, udp(1500, 1, 0), 1500)]);
    let view = |header_len| {
        let mut reader = wire::CaptureReader::new(&file[..]).unwrap();
        let record = reader.next().unwrap().unwrap();
        let view = wire::dissect(record.link_type, record.data, record.original_len).unwrap();
        wire::PacketView { header_len, ..view }
    };
    for (header, mtu, count) in [(28, 1499, 2), (1400, 1400, 1), (1399, 1400, 101), (1500, 99, 1)] {
        let mut pieces = Pieces::of(&view(header), mtu);
        assert_eq!(pieces.count(), count, "{header} of {mtu}");
        let sum: u32 = std::iter::from_fn(|| pieces.next()).sum();
        let repeated = (count as u32 - 1) * header;
        assert_eq!(sum, 1500 + repeated);
    }
}

#[test]
fn small_steps_back_are_taken_as_none() {
    let at = |nanos: u64| (EPOCH + nanos, udp(100, 1, 0), 100);
    let file = pcap(&[at(5_000), at(3_000), at(1_000_005_000), at(5_000), at(1_000_006_000)]);
    let (arrivals, anomalies) = read(&file, FRAMING).unwrap();
    let times: Vec<u64> = arrivals.iter().map(|arrival| arrival.time.as_nanos()).collect();
    assert_eq!(times, [0, 0, 1_000_000_000, 1_000_000_000, 1_000_001_000]);
    assert_eq!(anomalies, [CaptureAnomaly::StepsBack { count: 2, largest_s: 1.0 }]);

    let file = pcap(&[at(2_000_000_000), at(0)]);
    let error = read(&file, FRAMING).unwrap_err();
    assert!(error.contains("record 2 is 2s earlier"), "{error}");
}

#[test]
fn what_is_no_ip_is_skipped_and_counted() {
    let mut packets = vec![(EPOCH, vec![0x15; 30], 30); 3];
    let error = read(&pcap(&packets), FRAMING).unwrap_err();
    assert!(error.contains("no IP packet in 3 records (3 "), "{error}");
    packets.push((EPOCH + 1, udp(100, 1, 0), 100));
    let (arrivals, anomalies) = read(&pcap(&packets), FRAMING).unwrap();
    assert_eq!((arrivals.len(), arrivals[0].time), (1, Time::from_nanos(1)));
    let [CaptureAnomaly::Skipped(skipped)] = &anomalies[..] else { panic!("{anomalies:?}") };
    assert_eq!((skipped.count, skipped.records, skipped.most_frequent.len()), (3, 4, 1));
    let error = read(&pcap(&[]), FRAMING).unwrap_err();
    assert_eq!(error, "holds no packets");
    let cut = pcap(&packets[..1]);
    let error = read(&cut[..cut.len() - 1], FRAMING).unwrap_err();
    assert_eq!(error, "holds no packets; it is cut off at byte 24");
}

#[test]
fn a_capture_that_was_cut_off_is_taken_up_to_there() {
    let file = pcap(&[(EPOCH, udp(100, 1, 0), 100), (EPOCH, udp(100, 1, 0), 100)]);
    for cut in 1..44 {
        let (arrivals, anomalies) = read(&file[..file.len() - cut], FRAMING).unwrap();
        assert_eq!(arrivals.len(), 1);
        assert_eq!(anomalies, [CaptureAnomaly::CutOff { records: 1, offset: 24 + 16 + 28 }]);
    }
}

/// A TCP super-packet of 25 segments with 52 bytes of headers and 1000 of payload, the last with
/// 500: the bytes and the answers are those of the lab's test of the same name.
#[test]
fn headers_are_read_from_the_bytes_of_the_record() {
    let mut ip = vec![0; 52];
    let len = (52_u16 + 24_500).to_be_bytes();
    ip[..12].copy_from_slice(&[0x45, 0xba, len[0], len[1], 0, 0, 0x40, 0, 64, 6, 0, 0]);
    ip[12..20].copy_from_slice(&[192, 0, 2, 1, 198, 51, 100, 2]);
    ip[28..34].copy_from_slice(&[0, 0, 0, 77, 0x80, 0x18]);
    ip[40..52].copy_from_slice(&[1, 1, 8, 10, 0, 0, 0, 5, 0, 0, 0, 9]);
    let file = pcap(&[(EPOCH, ip, 52 + 24_500), (EPOCH, udp(100, 1, 0), 100)]);
    let mut arrivals =
        CaptureArrivals::new(&file[..], Framing { mtu: 1052, overhead: 14 }).unwrap();
    let hosts = Hosts { source: 0xc000_0201, destination: 0xc633_6402 };
    for index in 0..25 {
        let arrival = arrivals.next().unwrap().unwrap();
        let (packet, headers) = (ReplayPacket::new(index, &arrival), arrivals.headers());
        let payload = if index < 24 { 1000 } else { 500 };
        assert_eq!((packet.dscp(), packet.ecn()), (Dscp::from_bits(46), Ecn::Ect0));
        assert_eq!(packet.hosts(headers), hosts);
        assert_eq!(packet.ip_lens(headers), IpLens::of_one(Bytes(52 + payload)));
        let header = packet.tcp(headers).unwrap();
        assert_eq!((header.flags, header.ack, header.payload), (0x18, 77, Bytes(payload)));
        assert_eq!(header.timestamps, Some(Timestamps { value: 5, echo: 9 }));
    }
    let datagram = ReplayPacket::new(25, &arrivals.next().unwrap().unwrap());
    assert_eq!(datagram.tcp(arrivals.headers()), None);
}
