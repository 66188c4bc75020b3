//! A capture of any length that is made while it is read, so that no disk is measured.

use std::io::{self, Read};
use std::net::Ipv4Addr;

use units::Span;
use wire::{Ethernet, Frame, Ipv4, MacAddress, TcpHeader, TcpOptions, Transport};

/// From one packet to the next.
pub(crate) const STEP: Span = Span::from_micros(110);
const FLOWS: u64 = 16;
/// What is kept of each packet.
const SNAP: usize = 64;
const FILE_HEADER: usize = 24;
const RECORD: usize = 16 + SNAP;
/// So many records are made at once.
const CHUNK: u64 = 1024;

/// A pcap file with nanoseconds and Ethernet, whose packets have 1500 bytes.
pub(crate) struct Recording {
    /// The beginning of a packet of each flow.
    packets: Vec<[u8; SNAP]>,
    /// How many packets there are, and how many have been made.
    count: u64,
    made: u64,
    /// What has been made; read up to `position`.
    chunk: Vec<u8>,
    position: usize,
}

impl Recording {
    /// A capture of so many packets.
    pub(crate) fn new(count: u64) -> Self {
        let mut chunk = Vec::with_capacity(CHUNK as usize * RECORD);
        // draft-ietf-opsawg-pcap section 4: magic, version 2.4, two fields that are zero, snap
        // length, link type.
        for word in [0xa1b2_3c4d, 0x0004_0002, 0, 0, SNAP as u32, 1] {
            chunk.extend(u32::to_le_bytes(word));
        }
        let packets = (0..FLOWS as u8).map(packet).collect();
        Self { packets, count, made: 0, chunk, position: 0 }
    }

    /// How long the file is.
    pub(crate) const fn len(&self) -> u64 {
        FILE_HEADER as u64 + self.count * RECORD as u64
    }

    fn make(&mut self) {
        self.chunk.clear();
        self.position = 0;
        for number in self.made..self.count.min(self.made + CHUNK) {
            let nanos = STEP.as_nanos() * number;
            let (secs, nanos) = (nanos / 1_000_000_000, nanos % 1_000_000_000);
            for word in [secs as u32, nanos as u32, SNAP as u32, 1514] {
                self.chunk.extend(word.to_le_bytes());
            }
            self.chunk.extend(self.packets[(number % FLOWS) as usize]);
            self.made = number + 1;
        }
    }
}

impl Read for Recording {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.position == self.chunk.len() {
            self.make();
        }
        let count = (&self.chunk[self.position..]).read(buffer)?;
        self.position += count;
        Ok(count)
    }
}

/// The beginning of a TCP packet of 1500 bytes in its Ethernet frame.
fn packet(flow: u8) -> [u8; SNAP] {
    const HEADERS: u16 = 40;
    let ethernet = Ethernet { source: MacAddress::local(1), destination: MacAddress::local(2) };
    let [source, destination] = [1, 2].map(|host| Ipv4Addr::new(10, 0, 0, host));
    let ip = Ipv4 { source, destination, ttl: 64, id: 0, traffic_class: 0 };
    let header = TcpHeader {
        source: 32_768 + u16::from(flow),
        destination: 9,
        seq: 1,
        ack: 1,
        flags: 0x10,
        window: 65_535,
        options: TcpOptions::default(),
    };
    let mut frame = Frame::default();
    let bytes = frame.build(&ethernet, &ip, &Transport::Tcp(header), 1500 - HEADERS);
    bytes.first_chunk().copied().expect("a frame of 1514 bytes")
}

#[cfg(test)]
mod tests {
    use super::*;
    use replay::{Arrivals, Framing, Options, Setting};

    /// What is measured is what it says it is.
    #[test]
    fn it_is_a_capture() {
        const PACKETS: u64 = 2 * CHUNK + 1;
        let framing = Framing { mtu: 1500, overhead: 0 };
        let mut arrivals = Arrivals::open(Recording::new(PACKETS), framing).unwrap();
        let setting = Setting {
            name: "recording".into(),
            queue: "pfifo".parse().unwrap(),
            rate: "1gbit".parse().unwrap(),
            framing,
            seed: 1,
        };
        let document = replay::run(&mut arrivals, &setting, Options::default()).unwrap();
        let arrived = &document.scenario["replay"]["arrivals"];
        assert_eq!(arrived["packets"], PACKETS);
        assert_eq!(arrived["bytes"], PACKETS * 1500);
        assert_eq!(arrived["last_s"], ((PACKETS - 1) * 110) as f64 / 1e6);
        assert!(arrivals.notes().is_empty(), "{:?}", arrivals.notes());
        let mut bytes = Vec::new();
        let mut recording = Recording::new(3);
        recording.read_to_end(&mut bytes).unwrap();
        assert_eq!(bytes.len() as u64, recording.len());
    }
}
