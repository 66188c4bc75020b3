//! The page of a comparison with every kind of figure, in a browser.

use super::browser::example::{self, QUEUES};
use super::browser::{Browser, Key, Kind, Wishes, in_each_browser};
use super::{box_lines, close_to, coloured, place, printed, saved, view};

in_each_browser! {
    draws_all_and_fetches_nothing,
    shows_values_at_the_cursor,
    zooms_together_and_back,
    zooms_alone_where_times_differ,
    legends_hide_and_show,
    a_plot_is_read_and_zoomed_by_keyboard,
    saves_the_data,
    draws_many_runs,
    numbers_narrow_axes,
    draws_what_is_on_the_frame,
    is_light_dark_and_fits_a_phone,
    bears_figures_with_nothing_to_show,
    prints,
}

/// The example page, drawn.
fn opened(kind: Kind, name: &str) -> Browser {
    let mut browser = Browser::start(kind, name, 1100, 900);
    let drawn = browser.open(&report::html(&example::page()));
    println!("{name}: all drawn {drawn:.0} ms after the page was opened");
    browser
}

fn draws_all_and_fetches_nothing(kind: Kind) {
    let mut browser = opened(kind, "draws");
    let counts = coloured(&mut browser);
    assert_eq!(counts.len(), example::page().figures.len());
    assert!(counts.iter().all(|&count| count > 150), "{counts:?}");
    let requests = browser.requests();
    assert!(requests.iter().all(|url| url.starts_with("data:")), "{requests:?}");
    assert_eq!(
        browser.evaluate("String([window.harmed, document.querySelectorAll('img').length])"),
        ",0"
    );
    assert_eq!(browser.complaints(), [""; 0]);

    // The browser enforces the policy: an injected script does not run.
    browser.evaluate(
        "(() => {
            const script = document.createElement('script');
            script.textContent = 'window.harmed = 1';
            document.body.append(script);
        })()",
    );
    assert_eq!(browser.evaluate("typeof window.harmed"), "undefined");
    browser.settle();
    assert!(
        browser
            .complaints()
            .iter()
            .any(|complaint| complaint.replace('-', " ").contains("Content Security Policy"))
    );
}

fn shows_values_at_the_cursor(kind: Kind) {
    let mut browser = opened(kind, "hover");
    // Steps: the value of the second in which the cursor is.
    let at = place(&mut browser, 1, (0.5, 0.5));
    browser.point(at);
    let lines = box_lines(&mut browser, 1);
    let second: f64 = lines[0].strip_suffix(" s").unwrap().parse().unwrap();
    close_to(second, 30.0, 0.1);
    for (which, queue) in QUEUES.iter().enumerate() {
        let text = lines[1 + which].strip_prefix(queue).unwrap().trim();
        let value: f64 = text.strip_suffix(" Mbit/s").unwrap().parse().unwrap();
        close_to(value, example::rate(which, second.floor()), 0.0006);
    }
    // The cursors of the other plots over time are at the same place.
    let dots = "document.querySelectorAll('#figure-0 .dot').length";
    assert_eq!(browser.evaluate(dots), 3);

    // A range: from the low edge, which is exact, to the high one.
    let at = place(&mut browser, 0, (0.25, 0.5));
    browser.point(at);
    let lines = box_lines(&mut browser, 0);
    let range = lines[1].strip_prefix(QUEUES[0]).unwrap().trim().strip_suffix(" ms").unwrap();
    let (low, high) = range.split_once(" to ").unwrap();
    let number = |text: &str| text.replace(',', "").parse::<f64>().unwrap();
    close_to(number(low), example::wait(0, 15.0) * 0.8, 5.0);
    assert!(number(high) > number(low), "{range}");

    // A cloud: the nearest dot.
    let at = place(&mut browser, 5, (0.5, 0.5));
    browser.point(at);
    assert!(box_lines(&mut browser, 5).is_empty(), "no dot is there");
    let scales = (view(&mut browser, 5, "x"), view(&mut browser, 5, "y"));
    let along = libm::log(41.7 / scales.0.0) / libm::log(scales.0.1 / scales.0.0);
    let up = (1.90 - scales.1.0) / (scales.1.1 - scales.1.0);
    let at = place(&mut browser, 5, (along, 1.0 - up));
    browser.point(at);
    assert_eq!(box_lines(&mut browser, 5), ["codel 1.9 Mbit/s", "Sojourn p95 41.7 ms"]);
    assert_eq!(browser.complaints(), [""; 0]);
}

fn zooms_together_and_back(kind: Kind) {
    let mut browser = opened(kind, "zoom");
    assert_eq!(view(&mut browser, 1, "x"), (0.0, 60.0));
    let (from, to) = (place(&mut browser, 1, (0.25, 0.5)), place(&mut browser, 1, (0.5, 0.5)));
    browser.drag(from, to);
    for figure in [0, 1, 2, 3, 6, 8, 9] {
        let (from, to) = view(&mut browser, figure, "x");
        close_to(from, 15.0, 0.2);
        close_to(to, 30.0, 0.2);
    }
    let cdf = view(&mut browser, 4, "x");
    assert!(cdf.0 > 0.0 && cdf.1 > 1000.0, "a plot that is not over time stays: {cdf:?}");
    let at = place(&mut browser, 0, (0.5, 0.5));
    browser.double_click(at);
    assert_eq!(view(&mut browser, 1, "x"), (0.0, 60.0));

    // A cloud is zoomed in both directions, and out by its button.
    let whole = view(&mut browser, 7, "y");
    let (from, to) = (place(&mut browser, 7, (0.2, 0.3)), place(&mut browser, 7, (0.6, 0.8)));
    browser.drag(from, to);
    let part = view(&mut browser, 7, "y");
    close_to((part.1 - part.0) / (whole.1 - whole.0), 0.5, 0.02);
    let reset = "(() => { const [reset] = document.querySelectorAll('#figure-7 .tools button');
        const shown = !reset.hidden; reset.click(); return shown && reset.hidden; })()";
    assert_eq!(browser.evaluate(reset), true);
    assert_eq!(view(&mut browser, 7, "y"), whole);
    assert_eq!(browser.complaints(), [""; 0]);
}

fn zooms_alone_where_times_differ(kind: Kind) {
    let mut browser = Browser::start(kind, "clocks", 1100, 900);
    let page = example::two_times();
    browser.open(&report::html(&page));
    let before = [view(&mut browser, 0, "x"), view(&mut browser, 1, "x")];
    assert_eq!(before, [(0.0, 3.0), (0.0, 200.0)]);
    let (from, to) = (place(&mut browser, 0, (0.25, 0.5)), place(&mut browser, 0, (0.5, 0.5)));
    browser.drag(from, to);
    let zoomed = view(&mut browser, 0, "x");
    close_to(zoomed.0, 0.75, 0.02);
    close_to(zoomed.1, 1.5, 0.02);
    assert_eq!(view(&mut browser, 1, "x"), (0.0, 200.0));
    browser.point(from);
    let dots = "[0, 1].map((f) => document.querySelectorAll(`#figure-${f} .dot`).length).join()";
    assert_eq!(browser.evaluate(dots), "1,0");

    // With one clock the figures are drawn and zoomed together.
    browser.open(&report::html(&report::Page { one_clock: true, ..page }));
    assert_eq!(view(&mut browser, 0, "x"), (0.0, 200.0));
    assert_eq!(browser.complaints(), [""; 0]);
}

fn legends_hide_and_show(kind: Kind) {
    let mut browser = opened(kind, "legend");
    let entries = "document.querySelectorAll('#figure-0 .legend button')";
    assert_eq!(browser.evaluate(&format!("{entries}.length")), 3);
    assert_eq!(browser.evaluate("document.querySelectorAll('#figure-6 .legend button').length"), 1);
    let picture = "document.querySelector('#figure-0 canvas').toDataURL()";
    let before = (browser.evaluate(picture), view(&mut browser, 0, "y"));
    browser.evaluate(&format!("{entries}[0].focus()"));
    browser.press(Key::Space);
    // On a busy machine, Firefox makes the click of a key some time after it.
    browser.evaluate(&format!(
        "new Promise((done) => {{ const look = (left) => left === 0 || \
         {entries}[0].getAttribute('aria-pressed') === 'false' ? done(null) \
         : setTimeout(look, 100, left - 1); look(200); }})"
    ));
    let pressed =
        format!("[...{entries}].map((entry) => entry.getAttribute('aria-pressed')).join()");
    assert_eq!(browser.evaluate(&pressed), "false,true,true");
    browser.settle();
    let after = (browser.evaluate(picture), view(&mut browser, 0, "y"));
    // Only the quick queues are left, and the axis follows them.
    assert!(after.0 != before.0 && after.1.1 < before.1.1 / 10.0, "{:?}", (before.1, after.1));
    let at = place(&mut browser, 0, (0.5, 0.5));
    browser.point(at);
    let lines = box_lines(&mut browser, 0);
    assert!(lines.len() == 3 && lines[1].starts_with(QUEUES[1]), "{lines:?}");
    browser.evaluate(&format!("{entries}[0].click()"));
    browser.settle();
    assert!((browser.evaluate(picture), view(&mut browser, 0, "y")) == before);
    assert_eq!(browser.complaints(), [""; 0]);
}

fn a_plot_is_read_and_zoomed_by_keyboard(kind: Kind) {
    let mut browser = opened(kind, "keys");
    let over = "document.querySelector('#figure-1 .u-over')";
    browser.evaluate(&format!("{over}.focus()"));
    for _ in 0..5 {
        browser.press(Key::Right);
    }
    browser.settle();
    // From the middle by five steps of fifty.
    let lines = box_lines(&mut browser, 1);
    let at: f64 = lines[0].strip_suffix(" s").unwrap().parse().unwrap();
    close_to(at, 36.0, 0.2);
    let told = browser.evaluate(&format!("{over}.getAttribute('aria-valuetext')"));
    assert_eq!(told, lines.join(", "));
    browser.press(Key::Plus);
    browser.settle();
    // In all plots over this time.
    for figure in [0, 1] {
        let (from, to) = view(&mut browser, figure, "x");
        close_to(to - from, 30.0, 0.1);
        close_to(from, 36.0 - 15.0, 0.2);
    }
    browser.press(Key::Escape);
    browser.settle();
    assert!(box_lines(&mut browser, 1).is_empty());

    // Where a mouse takes over, what it drags is shown, and nothing else.
    browser.press(Key::Right);
    let (from, to) = (place(&mut browser, 0, (0.5, 0.5)), place(&mut browser, 0, (0.75, 0.5)));
    let before = view(&mut browser, 0, "x");
    browser.drag(from, to);
    let after = view(&mut browser, 0, "x");
    close_to(after.0, f64::midpoint(before.0, before.1), 0.2);
    close_to(after.1 - after.0, (before.1 - before.0) / 4.0, 0.2);
    assert_eq!(browser.complaints(), [""; 0]);
}

fn saves_the_data(kind: Kind) {
    let mut browser = opened(kind, "csv");
    let text = saved(&mut browser, 1, "goodput.csv");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("curve,time_s,goodput_mbit_s"));
    let page = example::page();
    let wanted = page.figures[1].curves.iter().flat_map(|curve| {
        let points = curve.x.iter().zip(&curve.y);
        points.map(|(x, y)| format!("{},{x},{}", curve.name, y.unwrap())).collect::<Vec<_>>()
    });
    assert!(lines.eq(wanted.collect::<Vec<_>>()), "{text}");

    // Curves of the same name can be distinguished.
    let text = saved(&mut browser, 6, "smoke.csv");
    let mut names: Vec<&str> =
        text.lines().skip(1).map(|line| line.split(',').next().unwrap()).collect();
    names.dedup();
    assert_eq!(names, [1, 2, 3, 4, 5, 6].map(|number| format!("ping ({number})")));
    assert_eq!(browser.complaints(), [""; 0]);
}

/// The numbers and names that the axes of a figure show once it is drawn anew.
fn labels(browser: &mut Browser, figure: usize) -> Vec<String> {
    browser.evaluate(&format!(
        "(() => {{
            window.labels = [];
            const context = document.querySelector('#figure-{figure} canvas').getContext('2d');
            context.fillText = function (text, ...place) {{
                window.labels.push(text);
                CanvasRenderingContext2D.prototype.fillText.call(this, text, ...place);
            }};
            document.querySelector('.theme').click();
        }})()"
    ));
    browser.settle();
    let labels = browser.evaluate("window.labels");
    labels.as_array().unwrap().iter().map(|label| label.as_str().unwrap().to_owned()).collect()
}

/// True if a curve is drawn at most 1.5 pixels from a place, which is `aside` pixels to the right
/// of a part of the plot.
fn is_drawn(browser: &mut Browser, figure: usize, part: (f64, f64), aside: f64) -> bool {
    let found = browser.evaluate(&format!(
        "(() => {{
            const canvas = document.querySelector('#figure-{figure} canvas');
            const over = document.querySelector('#figure-{figure} .u-over').getBoundingClientRect();
            const whole = canvas.getBoundingClientRect();
            const ratio = canvas.width / whole.width;
            const x = over.left - whole.left + over.width * {} + {aside};
            const y = over.top - whole.top + over.height * {};
            const [left, top, size] = [x - 1.5, y - 1.5, 3].map((at) => Math.round(at * ratio));
            const {{ data }} = canvas.getContext('2d').getImageData(left, top, size, size);
            for (let i = 0; i < data.length; i += 4) {{
                const [r, g, b, a] = data.subarray(i, i + 4);
                if (a > 60 && Math.max(r, g, b) - Math.min(r, g, b) > 60) return true;
            }}
            return false;
        }})()",
        part.0, part.1,
    ));
    found.as_bool().unwrap()
}

/// The part of the height of a plot that lies above a value.
fn above(browser: &mut Browser, figure: usize, value: f64) -> f64 {
    let (low, high) = view(browser, figure, "y");
    (high - value) / (high - low)
}

fn draws_many_runs(kind: Kind) {
    let mut browser = Browser::start(kind, "sweep", 1100, 900);
    let page = example::sweep();
    browser.open(&report::html(&page));
    assert!(coloured(&mut browser).iter().all(|&count| count > 500));

    // Boxes: all queues at the name below the cursor, each with its quartiles.
    let at = place(&mut browser, 0, (0.375, 0.5));
    browser.point(at);
    let lines = box_lines(&mut browser, 0);
    assert_eq!((lines.len(), lines[0].as_str()), (4, example::RATES[1]));
    let [_, lower, median, upper, _] = page.figures[0].curves[0].five[1];
    let number = |text: &str| text.trim_matches(['(', ')']).parse::<f64>().unwrap();
    let words: Vec<&str> = lines[1].strip_prefix(QUEUES[0]).unwrap().split_whitespace().collect();
    for (word, value) in [(0, median), (1, lower), (3, upper)] {
        close_to(number(words[word]), value, 0.001);
    }
    // A dot on each median, aside from the name by as much as its box.
    let dots = "[...document.querySelectorAll('#figure-0 .dot')].map((dot) => dot.getBoundingClientRect().left)";
    let lefts = browser.evaluate(dots);
    let lefts: Vec<f64> =
        lefts.as_array().unwrap().iter().map(|left| left.as_f64().unwrap()).collect();
    assert!(lefts.len() == 3 && lefts.is_sorted() && lefts[2] - lefts[0] > 40.0, "{lefts:?}");

    // A cloud between 87 and 91 %: noise is not as high as the plot. However far it is zoomed, the
    // numbers beside it have room.
    let (low, high) = view(&mut browser, 1, "y");
    assert!(high - low >= 0.1 * high, "{low} to {high}");
    for _ in 0..5 {
        let (from, to) =
            (place(&mut browser, 1, (0.5, 0.4)), place(&mut browser, 1, (0.505, 0.55)));
        browser.drag(from, to);
    }
    let (low, high) = view(&mut browser, 1, "y");
    assert!(high - low < 0.01, "{low} to {high}");
    let numbers = labels(&mut browser, 1);
    let fits = format!(
        "(() => {{
            const context = document.createElement('canvas').getContext('2d');
            context.font = '12px system-ui, sans-serif';
            const widest = Math.max(...{numbers:?}.map((text) => context.measureText(text).width));
            return [widest, document.querySelector('#figure-1 .u-over').offsetLeft];
        }})()"
    );
    let found = browser.evaluate(&fits);
    let [widest, room] = [0, 1].map(|index| found[index].as_f64().unwrap());
    assert!(widest > 40.0 && widest + 8.0 < room, "{widest} in {room}: {numbers:?}");

    // A map: names instead of curves in the legend, and the field below the cursor.
    let entries = "document.querySelectorAll('#figure-2 .legend button').length";
    assert_eq!(browser.evaluate(entries), 0);
    for (part, value) in [((0.125, 0.25), "11 ms"), ((0.875, 0.25), "no data")] {
        let at = place(&mut browser, 2, part);
        browser.point(at);
        let lines = box_lines(&mut browser, 2);
        assert_eq!(lines[1..], ["Delay far".to_owned(), format!("Wait {value}")], "{lines:?}");
    }
    let text = saved(&mut browser, 2, "heat.csv");
    assert_eq!(
        text.lines().take(2).collect::<Vec<_>>(),
        ["curve,rate,delay,wait_ms", ",1mbit,near,1"]
    );
    let text = saved(&mut browser, 0, "box.csv");
    assert!(text.starts_with("curve,rate,wait_ms,low_whisker,lower_quartile,"), "{text}");
    assert_eq!(text.lines().count(), 13);
    assert_eq!(browser.complaints(), [""; 0]);
}

fn numbers_narrow_axes(kind: Kind) {
    let mut browser = Browser::start(kind, "narrow", 1100, 900);
    browser.open(&report::html(&example::edges()));
    assert_eq!(view(&mut browser, 0, "x"), (1000.0, 10_000.0));
    let numbers = |labels: Vec<String>| {
        let is_delay = |label: &String| label.len() >= 5 && label.contains(',');
        labels.into_iter().filter(is_delay).collect::<Vec<_>>()
    };
    assert_eq!(numbers(labels(&mut browser, 0)), ["1,000", "2,000", "5,000", "10,000"]);

    // From 1122 to 1778, and from there to a fiftieth of it.
    for _ in 0..2 {
        let (from, to) = (place(&mut browser, 0, (0.05, 0.5)), place(&mut browser, 0, (0.25, 0.5)));
        browser.drag(from, to);
        let shown = numbers(labels(&mut browser, 0));
        let (from, to) = view(&mut browser, 0, "x");
        let values: Vec<f64> =
            shown.iter().map(|label| label.replace(',', "").parse().unwrap()).collect();
        assert!(to / from < 1.7 && values.len() >= 2, "{from} to {to}: {shown:?}");
        assert!(values.windows(2).all(|pair| pair[0] < pair[1]), "{shown:?}");
        assert!(values.iter().all(|value| (from..=to).contains(value)), "{shown:?}");
    }
    assert_eq!(browser.complaints(), [""; 0]);
}

fn draws_what_is_on_the_frame(kind: Kind) {
    let mut browser = Browser::start(kind, "edges", 1100, 900);
    browser.open(&report::html(&example::edges()));
    // Several values at the last moment.
    assert_eq!(view(&mut browser, 1, "x"), (0.0, 1.0));
    for value in [30.0, 80.0, 98.0] {
        let height = above(&mut browser, 1, value);
        assert!(is_drawn(&mut browser, 1, (1.0, height), 0.0), "{value}");
    }
    // Dots are whole on both sides of the frame, lines end there.
    assert_eq!(view(&mut browser, 2, "x"), (1.0, 100.0));
    for (part, value, aside) in [(0.0, 1.0, -3.0), (1.0, 2.0, 3.0)] {
        let height = above(&mut browser, 2, value);
        assert!(is_drawn(&mut browser, 2, (part, height), aside), "{value}");
        assert!(!is_drawn(&mut browser, 2, (part, height), 3.0 * aside), "{value}");
    }
    // Curves outside the zoomed part are not drawn beside the frame.
    let (from, to) = (place(&mut browser, 2, (0.25, 0.5)), place(&mut browser, 2, (0.75, 0.5)));
    browser.drag(from, to);
    for step in 0..=40 {
        let height = f64::from(step) / 40.0;
        assert!(!is_drawn(&mut browser, 2, (0.0, height), -4.0), "{height}");
    }
    // A single value, in the middle of a run of one step.
    assert_eq!(view(&mut browser, 3, "x"), (0.0, 0.001));
    for value in [0.25, 0.13] {
        let height = above(&mut browser, 3, value);
        assert!(is_drawn(&mut browser, 3, (0.5, height), 0.0), "{value}");
    }
    assert_eq!(browser.complaints(), [""; 0]);
}

fn is_light_dark_and_fits_a_phone(kind: Kind) {
    let mut browser = opened(kind, "looks");
    let ground = "getComputedStyle(document.body).backgroundColor";
    let ink =
        "(() => { const canvas = document.querySelector('canvas'); return canvas.toDataURL(); })()";
    let light = (browser.evaluate(ground), browser.evaluate(ink));
    browser.wish(Wishes { dark: true, ..Wishes::default() });
    let dark = (browser.evaluate(ground), browser.evaluate(ink));
    assert!(light.0 != dark.0 && light.1 != dark.1);
    browser.evaluate("document.querySelector('.theme').click()");
    browser.settle();
    assert_eq!((browser.evaluate(ground), browser.evaluate(ink)), light);

    browser.viewport(390, 844, true);
    browser.settle();
    let overflow = "document.documentElement.scrollWidth - innerWidth";
    assert!(browser.evaluate(overflow).as_f64().unwrap() <= 0.0);
    let widest = "Math.max(...[...document.querySelectorAll('canvas')].map((c) => c.clientWidth))";
    let widest = browser.evaluate(widest).as_f64().unwrap();
    assert!((250.0..=390.0).contains(&widest), "{widest}");
    let counts = coloured(&mut browser);
    assert!(counts.iter().all(|&count| count > 150), "{counts:?}");
    assert_eq!(browser.complaints(), [""; 0]);
}

fn bears_figures_with_nothing_to_show(kind: Kind) {
    let mut browser = Browser::start(kind, "odd", 1100, 900);
    let page = example::odd();
    browser.open(&report::html(&page));
    for figure in 0..page.figures.len() {
        for _ in 0..2 {
            let from = place(&mut browser, figure, (0.4, 0.4));
            let to = place(&mut browser, figure, (0.6, 0.8));
            browser.drag(from, to);
        }
        let (from, to) = view(&mut browser, figure, "x");
        assert!(from < to, "figure {figure}: {from} to {to}");
        let press = format!(
            "document.querySelectorAll('#figure-{figure} button:not(:last-child)')
                .forEach((button) => button.click())"
        );
        browser.evaluate(&press);
    }
    assert_eq!(browser.complaints(), [""; 0]);
}

fn prints(kind: Kind) {
    let mut browser = opened(kind, "prints");
    browser.wish(Wishes { dark: true, ..Wishes::default() });
    let pdf = printed(&mut browser);
    // A blank page is about a kilobyte; ten plots are pictures.
    assert!(pdf.starts_with("JVBERi") && pdf.len() > 100_000, "{} bytes", pdf.len());
    browser.settle();
    let ground = browser.evaluate("getComputedStyle(document.body).backgroundColor");
    assert_eq!(ground, "rgb(13, 17, 23)", "the screen is as it was");
    assert_eq!(browser.complaints(), [""; 0]);
}
