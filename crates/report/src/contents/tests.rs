use super::*;
use crate::example::{home, home_over_time};

fn alone(document: Document) -> Vec<(String, Document)> {
    vec![("alone".into(), document)]
}

fn rivals() -> Vec<(String, Document)> {
    let run = |queue: &str, wait| (queue.to_owned(), home_over_time(queue, wait));
    vec![run("pfifo", 1000.0), run("codel", 10.0)]
}

#[test]
fn a_page_about_one_run() {
    let document = home_over_time("pfifo limit 300", 1000.0);
    let page = page(&alone(document.clone()));
    assert!(page.one_clock);
    assert_eq!(page.title, "One upload over a bloated uplink");
    let [headline, meaning, rest, setting] = &page.verdict[..] else {
        panic!("{:?}", page.verdict);
    };
    assert_eq!(format!("{headline} {rest}"), verdict(&document));
    assert!(!headline.trim_end_matches('.').contains(". "), "one sentence: {headline}");
    assert!(meaning.starts_with("A call through this queue is unusable: 1.25 s"), "{meaning}");
    assert_eq!(setting, "The judged queue is that of uplink at 2 Mbit/s, 5 ms one way.");
    let [card] = &page.cards[..] else { panic!("{:?}", page.cards) };
    assert_eq!((card.title.as_str(), card.grade), ("Grade", Some(results::Grade::F)));
    assert_eq!(page.strip, None);
    assert_eq!(page.tables.len(), 2);
    let links = &page.tables[0];
    assert_eq!(links.head[..4], ["link", "queue", "rate (Mbit/s)", "used (%)"]);
    assert_eq!(links.head[5], "sojourn p95 (ms)");
    assert_eq!(links.rows[0][..3], ["uplink →", "pfifo limit 300", "2.00"]);
    let flows = &page.tables[1];
    assert_eq!(flows.rows[2][..3], ["ping", "ping", "–"]);
    assert!(flows.head.iter().all(|head| head != "completion done"), "{:?}", flows.head);
    assert_eq!(
        page.notes[0],
        "One upload over a bloated uplink: 60s, statistics after 10s, seed 1."
    );
    assert_eq!(page.notes.len(), 3, "{:?}", page.notes);
}

#[test]
fn a_page_about_several_runs() {
    let page = page(&rivals());
    assert_eq!(page.title, "One upload over a bloated uplink: 2 runs compared");
    assert!(page.verdict[0].starts_with("With codel, 95 of 100 answers "), "{:?}", page.verdict);
    assert_eq!(page.verdict.len(), 2);
    assert_eq!(page.tables.len(), 1);
    assert_eq!(page.tables[0].rows.len(), 2);
    assert_eq!(page.notes.len(), 3, "{:?}", page.notes);
}

#[test]
fn what_is_missing_is_noted() {
    let mut runs = rivals();
    runs[0].1 = home("pfifo", 1000.0);
    runs[1].1.timeline.as_mut().unwrap().omitted_flows = 5;
    runs[1].1.interrupted_s = Some(12.0);
    runs[1].1.scenario["seed"] = 7.into();
    let page = page(&runs);
    let notes = page.notes.join("\n");
    for expected in [
        "pfifo: One upload over a bloated uplink: 60s, statistics after 10s, seed 1.",
        "codel: One upload over a bloated uplink: 60s, interrupted after 12.0 s, statistics after",
        "Values over time were not recorded (pfifo)",
        "There were too many flows to record all of them over time (codel)",
    ] {
        assert!(notes.contains(expected), "{expected}:\n{notes}");
    }
    assert!(page.verdict[0].starts_with("Interrupted: the runs ended"), "{:?}", page.verdict);
}

#[test]
fn runs_of_different_links_are_told_apart() {
    let mut runs = rivals();
    let link = runs[1].1.links.shift_remove("uplink").unwrap();
    runs[1].1.links.insert("wifi".into(), link);
    runs[1].1.scenario["title"] = "Another".into();
    let page = page(&runs);
    assert_eq!(page.title, "2 runs compared");
    let said = page.verdict.join("\n");
    assert!(said.contains("pfifo: the queue of uplink; codel: the queue of wifi."), "{said}");
    assert!(page.tables[0].rows.iter().all(|row| row[3] != "–"), "{:?}", page.tables);
}

/// A shaper moves the queue: its link is in both runs, but differs.
#[test]
fn each_run_is_judged_by_its_own_queue_if_links_differ() {
    let mut runs = rivals();
    let mut quiet = runs[1].1.links["uplink"].clone();
    (quiet.forward.grade, quiet.forward.utilisation) = (None, Some(0.5));
    let slow = runs[1].1.links.insert("uplink".into(), quiet).unwrap();
    runs[1].1.links.insert("shaper".into(), slow);
    runs[1].1.scenario["link"][0]["rate"] = "3mbit".into();
    let said = page(&runs).verdict.join("\n");
    assert!(said.contains("pfifo: the queue of uplink; codel: the queue of shaper."), "{said}");
}

#[test]
fn nothing_to_show() {
    let nothing = page(&[]);
    assert_eq!((nothing.title.as_str(), nothing.figures.len()), ("No results", 0));
    let empty = page(&alone(Document::default()));
    assert_eq!(empty.title, "A run without a title");
    assert_eq!(empty.verdict, ["Nothing to judge: no link carried a packet."]);
    assert_eq!((empty.tables.len(), empty.figures.len()), (0, 0));
    assert_eq!(page(&vec![("a".into(), Document::default()); 2]).figures.len(), 0);
}

#[test]
fn a_crowd_has_a_note_for_the_rest() {
    let mut document = home("fq_codel", 5.0);
    for index in 0..100 {
        let flow = results::FlowResult { kind: results::FlowKind::Bulk, ..Default::default() };
        document.flows.insert(format!("many[{index}]"), flow);
    }
    let page = page(&alone(document));
    let flows = &page.tables[1];
    assert_eq!(flows.rows.len(), 3 + 3);
    assert!(flows.notes[0].starts_with("… and 97 more"), "{:?}", flows.notes);
    assert!(flows.rows.iter().all(|row| row.len() == flows.head.len()));
}

#[test]
fn filtered_acknowledgements_have_a_column_of_their_own() {
    let mut document = home("cake", 5.0);
    let plain = page(&alone(document.clone())).tables.remove(0);
    assert!(!plain.head.iter().any(|head| head.contains("acks")), "{:?}", plain.head);
    assert!(!plain.explanation.contains("acks"), "{}", plain.explanation);
    document.links["uplink"].forward.drops.ack_filter = 52_573;
    let links = page(&alone(document)).tables.remove(0);
    let column = |name: &str| links.head.iter().position(|head| head == name).unwrap();
    let cells = |name: &str| [0, 1].map(|row| links.rows[row][column(name)].clone());
    assert_eq!(cells("drops acks"), ["52,573", "–"]);
    assert_eq!(cells("drops aqm"), ["0", "0"]);
    assert!(links.explanation.contains("acks counts acknowledgements"), "{}", links.explanation);
}
