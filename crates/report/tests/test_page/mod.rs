//! The page of a test in a browser: the way of the packets, and rates that are smooth until all values are wanted.

use report::{Addition, Axis, Curve, Figure, Grade, Mark, Page, Place};

use super::browser::{Browser, Key, Kind, in_each_browser};
use super::{coloured, printed, saved, view};

in_each_browser! {
    rates_are_smooth_until_all_values_are_wanted,
    the_way_fits_a_phone_and_marks_the_guilty_place,
    what_experts_want_opens_by_keyboard_and_for_print,
    parts_of_a_plot_are_named_on_a_phone,
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

fn what_experts_want_opens_by_keyboard_and_for_print(kind: Kind) {
    let mut browser = Browser::start(kind, "experts", 1100, 900);
    let page = Page { figures: vec![bursts(), bursts()], is_rest_folded: true, ..page() };
    browser.open(&report::html(&page));
    let is_open = "document.querySelector('.details > details').open";
    assert_eq!(browser.evaluate(is_open), false);
    printed(&mut browser);
    browser.settle();
    assert_eq!(browser.evaluate(is_open), false, "the screen is as it was");

    browser.evaluate("document.querySelector('.details summary').focus()");
    browser.press(Key::Space);
    let opened = format!(
        "new Promise((done) => {{ const look = (left) => left === 0 || {is_open} ? done(null) \
         : setTimeout(look, 100, left - 1); look(50); }})"
    );
    browser.evaluate(&opened);
    assert_eq!(browser.evaluate(is_open), true);
    browser.settle();
    // The plot has the size of its place, and its curve.
    let widths = "[...document.querySelectorAll('.uplot')].map((it) => it.clientWidth === \
                  it.parentElement.clientWidth).join()";
    assert_eq!(browser.evaluate(widths), "true,true");
    assert!(coloured(&mut browser).iter().all(|&count| count > 500));
    assert_eq!(browser.complaints(), [""; 0]);
}

/// The names above a narrow plot stand in several lines, and those of diagonals beside each other.
fn parts_of_a_plot_are_named_on_a_phone(kind: Kind) {
    let aid = |name: &str, mark, x: [f64; 2], y| Curve {
        name: name.into(),
        mark,
        x: x.to_vec(),
        y,
        ..Curve::default()
    };
    let spans = ["download", "upload", "small up", "small down", "both"];
    let spans = spans.iter().enumerate().map(|(index, name)| {
        let from = index as f64 * 2.0;
        aid(name, Mark::Span, [from, from + 1.9], vec![None, None])
    });
    let guides = ["100 ms", "250 ms", "500 ms"]
        .iter()
        .zip([6.0, 6.2, 6.4])
        .map(|(name, to)| aid(name, Mark::Guide, [0.0, to], vec![Some(0.0), Some(20.0)]));
    let mut figure = bursts();
    figure.curves.splice(0..0, spans.chain(guides));
    let mut browser = Browser::start(kind, "named", 400, 900);
    browser.viewport(400, 900, false);
    browser.open(&report::html(&Page { figures: vec![figure], ..Page::default() }));
    let drawn = browser.evaluate(
        "(async () => {
            const drawn = [];
            const context = document.querySelector('#figure-0 canvas').getContext('2d');
            context.fillText = function (text, x, y) {
                const width = this.measureText(text).width;
                const left = this.textAlign === 'right' ? x - width : x - width / 2;
                if (/[a-z]/.test(text) && !/Time/.test(text)) drawn.push([text, left, left + width, y]);
            };
            document.querySelector('.theme').click();
            await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
            return drawn;
        })()",
    );
    let drawn = drawn.as_array().unwrap();
    let names: Vec<&str> = drawn.iter().filter_map(|it| it[0].as_str()).collect();
    for name in ["download", "upload", "small up", "small down", "both", "100 ms", "500 ms"] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    let at = |it: &serde_json::Value, index: usize| it[index].as_f64().unwrap();
    for (index, one) in drawn.iter().enumerate() {
        for other in &drawn[..index] {
            let beside = at(one, 2) <= at(other, 1) || at(other, 2) <= at(one, 1);
            assert!(beside || (at(one, 3) - at(other, 3)).abs() >= 24.0, "{one} {other}");
        }
    }
    assert_eq!(browser.complaints(), [""; 0]);
}
