//! Any data of UDP packets, and the first data of TCP connections.

use captured::Connections;
use units::{Span, Time};
use wire::{DnsMessage, Hello, LinkType, QuicPacket, Record, RtpPacket};

/// Dissects hostile data, and follows it between two ends: nothing is counted that was not there. Each packet is a byte with
/// its way, its port and its time, a byte with its length, and its data.
pub fn probes(bytes: &[u8]) {
    let (mut rest, mut now, mut number) = (bytes, Time::from_secs(1), 0);
    let mut connections = Connections::default();
    while let [how, len, data @ ..] = rest {
        let (data, behind) = data.split_at(data.len().min(usize::from(*len)));
        rest = behind;
        (number, now) = (number + 1, now + Span::from_micros(u64::from(how >> 3) * 700));
        let _ = (DnsMessage::of(data), Hello::of(data), QuicPacket::of(data), RtpPacket::of(data));
        let packet = packet(*how, data);
        let record = Record {
            number,
            time: Some(now),
            interface: 0,
            link_type: LinkType::RAW,
            original_len: packet.len() as u64,
            data: &packet,
        };
        connections.take(&record, &mut ());
    }
    check(&connections, number);
}

/// An IPv4 packet of UDP to a server of DNS or to another one, or back.
fn packet(how: u8, data: &[u8]) -> Vec<u8> {
    let server = if how & 2 == 0 { 53_u16 } else { 443 };
    let client = 5000 + u16::from(how >> 2 & 1);
    let (from, to, ports) = match how & 1 {
        0 => (1, 2, [client, server]),
        _ => (2, 1, [server, client]),
    };
    let len = 8 + data.len() as u16;
    let mut packet = vec![0x45, 0];
    packet.extend((20 + len).to_be_bytes());
    packet.extend([0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, from, 10, 0, 0, to]);
    packet.extend(ports.iter().flat_map(|port| port.to_be_bytes()));
    packet.extend(len.to_be_bytes());
    packet.extend([0, 0]);
    packet.extend(data);
    packet
}

fn check(connections: &Connections, packets: u64) {
    let document = connections.document("any.pcap".into());
    let queries: u64 = document.dns.iter().map(|it| it.queries + it.repeated).sum();
    let quic: u64 = document.quic.iter().map(|it| it.client_packets + it.server_packets).sum();
    let rtp: u64 = document.rtp.iter().map(|it| it.packets).sum();
    assert!(queries + quic + rtp <= packets, "{document:?}");
    assert!(document.dns.iter().all(|it| it.unanswered <= it.queries), "{document:?}");
    let text = report::captured_table(&document, report::Style::Plain);
    assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
    let json = serde_json::to_string(&document).expect("a document is JSON");
    assert!(serde_json::from_str::<results::Capture>(&json).is_ok());
}
