//! Links whose queue or rate changes while the run lasts.

mod support;

use std::path::Path;

use scenario::{Override, Scenario};
use support::{direction, flow, run, spread};

/// A flood at twice the rate of a link of 8 Mbit/s, so that a packet of 1000 bytes takes 1 ms.
const FLOOD: &str = r#"
    duration = "10s"
    warmup = "WARMUP"
    [[link]]
    name = "wire"
    from = "a"
    to = "b"
    rate = "8mbit"
    queue = "QUEUE"
    [[flow]]
    name = "flood"
    from = "a"
    to = "b"
    traffic = "cbr"
    rate = "15.552mbit"
    packet = 972
    CHANGES
"#;

fn flood(warmup: &str, queue: &str, changes: &str) -> results::Document {
    run(&FLOOD.replace("WARMUP", warmup).replace("QUEUE", queue).replace("CHANGES", changes))
}

/// The wait in a full FIFO is its limit times 1 ms, before the change and after it.
#[test]
fn a_smaller_limit_of_a_fifo_holds_as_packets_leave() {
    let change = "[[change]]\nat = \"5s\"\nlink = \"wire\"\nqueue = \"pfifo limit 20\"";
    let before = flood("4s", "pfifo limit 200", "");
    let after = flood("6s", "pfifo limit 200", change);
    let greatest =
        |document: &results::Document| direction(document, "wire").sojourn_ms.max.unwrap();
    assert!((greatest(&before) - 200.0).abs() < 2.0, "{}", greatest(&before));
    assert!((greatest(&after) - 20.0).abs() < 2.0, "{}", greatest(&after));
    // Nothing was dropped at the change: the packets then took 200 ms to leave.
    let during = flood("5s", "pfifo limit 200", change);
    assert!(greatest(&during) > 190.0, "{}", greatest(&during));
}

/// CoDel drops the oldest packets at once.
#[test]
fn a_smaller_limit_of_codel_drops_the_oldest() {
    let change = "[[change]]\nat = \"5s\"\nlink = \"wire\"\nqueue = \"codel limit 20\"";
    let queue = "codel limit 200 target 10s interval 10s";
    let after = flood("5s", queue, change);
    let greatest = direction(&after, "wire").sojourn_ms.max.unwrap();
    // The newest 20 are left, which have waited up to 10 ms and wait 20 more.
    assert!(greatest < 40.0, "{greatest}");
    let dropped = |document: &results::Document| direction(document, "wire").drops.full;
    let unchanged = flood("5s", queue, "");
    assert!(dropped(&after).abs_diff(dropped(&unchanged) + 180) <= 2, "{}", dropped(&after));
}

#[test]
fn a_rate_can_change_both_ways() {
    let changes = "[[change]]\nat = \"2s\"\nlink = \"wire\"\nrate = \"4mbit\"\n\
                   [[change]]\nat = \"6s\"\nlink = \"wire\"\nrate = \"12mbit\"";
    let document = flood("0s", "pfifo limit 10", changes);
    // 2 s at 8, 4 s at 4 and 4 s at 12 Mbit/s.
    let wire = direction(&document, "wire");
    let rate = wire.rate_mbit.unwrap();
    assert!((rate - 8.0).abs() < 0.02, "{rate}");
    assert!((wire.utilisation.unwrap() - 1.0).abs() < 0.002, "{:?}", wire.utilisation);
}

/// A change to the settings that a link has anyway changes nothing.
#[test]
fn a_change_to_the_same_is_none() {
    let change =
        "[[change]]\nat = \"5s\"\nlink = \"wire\"\nrate = \"8mbit\"\nqueue = \"red limit 90000\"";
    let links = |changes| {
        let document = flood("0s", "red limit 90000", changes);
        (
            serde_json::to_string(&document.links).unwrap(),
            serde_json::to_string(&document.flows).unwrap(),
        )
    };
    assert_eq!(links(change), links(""));
}

/// The scenario that ships: the ping before the line falls, before the shaper follows, and after.
#[test]
fn a_shaper_that_follows_its_line_keeps_the_delay_low() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/falling-line.toml");
    let median = |warmup: &str, duration: &str, changes: bool| {
        let overrides = [format!("warmup={warmup}"), format!("duration={duration}")];
        let overrides = overrides.map(|text| text.parse::<Override>().unwrap());
        let mut scenario = Scenario::load(&path, &overrides).unwrap();
        if !changes {
            scenario.changes.clear();
        }
        let document = sim::run(&scenario, sim::Options::default()).unwrap();
        spread(flow(&document, "ping")).p50.unwrap()
    };
    // Propagation there and back takes 30 ms.
    let before = median("5s", "20s", false);
    let fallen = median("30s", "40s", false);
    let after = median("75s", "90s", true);
    let never = median("75s", "90s", false);
    assert!(before < 60.0 && after < 80.0, "{before} before, {after} after");
    assert!(fallen > 500.0 && never > 500.0, "{fallen} before the change, {never} without it");
}

/// As with a step of a schedule, so that a run can be made shorter.
#[test]
fn a_change_after_the_end_does_not_happen() {
    let late = "[[change]]\nat = \"11s\"\nlink = \"wire\"\nqueue = \"pfifo limit 3\"";
    let delivered = |changes| direction(&flood("0s", "pfifo", changes), "wire").delivered_packets;
    assert_eq!(delivered(late), delivered(""));
}
