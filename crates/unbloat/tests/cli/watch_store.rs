//! The store of `unbloat watch` as a user names it, reads it and finds it damaged.

use std::fs::{self, File};
use std::io::Read;
use std::net::TcpListener;
use std::process::Stdio;

use observation::{ProbeOutcome, WatchedProbe};
use store::Store;
use units::{Span, Time};

use crate::bench::Bench;

/// In the middle of a minute.
const START: u64 = 1_790_000_070;

/// Keeps a probe each second for two hours.
fn fill(bench: &Bench) {
    let mut store = Store::open(&bench.path("home")).unwrap();
    let target = store.target("192.0.2.1").unwrap();
    for second in 0..7200 {
        let round_trip = Span::from_micros(20_000 + second % 100);
        let outcome = ProbeOutcome::Answered { round_trip, up: None, kept: None };
        store.keep(
            target,
            WatchedProbe { sent: Time::from_secs(START + second), is_extra: false, outcome },
        );
        if second % 600 == 599 {
            store.commit().unwrap();
        }
    }
}

#[test]
fn the_file_stands_for_its_folder() {
    let bench = Bench::new("watch-file");
    fill(&bench);
    let file = "home/watch.sqlite";
    let run = bench.run(&["report", file, "--json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(run.stdout, bench.run(&["report", "home", "--json"]).stdout);
    // The report begins with the first probe, and not with its minute.
    assert!(run.stdout.contains(&format!("\"from_s\": {START}.0")), "{}", &run.stdout[..200]);
    assert_eq!(bench.run(&["watch", "export", file]).stdout.lines().count(), 122);
    assert_eq!(bench.run(&["watch", "mark", file, "a new router"]).code, 0);
    let run = bench.run(&["watch", "::1", "--store", file, "--for", "1s", "--quiet"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    bench.run(&["report", file, "home"]).is_refused(&["of a watch", "name it alone"]);
}

#[test]
fn a_damaged_file_is_named() {
    let bench = Bench::new("watch-damaged");
    fill(&bench);
    let file = bench.path("home/watch.sqlite");
    let length = fs::metadata(&file).unwrap().len();
    File::options().write(true).open(&file).unwrap().set_len(length / 2).unwrap();
    for arguments in [
        &["report", "home"][..],
        &["watch", "export", "home", "--what", "probes"],
        &["watch", "mark", "home", "x"],
        &["watch", "::1", "--store", "home", "--for", "1s"],
    ] {
        let run = bench.run(arguments);
        assert_eq!(run.code, 2, "{arguments:?}: {}", run.stderr);
        assert!(
            run.stderr.contains("home/watch.sqlite: the file is damaged (")
                && run.stderr.contains("home/watch.sqlite .recover`"),
            "{arguments:?}: {}",
            run.stderr
        );
    }
}

/// A name stands wherever the target would, and what was kept before goes on under it.
#[test]
fn targets_have_names_and_come_from_a_file() {
    let bench = Bench::new("watch-names");
    let run = |targets: &[&str]| {
        let rest = ["--hops", "0", "--every", "100ms", "--store", "home", "--for", "2s"];
        let run = bench.run(&[&["watch"], targets, &rest, &["--json"]].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
        run
    };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let target = format!("tcp:{}", listener.local_addr().unwrap());
    run(&[&target]);
    let file = format!("# all of them\n\noffice = {target} # the first\n");
    bench.write("sites.txt", file.as_bytes());
    let named = run(&["--targets", "sites.txt"]);
    assert!(
        named.stderr.contains(&format!("office ({target}): a probe every")),
        "{}",
        named.stderr
    );
    assert!(named.stdout.contains("\"target\":\"office\""), "{}", named.stdout);
    let table = bench.run(&["watch", "export", "home", "--what", "probes"]).stdout;
    assert!(table.lines().filter(|it| it.starts_with("office,")).count() > 20, "{table}");
    assert!(!table.contains(&target), "{table}");
    let report = bench.run(&["report", "home", "--target", "office", "--json"]);
    assert_eq!(report.code, 0, "{}", report.stderr);
}

/// `unbloat watch export home | head`.
#[test]
fn an_export_that_nobody_reads_ends_quietly() {
    let bench = Bench::new("watch-export-head");
    fill(&bench);
    for format in ["csv", "jsonl", "parquet"] {
        let arguments = ["watch", "export", "home", "--what", "probes", "--format", format];
        let mut child = bench.command(&arguments).stdout(Stdio::piped()).spawn().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut [0; 4]).unwrap();
        drop(stdout);
        let mut stderr = String::new();
        child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        assert_eq!((child.wait().unwrap().code(), stderr.as_str()), (Some(0), ""), "{format}");
    }
}
