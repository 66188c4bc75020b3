//! Queues to be watched, in a browser: they move only where they are seen and motion is wanted.

use report::{Page, QueueScene, WatchedPacket, WatchedQueue};
use serde_json::json;

use super::browser::{Browser, Key, Kind, TWO_FRAMES, Wishes, in_each_browser};

in_each_browser! {
    queues_move_only_in_sight,
    queues_are_paused_by_the_keyboard_and_show_each_moment,
    queues_stand_still_for_who_wants_no_motion,
    queues_are_pictures_without_a_script,
}

/// A queue of 30 packets of a load, with one of a call among ten, and a queue of two.
fn scene() -> QueueScene {
    let queue = |name: &str, wait: i64| {
        let packet = |index: i64| WatchedPacket {
            offered_us: index * 6000 - wait,
            left_us: index * 6000,
            is_other: index % 10 == 0,
            is_dropped: index == 42,
            ..WatchedPacket::default()
        };
        WatchedQueue {
            name: name.into(),
            caption: format!("Up to {} packets at once.", wait / 6000),
            packets: (0..200).map(packet).collect(),
        }
    };
    QueueScene {
        title: "Two queues, packet by packet".into(),
        explanation: "Squares are packets of backup, circles those of call.".into(),
        slowed: 5,
        from_s: 11.1,
        length_us: 900_000,
        still_us: 400_000,
        packet_us: 6000.0,
        most: 30,
        queues: vec![queue("pfifo limit 30", 180_000), queue("fq_codel", 12_000)],
    }
}

pub(crate) fn page() -> Page {
    let notes = (0..80).map(|line| format!("Line {line} makes the page high.")).collect();
    Page {
        title: "Queues".into(),
        verdict: vec!["fq_codel is faster.".into()],
        queues: Some(scene()),
        notes,
        ..Page::default()
    }
}

const SCENE: &str = "document.getElementById('queues').parentElement.dataset";

fn moves(browser: &mut Browser) -> bool {
    // An observer of what is in sight is called after a frame.
    browser.settle();
    browser.evaluate(&format!("{TWO_FRAMES}.then(() => {SCENE}.moves)")) == "true"
}

fn shown_us(browser: &mut Browser) -> f64 {
    let at = browser.evaluate(&format!("Number({SCENE}.at)"));
    at.as_f64().unwrap()
}

/// Waits until the scene shows another moment. A scene that stands still makes the browser's patience end.
fn goes_on(browser: &mut Browser) {
    let before = shown_us(browser);
    browser.evaluate(&format!(
        "new Promise((done) => {{
            const look = () => Number({SCENE}.at) === {before} ? requestAnimationFrame(look) : done();
            look();
        }})"
    ));
}

/// True if the scene shows the same moment after some frames.
fn stands(browser: &mut Browser) -> bool {
    let before = shown_us(browser);
    for _ in 0..5 {
        browser.settle();
    }
    shown_us(browser) == before
}

fn button(browser: &mut Browser) -> String {
    let text = browser.evaluate("document.querySelector('.queue-tools button').textContent");
    text.as_str().unwrap().to_owned()
}

/// The number of pixels in each canvas of the two colours of packets: bluish, and reddish.
fn colours(browser: &mut Browser) -> Vec<(u64, u64)> {
    let counts = browser.evaluate(
        "[...document.querySelectorAll('.queue canvas')].map((canvas) => {
            const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
            let [blue, red] = [0, 0];
            for (let i = 0; i < data.length; i += 4) {
                if (data[i + 3] < 200) continue;
                if (data[i + 2] - data[i] > 60) blue++;
                if (data[i] - data[i + 2] > 60) red++;
            }
            return [blue, red];
        })",
    );
    let number = |value: &serde_json::Value| value.as_u64().unwrap();
    let counts = counts.as_array().unwrap();
    counts.iter().map(|pair| (number(&pair[0]), number(&pair[1]))).collect()
}

fn queues_move_only_in_sight(kind: Kind) {
    let mut browser = Browser::start(kind, "queues", 1100, 900);
    browser.open(&report::html(&page()));
    assert!(moves(&mut browser));
    goes_on(&mut browser);
    // Out of sight, they stand.
    browser.evaluate("scrollTo({ top: document.body.scrollHeight, behavior: 'instant' })");
    assert!(!moves(&mut browser));
    assert!(stands(&mut browser));
    browser.evaluate("scrollTo({ top: 0, behavior: 'instant' })");
    assert!(moves(&mut browser));
    goes_on(&mut browser);
    // So they do in a hidden tab.
    let hide = |hidden: bool| {
        format!(
            "Object.defineProperty(document, 'hidden', {{ value: {hidden}, configurable: true }});
             document.dispatchEvent(new Event('visibilitychange'))"
        )
    };
    browser.evaluate(&hide(true));
    assert!(!moves(&mut browser) && stands(&mut browser));
    browser.evaluate(&hide(false));
    assert!(moves(&mut browser));
    assert_eq!(browser.complaints(), [""; 0]);
}

fn queues_are_paused_by_the_keyboard_and_show_each_moment(kind: Kind) {
    let mut browser = Browser::start(kind, "queues-keys", 1100, 900);
    browser.open(&report::html(&page()));
    assert_eq!(button(&mut browser), "Pause");
    browser.evaluate("document.querySelector('.queue-tools button').focus()");
    browser.press(Key::Space);
    assert_eq!(button(&mut browser), "Play");
    assert!(!moves(&mut browser) && stands(&mut browser));
    // The slider shows any moment; the long queue has 30 packets then, three of them of the call.
    browser.evaluate(
        "(() => {
            const slider = document.querySelector('.queue-tools input');
            slider.value = 400000;
            slider.dispatchEvent(new Event('input'));
        })()",
    );
    assert!((shown_us(&mut browser) - 400_000.0).abs() < 5000.0);
    let found = colours(&mut browser);
    let [(blue, red), (few_blue, _)] = found[..] else { panic!("{found:?}") };
    assert!(blue > 3 * few_blue && red > 200 && few_blue > 0, "{found:?}");
    let names = "[...document.querySelectorAll('.queue canvas, .queue-tools input')].every((it) =>
        it.getAttribute('aria-label'))";
    assert_eq!(browser.evaluate(names), true);
    assert_eq!(browser.complaints(), [""; 0]);
}

fn queues_stand_still_for_who_wants_no_motion(kind: Kind) {
    let mut browser = Browser::start(kind, "queues-still", 1100, 900);
    browser.wish(Wishes { still: true, ..Wishes::default() });
    for width in [400, 1400] {
        browser.viewport(width, 900, false);
        browser.open(&report::html(&page()));
        assert!(!moves(&mut browser) && stands(&mut browser));
        assert!((shown_us(&mut browser) - 400_000.0).abs() < 1.0);
        assert!(colours(&mut browser)[0].0 > 500);
        assert_eq!(button(&mut browser), "Play");
        browser.evaluate(
            "document.querySelector('.queues').scrollIntoView({ block: 'center', behavior: 'instant' })",
        );
        browser.evaluate("document.querySelector('.queue-tools button').click()");
        assert!(moves(&mut browser));
        goes_on(&mut browser);
        let fits = "document.documentElement.scrollWidth <= innerWidth";
        assert_eq!(browser.evaluate(fits), true, "{width}");
        assert_eq!(browser.complaints(), [""; 0]);
    }
}

fn queues_are_pictures_without_a_script(kind: Kind) {
    let mut browser = Browser::start(kind, "queues-plain", 1100, 900);
    let html = report::html(&page());
    // The script of the page ends at once, after it has said that it is done.
    let plain = html.replace("const scene = queueScene();", "");
    assert_ne!(plain, html);
    let policy = plain.replace("http-equiv=\"Content-Security-Policy\"", "name=\"policy\"");
    browser.open(&policy.replace("scene?.", "null?."));
    let seen = browser.evaluate(
        "[...document.querySelectorAll('.queue svg')].map((svg) =>
            [svg.getBoundingClientRect().height > 20, svg.querySelectorAll('.load, .other').length])",
    );
    assert_eq!(seen, json!([[true, 30], [true, 2]]));
    assert_eq!(browser.evaluate("document.querySelectorAll('.queue figcaption').length"), 2);
}
