use super::*;
use crate::example::home;
use crate::text::{WIDTH, width};

fn run(label: &str, wait_ms: f64) -> (String, Document) {
    (label.into(), home(label, wait_ms))
}

fn without_flow(mut run: (String, Document), flow: &str) -> (String, Document) {
    run.1.flows.shift_remove(flow);
    run
}

#[test]
fn three_queues() {
    let text =
        comparison(&[run("pfifo limit 1000", 1000.0), run("codel", 15.0), run("fq_codel", 5.0)]);
    let expected = "";
    assert_eq!(text, expected);
    assert!(text.lines().all(|line| width(line) <= WIDTH), "{text}");
}

#[test]
fn equals_are_called_equal() {
    let text = comparison(&[run("codel", 5.0), run("cobalt", 5.5)]);
    assert!(
        text.ends_with("\nAll answer about equally fast: 95 of 100 times within 26.9 ms.\n"),
        "{text}"
    );
}

#[test]
fn one_alone_has_no_rival() {
    let text = comparison(&[run("codel", 5.0)]);
    assert!(text.lines().last().unwrap().starts_with("codel "), "{text}");
}

#[test]
fn all_are_judged_by_what_all_have() {
    // Without a ping in one of them: the slowest flow's round trip, 25 % above the wait.
    let runs = [run("pfifo", 1000.0), without_flow(run("codel", 8.0), "ping")];
    let text = comparison(&runs);
    assert!(text.contains("codel answers 42 times faster than pfifo"), "{text}");
    // Without any round trip: the wait in the queue.
    let runs = runs.map(|run| without_flow(without_flow(run, "ping"), "backup"));
    let text = comparison(&runs);
    assert!(text.contains("codel answers 125 times faster than pfifo"), "{text}");
    assert!(text.contains("within 10.0 ms instead of 1.2 s."), "{text}");
}

#[test]
fn an_empty_queue_is_not_infinitely_fast() {
    let runs = [run("pfifo", 1000.0), run("codel", 0.0)];
    let runs = runs.map(|run| without_flow(without_flow(run, "ping"), "backup"));
    let text = comparison(&runs);
    assert!(text.contains("codel answers at once, unlike pfifo"), "{text}");
}

#[test]
fn nothing_to_compare() {
    let nothing = "Nothing to compare: no link carried a packet.\n";
    assert_eq!(comparison(&[]), nothing);
    assert_eq!(comparison(&[("codel".into(), Document::default())]), nothing);
    let text = comparison(&[run("pfifo", 1000.0), ("broken".into(), Document::default())]);
    let broken = text.lines().find(|line| line.starts_with("broken")).unwrap();
    assert_eq!(broken.split_whitespace().nth(2), Some("–"), "{text}");
}
