//! Ctrl-C: the first one finishes with the result so far, the second stops.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::bench::Bench;
use serde_json::Value;

/// A run of a week, begun but far from its end.
fn begun(bench: &Bench, also: &[&str]) -> Child {
    let week = ["sim", "good.toml", "--json", "--set", "duration=168h", "--series", "series.csv"];
    let mut child = bench.command(&[&week, also].concat()).spawn().unwrap();
    let partial = format!(".series.csv.{}.partial", child.id());
    while !bench.files().contains(&partial) {
        assert_eq!(child.try_wait().unwrap(), None, "it ended before it began");
        thread::yield_now();
    }
    child
}

pub(crate) fn signal(child: &Child, name: &str) {
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
    assert_eq!(child.wait().unwrap().code(), Some(3));
    let document: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(document["schema"], "unbloat.result");
    assert!(bench.read("series.csv").starts_with("time_s,"));
    assert_eq!(bench.files(), ["good.toml", "series.csv"]);
}

/// A file that takes the disk longer than a second is kept as well: the program does not wait for
/// the disk.
#[test]
fn once_keeps_large_files() {
    let bench = Bench::new("once-large");
    let files = ["--packets", "packets.csv", "--pcap", "all.pcapng"];
    let fast = ["--set", "link.uplink.rate=1gbit"];
    let mut child = begun(&bench, &[&files[..], &fast].concat());
    let partial = bench.path(&format!(".all.pcapng.{}.partial", child.id()));
    while fs::metadata(&partial).is_ok_and(|file| file.len() < 300 << 20) {
        assert_eq!(child.try_wait().unwrap(), None, "it ended before its end");
        thread::yield_now();
    }
    let mut stdout = child.stdout.take().unwrap();
    let reader = thread::spawn(move || {
        let mut text = String::new();
        stdout.read_to_string(&mut text).map(|_| text)
    });
    signal(&child, "INT");
    assert_eq!(child.wait().unwrap().code(), Some(3));
    let document: Value = serde_json::from_str(&reader.join().unwrap().unwrap()).unwrap();
    assert!(document["interrupted_s"].is_f64());
    assert_eq!(bench.files(), ["all.pcapng", "good.toml", "packets.csv", "series.csv"]);
}

/// The runs end at different times: they are shown but not compared, and missing ones are named.
#[test]
fn once_in_a_comparison_says_who_ended_when() {
    let bench = Bench::new("once-compare");
    let queues: Vec<String> = (1..200).map(|limit| format!("pfifo limit {limit}")).collect();
    let arguments: Vec<&str> = ["sim", "good.toml", "--set", "duration=168h", "--compare"]
        .into_iter()
        .chain(queues.iter().map(String::as_str))
        .collect();
    let interrupted = |arguments: &[&str]| {
        let child = bench.command(arguments).spawn().unwrap();
        wait_until_busy(&child);
        signal(&child, "INT");
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(3));
        String::from_utf8(output.stdout).unwrap()
    };
    // The text, whatever its line breaks.
    let text = interrupted(&arguments).split_whitespace().collect::<Vec<_>>().join(" ");
    let parts = [", interrupted, ", "pfifo limit 1 (until ", "not run: ", "pfifo limit 199."];
    for part in parts {
        assert!(text.contains(part), "no {part} in\n{text}");
    }
    assert!(!text.contains("faster") && !text.contains("differs"), "{text}");

    let text = interrupted(&[&["sim", "--json"], &arguments[1..]].concat());
    let document: Value = serde_json::from_str(&text).unwrap();
    let (runs, not_run) = (document["runs"].as_array().unwrap(), document["not_run"].as_array());
    assert!(runs.iter().all(|run| run["result"]["interrupted_s"].is_f64()), "{text}");
    assert_eq!(runs.len() + not_run.unwrap().len(), queues.len());
    assert_eq!(not_run.unwrap().last().unwrap(), "pfifo limit 199");
}

/// The result has the rows whose runs are complete.
#[test]
fn once_in_a_reproduction_keeps_what_is_complete() {
    let bench = Bench::new("once-reproduce");
    let child = bench.command(&["reproduce", "gijsbers", "--json", "-q"]).spawn().unwrap();
    wait_until_busy(&child);
    signal(&child, "INT");
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{stderr}");
    assert!(stderr.contains("interrupted: ") && stderr.contains("are complete"), "{stderr}");
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = document["rows"].as_array().unwrap();
    assert!(rows.iter().all(|row| row["ours"].is_f64()), "{rows:?}");
    assert!(rows.iter().all(|row| row["experiment"] != "Table 5"), "not much of it was run");
}

/// Waits until the child has computed for a fifth of a second, and so listens for signals (proc(5),
/// `stat`: `utime`, in hundredths).
fn wait_until_busy(child: &Child) {
    let busy = || {
        let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
        let utime =
            stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(11)?.parse().ok());
        utime.is_some_and(|ticks: u64| ticks >= 20)
    };
    while !busy() {
        thread::yield_now();
    }
}

/// The program waits for arrivals that do not come.
#[test]
fn once_ends_a_wait() {
    let bench = Bench::new("wait");
    let replay =
        ["replay", "--queue", "codel", "--rate", "1mbit", "/dev/stdin", "--out", "out.csv"];
    let mut child = bench.command(&replay).stdin(Stdio::piped()).spawn().unwrap();
    let mut arrivals = child.stdin.take().unwrap();
    arrivals.write_all(b"time_s,bytes\n0,1000\n0.1,1000\n").unwrap();
    let partial = format!(".out.csv.{}.partial", child.id());
    while !bench.files().contains(&partial) {
        assert_eq!(child.try_wait().unwrap(), None, "it ended before it began");
        thread::yield_now();
    }
    wait_until_asleep(&mut child);
    signal(&child, "INT");
    assert_eq!(child.wait().unwrap().code(), Some(3));
    drop(arrivals);
    assert_eq!(bench.read("out.csv").lines().count(), 3);
}

/// The program hangs in a pipe that nothing reads, so that it cannot finish.
#[test]
fn twice_leaves_nothing() {
    let bench = Bench::new("twice");
    let pipe = bench.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut child = begun(&bench, &["--packets", "pipe"]);
    let mut reader = File::open(&pipe).unwrap();
    reader.read_exact(&mut [0]).unwrap();
    wait_until_asleep(&mut child);
    // Two signals of the same kind might count as one.
    signal(&child, "INT");
    signal(&child, "TERM");
    assert_eq!(child.wait().unwrap().code(), Some(3));
    drop(reader);
    let mut stdout = String::new();
    child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
    assert_eq!(stdout, "");
    assert_eq!(bench.files(), ["good.toml", "pipe"]);
}

/// Ctrl-\ keeps nothing, and leaves nothing half written.
#[test]
fn a_quit_leaves_nothing() {
    let bench = Bench::new("quit");
    let mut child = begun(&bench, &["--series-step", "60s"]);
    signal(&child, "QUIT");
    assert_eq!(child.wait().unwrap().code(), Some(3));
    assert_eq!(bench.files(), ["good.toml"]);
}

/// Waits until the child sleeps for a while, not just for a moment.
pub(crate) fn wait_until_asleep(child: &mut Child) {
    let mut asleep = 0;
    while asleep < 1000 {
        assert_eq!(child.try_wait().unwrap(), None, "it ended although it should wait");
        asleep = if sleeps(child) { asleep + 1 } else { 0 };
    }
}

/// True if all threads of the child wait for something (proc(5), `stat`, the field after the name).
fn sleeps(child: &Child) -> bool {
    let threads = fs::read_dir(format!("/proc/{}/task", child.id())).unwrap();
    threads.flatten().all(|thread| {
        let stat = fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
        stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('S'))
    })
}

/// True if the process catches SIGTERM; true as well where there is no `/proc` to tell.
fn listens(child: &Child) -> bool {
    const TERM: u64 = 1 << (15 - 1);
    let Ok(status) = fs::read_to_string(format!("/proc/{}/status", child.id())) else {
        return true;
    };
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    caught.is_none_or(|mask| u64::from_str_radix(mask.trim(), 16).is_ok_and(|it| it & TERM != 0))
}

/// In each of these waits the program would go on for very long, or wait for a peer that never
/// answers.
#[test]
#[expect(clippy::disallowed_methods, reason = "it is a promise about the time of who waits")]
fn the_first_interrupt_ends_any_verb_within_a_second() {
    /// The time limit of the test: each case would end by itself only after minutes, and a busy
    /// machine may need longer than the second.
    const BUSY: Duration = Duration::from_secs(30);
    let mute = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = mute.local_addr().unwrap().port();
    let (host, url) = (format!("127.0.0.1:{port}"), format!("https://127.0.0.1:{port}/config"));
    let week = ["sim", "good.toml", "--set", "duration=168h"];
    let seeds = ["sweep", "good.toml", "--set", "duration=168h", "--vary", "seed=1..4", "--yes"];
    for arguments in [
        &week[..],
        &[&week[..], &["--report", "page.html"]].concat(),
        &[&week[..], &["--compare", "codel", "--compare", "pie"]].concat(),
        &seeds,
        &["reproduce", "rfc7928"],
        &["replay", "--queue", "codel", "--rate", "1mbit", "/dev/stdin"],
        &["report", "/dev/stdin"],
        &["test", &host],
        &["test", "--responsiveness", &url],
    ] {
        // A shell starts what it runs in the background with SIGINT ignored, until a program says
        // otherwise: only SIGTERM ends one that has not begun.
        for (millis, name) in [(0, "TERM"), (30, "INT"), (200, "TERM"), (1200, "INT")] {
            let bench = Bench::new("any-verb");
            let mut child = bench.command(arguments).stdin(Stdio::piped()).spawn().unwrap();
            let kept_open = child.stdin.take();
            // A busy machine may take longer to start a program.
            while millis > 0 && child.try_wait().unwrap().is_none() && !listens(&child) {
                thread::sleep(Duration::from_millis(1));
            }
            thread::sleep(Duration::from_millis(millis));
            assert_eq!(child.try_wait().unwrap(), None, "{arguments:?} has ended by itself");
            signal(&child, name);
            let asked = Instant::now();
            let output = child.wait_with_output().unwrap();
            let told = String::from_utf8_lossy(&output.stderr);
            assert!(asked.elapsed() < BUSY, "{arguments:?} after {millis} ms: {told}");
            // A program that does not listen for signals yet is ended by them.
            let code = output.status.code();
            assert!(
                code == Some(3) || (millis == 0 && code.is_none()),
                "{arguments:?} after {millis} ms: {} {told}",
                output.status
            );
            let halves = bench.files().into_iter().filter(|file| file.ends_with(".partial"));
            assert_eq!(halves.count(), 0, "{arguments:?}");
            drop(kept_open);
        }
    }
}
