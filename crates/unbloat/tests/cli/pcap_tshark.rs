//! The counts of `unbloat pcap` beside those of tshark, on simulated captures.

use results::Capture;

use crate::bench::Bench;
use crate::captures::ask;

/// The packets from this address that tshark marks so.
fn marked(bench: &Bench, from: &str, analysis: &str) -> u64 {
    let filter = format!("ip.src == {from} && tcp.analysis.{analysis}");
    let arguments = ["-n", "-r", "up.pcapng", "-Y", &filter, "-T", "fields", "-e", "frame.number"];
    ask(bench, "tshark", &arguments).lines().count() as u64
}

/// What tshark calls out of order soon after it was sent, has been sent before: both together are what was sent again.
#[test]
fn needs_tshark_counts_are_those_of_pcap() {
    for (name, queue, flow) in [
        ("full", "queue = \"pfifo limit 30\"", ""),
        ("lossy", "queue = \"pfifo limit 1000\"\nloss = \"1%\"", "sack = false"),
        ("small", "queue = \"pfifo limit 1000\"", "receive_window = \"20kB\""),
    ] {
        let bench = Bench::new(&format!("needs-tshark-counts-{name}"));
        bench.write("up.toml", super::pcap_xplot::upload(queue, flow).as_bytes());
        assert_eq!(bench.run(&["sim", "up.toml", "--pcap", "up.pcapng"]).code, 0);
        let run = bench.run(&["pcap", "up.pcapng", "--json"]);
        let capture: Capture = serde_json::from_str(&run.stdout).unwrap();
        let [connection] = &capture.connections[..] else { panic!("{capture:?}") };
        let [sender, receiver] = &connection.ends;
        let [from, to] = [sender, receiver].map(|end| end.address.as_str());
        let again = sender.counts.retransmitted_packets + sender.counts.out_of_order;
        let theirs = marked(&bench, from, "retransmission") + marked(&bench, from, "out_of_order");
        assert_eq!((name, again), (name, theirs));
        let duplicates = marked(&bench, to, "duplicate_ack");
        assert_eq!((name, sender.duplicate_acks), (name, duplicates));
        assert_eq!((name, sender.rfc_duplicate_acks), (name, duplicates));
        assert_eq!((name, receiver.zero_windows), (name, marked(&bench, to, "zero_window")));
        assert!(name == "small" || again > 0 && sender.duplicate_acks > 0, "{name}");
    }
}
