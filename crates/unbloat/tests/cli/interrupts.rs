//! Ctrl-C: once to finish and keep what there is, twice to stop.

use std::io::Read;
use std::process::{Child, Command};

use crate::bench::Bench;
use serde_json::Value;

/// A run of a week, begun but far from its end.
fn begun(bench: &Bench, also: &[&str]) -> Child {
    let week = ["sim", "good.toml", "--json", "--set", "duration=168h", "--series", "series.csv"];
    let mut child = bench.command(&[&week, also].concat()).spawn().unwrap();
    let partial = format!(".series.csv.{}.partial", child.id());
    while !bench.files().contains(&partial) {
        assert_eq!(child.try_wait().unwrap(), None, "it ended before it began");
        std::thread::yield_now();
    }
    child
}

fn signal(child: &Child, name: &str) {
    let kill = Command::new("kill").args(["-s", name, &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
}

#[test]
fn once_keeps_what_there_is() {
    let bench = Bench::new("once");
    let mut child = begun(&bench, &["--series-step", "60s"]);
    signal(&child, "INT");
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let document: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(document["schema"], "unbloat.result");
    assert!(bench.read("series.csv").starts_with("time_s,"));
    assert_eq!(bench.files(), ["good.toml", "series.csv"]);
}

#[test]
fn twice_leaves_nothing() {
    let bench = Bench::new("twice");
    // So much to do between two looks at the interrupt that the second comes first.
    let mut child = begun(&bench, &["--set", "link.uplink.rate=10gbit", "--series-step", "1h"]);
    // Two of the same kind might be taken for one.
    signal(&child, "INT");
    signal(&child, "TERM");
    assert_eq!(child.wait().unwrap().code(), Some(3));
    let mut stdout = String::new();
    child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
    assert_eq!(stdout, "");
    assert_eq!(bench.files(), ["good.toml"]);
}
