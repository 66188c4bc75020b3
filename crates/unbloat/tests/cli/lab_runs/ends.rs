//! The end of a command, after which nothing is left: no process, and no half-written file.

use std::fs::File;
use std::io::Read;
use std::process::{Child, Command};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use super::{PROGRAM, command, has_namespaces, run, users};
use crate::bench::Bench;
use crate::interrupts::{signal, wait_until_asleep};

/// A time longer than anything here may take.
const LONG: Duration = Duration::from_secs(60);

/// A script that runs until it is told to end.
const LASTS: &str = "echo on; sleep 600; :";

/// The signals that must leave no half-written file.
const INTERRUPTS: [&str; 3] = ["INT", "TERM", "QUIT"];

/// Starts a script that prints `on`, and waits for that. The receiver tells when the last process
/// of the script has gone.
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
    // Every process of the script has stdout open, `sleep` too.
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

/// A command that ignores interrupts is ended by the second one, at once.
#[test]
fn the_second_interrupt_ends_the_command() {
    if !has_namespaces("the_second_interrupt_ends_the_command") {
        return;
    }
    let bench = Bench::new("lab-twice");
    for second in ["INT", "TERM"] {
        let with_signals_blocked = "trap '' INT TERM; echo on; sleep 30; exit 7";
        let (mut child, gone) = begun(&bench, &[], &[], with_signals_blocked);
        signal(&child, "INT");
        // The first alone does nothing; two signals at once would count as one.
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

/// The lab waits for a reader of its output, and the command has not begun.
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

/// The lab hangs in writing a page that nothing reads, and the command has ended.
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

/// A command has no rights to shape, and sudo gives it none.
#[test]
fn a_shaper_in_the_lab_says_what_to_do_instead() {
    if !has_namespaces("a_shaper_in_the_lab_says_what_to_do_instead") {
        return;
    }
    let bench = Bench::new("lab-shape");
    let shape = [PROGRAM, "shape", "link", "--up", "cake bandwidth 5mbit"];
    for user in users() {
        let (code, _, stderr) =
            run(&bench, user, &[&["lab", "--rate", "20mbit", "--"][..], &shape].concat());
        assert_eq!(code, 1, "{user:?}: {stderr}");
        assert!(stderr.contains("error: a command of `unbloat lab` cannot shape"), "{stderr}");
        assert!(stderr.contains("unbloat lab --rate 20mbit --up-queue"), "{stderr}");
    }
}
