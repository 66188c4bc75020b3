//! A short, reproducible run of each fuzz target, of some seconds. `./x fuzz` runs longer and deeper.
//! The inputs are the same each time, so that more rounds find what a change breaks and nothing else.

use std::fs;
use std::path::Path;

use ::units::Rng;
use fuzz::short;
use qdisc::QdiscSpec;

/// Words that parsers know, and numbers that often cause errors.
const WORDS: &[&str] = &[
    "0",
    "-1",
    "1e9",
    "0.0000001",
    "4000000000",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999999999999999",
    "nan",
    "inf",
    "1.",
    ".5",
    "mbit",
    "Mbps",
    "mbps",
    "kB",
    "KiB",
    "ms",
    "us",
    "min",
    "p",
    "%",
    " ",
    "\n",
    "\t",
    "\"",
    "'",
    "=",
    "[",
    "]",
    "[[",
    "]]",
    "{",
    "}",
    ",",
    ":",
    "#",
    "\\",
    "\u{0}",
    "\u{feff}",
    "\u{b5}s",
    "\u{202e}",
    "true",
    "false",
    "null",
    "link",
    "flow",
    "rate",
    "delay",
    "queue",
    "from",
    "to",
    "name",
    "trace",
    "reverse",
    "count",
    "loss",
    "burst",
    "traffic",
    "bulk",
    "ping",
    "cbr",
    "page",
    "bytes",
    "duration",
    "warmup",
    "seed",
    "\n--set\n",
    "\n--vary\n",
    "[sweep]",
    "step",
    "..",
    "x2",
    "time_s",
    "dscp",
    "ect0",
    "0.000000001",
    "18446744073.709551615",
    "flow[0].",
    "hello",
    "proof",
    "echo",
    "collect",
    "bye",
    "TCP upload::",
    "Ping (ms) UDP",
    "raw_values",
    "https://",
    "version",
    "test_endpoint",
    "lost_dir",
    "true_up",
    "1e11",
    "-1e300",
    "p95",
    "grade",
    "worse than",
    ">",
];

/// [`WORDS`], and the words that describe queues.
fn words() -> Vec<&'static str> {
    let of_queues = QdiscSpec::examples().flat_map(str::split_ascii_whitespace);
    WORDS.iter().copied().chain(of_queues).collect()
}

/// The seeds: `fuzz/seeds/<name>/*`, and each file of `also`, a folder of the project.
fn seeds(name: &str, also: Option<&str>) -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders =
        [Some(root.join("seeds").join(name)), also.map(|also| root.join("..").join(also))];
    let mut files: Vec<_> = folders
        .into_iter()
        .flatten()
        .flat_map(|folder| fs::read_dir(&folder).unwrap_or_else(|e| panic!("{folder:?}: {e}")))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no seeds for {name}");
    files.iter().map(|file| fs::read(file).unwrap()).collect()
}

#[test]
fn rows_of_a_store() {
    short::run(fuzz::blocks, &seeds("blocks", None), &[], 50_000);
}

#[test]
fn scenarios() {
    short::run(fuzz::scenario, &seeds("scenario", Some("scenarios")), &words(), 5_000);
}

#[test]
fn sweeps() {
    short::run(fuzz::sweep, &seeds("sweep", Some("scenarios/sweeps")), &words(), 5_000);
}

#[test]
fn simulations() {
    short::run(
        fuzz::simulation,
        &seeds("simulation", Some("fuzz/seeds/scenario")),
        &words(),
        3_000,
    );
}

#[test]
fn ends() {
    short::run(fuzz::ends, &seeds("ends", None), &[], 200);
}

/// The seeds are valid: mutations of an invalid one would reach nothing.
#[test]
fn the_seeds_of_simulations_are_scenarios() {
    let trace = |_: &str| Ok("0\n5\n".into());
    for seed in seeds("simulation", None) {
        let text = String::from_utf8(seed).unwrap();
        let read = scenario::Scenario::parse(&text, "seed.toml", &[], &trace);
        assert!(read.is_ok(), "{read:?} in\n{text}");
    }
}

#[test]
fn queues() {
    let mut seeds = seeds("queue", None);
    seeds.extend(QdiscSpec::examples().map(Vec::from));
    short::run(fuzz::queue, &seeds, &words(), 300_000);
}

#[test]
fn listings() {
    short::run(fuzz::listing, &seeds("listing", None), &words(), 30_000);
}

#[test]
fn queues_of_netlink() {
    short::run(fuzz::netlink, &seeds("netlink", None), WORDS, 5_000);
}

#[test]
fn surveys() {
    short::run(fuzz::survey, &seeds("survey", None), WORDS, 3_000);
}

#[test]
fn units() {
    short::run(fuzz::units, &seeds("units", None), WORDS, 300_000);
}

#[test]
fn traces() {
    short::run(fuzz::trace, &seeds("trace", None), WORDS, 200_000);
}

#[test]
fn arrivals() {
    short::run(fuzz::arrivals, &seeds("arrivals", None), WORDS, 10_000);
}

#[test]
fn pcaps() {
    short::run(fuzz::pcap, &seeds("pcap", None), WORDS, 20_000);
}

#[test]
fn pcapngs() {
    short::run(fuzz::pcapng, &seeds("pcapng", None), WORDS, 20_000);
}

#[test]
fn foreign_captures() {
    short::run(fuzz::foreign_capture, &seeds("foreign_capture", None), WORDS, 3_000);
}

#[test]
fn packets() {
    short::run(fuzz::packet, &seeds("packet", None), WORDS, 300_000);
}

#[test]
fn probes() {
    short::run(fuzz::probes, &seeds("probes", None), WORDS, 20_000);
}

#[test]
fn segments() {
    short::run(fuzz::segments, &seeds("segments", None), WORDS, 5_000);
}

#[cfg(target_os = "linux")]
#[test]
fn super_packets() {
    short::run(fuzz::super_packet, &seeds("super_packet", None), WORDS, 200_000);
}

#[cfg(target_os = "linux")]
#[test]
fn conversations() {
    short::run(fuzz::conversation, &seeds("conversation", None), WORDS, 30_000);
}

#[cfg(target_os = "linux")]
#[test]
fn datagrams() {
    short::run(fuzz::datagram, &seeds("datagram", None), WORDS, 300_000);
}

#[cfg(target_os = "linux")]
#[test]
fn configurations_of_responsiveness() {
    short::run(fuzz::configuration, &seeds("configuration", None), WORDS, 100_000);
}

#[test]
fn files_of_flent() {
    short::run(fuzz::flent, &seeds("flent", None), WORDS, 10_000);
}

#[test]
fn files_of_irtt() {
    short::run(fuzz::irtt, &seeds("irtt", None), WORDS, 30_000);
}

#[test]
fn thresholds() {
    short::run(fuzz::threshold, &seeds("threshold", None), WORDS, 200_000);
}

#[test]
fn histories() {
    let mut seeds = seeds("history", None);
    let mut rng = Rng::new(1).fork("histories");
    for text in QdiscSpec::examples() {
        let events = (0..3_000).map(|_| rng.next_u64() as u8);
        seeds.push(text.bytes().chain([b'\n']).chain(events).collect());
    }
    short::run(fuzz::history, &seeds, &words(), 10_000);
}

#[test]
fn tcp() {
    short::run(fuzz::tcp, &seeds("tcp", None), WORDS, 10_000);
}

#[test]
fn diagnoses() {
    short::run(fuzz::diagnosis, &seeds("diagnosis", None), &[], 3_000);
}
