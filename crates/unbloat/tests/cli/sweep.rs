//! `unbloat sweep`: a grid of runs, kept in a folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Child;

use serde_json::Value;

use crate::bench::{Bench, SCENARIO};
use crate::interrupts::signal;

const SWEEP: &str = r#"
[sweep]
"link.uplink.queue" = ["pfifo limit 100", "codel"]
seed = { from = 1, to = 40 }
"#;

fn bench(name: &str) -> Bench {
    let bench = Bench::new(name);
    bench.write("many.toml", format!("{SCENARIO}{SWEEP}").as_bytes());
    bench
}

/// All files of a folder.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    files.map(|path| (name(&path), fs::read(path).unwrap())).collect()
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Nothing in the scenario is random.
const SAME_SEEDS: &str = "\nThe seed changes nothing: runs that differ only in their seed are the ";

#[test]
fn a_table_of_groups() {
    let bench = bench("sweep-table");
    let run = bench.run(&["sweep", "many.toml"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.stdout);
    assert!(run.stdout.contains(SAME_SEEDS), "{}", run.stdout);
    assert!(run.stdout.starts_with("A test\n80 runs, in many.runs;"), "{}", run.stdout);
    let rows: Vec<&str> = run.stdout.lines().filter(|line| line.contains(" 40 ")).collect();
    assert!(rows[0].starts_with("pfifo limit 100") && rows[1].starts_with("codel"), "{rows:?}");
    assert_eq!(bench.files(), ["good.toml", "many.runs", "many.toml"]);
    // The second time nothing is run, and nothing changes.
    let before = contents(&bench.path("many.runs"));
    assert_eq!(bench.run(&["sweep", "many.toml"]).stdout, run.stdout);
    assert!(contents(&bench.path("many.runs")) == before);

    let summary = json(&bench.run(&["sweep", "many.toml", "--json", "--by", "queue"]).stdout);
    assert_eq!((&summary["schema"], &summary["version"]), (&"unbloat.sweep".into(), &1.into()));
    assert_eq!((&summary["points"], &summary["done"]), (&80.into(), &80.into()));
    assert_eq!(
        (&summary["bottleneck"], &summary["interrupted"]),
        (&"uplink.forward".into(), &false.into())
    );
    let groups = summary["tables"][0]["groups"].as_array().unwrap();
    let median =
        |group: usize| groups[group]["metrics"]["sojourn_ms.p50"]["median"].as_f64().unwrap();
    assert!(groups.iter().all(|group| group["seed_independent"] == true), "{groups:?}");
    assert!(median(0) > 300.0 && median(1) < 50.0, "pfifo {}, codel {}", median(0), median(1));
}

#[test]
fn ranges_have_steps_and_fields_vary_together() {
    let bench = bench("sweep-steps");
    let vary = |vary: &str| {
        let arguments = ["sweep", "good.toml", "--set", "duration=2s", "--vary", vary];
        let run = bench.run(&[&arguments[..], &["-o", vary, "--json"]].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
        let groups = json(&run.stdout)["tables"][0]["groups"].as_array().unwrap().clone();
        groups.iter().map(|group| group["values"].clone()).collect::<Value>()
    };
    let rates = vary("link.uplink.rate=500kbit..8mbit step x4");
    assert_eq!(rates, json(r#"[["500kbit"], ["2mbit"], ["8mbit"]]"#));
    let both = vary("link.uplink.queue,link.uplink.delay=[pfifo limit 9,1ms],[codel,5ms]");
    assert_eq!(both, json(r#"[["pfifo limit 9", "1ms"], ["codel", "5ms"]]"#));
}

#[test]
fn seeds_that_change_something_need_no_word() {
    let bench = bench("sweep-seeds");
    let random = ["--set", "link.uplink.loss=5%", "--vary", "seed=1..3"];
    let run = bench.run(&[&["sweep", "good.toml"], &random[..]].concat());
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let other = ["sweep", "good.toml", "--vary", "link.uplink.queue=pie,codel", "-o", "other"];
    let other = bench.run(&other);
    assert!(other.stderr.is_empty() && !other.stdout.contains("seed"), "{}", other.stdout);
    // A queue with its own randomness, beside one without.
    let some = ["--vary", "link.uplink.queue=pfifo limit 9,pie", "--vary", "seed=1..3"];
    let run = bench.run(&[&["sweep", "good.toml", "-o", "some"], &some[..]].concat());
    let note =
        "\nThe seed changes nothing for pfifo limit 9: these runs are the same for all seeds";
    assert!(run.stdout.contains(note), "{}", run.stdout);
}

/// A row of the folder has the figures of `sim`.
#[test]
fn a_run_of_a_sweep_is_a_run() {
    let bench = bench("sweep-row");
    assert_eq!(bench.run(&["sweep", "many.toml", "--format", "csv", "-o", "runs"]).code, 0);
    let text = bench.read("runs/runs-00001.csv");
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let (head, row) = (lines.next().unwrap(), lines.next().unwrap());
    assert_eq!(head[..5], ["run", "link.uplink.queue", "seed", "error", "sojourn_ms.mean"]);
    assert_eq!(row[..4], ["64", "codel", "25", ""]);
    let again = ["sim", "many.toml", "--json", "--set", "link.uplink.queue=codel", "--seed", "25"];
    let document = json(&bench.run(&again).stdout);
    let forward = &document["links"]["uplink"]["forward"];
    assert_eq!(row[4].parse::<f64>().unwrap(), forward["sojourn_ms"]["mean"].as_f64().unwrap());
    let column = head.iter().position(|name| *name == "flow.ping.rtt_ms.p95").unwrap();
    let rtt = document["flows"]["ping"]["rtt_ms"]["p95"].as_f64().unwrap();
    assert_eq!(row[column].parse::<f64>().unwrap(), rtt);
}

/// The seed also draws the random start of a flow.
#[test]
fn the_bytes_are_the_same_at_any_number_of_threads() {
    let bench = bench("sweep-threads");
    let random = "flow.backup.start=[\"0s\", \"500ms\"]";
    let folders = ["1", "2", "7"].map(|threads| {
        let run = ["sweep", "many.toml", "-o", threads, "--threads", threads, "--set", random];
        let run = bench.run(&run);
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert!(!run.stdout.contains("seed changes nothing"), "{}", run.stdout);
        contents(&bench.path(threads))
    });
    assert_eq!(folders[0].len(), 5, "{:?}", folders[0].keys());
    assert!(folders[0] == folders[1] && folders[0] == folders[2]);
}

/// A sweep that takes a while, all of it in one part.
const LONG: &[&str] =
    &["sweep", "many.toml", "--vary", "duration=600s", "--vary", "seed=1..12", "--yes"];

/// A sweep that has begun and is far from its end.
fn begun(bench: &Bench, folder: &str, also: &[&str]) -> Child {
    let mut child = bench.command(&[LONG, &["-o", folder], also].concat()).spawn().unwrap();
    let journal = bench.path(folder).join("journal.jsonl");
    let lines = || fs::read_to_string(&journal).unwrap_or_default().lines().count();
    while lines() < 3 {
        assert_eq!(child.try_wait().unwrap(), None, "it ended before it began");
        std::thread::yield_now();
    }
    child
}

#[test]
fn interrupted_or_killed_it_goes_on() {
    let bench = bench("sweep-interrupts");
    let child = begun(&bench, "runs", &[]);
    signal(&child, "INT");
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{stderr}");
    assert!(stderr.contains("the same command does them"), "{stderr}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains(" of 24 runs, in runs;"), "{text}");

    let child = begun(&bench, "json", &["--json"]);
    signal(&child, "TERM");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    let summary = json(&String::from_utf8(output.stdout).unwrap());
    assert_eq!(summary["interrupted"], true);
    assert!(summary["done"].as_u64() < Some(24), "{}", summary["done"]);

    let mut child = begun(&bench, "runs", &[]);
    signal(&child, "KILL");
    assert!(!child.wait().unwrap().success());
    let journal = bench.path("runs/journal.jsonl");
    let kept = fs::read_to_string(&journal).unwrap();
    assert!(kept.lines().count() >= 3);
    // As if the machine had stopped in the middle of a line.
    fs::write(&journal, &kept[..kept.len() - 10]).unwrap();

    for folder in ["runs", "whole"] {
        assert_eq!(bench.run(&[LONG, &["-o", folder]].concat()).code, 0);
    }
    let (runs, whole) = (contents(&bench.path("runs")), contents(&bench.path("whole")));
    assert!(runs == whole, "{:?} {:?}", runs.keys(), whole.keys());
}

#[test]
fn one_sweep_at_a_time_and_the_same_one() {
    let bench = bench("sweep-one");
    let mut child = begun(&bench, "runs", &[]);
    let same = [LONG, &["-o", "runs"]].concat();
    bench.run(&same).is_refused(&["another sweep is at work on runs"]);
    signal(&child, "INT");
    child.wait().unwrap();
    let other = ["sweep", "many.toml", "-o", "runs"];
    bench.run(&other).is_refused(&["runs was begun", "seed", "another --store"]);
    bench.write("many.toml", format!("# New\n{SCENARIO}{SWEEP}").as_bytes());
    bench.run(&same).is_refused(&["another text of the scenario", "line 1"]);
}

#[test]
fn a_run_that_fails_stops_no_other() {
    let bench = bench("sweep-fails");
    let vary = ["--vary", "duration=5s,2s", "--vary", "warmup=1s,3s", "--vary", "seed=1,2"];
    let run = bench.run(&[&["sweep", "good.toml"], &vary[..]].concat());
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stdout.contains("8 runs, 2 failed"), "{}", run.stdout);
    let command = "unbloat sim good.toml --set duration=2s --set warmup=3s --set seed=2";
    for part in ["2 runs failed", "run 7: warmup: ", "leaves nothing", command] {
        assert!(run.stderr.contains(part), "no {part} in\n{}", run.stderr);
    }
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    bench.run(&words).is_refused(&["leaves nothing"]);
    let again = bench.run(&[&["sweep", "good.toml", "--json"], &vary[..]].concat());
    assert_eq!(again.code, 1);
    bench.run(&["report", "good.runs", "--out", "page.html"]);
    let page = fs::read_to_string(bench.path("page.html")).unwrap();
    assert!(page.contains("Of the sweep's 8 runs, 2 failed."));
    assert_eq!(json(&again.stdout)["failed"][1]["command"], command);
}

#[test]
fn shards_share_a_folder() {
    let bench = bench("sweep-shards");
    let shard =
        |shard| bench.run(&["sweep", "many.toml", "-o", "runs", "--shard", shard, "--json"]);
    assert_eq!(json(&shard("1/3").stdout)["done"], 27);
    assert_eq!(json(&shard("3/3").stdout)["done"], 53);
    bench
        .run(&["sweep", "many.toml", "-o", "runs", "--shard", "2/4"])
        .is_refused(&["for 3 shards"]);
    let page = bench.path("page.html");
    bench.run(&["report", "runs", "--out", page.to_str().unwrap()]);
    let page = fs::read_to_string(page).unwrap();
    assert!(page.contains("Of the sweep's 80 runs, 27 are not done yet."));
    // Without a shard, the missing runs of all.
    let all = json(&bench.run(&["sweep", "many.toml", "-o", "runs", "--json"]).stdout);
    let one = json(&bench.run(&["sweep", "many.toml", "-o", "one", "--json"]).stdout);
    assert_eq!((&all["done"], &all["tables"]), (&80.into(), &one["tables"]));
}

#[test]
fn too_much_is_refused_with_what_it_would_cost() {
    let bench = bench("sweep-much");
    // Weeks of processor time, however fast it is.
    let weeks = ["--vary", "duration=168h", "--vary", "seed=1..5000", "--threads", "2"];
    let weeks = [&["sweep", "many.toml"], &weeks[..]].concat();
    bench.run(&weeks).is_refused(&["10000 runs would take about", "--yes"]);
    assert_eq!(bench.files(), ["good.toml", "many.toml"], "nothing was begun");
}

#[test]
fn bad_input_begins_nothing() {
    let bench = bench("sweep-bad");
    fs::create_dir(bench.path("mine")).unwrap();
    bench.write("mine/letter.txt", b"Dear");
    for (arguments, parts) in [
        (&["good.toml"][..], &["good.toml: nothing is varied", "[sweep]", "--vary"][..]),
        (&["missing.toml"], &["missing.toml"]),
        (&["-"], &["standard input"]),
        (&["many.toml", "--vary", "seed"], &["--vary", "PATH=A,B,C"]),
        (
            &["many.toml", "--vary", "link.uplink.rate=1mbit,2"],
            &["--vary", "link.uplink.rate", "unit"],
        ),
        (&["many.toml", "--vary", "link.down.rate=1mbit"], &["--vary", "down", "uplink"]),
        (&["many.toml", "--set", "seed=3"], &["--set seed=3", "--vary seed=3"]),
        (&["many.toml", "--seed", "3"], &["error: --seed 3: ", "--vary seed=3"]),
        (&["many.toml", "--by", "colour"], &["--by colour", "link.uplink.queue, seed"]),
        (&["many.toml", "--by", "qeue"], &["did you mean `link.uplink.queue`?"]),
        (&["many.toml", "--link", "down"], &["--link", "down", "uplink"]),
        (&["many.toml", "--shard", "3/2"], &["--shard", "no shard 3 of 2"]),
        (&["many.toml", "--threads", "0"], &["--threads", "from 1 to 1024"]),
        (&["many.toml", "--vary", "seed=1..9 step 0"], &["--vary seed=1..9 step 0", "increases"]),
        (
            &["many.toml", "--vary", "link.uplink.rate,link.uplink.delay=1mbit,2mbit"],
            &["`1mbit` is one value", "in brackets"],
        ),
        (&["many.toml", "--format", "xls"], &["--format", "parquet", "csv"]),
        (&["many.toml", "--vary", "flow.backup.congestion=cubic,bbr"], &["congestion", "bbr"]),
        (&["many.toml", "-o", "mine"], &["mine", "letter.txt", "--store"]),
        (&["many.toml", "-o", "good.toml"], &["good.toml"]),
        (&["many.toml", "-o", "/proc/no/such"], &["/proc/no/such"]),
    ] {
        bench.run(&[&["sweep"], arguments].concat()).is_refused(parts);
        assert_eq!(bench.files(), ["good.toml", "many.toml", "mine"], "{arguments:?}");
    }
    let text = format!("{SCENARIO}\n[sweep]\nseed = []\n");
    bench.write("bad.toml", text.as_bytes());
    let line = text.lines().count();
    let place = format!("bad.toml:{line}:8: ");
    bench.run(&["sweep", "bad.toml"]).is_refused(&[&place, "seed", "empty list"]);
    bench.run(&["sim", "bad.toml"]).is_refused(&[&place, "empty list"]);
}
