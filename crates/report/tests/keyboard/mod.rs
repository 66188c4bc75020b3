//! Each page by keyboard alone, and as a screen reader learns of it from the browser.

use serde_json::Value;

use super::browser::{Browser, Key, Kind, example, in_each_browser};
use super::{comparison_page, queue_page, test_page, watch_page};

in_each_browser! {
    a_comparison_is_used_by_keyboard,
    many_runs_are_used_by_keyboard,
    small_multiples_are_used_by_keyboard,
    watched_queues_are_used_by_keyboard,
    a_test_is_used_by_keyboard,
    a_watch_is_used_by_keyboard,
}

/// Numbers what can have the focus and is seen. Counts clicks, and keeps them from having an effect: tests of each
/// page look at that, and a saved file would stay.
const NUMBER: &str = "(() => {
    const wanted = 'a[href], button, input, summary, [tabindex=\"0\"]';
    const seen = [...document.querySelectorAll(wanted)].filter((it) => it.getClientRects().length);
    seen.forEach((it, index) => it.dataset.stop = index);
    window.clicks = 0;
    addEventListener('click', (event) => {
        window.clicks++;
        event.stopImmediatePropagation();
        event.preventDefault();
    }, true);
    return seen.length;
})()";

/// Where the focus is: the number, the element, what was clicked until now, the value of a slider or nothing, and true if the
/// focus is seen.
const STOP: &str = "(() => {
    const it = document.activeElement;
    const { outlineStyle, outlineWidth } = getComputedStyle(it);
    const isSeen = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1;
    return [Number(it.dataset.stop ?? -1), it.tagName, window.clicks, it.value || (it.getAttribute('aria-valuenow') ?? ''), isSeen];
})()";

/// Roles that tell nobody what an element is for: those of Chromium, and those of Firefox.
const EMPTY_ROLES: [&str; 7] =
    ["generic", "none", "unknown", "section", "text container", "pane", "nothing"];

fn stop(browser: &mut Browser) -> [Value; 5] {
    let stop = browser.evaluate(STOP);
    stop.as_array().unwrap().clone().try_into().unwrap()
}

fn is_used_by_keyboard(kind: Kind, name: &str, html: &str) {
    let mut browser = Browser::start(kind, name, 1100, 900);
    browser.open(html);
    browser.evaluate("document.querySelectorAll('details').forEach((it) => { it.open = true; })");
    let told = browser.told();
    for it in &told {
        assert!(!EMPTY_ROLES.contains(&it.role.as_str()) && !it.name.trim().is_empty(), "{it:?}");
    }
    let count = browser.evaluate(NUMBER).as_u64().unwrap();
    assert!(
        count > 0 && told.len() as u64 >= count,
        "{count} elements, of which it tells {told:?}"
    );
    let mut clicks = 0;
    for wanted in 0..count {
        browser.press(Key::Tab);
        let [at, element, _, value, is_seen] = stop(&mut browser);
        assert_eq!((at, is_seen), (wanted.into(), true.into()), "{element}");
        match element.as_str().unwrap() {
            "BUTTON" | "SUMMARY" => {
                for key in [Key::Space, Key::Enter] {
                    browser.press(key);
                    clicks += 1;
                    assert_eq!(
                        stop(&mut browser)[2],
                        clicks,
                        "{key:?} on stop {wanted}, {element}"
                    );
                }
            }
            "A" => {
                browser.press(Key::Enter);
                clicks += 1;
                assert_eq!(stop(&mut browser)[2], clicks, "stop {wanted}, {element}");
            }
            _ if value != "" => {
                browser.press(Key::Right);
                assert_ne!(stop(&mut browser)[3], value, "stop {wanted}, {element}");
            }
            _ => {}
        }
    }
    assert_eq!(browser.complaints(), [""; 0]);
}

fn a_comparison_is_used_by_keyboard(kind: Kind) {
    is_used_by_keyboard(kind, "keys-comparison", &report::html(&example::page()));
}

fn many_runs_are_used_by_keyboard(kind: Kind) {
    is_used_by_keyboard(kind, "keys-runs", &report::html(&example::sweep()));
}

fn small_multiples_are_used_by_keyboard(kind: Kind) {
    is_used_by_keyboard(kind, "keys-panels", &report::html(&comparison_page::page()));
}

fn watched_queues_are_used_by_keyboard(kind: Kind) {
    is_used_by_keyboard(kind, "keys-queues", &report::html(&queue_page::page()));
}

fn a_test_is_used_by_keyboard(kind: Kind) {
    is_used_by_keyboard(kind, "keys-test", &report::html(&test_page::page()));
}

fn a_watch_is_used_by_keyboard(kind: Kind) {
    is_used_by_keyboard(kind, "keys-watch", &watch_page::html());
}
