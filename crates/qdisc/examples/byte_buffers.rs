//! FQ-CoDel over real byte buffers, as the author of a VPN or a QUIC stack would use it.
//!
//! A datagram is an IPv4 packet in a `Vec<u8>`. The queue sees its length, its ECN bits and its
//! 5-tuple, all read from the header. A mark is written to the header, and the checksum updated;
//! dropped datagrams go back to a pool of buffers. A bulk upload and a call share 10 Mbit/s, and
//! the longest wait of each is printed at the end.
//!
//! Time is virtual here. A live program passes the nanoseconds of its monotonic clock.

use std::collections::BTreeMap;

use qdisc::{
    AnyQdisc, Cause, Dequeued, Ecn, Flow, LinkInfo, Packet, Qdisc, QdiscSpec, Signals, Statistics,
    Tally,
};
use units::{Bytes, Rate, Rng, Serializer, Span, Time};

/// An IPv4 packet, header and all.
struct Datagram(Vec<u8>);

/// The IPv4 header without options (RFC 791 section 3.1).
const HEADER: usize = 20;
const UDP: u8 = 17;
const TCP: u8 = 6;

impl Datagram {
    /// A UDP datagram. Only what the queue looks at is filled in, and the header's checksum.
    fn udp(mut buffer: Vec<u8>, ports: [u16; 2], ecn: Ecn, len: u16) -> Self {
        buffer.clear();
        buffer.resize(usize::from(len), 0);
        buffer[0] = 0x45;
        buffer[1] = ecn as u8;
        buffer[2..4].copy_from_slice(&len.to_be_bytes());
        buffer[8..10].copy_from_slice(&[64, UDP]);
        buffer[12..20].copy_from_slice(&[192, 168, 1, 2, 203, 0, 113, 5]);
        buffer[20..22].copy_from_slice(&ports[0].to_be_bytes());
        buffer[22..24].copy_from_slice(&ports[1].to_be_bytes());
        let mut datagram = Self(buffer);
        datagram.write_checksum();
        datagram
    }

    fn destination_port(&self) -> u16 {
        u16::from_be_bytes([self.0[22], self.0[23]])
    }

    /// RFC 791: the ones' complement of the ones' complement sum of the header. Zero if it holds.
    fn checksum(&self) -> u16 {
        let words = self.0[..HEADER].chunks_exact(2);
        let sum: u32 = words.map(|word| u32::from(u16::from_be_bytes([word[0], word[1]]))).sum();
        let folded = (sum & 0xffff) + (sum >> 16);
        !(((folded & 0xffff) + (folded >> 16)) as u16)
    }

    fn write_checksum(&mut self) {
        self.0[10..12].fill(0);
        let checksum = self.checksum();
        self.0[10..12].copy_from_slice(&checksum.to_be_bytes());
    }

    /// The bytes that identify a flow: addresses, protocol, and the ports where there are any.
    fn five_tuple(&self) -> impl Iterator<Item = u8> {
        let (header, rest) = self.0.split_at(HEADER.min(self.0.len()));
        let first_fragment = header.get(6..8).is_some_and(|f| f[0] & 0x1f == 0 && f[1] == 0);
        let has_ports = first_fragment && matches!(header.get(9), Some(&UDP | &TCP));
        let ports = if has_ports { rest.get(..4) } else { None };
        let addresses = header.get(12..20).unwrap_or_default();
        let protocol = header.get(9..10).unwrap_or_default();
        addresses.iter().chain(protocol).chain(ports.unwrap_or_default()).copied()
    }
}

impl Packet for Datagram {
    type Store = ();

    fn len(&self) -> Bytes {
        Bytes(self.0.len() as u64)
    }

    fn ecn(&self) -> Ecn {
        match self.0.get(1).map(|tos| tos & 3) {
            Some(0b01) => Ecn::Ect1,
            Some(0b10) => Ecn::Ect0,
            Some(0b11) => Ecn::Ce,
            _ => Ecn::NotEct,
        }
    }

    fn set_ce(&mut self) {
        self.0[1] |= Ecn::Ce as u8;
        self.write_checksum();
    }
}

impl Flow for Datagram {
    /// FNV-1a over the 5-tuple, started from the salt. A program that receives packets from
    /// strangers should take a hash that resists collisions, such as SipHash.
    fn flow_hash(&self, salt: u64) -> u32 {
        let hash = self.five_tuple().fold(salt ^ 0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        (hash >> 32) as u32
    }
}

/// Counts, and keeps the buffers of dropped datagrams for the next ones.
#[derive(Default)]
struct Recycler {
    tally: Tally,
    buffers: Vec<Vec<u8>>,
}

impl Signals<Datagram> for Recycler {
    fn dropped(&mut self, datagram: Datagram, cause: Cause, _now: Time) {
        // A QUIC stack would tell its loss recovery here, long before an ACK fails to come.
        self.tally.count_dropped(&datagram, cause);
        self.buffers.push(datagram.0);
    }

    fn marked(&mut self, datagram: &Datagram, cause: Cause, _now: Time) {
        self.tally.count_marked(datagram, cause);
    }

    fn store(&self) -> &() {
        &()
    }
}

/// Puts a datagram into the queue at regular intervals, if one is due.
struct Source {
    port: u16,
    ecn: Ecn,
    len: u16,
    every: Span,
    next: Time,
}

impl Source {
    fn run(&mut self, now: Time, queue: &mut AnyQdisc<Datagram>, recycler: &mut Recycler) {
        while self.next <= now {
            let buffer = recycler.buffers.pop().unwrap_or_default();
            let datagram = Datagram::udp(buffer, [40_000, self.port], self.ecn, self.len);
            queue.enqueue(datagram, self.next, recycler);
            self.next += self.every;
        }
    }
}

fn main() -> Result<(), qdisc::SpecError> {
    let rate = Rate::from_mbit(10);
    let spec: QdiscSpec = "fq_codel limit 1000p memory_limit 4Mb quantum 1400".parse()?;
    let mut queue = spec.build(LinkInfo { rate, mtu: Bytes(1400) }, Rng::new(1));
    let mut recycler = Recycler::default();
    // 14 Mbit/s in long datagrams, and a call: one of 200 bytes every 20 ms.
    let (upload_every, call_every) = (Span::from_micros(800), Span::from_millis(20));
    let start = Time::ZERO;
    let mut sources = [
        Source { port: 443, ecn: Ecn::Ect0, len: 1400, every: upload_every, next: start },
        Source { port: 3478, ecn: Ecn::NotEct, len: 200, every: call_every, next: start },
    ];
    let mut longest: BTreeMap<u16, Span> = BTreeMap::new();
    let (mut wire, mut now) = (Serializer::new(rate), start);
    while now < Time::from_secs(10) {
        for source in &mut sources {
            source.run(now, &mut queue, &mut recycler);
        }
        now = match queue.dequeue(now, &mut recycler) {
            Dequeued::Packet { packet, sojourn } => {
                assert_eq!(packet.checksum(), 0, "marking mended the checksum");
                recycler.tally.count_sent(&packet);
                let wait = longest.entry(packet.destination_port()).or_default();
                *wait = sojourn.max(*wait);
                let sent = now + wire.span(packet.len());
                recycler.buffers.push(packet.0);
                sent
            }
            Dequeued::NotBefore(time) => time,
            Dequeued::Empty => sources.iter().map(|source| source.next).min().unwrap_or(Time::MAX),
        };
    }
    println!("{spec}");
    let (tally, backlog, stats) = (recycler.tally, queue.backlog(), queue.stats(now));
    println!("{}", Statistics { tally, backlog, stats });
    for (port, wait) in longest {
        println!("longest wait of port {port}: {wait}");
    }
    Ok(())
}
