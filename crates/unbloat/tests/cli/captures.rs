//! `--pcap`: the counts of Wireshark and tcptrace for the file are those of the simulator.
//!
//! All statistics are without warm-up, like a capture. Both tools know only the packets at one
//! place; where they therefore cannot know what a sender knows, the test says so.

use std::process::Command;

use serde_json::Value;

use crate::bench::Bench;

/// A scenario with one upload; `queue` may add keys of the link, `flow` keys of the flow.
fn upload(queue: &str, flow: &str) -> String {
    format!(
        "duration = \"20s\"\n[[link]]\nname = \"uplink\"\nfrom = \"home\"\nto = \"isp\"\n\
         rate = \"5mbit\"\ndelay = \"10ms\"\n{queue}\n[link.reverse]\nloss = \"0%\"\n\
         [[flow]]\nname = \"up\"\nfrom = \"home\"\nto = \"isp\"\ntraffic = \"transfer\"\n\
         bytes = \"4MB\"\n{flow}\n"
    )
}

/// Runs a scenario, which leaves `run.pcapng`; returns the result document.
fn captured(bench: &Bench, scenario: &str, options: &[&str]) -> Value {
    bench.write("run.toml", scenario.as_bytes());
    let run = ["sim", "run.toml", "--json", "--pcap", "run.pcapng"];
    let run = bench.run(&[&run[..], options].concat());
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    serde_json::from_str(&run.stdout).unwrap()
}

/// The output of a tool for `run.pcapng`.
pub(crate) fn ask(bench: &Bench, tool: &str, arguments: &[&str]) -> String {
    let output = Command::new(tool).args(arguments).current_dir(bench.path("")).output();
    let output = output.unwrap_or_else(|error| {
        panic!("{tool} does not start ({error}); on Debian: apt-get install {tool}")
    });
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{tool}: {stderr}");
    String::from_utf8(output.stdout).expect("text")
}

/// These fields of all packets that the display filter lets pass.
fn tshark(bench: &Bench, filter: &str, fields: &[&str]) -> Vec<Vec<String>> {
    let mut arguments = vec!["-n", "-r", "run.pcapng", "-Y", filter, "-T", "fields"];
    arguments.extend(CHECKS.iter().flat_map(|check| ["-o", check]));
    arguments.extend(fields.iter().flat_map(|field| ["-e", field]));
    let text = ask(bench, "tshark", &arguments);
    text.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

const CHECKS: [&str; 3] =
    ["ip.check_checksum:TRUE", "tcp.check_checksum:TRUE", "udp.check_checksum:TRUE"];

fn number_of(bench: &Bench, filter: &str) -> u64 {
    tshark(bench, filter, &["frame.number"]).len() as u64
}

/// The sum of one field over all packets that the display filter lets pass.
fn sum_of(bench: &Bench, filter: &str, field: &str) -> u64 {
    tshark(bench, filter, &[field]).iter().map(|row| row[0].parse::<u64>().unwrap()).sum()
}

/// One field, in milliseconds where the file has seconds: least, mean and most.
fn spread_of(bench: &Bench, filter: &str, field: &str, in_ms: f64) -> [f64; 3] {
    let rows = tshark(bench, &format!("{filter} && {field}"), &[field]);
    let values: Vec<f64> = rows.iter().map(|row| row[0].parse::<f64>().unwrap() * in_ms).collect();
    assert!(values.len() > 50, "{} values of {field}", values.len());
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(0.0, f64::max);
    [least, values.iter().sum::<f64>() / values.len() as f64, most]
}

/// The least, mean and greatest of the document's round trips.
fn round_trips(flow: &Value) -> [f64; 3] {
    ["min", "mean", "max"].map(|which| flow["rtt_ms"][which].as_f64().unwrap())
}

fn assert_close(found: [f64; 3], expected: [f64; 3], tolerance: f64) {
    let near =
        found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() <= tolerance);
    assert!(near, "{found:?} is not {expected:?} within {tolerance}");
}

/// Asserts that each packet can be read to its end, all checksums are right, and nothing in it is
/// an error.
fn is_sound(bench: &Bench) {
    let errors = "_ws.malformed || _ws.expert.severity == error || _ws.short || tcp.analysis.lost_segment \
                  || tcp.analysis.ack_lost_segment";
    let wrong = tshark(bench, errors, &["frame.number", "_ws.expert.message"]);
    assert!(wrong.is_empty(), "{wrong:?}");
    let good = "ip.checksum.status == good && (tcp.checksum.status == good || \
                udp.checksum.status == good || icmp.checksum.status == good)";
    assert_eq!(number_of(bench, &format!("!({good})")), 0);
    assert!(number_of(bench, good) > 1000);
}

#[test]
fn needs_tshark_a_clean_upload() {
    let bench = Bench::new("needs-tshark-clean");
    // An acknowledgement for each segment, so that each gives both sides one round trip.
    let scenario = upload("queue = \"pfifo limit 1000\"", "delayed_ack = false");
    let document = captured(&bench, &scenario, &[]);
    is_sound(&bench);
    // It comes with tshark, and writes no file whose blocks are in an order that it does not know.
    ask(&bench, "editcap", &["run.pcapng", "cut.pcapng"]);
    assert!(bench.path("cut.pcapng").is_file());
    let flow = &document["flows"]["up"];
    assert_eq!(flow["sent_packets"], number_of(&bench, "ip.src == 10.0.0.1"));
    assert_eq!(flow["delivered_bytes"], sum_of(&bench, "ip.src == 10.0.0.1", "tcp.len"));
    assert_eq!(number_of(&bench, "tcp.analysis.retransmission || tcp.analysis.out_of_order"), 0);
    let uplink = &document["links"]["uplink"]["forward"];
    assert_eq!(uplink["delivered_bytes"], sum_of(&bench, "ip.src == 10.0.0.1", "ip.len"));
    // The handshake is no round trip of data. What is left is the same to the nanosecond.
    let data = "ip.src == 10.0.0.2 && tcp.flags.syn == 0";
    let found = spread_of(&bench, data, "tcp.analysis.ack_rtt", 1e3);
    assert_close(found, round_trips(flow), 1e-6);
    assert!(found[2] > 10.0 * found[0], "not bloated: {found:?}");
}

/// Drops of a full queue, which come in a row, and random loss on the wire, which may hit anything.
#[test]
fn needs_tshark_losses_and_their_repair() {
    for (name, queue) in [
        ("needs-tshark-drops", "queue = \"pfifo limit 60\""),
        ("needs-tshark-loss", "queue = \"pfifo limit 1000\"\nloss = \"1%\""),
    ] {
        let bench = Bench::new(name);
        let document = captured(&bench, &upload(queue, ""), &[]);
        is_sound(&bench);
        let flow = &document["flows"]["up"];
        let retransmitted = flow["retransmitted_packets"].as_u64().unwrap();
        assert!(retransmitted > 4, "{flow}");
        assert_eq!(flow["sent_packets"], number_of(&bench, "ip.src == 10.0.0.1"));
        // Before the queue no packet can have been overtaken. But Wireshark takes a retransmission
        // within the handshake's round trip of the highest number for a packet out of order.
        let repairs = "tcp.analysis.retransmission || tcp.analysis.out_of_order";
        assert_eq!(number_of(&bench, repairs), retransmitted);
        let (all, again) = ("ip.src == 10.0.0.1".to_owned(), format!("({repairs})"));
        let unique = sum_of(&bench, &all, "tcp.len") - sum_of(&bench, &again, "tcp.len");
        assert_eq!(flow["delivered_bytes"], unique);
        assert!(number_of(&bench, "tcp.options.sack.count") > retransmitted);
        assert_eq!(number_of(&bench, "tcp.analysis.duplicate_ack && !tcp.options.sack.count"), 0);
    }
}

#[test]
fn needs_tshark_marks_in_place_of_drops() {
    let bench = Bench::new("needs-tshark-ecn");
    for queue in ["codel ecn", "fq_codel"] {
        let scenario = upload(&format!("queue = \"{queue}\""), "ecn = true");
        let near = captured(&bench, &scenario, &[]);
        is_sound(&bench);
        let marks = near["flows"]["up"]["marks"].as_u64().unwrap();
        assert!(marks > 10, "{marks} marks");
        // Packets are not marked yet before the queue, but acknowledgements echo the marks.
        assert_eq!(number_of(&bench, "ip.dsfield.ecn == 3"), 0);
        assert_eq!(
            number_of(&bench, "ip.src == 10.0.0.1 && ip.dsfield.ecn == 2"),
            number_of(&bench, "tcp.len > 0")
        );
        let echoed = "tcp.flags.syn == 0 && tcp.flags.ece == 1 && ip.src == 10.0.0.2";
        assert!(number_of(&bench, echoed) >= marks);
        let reduced = number_of(&bench, "tcp.flags.syn == 0 && tcp.flags.cwr == 1");
        assert!((1..=marks).contains(&reduced), "{reduced} reductions for {marks} marks");
        assert_eq!(number_of(&bench, "tcp.flags.syn == 1 && tcp.flags.ece == 1"), 2);

        let far = captured(&bench, &scenario, &["--pcap-link", "uplink.reverse"]);
        is_sound(&bench);
        assert_eq!(far["flows"], near["flows"]);
        assert_eq!(number_of(&bench, "ip.dsfield.ecn == 3"), marks);
        assert_eq!(number_of(&bench, "tcp.flags.syn == 0 && tcp.flags.cwr == 1"), reduced);
    }
}

#[test]
fn needs_tshark_a_ping_and_a_call() {
    let bench = Bench::new("needs-tshark-ping");
    let others = "[[flow]]\nname = \"ping\"\nfrom = \"home\"\nto = \"isp\"\ntraffic = \"ping\"\n\
                  interval = \"50ms\"\n[[flow]]\nname = \"call\"\nfrom = \"home\"\nto = \"isp\"\n\
                  traffic = \"cbr\"\nrate = \"64kbit\"\npacket = \"161B\"\nstop = \"18s\"\n";
    let document = captured(&bench, &upload("queue = \"pfifo limit 100\"", others), &[]);
    is_sound(&bench);
    let ping = &document["flows"]["ping"];
    let found = spread_of(&bench, "icmp.type == 0", "icmp.resptime", 1.0);
    // The field has microseconds.
    assert_close(found, round_trips(ping), 1e-3);
    assert_eq!(ping["sent_packets"], number_of(&bench, "icmp.type == 8"));
    let call = &document["flows"]["call"];
    assert_eq!(call["sent_packets"], number_of(&bench, "udp"));
    let lost = call["lost_packets"].as_u64().unwrap();
    let sent = sum_of(&bench, "udp", "udp.length") - 8 * number_of(&bench, "udp");
    assert_eq!(call["delivered_bytes"], sent - 161 * lost);
}

/// The output of `tcptrace -l -r` about the sending side: the left column.
struct Trace(String);

impl Trace {
    fn of(bench: &Bench) -> Self {
        Self(ask(bench, "tcptrace", &["-n", "-l", "-r", "run.pcapng"]))
    }

    fn text(&self, label: &str) -> &str {
        let (_, rest) = self.0.split_once(&format!("{label}:")).unwrap_or_else(|| {
            panic!("no {label} in\n{}", self.0);
        });
        rest.split_whitespace().next().expect("a value")
    }

    fn number(&self, label: &str) -> f64 {
        self.text(label).parse().unwrap_or_else(|error| panic!("{label}: {error}"))
    }
}

#[test]
fn needs_tcptrace_a_clean_upload() {
    let bench = Bench::new("needs-tcptrace-clean");
    let scenario = upload("queue = \"pfifo limit 1000\"", "delayed_ack = false");
    let document = captured(&bench, &scenario, &[]);
    let (trace, flow) = (Trace::of(&bench), &document["flows"]["up"]);
    assert_eq!(trace.text("complete conn"), "yes");
    assert_eq!(trace.number("total packets"), number_of_packets(&trace));
    assert_eq!(trace.number("unique bytes sent"), 4e6);
    assert_eq!(trace.number("actual data bytes"), 4e6);
    assert_eq!(trace.number("rexmt data pkts"), 0.0);
    // Each segment is acknowledged on its own, and so is the SYN; the FIN goes with the last one.
    let samples = trace.number("RTT samples");
    assert_eq!(samples, trace.number("actual data pkts") + 1.0);
    let [_, mean, max] = round_trips(flow);
    assert!((trace.number("RTT max") - max).abs() <= 0.05, "{max}");
    // tcptrace prints tenths, and counts the handshake, of 20 ms, with the others.
    let with_handshake = (mean * (samples - 1.0) + 20.2) / samples;
    assert!((trace.number("RTT avg") - with_handshake).abs() <= 0.06, "{with_handshake}");
    assert!((trace.number("RTT min") - 20.2).abs() <= 0.05);
}

/// The number of packets, which tcptrace prints in two places.
fn number_of_packets(trace: &Trace) -> f64 {
    trace
        .0
        .split_once(" packets seen")
        .and_then(|(before, _)| before.lines().last()?.parse().ok())
        .unwrap()
}

#[test]
fn needs_tcptrace_losses_and_their_repair() {
    let bench = Bench::new("needs-tcptrace-losses");
    for queue in ["queue = \"pfifo limit 60\"", "queue = \"pfifo limit 1000\"\nloss = \"1%\""] {
        let document = captured(&bench, &upload(queue, ""), &[]);
        let (trace, flow) = (Trace::of(&bench), &document["flows"]["up"]);
        assert_eq!(trace.text("complete conn"), "yes");
        assert_eq!(
            flow["retransmitted_packets"].as_f64().unwrap(),
            trace.number("rexmt data pkts")
        );
        assert_eq!(trace.number("unique bytes sent"), 4e6);
        assert!(trace.number("rexmt data bytes") > 0.0);
        // The SACKs are in the other column.
        let (_, sacks) = trace.0.split_once("sacks sent:").unwrap();
        let (_, sacks) = sacks.split_once("sacks sent:").unwrap();
        assert!(sacks.split_whitespace().next().unwrap().parse::<u32>().unwrap() > 0);
        // tcptrace takes no round trip from segments that SACK alone acknowledges, but the sender
        // does: from those behind a drop, for which the queue was full.
        let ([_, _, max], found) = (round_trips(flow), trace.number("RTT max"));
        assert!(found <= max + 0.05 && found > max / 2.0, "{found} {max}");
    }
}

#[test]
fn a_capture_is_the_same_each_time_and_changes_nothing() {
    let bench = Bench::new("capture");
    let without = |run: crate::bench::Run| {
        let mut document: Value = serde_json::from_str(&run.stdout).unwrap();
        document.as_object_mut().unwrap().remove("cost");
        document
    };
    let run = |arguments: &[&str]| {
        without(bench.run(&[&["sim", "good.toml", "--json"], arguments].concat()))
    };
    let plain = run(&[]);
    assert_eq!(run(&["--pcap", "one.pcapng"]), plain);
    assert_eq!(run(&["--pcap", "two.pcapng"]), plain);
    let bytes = |name| std::fs::read(bench.path(name)).unwrap();
    assert!(bytes("one.pcapng") == bytes("two.pcapng"), "not the same bytes");
    assert_eq!(run(&["--pcap", "cut.pcapng", "--pcap-snap", "108B"]), plain);
    assert!(bytes("cut.pcapng").len() * 3 < bytes("one.pcapng").len());
    // The capture is alone on stdout: the result goes to stderr.
    let output = bench.command(&["sim", "good.toml", "--pcap", "/dev/stdout"]).output().unwrap();
    assert!(output.stdout == bytes("one.pcapng"), "{} bytes", output.stdout.len());
    assert!(String::from_utf8(output.stderr).unwrap().contains("backup"));
    assert_eq!(bench.files(), ["cut.pcapng", "good.toml", "one.pcapng", "two.pcapng"]);
}

#[test]
fn a_reader_who_has_seen_enough_of_a_capture_is_no_error() {
    let bench = Bench::new("capture-pipe");
    let mut child = bench.command(&["sim", "good.toml", "--pcap", "/dev/stdout"]).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        (output.status.code(), String::from_utf8(output.stderr).unwrap().as_str()),
        (Some(0), "")
    );
}

#[test]
fn captures_that_cannot_be_are_refused() {
    let bench = Bench::new("capture-refused");
    for (arguments, parts) in [
        (&["--pcap", "a.pcap"][..], &["--pcap a.pcap", ".pcapng"][..]),
        (&["--pcap", "a"], &["--pcap a", ".pcapng"]),
        (
            &["--pcap", "a.pcapng", "--pcap-link", "downlink"],
            &["--pcap-link", "downlink", "uplink"],
        ),
        (&["--pcap", "a.pcapng", "--pcap-snap", "100"], &["--pcap-snap", "100", "unit"]),
        (&["--pcap", "a.pcapng", "--pcap-snap", "0B"], &["--pcap-snap 0B", "34B to 256KiB"]),
        (&["--pcap", "a.pcapng", "--pcap-snap", "1GB"], &["--pcap-snap 1GB", "34B to 256KiB"]),
        (
            &["--pcap", "a.pcapng", "--compare", "codel"],
            &["--pcap", "--compare makes one for each"],
        ),
        (&["--pcap-link", "uplink"], &["--pcap"]),
        (&["--pcap-snap", "100B"], &["--pcap"]),
        (&["--pcap", "a.pcapng", "--packets", "a.pcapng"], &["--packets", "--pcap", "a.pcapng"]),
        (&["--pcap", "nowhere/a.pcapng"], &["nowhere/a.pcapng", "does not exist"]),
    ] {
        bench.run(&[&["sim", "good.toml"], arguments].concat()).is_refused(parts);
        assert_eq!(bench.files(), ["good.toml"], "after {arguments:?}");
    }
}

/// The rows of a connection in the words of tcptrace, without the units of which the two print fewer or more
/// blanks.
fn rows(text: &str) -> Vec<String> {
    let rows = text.lines().filter(|line| line.starts_with("     ") && line.contains(':'));
    rows.map(|row| row.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

/// `unbloat pcap --long` prints what tcptrace prints, of captures with losses, SACK and small windows.
#[test]
fn needs_tcptrace_figures_are_those_of_pcap() {
    let bench = Bench::new("needs-tcptrace-figures");
    for (queue, flow) in [
        ("queue = \"pfifo limit 60\"", ""),
        ("queue = \"pfifo limit 1000\"\nloss = \"1%\"", "sack = false"),
        ("queue = \"codel\"", "receive_window = \"20kB\""),
    ] {
        captured(&bench, &upload(queue, flow), &[]);
        let theirs = rows(&ask(&bench, "tcptrace", &["-n", "-l", "-r", "-W", "run.pcapng"]));
        let ours = bench.run(&["pcap", "--long", "run.pcapng"]);
        let ours = rows(&ours.stdout);
        assert!(theirs.len() > 60, "{theirs:#?}");
        // For tcptrace with numbers of 64 bits, a SYN is the largest segment: it has 4 GiB.
        let differs = |row: &&String| !row.starts_with("RTT full_sz") && !ours.contains(*row);
        let differ: Vec<_> = theirs.iter().filter(differs).collect();
        assert!(differ.is_empty(), "{queue}: {differ:#?}\n{ours:#?}");
    }
}
