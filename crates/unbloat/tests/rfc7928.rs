//! `unbloat reproduce rfc7928`: the required results of real runs, for a few sections only.

use std::path::Path;
use std::process::{Command, Output};
use std::sync::OnceLock;

use results::{Characterisation, CharacterisedCase};

/// Sections that take little time.
const PARTS: [&str; 5] = ["5.1.1", "5.2", "5.3", "5.4", "8.2.5"];

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

/// The figures of tail drop, CoDel and PIE.
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

/// An unresponsive flow must be dropped: 12 Mbit/s of payload in packets of 1500 bytes, into 10.
#[test]
fn a_flood() {
    let offered = 12.0 * 1500.0 / 1472.0;
    for loss in figures("5.3-alone", "queue", "loss") {
        assert!((loss - 100.0 * (1.0 - 10.0 / offered)).abs() < 0.5, "{loss}");
    }
    let [tail, _, pie] = figures("5.3-alone", "queue", "delay p50");
    assert!((tail - 100.8).abs() < 3.0 && pie < 40.0, "{tail} {pie}");
}

/// Tail drop's long queue makes LEDBAT of 5 ms give way to NewReno; in CoDel's short queue it has
/// no reason to.
#[test]
fn what_makes_way() {
    let [tail, codel, _] = figures("5.4-reno", "background / bulk", "goodput");
    assert!(tail < 0.05 && codel > 0.5, "{tail} {codel}");
}

/// Each class of flows has a cloud, whose goodput is that of its flows.
#[test]
fn classes_have_clouds_of_their_own() {
    let classes = &case("5.4-reno").classes;
    let names: Vec<&str> = classes.iter().map(|class| class.of.as_str()).collect();
    assert_eq!(names, ["bulk", "background"]);
    for class in classes {
        let goodputs = figures("5.4-reno", &class.of, "goodput");
        for (windows, goodput) in class.windows.iter().zip(goodputs) {
            assert_eq!(windows.delay_ms.len(), 3 * 80);
            let mean = windows.goodput_mbit.iter().sum::<f64>() / 240.0;
            assert!((mean - goodput).abs() < 0.01, "{}: {mean} {goodput}", class.of);
        }
    }
    assert!(case("5.1.1").classes.is_empty());
}

/// The cloud of each queue has each window of each seed, and the delay over time starts at the
/// beginning.
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

/// The command of a case repeats its first run with the last queue.
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

/// The page's table has the printed rows: each row that is run here, for tail drop and CoDel.
#[test]
fn the_page_shows_what_is_printed() {
    let page = include_str!("../../../docs/reproduce-rfc7928.md");
    let plain = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let shown: Vec<String> = page.lines().map(plain).collect();
    let mut document = document().clone();
    document.queues.truncate(2);
    let cases = document.scenarios.iter_mut().flat_map(|scenario| &mut scenario.cases);
    cases.flat_map(|case| &mut case.figures).for_each(|figure| figure.values.truncate(2));
    let table = report::characterisation_table(&document);
    let mut rows = table.lines().skip_while(|line| !line.starts_with("p95 of the delay")).skip(1);
    let rows: Vec<String> = rows.by_ref().take_while(|line| !line.is_empty()).map(plain).collect();
    assert_eq!(rows.len(), document.scenarios.iter().map(|of| of.cases.len()).sum::<usize>());
    for row in rows {
        assert!(shown.contains(&row), "docs/reproduce-rfc7928.md does not show\n{row}");
    }
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
        (&["5.", "--queue", "codel"], "no part `5.`"),
        (&["1", "--queue", "codel"], "no part `1`"),
    ] {
        let message = refused(&reproduce(args));
        assert!(message.contains(wrong), "{message}");
    }
    let message = refused(&unbloat(&["reproduce", "gettys", "--queue", "codel"]));
    assert!(message.contains("rfc7928 takes others"), "{message}");
}

/// With ECN asked for, senders use it, and the queue's algorithm marks instead of dropping.
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
    assert!(table.contains("codel, in the 1 case that must be considered"), "{table}");
    let [page, plot] = [page, plot].map(|path| std::fs::read_to_string(path).unwrap());
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(page.contains("5.1.1, TCP-friendly sender") && plot.contains("Goodput"));
}

/// A section includes all its subsections.
#[test]
fn a_section_has_its_parts() {
    let args = ["5.1", "--queue", "codel", "--json", "--quiet"];
    let document: Characterisation = serde_json::from_str(&printed(&reproduce(&args))).unwrap();
    let sections: Vec<&str> = document.scenarios.iter().map(|of| of.section.as_str()).collect();
    assert_eq!(sections, ["5.1.1", "5.1.2"]);
    // A short flow starts after two round trips of 100 ms plus the wait in the queue.
    let startup = document.scenarios[1].cases[0].figure("short", "start-up p50").unwrap();
    assert!(startup.iter().all(|startup| (0.2..0.5).contains(&startup.unwrap())), "{startup:?}");
}
