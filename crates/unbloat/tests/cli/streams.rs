//! `-` is standard input where a file is read, and standard output where one is written.

use serde_json::Value;

use crate::bench::{Bench, SCENARIO};

#[test]
fn a_scenario_comes_from_stdin() {
    let bench = Bench::new("stdin");
    let file = bench.run(&["sim", "good.toml"]);
    let piped = bench.run_with(SCENARIO.as_bytes(), &["sim", "-"]);
    assert_eq!((piped.code, &piped.stdout), (0, &file.stdout));
    let broken = SCENARIO.replace("delay =", "dealy =");
    let run = bench.run_with(broken.as_bytes(), &["sim", "-"]);
    run.is_refused(&["standard input:11:1", "dealy", "did you mean `delay`?"]);
    let varied = ["sweep", "-", "--vary", "seed=1..2", "--store", "runs", "--json"];
    let sweep = bench.run_with(SCENARIO.as_bytes(), &varied);
    assert_eq!(sweep.code, 0, "{}", sweep.stderr);
}

/// A trace is found from the folder in which one is.
#[test]
fn a_scenario_from_stdin_finds_its_traces() {
    let bench = Bench::new("stdin-trace");
    bench.write("cell.trace", b"1\n2\n3\n");
    let text = SCENARIO.replace("rate = \"1mbit\"", "rate = { trace = \"cell.trace\" }");
    let run = bench.run_with(text.as_bytes(), &["sim", "-"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
}

#[test]
fn results_pass_through_a_pipe() {
    let bench = Bench::new("pipe-report");
    let json = bench.run(&["sim", "good.toml", "--json"]).stdout;
    let run = bench.run_with(json.as_bytes(), &["report", "-", "--out", "-"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.starts_with("<!doctype html>"), "{:.200}", run.stdout);
    let run = bench.run_with(json.as_bytes(), &["report", "-", "--plot", "-", "--only", "delay"]);
    assert!(run.code == 0 && run.stdout.contains("<svg"), "{:.200}{}", run.stdout, run.stderr);
    assert_eq!(bench.files(), ["good.toml"]);
}

#[test]
fn what_a_run_writes_goes_to_stdout_and_the_table_to_stderr() {
    let bench = Bench::new("stdout");
    for (option, begins) in
        [("--series", "time_s,"), ("--packets", "index,"), ("--report", "<!doctype html>")]
    {
        let run = bench.run(&["sim", "good.toml", option, "-"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert!(run.stdout.starts_with(begins), "{option}: {:.200}", run.stdout);
        assert!(run.stderr.contains("uplink"), "{option}: {}", run.stderr);
    }
    let run = bench.run(&["sim", "good.toml", "--series", "-", "--packets", "-"]);
    run.is_refused(&["--series", "--packets", "/dev/stdout"]);
    assert_eq!(bench.files(), ["good.toml"]);
}

#[test]
fn arrivals_and_captures_come_from_stdin() {
    let bench = Bench::new("stdin-arrivals");
    let arrivals = b"time_s,bytes\n0,1500\n0.001,1500\n";
    let queue = ["--queue", "pfifo limit 10", "--rate", "1mbit"];
    let run = bench.run_with(arrivals, &[&["replay", "-", "--json"], &queue[..]].concat());
    let document: Value =
        serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}", run.stderr));
    assert_eq!(document["scenario"]["replay"]["arrivals"]["packets"], 2);
    let run = bench.run_with(arrivals, &[&["replay", "-", "--out", "-"], &queue[..]].concat());
    assert!(run.code == 0 && run.stdout.starts_with("index,"), "{}{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("2 packets of 3000 bytes"), "{}", run.stderr);
    assert_eq!(document["scenario"]["title"], "Replay of standard input");
    bench.run(&["pcap", "-"]).is_refused(&["standard input: "]);
    let run = bench.run(&["sim", "good.toml", "--pcap", "run.pcapng"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let capture = std::fs::read(bench.path("run.pcapng")).unwrap();
    let told = bench.run_with(&capture, &["pcap", "-"]).stdout;
    assert!(told.starts_with("standard input: "), "{told}");
    let document = bench.run_with(&capture, &["pcap", "-", "--json"]).stdout;
    let document: Value = serde_json::from_str(&document).unwrap();
    assert_eq!(document["file"], "-");
}

#[test]
fn a_plan_takes_a_measurement_from_stdin() {
    let bench = Bench::new("stdin-plan");
    for verb in [&["fix", "-", "--for", "openwrt"][..], &["doctor", "-"]] {
        let run = bench.run_with(b"{}", verb);
        run.is_refused(&["standard input: ", "no `schema`"]);
    }
}
