//! The example of `shape` that has an AQM of its own, on a live line.

use std::path::Path;
use std::process::Command;

use crate::shaper::{Line, PROGRAM};
use crate::traffic::{PUNCTUAL, rate};

#[test]
fn an_aqm_from_outside_shapes_a_live_line() {
    let Some(line) = Line::new() else { return };
    // `cargo test --workspace` builds the examples beside the program.
    let mut command = Command::new(Path::new(PROGRAM).with_file_name("examples/own_aqm"));
    command.arg("right");
    let shaper = line.start(command, "Shaping");
    let rate = rate(&line, true);
    let status = shaper.status();
    let up = &status["up"];
    assert_eq!((&up["queue"], &up["tc"]["kind"]), (&"gentle".into(), &"gentle".into()));
    assert!(up["tc"]["drops"].as_u64().unwrap() > 0, "packets waited for longer than 10 ms: {up}");
    assert!(rate < 10.1, "{rate} Mbit/s");
    let late = status["lateness_us"].as_f64().unwrap_or(f64::MAX);
    assert!(rate > 9.0 || late > PUNCTUAL, "{rate} Mbit/s, {late} us late");
    // The rate behind the queue is not the queue's.
    let set = |arguments: &[&str]| line.output(&[&["set", "right"], arguments].concat());
    assert!(set(&["--up-rate", "5mbit"]).status.success());
    assert_eq!(set(&["--up", "gentle limit 5"]).status.code(), Some(2));
    assert_eq!(shaper.status()["up"]["limit_mbit"], 5.0);
}
