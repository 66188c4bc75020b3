//! `doctor --explain`: the queues of a device of this machine, which no test changes.

use serde_json::Value;

use crate::bench::Bench;

#[test]
fn a_device_without_a_queue_says_so() {
    let bench = Bench::new("explain");
    let run = bench.run(&["doctor", "--explain", "lo", "--time", "100ms"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert!(run.stdout.starts_with("lo: no queue.\n"), "{}", run.stdout);
}

#[test]
fn a_program_gets_an_object_a_line() {
    let bench = Bench::new("explain-json");
    let run = bench.run(&["doctor", "--explain", "lo", "--time", "300ms", "--json"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let lines: Vec<Value> =
        run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!((2..=3).contains(&lines.len()), "ten a second, and fewer on a busy machine: {lines:?}");
    for line in &lines {
        assert_eq!((&line["schema"], &line["version"]), (&"unbloat.explanation".into(), &1.into()));
        assert_eq!(line["queues"][0]["statistics"]["kind"], "noqueue");
    }
    let span = |line: &Value| line["span_s"].as_f64().unwrap();
    assert!(lines.windows(2).all(|pair| span(&pair[0]) < span(&pair[1])), "{lines:?}");
}

#[test]
fn what_cannot_be_explained_is_refused() {
    let bench = Bench::new("explain-refused");
    let refused = |arguments: &[&str], parts: &[&str]| {
        bench.run(&[&["doctor"], arguments].concat()).is_refused(parts);
    };
    refused(&["--explain", "wan9"], &["there is no device `wan9`", "there are: ", "lo"]);
    refused(
        &["--explain", "lo", "--time", "1ms"],
        &["`1ms` is no time to watch counters for", "100ms to 24h"],
    );
    refused(&["--explain", "lo", "--up", "1mbit"], &["--explain", "--up"]);
    refused(&["--explain", "a\u{1b}[2Jb"], &["there is no device `a\u{fffd}[2Jb`"]);
}
