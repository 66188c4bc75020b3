//! Tests of the page of a watch.

use results::{
    Spike, WatchEvent, WatchEventKind, WatchLayer, WatchedCounts, WatchedDay, WatchedOverview,
    WatchedSteps, WatchedTarget,
};

use super::*;

/// Values that have all their digits.
fn values(number: usize) -> Vec<Option<f64>> {
    (0..number).map(|it| Some(10.0 + it as f64 * 0.1237)).collect()
}

fn layer(step_s: f64, targets: usize) -> WatchLayer {
    const STEPS: usize = 1200;
    let list = || values(STEPS);
    let steps = WatchedSteps {
        sent: vec![3600; STEPS],
        late: vec![1; STEPS],
        lost: vec![1; STEPS],
        extra: vec![0; STEPS],
        extra_late: vec![0; STEPS],
        extra_lost: vec![0; STEPS],
        min_ms: list(),
        p10_ms: list(),
        p25_ms: list(),
        p50_ms: list(),
        p75_ms: list(),
        p90_ms: list(),
        max_ms: list(),
    };
    let targets = vec![steps; targets];
    WatchLayer { from_s: 1e9, step_s, targets, up_mbit: list(), down_mbit: list() }
}

fn target(index: usize) -> WatchedTarget {
    let overview = WatchedOverview {
        later_ms: values(60),
        loss: vec![Some(0.01); 60],
        suffered_ms: index as f64,
        ..WatchedOverview::default()
    };
    let counts = WatchedCounts { sent: 1_000_000, lost: 1, ..WatchedCounts::default() };
    let name = format!("https://line-{index}.customers.example.net/health");
    WatchedTarget { name, counts, overview, is_unreached: false }
}

/// Many targets, events and days, with so many plots.
fn large(targets: usize, drawn: usize) -> WatchReport {
    let spike = |index: usize| WatchEvent {
        start_s: 1e9 + index as f64,
        duration_s: 1.234_567,
        what: WatchEventKind::Spike(Spike { targets: vec!["x".repeat(60)], ..spike() }),
    };
    let day = |index| WatchedDay {
        day: format!("day {index}"),
        hours_added_ms: values(24),
        ..WatchedDay::default()
    };
    WatchReport {
        targets: (0..targets).map(target).collect(),
        drawn: (0..drawn as u32).map(|it| targets as u32 - 1 - it).collect(),
        layers: (0..6).map(|it| layer(f64::from(20 - it), drawn)).collect(),
        events: (0..20_000).map(spike).collect(),
        days: (0..400).map(day).collect(),
        ..WatchReport::default()
    }
}

fn spike() -> Spike {
    serde_json::from_value(serde_json::json!({
        "targets": [], "probed": 3, "direction": null, "usual_ms": 20.0, "added_p95_ms": 80.0,
        "added_most_ms": 120.0, "sent": 30, "late": 0, "lost": 0, "cause": "unknown",
        "confidence": 0.0, "evidence": []
    }))
    .unwrap()
}

fn data(page: &str) -> serde_json::Value {
    let (_, rest) = page.split_once("id=\"data\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

/// What docs/watch.md promises.
const LIMIT: usize = 5_000_000;

#[test]
fn a_page_has_room_for_what_matters_most_and_tells_of_the_rest() {
    let page = watch_page(&large(10_000, 20), false, |it| it.to_string());
    assert!(page.len() < LIMIT, "{}", page.len());
    let data = data(&page);
    let drawn = data["drawn"].as_array().unwrap();
    assert_eq!(drawn[0]["name"], "https://line-9999.customers.example.net/health");
    let layers = data["layers"].as_array().unwrap();
    assert_eq!(layers.len(), 4);
    assert!(layers.iter().all(|it| it["targets"].as_array().unwrap().len() == drawn.len()));
    let latest = data["events"].as_array().unwrap().last().unwrap();
    assert_eq!(latest["start_s"], 1e9 + 19_999.0);
    let plots = format!("Below are plots of {} of these 10,000.", drawn.len());
    for told in [
        &plots,
        "After 1\u{a0}s: answered after more than a second.",
        "its delay may be longer than the max",
        "unbloat report DIR --target NAME",
        "least affected ones; <code>unbloat report DIR --json</code> has them",
        "<code>unbloat watch export DIR --what events</code> has them",
    ] {
        assert!(page.contains(told), "{told}");
    }
}

#[test]
fn a_page_of_a_home_has_all_of_it() {
    let report = large(3, 3);
    let page = watch_page(&report, true, |it| it.to_string());
    assert!(page.len() < LIMIT, "{}", page.len());
    let data = data(&page);
    assert_eq!(data["drawn"].as_array().unwrap().len(), 3);
    assert_eq!(data["layers"].as_array().unwrap().len(), report.layers.len());
    assert!(!page.contains("Below are plots") && page.contains("Targets at a glance"));
}

/// A target that never answers is not what one is used to.
#[test]
fn targets_that_never_answered_are_named_first() {
    let told = |silent: &[usize]| {
        let mut report = WatchReport { to_s: 60.0, ..WatchReport::default() };
        report.targets = (0..5).map(target).collect();
        for index in silent {
            let counts = &mut report.targets[*index].counts;
            (counts.lost, counts.failed) = (counts.sent - 1, 1);
        }
        verdict(&report).swap_remove(0)
    };
    let lossy = |losses: &[u64]| {
        let mut report = WatchReport { to_s: 60.0, ..WatchReport::default() };
        report.targets = (0..3).map(target).collect();
        report.targets.iter_mut().zip(losses).for_each(|(it, lost)| it.counts.lost = *lost);
        verdict(&report).join(" ")
    };
    assert_eq!(
        lossy(&[360_000]),
        "No answer came later than usual in 1 min. https://line-0.customers.example.net/health did not \
         answer 36 % of its probes."
    );
    assert!(
        lossy(&[20_000, 360_000]).ends_with("of its probes; 1 other did not answer 2.0 % or more.")
    );
    assert_eq!(told(&[]), "Answers came as usual in 1 min.");
    assert_eq!(told(&[0, 1, 2, 3, 4]), "No target answered in 1 min.");
    let one = "Answers came as usual in 1 min, but none from https://line-2.customers.example.net/health.";
    assert_eq!(told(&[2]), one);
    assert!(told(&[0, 1, 2, 3]).ends_with("line-1.customers.example.net/health and 1 more."));
}

#[test]
fn a_target_without_a_result_is_named() {
    let mut report = large(2, 2);
    report.targets[1].counts = WatchedCounts::default();
    (report.from_s, report.to_s) = (1e9, 1e9 + 60.0);
    let told = |report: &WatchReport| {
        verdict(report).iter().any(|it| {
            it == "No probe of https://line-1.customers.example.net/health has a result yet: the first one is due \
                   or waits for its answer, or this machine has had no route there."
        })
    };
    assert!(!told(&report), "probed in another time");
    report.targets[1].is_unreached = true;
    assert!(told(&report));
    report.to_s = 1e9 + 1.0;
    assert!(!told(&report), "just begun");
}
