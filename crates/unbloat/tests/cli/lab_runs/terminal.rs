//! A shell behind a link, on a terminal.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use super::{PROGRAM, has_namespaces};
use crate::bench::Bench;

const LONG: Duration = Duration::from_secs(60);

/// Both ends of a terminal: ours, and the one for programs.
fn terminal() -> (File, File) {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let ours: OwnedFd = openpt(flags).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let name = ptsname(&ours, Vec::new()).unwrap().into_string().unwrap();
    (ours.into(), File::options().read(true).write(true).open(name).unwrap())
}

/// The text shown on the terminal, as it comes, until no program has it open.
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

/// Starts a shell behind a link on a terminal, in a session of its own. Returns the program, the
/// terminal's input, and the text shown. `None` without `setsid`.
fn begun(
    bench: &Bench,
    shell: &str,
    arguments: &[&str],
) -> Option<(Child, File, Receiver<Vec<u8>>)> {
    let (ours, theirs) = terminal();
    let stream = || Stdio::from(theirs.try_clone().unwrap());
    let mut lab = Command::new("setsid");
    let link = ["-c", PROGRAM, "lab", "--rate", "1mbit"];
    lab.args(link).args(arguments).env("SHELL", shell).current_dir(bench.path(""));
    let spawned = lab.stdin(stream()).stdout(stream()).stderr(stream()).spawn();
    let Ok(child) = spawned else {
        eprintln!("skipped: there is no setsid");
        return None;
    };
    let shown = shown(ours.try_clone().unwrap());
    Some((child, ours, shown))
}

/// A shell with job control returns the terminal to the process group that had it before; `dash`
/// fails if there is none.
#[test]
fn a_shell_ends_as_it_is_told() {
    if !has_namespaces("a_shell_ends_as_it_is_told") {
        return;
    }
    for shell in
        ["/bin/sh", "/bin/dash", "/bin/bash"].iter().filter(|shell| Path::new(shell).exists())
    {
        let bench = Bench::new("lab-exit");
        let Some((mut child, mut typed, shown)) = begun(&bench, shell, &[]) else { return };
        // The first time in a job of its own, which has the terminal meanwhile.
        typed.write_all(b"sh -c 'exit 4'\necho sec''ond $?; exit 3\n").unwrap();
        wait_for("second 4", &shown);
        wait_for(", seed 1", &shown);
        assert_eq!(child.wait().unwrap().code(), Some(3), "{shell}");
    }
}

#[test]
fn an_interrupt_is_for_the_shell_and_what_it_runs() {
    if !has_namespaces("an_interrupt_is_for_the_shell_and_what_it_runs") {
        return;
    }
    let bench = Bench::new("lab-shell");
    let series = ["--series", "s.csv"];
    let Some((mut child, mut ours, shown)) = begun(&bench, "/bin/sh", &series) else { return };
    // Typed text is shown too, but with the quotes. The text without them comes from the job and
    // not from the shell, which might still be starting the job at that moment.
    ours.write_all(b"sh -c \"echo be''gun; exec sleep 600\"\n").unwrap();
    wait_for("begun", &shown);
    ours.write_all(b"\x03").unwrap();
    // A shell that is killed returns the terminal to no one, and the lab prints its result all the
    // same.
    ours.write_all(b"echo st''ill; kill -9 $$\n").unwrap();
    wait_for("still", &shown);
    wait_for(", seed 1", &shown);
    assert_eq!(child.wait().unwrap().code(), Some(128 + 9));
    assert_eq!(bench.files(), ["good.toml", "s.csv"]);
}
