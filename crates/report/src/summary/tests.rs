use results::{Completion, Document, FlowKind, FlowResult};

use super::*;
use crate::example::{home, spread};
use crate::text::width;

fn assert_fits(text: &str) {
    assert!(text.lines().all(|line| width(line) <= crate::WIDTH), "{text}");
    assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
    assert!(text.lines().all(|line| line.trim_end() == line), "trailing blanks:\n{text}");
}

#[test]
fn a_home_uplink() {
    let text = table(&home("pfifo limit 300", 1000.0), Style::Plain);
    let expected = [
        "One upload over a bloated uplink",
        "60s, statistics after 10s, seed 1",
        "",
        "                              rate  used  ─ sojourn ms ─   others         ──── drops ────",
        "link      queue             Mbit/s     %      p50    p95  wait ms  grade  full  aqm  loss  marks",
        "uplink →  pfifo limit 300     2.00  99.8    1,000  1,250    1,250      F    12    0     0      0",
        "uplink ←  pfifo limit 1000   0.045   0.2      0.0    0.1        –      –     0    0     0      0",
        "",
        "                       goodput  ── round trip ms ──  ─── packets ────",
        "flow    kind            Mbit/s    p50    p95    max  lost  sent again",
        "backup  bulk              1.91  1,020  1,270  1,520    12          12",
        "call    cbr (one way)    0.064  1,010  1,260  1,510     0           –",
        "ping    ping                 –  1,020  1,270  1,520     1           –",
        "",
    ]
    .join("\n");
    assert_eq!(text, expected);
    assert_fits(&text);
}

/// A measured duration has as many digits as its start and end are worth.
#[test]
fn a_measured_duration_is_rounded() {
    let mut document = home("pfifo limit 300", 1000.0);
    let mut facts = |duration: &str| {
        document.scenario["duration"] = duration.into();
        facts(&document, None)
    };
    assert!(facts("31.97854662s").starts_with("32.0 s, "), "{}", facts("31.97854662s"));
    assert!(facts("16.180339ms").starts_with("16 ms, "), "{}", facts("16.180339ms"));
    assert!(facts("2.5s").starts_with("2.5s, "));
}

#[test]
fn completions_have_columns_only_where_something_completes() {
    let mut document = home("codel", 4.0);
    let time = Some(2.345);
    let completion = Completion { count: 12, mean: time, p50: time, p95: time, max: Some(10.0) };
    let page = FlowResult {
        kind: FlowKind::Page,
        rtt_ms: Some(spread(20.0, 3.0)),
        completion_s: Some(completion),
        marks: Some(3),
        ..FlowResult::default()
    };
    assert!(!table(&document, Style::Plain).contains("completion"));
    document.flows.insert("browsing".into(), page);
    let text = table(&document, Style::Plain);
    let browsing = text.lines().find(|line| line.starts_with("browsing")).unwrap();
    let cells: Vec<&str> = browsing.split_whitespace().collect();
    assert_eq!(
        cells,
        ["browsing", "page", "–", "23.0", "23.8", "24.5", "–", "–", "3", "12", "2.35", "10.0"]
    );
    assert_fits(&text);
}

#[test]
fn a_crowd_is_summarised() {
    let mut document = home("fq_codel", 5.0);
    for index in 0..100 {
        let goodput_mbit = Some(1.0 + f64::from(index) / 100.0);
        let flow = FlowResult { kind: FlowKind::Bulk, goodput_mbit, ..FlowResult::default() };
        document.flows.insert(format!("many[{index}]"), flow);
    }
    let text = table(&document, Style::Plain);
    assert!(text.contains("\nmany[2] ") && !text.contains("many[3]"), "{text}");
    let rest = "… and 97 more: mean goodput 1.51 Mbit/s, from 1.03 to 1.99\n";
    assert!(text.ends_with(rest), "{text}");
    assert_fits(&text);
}

#[test]
fn nothing_at_all() {
    let text = table(&Document::default(), Style::Plain);
    assert_eq!(
        text,
        "A run without a title\n\nNo link carried a packet.\n\nThere were no flows.\n"
    );
    let mut document = Document::default();
    document.flows.insert("idle".into(), FlowResult { kind: FlowKind::Bulk, ..Default::default() });
    let text = table(&document, Style::Plain);
    assert!(text.ends_with("\nflow  kind\nidle  bulk\n"), "{text}");
}

#[test]
fn strange_names_and_huge_values_stay_in_line() {
    let mut document = home("pfifo limit 300", 1000.0);
    document.scenario["title"] = serde_json::json!("\u{1b}[2J".to_owned() + &"東京 ".repeat(100));
    let mut direction = document.links["uplink"].clone();
    direction.forward.queue = "fq_codel limit 10240p flows 1024 quantum 1514 ".repeat(9);
    direction.forward.delivered_packets = u64::MAX / 4;
    direction.forward.drops.full = u64::MAX / 8;
    direction.forward.others_wait_ms.p95 = Some(1e300);
    direction.forward.rate_mbit = Some(f64::NAN);
    document.links.insert("Übertragungsstrecke nach 東京 ".repeat(9), direction);
    let text = table(&document, Style::Plain);
    assert!(!text.contains('\u{1b}') && text.contains('…') && text.contains("1.00e300"), "{text}");
    assert_fits(&text);
}

#[test]
fn colour_is_only_for_those_who_want_it() {
    let document = home("pfifo limit 300", 1000.0);
    assert!(!table(&document, Style::Plain).contains('\u{1b}'));
    let coloured = table(&document, Style::Coloured);
    assert!(coloured.starts_with("\u{1b}[1mOne upload"), "{coloured}");
    assert!(coloured.contains("\u{1b}[31m1,250\u{1b}[0m"), "{coloured}");
}
