//! The page of a test in a browser: the way of the packets, and rates that are smooth until all values are wanted.

use report::{Addition, Axis, Curve, Figure, Grade, Page, Place};

use super::browser::{Browser, Kind, in_each_browser};
use super::{saved, view};

in_each_browser! {
    rates_are_smooth_until_all_values_are_wanted,
    the_way_fits_a_phone_and_marks_the_guilty_place,
}

/// A rate that is 0 and 20 Mbit/s in turns, each 50 ms.
fn bursts() -> Figure {
    let x: Vec<f64> = (1..=200).map(|step| f64::from(step) * 0.05).collect();
    let y = (1..=200).map(|step| Some(f64::from(step % 2) * 20.0)).collect();
    let curve = Curve { name: "flow".into(), smoothed_over: Some(1.0), x, y, ..Curve::default() };
    Figure {
        id: "download".into(),
        title: "TCP download".into(),
        explanation: String::new(),
        x: Axis::linear("Time", "s"),
        y: Axis::linear("Goodput", "Mbit/s"),
        curves: vec![curve],
    }
}

pub(crate) fn page() -> Page {
    let place = |name: &str, adds: &[&str]| Place {
        name: name.into(),
        address: "192.0.2.1".into(),
        adds: adds
            .iter()
            .map(|it| Addition { text: (*it).into(), grade: Some(Grade::F) })
            .collect(),
    };
    Page {
        title: "test against server.example".into(),
        path: vec![
            place("This computer", &[]),
            place("Router and line", &["adds 1.05 s to an upload"]),
            place("Server", &[]),
        ],
        figures: vec![bursts()],
        first_figures: 1,
        ..Page::default()
    }
}

fn rates_are_smooth_until_all_values_are_wanted(kind: Kind) {
    let mut browser = Browser::start(kind, "smooth", 1100, 900);
    browser.open(&report::html(&page()));
    let (_, smooth) = view(&mut browser, 0, "y");
    assert!((9.0..13.0).contains(&smooth), "{smooth}");
    // What is saved are the values themselves.
    let text = saved(&mut browser, 0, "download.csv");
    assert_eq!(text.lines().nth(2), Some("flow,0.1,0"), "{text}");
    let button = "document.querySelector('#figure-0 .tools [aria-pressed]')";
    browser.evaluate(&format!("{button}.click()"));
    browser.settle();
    assert_eq!(browser.evaluate(&format!("{button}.getAttribute('aria-pressed')")), "true");
    let (_, all) = view(&mut browser, 0, "y");
    assert!(all >= 20.0, "{all}");
    browser.evaluate(&format!("{button}.click()"));
    browser.settle();
    assert_eq!(view(&mut browser, 0, "y").1, smooth);
    assert_eq!(browser.complaints(), [""; 0]);
}

fn the_way_fits_a_phone_and_marks_the_guilty_place(kind: Kind) {
    let mut browser = Browser::start(kind, "way", 1100, 900);
    for width in [400, 1400] {
        browser.viewport(width, 900, false);
        browser.open(&report::html(&page()));
        let guilty = "[...document.querySelectorAll('.path li')].map((it) => it.className).join()";
        assert_eq!(browser.evaluate(guilty), ",guilty bad,");
        let fits = "document.documentElement.scrollWidth <= innerWidth";
        assert_eq!(browser.evaluate(fits), true, "{width}");
    }
}
