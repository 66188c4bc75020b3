//! A capture holds the packets that passed, with their lengths and with whole headers.

mod support;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex};

use results::Document;
use sim::{Options, PcapOptions};
use tables::{FateSink, PacketFate};
use units::{DirectionId, Span, Time, Way};
use wire::{CaptureReader, PacketView, dissect};

/// Three nodes; at `router` an end of each link.
const NETWORK: &str = r#"
    duration = "10s"
    [[link]]
    name = "lan"
    from = "home"
    to = "router"
    rate = "100mbit"
    delay = "1ms"
    overhead = 18
    [[link]]
    name = "access"
    from = "router"
    to = "isp"
    rate = "4mbit"
    delay = "10ms"
    queue = "fq_codel"
    overhead = 22
    [[flow]]
    name = "up"
    from = "home"
    to = "isp"
    traffic = "bulk"
    ecn = true
    [[flow]]
    name = "old"
    from = "isp"
    to = "home"
    traffic = "transfer"
    bytes = "300kB"
    tcp = "reno1990"
    [[flow]]
    name = "page"
    from = "isp"
    to = "home"
    traffic = "page"
    objects = { count = 30, bytes = "20kB" }
    pause = "1s"
    [[flow]]
    name = "ping"
    from = "home"
    to = "isp"
    traffic = "ping"
    interval = "100ms"
    [[flow]]
    name = "call"
    from = "isp"
    to = "home"
    traffic = "cbr"
    rate = "64kbit"
    packet = "161B"
"#;

#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A packet of the capture.
struct Seen {
    time: Time,
    /// The frame as captured, and how long it was.
    frame: Vec<u8>,
    original_len: u64,
    view: PacketView,
}

fn capture(direction: DirectionId, snap: u32) -> (Document, Vec<Seen>) {
    let file = Shared::default();
    let pcap = Some(PcapOptions { writer: Box::new(file.clone()), direction, snap });
    let options = Options { pcap, ..Options::default() };
    let document = sim::run(&support::parse(NETWORK), options).unwrap();
    (document, read(&file))
}

fn read(file: &Shared) -> Vec<Seen> {
    let bytes = file.0.lock().unwrap();
    let mut reader = CaptureReader::new(bytes.as_slice()).unwrap();
    let mut seen = Vec::new();
    while let Some(record) = reader.next().unwrap() {
        seen.push(Seen {
            time: record.time.unwrap(),
            frame: record.data.to_vec(),
            original_len: record.original_len,
            view: dissect(record.link_type, record.data, record.original_len).unwrap(),
        });
    }
    assert!(reader.truncation().is_none());
    seen
}

const HOME: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));
const ISP: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 3));

#[test]
fn every_packet_is_there_and_as_long_as_it_was() {
    let (document, seen) = capture(DirectionId::new(0, Way::Forward), 0);
    assert!(seen.is_sorted_by_key(|packet| packet.time));
    let (mut bytes_in, mut packets_in) = (0, 0);
    for Seen { frame, original_len, view, .. } in &seen {
        // Without the framing of any link, which is not Ethernet's.
        assert_eq!(view.ip_len + 14, *original_len);
        assert_eq!(frame.len() as u64, *original_len);
        assert_eq!(u64::from(u16::from_be_bytes([frame[16], frame[17]])), view.ip_len);
        if view.source != HOME {
            bytes_in += view.ip_len + 18;
            packets_in += 1;
        }
    }
    let lan = &document.links["lan"];
    assert_eq!(
        (lan.reverse.delivered_packets, lan.reverse.delivered_bytes),
        (packets_in, bytes_in)
    );
}

/// The packets that are offered to the queue before the captured link: when, and how long they are.
#[derive(Default)]
struct Offered(Vec<(Time, u64)>);

impl FateSink for Offered {
    fn packet(&mut self, packet: &PacketFate<'_>) -> io::Result<()> {
        if (packet.link, packet.direction) == ("access", Way::Forward) {
            self.0.push((packet.enqueued, packet.bytes.0));
        }
        Ok(())
    }
}

/// If all flows end in time, the table of packets has each packet that was offered; so has the
/// capture.
#[test]
fn what_is_sent_is_what_is_offered() {
    let quiet = NETWORK.replace("traffic =", "stop = \"8s\"\ntraffic =");
    let (file, offered) = (Shared::default(), Arc::new(Mutex::new(Offered::default())));
    let writer = Box::new(file.clone());
    let options = Options {
        pcap: Some(PcapOptions { writer, direction: DirectionId::new(1, Way::Forward), snap: 64 }),
        packets: Some(Box::new(offered.clone())),
        ..Options::default()
    };
    sim::run(&support::parse(&quiet), options).unwrap();
    let mut offered = std::mem::take(&mut offered.lock().unwrap().0);
    // The virtual time begins with the year 2000; this link's framing is 22 bytes.
    const YEAR_2000: Span = Span::from_secs(946_684_800);
    let sent = |packet: &Seen| {
        let since = packet.time.since(Time::ZERO + YEAR_2000);
        (Time::ZERO + since, packet.view.ip_len + 22)
    };
    let outbound = read(&file);
    let outbound = outbound.iter().filter(|packet| packet.view.source == HOME);
    let mut captured: Vec<(Time, u64)> = outbound.map(sent).collect();
    assert!(captured.len() > 2000, "{}", captured.len());
    offered.sort();
    captured.sort();
    assert!(offered == captured, "{} offered, {} captured", offered.len(), captured.len());
}

#[test]
fn connections_have_ports_of_their_own() {
    let (_, seen) = capture(DirectionId::new(0, Way::Forward), 108);
    let mut conversations = BTreeMap::<_, u64>::new();
    for Seen { view, .. } in seen.iter().filter(|packet| packet.view.protocol == 6) {
        let (source, destination) = view.ports.unwrap();
        let key = if view.source == HOME {
            (source, destination)
        } else {
            assert_eq!((view.source, view.destination), (ISP, HOME));
            (destination, source)
        };
        *conversations.entry(key).or_default() += 1;
    }
    // One each of `up` and `old`, and six for each load of the page.
    assert!(conversations.len() > 8 && conversations.len() % 6 == 2, "{conversations:?}");
    let clients = conversations.keys().filter(|(home, _)| (32_768..61_000).contains(home)).count();
    assert_eq!(clients, conversations.len() - 1, "`old` is opened from the other side");
}

/// However many pages are loaded, and however often, no two connections look like one: each has its
/// own pair of ports and its own initial sequence numbers.
#[test]
fn a_page_that_is_loaded_often_has_ports_enough() {
    let network = r#"
        duration = "12s"
        [[link]]
        name = "lan"
        from = "home"
        to = "isp"
        rate = "1gbit"
        delay = "1ms"
        [[flow]]
        name = "page"
        from = "isp"
        to = "home"
        traffic = "page"
        objects = { count = 6, bytes = "1kB" }
        pause = "1ms"
        [[flow]]
        name = "crowd"
        from = "home"
        to = "isp"
        traffic = "transfer"
        bytes = "3kB"
        count = 20
        [[flow]]
        name = "other"
        from = "isp"
        to = "home"
        traffic = "page"
        objects = { count = 6, bytes = "1kB" }
        pause = "2ms"
    "#;
    let file = Shared::default();
    let pcap = PcapOptions {
        writer: Box::new(file.clone()),
        direction: DirectionId::new(0, Way::Forward),
        snap: 108,
    };
    let options = Options { pcap: Some(pcap), ..Options::default() };
    let document = sim::run(&support::parse(network), options).unwrap();
    let loads = |flow: &str| document.flows[flow].completion_s.unwrap().count;
    assert!(loads("page") > 28_232 / 22, "{}", loads("page"));
    let mut begins = BTreeMap::new();
    for Seen { frame, view, .. } in read(&file) {
        const SYN_ONLY: u8 = 0x02;
        let number = u32::from_be_bytes([frame[38], frame[39], frame[40], frame[41]]);
        if frame[47] == SYN_ONLY {
            let before = begins.insert((view.source, view.ports), number);
            assert!(before.is_none_or(|before| before == number), "{view:?}");
        }
    }
    // The loads that were not complete at the end opened connections too.
    let complete = 6 * (loads("page") + loads("other")) as usize + 20;
    assert!((complete..=complete + 12).contains(&begins.len()), "{} of {complete}", begins.len());
}

#[test]
fn links_crossed_take_from_the_time_to_live() {
    let ttl = |link, way, source| {
        let (_, seen) = capture(DirectionId::new(link, way), 34);
        let of_source: Vec<_> = seen.iter().filter(|packet| packet.view.source == source).collect();
        assert!(of_source.len() > 100);
        let first = of_source[0].frame[22];
        assert!(of_source.iter().all(|packet| packet.frame[22] == first));
        first
    };
    // Sent from home; at the router after one link; seen by the router as it came in.
    assert_eq!(ttl(0, Way::Forward, HOME), 64);
    assert_eq!(ttl(1, Way::Forward, HOME), 63);
    assert_eq!(ttl(0, Way::Reverse, HOME), 64);
    assert_eq!(ttl(0, Way::Forward, ISP), 63);
    assert_eq!(ttl(1, Way::Reverse, HOME), 63);
}

/// Each end gives its packets the code point that it has, and ECN the rest of the byte.
#[test]
fn packets_have_the_code_point_of_their_flow() {
    const EF: u8 = 46;
    for (traffic, back) in [
        ("\"bulk\"\necn = true", Some(0)),
        ("\"ping\"", Some(EF)),
        ("\"page\"\nobjects = [\"20kB\", \"5kB\"]", Some(EF)),
        ("\"packmime\"\nconnections_per_second = 5", Some(EF)),
        ("\"cbr\"\nrate = \"64kbit\"\npacket = 100", None),
        ("\"voip\"", Some(EF)),
    ] {
        let (links, _) = NETWORK.split_once("[[flow]]").unwrap();
        let flow = "[[flow]]\nname = \"some\"\nfrom = \"home\"\nto = \"isp\"\ndscp = \"EF\"";
        let scenario = support::parse(&format!("{links}{flow}\ntraffic = {traffic}"));
        let file = Shared::default();
        let writer = Box::new(file.clone());
        let direction = DirectionId::new(0, Way::Forward);
        let pcap = Some(PcapOptions { writer, direction, snap: 64 });
        sim::run(&scenario, Options { pcap, ..Options::default() }).unwrap();
        let seen = read(&file);
        let (there, returned): (Vec<_>, Vec<_>) =
            seen.iter().map(|seen| seen.view).partition(|view| view.source == HOME);
        assert!(there.len() >= 10 && there.iter().all(|view| view.dscp == EF), "{traffic}");
        assert_eq!(returned.first().map(|view| view.dscp), back, "{traffic}");
        assert!(returned.iter().all(|view| Some(view.dscp) == back), "{traffic}");
        // ECT(0), in all but the handshake.
        let capable = there.iter().filter(|view| view.ecn == 0b10).count();
        let expected = if traffic.contains("ecn") { there.len() - 2 } else { 0 };
        assert_eq!(capable, expected, "{traffic}");
        assert!(returned.iter().all(|view| view.ecn == 0), "{traffic}");
    }
}

/// The same run captured at two places: a packet keeps its identification, so that its way between
/// them can be followed.
#[test]
fn a_packet_can_be_followed() {
    let ids = |link, way| {
        let (_, seen) = capture(DirectionId::new(link, way), 0);
        let calls = seen.into_iter().filter(|packet| packet.view.protocol == 17);
        calls.map(|packet| (u16::from_be_bytes([packet.frame[18], packet.frame[19]]), packet.time))
    };
    let sent: BTreeMap<_, _> = ids(1, Way::Reverse).collect();
    let mut delivered = 0;
    for (id, time) in ids(0, Way::Forward) {
        assert!(time.since(sent[&id]).as_millis_f64() > 11.0);
        delivered += 1;
    }
    assert!(delivered > 400 && delivered <= sent.len());
}

#[test]
fn pings_are_numbered() {
    let (document, seen) = capture(DirectionId::new(0, Way::Forward), 0);
    let echoes: Vec<_> = seen.iter().filter(|packet| packet.view.protocol == 1).collect();
    let (questions, answers): (Vec<_>, Vec<_>) =
        echoes.iter().partition(|packet| packet.frame[34] == 8);
    let sequence = |packet: &&&Seen| u16::from_be_bytes([packet.frame[40], packet.frame[41]]);
    let asked: Vec<_> = questions.iter().map(sequence).collect();
    assert_eq!(asked, (1..=100).collect::<Vec<_>>());
    let most = document.flows["ping"].rtt_ms.unwrap().max.unwrap();
    let trip = |answer: &&&Seen| {
        let question = questions.iter().find(|question| sequence(question) == sequence(answer));
        answer.time.since(question.unwrap().time).as_millis_f64()
    };
    assert!(answers.len() > 90);
    assert_eq!(answers.iter().map(trip).fold(0.0, f64::max), most);
}

#[test]
fn a_disk_that_is_full_is_told() {
    struct Full(usize);
    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    for room in [0, 100_000] {
        let writer = Box::new(Full(room));
        let pcap =
            Some(PcapOptions { writer, direction: DirectionId::new(0, Way::Forward), snap: 0 });
        let options = Options { pcap, ..Options::default() };
        let error = sim::run(&support::parse(NETWORK), options).unwrap_err();
        let sim::Error::Write(error) = error else { panic!("{error}") };
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    }
}
