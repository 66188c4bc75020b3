//! Mistakes of users, and the messages that they get.

use std::io;

use scenario::{Origin, Position, Scenario, ScenarioError};

mod files;

/// A scenario without mistakes; each test spoils one thing.
const GOOD: &str = r#"title = "Good"
duration = "60s"
warmup = "10s"

[[link]]
name = "uplink"
from = "home"
to = "isp"
rate = "2mbit"
delay = "5ms"
queue = "pfifo limit 300"
[link.reverse]
rate = "20mbit"

[[link]]
name = "island"
from = "rock"
to = "reef"

[[flow]]
name = "backup"
from = "home"
to = "isp"
traffic = "bulk"

[[flow]]
name = "ping"
from = "home"
to = "isp"
traffic = "ping"
interval = "100ms"
"#;

fn no_traces(trace: &str) -> io::Result<String> {
    match trace {
        "empty" => Ok(String::new()),
        "prose" => Ok("1\n2\nthree\n".into()),
        _ => Err(io::ErrorKind::NotFound.into()),
    }
}

fn error(text: &str) -> ScenarioError {
    Scenario::parse(text, "some.toml", &[], &no_traces).expect_err(text)
}

/// Replaces the first `old` by `new` and expects an error at this place, in this field, whose
/// message contains all of `words`.
#[track_caller]
fn expect(old: &str, new: &str, position: (usize, usize), field: &str, words: &[&str]) {
    assert!(GOOD.contains(old), "{old}");
    let error = error(&GOOD.replacen(old, new, 1));
    let (line, column) = position;
    assert_eq!(error.position, Some(Position { line, column }), "{error}");
    assert_eq!(
        (&error.origin, error.field.as_str()),
        (&Origin::File("some.toml".into()), field),
        "{error}"
    );
    for word in words {
        assert!(error.message.contains(word), "`{word}` is not in: {error}");
    }
    assert_eq!(error.snippet.lines().count(), 3, "{error}");
}

const BULK: &str = "traffic = \"bulk\"";

#[test]
fn good_is_good() {
    Scenario::parse(GOOD, "some.toml", &[], &no_traces).unwrap();
}

#[test]
fn the_message_is_laid_out_as_by_rustc() {
    let error = error(&GOOD.replacen("\"5ms\"", "\"5 parsecs\"", 1));
    assert_eq!(
        error.to_string(),
        "error: `parsecs` is no unit of a time; write `5ms`, `100us`, `1.5s` or `2min`
  --> some.toml:10:9
   |
10 | delay = \"5 parsecs\"
   |         ^^^^^^^^^^^
   = field: link.uplink.delay"
    );
}

#[test]
fn unknown_keys() {
    expect("queue", "qeue", (11, 1), "link.uplink.qeue", &["`qeue`", "did you mean `queue`?"]);
    expect("title", "colour", (1, 1), "colour", &["known are", "`title`", "`duration`"]);
    expect("interval", "intervall", (31, 1), "flow.ping.intervall", &["did you mean `interval`?"]);
    let reverse = "reverse]\nrate";
    let field = "link.uplink.reverse.ratte";
    expect(reverse, "reverse]\nratte", (13, 1), field, &["did you mean `rate`?"]);
}

#[test]
fn keys_of_another_kind_of_traffic() {
    let ping = "interval = \"100ms\"";
    let own = ["a `ping` has no key `mss`", "`bytes`, `interval`"];
    expect(ping, "mss = 1448", (31, 1), "flow.ping.mss", &own);
    let new = "traffic = \"bulk\"\nevery = \"1s\"";
    expect(BULK, new, (25, 1), "flow.backup.every", &["a `bulk` has no key `every`"]);
}

#[test]
fn missing_keys() {
    expect("duration = \"60s\"\n", "", (1, 1), "duration", &["`duration` is missing"]);
    expect("name = \"uplink\"\n", "", (5, 1), "link[0].name", &["`name` is missing"]);
    expect(BULK, "", (20, 1), "flow.backup.traffic", &["`traffic` is missing"]);
    for (kind, key) in [
        ("transfer", "bytes"),
        ("cbr", "rate"),
        ("page", "objects"),
        ("packmime", "connections_per_second"),
    ] {
        let (new, field) = (format!("traffic = \"{kind}\""), format!("flow.backup.{key}"));
        expect(BULK, &new, (20, 1), &field, &[&format!("`{key}` is missing")]);
    }
}

#[test]
fn dangling_and_duplicate_names() {
    let words = ["no link leads to the node `sever`", "`home`, `isp`"];
    expect("to = \"isp\"\ntraffic", "to = \"sever\"\ntraffic", (23, 6), "flow.backup.to", &words);
    let words = ["two links are called `uplink`, link[0] and link[1]"];
    expect("\"island\"", "\"uplink\"", (16, 8), "link.uplink.name", &words);
    let words = ["two flows are called `backup`"];
    expect("\"ping\"", "\"backup\"", (27, 8), "flow.backup.name", &words);
    expect("\"uplink\"", "\"up.link\"", (6, 8), "link[0].name", &["`up.link` is not a name"]);
    expect("\"uplink\"", "\"\"", (6, 8), "link[0].name", &["1 to 64 letters"]);
}

#[test]
fn values_that_are_no_quantity() {
    for (rate, words) in [
        ("\"-2mbit\"", ["`-2mbit` is not a rate", "write `10mbit`"]),
        ("-2", ["`-2` is not a rate", "write `10mbit`"]),
        ("2", ["`2` has no unit", "write a rate as `10mbit`"]),
        ("2.5", ["`2.5` has no unit", "write a rate as `10mbit`"]),
        ("nan", ["`NaN` is not a rate", "write `10mbit`"]),
        ("inf", ["`inf` is not a rate", "write `10mbit`"]),
        ("\"nan\"", ["`nan` is not a rate", "write `10mbit`"]),
        ("\"fast\"", ["`fast` is not a rate", "write `10mbit`"]),
        ("\"2mbps\"", ["ambiguous", "for bytes `kB/s`, `MB/s`"]),
        ("\"0mbit\"", ["a rate must be more than zero", "`10mbit`"]),
        ("\"1bit\"", ["1bit is too little", "write 100bit to 10000gbit"]),
        ("\"99999gbit\"", ["99999gbit is too much", "write 100bit to 10000gbit"]),
        ("\"99999999999999gbit\"", ["too large", "rate"]),
        ("true", ["expected a rate", "`true`"]),
        ("1979-05-27", ["expected a rate", "a date"]),
    ] {
        expect("\"2mbit\"", rate, (9, 8), "link.uplink.rate", &words);
    }
    let delay = "link.uplink.delay";
    expect("\"5ms\"", "5", (10, 9), delay, &["`5` has no unit", "`5ms`"]);
    expect("\"5ms\"", "\"2h\"", (10, 9), delay, &["7200s is too much; write 0ms to 3600s"]);
    expect("\"60s\"", "\"999h\"", (2, 12), "duration", &["too much"]);
    expect("\"60s\"", "\"0s\"", (2, 12), "duration", &["0ms is too little; write 1ms to"]);
    let huge = "\"99999999999999999999999999999999999999s\"";
    expect("\"60s\"", huge, (2, 12), "duration", &["is not a time"]);
}

#[test]
fn values_that_are_out_of_bounds() {
    for (line, column, words) in [
        ("count = 0", 9, "0 is too little; write 1 to 1000000"),
        ("count = 4000000000", 9, "4000000000 is too much; write 1 to 1000000"),
        ("count = 4000000000000000000000", 9, "far out of bounds"),
        ("count = -1", 9, "not negative, found integer `-1`"),
        ("count = 1.5", 9, "expected a whole number"),
        ("mss = 63", 7, "63 is too little; write 64 to 65000"),
        ("mss = \"1MB\"", 7, "1000000 is too much"),
        ("bytes = 5000", 9, "`5000` has no unit"),
        ("bytes = \"0B\"", 9, "0B is too little"),
        ("initial_window = 0", 18, "write 1 to 1000"),
        ("min_rto = \"0ms\"", 11, "write 1ms to 60s"),
        ("receive_window = 65536", 18, "`65536` has no unit"),
        ("receive_window = \"2GiB\"", 18, "2GiB is too much"),
        ("receive_window = { auto = \"2GiB\" }", 18, "2GiB is too much"),
        ("rate = \"1bit\"", 8, "1bit is too little"),
        ("start = \"60s\"", 9, "60s is not before the end of the run, 60s"),
        ("start = [\"1s\"]", 9, "two times such as [\"5s\", \"15s\"]"),
        ("stop = \"0s\"", 8, "0ms is not after the start, 0ms"),
        ("stop = \"1s\"\nstart = [\"0s\", \"1s\"]", 8, "1s is not after the latest start, 1s"),
        ("sack = \"yes\"", 8, "expected true or false, found the text `yes`"),
        (
            "congestion = \"vegas\"",
            14,
            "`vegas` is unknown; known are `cubic`, `reno`, `ledbat`, `bbr`",
        ),
        ("ledbat_target = \"5ms\"", 17, "`ledbat_target` belongs to `ledbat`"),
        ("ledbat_gain = 1", 15, "`ledbat_gain` belongs to `ledbat`"),
        ("delayed_ack = 2", 15, "expected true, false or \"per_window\""),
        ("dscp = \"ef\"", 8, "`ef` is no DSCP; write a number from 0 to 63, or `CS0` to `CS7`"),
        ("dscp = \"46\"", 8, "`46` is no DSCP; write a number"),
        ("dscp = 64", 8, "`64` is no DSCP; write a number from 0 to 63"),
        ("dscp = 256", 8, "`256` is no DSCP"),
        ("dscp = -1", 8, "`-1` is no DSCP"),
        ("dscp = 4.5", 8, "expected a DSCP such as \"EF\" or 46, found floating point `4.5`"),
        ("mark = -1", 8, "expected a whole number"),
        ("mark = 4294967296", 8, "write 0 to 4294967295"),
        ("host = \"my laptop\"", 8, "`my laptop`"),
        ("tcp = \"vegas\"", 7, "known are `linux`, `reno1990`"),
    ] {
        let key = line.split(' ').next().unwrap();
        let (new, field) = (format!("{BULK}\n{line}"), format!("flow.backup.{key}"));
        expect(BULK, &new, (25, column), &field, &[words]);
    }
}

#[test]
fn a_random_start_is_between_two_times_of_the_run() {
    for (later, words) in [
        ("[\"1s\", \"60s\"]", "60s is not before the end of the run, 60s"),
        ("[\"2s\", \"1s\"]", "1s is less than 2s; write the shorter one first"),
        ("[\"0s\", 0.5]", "`0.5` has no unit"),
    ] {
        let new = format!("{BULK}\nstart = {later}");
        expect(BULK, &new, (25, 16), "flow.backup.start[1]", &[words]);
    }
}

#[test]
fn a_wire_has_known_cells() {
    let delay = "delay = \"5ms\"";
    let new = format!("{delay}\ncells = \"aal5\"");
    expect(delay, &new, (11, 9), "link.uplink.cells", &["`aal5`", "`atm`", "`ptm`"]);
}

#[test]
fn a_translating_node_is_at_an_end_of_its_link() {
    let delay = "delay = \"5ms\"";
    let new = format!("{delay}\nnat = \"rock\"");
    let words = ["`rock` is at neither end of this link", "write `home` or `isp`"];
    expect(delay, &new, (11, 7), "link.uplink.nat", &words);
}

#[test]
fn choices_that_exclude_each_other() {
    for (lines, at, words) in [
        ("delayed_ack = \"per_window\"", (25, 15), "`receive_window = \"64kB\"` too"),
        (
            "window_scaling = false\nreceive_window = \"1MB\"",
            (26, 18),
            "or `window_scaling = true`",
        ),
        ("sack = false\nrack = true", (26, 8), "`rack` needs `sack = true`"),
        ("congestion = \"reno\"\nhystart = true", (26, 11), "`hystart` belongs to `cubic`"),
        ("congestion = \"reno\"\nbeta = 0.7", (26, 8), "`beta` belongs to `cubic`"),
        ("beta = 1", (25, 8), "0.95"),
        (
            "delayed_ack = false\nquick_ack = true",
            (26, 13),
            "`quick_ack` needs `delayed_ack = true`",
        ),
        ("timestamps = false\ncongestion = \"ledbat\"", (26, 14), "write `timestamps = true`"),
        ("tcp = \"reno1990\"\ncongestion = \"ledbat\"", (26, 14), "write `timestamps = true`"),
        ("abe = true\ncongestion = \"ledbat\"", (26, 14), "leave out one of the two"),
        (
            "congestion = \"ledbat\"\nledbat_target = \"101ms\"",
            (26, 17),
            "101ms is too much; write 1ms to 100ms",
        ),
        ("congestion = \"ledbat\"\nledbat_gain = 0", (26, 15), "a gain of 0; write 0.01 to 100"),
        ("congestion = \"ledbat\"\nledbat_gain = nan", (26, 15), "a gain of NaN; write 0.01"),
    ] {
        let field = lines.lines().last().unwrap().split(' ').next().unwrap();
        let (new, field) = (format!("{BULK}\n{lines}"), format!("flow.backup.{field}"));
        expect(BULK, &new, at, &field, &[words]);
    }
}

#[test]
fn traffic_that_cannot_be() {
    for (lines, at, key, words) in [
        ("\"cbr\"\nrate = \"10mbit\"\npacket = 0", (26, 10), "packet", "write 1 to 65000"),
        (
            "\"cbr\"\nrate = \"1000gbit\"\npacket = 1",
            (25, 8),
            "rate",
            "1000gbit in packets of 1B is more than one packet every 1us; write at most 8mbit, or",
        ),
        ("\"ping\"\ninterval = \"0s\"", (25, 12), "interval", "write 1us to"),
        ("\"ping\"\nbytes = 70000", (25, 9), "bytes", "write 0 to 65000"),
        ("\"page\"\nobjects = []", (25, 11), "objects", "0 objects; write 1 to 100000"),
        ("\"page\"\nobjects = [\"0B\"]", (25, 12), "objects[0]", "0B is too little"),
        (
            "\"page\"\nobjects = { count = 0, bytes = \"1kB\" }",
            (25, 21),
            "objects.count",
            "write 1 to",
        ),
        ("\"page\"\nobjects = 5", (25, 11), "objects", "expected sizes such as"),
        ("\"periodic\"\nbytes = \"1kB\"\nevery = \"0s\"", (26, 9), "every", "write 1us"),
        ("\"periodic\"\nbytes = \"1kB\"\nidle = 5", (26, 8), "idle", "`5` has no unit"),
        ("\"periodic\"\nbytes = \"1kB\"\nidle = [\"5s\"]", (26, 8), "idle", "two times such as"),
        (
            "\"periodic\"\nbytes = \"1kB\"\nidle = [\"5s\", \"1s\"]",
            (26, 15),
            "idle[1]",
            "1s is less than 5s; write the shorter one first",
        ),
        (
            "\"periodic\"\nbytes = \"1kB\"\nevery = \"1s\"\nidle = \"1s\"",
            (27, 8),
            "idle",
            "leave out one of the two",
        ),
        ("\"periodic\"\nbytes = \"1kB\"", (20, 1), "every", "is missing, or `idle` instead"),
        ("\"voip\"\ncodec = \"opus\"", (25, 9), "codec", "known are `cbr64`, `g711`"),
        ("\"voip\"\ntwo_ways = false", (25, 1), "two_ways", "did you mean `two_way`?"),
        ("\"voip\"\nmss = 536", (25, 1), "mss", "its own keys are `codec`, `two_way`"),
        (
            "\"packmime\"\nconnections_per_second = 0.01",
            (25, 26),
            "connections_per_second",
            "write a number from 0.1 to 1000, or 0 for none at all",
        ),
        (
            "\"packmime\"\nconnections_per_second = \"5\"",
            (25, 26),
            "connections_per_second",
            "expected a number such as 5 or 2.5",
        ),
        ("\"packmime\"\nrate = \"1mbit\"", (25, 1), "rate", "`connections_per_second`"),
    ] {
        let (new, field) = (format!("traffic = {lines}"), format!("flow.backup.{key}"));
        expect(BULK, &new, at, &field, &[words]);
    }
}

#[test]
fn a_way_back_without_a_name() {
    let words = ["the way back of this call is `ping-back`", "rename one, or `two_way = false`"];
    let voip = GOOD.replacen("name = \"backup\"", "name = \"ping-back\"", 1);
    let voip = voip.replacen("traffic = \"ping\"\ninterval = \"100ms\"", "traffic = \"voip\"", 1);
    let error = error(&voip);
    assert_eq!(error.field, "flow.ping.name", "{error}");
    assert!(words.iter().all(|word| error.message.contains(word)), "{error}");
    let name = "x".repeat(60);
    let error = crate::error(&voip.replace("\"ping\"", &format!("\"{name}\"")));
    assert!(error.message.contains("longer than a name may be"), "{error}");
}

#[test]
fn links_and_routes_that_cannot_be() {
    let words = ["a link from `home` to itself"];
    expect("to = \"isp\"", "to = \"home\"", (8, 6), "link.uplink.to", &words);
    let words = ["a flow from `home` to itself"];
    expect("to = \"isp\"\ntraffic", "to = \"home\"\ntraffic", (23, 6), "flow.backup.to", &words);
    let words = ["there is no route from `home` to `reef`"];
    expect("to = \"isp\"\ntraffic", "to = \"reef\"\ntraffic", (23, 6), "flow.backup.to", &words);
    let words = ["nothing slows TCP down from `home` to `isp`", "`rate` or a `delay`"];
    let instant = "duration = \"1s\"\n[[link]]\nname = \"l\"\nfrom = \"home\"\nto = \"isp\"\n\
                   [[flow]]\nname = \"f\"\nfrom = \"home\"\nto = \"isp\"\ntraffic = \"bulk\"\n";
    let message = error(instant).message;
    assert!(words.iter().all(|word| message.contains(word)), "{message}");
    let words = ["`fifofo` is not a queue", "pfifo"];
    expect("pfifo limit 300", "fifofo", (11, 10), "link.uplink.queue", &words);
    let words = ["limti"];
    expect("limit", "limti", (11, 16), "link.uplink.queue", &words);
    let text = "no list and no table";
    assert!(
        error(&format!("link = []\nflow = []\nduration = \"1s\" # {text}"))
            .message
            .contains("[[link]]")
    );
}

#[test]
fn shapers_that_cannot_be() {
    let lines = |lines: &str| format!("queue = \"pfifo limit 300\"\n{lines}");
    let words = ["only a shaper has a burst", "`shaper = true`"];
    let queue = "queue = \"pfifo limit 300\"";
    expect(queue, &lines("burst = 1600"), (12, 9), "link.uplink.burst", &words);
    let words = ["a shaper needs a rate", "leave `shaper` out"];
    let text = "duration = \"1s\"\n[[link]]\nname = \"l\"\nfrom = \"a\"\nto = \"b\"\nshaper = true\n\
                [[flow]]\nname = \"f\"\nfrom = \"a\"\nto = \"b\"\ntraffic = \"ping\"\n";
    let message = error(text).message;
    assert!(words.iter().all(|word| message.contains(word)), "{message}");
}

#[test]
fn schedules_that_cannot_be() {
    let rate = "link.uplink.rate";
    for (plan, column, field, words) in [
        ("[]", 8, rate, "at least one step, at 0s"),
        ("[\"0s\"]", 9, "link.uplink.rate[0]", "such as [\"50s\", \"10mbit\"]"),
        ("[[\"0s\"]]", 9, "link.uplink.rate[0]", "found a list of 1"),
        ("[[\"0s\", \"1mbit\", 1]]", 9, "link.uplink.rate[0]", "found a list of 3"),
        ("[[\"1s\", \"1mbit\"]]", 10, "link.uplink.rate[0][0]", "it must be at 0s"),
        ("[[\"0s\", \"0bit\"]]", 16, "link.uplink.rate[0][1]", "more than zero"),
        (
            "[[\"0s\", \"1mbit\"], [\"0s\", \"1mbit\"]]",
            27,
            "link.uplink.rate[1][0]",
            "must be later",
        ),
    ] {
        expect("\"2mbit\"", plan, (9, column), field, &[words]);
    }
}

#[test]
fn losses_that_cannot_be() {
    for (loss, column, field, words) in [
        ("\"101%\"", 8, "loss", "write a number from 0 to 1, or `2%`"),
        ("-0.5", 8, "loss", "write a number from 0 to 1"),
        ("nan", 8, "loss", "write a number from 0 to 1"),
        ("{ rate = \"1%\" }", 8, "loss.burst", "`burst` is missing"),
        ("{ rate = \"1%\", burst = 0.5 }", 31, "loss.burst", "write a number from 1 to 1000000"),
        ("{ rate = \"1%\", burst = nan }", 31, "loss.burst", "write a number from 1 to 1000000"),
        ("{ rate = \"90%\", burst = 2 }", 17, "loss.rate", "at most 0.667"),
    ] {
        let (new, field) = (format!("loss = {loss}"), format!("link.uplink.{field}"));
        expect("delay = \"5ms\"", &new, (10, column), &field, &[words]);
    }
}

#[test]
fn a_warm_up_longer_than_the_run() {
    let words = ["a warm-up of 60s leaves nothing of a run of 60s"];
    expect("\"10s\"", "\"60s\"", (3, 10), "warmup", &words);
}

#[test]
fn more_flows_than_fit() {
    let text = GOOD.replace("traffic = ", "count = 600000\ntraffic = ");
    let error = error(&text);
    assert_eq!(error.field, "flow.ping.count", "{error}");
    assert!(error.message.contains("1200000 flows; at most 1000000"), "{error}");
}

#[test]
fn traces_that_are_none() {
    for (trace, words) in [
        ("absent", "the trace `absent`: entity not found"),
        ("empty", "the trace `empty`, line 1: the trace is empty"),
        ("prose", "the trace `prose`, line 3: \"three\" is not a whole number of milliseconds"),
    ] {
        let new = format!("{{ trace = \"{trace}\" }}");
        expect("\"2mbit\"", &new, (9, 18), "link.uplink.rate.trace", &[words]);
    }
    expect("\"2mbit\"", "{ trac = \"x\" }", (9, 10), "link.uplink.rate.trac", &["`trace`?"]);
}

#[test]
fn changes_that_cannot_be() {
    let change =
        |lines: &str| format!("[[change]]\nat = \"20s\"\nlink = \"uplink\"\n{lines}\n[[flow]]");
    for (lines, at, field, words) in [
        ("", (20, 1), "change[0]", "nothing changes; write a `queue` or a `rate`"),
        ("queue = \"codel\"", (23, 10), "change[0].queue", "`pfifo` cannot become `codel`"),
        ("queue = \"pfifo\"", (23, 10), "change[0].queue", "`pfifo` alone changes nothing"),
        ("queue = \"limit 9\"", (23, 10), "change[0].queue", "write `pfifo limit ...`"),
        ("queue = \"pfifo limt 9\"", (23, 16), "change[0].queue", "no option `limt`"),
        ("queue = \"pfifo headdrop\"", (23, 10), "change[0].queue", "the end from which"),
        ("rate = \"5\"", (23, 8), "change[0].rate", "`5` has no unit"),
        ("ratte = \"5mbit\"", (23, 1), "change[0].ratte", "did you mean `rate`?"),
        ("direction = \"up\"", (23, 13), "change[0].direction", "`reverse`"),
    ] {
        expect("[[flow]]", &change(lines), at, field, &[words]);
    }
    let other = change("queue = \"pfifo limit 9\"");
    for (old, new, at, field, words) in [
        ("\"uplink\"", "\"uplnk\"", (22, 8), "change[0].link", "did you mean `uplink`?"),
        ("\"20s\"", "\"8 days\"", (21, 6), "change[0].at", "`days` is no unit"),
        ("queue = \"pfifo limit 9\"", "rate = \"1mbit\"", (23, 8), "change[0].rate", "no rate"),
    ] {
        let island = if words == "no rate" { "\"island\"" } else { "\"uplink\"" };
        let new = other.replacen("\"uplink\"", island, 1).replacen(old, new, 1);
        expect("[[flow]]", &new, at, field, &[words]);
    }
}
