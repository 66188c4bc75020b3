//! Pages in real browsers: nothing fails, nothing is fetched, and pointing, dragging, clicking, saving and printing
//! work.

mod browser;
mod comparison_page;
mod keyboard;
mod queue_page;
mod report_page;
mod test_page;
mod watch_page;

use browser::{Browser, Kind, TWO_FRAMES, in_each_browser};
use serde_json::Value;

/// The place on the screen of a part of a figure's plot, scrolled into view: (0, 0) is the top left
/// corner of the plot, (1, 1) the bottom right.
fn place(browser: &mut Browser, figure: usize, part: (f64, f64)) -> (f64, f64) {
    let at = browser.evaluate(&format!(
        "(async () => {{
            const over = document.querySelector('#figure-{figure} .u-over');
            over.scrollIntoView({{ block: 'center', behavior: 'instant' }});
            // The plot learns of it with the next frame.
            await {TWO_FRAMES};
            const {{ left, top, width, height }} = over.getBoundingClientRect();
            return [left + width * {}, top + height * {}];
        }})()",
        part.0, part.1,
    ));
    (at[0].as_f64().unwrap(), at[1].as_f64().unwrap())
}

/// The part that a figure shows along an axis (`x`, `y`).
fn view(browser: &mut Browser, figure: usize, axis: &str) -> (f64, f64) {
    let script = format!("document.querySelector('#figure-{figure} .plot').dataset.{axis}");
    let shown = browser.evaluate(&script);
    let (from, to) = shown.as_str().unwrap().split_once(' ').unwrap();
    (from.parse().unwrap(), to.parse().unwrap())
}

/// The lines of the box at the cursor.
fn box_lines(browser: &mut Browser, figure: usize) -> Vec<String> {
    let script = format!(
        "(() => {{
            const box = document.querySelector('#figure-{figure} .box');
            return box.hidden ? [] : [...box.children].map((line) => line.innerText.replace(/\\s+/g, ' ').trim());
        }})()"
    );
    let lines: Value = browser.evaluate(&script);
    lines.as_array().unwrap().iter().map(|line| line.as_str().unwrap().to_owned()).collect()
}

/// The number of pixels of curves in each canvas, recognised by their saturation: neither
/// transparent nor of the colour of the grid or the numbers.
const COLOURED: &str = "[...document.querySelectorAll('canvas')].map((canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    let coloured = 0;
    for (let i = 0; i < data.length; i += 4) {
        const [r, g, b, a] = data.subarray(i, i + 4);
        if (a > 60 && Math.max(r, g, b) - Math.min(r, g, b) > 60) coloured++;
    }
    return coloured;
})";

fn coloured(browser: &mut Browser) -> Vec<u64> {
    let counts = browser.evaluate(COLOURED);
    counts.as_array().unwrap().iter().map(|count| count.as_u64().unwrap()).collect()
}

fn close_to(found: f64, wanted: f64, tolerance: f64) {
    assert!((found - wanted).abs() <= tolerance, "{found} is not about {wanted}");
}

/// Presses "Save CSV" and reads what was saved.
fn saved(browser: &mut Browser, figure: usize, name: &str) -> String {
    let press =
        format!("document.querySelector('#figure-{figure} .tools button:last-child').click()");
    browser.saved(&press, name)
}

/// The printed page. When it has prepared itself, each plot is as large as its place on the paper.
fn printed(browser: &mut Browser) -> String {
    browser.evaluate(
        "addEventListener('beforeprint', () => {
            const sizes = (it) => [it.clientWidth, it.clientHeight].join();
            const places = [...document.querySelectorAll('.plot')];
            window.fits = places.map((it) => sizes(it) === sizes(it.querySelector('canvas')));
        })",
    );
    let pdf = browser.print();
    assert_eq!(browser.evaluate("[...new Set(window.fits)].join()"), "true");
    pdf
}

in_each_browser! { a_browser_tells_of_requests_and_of_errors }

/// What the other tests find none of can be found.
fn a_browser_tells_of_requests_and_of_errors(kind: Kind) {
    let mut browser = Browser::start(kind, "tells", 400, 400);
    browser.open(
        "<!doctype html><title>Bad</title><img src=\"http://127.0.0.1:51234/picture\">
         <script>performance.mark('drawn'); setTimeout(() => missing())</script>",
    );
    browser.settle();
    assert_eq!(browser.requests(), ["http://127.0.0.1:51234/picture"]);
    assert!(browser.complaints().iter().any(|it| it.contains("missing is not defined")));
}
