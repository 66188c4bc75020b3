//! The page of a comparison in a browser: no queue hides another, and the bars can be read without a script.

use report::{Axis, Curve, Figure, Page, Scale, Strip, StripBar};

use super::browser::{Browser, Kind, TWO_FRAMES, in_each_browser};
use super::{coloured, place, view};

in_each_browser! {
    shows_each_queue_though_others_wait_as_long,
    bars_of_delays_are_read_at_any_width,
}

/// A full buffer, and two queues whose waits are the same.
const WAITS_MS: [(&str, f64); 3] =
    [("pfifo limit 300", 1750.0), ("codel", 20.0), ("fq_codel", 20.0)];

pub(crate) fn page() -> Page {
    let curve = |(name, wait): (&str, f64)| Curve {
        name: name.into(),
        x: (1..=100).map(f64::from).collect(),
        y: vec![Some(wait); 100],
        ..Curve::default()
    };
    let delay = Figure {
        id: "delay".into(),
        title: "Delay in the queue".into(),
        explanation: "Low is good.".into(),
        x: Axis::linear("Time", "s"),
        y: Axis { panels: true, scale: Scale::Log, ..Axis::linear("Wait", "ms") },
        curves: WAITS_MS.map(curve).into(),
    };
    let bar = |(name, wait): (&str, f64)| StripBar {
        name: name.into(),
        p50_ms: wait / 2.0,
        p95_ms: wait,
        value: format!("at most {wait} ms"),
    };
    let bars = WAITS_MS.map(bar).into();
    Page {
        title: "Three queues".into(),
        verdict: vec!["With codel, 95 of 100 answers come within 26 ms.".into()],
        strip: Some(Strip { title: "Answers".into(), explanation: "Short is good.".into(), bars }),
        figures: vec![delay],
        first_figures: 1,
        one_clock: true,
        ..Page::default()
    }
}

fn shows_each_queue_though_others_wait_as_long(kind: Kind) {
    let mut browser = Browser::start(kind, "panels", 1400, 1000);
    browser.open(&report::html(&page()));
    let counts = coloured(&mut browser);
    assert_eq!(counts.len(), WAITS_MS.len(), "a panel a queue");
    assert!(counts.iter().all(|&count| count > 150), "{counts:?}");
    let names = "[...document.querySelectorAll('.panel h3')].map((it) => it.textContent).join()";
    assert_eq!(browser.evaluate(names), "pfifo limit 300,codel,fq_codel");
    let scales =
        "new Set([...document.querySelectorAll('.panel .plot')].map((it) => it.dataset.y)).size";
    assert_eq!(browser.evaluate(scales), 1, "all panels have the same scale");
    let colours = "new Set([...document.querySelectorAll('.panel h3')].map((it) =>
        getComputedStyle(it, '::before').backgroundColor)).size";
    assert_eq!(browser.evaluate(colours), 3);
    // A stretch of time that is chosen in one panel is shown in all.
    let (from, to) = (place(&mut browser, 0, (0.25, 0.5)), place(&mut browser, 0, (0.5, 0.5)));
    browser.drag(from, to);
    assert!(view(&mut browser, 0, "x").0 > 10.0);
    let views =
        "new Set([...document.querySelectorAll('.panel .plot')].map((it) => it.dataset.x)).size";
    assert_eq!(browser.evaluate(views), 1);
    let reset = "[...document.querySelectorAll('.panel button')].filter((it) => !it.hidden).length";
    assert_eq!(browser.evaluate(reset), 3);
    assert_eq!(browser.complaints(), [""; 0]);
}

fn bars_of_delays_are_read_at_any_width(kind: Kind) {
    let mut browser = Browser::start(kind, "bars", 1100, 900);
    for width in [400, 1400, 2400] {
        browser.viewport(width, 900, false);
        browser.open(&report::html(&page()));
        let widths = browser.evaluate(&format!(
            "{TWO_FRAMES}.then(() => [...document.querySelectorAll('.delays .slow')]
                .map((it) => it.getBoundingClientRect().width))"
        ));
        let width_of = |index: usize| widths[index].as_f64().unwrap();
        assert!(width_of(0) > 2.0 * width_of(1), "{widths}");
        assert!(width_of(1) > 20.0 && (width_of(1) - width_of(2)).abs() < 0.1, "{widths}");
        let values =
            "[...document.querySelectorAll('.delays .value')].map((it) => it.textContent)[0]";
        assert_eq!(browser.evaluate(values), "at most 1750\u{a0}ms");
        let fits = "document.documentElement.scrollWidth <= innerWidth";
        assert_eq!(browser.evaluate(fits), true, "{width}");
        assert_eq!(browser.complaints(), [""; 0]);
    }
}
