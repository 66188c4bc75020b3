use results::{DirectionResult, Drops, LinkResult};
use serde_json::json;

use super::*;
use crate::example::home;

fn with_uplink(mut document: Document, change: impl FnOnce(&mut DirectionResult)) -> Document {
    change(&mut document.links["uplink"].forward);
    document
}

#[test]
fn a_bloated_uplink() {
    let sentence = "Bufferbloat, grade F: while uplink is full, others wait 1.25 s. That is \
        the 95th percentile of time in the queue (pfifo limit 300); the median is 1.00 s. The rate is 2.00 Mbit/s, 100 % of the capacity. The quickest answer took 20 ms.";
    assert_eq!(verdict(&home("pfifo limit 300", 1000.0)), sentence);
}

#[test]
fn a_healthy_uplink() {
    let sentence = "Healthy, grade A: while uplink is full, others wait 6.0 ms. That is the \
        95th percentile of time in the queue (fq_codel); the median is 4.8 ms. The rate is \
        2.00 Mbit/s, 100 % of the capacity. A ping is answered in 25 ms at the median.";
    assert_eq!(verdict(&home("fq_codel", 4.8)), sentence);
}

/// What waits and is dropped later counts for what others wait, as if it were sent.
#[test]
fn a_wait_before_which_much_is_dropped_is_a_bound() {
    let told = |aqm| {
        let drops = Drops { aqm, ..Drops::default() };
        verdict(&with_uplink(home("codel limit 1000p", 1000.0), |uplink| uplink.drops = drops))
    };
    let bound = "others wait at most 1.25 s. That is the 95th percentile of time in the queue \
        (codel limit 1000p); the median is at most 1.00 s. The queue drops many of the packets that wait.";
    assert!(told(5_000).contains(bound), "{}", told(5_000));
    assert!(told(1).contains("others wait 1.25 s."), "{}", told(1));
}

/// The queue is named as it began.
#[test]
fn a_queue_that_changes_is_told() {
    let mut document = home("pfifo limit 300", 1000.0);
    let change =
        |at: &str, key: &str, value: &str| json!({ "at": at, "link": "uplink", key: value });
    let told = |document: &Document| {
        let sentence = verdict(document);
        sentence.split_once("From ").map(|(_, rest)| rest.to_owned())
    };
    document.scenario["change"] = json!([change("20s", "rate", "1mbit")]);
    assert_eq!(told(&document), None);
    document.scenario["change"] = json!([change("10s", "queue", "pfifo limit 1p")]);
    let once = told(&document).unwrap();
    assert!(
        once.starts_with("10.0 s on, the queue has the settings of `pfifo limit 1p`."),
        "{once}"
    );
    document.scenario["change"] =
        json!([change("20s", "queue", "pfifo limit 7p"), change("10s", "queue", "pfifo limit 1p")]);
    let twice = told(&document).unwrap();
    assert!(twice.contains("`pfifo limit 1p`; its settings change 2 times in all."), "{twice}");
}

#[test]
fn grades_follow_the_95th_percentile() {
    for (wait, words) in [
        (1.0, "Healthy, grade A+"),
        (23.9, "Healthy, grade A:"),
        (24.1, "Some bufferbloat, grade B"),
        (159.0, "Some bufferbloat, grade C"),
        (161.0, "Bufferbloat, grade D"),
        (320.0, "Bufferbloat, grade F"),
    ] {
        let sentence = verdict(&home("pfifo", wait));
        assert!(sentence.starts_with(words), "{wait} ms: {sentence}");
    }
}

#[test]
fn a_starved_link_is_named_unless_something_else_is_to_blame() {
    let starved = |document: &Document| verdict(document).contains("starves the link");
    let drops = Drops { full: 50, ..Drops::default() };
    let idle = |uplink: &mut DirectionResult| {
        *uplink = DirectionResult { utilisation: Some(0.71), drops, ..uplink.clone() };
    };
    let document = with_uplink(home("pfifo limit 2", 5.0), idle);
    let sentence = verdict(&document);
    assert!(
        sentence.contains("The queue starves the link, which is idle 29 % of the time."),
        "{sentence}"
    );

    let lossy = with_uplink(document.clone(), |uplink| uplink.drops.loss = 9);
    assert!(!starved(&lossy));
    let without_drops = with_uplink(document.clone(), |uplink| uplink.drops.full = 0);
    assert!(!starved(&without_drops));
    let mut without_bulk = document.clone();
    without_bulk.flows.shift_remove("backup");
    assert!(!starved(&without_bulk));
    let mut busier_elsewhere = document;
    busier_elsewhere.links["uplink"].reverse.utilisation = Some(1.0);
    assert!(!starved(&busier_elsewhere));
}

#[test]
fn a_link_is_starved_only_of_a_flow_that_always_wants_it() {
    let drops = Drops { full: 50, ..Drops::default() };
    let idle =
        |uplink: &mut DirectionResult| (uplink.utilisation, uplink.drops) = (Some(0.71), drops);
    let mut document = with_uplink(home("pfifo limit 2", 5.0), idle);
    let mut starved = |flows| {
        document.scenario["flow"] = flows;
        verdict(&document).contains("starves the link")
    };
    for (key, value, always) in [
        ("count", json!(1), true),
        ("start", json!("0ms"), true),
        ("stop", json!(null), true),
        ("start", json!("10s"), false),
        ("stop", json!("20s"), false),
        ("bytes", json!("1MB"), false),
        ("rate", json!("500kbit"), false),
    ] {
        let mut backup = json!({ "name": "backup", "traffic": "bulk" });
        backup[key] = value;
        // Other flows may have an end.
        let call = json!({ "name": "call", "traffic": "cbr", "rate": "64kbit" });
        assert_eq!(starved(json!([call, backup])), always, "{backup}");
    }
    assert!(!starved(json!([])));
    assert!(!starved(json!(["backup", { "name": "other", "traffic": "bulk" }])));
    assert!(starved(json!("no list")));
}

#[test]
fn members_of_a_count_are_as_their_scenario_says() {
    let drops = Drops { full: 50, ..Drops::default() };
    let idle =
        |uplink: &mut DirectionResult| (uplink.utilisation, uplink.drops) = (Some(0.71), drops);
    let mut document = with_uplink(home("pfifo limit 2", 5.0), idle);
    let backup = document.flows.shift_remove("backup").unwrap();
    document.flows.insert("backup[1]".into(), backup);
    document.scenario["flow"] = json!([{ "name": "backup", "traffic": "bulk", "count": 2 }]);
    assert!(verdict(&document).contains("starves the link"));
    document.scenario["flow"][0]["stop"] = json!("20s");
    assert!(!verdict(&document).contains("starves the link"));
}

#[test]
fn many_drops_are_named() {
    let drops = |full| with_uplink(home("pfifo", 1000.0), |uplink| uplink.drops.full = full);
    assert!(verdict(&drops(500)).contains("The queue drops 5.7 % of all packets."));
    assert!(!verdict(&drops(200)).contains("drops"));
}

#[test]
fn the_worse_direction_is_judged() {
    let mut document = home("fq_codel", 4.0);
    let reverse = &mut document.links["uplink"].reverse;
    (reverse.others_wait_ms.p95, reverse.grade) = (Some(70.0), Some(Grade::C));
    let sentence = verdict(&document);
    assert!(sentence.contains("grade C: while uplink (reverse) is full"), "{sentence}");
}

/// A line that was never loaded has no grade.
#[test]
fn a_line_that_was_not_filled_has_no_grade() {
    let document = with_uplink(home("pfifo limit 170", 0.0), |uplink| {
        (uplink.grade, uplink.grade_reason) = (None, Some(results::Ungraded::NotFilled));
        (uplink.utilisation, uplink.rate_mbit) = (Some(0.086), Some(0.17));
        uplink.drops = Drops::default();
    });
    let sentence = "No grade: the load did not fill the line. The busiest direction is uplink, \
        with its queue (pfifo limit 170). The rate is 0.170 Mbit/s, 8.6 % of the capacity. A ping \
        is answered in 20 ms at the median.";
    assert_eq!(verdict(&document), sentence);
}

#[test]
fn one_percent_of_loss_is_not_passed_over() {
    let document = with_uplink(home("fq_codel", 2.0), |uplink| {
        (uplink.drops.loss, uplink.other_loss) = (83, Some(0.00995));
    });
    let sentence = verdict(&document);
    assert!(sentence.contains("loses 1.0 % of its packets; its queue does not"), "{sentence}");
}

/// TCP's data may go in one direction, and its acknowledgements in the other: both losses are
/// reported.
#[test]
fn each_wire_that_loses_is_named() {
    let mut document = home("fq_codel", 2.0);
    let uplink = &mut document.links["uplink"];
    (uplink.forward.drops.loss, uplink.forward.other_loss) = (83, Some(0.00995));
    let lost = uplink.reverse.delivered_packets;
    (uplink.reverse.drops.loss, uplink.reverse.other_loss) = (lost, Some(0.5));
    let sentence = verdict(&document);
    let losses =
        "Wires lose packets: uplink 1.0 % and uplink (reverse) 50 %; their queues do not cause";
    assert!(lost > 0 && sentence.contains(losses), "{sentence}");
    // Of very many wires only the worst are named.
    let wall = document.links["uplink"].clone();
    (0..9).for_each(|number| drop(document.links.insert(format!("{number}"), wall.clone())));
    let sentence = verdict(&document);
    assert!(sentence.contains("(16 more lose at most as many); their"), "{sentence}");
}

#[test]
fn nothing_to_judge() {
    assert_eq!(verdict(&Document::default()), "Nothing to judge: no link carried a packet.");
    let mut warm = Document::new(json!({ "duration": "60s", "warmup": "10s" }));
    let sentence = "Nothing to judge: no link carried a packet after the warm-up of 10.0 s.";
    assert_eq!(verdict(&warm), sentence);
    // A run that ends within its warm-up leaves nothing out.
    warm.interrupted_s = Some(9.0);
    assert_eq!(verdict(&warm), "Nothing to judge: no link carried a packet.");
    let mut document = Document::default();
    let drops = Drops { full: 7, ..Drops::default() };
    let forward = DirectionResult { drops, ..DirectionResult::default() };
    document.links.insert("wall".into(), LinkResult { forward, ..LinkResult::default() });
    let sentence = "Dead: nothing comes through wall; its queue drops all 7 packets.";
    assert_eq!(verdict(&document), sentence);
}

#[test]
fn a_link_that_nothing_comes_through_is_dead_and_not_healthy() {
    let lost = |drops| {
        let dead = |reverse: &mut DirectionResult| {
            *reverse = DirectionResult { delivered_packets: 0, drops, ..reverse.clone() };
        };
        let mut document = home("codel", 0.0);
        dead(&mut document.links["uplink"].reverse);
        verdict(&document)
    };
    for (full, loss, end) in [
        (0, 3, "its wire loses all 3 packets."),
        (0, 1, "its wire loses the only packet."),
        (1, 2, "its queue and its wire lose all 3 packets."),
    ] {
        let sentence = lost(Drops { full, loss, ..Drops::default() });
        let words = format!("Dead: nothing comes through uplink (reverse); {end}");
        assert_eq!(sentence, words);
    }
}

#[test]
fn a_short_queue_is_not_healthy_if_it_starves_the_link_or_drops_a_lot() {
    let uplink = |used, full, loss| {
        let change = |uplink: &mut DirectionResult| {
            (uplink.utilisation, uplink.drops) =
                (Some(used), Drops { full, loss, ..Drops::default() });
            if used < 0.9 {
                (uplink.grade, uplink.grade_reason) = (None, Some(results::Ungraded::NotFilled));
            }
        };
        verdict(&with_uplink(home("pfifo limit 1", 0.1), change))
    };
    for (used, full, loss, begin, also) in [
        (0.998, 12, 0, "Healthy, grade A+: ", "The rate is"),
        (0.1, 12, 0, "Starved, no grade: ", "idle 90 %"),
        (0.1, 1300, 0, "Starved, no grade: ", "The queue drops 14 % of all packets."),
        (0.998, 1300, 0, "Quick but lossy, grade A+: ", "The queue drops 14 % of all packets."),
        (0.3, 12, 8258, "Lossy, no grade: ", "The wire of uplink loses 50 % of its packets;"),
        (0.998, 12, 150, "Quick but lossy, grade A+: ", "loses 1.8 %"),
        (0.998, 12, 4, "Healthy, grade A+: ", "The rate is"),
    ] {
        let sentence = uplink(used, full, loss);
        assert!(sentence.starts_with(begin) && sentence.contains(also), "{sentence}");
    }
}

#[test]
fn without_flows_or_rates_it_says_less() {
    let mut document = with_uplink(home("", 1000.0), |uplink| uplink.rate_mbit = None);
    document.flows.clear();
    let sentence = "Bufferbloat, grade F: while uplink is full, others wait 1.25 s. That is \
        the 95th percentile of time in the queue; the median is 1.00 s.";
    assert_eq!(verdict(&document), sentence);
}
