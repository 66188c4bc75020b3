//! Verbs and options: good input, bad input, broken pipes, full disks.

use std::fs;
use std::io::Read;
use std::process::Stdio;

use crate::bench::{Bench, SCENARIO};
use serde_json::Value;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in {text}"))
}

/// A result document without its cost on this machine.
fn without_cost(text: &str) -> Value {
    let mut document = json(text);
    document.as_object_mut().unwrap().remove("cost").expect("a cost");
    document
}

#[test]
fn a_table_and_a_verdict() {
    let bench = Bench::new("table");
    let run = bench.run(&["sim", "good.toml"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    for part in ["uplink", "backup", "ping", "95"] {
        assert!(run.stdout.contains(part), "no {part} in\n{}", run.stdout);
    }
    assert!(!run.stdout.contains('\u{1b}'), "colours where nobody sees them");
    assert_eq!(bench.files(), ["good.toml"]);
}

#[test]
fn a_result_document_and_nothing_else() {
    let bench = Bench::new("document");
    let run = bench.run(&["sim", "good.toml", "--json"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let document = json(&run.stdout);
    assert_eq!(document["schema"], "unbloat.result");
    assert_eq!(document["version"], 1);
    let uplink = &document["links"]["uplink"]["forward"];
    assert!(uplink["utilisation"].as_f64().unwrap() > 0.9, "{uplink}");
    assert!(document["cost"]["events"].as_u64().unwrap() > 0);
    #[cfg(target_os = "linux")]
    for measured in ["cpu_s", "peak_rss_mb"] {
        assert!(document["cost"][measured].as_f64().unwrap() > 0.0, "{}", document["cost"]);
    }
}

#[test]
fn the_same_question_has_the_same_answer() {
    let bench = Bench::new("deterministic");
    let ask = |arguments: &[&str]| {
        let all = [&["sim", "good.toml", "--json"], arguments].concat();
        without_cost(&bench.run(&all).stdout)
    };
    let (series, packets) = (["--series", "series.csv"], ["--packets", "packets.csv"]);
    let first = ask(&[series, packets].concat());
    let written = ["series.csv", "packets.csv"].map(|name| bench.read(name));
    // Observing a run does not change it, and neither does setting a default explicitly.
    assert_eq!(ask(&[]), first);
    assert_eq!(ask(&["--seed", "1", "--set", "duration=5s"]), first);
    assert_eq!(ask(&[series, packets].concat()), first);
    assert_eq!(["series.csv", "packets.csv"].map(|name| bench.read(name)), written);
    let other = ask(&["--set", "link.uplink.rate=2mbit"]);
    assert_ne!(other["links"], first["links"]);
}

#[test]
fn the_scenario_as_run_runs_again() {
    let bench = Bench::new("again");
    let first = without_cost(&bench.run(&["sim", "good.toml", "--seed", "9", "--json"]).stdout);
    bench.write("as-run.json", first["scenario"].to_string().as_bytes());
    let again = without_cost(&bench.run(&["sim", "as-run.json", "--json"]).stdout);
    assert_eq!(again, first);
}

#[test]
fn queues_side_by_side() {
    let bench = Bench::new("compare");
    let arguments = ["sim", "good.toml", "--compare", "pfifo limit 100", "codel", "fq_codel"];
    let run = bench.run(&arguments);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    for part in ["uplink.forward", "pfifo limit 100", "codel", "fq_codel"] {
        assert!(run.stdout.contains(part), "no {part} in\n{}", run.stdout);
    }
    let commas = bench.run(&["sim", "good.toml", "--compare", "pfifo limit 100,codel,fq_codel"]);
    assert_eq!(commas.stdout, run.stdout);
    let document = json(&bench.run(&[&arguments[..], &["--json"]].concat()).stdout);
    assert_eq!(document["schema"], "unbloat.comparison");
    assert_eq!(document["version"], 1);
    let runs = document["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 3);
    let median = |run: &Value| {
        run["result"]["links"]["uplink"]["forward"]["sojourn_ms"]["p50"].as_f64().unwrap()
    };
    // The comparison's queues, and each run in its own place.
    assert!(runs[0]["queue"].as_str().unwrap().starts_with("pfifo"));
    assert!(median(&runs[0]) > 3.0 * median(&runs[1]), "{} ms", median(&runs[0]));
    // A run in a comparison equals the same run alone.
    let reverse = "link.uplink.reverse.queue=fq_codel";
    let alone =
        ["sim", "good.toml", "--json", "--set", "link.uplink.queue=codel", "--set", reverse];
    let alone = json(&bench.run(&alone).stdout);
    assert_eq!(runs[1]["result"]["links"], alone["links"]);
    assert_eq!(runs[1]["result"]["flows"], alone["flows"]);
}

#[test]
fn series_and_packets_are_tables() {
    let bench = Bench::new("tables");
    let step = ["--series", "series.csv", "--series-step", "500ms"];
    let run = bench.run(&[&["sim", "good.toml", "--packets", "packets.csv"][..], &step].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    let (series, packets) = (bench.read("series.csv"), bench.read("packets.csv"));
    assert!(series.starts_with("time_s,"), "{series}");
    assert!((9..=11).contains(&(series.lines().count() - 1)), "5 s at 500 ms:\n{series}");
    assert!(packets.starts_with("index,link,direction,flow,bytes,"), "{packets:.200}");
    assert!(packets.lines().count() > 300, "{} packets", packets.lines().count());
    assert_eq!(bench.files(), ["good.toml", "packets.csv", "series.csv"]);
}

#[test]
fn help_shows_examples() {
    let bench = Bench::new("help");
    for arguments in [&["--help"][..], &["sim", "--help"], &["reproduce", "--help"]] {
        let run = bench.run(arguments);
        assert_eq!(run.code, 0);
        assert!(run.stdout.contains("Examples:\n"), "{}", run.stdout);
        assert!(run.stdout.contains("  unbloat "), "{}", run.stdout);
    }
    assert_eq!(bench.run(&["--version"]).code, 0);
}

#[test]
fn help_shows_exit_codes() {
    let bench = Bench::new("exit-codes");
    let help = bench.run(&["--help"]).stdout;
    let verbs = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let verbs = verbs.take_while(|line| !line.is_empty());
    let verbs = verbs.filter_map(|line| line.split_whitespace().next());
    let verbs: Vec<&str> = verbs.filter(|verb| *verb != "help").collect();
    assert!(verbs.len() > 15, "{verbs:?}");
    for verb in verbs {
        let help = bench.run(&[verb, "--help"]).stdout;
        assert!(help.contains("Exit codes: "), "{verb}:\n{help}");
    }
}

#[test]
fn the_schema_ships_with_the_program() {
    let bench = Bench::new("schema");
    let schema = json(&bench.run(&["sim", "--schema"]).stdout);
    assert!(schema["$schema"].is_string());
    for key in ["duration", "link", "flow"] {
        assert!(schema["properties"][key].is_object(), "no {key} in {schema}");
    }
}

#[test]
fn papers_are_listed() {
    let bench = Bench::new("papers");
    assert_eq!(bench.run(&["reproduce"]).code, 0);
    let run = bench.run(&["reproduce", "nobody"]);
    run.is_refused(&["nobody", "There are"]);
    bench.run(&["reproduce", "getys"]).is_refused(&["Did you mean `gettys`?"]);
    let document = json(&bench.run(&["reproduce", "--json"]).stdout);
    assert_eq!((&document["schema"], &document["version"]), (&"unbloat.papers".into(), &1.into()));
    assert!(document["papers"].as_array().unwrap().iter().any(|paper| paper["name"] == "codel"));
}

#[test]
fn quiet_and_verbose_differ_on_stderr_only() {
    let bench = Bench::new("volume");
    let [quiet, verbose] = ["-q", "-v"].map(|volume| bench.run(&["sim", "good.toml", volume]));
    assert_eq!(quiet.stderr, "");
    assert!(verbose.stderr.contains("events"), "{}", verbose.stderr);
    assert_eq!(quiet.stdout, verbose.stdout);
}

#[test]
fn a_reader_that_has_read_enough_is_no_error() {
    let bench = Bench::new("pipe");
    let mut child = bench.command(&["sim", "--schema"]).spawn().unwrap();
    // Closed before anything can be written.
    drop(child.stdout.take());
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!((child.wait().unwrap().code(), stderr.as_str()), (Some(0), ""));
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_told() {
    let bench = Bench::new("full");
    let full = || fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let sim = ["sim", "good.toml"];
    for arguments in
        [&sim[..], &["sim", "good.toml", "--json"], &["reproduce"], &["--help"], &["-V"]]
    {
        let output = bench.command(arguments).stdout(Stdio::from(full())).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        assert!(stderr.contains("No space left"), "{stderr}");
    }
    let files = ["full.csv", "full.parquet"];
    for file in files {
        std::os::unix::fs::symlink("/dev/full", bench.path(file)).unwrap();
    }
    let asked = [("--series", files[0]), ("--series", files[1]), ("--packets", "/dev/full")];
    for (option, file) in asked {
        let run = bench.run(&["sim", "good.toml", option, file]);
        assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{}", run.stderr);
        assert!(run.stderr.contains(&format!("{file}: No space left")), "{}", run.stderr);
    }
    assert!(fs::metadata("/dev/full").is_ok());
    assert_eq!(bench.files(), ["full.csv", "full.parquet", "good.toml"]);
}

#[test]
fn outputs_that_cannot_be_are_refused_before_anything_runs() {
    let bench = Bench::new("outputs");
    fs::create_dir(bench.path("folder.csv")).unwrap();
    for (arguments, parts) in [
        (&["--series", "folder.csv"][..], &["folder.csv", "name a file"][..]),
        (&["--series", "series.txt"], &["--series series.txt", ".csv or .parquet"]),
        (&["--series", "csv"], &["--series csv", ".csv or .parquet"]),
        (&["--packets", "fates.parquet"], &["--packets fates.parquet", ".csv only"]),
        (&["--packets", "nowhere/packets.csv"], &["nowhere/packets.csv", "does not exist"]),
        (&["--series", "good.toml"], &["--series", "overwrite", "good.toml"]),
        (&["--series", "a.csv", "--packets", "a.csv"], &["--series", "--packets", "a.csv"]),
        (&["--series", "a.csv", "--series-step", "0ms"], &["--series-step"]),
        (&["--series", "a.csv", "--series-step", "100"], &["--series-step", "100", "unit"]),
        (
            &["--series", "a.csv", "--compare", "codel"],
            &["--series", "--compare makes one for each"],
        ),
        (&["--series-step", "1s"], &["--series"]),
        (&["--compare", "codell"], &["codell"]),
        (&["--compare", "codel limit"], &["limit"]),
        (&["--compare", "codel", "--compare-link", "downlink"], &["downlink", "uplink"]),
        (&["--compare-link", "uplink"], &["--compare"]),
        (
            &["--series", "a.csv", "--packets", "./a.csv"],
            &["--series and --packets both name a.csv"],
        ),
        (
            &["--series", "a.csv", "--series-step", "1ns"],
            &["--series-step 1ns makes 5000000000 rows", "at most 10000000", "write 500ns or more"],
        ),
        (&["--seed", "-1"], &["--seed", "a whole number from 0 to 18446744073709551615"]),
        (&["--seed", "x"], &["--seed", "a whole number from 0 to 18446744073709551615"]),
        (&["-q", "-v"], &["--quiet", "--verbose"]),
        (&["--schema"], &["--schema"]),
    ] {
        bench.run(&[&["sim", "good.toml"], arguments].concat()).is_refused(parts);
        assert_eq!(bench.files(), ["folder.csv", "good.toml"], "after {arguments:?}");
        assert_eq!(bench.read("good.toml"), SCENARIO);
    }
    bench.run(&["simulate"]).is_refused(&["simulate", "sim"]);
    bench.run(&["sim"]).is_refused(&["FILE"]);
    bench.run(&["sim", "-"]).is_refused(&["standard input: ", "empty"]);
    #[cfg(target_os = "linux")]
    bench
        .run(&["sim", "good.toml", "--series", "/proc/x.csv"])
        .is_refused(&["/proc/x.csv: no file can be made in this folder"]);
}

/// `--compare` takes all arguments after it, so every usage line shows where FILE goes.
#[test]
fn a_file_after_compare_is_told_where_it_goes() {
    let bench = Bench::new("file-last");
    for file in ["good.toml", "missing.json"] {
        let run = bench.run(&["sim", "--compare", "codel", file]);
        run.is_refused(&[file, "FILE comes before --compare"]);
    }
    let run = bench.run(&["sim", "--compare", "codel"]);
    run.is_refused(&["Usage: unbloat sim <FILE> [OPTIONS]\n"]);
    assert!(!run.stderr.contains("<QUEUE>... <FILE>"), "{}", run.stderr);
}

/// A change is written for the queue that the file has.
#[test]
fn a_queue_that_changes_is_not_compared() {
    let bench = Bench::new("compare-change");
    let change =
        |keys: &str| format!("{SCENARIO}\n[[change]]\nat = \"1s\"\nlink = \"uplink\"\n{keys}\n");
    bench.write("queue.toml", change("queue = \"pfifo limit 5\"").as_bytes());
    let run = bench.run(&["sim", "queue.toml", "--compare", "codel", "fq_codel"]);
    run.is_refused(&["--compare", "[[change]]", "uplink.forward", "--compare-link"]);
    bench.write("rate.toml", change("rate = \"500kbit\"").as_bytes());
    let run = bench.run(&["sim", "rate.toml", "--compare", "codel", "fq_codel"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
}

#[test]
fn names_cannot_paint_the_terminal() {
    let bench = Bench::new("paint");
    for arguments in [
        &["sim", "no\u{1b}[31m.toml"][..],
        &["sim", "good.toml", "--set", "link.up\u{1b}[31m.rate=1mbit"],
        &["sim", "good.toml", "--packets", "no\u{1b}[31m/x.csv"],
        &["sim", "good.toml", "--compare-link", "\u{1b}[31m", "--compare", "codel"],
        &["reproduce", "\u{1b}[31m"],
    ] {
        let run = bench.run(arguments);
        run.is_refused(&["\u{fffd}[31m"]);
        assert!(!run.stderr.contains('\u{1b}'), "{:?}", run.stderr);
    }
    let run = bench.run(&["sim", "good.toml", "two\u{1b}[31m.toml\u{7}"]);
    run.is_refused(&["unexpected argument", "two", "Usage: unbloat sim <FILE>"]);
    assert!(!run.stderr.contains(['\u{1b}', '\u{7}']), "{:?}", run.stderr);
}

#[test]
fn a_dead_link_is_not_healthy() {
    let bench = Bench::new("dead");
    for (set, words) in [
        ("link.uplink.loss=\"100%\"", "Dead: nothing comes through uplink"),
        ("link.uplink.reverse.loss=\"100%\"", "Dead: nothing comes through uplink (reverse)"),
        ("link.uplink.queue=pfifo limit 1", "Starved, no grade: "),
    ] {
        let run = bench.run(&["sim", "good.toml", "--set", set]);
        assert!(run.stdout.contains(words), "{set}:\n{}", run.stdout);
        assert!(!run.stdout.contains("Healthy") && !run.stdout.contains("A+"), "{}", run.stdout);
    }
}
