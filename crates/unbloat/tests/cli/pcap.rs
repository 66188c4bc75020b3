//! Captures, whose connections are told.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use results::{Capture, CapturedQueue, Grade, LossPattern, QueueKind, QueueOwner, Ungraded};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use crate::bench::Bench;

/// Thirty seconds of an upload whose buffer holds 200 packets, captured at the sender.
pub(crate) const UPLOAD: &str = "\
duration = \"30s\"
[[link]]
name = \"uplink\"
from = \"home\"
to = \"isp\"
rate = \"4mbit\"
delay = \"10ms\"
queue = \"pfifo limit 200\"
[link.reverse]
rate = \"20mbit\"
[[flow]]
name = \"backup\"
from = \"home\"
to = \"isp\"
traffic = \"bulk\"
";

/// A bench with the capture `upload.pcapng`.
fn captured(name: &str) -> Bench {
    let bench = Bench::new(name);
    bench.write("upload.toml", UPLOAD.as_bytes());
    let run = bench.run(&["sim", "upload.toml", "--pcap", "upload.pcapng", "--pcap-snap", "108B"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    bench
}

fn document(bench: &Bench, file: &str) -> Capture {
    let run = bench.run(&["pcap", file, "--json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    serde_json::from_str(&run.stdout).unwrap()
}

/// The rate, the buffer and the losses of the scenario are found in its packets alone.
#[test]
fn a_capture_tells_whose_queue_it_is() {
    let bench = captured("pcap-upload");
    let document = document(&bench, "upload.pcapng");
    let [connection] = &document.connections[..] else { panic!("{document:?}") };
    let sender = &connection.ends[0];
    let queue = sender.queue.clone().unwrap();
    assert_eq!((queue.whose, queue.losses), (QueueOwner::Own, LossPattern::FullQueue));
    // 1448 of 1514 bytes of a packet are data; the buffer holds 200 packets, which take 606 ms.
    let rate = queue.rate_mbit.unwrap();
    assert!((rate / (4.0 * 1448.0 / 1514.0) - 1.0).abs() < 0.03, "{rate} Mbit/s");
    let most = queue.added_most_ms.unwrap();
    assert!((most / 605.6 - 1.0).abs() < 0.05, "{most} ms");
    let waits = sender.waits;
    assert!((20.0..24.0).contains(&waits.least_ms.unwrap()), "{waits:?}");
    let limited = sender.limited.expect("the capture is the sender's");
    assert!(limited.path_s > 25.0, "{limited:?}");
    let text = bench.run(&["pcap", "upload.pcapng"]).stdout;
    for part in ["grade F", "own data fills the queue", "while the queue was full"] {
        assert!(text.contains(part), "{text}");
    }
}

/// A program that sends now and then sends little on the whole. It is not another one than itself.
#[test]
fn a_program_that_pauses_fills_its_queue_alone() {
    let bench = Bench::new("pcap-pauses");
    let bursts = "traffic = \"periodic\"\nbytes = \"500kB\"\nidle = \"8s\"\n";
    let scenario = UPLOAD.replace("30s", "60s").replace("traffic = \"bulk\"\n", bursts);
    bench.write("bursts.toml", scenario.as_bytes());
    let run = bench.run(&["sim", "bursts.toml", "--pcap", "bursts.pcapng"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let document = document(&bench, "bursts.pcapng");
    let queue = document.connections[0].ends[0].queue.clone().unwrap();
    assert_eq!(queue.whose, QueueOwner::Own, "{queue:?}");
    assert!(queue.findings.is_empty(), "{queue:?}");
}

/// The same rules and sentences as of a test: a FIFO, and a queue that marks, of which it is not told whether others
/// wait in it.
#[test]
fn a_capture_tells_the_kind_of_queue_and_its_grade() {
    let bench = captured("pcap-kind");
    let queue = |file: &str| -> CapturedQueue {
        document(&bench, file).connections[0].ends[0].queue.clone().unwrap()
    };
    let full = queue("upload.pcapng");
    assert_eq!(full.kind.map(|it| it.kind), Some(QueueKind::Fifo));
    assert_eq!((full.grade, full.marks), (Some(Grade::F), 0));
    let text = bench.run(&["pcap", "upload.pcapng"]).stdout.replace('\n', " ");
    assert!(text.contains("The queue is probably a plain FIFO."), "{text}");

    let marking = UPLOAD.replace("pfifo limit 200", "codel ecn") + "ecn = true\n";
    bench.write("marking.toml", marking.as_bytes());
    let run = bench.run(&["sim", "marking.toml", "--pcap", "marking.pcapng"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let marked = queue("marking.pcapng");
    assert!(marked.marks > 10, "{marked:?}");
    assert_eq!(marked.kind.map(|it| it.kind), Some(QueueKind::Aqm));
    assert_eq!((marked.grade, marked.grade_reason), (None, Some(Ungraded::NotMeasured)));
    let run = bench.run(&["pcap", "marking.pcapng", "--report", "marking.html"]);
    let text = run.stdout.replace('\n', " ");
    let page = std::fs::read_to_string(bench.path("marking.html")).unwrap();
    for part in ["How long others wait is not known", "kept short by an AQM", "instead of dropping"]
    {
        assert!(text.contains(part) && page.contains(part), "{part}: {text}");
    }
}

/// The same figures in all three forms, packed and not.
#[test]
fn a_capture_may_be_packed() {
    let bench = captured("pcap-packed");
    let plain = std::fs::read(bench.path("upload.pcapng")).unwrap();
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(&plain).unwrap();
    bench.write("upload.gz", &gzip.finish().unwrap());
    // Two frames, one behind the other.
    let (one, two) = plain.split_at(plain.len() / 2);
    let frames = [one, two].map(|part| compress_to_vec(part, CompressionLevel::Fastest));
    bench.write("upload.zst", &frames.concat());
    let whole = document(&bench, "upload.pcapng");
    for file in ["upload.gz", "upload.zst"] {
        let found = document(&bench, file);
        assert_eq!(found.connections, whole.connections, "{file}");
    }
    let long = bench.run(&["pcap", "--long", "upload.gz", "upload.zst"]);
    let packets = format!("total packets: {}", whole.segments);
    assert_eq!(long.stdout.matches(&packets).count(), 2, "{}", long.stdout);
    // A copy that was broken off is read as far as it goes, even if that is within the header of a frame.
    for len in frames[0].len() + 1..frames[0].len() + 6 {
        bench.write("cut", &frames.concat()[..len]);
        let run = bench.run(&["pcap", "--json", "cut"]);
        assert_eq!(run.code, 0, "{len}: {}", run.stderr);
        let told = ["ends too early", "cut off"].map(|it| run.stderr.matches(it).count());
        assert_eq!(told.iter().sum::<usize>(), 1, "once: {len}: {}", run.stderr);
        let found: Capture = serde_json::from_str(&run.stdout).unwrap();
        assert!((1..whole.segments).contains(&found.segments), "{len}: {}", found.segments);
    }
    for file in ["upload.gz", "upload.zst"] {
        let packed = std::fs::read(bench.path(file)).unwrap();
        bench.write("cut", &packed[..packed.len() * 3 / 4]);
        let run = bench.run(&["pcap", "--json", "cut"]);
        assert_eq!(run.code, 0, "{file}: {}", run.stderr);
        assert!(run.stderr.contains("cut off"), "{file}: {}", run.stderr);
        let found: Capture = serde_json::from_str(&run.stdout).unwrap();
        assert!((1..whole.segments).contains(&found.segments), "{file}: {}", found.segments);
    }
}

/// What is before the damage is told, and the exit code says that there is more.
#[test]
fn a_damaged_capture_is_read_up_to_the_damage() {
    let bench = captured("pcap-damaged");
    let mut bytes = std::fs::read(bench.path("upload.pcapng")).unwrap();
    let length = |bytes: &[u8], at: usize| {
        u32::from_le_bytes(bytes[at + 4..at + 8].try_into().unwrap()) as usize
    };
    let mut at = 0;
    while at < bytes.len() / 2 {
        at += length(&bytes, at);
    }
    // A block is a multiple of four bytes long.
    bytes[at + 4] |= 1;
    bench.write("damaged.pcapng", &bytes);
    let whole = document(&bench, "upload.pcapng");
    let run = bench.run(&["pcap", "--json", "--report", "page.html", "damaged.pcapng"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stderr.contains(&format!("at byte {at}")), "{}", run.stderr);
    let found: Capture = serde_json::from_str(&run.stdout).unwrap();
    assert!((whole.segments / 3..whole.segments * 2 / 3).contains(&found.segments));
    assert!(bench.path("page.html").is_file());
}

#[test]
fn what_is_no_capture_is_refused() {
    let bench = captured("pcap-refused");
    let plain = std::fs::read(bench.path("upload.pcapng")).unwrap();
    bench.write("cut.pcapng", &plain[..plain.len() - 10]);
    let run = bench.run(&["pcap", "cut.pcapng"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stderr.contains("cut off"), "{}", run.stderr);
    bench.write("empty", b"");
    bench.write("half.gz", &[0x1f, 0x8b, 8, 0, 0]);
    bench.write("half.zst", &[0x28, 0xb5, 0x2f, 0xfd, 0xff, 0xff]);
    bench.write("broken.zst", &[&[0x28, 0xb5, 0x2f, 0xfd][..], &[0xff; 20]].concat());
    for (file, code, words) in [
        ("upload.toml", 2, "the file is a text"),
        ("empty", 2, "empty"),
        ("half.gz", 2, "half.gz: the packed file ends too early"),
        ("half.zst", 2, "half.zst: the packed file ends too early"),
        ("broken.zst", 1, "zstd"),
        ("nowhere.pcap", 2, "nowhere.pcap"),
        (".", 2, "is a folder"),
        ("-", 2, "standard input: "),
    ] {
        let run = bench.run(&["pcap", file]);
        assert_eq!(run.code, code, "{file}: {}", run.stderr);
        assert!(run.stderr.contains(words), "{file}: {}", run.stderr);
        assert_eq!(run.stdout, "", "{file}");
    }
    assert_eq!(bench.run(&["pcap"]).code, 2);
    let run = bench.run(&["pcap", "-i", "nosuch0"]);
    assert_eq!((run.code, run.stderr.contains("no such interface")), (2, true), "{}", run.stderr);
    assert_eq!(bench.run(&["pcap", "-i", "lo", "upload.pcapng"]).code, 2);
    assert_eq!(bench.run(&["pcap", "upload.pcapng", "--for", "3s"]).code, 2);
    assert_eq!(bench.run(&["pcap", "--json", "--long", "upload.pcapng"]).code, 2);
}

/// Headers that end within IP show nothing, which is told with the length that is enough.
#[test]
fn headers_that_are_cut_off_are_told() {
    let bench = Bench::new("pcap-cut");
    // Two packets of raw IPv4 of 1,500 bytes, of which 16 were captured.
    let head = [0xa1b2_c3d4_u32, 0x0002_0004, 0, 0, 16, 101].map(u32::to_be_bytes).concat();
    let record =
        |secs: u32| [&[secs, 0, 16, 1500].map(u32::to_be_bytes).concat()[..], &[0x45; 16]].concat();
    bench.write("cut.pcap", &[head, record(1), record(2)].concat());
    let run = bench.run(&["pcap", "cut.pcap"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    for text in [&run.stdout, &run.stderr] {
        let text = text.replace('\n', " ");
        assert!(text.contains("108 bytes of each packet or more"), "{text}");
    }
    assert!(run.stderr.contains("have no whole IP header"), "{}", run.stderr);
    assert!(!run.stderr.contains("no IP packets"), "{}", run.stderr);
}

/// The page tells the verdict first, and draws what happened with the packets' numbers.
#[test]
fn a_capture_has_a_page() {
    let bench = captured("pcap-page");
    let run = bench.run(&["pcap", "upload.pcapng", "--report", "page.html", "--plot", "page.svg"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let page = std::fs::read_to_string(bench.path("page.html")).unwrap();
    let places = [
        "grade F",
        "class=\"cards\"",
        "longest wait",
        "In Wireshark",
        "Who waited longest",
        "Time sequence",
        "Notes",
    ]
    .map(|words| page.find(words).unwrap_or_else(|| panic!("no {words}")));
    assert!(places.is_sorted(), "{places:?}");
    for name in ["sent again", "SACK", "acknowledged", "\"packets\":[", "\"guide\"", "goodput"] {
        assert!(page.contains(name), "no {name}");
    }
    let picture = std::fs::read_to_string(bench.path("page.svg")).unwrap();
    assert!(picture.contains("Data in flight and round trips"), "{}", &picture[..2000]);
    // The numbers of packets are those of the capture.
    let (_, rest) = page.split_once("-g</span> ").unwrap();
    let number: u64 = rest.split(|it: char| !it.is_ascii_digit()).next().unwrap().parse().unwrap();
    assert!((1..=document(&bench, "upload.pcapng").packets).contains(&number), "{number}");
    let only = bench.run(&["pcap", "upload.pcapng", "--plot", "one.svg", "--only", "flight-1"]);
    assert_eq!(only.code, 0, "{}", only.stderr);
    for (arguments, words) in [
        (
            &["upload.pcapng", "upload.pcapng", "--report", "more.html"][..],
            "--report draws one capture",
        ),
        (&["upload.pcapng", "--report", "upload.pcapng"], "--report would overwrite"),
        (&["upload.pcapng", "--report", "page.txt"], "must end in .html"),
        (&["/dev/stdin", "--report", "more.html"], "reads a capture twice"),
        (&["upload.pcapng", "--plot", "more.svg", "--only", "nothing"], "flight-1"),
    ] {
        let run = bench.run(&[&["pcap"], arguments].concat());
        assert_eq!(run.code, 2, "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(words), "{arguments:?}: {}", run.stderr);
    }
    assert!(!bench.files().iter().any(|file| file.starts_with("more")), "{:?}", bench.files());
}

/// The time in milliseconds, the last bytes of the addresses, the ports, and the data.
type Datagram = (u32, [u8; 2], [u16; 2], Vec<u8>);

/// A capture in the old format of raw IPv4 packets of UDP.
fn udp_capture(packets: &[Datagram]) -> Vec<u8> {
    let mut file = [0xa1b2_c3d4_u32, 0x0002_0004, 0, 0, 65_535, 101].map(u32::to_be_bytes).concat();
    for (millis, [from, to], ports, data) in packets {
        let len = 28 + data.len() as u16;
        let mut packet = vec![0x45, 0];
        packet.extend(len.to_be_bytes());
        packet.extend([0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, *from, 10, 0, 0, *to]);
        packet.extend([ports[0], ports[1], len - 20, 0].map(u16::to_be_bytes).concat());
        packet.extend(data);
        let head = [millis / 1000, millis % 1000 * 1000, len.into(), len.into()];
        file.extend(head.map(u32::to_be_bytes).concat());
        file.extend(packet);
    }
    file
}

/// DNS, QUIC with a spin bit, and a call tell their delays, in all forms.
#[test]
fn a_capture_tells_delays_of_udp() {
    let bench = Bench::new("pcap-udp");
    let mut packets = Vec::new();
    let question = b"\x01a\0\0\x01\0\x01";
    for number in 0..10_u8 {
        let message =
            |flags| [&[0, number, flags, 0, 0, 1, 0, 0, 0, 0, 0, 0], &question[..]].concat();
        let at = 1000 + 100 * u32::from(number);
        packets.push((at, [1, 9], [4000, 53], message(1)));
        packets.push((at + 30, [9, 1], [53, 4000], message(0x81)));
    }
    let initial = b"\xc3\0\0\0\x01\x04abcd\0".to_vec();
    packets.push((3000, [1, 8], [5000, 443], initial.clone()));
    packets.push((3025, [8, 1], [443, 5000], initial));
    for step in 0..500 {
        let byte = 0x40 | u8::from(step / 50 % 2 == 0) << 5;
        packets.push((3100 + step, [1, 8], [5000, 443], vec![byte, 0]));
        packets.push((3100 + step, [8, 1], [443, 5000], vec![byte, 0]));
    }
    for number in (0..200_u32).filter(|number| number % 20 != 10) {
        let mut call = vec![0x80, 0];
        call.extend((number as u16).to_be_bytes());
        call.extend([(number * 160).to_be_bytes(), [0, 0, 0, 7]].concat());
        packets.push((4000 + 20 * number + 8 * (number % 2), [7, 1], [6000, 6000], call));
    }
    bench.write("udp.pcap", &udp_capture(&packets));
    let found = document(&bench, "udp.pcap");
    let [dns] = &found.dns[..] else { panic!("{found:?}") };
    assert_eq!((dns.queries, dns.unanswered, dns.answers.least_ms), (10, 0, Some(30.0)));
    let [quic] = &found.quic[..] else { panic!("{found:?}") };
    assert_eq!(quic.handshake_ms, Some(25.0));
    assert!((quic.spin.unwrap().p50_ms.unwrap() - 50.0).abs() < 1.0, "{quic:?}");
    let [rtp] = &found.rtp[..] else { panic!("{found:?}") };
    assert_eq!((rtp.packets, rtp.lost), (190, 10));
    assert!((rtp.jitter_ms.unwrap() - 8.0).abs() < 0.5, "{rtp:?}");
    let text = bench.run(&["pcap", "udp.pcap", "--report", "udp.html"]).stdout;
    let page = std::fs::read_to_string(bench.path("udp.html")).unwrap();
    for words in ["DNS", "10.0.0.9:53", "QUIC", "10.0.0.8:443", "RTP", "10.0.0.7:6000"] {
        assert!(text.contains(words) && page.contains(words), "no {words} in {text}");
    }
}
