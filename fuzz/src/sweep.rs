//! The varied fields of a sweep, in a file and on the command line.

use scenario::{Override, Scenario, Sweep, Vary};

use crate::parsers::{a_trace, overrides};

/// Reads `[sweep]` tables and `--vary`: each point is the scenario that its overrides make of the
/// file, so that the command that repeats a run gives that run.
pub fn sweep(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (text, varied) = text.split_once("\n--vary\n").unwrap_or((&text, ""));
    let varied: Vec<Vary> = varied.lines().filter_map(|line| line.parse().ok()).collect();
    let (text, overrides) = overrides(text);
    for name in ["fuzz.toml", "fuzz.json"] {
        match Sweep::parse(text, name, &overrides, &varied, &a_trace) {
            Ok(sweep) => check(&sweep, text, name, &overrides),
            Err(error) => assert!(!error.message.is_empty(), "no word about what is wrong"),
        }
    }
}

fn check(sweep: &Sweep, text: &str, name: &str, overrides: &[Override]) {
    let axes: u64 = sweep.axes().iter().map(scenario::Axis::len).product();
    assert_eq!(sweep.len(), axes);
    let last = sweep.len() - 1;
    for point in [0, last / 3, last / 2, last] {
        assert_eq!(sweep.values(point).len(), sweep.paths().count());
        let set = [overrides, &sweep.point(point)].concat();
        let alone = Scenario::parse(text, name, &set, &a_trace);
        let alone = alone.map_err(|error| error.message);
        let swept = sweep.scenario(point).map_err(|error| error.message);
        assert_eq!(swept, alone, "point {point} with {set:?} of\n{text}");
    }
}
