//! Whole runs on real namespaces. This is a program of its own, since only a process of one thread
//! can be isolated.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, UdpSocket};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use lab::{Options, PcapOptions, PortKind};
use results::{ClockKind, Document, Drops, Soundness};
use rustix::process::{Resource, Rlimit, setrlimit};
use scenario::{Override, Scenario};
use units::{DirectionId, Span, Way};
use wire::{CaptureReader, dissect, from_ip};

/// All kinds of traffic over two links, one of them slow.
const SCENARIO: &str = r#"
    duration = "3s"
    warmup = "500ms"
    link = [
        { name = "uplink", from = "home", to = "isp", rate = "10mbit", delay = "5ms", queue = "pfifo limit 60" },
        { name = "internet", from = "server", to = "isp", rate = "1gbit", delay = "5ms", queue = "fq_codel" },
    ]
    flow = [
        { name = "backup", from = "home", to = "server", traffic = "bulk" },
        { name = "ping", from = "home", to = "server", traffic = "ping", interval = "50ms" },
        { name = "call", from = "server", to = "home", traffic = "cbr", rate = "80kbit", packet = 200, count = 2 },
        { name = "letter", from = "home", to = "isp", traffic = "transfer", bytes = "20kB", start = "1s" },
        { name = "web", from = "server", to = "home", traffic = "page", connections = 2, objects = { count = 4, bytes = "10kB" } },
    ]
"#;

/// The address of the first node.
const HOME: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));

/// The flag of a TCP header that resets the connection (RFC 9293 section 3.1).
const RESET: u8 = 0x04;

/// A file in memory.
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

fn main() {
    let before = devices();
    if let Err(error) = lab::isolate() {
        println!("skipped: the lab cannot run here: {error}");
        return;
    }
    for kind in kinds() {
        whole(kind);
    }
    marks_and_pieces();
    code_points();
    cut_short();
    used_by_others();
    // Last, since the descriptors do not come back.
    too_few_descriptors();
    assert_eq!(devices(), before, "devices are left behind");
}

/// The kinds of ports that this machine has.
fn kinds() -> Vec<PortKind> {
    let has_tun = fs::OpenOptions::new().read(true).write(true).open("/dev/net/tun").is_ok();
    if !has_tun {
        println!("skipped: TUN ports: /dev/net/tun cannot be opened");
    }
    [PortKind::Packet].into_iter().chain(has_tun.then_some(PortKind::Tun)).collect()
}

fn devices() -> Vec<String> {
    let entries = fs::read_dir("/sys/class/net").into_iter().flatten().flatten();
    let mut names: Vec<_> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn scenario(changes: &[&str]) -> Scenario {
    let changes: Vec<Override> = changes.iter().map(|change| change.parse().unwrap()).collect();
    let no_traces = |_: &str| Err(std::io::ErrorKind::NotFound.into());
    Scenario::parse(SCENARIO, "test", &changes, &no_traces).unwrap_or_else(|e| panic!("{e}"))
}

fn run(scenario: &Scenario, options: Options<'_>) -> Document {
    lab::run(scenario, options).unwrap_or_else(|error| panic!("{error}"))
}

/// True if the machine kept time. Results that depend on it are not judged otherwise.
fn is_valid(document: &Document) -> bool {
    let validity = document.validity.as_ref().unwrap();
    let is_valid = validity.verdict == Soundness::Valid;
    if !is_valid {
        println!("not judged: {:?}", validity.causes);
    }
    is_valid
}

/// The checks that hold on a busy machine too: nothing is faster than its wire, and each flow gets
/// something.
fn whole(ports: PortKind) {
    let scenario = scenario(&[]);
    let options = Options {
        ports: Some(ports),
        timeline: Some(Span::from_millis(100)),
        packets: Some(Box::new(std::io::sink())),
        ..Options::default()
    };
    let document = run(&scenario, options);
    assert_eq!((document.clock, document.interrupted_s), (Some(ClockKind::Real), None));
    let validity = document.validity.as_ref().unwrap();
    assert_eq!(validity.ports, if ports == PortKind::Tun { "tun" } else { "packet" });
    assert_eq!((validity.no_memory, validity.malformed), (0, 0));

    let uplink = &document.links["uplink"].forward;
    assert!(uplink.rate_mbit.unwrap() < 10.1, "{uplink:?}");
    // 60 packets of 1500 bytes take 72 ms.
    assert!(uplink.sojourn_ms.max.unwrap() < 72.5, "{:?}", uplink.sojourn_ms);
    assert_eq!(uplink.drops.aqm, 0);
    assert_eq!(document.links["internet"].reverse.drops, Drops::default());

    let flows = &document.flows;
    let names: Vec<_> = flows.keys().map(String::as_str).collect();
    assert_eq!(names, ["backup", "ping", "call[0]", "call[1]", "letter", "web"]);
    let rtt = flows["ping"].rtt_ms.unwrap();
    assert!(rtt.min.unwrap() >= 20.0, "{rtt:?}");
    assert!(flows["backup"].delivered_bytes.unwrap() > 0, "{:?}", flows["backup"]);
    assert!(flows["call[1]"].delay_ms.unwrap().min.unwrap() >= 10.0);
    assert_eq!(document.timeline.as_ref().unwrap().flows["backup"].rtt_ms.high.len(), 30);
    document.check().unwrap();
    if is_valid(&document) {
        bloated(&document);
    }
}

/// An upload fills the queue, and all other packets wait in it.
fn bloated(document: &Document) {
    let (uplink, flows) = (&document.links["uplink"].forward, &document.flows);
    assert!(uplink.rate_mbit.unwrap() > 8.0, "{uplink:?}");
    assert!(uplink.sojourn_ms.max.unwrap() > 20.0 && uplink.drops.full > 0, "{uplink:?}");
    assert!(flows["ping"].rtt_ms.unwrap().max.unwrap() > 40.0, "{:?}", flows["ping"]);
    assert!(flows["backup"].goodput_mbit.unwrap() > 5.0, "{:?}", flows["backup"]);
    assert!(flows["backup"].retransmitted_packets.unwrap() > 0);
    assert_eq!(flows["letter"].completion_s.unwrap().count, 1);
    let sent = flows["call[0]"].sent_packets.unwrap();
    assert!((120..=126).contains(&sent), "{sent} packets of 50 each second");
}

/// Super-packets pass a fast link in pieces, each of which is marked on its own.
fn marks_and_pieces() {
    let changes = [
        "duration=\"2s\"",
        "warmup=\"0s\"",
        "link.uplink.rate=\"400mbit\"",
        "link.uplink.queue=\"codel ecn target 1ms interval 5ms\"",
        "flow.backup.ecn=true",
        "flow.letter.ecn=true",
        "flow.web.ecn=true",
    ];
    let document = run(&scenario(&changes), Options::default());
    let (uplink, backup) = (&document.links["uplink"].forward, &document.flows["backup"]);
    assert!(backup.delivered_bytes.unwrap() > 0, "{backup:?}");
    assert!(uplink.rate_mbit.unwrap() < 404.0, "{uplink:?}");
    if is_valid(&document) {
        assert!(uplink.marks > 0, "no marks: {uplink:?}");
        assert!(backup.marks.unwrap() > 0, "{backup:?}");
        assert!(backup.goodput_mbit.unwrap() > 40.0, "{backup:?}");
    }
}

/// The packets of a flow reach the queue with the code point of the end that sends them, and with
/// the ECN field that TCP gives them.
fn code_points() {
    let changes = [
        "duration=\"2s\"",
        "warmup=\"0s\"",
        "flow.backup.dscp=EF",
        "flow.backup.ecn=true",
        "flow.ping.dscp=AF41",
        "flow.call.dscp=VA",
        "flow.letter.ecn=true",
        "flow.web.dscp=5",
        "flow.web.ecn=true",
    ];
    let scenario = scenario(&changes);
    let file = Shared::default();
    let (writer, direction) = (Box::new(file.clone()), DirectionId::new(0, Way::Forward));
    let pcap = Some(PcapOptions { writer, direction, snap: 128 });
    run(&scenario, Options { pcap, ..Options::default() });
    let bytes = file.0.lock().unwrap();
    let mut reader = CaptureReader::new(bytes.as_slice()).unwrap();
    let (mut seen, mut full, mut capable) = (BTreeSet::new(), 0, 0);
    while let Some(record) = reader.next().unwrap() {
        let view = dissect(record.link_type, record.data, record.original_len).unwrap();
        let ip = from_ip(record.link_type, record.data).unwrap();
        // A packet for a socket that is gone is answered with a reset, which has its code point.
        if view.tcp_header(ip).is_some_and(|header| header[13] & RESET != 0) {
            continue;
        }
        // A flow's receiver or server has the port 2000 plus the number of the flow; pings have none.
        let port = view.ports.map(|(source, destination)| source.min(destination));
        let is_home = view.source == HOME;
        seen.insert((port, is_home, view.dscp));
        if port == Some(2000) && is_home && view.ip_len > 1000 {
            full += 1;
            capable += u32::from(view.ecn == 0b10);
        }
    }
    let expected = BTreeSet::from([
        (None, false, 34),
        (None, true, 34),
        // TCP's acknowledgements do not take over the code point of what they acknowledge.
        (Some(2000), false, 0),
        (Some(2000), true, 46),
        (Some(2002), false, 44),
        (Some(2003), false, 44),
        (Some(2004), false, 0),
        (Some(2004), true, 0),
        (Some(2005), false, 5),
        (Some(2005), true, 5),
    ]);
    assert_eq!(seen, expected);
    // All but what is sent again (RFC 3168 section 6.1.5).
    assert!(full > 100 && capable * 2 > full, "{capable} of {full} packets are ECN-capable");
}

/// A `progress` that returns false ends the run.
fn cut_short() {
    let progress = |status: &lab::Status| status.elapsed < Span::from_millis(800);
    let options = Options { progress: Some(Box::new(progress)), ..Options::default() };
    let document = run(&scenario(&["duration=\"60s\""]), options);
    let end = document.interrupted_s.unwrap();
    assert!((0.8..60.0).contains(&end), "{end} s");
    assert!(document.flows["ping"].sent_packets.unwrap() > 0);
}

/// The limit falls during the run: the browser still finds enough descriptors, and then the server
/// does not.
fn too_few_descriptors() {
    let limit = Some(500);
    let progress = |_: &lab::Status| {
        setrlimit(Resource::Nofile, Rlimit { current: limit, maximum: limit }).unwrap();
        true
    };
    let changes = [
        "duration=\"60s\"",
        "link.uplink.rate=\"unlimited\"",
        "flow.web.start=\"1s\"",
        "flow.web.pause=\"10ms\"",
        "flow.web.connections=300",
        "flow.web.objects={ count = 300, bytes = \"10kB\" }",
    ];
    let options = Options { progress: Some(Box::new(progress)), ..Options::default() };
    let error = lab::run(&scenario(&changes), options).unwrap_err().to_string();
    assert!(error.contains("flow.web.traffic") && error.contains("Too many"), "{error}");
}

/// Sockets of the caller's own at both ends of the path; the scenario's flows are not run.
fn used_by_others() {
    let scenario = scenario(&[]);
    let ask = |nodes: &[lab::Node<'_>], _: lab::Clock| {
        let [home, _, server] = nodes else { panic!("{} nodes", nodes.len()) };
        let bind = |node: &lab::Node<'_>| {
            node.namespace.run(|| UdpSocket::bind((node.address, 0))).unwrap().unwrap()
        };
        let (here, there) = (bind(home), bind(server));
        here.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        there.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        let to = there.local_addr().unwrap();
        for _ in 0..3 {
            here.send_to(&[7; 1000], to).unwrap();
        }
        (0..3).map(|_| there.recv_from(&mut [0; 2000]).unwrap().0).sum::<usize>()
    };
    let between = lab::between(&scenario, Options::default(), ask).unwrap();
    assert_eq!(between.answer, 3000);
    assert!(between.document.flows.is_empty());
    // Forward over the uplink, and back over the second link, which was written in the opposite
    // direction.
    let (uplink, second) = (DirectionId::new(0, Way::Forward), DirectionId::new(1, Way::Reverse));
    for direction in [uplink, second] {
        assert_eq!(between.datagrams.of(direction).len(), 3);
    }
    assert!(between.datagrams.of(uplink.opposite()).is_empty());
    let waits: Vec<_> =
        between.datagrams.of(uplink).iter().map(|crossing| crossing.sojourn).collect();
    // 1028 bytes take 0.8 ms at 10 Mbit/s.
    if is_valid(&between.document) {
        assert!(waits[2] >= Some(Span::from_millis(1)), "{waits:?}");
    }
}
