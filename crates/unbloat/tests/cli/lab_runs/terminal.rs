//! A shell behind a link, on a terminal.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use super::{PROGRAM, has_namespaces};
use crate::bench::Bench;

const LONG: Duration = Duration::from_secs(60);

/// A terminal, and its end for programs.
fn terminal() -> (File, File) {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let ours: OwnedFd = openpt(flags).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let name = ptsname(&ours, Vec::new()).unwrap().into_string().unwrap();
    (ours.into(), File::options().read(true).write(true).open(name).unwrap())
}

/// What has been shown, as it comes, until nobody could show more.
fn shown(mut terminal: File) -> Receiver<Vec<u8>> {
    let (sender, shown) = mpsc::channel();
    thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(length @ 1..) = terminal.read(&mut buffer) {
            if sender.send(buffer[..length].to_vec()).is_err() {
                return;
            }
        }
    });
    shown
}

/// Waits until this has been shown.
fn wait_for(text: &str, shown: &Receiver<Vec<u8>>) {
    let mut seen = Vec::new();
    while !String::from_utf8_lossy(&seen).contains(text) {
        let so_far = String::from_utf8_lossy(&seen).into_owned();
        seen.extend(shown.recv_timeout(LONG).unwrap_or_else(|_| panic!("no {text} in {so_far}")));
    }
}

#[test]
fn an_interrupt_is_for_the_shell_and_what_it_runs() {
    if !has_namespaces("an_interrupt_is_for_the_shell_and_what_it_runs") {
        return;
    }
    let bench = Bench::new("lab-shell");
    let (mut ours, theirs) = terminal();
    let stream = || Stdio::from(theirs.try_clone().unwrap());
    // It becomes the terminal of a session of its own.
    let mut shell = Command::new("setsid");
    let link = ["lab", "--allow-starved", "--rate", "1mbit", "--series", "s.csv"];
    shell.args(["-c", PROGRAM]).args(link).env("SHELL", "/bin/sh").current_dir(bench.path(""));
    let spawned = shell.stdin(stream()).stdout(stream()).stderr(stream()).spawn();
    let Ok(mut child) = spawned else { return eprintln!("skipped: there is no setsid") };
    drop((shell, theirs));
    let shown = shown(ours.try_clone().unwrap());
    // What is typed is shown too, but not so. Who says so is not the shell, which might still be
    // starting the next at that moment.
    ours.write_all(b"sh -c \"echo be''gun; exec sleep 600\"\n").unwrap();
    wait_for("begun", &shown);
    ours.write_all(b"\x03").unwrap();
    // A shell that is killed leaves the terminal to nobody, and we tell all the same.
    ours.write_all(b"echo st''ill; kill -9 $$\n").unwrap();
    wait_for("still", &shown);
    wait_for(", seed 1", &shown);
    assert_eq!(child.wait().unwrap().code(), Some(128 + 9));
    assert_eq!(bench.files(), ["good.toml", "s.csv"]);
}
