//! Any segments between two ends, in any order.

use captured::{Connections, Xplot};
use results::CaptureAnomaly;
use units::{Span, Time};
use wire::{LinkType, Record};

/// Follows the connections of hostile segments: sequence numbers, acknowledgements, flags, windows, times and the places
/// at which they are seen are as the bytes have it. Nothing is counted that was not there, and all of it can be told.
pub fn segments(bytes: &[u8]) {
    let (chunks, _) = bytes.as_chunks::<12>();
    let mut connections = Connections::default();
    let mut now = Time::from_secs(1);
    let mut data = 0;
    let mut graphs = Xplot::new(|_, _, _, text| assert!(!text.contains("NaN"), "{text}"));
    for (number, chunk) in (1..).zip(chunks) {
        let [way, flags, seq_high, seq, ack_high, ack, len, window, shift, time, snap, value] =
            *chunk;
        now += Span::from_micros(u64::from(time) * 1000);
        let options = [1, 1, 8, 10, 0, 0, 0, value, 0, 0, 0, shift, 3, 3, shift, 1];
        data += u64::from(len);
        let mut packet = vec![0x45, 0, 0, 0, value, seq, 0, 0, 64, 6, 0, 0];
        let [from, to] = if way & 1 == 0 { [1, 2] } else { [2, 1] };
        packet.extend([10, 0, 0, from, 10, 0, 0, to]);
        packet.extend([0, from, 0, to, seq_high, 0, 0, seq, ack_high, 0, 0, ack]);
        packet.extend([36 << 2, flags, window, 0, 0, 0, 0, value]);
        packet.extend(options);
        packet.extend(vec![0; len.into()]);
        let length = packet.len() as u16;
        packet[2..4].copy_from_slice(&length.to_be_bytes());
        let place = Place::of(way);
        packet[8] -= place.hops;
        packet.splice(0..0, place.header(value));
        let captured = packet.len().min(60 + usize::from(snap));
        let record = Record {
            number,
            time: Some(now),
            interface: place.interface,
            link_type: place.link_type,
            original_len: packet.len() as u64,
            data: &packet[..captured],
        };
        connections.take(&record, &mut graphs);
    }
    graphs.finish();
    check(&connections, chunks.len() as u64, data);
}

/// The place at which a packet is seen.
struct Place {
    interface: u32,
    /// The hops that were passed.
    hops: u8,
    link_type: LinkType,
    /// True for a packet that leaves the machine.
    is_out: bool,
}

impl Place {
    /// The place that these bits have; the lowest one is not of it.
    fn of(bits: u8) -> Self {
        Self {
            interface: u32::from(bits >> 1 & 3),
            hops: bits >> 3 & 1,
            link_type: if bits >> 4 & 1 == 1 { LinkType::SLL2 } else { LinkType::RAW },
            is_out: bits >> 5 & 1 == 1,
        }
    }

    /// The header in front of IP. `rest` is behind the hardware address.
    fn header(&self, rest: u8) -> Vec<u8> {
        if self.link_type != LinkType::SLL2 {
            return Vec::new();
        }
        let direction = if self.is_out { 4 } else { 0 };
        let interface = self.interface as u8;
        vec![8, 0, 0, 0, 0, 0, 0, interface, 0, 1, direction, 6, 1, 2, 3, 4, 5, 6, rest, rest]
    }
}

/// Checks the sums over all ends, and that everything can be printed.
pub(crate) fn check(connections: &Connections, most_packets: u64, most_bytes: u64) {
    let document = connections.document("any.pcap".into());
    let ends = || document.connections.iter().flat_map(|connection| &connection.ends);
    let packets: u64 = ends().map(|end| end.counts.packets).sum();
    let bytes: u64 = ends().map(|end| end.counts.data_bytes).sum();
    let copies: u64 = (document.anomalies.iter())
        .map(|it| if let CaptureAnomaly::Copies { count, .. } = it { *count } else { 0 })
        .sum();
    assert!(document.segments + copies <= most_packets, "{copies} copies");
    assert!(packets <= most_packets && bytes <= most_bytes, "{packets} packets, {bytes} bytes");
    for end in ends() {
        assert!(end.counts.unique_bytes <= end.counts.data_bytes, "{end:?}");
        assert!(
            end.counts.retransmitted_packets + end.counts.out_of_order <= 2 * end.counts.packets,
            "{end:?}"
        );
        assert!(
            end.counts.acks <= end.counts.packets && end.counts.pure_acks <= end.counts.acks,
            "{end:?}"
        );
    }
    let told = [
        report::captured_long(&document.connections),
        report::captured_table(&document, report::Style::Plain),
    ];
    for text in told {
        assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
    }
    let json = serde_json::to_string(&document).expect("a document is JSON");
    assert!(serde_json::from_str::<results::Capture>(&json).is_ok());
}
