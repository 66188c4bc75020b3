//! How a command ends, and that nothing is left of it: no process, and no file half written.

use std::fs::File;
use std::io::Read;
use std::process::{Child, Command};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use super::{command, has_namespaces, users};
use crate::bench::Bench;
use crate::interrupts::{signal, wait_until_asleep};

/// Longer than anything here may take.
const LONG: Duration = Duration::from_secs(60);

/// Until it is told to end.
const LASTS: &str = "echo on; sleep 600; :";

/// Whoever is asked to end thus leaves no file half written.
const INTERRUPTS: [&str; 3] = ["INT", "TERM", "QUIT"];

/// Begins a script that says `on`, and waits until it has. Then tells when the last one has gone
/// that the script has started.
fn begun(
    bench: &Bench,
    user: &[&str],
    options: &[&str],
    script: &str,
) -> (Child, mpsc::Receiver<()>) {
    let link = ["lab", "-q", "--rate", "1mbit"];
    let arguments = [&link[..], options, &["--", "sh", "-c", script]].concat();
    let mut child = command(bench, user, &arguments).spawn().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut [0; 3]).expect("it begins");
    let (sender, gone) = mpsc::channel();
    // Whoever lives has it open, `sleep` too.
    thread::spawn(move || stdout.read_to_end(&mut Vec::new()).map(|_| sender.send(())));
    (child, gone)
}

#[test]
fn nothing_outlives_a_kill() {
    if !has_namespaces("nothing_outlives_a_kill") {
        return;
    }
    let bench = Bench::new("lab-kill");
    for user in users() {
        let (mut child, gone) = begun(&bench, user, &[], LASTS);
        child.kill().unwrap();
        gone.recv_timeout(LONG).expect("the command dies with us");
        child.wait().unwrap();
    }
}

#[test]
fn nothing_outlives_a_command() {
    if !has_namespaces("nothing_outlives_a_command") {
        return;
    }
    let bench = Bench::new("lab-left");
    for user in users() {
        let (mut child, gone) = begun(&bench, user, &[], "sleep 600 & echo on");
        gone.recv_timeout(LONG).expect("what a command leaves behind ends with it");
        assert_eq!(child.wait().unwrap().code(), Some(0));
    }
}

/// Whatever is written meanwhile, by threads of its own.
#[test]
fn a_polite_kill_ends_the_command() {
    if !has_namespaces("a_polite_kill_ends_the_command") {
        return;
    }
    let bench = Bench::new("lab-term");
    let files = ["--series", "s.csv", "--packets", "p.csv", "--pcap", "c.pcapng"];
    for options in [&[][..], &files] {
        let (mut child, gone) = begun(&bench, &[], options, LASTS);
        signal(&child, "TERM");
        gone.recv_timeout(LONG).expect("the command ends");
        assert_eq!(child.wait().unwrap().code(), Some(128 + 15));
    }
    assert_eq!(bench.files(), ["c.pcapng", "good.toml", "p.csv", "s.csv"]);
}

/// A command that heeds no interrupt has two, and no time to say goodbye.
#[test]
fn the_second_interrupt_ends_the_command() {
    if !has_namespaces("the_second_interrupt_ends_the_command") {
        return;
    }
    let bench = Bench::new("lab-twice");
    for second in ["INT", "TERM"] {
        let deaf = "trap '' INT TERM; echo on; sleep 30; exit 7";
        let (mut child, gone) = begun(&bench, &[], &[], deaf);
        signal(&child, "INT");
        // The first alone does nothing; two at once would be taken for one.
        assert!(gone.recv_timeout(Duration::from_millis(700)).is_err(), "it heeds the first");
        signal(&child, second);
        gone.recv_timeout(LONG).expect("the command ends");
        assert_eq!(child.wait().unwrap().code(), Some(128 + 9));
    }
}

#[test]
fn who_will_not_end_is_ended() {
    if !has_namespaces("who_will_not_end_is_ended") {
        return;
    }
    let bench = Bench::new("lab-stubborn");
    let script = "trap '' TERM; echo on; while :; do sleep 600; done";
    let (mut child, gone) = begun(&bench, &[], &[], script);
    signal(&child, "TERM");
    gone.recv_timeout(LONG).expect("the command is killed");
    assert_eq!(child.wait().unwrap().code(), Some(128 + 9));
}

/// It waits for somebody to read what it is to write, and the command has not begun.
#[test]
fn an_interrupt_before_a_command_leaves_nothing() {
    if !has_namespaces("an_interrupt_before_a_command_leaves_nothing") {
        return;
    }
    for name in INTERRUPTS {
        let bench = Bench::new("lab-before");
        pipe(&bench);
        let link = ["lab", "-q", "--series", "s.csv", "--packets", "pipe", "--", "true"];
        let mut child = command(&bench, &[], &link).spawn().unwrap();
        let partial = format!(".s.csv.{}.partial", child.id());
        while !bench.files().contains(&partial) {
            assert_eq!(child.try_wait().unwrap(), None, "it ended before it began");
            thread::yield_now();
        }
        wait_until_asleep(&mut child);
        signal(&child, name);
        assert_eq!(child.wait().unwrap().code(), Some(3), "SIG{name}");
        assert_eq!(bench.files(), ["good.toml", "pipe"], "SIG{name}");
    }
}

/// It hangs in a page that nobody reads, and the command has ended.
#[test]
fn an_interrupt_after_a_command_leaves_nothing() {
    if !has_namespaces("an_interrupt_after_a_command_leaves_nothing") {
        return;
    }
    for name in INTERRUPTS {
        let bench = Bench::new("lab-after");
        pipe(&bench);
        let link = ["lab", "-q", "--series", "s.csv", "--report", "pipe", "--", "true"];
        let mut child = command(&bench, &[], &link).spawn().unwrap();
        let mut reader = File::open(bench.path("pipe")).unwrap();
        reader.read_exact(&mut [0]).expect("it draws");
        wait_until_asleep(&mut child);
        signal(&child, name);
        assert_eq!(child.wait().unwrap().code(), Some(3), "SIG{name}");
        assert_eq!(bench.files(), ["good.toml", "pipe"], "SIG{name}");
    }
}

fn pipe(bench: &Bench) {
    assert!(Command::new("mkfifo").arg(bench.path("pipe")).status().unwrap().success());
}
