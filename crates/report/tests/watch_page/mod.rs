//! The page of a watch in a browser: smoke of each target is drawn, and a part of the time can be chosen.

use results::{
    Spike, SpikeCause, WatchEvent, WatchEventKind, WatchLayer, WatchReport, WatchedCounts,
    WatchedDay, WatchedOverview, WatchedSteps, WatchedTarget,
};

use super::browser::{Browser, Kind, in_each_browser};
use super::{coloured, printed};

in_each_browser! { a_watch_is_drawn_and_zoomed }

const START_S: f64 = 1_760_000_000.0;
const STEPS: u32 = 720;

/// An hour of three targets, in steps of five seconds: answers after 20 ms, after 120 for five minutes.
fn steps() -> WatchedSteps {
    let later = |step: u32| if (300..360).contains(&step) { 100.0 } else { 0.0 };
    let at = |ms: f64| (0..STEPS).map(|step| Some(ms + later(step))).collect::<Vec<_>>();
    let count = |each: u64| (0..STEPS).map(|_| each).collect::<Vec<_>>();
    WatchedSteps {
        sent: count(25),
        late: count(0),
        lost: count(0),
        extra: count(0),
        extra_late: count(0),
        extra_lost: count(0),
        min_ms: at(18.0),
        p10_ms: at(19.0),
        p25_ms: at(19.5),
        p50_ms: at(20.0),
        p75_ms: at(21.0),
        p90_ms: at(23.0),
        max_ms: at(30.0),
    }
}

fn target(name: &str) -> WatchedTarget {
    let overview = WatchedOverview {
        later_ms: (0..60).map(|step| Some(f64::from(step % 9))).collect(),
        loss: vec![Some(0.0); 60],
        later_p95_ms: Some(100.0),
        ..WatchedOverview::default()
    };
    let counts = WatchedCounts { sent: u64::from(25 * STEPS), ..WatchedCounts::default() };
    WatchedTarget { name: name.into(), counts, overview, is_unreached: false }
}

/// The page of this watch.
pub(crate) fn html() -> String {
    let names = ["server.example", "192.0.2.1", "192.0.2.2"];
    let rate = || vec![Some(4.0); STEPS as usize];
    let layer = WatchLayer {
        from_s: START_S,
        step_s: 5.0,
        targets: names.map(|_| steps()).into(),
        up_mbit: rate(),
        down_mbit: rate(),
    };
    let spike = Spike {
        targets: vec![names[0].into()],
        usual_ms: Some(20.0),
        cause: SpikeCause::OwnUpload,
        ..Spike::default()
    };
    let what = WatchEventKind::Spike(spike);
    let day = |day: u32| WatchedDay {
        day: format!("2026-11-{day:02}"),
        hours_added_ms: (0..24).map(|hour| Some(f64::from(hour * day))).collect(),
        ..WatchedDay::default()
    };
    let report = WatchReport {
        from_s: START_S,
        to_s: START_S + 5.0 * f64::from(STEPS),
        targets: names.map(target).into(),
        drawn: vec![0, 1, 2],
        layers: vec![layer],
        events: vec![WatchEvent { start_s: START_S + 1500.0, duration_s: 300.0, what }],
        days: (20..28).map(day).collect(),
        ..WatchReport::default()
    };
    report::watch_page(&report, false, |at| format!("{at:.0} s"))
}

fn a_watch_is_drawn_and_zoomed(kind: Kind) {
    let mut browser = Browser::start(kind, "watch", 1100, 900);
    browser.open(&html());
    // The lane of the events, three targets, and the load.
    let counts = coloured(&mut browser);
    assert!(counts.len() == 5 && counts.iter().all(|&count| count > 150), "{counts:?}");
    let part = |browser: &mut Browser| {
        let shown = browser.evaluate("document.getElementById('plots').dataset.x");
        let (from, to) = shown.as_str().unwrap().split_once(' ').unwrap();
        to.parse::<f64>().unwrap() - from.parse::<f64>().unwrap()
    };
    assert_eq!(part(&mut browser), 3600.0);
    let ten = "[...document.querySelectorAll('.ranges button')].find((it) => it.textContent === '10 min').click()";
    browser.evaluate(ten);
    browser.settle();
    assert_eq!(part(&mut browser), 600.0);
    // The values of each plot lie below it, with times in words.
    let values = browser.evaluate(
        "['overview', 'target-0', 'target-2', 'load', 'heat'].map((id) => document.getElementById(id).querySelectorAll('.values').length).join()",
    );
    assert_eq!(values, "1,1,1,1,1");
    let slowest = browser.evaluate(
        "[...document.querySelectorAll('#target-0 .values tbody tr')].at(-1).textContent",
    );
    let slowest = slowest.as_str().unwrap().replace("\u{a0}", " ");
    assert_eq!(slowest, "slowest answers30.01760000000 s30.01301760001795 s");
    for width in [400, 1400, 2400] {
        browser.viewport(width, 900, false);
        browser.settle();
        let fits = "document.documentElement.scrollWidth <= innerWidth";
        assert_eq!(browser.evaluate(fits), true, "{width}");
        let scrolls_down = "[...document.querySelectorAll('.scroll')].some((it) => it.offsetWidth > it.clientWidth)";
        assert_eq!(browser.evaluate(scrolls_down), false, "{width}");
    }
    printed(&mut browser);
    assert_eq!(browser.requests().iter().find(|url| !url.starts_with("data:")), None);
    assert_eq!(browser.complaints(), [""; 0]);
}
