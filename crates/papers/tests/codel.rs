//! The paper `codel`: the required results of real runs, for the parts that take little
//! time.

mod repeated;

use repeated::{Repeated, assert_near};
use results::ReproductionVerdict;

static CONCEPT: Repeated = Repeated::part("codel", "concept");
static EDGE: Repeated = Repeated::part("codel", "edge");
static HIDDEN: Repeated = Repeated::part("codel", "hidden");

fn concept(name: &str, metric: &str) -> f64 {
    CONCEPT.row(metric, |row| row.row == name).ours.unwrap()
}

fn edge(name: &str, metric: &str) -> f64 {
    EDGE.row(metric, |row| row.row == name).ours.unwrap()
}

/// By hand: 25 packets in a pipe of 20, at 10 ms each.
#[test]
fn what_exceeds_the_pipe_waits_for_ever() {
    assert_near(concept("standing queue", "median wait"), 50.0, 0.001, "five packets");
    for metric in ["shortest queue", "longest queue", "minimum over 0.5 s"] {
        assert_near(concept("standing queue", metric), 5.0, 0.2, metric);
    }
}

/// Both queues are occupied almost all the time; only one has a minimum, and only one is signalled.
#[test]
fn occupancy_says_nothing_and_the_minimum_all() {
    assert_near(concept("standing queue", "occupied"), 1.0, 0.0, "five packets");
    // The queue is empty for part of a burst's 210 ms: while its last packet is sent, which takes
    // 10 ms, and until the next burst comes.
    assert_near(concept("window of 40", "occupied"), 0.9525, 0.01, "a burst");
    assert!(concept("window of 40", "minimum over 0.5 s") < 1.0);
    assert!(concept("window of 40", "utilisation") > 0.97);
    assert!(concept("window of 20", "utilisation") < 0.6);
    assert!(concept("standing queue", "drops") >= 1.0);
    assert!(concept("one ACK a window", "drops") < 1.0);
}

/// "Although CoDel never drops packets at a higher rate than Tail Drop, it keeps a much smaller queue
/// and transfers similar amounts of data."
#[test]
fn the_edge_has_short_queues_and_similar_amounts() {
    for way in ["512 kbit/s down", "512 kbit/s up", "1500 kbit/s down"] {
        let [codel, tail] = ["CoDel", "tail drop"].map(|queue| format!("{queue}, {way}"));
        assert!(edge(&codel, "median delay") < edge(&tail, "median delay"), "{way}");
        assert_near(edge(&codel, "sent"), edge(&tail, "sent"), 0.1, way);
    }
}

/// Each of the three ways reaches the hidden queue; a fixed limit does so while the line is as fast
/// as the limit assumes.
#[test]
fn three_ways_reach_the_hidden_queue() {
    let ping = |way: &str| HIDDEN.row("median ping", |row| row.row.starts_with(way)).ours.unwrap();
    assert!(ping("CoDel in the router alone") > 1000.0);
    for way in ["1: limited", "2: CoDel", "3: flow"] {
        assert!(ping(way) < 50.0, "{way}: {}", ping(way));
    }
    assert!(ping("1: line falls") > 1000.0);
}

/// A figure that is off by more than a quarter does not agree, whatever the reason.
#[test]
fn no_number_agrees_that_is_off_by_more_than_a_quarter() {
    for part in [&CONCEPT, &EDGE, &HIDDEN] {
        for row in part.document().rows.iter().filter(|row| row.bound.is_none()) {
            let near = row.deviation.is_none_or(|part| part.abs() <= 0.25);
            assert!(near || row.verdict == ReproductionVerdict::Differs, "{row:?}");
        }
    }
}

#[test]
fn what_differs_says_why() {
    CONCEPT.assert_complete_and_explained();
    EDGE.assert_complete_and_explained();
    HIDDEN.assert_complete_and_explained();
}

#[test]
fn a_second_time_is_the_same() {
    CONCEPT.assert_repeatable();
}

#[test]
fn the_page_shows_what_is_printed() {
    let page = include_str!("../../../docs/reproduce-codel.md");
    CONCEPT.assert_shown_in(page);
    EDGE.assert_shown_in(page);
    HIDDEN.assert_shown_in(page);
}
