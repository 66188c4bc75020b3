//! What is told is there, whatever the clock does and however often the watch begins anew.

mod common;

use std::fs;
use std::path::Path;
use std::process::Command;

use common::{answered, at, folder, probe, second};
use observation::WatchedProbe;
use results::{WatchEvent, WatchEventKind, WatchGap};
use rusqlite::Connection;
use store::{Level, Reader, Retention, Store, StoreError, Summary};
use units::{Span, Time};

fn gap(start_s: f64, duration_s: f64) -> WatchEvent {
    WatchEvent { start_s, duration_s, what: WatchEventKind::Gap { reason: WatchGap::Asleep } }
}

#[test]
fn all_that_was_told_is_there() {
    let folder = folder("all");
    let mut store = Store::open(&folder).unwrap();
    let target = store.target("dns:9.9.9.9").unwrap();
    let reader = Reader::open(&folder).unwrap();
    for index in 0..3000 {
        store.keep(target, probe(index));
        store.keep_second(second(index));
        if index % 60 == 59 {
            assert_eq!(store.commit().unwrap(), at(index + 1));
            assert_eq!(reader.probes(target, at(0), Time::MAX).unwrap().len() as u64, index + 1);
        }
    }
    let expected: Vec<_> = (0..3000).map(probe).collect();
    assert_eq!(reader.probes(target, Time::ZERO, Time::MAX).unwrap(), expected);
    assert_eq!(reader.probes(target, at(700), at(710)).unwrap(), expected[700..710]);
    let expected: Vec<_> = (0..3000).map(second).collect();
    assert_eq!(reader.seconds(Time::ZERO, Time::MAX).unwrap(), expected);
    assert_eq!(reader.seconds(at(700), at(710)).unwrap(), expected[699..709]);
    let targets = reader.targets().unwrap();
    assert_eq!((targets[0].id, &targets[0].name[..]), (target, "dns:9.9.9.9"));
    assert_eq!((targets[0].first, targets[0].last), (Some(probe(0).sent), Some(probe(2999).sent)));
}

/// A block is replaced until it is full: 3,000 probes are five of them.
#[test]
fn blocks_are_filled() {
    let folder = folder("filled");
    let mut store = Store::open(&folder).unwrap();
    let target = store.target("a").unwrap();
    for index in 0..3000 {
        store.keep(target, probe(index));
        if index % 50 == 0 {
            store.commit().unwrap();
        }
    }
    store.commit().unwrap();
    assert_eq!(number(&folder, "SELECT count(*) FROM block"), 5);
    assert_eq!(number(&folder, "SELECT sum(count) FROM block"), 3000);
}

fn number(folder: &Path, sql: &str) -> i64 {
    let database = Connection::open(folder.join("watch.sqlite")).unwrap();
    database.query_row(sql, [], |row| row.get(0)).unwrap()
}

#[test]
fn the_next_watch_goes_on() {
    let folder = folder("on");
    for run in 0..5 {
        let mut store = Store::open(&folder).unwrap();
        let other = store.target("other").unwrap();
        let target = store.target("a").unwrap();
        assert_ne!(other, target);
        // Each run ends in the middle of a minute.
        (0..90).for_each(|index| store.keep(target, probe(run * 90 + index)));
        store.commit().unwrap();
    }
    let reader = Reader::open(&folder).unwrap();
    let target = reader.targets().unwrap()[1].id;
    let expected: Vec<_> = (0..450).map(probe).collect();
    assert_eq!(reader.probes(target, Time::ZERO, Time::MAX).unwrap(), expected);
    let minutes = reader.summaries(target, Time::ZERO, Time::MAX, Level::Minute).unwrap();
    assert_eq!(
        minutes.iter().map(|it| it.sent).collect::<Vec<_>>(),
        [60, 60, 60, 60, 60, 60, 60, 30]
    );
}

/// Answers that come up to a minute late are told after those of later probes, and after a commit.
#[test]
fn late_answers_find_their_places() {
    let folder = folder("late");
    let mut store = Store::open(&folder).unwrap();
    let target = store.target("a").unwrap();
    for index in 0..1300 {
        if index % 10 != 3 {
            store.keep(target, probe(index));
        }
        if index >= 55 && (index - 55) % 10 == 3 {
            store.keep(target, probe(index - 55));
        }
        if index % 60 == 0 {
            store.commit().unwrap();
        }
    }
    store.commit().unwrap();
    let reader = Reader::open(&folder).unwrap();
    let expected: Vec<_> = (0..1300).filter(|it| it % 10 != 3 || *it < 1245).map(probe).collect();
    assert_eq!(reader.probes(target, Time::ZERO, Time::MAX).unwrap(), expected);
    let minutes = reader.summaries(target, at(60), at(120), Level::Minute).unwrap();
    assert_eq!(minutes[0].sent, 60);
}

#[test]
fn a_clock_that_is_set_back_loses_nothing() {
    let folder = folder("back");
    let mut store = Store::open(&folder).unwrap();
    let target = store.target("a").unwrap();
    let mut expected = Vec::new();
    // Forward, an hour back over the same seconds, years forward, to 1970, and on.
    for start in [at(0), at(7200), at(3600), Time::from_secs(4_000_000_000), Time::ZERO, at(7800)] {
        for index in 0..700 {
            let probe = answered(start + Span::from_secs(index), 1000 + index);
            store.keep(target, probe);
            expected.push(probe);
            if index % 60 == 0 {
                store.commit().unwrap();
            }
        }
    }
    store.commit().unwrap();
    let reader = Reader::open(&folder).unwrap();
    let kept = reader.probes(target, Time::ZERO, Time::MAX).unwrap();
    let key = |it: &observation::WatchedProbe| (it.sent, it.outcome.round_trip());
    let sorted = |mut all: Vec<observation::WatchedProbe>| {
        all.sort_by_key(key);
        all
    };
    assert!(kept.is_sorted_by_key(|it| it.sent));
    assert_eq!(sorted(kept), sorted(expected));
    let hours = reader.summaries(target, Time::ZERO, Time::MAX, Level::Hour).unwrap();
    assert_eq!(hours.iter().map(|it| it.sent).sum::<u64>(), 6 * 700);
    // The two times that overlap are one minute twice.
    let minutes = reader.summaries(target, at(7800), at(7860), Level::Minute).unwrap();
    assert_eq!(minutes[0].sent, 120);
}

/// A clock that is set back by less than a late answer takes is not told from one.
#[test]
fn a_clock_that_is_set_back_a_little_loses_nothing() {
    let folder = folder("little");
    let mut store = Store::open(&folder).unwrap();
    let target = store.target("a").unwrap();
    for index in 0..2000 {
        store.keep(target, answered(at(index - index / 100 * 30), 1000));
        if index % 7 == 0 {
            store.commit().unwrap();
        }
    }
    store.commit().unwrap();
    let reader = Reader::open(&folder).unwrap();
    assert_eq!(reader.probes(target, Time::ZERO, Time::MAX).unwrap().len(), 2000);
}

#[test]
fn hours_are_merged_minutes() {
    let folder = folder("merged");
    let mut store = Store::open(&folder).unwrap();
    let target = store.target("a").unwrap();
    for index in 0..7200 {
        store.keep(target, probe(index));
        if index % 60 == 31 {
            store.commit().unwrap();
        }
    }
    store.commit().unwrap();
    let reader = Reader::open(&folder).unwrap();
    let all = |level| reader.summaries(target, Time::ZERO, Time::MAX, level).unwrap();
    let (minutes, hours) = (all(Level::Minute), all(Level::Hour));
    assert_eq!((minutes.len(), hours.len()), (120, 2));
    for (hour, minutes) in hours.iter().zip(minutes.chunks(60)) {
        let mut merged: Summary = minutes[0].clone();
        minutes[1..].iter().for_each(|it| merged.merge(it));
        assert_eq!((merged.start, merged.width), (hour.start, hour.width));
        let counts = |it: &Summary| (it.sent, it.late, it.lost, it.failed, it.round_trips.count());
        assert_eq!(counts(&merged), counts(hour));
        assert_eq!(counts(hour), (3600, 36, 36, 36, 3528));
        for q in [0.0, 0.5, 0.95, 0.99, 1.0] {
            let (one, other) = (merged.round_trips.quantile(q), hour.round_trips.quantile(q));
            let (one, other) = (one.unwrap() as f64, other.unwrap() as f64);
            assert!((one / other - 1.0).abs() < 0.032, "{q}: {one} and {other}");
        }
    }
}

/// 20 s of 60 are loaded, and there a probe is sent each 50 ms: a regular one among twenty.
#[test]
fn minutes_weigh_time_and_not_probes() {
    let folder = folder("extra");
    let mut store = Store::open(&folder).unwrap();
    let target = store.target("a").unwrap();
    for index in 0..60 {
        let is_loaded = index < 20;
        let micros = if is_loaded { 126_000 } else { 20_000 };
        for part in 0..if is_loaded { 20 } else { 1 } {
            let sent = at(index) + Span::from_millis(50 * part);
            store.keep(target, WatchedProbe { is_extra: part > 0, ..answered(sent, micros) });
        }
    }
    store.commit().unwrap();
    let reader = Reader::open(&folder).unwrap();
    let [minute] = &reader.summaries(target, at(0), at(60), Level::Minute).unwrap()[..] else {
        panic!("one minute");
    };
    let ms = |part| minute.round_trips.quantile(part).unwrap() as f64 / 1e6;
    assert_eq!(minute.sent, 60);
    assert!((ms(0.5) / 20.0 - 1.0).abs() < 0.02, "{}", ms(0.5));
    assert!((ms(0.95) / 126.0 - 1.0).abs() < 0.02, "{}", ms(0.95));
    // All of them are kept.
    let probes = reader.probes(target, at(0), at(60)).unwrap();
    assert_eq!((probes.len(), probes.iter().filter(|it| it.is_extra).count()), (440, 380));
}

#[test]
fn events_that_overlap_are_found() {
    let folder = folder("events");
    let mut store = Store::open(&folder).unwrap();
    let events = [gap(1000.5, 60.0), gap(1030.0, 0.0), gap(2000.0, 1e6)];
    events.iter().for_each(|it| store.keep_event(it));
    store.commit().unwrap();
    let reader = Reader::open(&folder).unwrap();
    let found = |from, to| reader.events(Time::from_secs(from), Time::from_secs(to)).unwrap();
    assert_eq!(found(0, u64::MAX / 1_000_000_000), events);
    assert_eq!(found(1040, 1041), events[..1]);
    assert_eq!(found(1020, 1031), events[..2]);
    assert_eq!(found(500_000, 500_001), events[2..]);
    assert_eq!(found(0, 1000), []);
}

#[test]
fn a_second_writer_is_refused() {
    let folder = folder("two");
    let first = Store::open(&folder).unwrap();
    let error = Store::open(&folder).unwrap_err();
    assert!(matches!(error, StoreError::Busy(_)), "{error}");
    assert!(
        error
            .to_string()
            .ends_with("another watch writes here; end it, or give this one another folder")
    );
    drop(first);
    Store::open(&folder).unwrap();
}

#[test]
fn a_target_that_gets_a_name_keeps_its_past() {
    let folder = folder("named");
    let mut store = Store::open(&folder).unwrap();
    let before = store.targets([("192.0.2.1", "192.0.2.1"), ("b", "192.0.2.2")]).unwrap();
    assert_eq!(store.targets([("office", "192.0.2.1"), ("b", "192.0.2.2")]).unwrap(), before);
    let names = |folder: &Path| -> Vec<String> {
        let targets = Reader::open(folder).unwrap().targets().unwrap();
        targets.into_iter().map(|it| it.name).collect()
    };
    assert_eq!(names(&folder), ["office", "b"]);
    // A name that is known is another target's past.
    let other = store.targets([("192.0.2.1", "192.0.2.1")]).unwrap();
    assert!(!before.contains(&other[0]));
    assert_eq!(store.targets([("office", "192.0.2.1")]).unwrap(), before[..1]);
    assert_eq!(names(&folder), ["office", "b", "192.0.2.1"]);
}

#[test]
fn a_file_is_no_folder() {
    let folder = folder("file");
    fs::write(&folder, "").unwrap();
    let error = Store::open(&folder).unwrap_err().to_string();
    assert!(error.contains("this is a file, and a store is a folder"), "{error}");
    fs::remove_file(&folder).unwrap();
}

#[test]
fn what_is_no_store_is_left_alone() {
    let folder = folder("foreign");
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join("watch.sqlite");
    let refused = |text: &str| {
        let before = fs::read(&file).unwrap();
        let errors = [Store::open(&folder).err(), Reader::open(&folder).err()];
        for error in errors.map(|it| it.expect("an error").to_string()) {
            assert!(error.contains(text), "{error}");
        }
        assert!(fs::read(&file).unwrap() == before, "{text}");
    };
    assert!(matches!(Reader::open(&folder), Err(StoreError::Missing(_))));
    fs::write(&file, "no database\n".repeat(1000)).unwrap();
    refused("not the store of a watch");
    fs::remove_file(&file).unwrap();
    Connection::open(&file).unwrap().execute_batch("CREATE TABLE mine (words TEXT)").unwrap();
    refused("not the store of a watch");
    fs::remove_file(&file).unwrap();
    drop(Store::open(&folder).unwrap());
    Connection::open(&file).unwrap().pragma_update(None, "user_version", 2).unwrap();
    refused("a store of version 2; this release reads version 1");
}

#[test]
fn a_damaged_row_is_named() {
    let folder = folder("damaged");
    let mut store = Store::open(&folder).unwrap();
    let target = store.target("a").unwrap();
    store.keep(target, probe(0));
    store.keep_second(second(0));
    store.keep_event(&gap(1.0, 1.0));
    store.commit().unwrap();
    drop(store);
    let database = Connection::open(folder.join("watch.sqlite")).unwrap();
    database
        .execute_batch(
            "UPDATE block SET probes = x'0101'; UPDATE second SET seconds = 'text';
            UPDATE minute SET buckets = x'05'; UPDATE event SET json = '{}'",
        )
        .unwrap();
    let reader = Reader::open(&folder).unwrap();
    let errors = [
        reader.probes(target, Time::ZERO, Time::MAX).unwrap_err(),
        reader.seconds(Time::ZERO, Time::MAX).unwrap_err(),
        reader.summaries(target, Time::ZERO, Time::MAX, Level::Minute).unwrap_err(),
        reader.events(Time::ZERO, Time::MAX).unwrap_err(),
    ];
    let rows =
        ["row 1 of table block: ", "row 1 of table second: ", "row 17", "row 1 of table event: "];
    for (error, row) in errors.iter().zip(rows) {
        let error = error.to_string();
        assert!(error.contains("watch.sqlite: ") && error.contains(row), "{error}");
    }
}

#[test]
fn old_rows_make_room() {
    let folder = folder("retained");
    let mut store = Store::open(&folder).unwrap();
    let target = store.target("a").unwrap();
    let hours = 24 * 8;
    for index in 0..hours * 360 {
        store.keep(target, answered(at(index * 10), 20_000 + index * 31 % 5000));
        store.keep_second(second(index * 10));
        if index % 360 == 0 {
            store.commit().unwrap();
        }
    }
    store.keep_event(&gap(at(10).as_secs_f64(), 1.0));
    store.commit().unwrap();
    let pages = || number(&folder, "PRAGMA page_count");
    let before = pages();
    let day = Span::from_secs(24 * 3600);
    let retention =
        Retention { raw: day, minutes: day + day, hours: Span::from_secs(3 * 86400), events: day };
    (0..40).for_each(|_| store.retain(&retention).unwrap());
    assert!(pages() < before / 2, "{} of {before}", pages());
    // Ages count from the hour before the last 24.
    let reader = Reader::open(&folder).unwrap();
    let probes = reader.probes(target, Time::ZERO, Time::MAX).unwrap();
    let now = (hours - 25) * 3600;
    assert!(probes[0].sent >= at(now - 86400) && probes[0].sent < at(now - 86400 + 6000));
    let first = |level| reader.summaries(target, Time::ZERO, Time::MAX, level).unwrap()[0].start;
    assert_eq!(first(Level::Minute), at(now - 2 * 86400));
    assert_eq!(first(Level::Hour), at(now - 3 * 86400));
    assert!(reader.events(Time::ZERO, Time::MAX).unwrap().is_empty());
    assert!(reader.seconds(Time::ZERO, Time::MAX).unwrap()[0].at >= at(now - 86400));
    assert_eq!(
        number(
            &folder,
            "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check != 'ok'"
        ),
        0
    );
}

/// A clock that shows a year in the future for some hours makes nothing old.
#[test]
fn a_wrong_year_deletes_nothing() {
    let folder = folder("year");
    let mut store = Store::open(&folder).unwrap();
    let target = store.target("a").unwrap();
    for index in 0..23 * 60 {
        store.keep(target, answered(at(index * 60), 1000));
        store.keep(target, answered(Time::from_secs(4_000_000_000 + index * 60), 1000));
        store.commit().unwrap();
    }
    store.retain(&Retention::default()).unwrap();
    assert_eq!(number(&folder, "SELECT sum(count) FROM block"), 2 * 23 * 60);
}

/// Anybody reads the views with the `sqlite3` of a distribution.
#[test]
fn sqlite3_reads_the_views() {
    let folder = folder("views");
    let mut store = Store::open(&folder).unwrap();
    let target = store.target("ping:one.one.one.one").unwrap();
    for index in 0..3600 {
        store.keep(target, probe(index));
        store.keep_second(second(index));
        if index % 60 == 59 {
            store.commit().unwrap();
        }
    }
    store.keep_event(&gap(1_790_000_000.0, 90.5));
    store.commit().unwrap();
    let sql = "SELECT target, utc, sent, late, lost, failed, min_ms, max_ms FROM minutes LIMIT 1;
        SELECT target, utc, sent, p50_ms BETWEEN 20 AND 25 FROM hours;
        SELECT utc, duration_s, kind, cause FROM events;
        SELECT utc, seconds, up_mbit_s, lateness_ms, busy_percent FROM machine_minutes LIMIT 1;";
    let output =
        Command::new("sqlite3").arg(folder.join("watch.sqlite")).arg(sql).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let expected = "\
        ping:one.one.one.one|2026-09-21 14:00:00|60|1|1|1|20.0|2500.0\n\
        ping:one.one.one.one|2026-09-21 14:00:00|3600|1\n\
        2026-09-21 14:13:20|90.5|gap|asleep\n\
        2026-09-21 14:00:00|60|0.236|0.059|59\n";
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
}
