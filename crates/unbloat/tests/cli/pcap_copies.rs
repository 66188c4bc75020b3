//! Captures of several places that the same packets pass.

use results::{Capture, CaptureAnomaly, LossPattern, QueueOwner};
use units::Time;
use wire::{CaptureReader, Interface, PacketDirection, PcapngWriter};

use crate::bench::Bench;
use crate::pcap::UPLOAD;

/// The same upload through a router, with the sender next to it and another link behind it. The capture of the first link
/// is made in front of the buffer, that of the second one behind it.
fn upload() -> String {
    let internet = "[[link]]\nname = \"internet\"\nfrom = \"isp\"\nto = \"server\"\nrate = \"1gbit\"\n\
                    delay = \"20ms\"\n";
    let near = UPLOAD.replace("delay = \"10ms\"", "delay = \"0ms\"");
    near.replace("to = \"isp\"\ntraffic", "to = \"server\"\ntraffic") + internet
}

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
    bench.write("upload.toml", upload().as_bytes());
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
    // 200 packets of 1514 bytes take 606 ms.
    let between = sent.waits_between.unwrap();
    assert!((between.most_ms.unwrap() / 606.0 - 1.0).abs() < 0.02, "{between:?}");
    let run = bench.run(&["pcap", "both.pcapng"]);
    assert!(run.stderr.contains("copies of packets"), "{}", run.stderr);
    assert!(run.stdout.contains("The queue is in the device that was captured"), "{}", run.stdout);
    // The figures of tcptrace are those of all packets.
    // A queue is in front of each packet once.
    let replay = ["replay", "--queue", "pfifo limit 200", "--rate", "4mbit", "--json"];
    let replayed = |file| bench.run(&[&replay[..], &[file]].concat());
    let [once, twice] = ["uplink.pcapng", "both.pcapng"].map(replayed);
    assert!(twice.stderr.contains("copies of packets"), "{}", twice.stderr);
    let packets = |run: &str| {
        let document: results::Document = serde_json::from_str(run).unwrap();
        let link = &document.links["replay"].forward;
        link.delivered_packets + link.drops.full
    };
    assert_eq!(packets(&twice.stdout), packets(&once.stdout));
    let long = bench.run(&["pcap", "both.pcapng", "--long"]);
    assert!(long.stdout.contains(&format!("total packets: {}", both.packets)), "{}", long.stdout);
    assert!(!long.stderr.contains("copies"), "{}", long.stderr);
}
