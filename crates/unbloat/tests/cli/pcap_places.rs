//! Captures at other places than the sender, and of connections that have never seen their path without a queue.

use results::{Capture, CapturedQueue, Grade, QueueKind, QueueOwner};

use crate::bench::Bench;

/// A line of 1 Mbit/s whose queue drops early, and a fast link behind it.
const TWO_LINKS: &str = "\
duration = \"40s\"
[[link]]
name = \"line\"
from = \"home\"
to = \"isp\"
rate = \"1mbit\"
delay = \"1ms\"
queue = \"codel\"
[[link]]
name = \"core\"
from = \"isp\"
to = \"server\"
rate = \"1gbit\"
delay = \"15ms\"
[[flow]]
name = \"backup\"
from = \"home\"
to = \"server\"
traffic = \"bulk\"
";

/// The document of the first connection's sender, in a capture of this scenario at this link.
fn sender(bench: &Bench, scenario: &str, options: &[&str]) -> results::CapturedEnd {
    bench.write("scenario.toml", scenario.as_bytes());
    let run = bench.run(&[&["sim", "scenario.toml", "--pcap", "a.pcapng"], options].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    let run = bench.run(&["pcap", "a.pcapng", "--json"]);
    let capture: Capture = serde_json::from_str(&run.stdout).unwrap();
    let first = capture.connections.into_iter().find(|it| it.ends[0].port == 32_768);
    first.expect("the first flow's port").ends[0].clone()
}

fn queue(of: &results::CapturedEnd) -> CapturedQueue {
    of.queue.clone().unwrap()
}

/// Ahead of the place is the fast link alone, whose round trips say nothing of the queue behind it. The delay, and what
/// was sent again, are those that a capture at the sender shows; a packet takes 12 ms on the line.
#[test]
fn a_capture_behind_a_slow_line_shows_the_queue_before_it() {
    let bench = Bench::new("pcap-behind");
    let at_sender = sender(&bench, TWO_LINKS, &["--pcap-link", "line"]);
    let behind = sender(&bench, TWO_LINKS, &["--pcap-link", "core"]);
    let [truth, told] = [&at_sender, &behind].map(|it| queue(it).added_p95_ms.unwrap());
    assert!(truth > 20.0 && (told - truth).abs() < 12.5, "{truth} and {told} ms");
    let lost = at_sender.counts.retransmitted_packets;
    assert!(lost > 20, "{lost}");
    let [again, repaired] = [behind.counts.retransmitted_packets, behind.counts.repairs];
    assert!((again + repaired).abs_diff(lost) <= lost / 10, "{lost}: {again} and {repaired}");
    let text = bench.run(&["pcap", "a.pcapng"]).stdout;
    assert!(text.contains("was sent again") && !text.contains("No queue"), "{text}");
}

/// The queue has room for 170 ms, and drops only when it is full. Behind it, the data that was lost comes again a round
/// trip after its gap.
#[test]
fn a_capture_behind_a_full_fifo_shows_its_kind_and_grade() {
    let bench = Bench::new("pcap-behind-fifo");
    let scenario = TWO_LINKS.replace("1mbit\"", "6mbit\"").replace("codel", "bfifo limit 123kB");
    for (link, most) in [("line", 1.03), ("core", 1.05)] {
        let found = queue(&sender(&bench, &scenario, &["--pcap-link", link]));
        assert_eq!(found.kind.map(|it| it.kind), Some(QueueKind::Fifo), "{link}: {found:?}");
        assert_eq!(found.grade, Some(Grade::C), "{link}");
        let longest = found.added_most_ms.unwrap() / 164.0;
        assert!((1.0 / most..most).contains(&longest), "{link}: {longest}");
    }
}

/// The other flow begins at once and sees the path of 22 ms; the first one begins when its buffer of half a second is
/// full.
#[test]
fn a_connection_that_begins_in_a_full_queue_is_measured_by_the_path_of_others() {
    let bench = Bench::new("pcap-joining");
    let late = super::pcap::UPLOAD.to_owned()
        + "start = \"10s\"\n[[flow]]\nname = \"other\"\nfrom = \"home\"\nto = \"isp\"\ntraffic = \"bulk\"\n";
    let late = sender(&bench, &late, &[]);
    let (own, waits) = (late.waits.least_ms.unwrap(), queue(&late).waits);
    assert!(own > 100.0, "{own} ms without the other connection");
    assert!(waits.least_ms.is_some_and(|least| least < 25.0), "{waits:?}");
    let added = queue(&late).added_p95_ms.unwrap();
    assert!((added / 600.0 - 1.0).abs() < 0.1, "{added} ms");
}

/// No queue, and a rate far below that of the line.
#[test]
fn losses_that_limit_the_rate_are_told() {
    let bench = Bench::new("pcap-lossy");
    let lossy = TWO_LINKS.replace("1mbit\"", "50mbit\"\nloss = 0.01");
    let lossy = sender(&bench, &lossy, &["--pcap-link", "line"]);
    let goodput = lossy.goodput_bytes_per_s.unwrap() * 8.0 / 1e6;
    let limit = queue(&lossy).loss_limited_mbit.expect("the losses are the limit");
    assert!(goodput < 10.0 && (0.5..1.5).contains(&(limit / goodput)), "{goodput} and {limit}");
    let text = bench.run(&["pcap", "a.pcapng"]).stdout.replace('\n', " ");
    for part in ["No queue", "The losses limit the rate", "TCP reaches about"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

/// UDP beside an upload, on a line of 5 Mbit/s.
const BESIDE_UDP: &str = "\
duration = \"20s\"
[[link]]
name = \"line\"
from = \"home\"
to = \"server\"
rate = \"5mbit\"
delay = \"15ms\"
queue = \"bfifo limit 100kb\"
[[flow]]
name = \"backup\"
from = \"home\"
to = \"server\"
traffic = \"bulk\"
[[flow]]
name = \"camera\"
from = \"home\"
to = \"server\"
traffic = \"cbr\"
rate = \"4mbit\"
packet = 1200
";

/// The round trips of the little upload grow with its data in flight, as if the queue were its own.
#[test]
fn udp_that_fills_a_queue_is_told() {
    let bench = Bench::new("pcap-udp");
    let found = |scenario: &str| queue(&sender(&bench, scenario, &[]));
    let beside = found(BESIDE_UDP).udp_mbit.expect("more than the upload");
    assert!((3.9..4.2).contains(&beside), "{beside} Mbit/s");
    let text = bench.run(&["pcap", "a.pcapng"]).stdout.replace('\n', " ");
    assert!(text.contains("UDP of the same hosts took"), "{text}");
    assert_eq!(found(&BESIDE_UDP.replace("4mbit", "1mbit")).udp_mbit, None);
    let little = BESIDE_UDP
        .replace("4mbit\"", "4.7mbit\"\nstart = \"2s\"")
        .replace("\"bulk\"", "\"bulk\"\nrate = \"300kbit\"");
    let little = found(&little);
    assert!(little.correlation > Some(0.7) && little.added_p95_ms > Some(100.0), "{little:?}");
    assert_eq!((little.whose, little.rate_mbit), (QueueOwner::Unknown, None));
}
