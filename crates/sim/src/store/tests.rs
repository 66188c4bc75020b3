//! What the simulator says of a packet is what `wire` and `qdisc` read in the bytes that its
//! capture has of the same packet, as the lab and a replay would.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use link::{Cells, Framing};
use qdisc::{Ecn, Headers, IpLens, Marking, Packet, TcpHeader};
use transport::{Config, Endpoint};
use units::{DirectionId, Span, Time, Way};
use wire::{CaptureReader, dissect, from_ip};

use super::*;
use crate::capture::Capture;
use crate::hops::End;
use crate::packet::SimPacket;
use crate::simulation::{Setup, instruments};
use crate::world::World;
use crate::{PcapOptions, build};

const SCENARIO: &str = r#"
    duration = "1s"
    [[link]]
    name = "lan"
    from = "home"
    to = "router"
    [[link]]
    name = "access"
    from = "router"
    to = "isp"
    nat = "router"
    delay = "10ms"
    overhead = 22
    cells = "atm"
    [[flow]]
    name = "web"
    from = "isp"
    to = "home"
    traffic = "bulk"
    count = 3
    [[flow]]
    name = "ping"
    from = "home"
    to = "isp"
    traffic = "ping"
"#;

/// The two directions of `access`.
const UP: DirectionId = DirectionId::new(1, Way::Forward);
const DOWN: DirectionId = DirectionId::new(1, Way::Reverse);

/// A file that the test can read.
#[derive(Clone, Default)]
struct File(Arc<Mutex<Vec<u8>>>);

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Each segment of a transfer that loses every fourth of its data segments, with the end of the
/// flow that sent it: SYNs with their options, acknowledgements with timestamps and SACK blocks.
fn segments() -> Vec<(Segment, End)> {
    let config = Config { ecn: true, ..Config::default() };
    let (mut client, mut server) = (Endpoint::client(config.clone()), Endpoint::server(config));
    client.connect(Time::ZERO);
    client.write(60_000);
    client.close();
    let (mut now, mut segments) = (Time::from_secs(5), vec![]);
    for _ in 0..200 {
        while let Some(segment) = client.poll(now) {
            segments.push((segment, End::Source));
            if segment.len == 0 || segments.len() % 4 > 0 {
                server.on_segment(&segment, segments.len() % 7 == 0, now);
            }
        }
        now += Span::from_millis(10);
        while let Some(segment) = server.poll(now) {
            segments.push((segment, End::Sink));
            client.on_segment(&segment, false, now);
        }
        for end in [&mut client, &mut server] {
            if end.next_timer().is_some_and(|timer| timer <= now) {
                end.on_timer(now);
            }
        }
    }
    segments
}

/// A packet of the second member of `web` as `access` has it, before its queue.
fn offered(world: &mut World, segment: Segment, from: End) -> (SimPacket, DirectionId) {
    let (flow, hop) = (1, world.hops.first(1, from));
    let (hop, direction) = if from == End::Source { (hop, DOWN) } else { (hop + 1, UP) };
    let ip_len = segment.ip_len().0 as u16;
    let ecn = if segment.ect { Ecn::Ect0 } else { Ecn::NotEct };
    let marking = Marking::of_class((from as u8 + 10) << 2 | ecn as u8);
    let mut packet = SimPacket { hop, ip_len, marking, ..SimPacket::of(flow) };
    world.store.payloads.put_segment(&segment, &mut packet.payload);
    (packet, direction)
}

#[test]
fn says_what_the_bytes_say() {
    let no_traces = |_: &str| Err(io::ErrorKind::NotFound.into());
    let scenario = Scenario::parse(SCENARIO, "test.toml", &[], &no_traces).unwrap();
    let instruments = instruments(&scenario, &mut Setup::default()).unwrap();
    let mut world = build::world(&scenario, &crate::fit(&scenario).unwrap(), vec![], instruments);
    let file = File::default();
    let options = PcapOptions { writer: Box::new(file.clone()), direction: DOWN, snap: 0 };
    let mut capture = Capture::new(options, &scenario).unwrap();
    let mut said = vec![];
    for (segment, from) in segments() {
        let (mut packet, direction) = offered(&mut world, segment, from);
        let (store, hops) = (&world.store, &world.hops);
        // The capture lies at the end of the link at which one direction begins and one ends.
        match direction {
            DOWN => capture.offered(direction, &packet, store, hops, Time::ZERO),
            _ => capture.delivered(direction, &packet, store, hops, Time::ZERO),
        }
        packet.enter(Framing { overhead: Bytes(22), cells: Cells::Atm });
        said.push((packet, segment));
    }
    capture.finish().unwrap();
    let bytes = file.0.lock().unwrap();
    let (mut reader, mut first_numbers) =
        (CaptureReader::new(&bytes[..]).unwrap(), BTreeMap::new());
    let (mut addresses, mut with_sack, mut pure) = (BTreeMap::new(), 0, 0);
    for (packet, segment) in said {
        let record = reader.next().unwrap().unwrap();
        let ip = from_ip(record.link_type, record.data).unwrap();
        let view = dissect(record.link_type, record.data, record.original_len).unwrap();
        assert_eq!((packet.dscp().bits(), packet.ecn() as u8), (view.dscp, view.ecn));
        assert_eq!(packet.ip_lens(&world.store), IpLens::of_one(Bytes(view.ip_len)));
        let hosts = packet.hosts(&world.store);
        for (host, address) in [(hosts.source, view.source), (hosts.destination, view.destination)]
        {
            assert_eq!(*addresses.entry(host).or_insert(address), address);
        }
        let payload = Bytes(view.ip_len - u64::from(view.header_len));
        let bytes = view.tcp_header(ip).unwrap();
        let read = TcpHeader::parse(bytes, payload).unwrap();
        // The first segment of each end tells its initial sequence number.
        let number = u32::from_be_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]);
        first_numbers.entry(view.source).or_insert(number);
        let peer = first_numbers.get(&view.destination).copied().unwrap_or_default();
        let mut expected = packet.tcp(&world.store).unwrap();
        let mut sack = qdisc::SackBlocks::default();
        for (start, end) in expected.sack.as_slice() {
            sack.push(start.wrapping_add(peer), end.wrapping_add(peer));
        }
        let shift = if segment.flags.has(Flags::ACK) { peer } else { 0 };
        expected = TcpHeader { sack, ack: expected.ack.wrapping_add(shift), ..expected };
        assert_eq!(read, expected, "{segment:?}");
        with_sack += usize::from(!read.sack.as_slice().is_empty());
        pure += usize::from(read.flags & 0xfff == 0x10 && payload == Bytes::ZERO);
    }
    assert!(reader.next().unwrap().is_none());
    assert_eq!(addresses.len(), 2);
    assert!(with_sack > 5 && pure > 5, "{with_sack} with SACK, {pure} pure acknowledgements");
}

#[test]
fn a_datagram_has_hosts_and_no_tcp_header() {
    let no_traces = |_: &str| Err(io::ErrorKind::NotFound.into());
    let scenario = Scenario::parse(SCENARIO, "test.toml", &[], &no_traces).unwrap();
    let instruments = instruments(&scenario, &mut Setup::default()).unwrap();
    let mut world = build::world(&scenario, &crate::fit(&scenario).unwrap(), vec![], instruments);
    // Flow 3 is the ping: three members of `web` come before it.
    let lan = SimPacket {
        len: 0,
        hop: world.hops.first(3, End::Source),
        flow: 3,
        payload: world.store.payloads.put_datagram(Time::ZERO),
        channel: 0,
        id: 0,
        ip_len: 84,
        marking: Marking::of(Ecn::NotEct),
    };
    let store = &world.store;
    assert_eq!((lan.tcp(store), lan.dscp().bits()), (None, 0));
    let access = SimPacket { hop: lan.hop + 1, ..lan };
    let back = SimPacket { hop: world.hops.first(3, End::Sink), ..lan };
    // The nodes in the order of the links: home, router, isp. The router translates on `access`.
    assert_eq!(lan.hosts(store), Hosts { source: 0, destination: 2 });
    assert_eq!(lan.untranslated_hosts(store), lan.hosts(store));
    assert_eq!(access.hosts(store), Hosts { source: 1, destination: 2 });
    assert_eq!(access.untranslated_hosts(store), lan.hosts(store));
    assert_eq!(back.hosts(store), Hosts { source: 2, destination: 1 });
    assert_eq!(back.untranslated_hosts(store), Hosts { source: 2, destination: 0 });
}
