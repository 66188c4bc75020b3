//! Ctrl-C: once to finish and keep what there is, twice to stop.

use std::fs::{self, File};
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

/// It hangs in a pipe that nobody empties, so that it cannot finish.
#[test]
fn twice_leaves_nothing() {
    let bench = Bench::new("twice");
    let pipe = bench.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut child = begun(&bench, &["--packets", "pipe"]);
    let mut reader = File::open(&pipe).unwrap();
    reader.read_exact(&mut [0]).unwrap();
    // For a while, not just for a moment.
    let mut asleep = 0;
    while asleep < 1000 {
        assert_eq!(child.try_wait().unwrap(), None, "it ended although nobody reads");
        asleep = if sleeps(&child) { asleep + 1 } else { 0 };
    }
    // Two of the same kind might be taken for one.
    signal(&child, "INT");
    signal(&child, "TERM");
    assert_eq!(child.wait().unwrap().code(), Some(3));
    drop(reader);
    let mut stdout = String::new();
    child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
    assert_eq!(stdout, "");
    assert_eq!(bench.files(), ["good.toml", "pipe"]);
}

/// Do all its threads wait for something (proc(5), `stat`, the field after the name)?
fn sleeps(child: &Child) -> bool {
    let threads = fs::read_dir(format!("/proc/{}/task", child.id())).unwrap();
    threads.flatten().all(|thread| {
        let stat = fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
        stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('S'))
    })
}
