//! Checkups of the machine that runs the tests: their form, and what is refused.

use crate::bench::Bench;
use results::{LoadedDirection, Measurement};
use serde_json::{Value, json};

#[test]
fn this_machine_is_looked_at() {
    let bench = Bench::new("doctor");
    // A part of a second counts as a whole one.
    let run = bench.run(&["doctor", "--time", "100ms", "--json"]);
    let checkup: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((&checkup["schema"], &checkup["version"]), (&json!("unbloat.checkup"), &json!(1)));
    let findings = checkup["findings"].as_array().unwrap();
    let is_wrong = findings.iter().any(|finding| finding["severity"] == "wrong");
    assert_eq!((run.code, run.stderr.as_str()), (if is_wrong { 4 } else { 0 }, ""));
    assert!(checkup["kernel"].as_str().unwrap().contains(' '), "{checkup}");
    // Nobody said what the line carries.
    let unknown = checkup["cannot_tell"].as_array().unwrap();
    let what = "whether shapers are needed, and whether their rates are right";
    assert!(unknown.iter().any(|it| it["what"] == what), "{checkup}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let bench = Bench::new("doctor-refused");
    bench.write("plan.json", br#"{"schema":"unbloat.plan","version":1}"#);
    let refused = |arguments: &[&str], parts: &[&str]| {
        bench.run(&[&["doctor"], arguments].concat()).is_refused(parts);
    };
    refused(&["missing.json"], &["missing.json"]);
    refused(&["plan.json"], &["plan.json:1:37", "`platform`"]);
    refused(&["--time", "1s", "--wan", "no-such-wan"], &["no-such-wan", "this machine has"]);
    // One range, with --explain or without.
    for more in [&[][..], &["--explain", "lo"]] {
        for time in ["99ms", "25h"] {
            refused(&[&["--time", time], more].concat(), &[time, "100ms to 24h"]);
        }
    }
    refused(&["--up", "20"], &["`20` has no unit"]);
    refused(&["--link", "cable"], &["'cable'", "docsis"]);
}

#[test]
fn a_named_rate_that_the_test_contradicts_is_told() {
    let bench = Bench::new("doctor-named");
    let upload = LoadedDirection { rate_mbit: Some(2.0), saturated: true, ..Default::default() };
    let measurement = Measurement { upload: Some(upload), ..Measurement::default() };
    bench.write("before.json", &serde_json::to_vec(&measurement).unwrap());
    let named = ["doctor", "before.json", "--time", "1s", "--up", "20mbit"];
    let text = bench.run(&named).stdout.replace("\n    ", " ").replace("\n  ", " ");
    let said = "which rate the upload has: 20mbit was named, and the test measured 2mbit;";
    assert!(text.contains(said), "{text}");
    let checkup = bench.run(&[&named[..], &["--json"]].concat()).stdout;
    let checkup: Value = serde_json::from_str(&checkup).unwrap();
    let unknown = checkup["cannot_tell"].as_array().unwrap();
    assert!(unknown.iter().any(|it| it["what"] == "which rate the upload has"), "{checkup}");
}

/// The machine is reached by ssh, which is this one's own.
#[test]
fn a_machine_that_is_not_reached_is_told() {
    let bench = Bench::new("doctor-over");
    let refused = |arguments: &[&str], parts: &[&str]| {
        bench.run(&[&["doctor"], arguments].concat()).is_refused(parts);
    };
    refused(&["--over", "router"], &["ssh://router"]);
    refused(&["--over", "ssh://-oProxyCommand=x"], &["names no machine"]);
    refused(&["wan", "--wan", "lan"], &["twice", "wan", "lan"]);
    // Nothing listens at this port.
    let run = bench.run(&["doctor", "--over", "ssh://127.0.0.1:1"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stderr.starts_with("connecting to 127.0.0.1:1\n"), "{}", run.stderr);
    assert!(run.stderr.contains("127.0.0.1:1: no shell (sh) answers there"), "{}", run.stderr);
    assert!(!run.stderr.contains("changed"), "{}", run.stderr);
    assert!(run.stdout.is_empty());
    let run = bench.run(&["doctor", "--over", "ssh://127.0.0.1:1", "--explain", "wan"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stderr.starts_with("connecting to 127.0.0.1:1\n"), "{}", run.stderr);
}
