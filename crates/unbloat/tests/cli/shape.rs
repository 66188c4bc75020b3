//! What `unbloat shape` and `unbloat autorate` refuse, which needs no rights. `lo` has no cake.

use crate::bench::Bench;

const QUEUES: [&str; 5] = ["lo", "--up", "cake bandwidth 1mbit", "--down", "cake bandwidth 1mbit"];

#[test]
fn what_is_drawn_in_place_needs_a_terminal() {
    let run = Bench::new("shape-live").run(&["shape", "lo", "--live"]);
    run.is_refused(&["--live needs a terminal", "--status"]);
    assert!(!run.stderr.contains('\u{1b}'), "{:?}", run.stderr);
}

/// The shaper itself is refused on `lo`.
#[test]
fn a_queue_without_a_rate_holds_nothing_back() {
    let bench = Bench::new("shape-rateless");
    let said = |options: &[&str]| bench.run(&[&["shape", "lo"], options].concat()).stderr;
    let codel = said(&["--up", "codel"]);
    assert!(
        codel.contains("the queue of --up has no rate") && codel.contains("--up-rate"),
        "{codel}"
    );
    let cake = said(&["--down", "cake"]);
    assert!(cake.contains("has no rate") && cake.contains("cake bandwidth 18mbit"), "{cake}");
    for quiet in [
        &["--up", "codel", "--up-rate", "9mbit"][..],
        &["--up", "cake bandwidth 9mbit"],
        &["--up", "codel", "--quiet"],
    ] {
        assert!(!said(quiet).contains("has no rate"), "{quiet:?}");
    }
}

#[test]
fn reflectors_are_hosts_and_all_differ() {
    let bench = Bench::new("shape-reflectors");
    let refused = |reflectors: &str, words: &[&str]| {
        let options = ["--autorate", "--reflectors", reflectors];
        bench.run(&[&["shape"][..], &QUEUES, &options].concat()).is_refused(words);
    };
    refused("1.1.1.1,224.0.0.1", &["224.0.0.1", "multicast"]);
    refused("0.0.0.0", &["0.0.0.0", "no host"]);
    refused("1.1.1.1,9.9.9.9,1.1.1.1", &["--reflectors names 1.1.1.1 twice"]);
}

#[test]
fn where_no_queue_can_follow_another_way_is_named() {
    let run = Bench::new("autorate-no-cake").run(&["autorate", "lo"]);
    run.is_refused(&["`lo` has no cake with a bandwidth", "`unbloat shape lo --autorate`"]);
    assert!(!run.stderr.contains("ifb4lo"), "{}", run.stderr);
}

#[test]
fn a_plan_for_what_the_shaper_refuses_is_refused() {
    let rates = ["--up", "10mbit", "--down", "50mbit", "--wan", "lo"];
    let run = Bench::new("plan-lo").run(&[&["fix", "--for", "unbloat"][..], &rates].concat());
    run.is_refused(&["packets of lo never leave this machine"]);
}
