//! `unbloat reproduce rfc7928`: what must come out of the real runs, of a few sections only.

use std::path::Path;
use std::process::{Command, Output};
use std::sync::OnceLock;

use results::{Characterisation, CharacterisedCase};

/// Sections that take no time, and of what they are asked.
const PARTS: [&str; 4] = ["5.1.1", "5.2", "5.3", "8.2.5"];

fn unbloat(args: &[&str]) -> Output {
    let output = Command::new(env!("CARGO_BIN_EXE_unbloat")).args(args).output();
    output.expect("it runs")
}

fn reproduce(more: &[&str]) -> Output {
    let args = ["reproduce", "rfc7928"].iter().chain(more).copied();
    unbloat(&args.collect::<Vec<_>>())
}

fn printed(output: &Output) -> String {
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaint}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn refused(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn run() -> String {
    let asked = ["--queue", "codel", "--queue", "pie", "--json", "--quiet"];
    printed(&reproduce(&[&PARTS[..], &asked[..]].concat()))
}

fn text() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(run)
}

fn document() -> &'static Characterisation {
    static DOCUMENT: OnceLock<Characterisation> = OnceLock::new();
    DOCUMENT.get_or_init(|| serde_json::from_str(text()).expect("a document"))
}

fn case(id: &str) -> &'static CharacterisedCase {
    let mut cases = document().scenarios.iter().flat_map(|scenario| &scenario.cases);
    cases.find(|case| case.id == id).unwrap_or_else(|| panic!("no case {id}"))
}

/// Of tail drop, CoDel and PIE.
fn figures(id: &str, of: &str, metric: &str) -> [f64; 3] {
    let values = case(id).figure(of, metric).unwrap_or_else(|| panic!("{id} has no {metric}"));
    let values: Vec<f64> = values.iter().map(|value| value.expect("a value")).collect();
    values.try_into().expect("three queues")
}

#[test]
fn tail_drop_stands_first() {
    assert_eq!(document().queues, ["pfifo", "codel", "pie"]);
    let sections: Vec<&str> =
        document().scenarios.iter().map(|scenario| scenario.section.as_str()).collect();
    assert_eq!(sections, PARTS);
}

/// 84 packets of 1500 bytes at 10 Mbit/s are 100.8 ms; a Reno flow that fills a buffer of one round
/// trip never lets the line fall idle, and CoDel and PIE keep the wait near their targets.
#[test]
fn a_single_flow() {
    let [tail, codel, pie] = figures("5.1.1", "queue", "delay p99");
    assert!((90.0..=100.8).contains(&tail), "{tail}");
    assert!(codel < 40.0 && pie < 60.0, "{codel} {pie}");
    let [tail, codel, _] = figures("5.1.1", "queue", "delay p50");
    assert!(tail > 30.0 && codel < 10.0, "{tail} {codel}");
    // 1448 of 1500 bytes are payload.
    let [tail, codel, pie] = figures("5.1.1", "bulk", "goodput");
    assert!((tail - 10.0 * 1448.0 / 1500.0).abs() < 0.05, "{tail}");
    assert!(codel > 7.0 && pie > 7.0, "{codel} {pie}");
}

/// What does not give way must be dropped: 12 Mbit/s of payload in packets of 1500 bytes, into 10.
#[test]
fn a_flood() {
    let offered = 12.0 * 1500.0 / 1472.0;
    for loss in figures("5.3-alone", "queue", "loss") {
        assert!((loss - 100.0 * (1.0 - 10.0 / offered)).abs() < 0.5, "{loss}");
    }
    let [tail, _, pie] = figures("5.3-alone", "queue", "delay p50");
    assert!((tail - 100.8).abs() < 3.0 && pie < 40.0, "{tail} {pie}");
}

/// Each window is in the cloud, of each queue and seed, and the delay over time from the beginning.
#[test]
fn clouds_and_times_are_complete() {
    let case = case("5.1.1");
    let goodputs = figures("5.1.1", "bulk", "goodput");
    for (windows, goodput) in case.windows.iter().zip(goodputs) {
        assert_eq!(windows.delay_ms.len(), 3 * 80);
        assert_eq!(windows.delay_ms.len(), windows.goodput_mbit.len());
        let mean = windows.goodput_mbit.iter().sum::<f64>() / windows.goodput_mbit.len() as f64;
        assert!((mean - goodput).abs() < 0.01, "{mean} {goodput}");
    }
    assert_eq!(self::case("8.2.5").over_time.len(), 3);
    assert!(self::case("8.2.5").over_time.iter().all(|delays| delays.len() == 60));
}

/// The command that a case names is that of its first run with the last queue.
#[test]
fn a_case_can_be_looked_into() {
    let repeat = &case("5.2").repeat;
    let words: Vec<String> = repeat
        .strip_prefix("unbloat ")
        .expect("a command of ours")
        .split(" --set ")
        .map(|part| part.replace('\'', ""))
        .collect();
    let (file, changes) = words.split_first().expect("a file");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let file = root.join(file.strip_prefix("sim ").expect("it is simulated"));
    let mut args = vec!["sim".to_owned(), file.to_string_lossy().into_owned(), "--json".into()];
    args.extend(changes.iter().flat_map(|change| ["--set".to_owned(), change.clone()]));
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let document: results::Document = serde_json::from_str(&printed(&unbloat(&args))).unwrap();
    assert!(document.links["bottleneck"].forward.queue.starts_with("pie limit 84p"));
    assert_eq!(document.scenario["seed"], 1);
}

#[test]
fn a_second_time_is_the_same() {
    assert!(run() == text(), "two runs differ");
}

#[test]
fn what_cannot_be_meant_is_refused() {
    for (args, wrong) in [
        (&["--queue", "coddel"][..], "coddel"),
        (&["7.9", "--queue", "codel"], "no part `7.9`; there are 4.4, 4.5, 5.1.1"),
    ] {
        let message = refused(&reproduce(args));
        assert!(message.contains(wrong), "{message}");
    }
    let message = refused(&unbloat(&["reproduce", "gettys", "--queue", "codel"]));
    assert!(message.contains("`--queue` is for rfc7928"), "{message}");
}

/// With ECN asked for, senders speak it, and nothing that the algorithm says is lost.
#[test]
fn who_asks_for_marks_gets_them() {
    let args = ["5.1.1", "--queue", "codel ecn", "--json", "--quiet"];
    let document: Characterisation = serde_json::from_str(&printed(&reproduce(&args))).unwrap();
    let case = &document.scenarios[0].cases[0];
    let marked = case.figure("queue", "marked").expect("marks");
    assert!(marked[0].is_none() && marked[1].is_some_and(|part| part > 0.0), "{marked:?}");
    let loss = case.figure("queue", "loss").expect("losses");
    assert!(loss[0].is_some_and(|part| part > 0.0) && loss[1] < loss[0], "{loss:?}");
}

#[test]
fn a_page_and_a_picture() {
    let folder = std::env::temp_dir().join(format!("unbloat-rfc7928-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let (page, plot) = (path("page.html"), path("plot.svg"));
    let drawn = ["--report", page.as_str(), "--plot", plot.as_str(), "--quiet"];
    let table = printed(&reproduce(&[&["5.1.1", "--queue", "codel"], &drawn[..]].concat()));
    assert!(table.contains("5.1.1, TCP-friendly sender (must be considered)"), "{table}");
    assert!(table.contains("codel: in the 1 case that must be considered"), "{table}");
    let [page, plot] = [page, plot].map(|path| std::fs::read_to_string(path).unwrap());
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(page.contains("5.1.1, TCP-friendly sender") && plot.contains("Goodput"));
}
