//! The hunt of docs/gettys.md: the path that its script makes of real kernels, and what is told of it.

use std::path::Path;
use std::process::Command;

use results::{
    Capture, LoadedDirection, Measurement, QueueKind, QueueOwner, SpikeCause, Tolerance,
    WatchEventKind, WatchReport,
};
use rustix::process::geteuid;
use serde::de::DeserializeOwned;

use crate::bench::Bench;

/// The data and the length on this wire of a full packet, in bytes: TCP with timestamps on Ethernet.
const DATA: f64 = 1448.0;
const PACKET: f64 = 1500.0;
const FRAME: f64 = 1514.0;

/// The buffers of the modem and of the Wi-Fi: the kernel counts frames in the first one.
const MODEM: f64 = 262_144.0;
const WIRELESS: f64 = 1_000.0;

/// The tolerances of `bench/src/truth`: a rate, a buffer in bytes, and one in packets.
const RATE: Tolerance = Tolerance { part: 0.05, amount: 0.0 };
const BYTES: Tolerance = Tolerance { part: 0.02, amount: FRAME };
const PACKETS: Tolerance = Tolerance { part: 0.1, amount: 3.0 };

/// Runs the script, in its short form. Returns the folder with what it has written.
fn hunted() -> Bench {
    let bench = Bench::new("needs-iperf3");
    let program = Path::new(env!("CARGO_BIN_EXE_unbloat")).parent().unwrap();
    let path = format!("{}:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", program.display());
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/gettys.sh");
    let mut shell = Command::new("sh");
    shell.args([script, "--short"]).arg(bench.path("hunt")).env("PATH", path);
    let output = shell.output().unwrap();
    let [told, errors] = [&output.stdout, &output.stderr].map(|it| String::from_utf8_lossy(it));
    println!("{told}");
    assert!(output.status.success(), "{told}{errors}");
    bench
}

fn document<T: DeserializeOwned>(bench: &Bench, arguments: &[&str]) -> T {
    let run = bench.run(arguments);
    assert_eq!(run.code, 0, "{}", run.stderr);
    serde_json::from_str(&run.stdout).unwrap()
}

fn measured(bench: &Bench, name: &str) -> Measurement {
    document(bench, &["report", &format!("hunt/{name}.json.gz"), "--json"])
}

fn is_near(what: &str, tolerance: Tolerance, truth: f64, told: Option<f64>) {
    assert!(told.is_some_and(|told| tolerance.holds(truth, told)), "{what}: {told:?}, not {truth}");
}

/// Whose spike it was, from the watch.
fn the_upload_is_the_cause(bench: &Bench) {
    let report: WatchReport = document(bench, &["report", "hunt/watch", "--json"]);
    let causes = report.events.iter().filter_map(|event| match &event.what {
        WatchEventKind::Spike(spike) => Some(spike.cause),
        _ => None,
    });
    assert_eq!(causes.collect::<Vec<_>>(), [SpikeCause::OwnUpload]);
}

/// Whose queue it was, how fast and how long, from the capture.
fn the_capture_shows_its_queue(bench: &Bench) {
    let capture: Capture = document(bench, &["pcap", "hunt/upload.pcap", "--json"]);
    let ends = capture.connections.iter().flat_map(|it| &it.ends);
    let upload = ends.max_by_key(|end| end.counts.data_bytes).unwrap();
    let queue = upload.queue.as_ref().unwrap();
    assert_eq!(queue.whose, QueueOwner::Own, "{queue:?}");
    is_near("rate", RATE, 2.0 * DATA / FRAME, queue.rate_mbit);
    let most = queue.most_bytes.map(|it| it as f64);
    is_near("most", BYTES, MODEM * DATA / FRAME, most);
}

/// The kind of a queue, and the hop that holds it. On a busy machine it may not be told what limits a FIFO, which is
/// not wrong.
fn is_a_queue_at(direction: Option<&LoadedDirection>, kind: QueueKind, hop: u8) {
    let direction = direction.unwrap();
    let told = direction.queue.as_ref().map(|it| it.kind);
    assert!([Some(kind), Some(QueueKind::Fifo)].contains(&told), "{told:?}, not {kind:?}");
    assert_eq!(direction.offender.as_ref().and_then(|it| it.hop), Some(hop));
}

#[test]
fn needs_iperf3_needs_tcpdump_each_queue_of_the_hunt_is_found() {
    if !geteuid().is_root() {
        println!("skipped: only root may shape");
        return;
    }
    let bench = hunted();
    the_upload_is_the_cause(&bench);
    the_capture_shows_its_queue(&bench);

    let modem = measured(&bench, "before").upload;
    is_a_queue_at(modem.as_ref(), QueueKind::ByteFifo, 1);
    let bytes = modem.unwrap().buffer.unwrap().bytes;
    is_near("modem", BYTES, MODEM * PACKET / FRAME, bytes);

    let wireless = measured(&bench, "garden").download;
    is_a_queue_at(wireless.as_ref(), QueueKind::PacketFifo, 1);
    is_near("Wi-Fi", PACKETS, WIRELESS, wireless.unwrap().buffer.unwrap().packets);

    let [cured, both] = ["cured", "both-cured"].map(|name| measured(&bench, name));
    let behind = [cured.hops[1].upload_ms, both.hops[1].download_ms];
    assert!(behind.iter().all(|it| it.is_some_and(|delay| delay < 50.0)), "{behind:?}");
}
