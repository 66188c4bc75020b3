//! `unbloat report`, on a store with a thousand targets.

use observation::{ProbeOutcome, WatchedProbe};
use store::Store;
use units::{Rng, Span, Time};

use crate::bench::Bench;

/// What docs/watch.md promises.
const LIMIT: usize = 5_000_000;
const START: u64 = 1_790_000_040;

/// Keeps a probe of each target in each of so many minutes. The first of the targets is out for the last half,
/// and `slow` answers late then.
fn fill(bench: &Bench, targets: u64, minutes: u64, slow: u64) {
    let mut store = Store::open(&bench.path("many")).unwrap();
    let mut rng = Rng::new(1).fork("many");
    for target in 0..targets {
        let id = store.target(&format!("198.51.{}.{}", target / 250, target % 250)).unwrap();
        for minute in 0..minutes {
            let is_trouble = minute >= minutes / 2;
            let added = if target == slow && is_trouble { 300_000 } else { 0 };
            let round_trip = Span::from_micros(20_000 + rng.below(4000) + added);
            let outcome = match target {
                0 if is_trouble => ProbeOutcome::Lost,
                _ => ProbeOutcome::Answered { round_trip, up: None, kept: None },
            };
            store.keep(
                id,
                WatchedProbe {
                    sent: Time::from_secs(START + 60 * minute),
                    is_extra: false,
                    outcome,
                },
            );
        }
    }
    store.commit().unwrap();
}

#[test]
fn a_thousand_targets_have_room_on_a_page() {
    let bench = Bench::new("watch-many");
    fill(&bench, 1000, 30, 700);
    let run = bench.run(&["report", "many", "--out", "worst.html"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let page = bench.read("worst.html");
    assert!(page.len() < LIMIT, "{}", page.len());
    assert!(page.contains(
        "Below are plots of 12 of these 1,000. To see another one: <code>unbloat report"
    ));
    // Lost is worse than late.
    let drawn = r#""drawn":[{"id":0,"name":"198.51.0.0"},{"id":700,"name":"198.51.2.200"}"#;
    assert!(page.contains(drawn), "{:?}", page.split("\"drawn\"").nth(1).map(|it| &it[..200]));

    let run =
        bench.run(&["report", "many", "--target", "198.51.3.249", "--out", "one.html", "--quiet"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert!(bench.read("one.html").contains(r#""drawn":[{"id":999,"name":"198.51.3.249"}]"#));

    let run = bench.run(&["report", "many", "--target", "198.51.3.250"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("many has no target 198.51.3.250"), "{}", run.stderr);
    let run = bench.run(&["report", "good.toml", "--target", "198.51.3.249"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("--target is for the folder of a watch"), "{}", run.stderr);
}

/// A year has more days than a quarter: all of them have their hours, as long as minutes are kept.
#[test]
fn days_of_long_ago_are_reported() {
    let bench = Bench::new("watch-year");
    fill(&bench, 1, 6, 9);
    let mut store = Store::open(&bench.path("many")).unwrap();
    let id = store.target("198.51.0.0").unwrap();
    let outcome =
        ProbeOutcome::Answered { round_trip: Span::from_millis(20), up: None, kept: None };
    let sent = Time::from_secs(START + 300 * 86_400);
    store.keep(id, WatchedProbe { sent, is_extra: false, outcome });
    store.commit().unwrap();
    drop(store);
    let report = bench.run(&["report", "many", "--json"]).stdout;
    let report: results::WatchReport = serde_json::from_str(&report).unwrap();
    assert!((300..=302).contains(&report.days.len()), "{}", report.days.len());
    assert!(report.days[0].hours_added_ms.iter().any(Option::is_some));
    assert_eq!(report.days[0].loss, Some(0.5));
}
