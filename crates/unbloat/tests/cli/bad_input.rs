//! Scenarios with one mistake each: the message names the file, the line, the field and a correct
//! form; nothing is printed and nothing is written.

use std::fs;

use crate::bench::{Bench, SCENARIO};

/// `SCENARIO` with `from` replaced by `to`, and the line, from 1, on which the change begins.
fn spoilt(from: &str, to: &str) -> (String, usize) {
    assert_eq!(SCENARIO.matches(from).count(), 1, "{from:?} is not found once");
    let before = SCENARIO.split(from).next().unwrap();
    // A change that begins with a line end shows on the next line.
    let breaks = usize::from(to.starts_with('\n'));
    (SCENARIO.replace(from, to), before.matches('\n').count() + 1 + breaks)
}

#[test]
fn one_mistake_in_a_file() {
    let bench = Bench::new("mistakes");
    for (from, to, parts) in [
        // Unknown keys, with similar known ones.
        ("delay =", "dealy =", &["dealy", "delay"][..]),
        ("interval =", "intervall =", &["intervall", "interval"]),
        ("warmup =", "warm_up =", &["warm_up", "warmup"]),
        // Invalid values.
        ("\"1mbit\"", "\"-1mbit\"", &["rate", "-1mbit", "10mbit"]),
        ("\"1mbit\"", "\"1\"", &["rate", "unit", "10mbit"]),
        ("\"1mbit\"", "1", &["rate", "10mbit"]),
        ("\"1mbit\"", "\"nan\"", &["rate", "nan"]),
        ("\"1mbit\"", "nan", &["rate"]),
        ("\"1mbit\"", "\"0mbit\"", &["rate", "0"]),
        ("\"1mbit\"", "\"1mbps\"", &["rate", "ambiguous", "`Mbps`", "MB/s"]),
        ("\"1mbit\"", "\"99999999999999999999tbit\"", &["rate", "large"]),
        ("\"1mbit\"", "[]", &["rate"]),
        ("\"10ms\"", "\"-10ms\"", &["delay", "-10ms", "5ms"]),
        ("\"10ms\"", "\"10\"", &["delay", "unit"]),
        ("\"10ms\"", "\"9999h\"", &["delay", "9999h"]),
        ("\"5s\"", "\"0s\"", &["duration"]),
        ("\"5s\"", "\"inf\"", &["duration", "inf"]),
        ("warmup = \"1s\"", "warmup = \"6s\"", &["warmup", "6s", "5s"]),
        ("seed = 1", "seed = -1", &["seed"]),
        ("seed = 1", "seed = 1.5", &["seed"]),
        // Names.
        ("from = \"home\"\nto = \"isp\"\nrate", "from = \"isp\"\nto = \"isp\"\nrate", &["isp"]),
        ("to = \"isp\"\ntraffic = \"bulk\"", "to = \"isq\"\ntraffic = \"bulk\"", &["isq", "isp"]),
        ("name = \"ping\"", "name = \"backup\"", &["backup"]),
        ("\"bulk\"", "\"bulky\"", &["traffic", "bulky", "bulk"]),
        // Queues.
        ("pfifo limit 100", "pfifo limit", &["queue", "limit"]),
        ("pfifo limit 100", "pfifo limit 0", &["queue", "limit"]),
        ("pfifo limit 100", "pffio", &["queue", "pffio", "pfifo"]),
        ("pfifo limit 100", "codel target 5", &["queue", "target", "5"]),
        // Far too many.
        ("traffic = \"bulk\"", "traffic = \"bulk\"\ncount = 4000000000", &["count", "4000000000"]),
        // Not even TOML.
        ("[[flow]]\nname = \"backup\"", "[[flow]\nname = \"backup\"", &[""]),
        ("rate = \"1mbit\"", "rate \"1mbit\"", &[""]),
    ] {
        let (text, line) = spoilt(from, to);
        bench.write("bad.toml", text.as_bytes());
        let outputs = ["--series", "series.csv", "--packets", "packets.csv"];
        let run = bench.run(&[&["sim", "bad.toml"], &outputs[..]].concat());
        run.is_refused(parts);
        // The mistake shows on the first changed line, or on the one that the change added.
        let places = [line, line + 1].map(|line| format!("bad.toml:{line}:"));
        let placed = places.iter().any(|place| run.stderr.contains(place));
        assert!(placed, "{from:?} -> {to:?}: none of {places:?} in\n{}", run.stderr);
        assert_eq!(bench.files(), ["bad.toml", "good.toml"]);
    }
}

#[test]
fn a_route_that_does_not_exist() {
    let bench = Bench::new("route");
    let island = "\n[[link]]\nname = \"far\"\nfrom = \"atoll\"\nto = \"reef\"\nrate = \"1mbit\"\n\
                  [[flow]]\nname = \"letter\"\nfrom = \"home\"\nto = \"reef\"\ntraffic = \"bulk\"\n";
    bench.write("bad.toml", format!("{SCENARIO}{island}").as_bytes());
    bench.run(&["sim", "bad.toml"]).is_refused(&["bad.toml:", "letter", "home", "reef"]);
}

#[test]
fn an_override_with_a_mistake() {
    let bench = Bench::new("overrides");
    for (set, parts) in [
        ("link.uplink.rate", &["--set", "link.uplink.rate", "PATH=VALUE"][..]),
        ("link.uplink.rate=fast", &["link.uplink.rate", "fast", "10mbit"]),
        ("link.downlink.rate=1mbit", &["downlink", "uplink"]),
        ("link.uplink.speed=1mbit", &["speed"]),
        ("flow[7].count=2", &["flow[7]"]),
        ("duration=-1s", &["duration", "-1s"]),
        ("warmup=1h", &["warmup"]),
        ("flow.backup.congestion=bbr", &["flow.backup.congestion: the simulator has no bbr"]),
    ] {
        for more in [&[][..], &["--compare", "codel", "--compare", "fq_codel"]] {
            let run = bench.run(&[&["sim", "good.toml", "--set", set], more].concat());
            run.is_refused(parts);
            assert_eq!(run.stderr.matches("error: ").count(), 1, "{}", run.stderr);
        }
    }
}

/// What is probably meant is in the message.
#[test]
fn slips_with_what_is_right() {
    let bench = Bench::new("slips");
    bench.write("good.toml", SCENARIO.as_bytes());
    for (arguments, parts) in [
        (
            &["sim", "good.toml", "--set", "link.uplink.rat=5mbit"][..],
            &["did you mean `rate`?"][..],
        ),
        (&["sim", "good.toml", "--compare", "fifo", "codel"], &["`pfifo`", "`bfifo`", "in bytes"]),
        (
            &["sim", "good.toml", "--compare", "cake rate 5mbit", "codel"],
            &["did you mean `bandwidth`?"],
        ),
        (&["sweep", "good.toml", "--vary", "seed=1-10"], &["two dots: seed=1..10"]),
        (
            &["sweep", "good.toml", "--vary", "queue=codel,pie"],
            &["unknown key `queue`", "link.NAME.queue"],
        ),
        (
            &["sweep", "good.toml", "--vary", "link.uplink.rate=1..8mbit"],
            &["`8mbit` has a unit", "1mbit..8mbit"],
        ),
        (
            &["sweep", "good.toml", "--vary", "link.uplink.rate=1mbit..8"],
            &["has no unit", "1mbit..8mbit"],
        ),
        (&["sim", "good.toml", "--set", "link.uplink.queue=“codel”"], &["typographic quote"]),
        (&["lab", "--queue", "“bfifo", "limit", "256kB”", "--", "true"], &["typographic quote"]),
    ] {
        bench.run(arguments).is_refused(parts);
    }
    let version = bench.run(&["--version"]);
    assert_eq!(bench.run(&["test", "--version"]).stdout, version.stdout);
}

#[test]
fn traces_that_are_none() {
    let bench = Bench::new("traces");
    let text = SCENARIO.replace("rate = \"1mbit\"", "rate = { trace = \"cell.trace\" }");
    bench.write("bad.toml", text.as_bytes());
    bench.run(&["sim", "bad.toml"]).is_refused(&["bad.toml:10:", "cell.trace"]);
    for (content, parts) in [
        (&b""[..], &["cell.trace", "empty"][..]),
        (b"5\nfive\n", &["cell.trace", "five"]),
        (b"5\n4\n", &["cell.trace", "4"]),
        (b"0\n", &["cell.trace"]),
        (b"\x7fELF\x02\x01\x00\xff\xfe", &["cell.trace"]),
    ] {
        bench.write("cell.trace", content);
        bench.run(&["sim", "bad.toml"]).is_refused(parts);
    }
    fs::remove_file(bench.path("cell.trace")).unwrap();
    fs::create_dir(bench.path("cell.trace")).unwrap();
    bench.run(&["sim", "bad.toml"]).is_refused(&["cell.trace"]);
}

#[test]
fn files_that_are_no_scenarios() {
    let bench = Bench::new("files");
    fs::create_dir(bench.path("folder")).unwrap();
    bench.write("binary.toml", b"\x7fELF\x02\x01\x01\x00\xff\xfe\x00");
    bench.write("nul.toml", b"title = \"\x00\"\n");
    bench.write("empty.toml", b"");
    bench.write("broken.json", b"{\"duration\": \"1s\",");
    bench.write("list.json", b"[1, 2]");
    for (file, parts) in [
        ("missing.toml", &["missing.toml"][..]),
        ("folder", &["folder"]),
        ("binary.toml", &["binary.toml", "text"]),
        ("nul.toml", &["nul.toml"]),
        ("empty.toml", &["empty.toml", "empty", "docs/sim.md"]),
        ("broken.json", &["broken.json:1:"]),
        ("list.json", &["list.json:1:1", "a list"]),
    ] {
        bench.run(&["sim", file]).is_refused(parts);
    }
    // A message shows the mistake, but never as commands to the terminal.
    bench.write("rude.toml", b"duration = \"\\u001b[31m5s\"\n");
    let run = bench.run(&["sim", "rude.toml"]);
    run.is_refused(&["rude.toml:1:"]);
    assert!(!run.stderr.contains('\u{1b}'), "{:?}", run.stderr);
}

/// A verb, an option, a plot or a figure with a slip: the message names the right one.
#[test]
fn a_slip_in_a_command_is_told_with_the_right_word() {
    let bench = Bench::new("slips");
    let only = ["sim", "good.toml", "--plot", "plot.svg", "--only", "dely"];
    for (arguments, wanted) in [
        (&["smi"][..], "'sim'"),
        (&["help", "tset"], "'test'"),
        (&["test", "host", "--uop"], "'--up'"),
        (&["sim", "good.toml", "--jsno"], "'--json'"),
        (&only, "did you mean `delay`?"),
        (&["test", "host", "--fail-if", "p96 > 30ms"], "did you mean `p95`?"),
    ] {
        let run = bench.run(arguments);
        run.is_refused(&[wanted]);
        assert_eq!(run.code, 2, "{arguments:?}");
    }
    assert_eq!(bench.files(), ["good.toml"]);
}
