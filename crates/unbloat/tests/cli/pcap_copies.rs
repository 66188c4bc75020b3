//! Captures of several places that the same packets pass.

use results::{Capture, CaptureAnomaly, LossPattern, QueueOwner};
use units::Time;
use wire::{CaptureReader, Interface, PacketDirection, PcapngWriter};

use crate::bench::Bench;

/// An upload through a router whose buffer holds 100 packets. The capture of the first link is made in front of the
/// buffer, that of the second one behind it.
const UPLOAD: &str = "\
duration = \"20s\"
[[link]]
name = \"uplink\"
from = \"home\"
to = \"isp\"
rate = \"4mbit\"
delay = \"0ms\"
queue = \"pfifo limit 100\"
[[link]]
name = \"internet\"
from = \"isp\"
to = \"server\"
rate = \"1gbit\"
delay = \"20ms\"
[[flow]]
name = \"backup\"
from = \"home\"
to = \"server\"
traffic = \"bulk\"
";

/// The packets of captures with one interface each.
fn packets(files: &[Vec<u8>]) -> Vec<(Time, u32, Vec<u8>)> {
    let mut packets = Vec::new();
    for (interface, file) in (0..).zip(files) {
        let mut reader = CaptureReader::new(&file[..]).unwrap();
        while let Some(record) = reader.next().unwrap() {
            packets.push((record.time.unwrap(), interface, record.data.to_vec()));
        }
    }
    packets.sort_by_key(|(time, ..)| *time);
    packets
}

/// What is sent again is counted, and the second copies are not; what waits between both places waits in the router.
#[test]
fn a_capture_on_both_sides_of_a_queue_tells_what_one_tells() {
    let bench = Bench::new("pcap-copies");
    bench.write("upload.toml", UPLOAD.as_bytes());
    let files = ["uplink", "internet"].map(|link| {
        let file = format!("{link}.pcapng");
        let run = bench.run(&["sim", "upload.toml", "--pcap", &file, "--pcap-link", link]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        std::fs::read(bench.path(&file)).unwrap()
    });
    let mut writer = PcapngWriter::new(Vec::new(), "test", "").unwrap();
    for name in ["lan", "wan"] {
        writer.interface(&Interface { name, description: "", snap: 0 }).unwrap();
    }
    for (time, interface, data) in packets(&files) {
        writer.packet(interface, time, PacketDirection::Inbound, &data).unwrap();
    }
    bench.write("both.pcapng", &writer.finish().unwrap());
    let read = |file: &str| {
        let run = bench.run(&["pcap", file, "--json"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        serde_json::from_str::<Capture>(&run.stdout).unwrap()
    };
    let (one, both) = (read("uplink.pcapng"), read("both.pcapng"));
    let count = both.packets - one.packets;
    assert_eq!(both.anomalies, [CaptureAnomaly::Copies { count, records: both.packets }]);
    let [sent, expected] = [&both, &one].map(|capture| &capture.connections[0].ends[0]);
    assert!(sent.counts.retransmitted_packets > 0);
    assert_eq!(sent.counts, expected.counts);
    let queue = sent.queue.as_ref().unwrap();
    assert_eq!((queue.whose, queue.losses), (QueueOwner::Own, LossPattern::FullQueue));
    // 100 packets of 1514 bytes take 303 ms.
    let between = sent.waits_between.unwrap();
    assert!((between.most_ms.unwrap() / 303.0 - 1.0).abs() < 0.02, "{between:?}");
    let run = bench.run(&["pcap", "both.pcapng"]);
    assert!(run.stderr.contains("copies of packets"), "{}", run.stderr);
    assert!(run.stdout.contains("The queue is where the capture was made"), "{}", run.stdout);
    // The figures of tcptrace are those of all packets.
    let long = bench.run(&["pcap", "both.pcapng", "--long"]);
    assert!(long.stdout.contains(&format!("total packets: {}", both.packets)), "{}", long.stdout);
    assert!(!long.stderr.contains("copies"), "{}", long.stderr);
}
