//! The ends of a writer that nobody chooses: killed, and without room on the disk.
#![cfg(target_os = "linux")]

mod common;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use common::{answered, at, folder, second};
use rusqlite::Connection;
use store::{Level, Reader, Store, StoreError};
use units::{Rng, Time};

/// Probes that a child may send.
const MOST: u64 = 10_000;

#[expect(
    clippy::disallowed_methods,
    reason = "a child is told its part, and a test how long it is"
)]
fn told(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// A part of this program, by the name of its test, in a process of its own.
fn part(name: &str, folder: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([name, "--exact", "--ignored", "--nocapture", "--test-threads=1"]);
    command.env("FOLDER", folder).stdin(Stdio::null()).stderr(Stdio::null());
    command
}

/// Writes until it is killed, a commit for each few probes, and says what is kept.
#[test]
#[ignore = "a part of the tests below"]
fn writes_until_killed() {
    let (Some(folder), Some(first)) = (told("FOLDER"), told("FIRST")) else { return };
    let first: u64 = first.parse().unwrap();
    let mut store = Store::open(folder.as_ref()).unwrap();
    let targets = ["a", "b", "c"].map(|name| store.target(name).unwrap());
    for index in first..first + MOST {
        for target in targets {
            store.keep(target, answered(at(index), 1000 + index));
        }
        store.keep_second(second(index));
        if index % 7 == 6 {
            store.commit().unwrap();
            println!("kept {index}");
        }
    }
}

/// The last probe that a child has told as kept.
fn killed(mut child: Child, lines: u64, pause: Duration) -> Option<u64> {
    let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut kept = || {
        let mut kept = output.by_ref().map_while(Result::ok);
        kept.find_map(|line| line.rsplit_once("kept ").map(|(_, index)| index.parse().unwrap()))
    };
    let mut last = None;
    for _ in 0..lines {
        last = kept().or(last);
    }
    #[expect(clippy::disallowed_methods, reason = "a kill at a random time")]
    std::thread::sleep(pause);
    child.kill().unwrap();
    // What was told before the kill is still in the pipe.
    while let Some(index) = kept() {
        last = Some(index);
    }
    child.wait().unwrap();
    last
}

/// `KILLS=1000 SEED=7 cargo test -p store --test ends` kills more often, and at other times.
#[test]
fn a_kill_takes_nothing_that_was_told_as_kept() {
    let number = |name, usual| told(name).map_or(usual, |it| it.parse().unwrap());
    let (kills, seed) = (number("KILLS", 100), number("SEED", 1));
    println!("SEED={seed} KILLS={kills}");
    let mut rng = Rng::new(seed).fork("kills");
    let folder = folder("killed");
    let mut told = Vec::new();
    for run in 0..kills {
        let first = run * MOST;
        let mut command = part("writes_until_killed", &folder);
        let child = command.env("FIRST", first.to_string()).stdout(Stdio::piped()).spawn().unwrap();
        // Some are killed before they have opened the file.
        let (lines, pause) = (rng.below(5), Duration::from_micros(rng.below(20_000)));
        told.push(killed(child, lines, pause).map(|last| (first, last)));
        if folder.join("watch.sqlite").exists() && run % 10 == 0 {
            check(&folder, "quick_check");
        }
        if let Some((first, last)) = told.last().unwrap() {
            holds(&folder, *first, *last);
        }
    }
    check(&folder, "integrity_check");
    let some: Vec<_> = told.iter().flatten().collect();
    assert!(some.len() as u64 > kills / 3, "{} of {kills} told something", some.len());
    some.iter().for_each(|(first, last)| holds(&folder, *first, *last));
    probes_and_summaries_agree(&folder);
    let commits: u64 = some.iter().map(|(first, last)| (last - first) / 7 + 1).sum();
    println!("{} of {kills} children told of {commits} commits, and all are there", some.len());
}

fn check(folder: &Path, how: &str) {
    let database = Connection::open(folder.join("watch.sqlite")).unwrap();
    let answer: String =
        database.query_row(&format!("PRAGMA {how}"), [], |row| row.get(0)).unwrap();
    assert_eq!(answer, "ok");
}

/// All from the first to the last is there, for each target.
fn holds(folder: &Path, first: u64, last: u64) {
    let reader = Reader::open(folder).unwrap();
    let targets = reader.targets().unwrap();
    assert_eq!(targets.len(), 3);
    let expected: Vec<_> = (first..=last).map(|index| answered(at(index), 1000 + index)).collect();
    for target in targets {
        assert_eq!(reader.probes(target.id, at(first), at(last + 1)).unwrap(), expected);
    }
    let seconds = reader.seconds(at(first + 1), at(last + 2)).unwrap();
    assert_eq!(seconds, (first..=last).map(second).collect::<Vec<_>>());
}

/// A commit writes all or nothing.
fn probes_and_summaries_agree(folder: &Path) {
    let reader = Reader::open(folder).unwrap();
    for target in reader.targets().unwrap() {
        let probes = reader.probes(target.id, Time::ZERO, Time::MAX).unwrap().len() as u64;
        for level in [Level::Minute, Level::Hour] {
            let all = reader.summaries(target.id, Time::ZERO, Time::MAX, level).unwrap();
            assert_eq!(all.iter().map(|it| it.sent).sum::<u64>(), probes);
        }
    }
}

/// Fills a small disk, and says what is kept when there is room again.
#[test]
#[ignore = "a part of the test below"]
fn fills_the_disk() {
    let Some(folder) = told("FOLDER") else { return };
    let folder: &Path = folder.as_ref();
    let other = folder.join("other");
    fs::write(&other, vec![1; 600_000]).unwrap();
    let mut store = Store::open(folder).unwrap();
    let target = store.target("a").unwrap();
    let (mut refused, mut index) = (0, 0);
    while refused < 5 {
        (0..600).for_each(|_| {
            store.keep(target, answered(at(index), index * 7_919_777 % 60_000_000));
            index += 1;
        });
        if let Err(error) = store.commit() {
            assert!(error.is_full(), "{error}");
            refused += 1;
        }
        assert!(index < 10_000_000);
    }
    assert_eq!(store.dropped(), 0);
    // What was kept is there meanwhile, and the rest when there is room.
    let read =
        || Reader::open(folder).unwrap().probes(target, Time::ZERO, Time::MAX).unwrap().len();
    assert!(read() as u64 <= index - 3000);
    fs::remove_file(other).unwrap();
    store.commit().unwrap();
    assert_eq!(read() as u64, index);
    check(folder, "integrity_check");
    probes_and_summaries_agree(folder);
    println!("all {index} are there");
}

/// A full disk is named when a store begins, and many targets take no more room than few.
#[test]
#[ignore = "a part of the test below"]
fn begins_on_a_small_disk() {
    let Some(folder) = told("FOLDER") else { return };
    let folder: &Path = folder.as_ref();
    let filled = folder.join("other");
    fs::write(&filled, vec![1; 450_000]).unwrap();
    let error = Store::open(&folder.join("a")).unwrap_err();
    assert!(
        error.is_full() && error.to_string().contains("the disk is full; make room"),
        "{error}"
    );
    fs::remove_file(filled).unwrap();
    let mut store = Store::open(&folder.join("b")).unwrap();
    let names: Vec<_> = (0..60).map(|it| format!("192.0.2.{it}")).collect();
    let ids = store.targets(names.iter().map(|it| (&**it, &**it))).unwrap();
    println!("all {} are there", ids.len());
}

/// A disk of half a megabyte.
#[test]
fn a_store_begins_on_a_small_disk_or_says_that_it_is_full() {
    on_a_disk_of("512k", "small", "begins_on_a_small_disk");
}

/// A disk of two megabytes.
#[test]
fn a_full_disk_loses_nothing() {
    on_a_disk_of("2m", "full", "fills_the_disk");
}

/// Runs a part on a disk of its own, in a namespace that ends with the process.
fn on_a_disk_of(size: &str, name: &str, part_name: &str) {
    let folder = folder(name);
    fs::create_dir_all(&folder).unwrap();
    let part = part(part_name, &folder);
    let mount = "mount -t tmpfs -o size=\"$SIZE\" none \"$FOLDER\" && exec \"$@\"";
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "sh", "-c", mount, "sh"]);
    command.arg(part.get_program()).args(part.get_args()).env("FOLDER", &folder).env("SIZE", size);
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("are there"), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
}

/// A disk that takes nothing for hours: the oldest is given up and counted, and memory does not grow.
#[test]
fn a_disk_that_stays_full_costs_the_oldest() {
    let folder = folder("stays");
    let mut store = Store::open(&folder).unwrap();
    let target = store.target("a").unwrap();
    let holder = Connection::open(folder.join("watch.sqlite")).unwrap();
    // A foreign transaction keeps ours out, as a disk that takes nothing does.
    holder.busy_timeout(Duration::from_millis(1)).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    for index in 0..10_000 {
        store.keep(target, answered(at(index), 1000));
    }
    let error = store.commit().unwrap_err();
    assert!(matches!(error, StoreError::Sqlite(_)) && !error.is_full(), "{error}");
    holder.execute_batch("ROLLBACK").unwrap();
    store.commit().unwrap();
    let kept = Reader::open(&folder).unwrap().probes(target, Time::ZERO, Time::MAX).unwrap();
    assert_eq!(kept.len() as u64 + store.dropped(), 10_000);
    assert!(kept.len() >= 3600 && kept.last().unwrap().sent == at(9999));
}
