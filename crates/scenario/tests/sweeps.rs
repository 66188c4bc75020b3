//! Grids over a scenario: their points, and mistakes in them.

use std::io;

use scenario::{Notation, Override, Scenario, ScenarioError, Sweep, Vary};

const BASE: &str = r#"duration = "60s"

[[link]]
name = "up"
from = "home"
to = "isp"
rate = "2mbit"

[[flow]]
name = "ftp"
from = "home"
to = "isp"
traffic = "bulk"

"#;

fn no_traces(_: &str) -> io::Result<String> {
    Err(io::ErrorKind::NotFound.into())
}

fn parse(table: &str, set: &[&str], vary: &[&str]) -> Result<Sweep, ScenarioError> {
    let set: Vec<Override> = set.iter().map(|set| set.parse().unwrap()).collect();
    let vary: Vec<Vary> = vary.iter().map(|vary| vary.parse().unwrap()).collect();
    Sweep::parse(&format!("{BASE}{table}"), "home.toml", &set, &vary, &no_traces)
}

const TABLE: &str = r#"[sweep]
"link.up.rate" = ["1mbit", "10mbit", "100mbit"]
"link.up.queue, flow.ftp.congestion" = [["codel", "cubic"], ["pfifo limit 100", "reno"]]
seed = { from = 10, to = 15, step = 2 }
"#;

#[test]
fn the_last_axis_is_the_fastest() {
    let sweep = parse(TABLE, &[], &[]).unwrap();
    assert_eq!(sweep.len(), 18);
    let paths: Vec<&str> = sweep.paths().collect();
    assert_eq!(paths, ["link.up.rate", "link.up.queue", "flow.ftp.congestion", "seed"]);
    assert_eq!(sweep.values(0), ["1mbit", "codel", "cubic", "10"]);
    assert_eq!(sweep.values(1), ["1mbit", "codel", "cubic", "12"]);
    assert_eq!(sweep.values(3), ["1mbit", "pfifo limit 100", "reno", "10"]);
    assert_eq!(sweep.values(17), ["100mbit", "pfifo limit 100", "reno", "14"]);
    assert_eq!(sweep.axes()[2].summary(), ["from 10 to 14 in steps of 2"]);
}

/// The command that repeats a point gives the same scenario.
#[test]
fn a_point_is_the_file_with_overrides() {
    let sweep = parse(TABLE, &["duration=9s"], &["link.up.loss={rate=\"1%\",burst=5},0"]).unwrap();
    assert_eq!(sweep.len(), 36);
    for point in 0..sweep.len() {
        let set = [&["duration=9s".parse().unwrap()][..], &sweep.point(point)].concat();
        let alone = Scenario::parse(&format!("{BASE}{TABLE}"), "home.toml", &set, &no_traces);
        assert_eq!(sweep.scenario(point).unwrap(), alone.unwrap(), "point {point}");
    }
}

#[test]
fn all_ways_to_write_an_axis() {
    let dotted = "[sweep]\nlink.up.rate = [\"1mbit\"]\nlink.up.queue = [\"codel\", \"pie\"]\n";
    assert_eq!(parse(dotted, &[], &[]).unwrap().values(1), ["1mbit", "pie"]);
    let json = r#"{ "duration": "1s", "sweep": { "seed": { "from": 1, "to": 3 } },
        "link": [{ "name": "a", "from": "x", "to": "y", "rate": "1mbit" }],
        "flow": [{ "name": "b", "from": "x", "to": "y", "traffic": "bulk" }] }"#;
    assert_eq!(Sweep::parse(json, "a.json", &[], &[], &no_traces).unwrap().len(), 3);
    for (vary, values) in [
        ("seed=1,2,5", &["1", "2", "5"][..]),
        ("seed=3..5", &["3", "4", "5"]),
        ("seed={from=0,to=9,step=5}", &["0", "5"]),
        ("seed=3..9 step 3", &["3", "6", "9"]),
        ("seed=1..=100 step x10", &["1", "10", "100"]),
        ("link.up.rate=1mbit..3mbit step 1mbit", &["1mbit", "2mbit", "3mbit"]),
        ("link.up.rate = 500kbit .. 3mbit step x2", &["500kbit", "1mbit", "2mbit"]),
        ("link.up.delay=0s..1ms step 400us", &["0ms", "400us", "800us"]),
        ("flow.ftp.bytes={from='10kB',to='1MB',step='x10'}", &["10kB", "100kB", "1MB"]),
        ("link.up.queue=pfifo limit 10, \"codel\"", &["pfifo limit 10", "codel"]),
        (
            "link.up.rate=[[\"0s\",\"1mbit\"],[\"5s\",\"2mbit\"]]",
            &["[[\"0s\", \"1mbit\"], [\"5s\", \"2mbit\"]]"],
        ),
    ] {
        let sweep = parse("", &[], &[vary]).unwrap();
        let found: Vec<String> = (0..sweep.len()).flat_map(|at| sweep.values(at)).collect();
        assert_eq!(found, values, "{vary}");
    }
    for together in [
        "link.up.rate,seed=[\"1mbit\",1],[\"2mbit\",2]",
        "link.up.rate, seed = [1mbit,1], [2mbit, 2]",
    ] {
        let sweep = parse("", &[], &[together]).unwrap();
        assert_eq!((sweep.len(), sweep.values(1)), (2, vec!["2mbit".to_owned(), "2".to_owned()]));
    }
    let queues = "link.up.queue,link.up.delay=[pfifo limit 9,1ms],[codel,2ms]";
    assert_eq!(parse("", &[], &[queues]).unwrap().values(0), ["pfifo limit 9", "1ms"]);
}

#[test]
fn the_command_line_replaces_an_axis_or_adds_one() {
    let vary = ["seed=7", "link.up.delay=1ms,2ms"];
    let sweep = parse(TABLE, &[], &vary).unwrap();
    assert_eq!(sweep.len(), 12);
    assert_eq!(sweep.values(0), ["1mbit", "codel", "cubic", "7", "1ms"]);
}

#[test]
fn a_scenario_passes_its_sweep_over() {
    let text = format!("{BASE}{TABLE}");
    let scenario = Scenario::parse(&text, "home.toml", &[], &no_traces).unwrap();
    assert_eq!(scenario, Scenario::parse(BASE, "home.toml", &[], &no_traces).unwrap());
    let spoilt = text.replace("to = 15", "two = 15");
    let error = Scenario::parse(&spoilt, "home.toml", &[], &no_traces).unwrap_err();
    assert!(error.message.contains("unknown key `two`"), "{error}");
}

#[test]
fn mistakes_are_told_with_their_place() {
    // Line 15 is that of [sweep].
    for (line, place, part) in [
        ("seed = []", (16, 8), "empty list"),
        ("seed = 7", (16, 8), "list of values"),
        ("seed = [1, -1]", (16, 12), "negative"),
        ("seed = [1, 2, 1]", (16, 15), "1 is listed twice"),
        ("seed = { from = 1 }", (16, 8), "`to`"),
        ("seed = { from = 1, to = 9, by = 2 }", (16, 28), "unknown key `by`"),
        ("seed = { from = 1, to = 9.5 }", (16, 25), "whole number"),
        ("seed = { from = 9, to = 1 }", (16, 8), "write the lower number first"),
        ("seed = { from = 1, to = 9, step = 0 }", (16, 8), "write the lower number first"),
        ("seed = { from = 0, to = 4294967296 }", (16, 1), "4294967297 points"),
        ("seed = { from = -9223372036854775808, to = 9223372036854775807 }", (16, 8), "too many"),
        ("\"link.up.rate\" = [\"1mbit\", \"2\"]", (16, 28), "unit"),
        ("\"link.down.rate\" = [\"1mbit\"]", (16, 1), "there is only `up`"),
        ("\"link.up.speed\" = [\"1mbit\"]", (16, 1), "unknown key `speed`"),
        (
            "\"link.up.rate\" = [\"1mbit\"]\n\"link[0].rate\" = [\"2mbit\"]",
            (17, 1),
            "is varied too",
        ),
        (
            "\"link.up.reverse.rate\" = [\"1mbit\"]\n\"link.up.reverse\" = [{}]",
            (17, 1),
            "is varied too",
        ),
        ("\"link.up.rate, seed\" = [[\"1mbit\"]]", (16, 25), "1 values for 2 fields"),
        ("\"link.up.rate, seed\" = [\"1mbit\"]", (16, 25), "2 values"),
        ("\"link.up.rate, \" = [\"1mbit\"]", (16, 1), "path 2"),
        ("\"link.up.rate, seed\" = { from = 1, to = 2 }", (16, 24), "one field"),
    ] {
        let error = parse(&format!("[sweep]\n{line}\n"), &[], &[]).unwrap_err();
        let found = error.position.map(|at| (at.line, at.column));
        assert_eq!(
            (error.origin.written(&Notation::PROGRAM).as_str(), found),
            ("home.toml", Some(place)),
            "{line}: {error}"
        );
        assert!(error.message.contains(part), "{line}: {error}");
    }
    let error = parse("", &[], &[]).unwrap_err();
    assert!(error.message.contains("nothing is varied"), "{error}");
}

#[test]
fn mistakes_of_the_command_line_are_told_with_it() {
    for (vary, part) in [
        ("link.up.rate=1mbit,2", "unit"),
        ("link.up.rate=1mbit,,2mbit", "empty"),
        ("link.down.rate=1mbit", "there is only `up`"),
        ("seed=9..1", "write the lower number first"),
        ("seed={from=1}", "`to`"),
        ("seed=1..x", "found `x`"),
        ("seed=1..9 step 0", "write the lower number first"),
        ("seed=0..9 step x2", "write the lower number first"),
        ("seed=1..9 step x", "a factor"),
        ("seed=1..9 step 2mbit", "with their unit"),
        ("link.up.rate=1mbit..9", "with their unit"),
        ("link.up.rate=1mbit..9mbit", "a `step` of 1mbit"),
        ("link.up.rate,link.up.delay=1mbit,1ms", "A,B=[1mbit,8mbit]"),
        ("link.up.rate,link.up.delay=[1mbit,1ms,2ms]", "3 values for 2 fields"),
        ("link.up.rate,seed=1..3", "one field"),
        ("link.up.queue=codel,bluee", "bluee"),
    ] {
        let error = parse("", &[], &[vary]).unwrap_err();
        assert_eq!(
            (error.origin.written(&Notation::PROGRAM), error.position),
            (format!("--vary {vary}"), None),
            "{vary}"
        );
        assert!(error.message.contains(part), "{vary}: {}", error.message);
    }
    let error = parse(TABLE, &["seed=3"], &[]).unwrap_err();
    assert_eq!(error.origin.written(&Notation::PROGRAM), "--set seed=3");
    let advice = error.advice(&Notation::PROGRAM);
    assert_eq!(advice, "the sweep varies `seed`; write --vary seed=3");
    let error = parse("", &[], &[]).unwrap_err();
    assert!(error.to_string().contains("or write --vary seed=1..10"), "{error}");
    // A library has another notation.
    let library = Notation { vary: |axis| format!("vary({})", axis.path), ..Notation::PROGRAM };
    assert!(error.written(&library).contains("or write vary(seed)"), "{error}");
    for (text, part) in [
        ("seed", "PATH=A,B,C"),
        ("=1,2", "PATH=A,B,C"),
        ("sweep.seed=1,2", "says what varies"),
        ("seed,sweep=[1,2]", "says what varies"),
    ] {
        assert!(text.parse::<Vary>().unwrap_err().contains(part), "{text}");
    }
}
