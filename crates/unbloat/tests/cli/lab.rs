//! `unbloat lab`: valid and invalid requests. Nothing here needs a namespace.

use crate::bench::Bench;
use serde_json::Value;

#[test]
fn help_shows_examples_and_all_forms() {
    let bench = Bench::new("lab-help");
    let run = bench.run(&["lab", "--help"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    for part in [
        "Usage: unbloat lab <SCENARIO> [OPTIONS]\n",
        "unbloat lab [OPTIONS] -- [COMMAND]...\n",
        "unbloat lab --check",
        "Examples:\n",
        "--queue \"bfifo limit 256kB\"",
        "--against sim",
        "Exit codes:",
        "The link in front of a COMMAND:\n",
    ] {
        assert!(run.stdout.contains(part), "no {part:?} in\n{}", run.stdout);
    }
}

#[test]
fn what_cannot_be_meant_is_refused() {
    let bench = Bench::new("lab-refused");
    bench.write("spoilt.trace", b"1\n2\nthree\n");
    for (arguments, parts) in [
        // No scenario, link or command; or too many of them.
        (&[][..], &["name a scenario", "unbloat lab --rate 2mbit --rtt 20ms -- COMMAND"][..]),
        (&["good.toml", "--", "true"], &["good.toml", "COMMAND", "leave out one"]),
        (&["good.toml", "--rate", "1mbit"], &["--rate", "--set link.uplink.rate", "-- good.toml"]),
        (&["true", "--up-queue", "codel"], &["--up-queue", "`true`", "-- true"]),
        (&["--check", "good.toml"], &["--check", "alone"]),
        (&["--check", "--rate", "1mbit"], &["--check", "alone"]),
        (&["--against", "sim", "--", "true"], &["--against", "SCENARIO"]),
        (&["good.toml", "--against", "ns3"], &["--against", "ns3", "sim"]),
        (&["good.toml", "--ports", "tap"], &["--ports", "tap", "tun", "packet"]),
        (&["good.toml", "--live", "-q"], &["--live", "--quiet"]),
        (&["good.toml", "true"], &["unexpected argument", "true", "-- [COMMAND]..."]),
        // The link.
        (&["--rate", "10", "--", "true"], &["--rate", "unit", "10mbit"]),
        (&["--rate", "0mbit", "--", "true"], &["--rate"]),
        (&["--rate", "-1mbit", "--", "true"], &["--rate", "`-1mbit` is not a rate", "10mbit"]),
        (&["--up-loss", "-1%", "--", "true"], &["--up-loss", "`-1%`"]),
        (&["--rtt", "-5ms", "--", "true"], &["--rtt", "`-5ms`"]),
        (&["--rate", "--rtt", "20ms", "--", "true"], &["--rate", "`--rtt` is not a rate"]),
        (&["--congestion", "", "--", "true"], &["--congestion <NAME>", "value is required"]),
        (&["--congestion", "vegas2", "--", "true"], &["--congestion `vegas2`", "it has ", "reno"]),
        (&["--up", "1bit", "--", "true"], &["--up: 1bit is too little; write 100bit to"]),
        (&["--down", "1mbps", "--", "true"], &["--down", "ambiguous"]),
        (&["--rtt", "20", "--", "true"], &["--rtt", "unit"]),
        (&["--rtt", "9999h", "--", "true"], &["--rtt", "too much"]),
        (&["--queue", "pffio", "--", "true"], &["--queue", "pffio", "pfifo"]),
        (&["--down-queue", "codel target 5", "--", "true"], &["--down-queue", "target", "5"]),
        (&["--loss", "101%", "--", "true"], &["--loss", "101%"]),
        (&["--rate", "1mbit", "--trace", "x", "--", "true"], &["--rate", "--trace"]),
        (&["--up", "1mbit", "--up-trace", "x", "--", "true"], &["--up", "--up-trace"]),
        (&["--trace", "nowhere", "--", "true"], &["--trace nowhere: No such file"]),
        (&["--up-trace", "spoilt.trace", "--", "true"], &["--up-trace: ", "line 3", "three"]),
        (&["--set", "duration=5s", "--", "true"], &["--set duration", "link.link.KEY=VALUE"]),
        (&["--set", "link.link.dealy=5s", "--", "true"], &["link.link.dealy", "delay"]),
        // A scenario, as `sim` has it.
        (&["missing.toml"], &["missing.toml: cannot read the scenario: No such file"]),
        (&["good.toml", "--set", "link.uplink.rate=1mbps"], &["link.uplink.rate", "ambiguous"]),
        // The simulator lacks this congestion control, and this kernel may lack it too.
        (
            &["good.toml", "--against", "sim", "--set", "flow.backup.congestion=bbr"],
            &["flow.backup.congestion", "bbr"],
        ),
        // Files.
        (&["good.toml", "--series", "series.txt"], &["--series series.txt", ".csv or .parquet"]),
        (&["good.toml", "--packets", "fates.parquet"], &["--packets fates.parquet", ".csv only"]),
        (&["good.toml", "--pcap", "x.pcap"], &["--pcap x.pcap", ".pcapng"]),
        (&["good.toml", "--plot", "x.gif"], &["--plot x.gif", ".svg or .png"]),
        (&["good.toml", "--report", "x.txt"], &["x.txt: the name of a page must end in .html"]),
        (&["--report", "x.txt", "--", "true"], &["x.txt: the name of a page must end in .html"]),
        (&["good.toml", "--plot", "x.svg", "--only", "delays"], &["--only", "delays", "delay"]),
        (&["good.toml", "--report", "good.toml"], &["--report would overwrite good.toml"]),
        (&["--trace", "spoilt.trace", "--", "true"], &["--trace: ", "line 3"]),
    ] {
        bench.run(&[&["lab"], arguments].concat()).is_refused(parts);
        assert_eq!(bench.files(), ["good.toml", "spoilt.trace"], "after {arguments:?}");
    }
}

#[test]
fn names_cannot_paint_the_terminal() {
    let bench = Bench::new("lab-paint");
    for arguments in [
        &["lab", "no\u{1b}[31m.toml"][..],
        &["lab", "no\u{1b}[31m", "--rate", "1mbit"],
        &["lab", "--trace", "no\u{1b}[31m", "--", "true"],
    ] {
        let run = bench.run(arguments);
        run.is_refused(&["\u{fffd}[31m"]);
        assert!(!run.stderr.contains('\u{1b}'), "{:?}", run.stderr);
    }
}

/// On any machine, the check tells people and programs the same.
#[test]
fn a_check_names_what_it_tried() {
    let bench = Bench::new("lab-check");
    let (text, json) = (bench.run(&["lab", "--check"]), bench.run(&["lab", "--check", "--json"]));
    assert!([0, 1].contains(&text.code), "{}", text.stderr);
    assert_eq!(text.code, json.code);
    let document: Value = serde_json::from_str(&json.stdout).expect("a document");
    assert_eq!((&document["schema"], &document["version"]), (&"unbloat.check".into(), &1.into()));
    assert_eq!(document["works"], json.code == 0);
    let findings = document["findings"].as_array().unwrap();
    assert_eq!(findings[0]["what"], "user namespace");
    for finding in findings {
        let what = finding["what"].as_str().unwrap();
        assert!(text.stdout.contains(what), "no {what} in\n{}", text.stdout);
        assert!(!finding["detail"].as_str().unwrap().is_empty(), "{finding}");
    }
    let is_missing = |finding: &&Value| finding["works"] == false && finding["needed"] == true;
    assert_eq!(findings.iter().find(is_missing).is_none(), json.code == 0, "{}", json.stdout);
    let conclusion = if text.code == 0 { "The lab works here." } else { "does not work here" };
    assert!(text.stdout.contains(conclusion), "{}", text.stdout);
}
