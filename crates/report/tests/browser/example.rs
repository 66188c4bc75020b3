//! A page like that of a comparison of queues, with artificial curves whose values the tests know.

use report::{
    Axis, Badge, Card, Colours, CommandList, Curve, Figure, Grade, Mark, Page, PageTable, Scale,
};
use results::Step;

pub(crate) const QUEUES: [&str; 3] = ["pfifo limit 300", "codel", "fq_codel"];

/// A name that tries to be a script.
pub(crate) const HOSTILE: &str = "</script><img src=x onerror=\"window.harmed = 1\">'{{data}}";

pub(crate) fn page() -> Page {
    Page {
        title: "One upload over a bloated uplink, 60 s, seed 1".into(),
        verdict: vec![
            "With fq_codel, 95 of 100 answers come within 16 ms. With pfifo limit 300, this takes \
             1.3 s, 78 times as long. fq_codel has 99 % of the goodput of pfifo limit 300."
                .into(),
            "The queue of uplink (pfifo limit 300) earns an F: it holds packets for 1.2 s at the \
             median, while 1.97 Mbit/s go through (99 % of the link)."
                .into(),
        ],
        cards: ["Before", "After"].map(card).into(),
        commands: vec![commands("To apply it", false), commands("To take it back", true)],
        tables: vec![table()],
        figures: vec![
            delay(),
            goodput(),
            windows(),
            drops(),
            distribution(),
            tradeoff(),
            smoke(),
            round_trip_against_window(),
            busy("busy-a"),
            busy("busy-b"),
        ],
        one_clock: true,
        notes: vec![
            "Lines over time have one value for each 100 ms; the shaded range around them reaches \
             from the least to the most within that time, so that no peak is lost."
                .into(),
            format!("The flow {HOSTILE} was left out: it sent nothing."),
        ],
        ..Page::default()
    }
}

fn table() -> PageTable {
    let head = [
        "queue",
        "goodput (Mbit/s)",
        "used (%)",
        "sojourn p50 (ms)",
        "sojourn p95 (ms)",
        "sojourn max (ms)",
        "drops",
        "ping p50 (ms)",
        "ping p95 (ms)",
        "completion p50 (s)",
    ];
    let rows = [
        [
            "pfifo limit 300",
            "1.91",
            "99.8",
            "1,187",
            "1,301",
            "1,788",
            "1,204",
            "1,209",
            "1,322",
            "–",
        ],
        ["codel", "1.90", "99.1", "6.2", "41.7", "203", "512", "27.1", "60.8", "12.4"],
        ["fq_codel", "1.89", "99.0", "5.1", "16.4", "122", "498", "20.4", "22.9", "12.1"],
    ];
    PageTable {
        title: "The queues side by side".into(),
        explanation:
            "Sojourn is how long a packet waits in the queue of the uplink. p95 is what 95 \
                      of 100 stay below."
                .into(),
        head: head.map(str::to_owned).to_vec(),
        rows: rows.map(|row| row.map(str::to_owned).to_vec()).to_vec(),
        ..PageTable::default()
    }
}

fn axis(label: &str, unit: &str, scale: Scale) -> Axis {
    Axis { scale, ..Axis::linear(label, unit) }
}

fn time() -> Axis {
    axis("Time", "s", Scale::Linear)
}

fn figure(
    id: &str,
    title: &str,
    explanation: &str,
    x: Axis,
    y: Axis,
    curves: Vec<Curve>,
) -> Figure {
    Figure { id: id.into(), title: title.into(), explanation: explanation.into(), x, y, curves }
}

fn curve(name: &str, mark: Mark, points: impl IntoIterator<Item = (f64, f64)>) -> Curve {
    let (x, y): (Vec<_>, Vec<_>) = points.into_iter().map(|(x, y)| (x, Some(y))).unzip();
    Curve { name: name.into(), mark, x, y, ..Curve::default() }
}

/// Reproducible noise between 0 and 1.
fn noise(index: usize) -> f64 {
    let mixed = (index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 40) as f64 / (1 << 24) as f64
}

fn seconds(count: usize) -> impl Iterator<Item = (usize, f64)> {
    (0..count).map(move |index| (index, index as f64 * 60.0 / (count - 1) as f64))
}

/// The sawtooth of a queue with regular losses.
fn sawtooth(at: f64, period: f64) -> f64 {
    let part = (at / period).fract();
    0.7 + 0.3 * part * part
}

/// Milliseconds that packets wait in queue number `which`: the first is bloated.
pub(crate) fn wait(which: usize, at: f64) -> f64 {
    match which {
        0 => 1700.0 * sawtooth(at, 17.0) * (at / 2.0).min(1.0),
        1 => 28.0 * sawtooth(at, 1.7) + 6.0,
        _ => 14.0 * sawtooth(at, 0.9) + 2.0,
    }
}

fn delay() -> Figure {
    let curves = QUEUES.iter().enumerate().map(|(which, name)| {
        let value =
            |(index, at): (usize, f64)| (at, wait(which, at) * (1.0 + 0.2 * noise(index + which)));
        let mut line = curve(name, Mark::Line, seconds(601).map(value));
        line.low = line.x.iter().map(|&at| Some(wait(which, at) * 0.8)).collect();
        // Nothing came out of the queue for a while.
        line.y[200..212].fill(None);
        line
    });
    figure(
        "delay",
        "Delay in the queue",
        "How long packets waited at the uplink before they were sent. Lower is better: above 100 ms \
         calls stutter and pages feel slow. The shaded range is from the shortest to the longest wait.",
        time(),
        axis("Sojourn", "ms", Scale::Log),
        curves.collect(),
    )
}

/// Megabits in the second that begins at `at`.
pub(crate) fn rate(which: usize, at: f64) -> f64 {
    1.9 - 0.1 * noise(at as usize * 7 + which) - 0.05 * which as f64
}

fn goodput() -> Figure {
    let curves = QUEUES.iter().enumerate().map(|(which, name)| {
        curve(name, Mark::Steps, (0..61).map(|at| (f64::from(at), rate(which, f64::from(at)))))
    });
    figure(
        "goodput",
        "Goodput",
        "What arrives at the application, without what had to be sent twice.",
        time(),
        axis("Goodput", "Mbit/s", Scale::Linear),
        curves.collect(),
    )
}

fn windows() -> Figure {
    let curves = (0..12).map(|which| {
        let name = format!("backup of the office in the second floor[{which}]");
        let period = 7.0 + which as f64 * 1.3;
        let name = if which == 11 { HOSTILE.into() } else { name };
        curve(
            &name,
            Mark::Line,
            seconds(400).map(|(_, at)| (at, 120.0 * sawtooth(at + which as f64, period))),
        )
    });
    figure(
        "window",
        "Congestion windows",
        "How many packets each sender keeps under way. A sawtooth is TCP feeling for the limit.",
        time(),
        axis("Window", "packets", Scale::Linear),
        curves.collect(),
    )
}

fn drops() -> Figure {
    let curves = QUEUES.iter().enumerate().map(|(which, name)| {
        let some = |index: &usize| noise(index * 3 + which) > 0.8;
        let value = |index| (index as f64 / 5.0, (noise(index) * 20_000.0).round());
        curve(name, Mark::Points, (0..300).filter(some).map(value))
    });
    figure(
        "drops",
        "Drops",
        "Packets that the queue threw away, each tenth of a second that had any.",
        time(),
        axis("Drops", "packets/s", Scale::Linear),
        curves.collect(),
    )
}

fn distribution() -> Figure {
    let curves = QUEUES.iter().enumerate().map(|(which, name)| {
        let middle = [1200.0, 12.0, 5.0][which];
        let part = |step: usize| step as f64 / 100.0;
        let value = |step| (middle * (0.2 + 2.0 * part(step) * part(step)), part(step) * 100.0);
        curve(name, Mark::Line, (0..101).map(value))
    });
    figure(
        "cdf",
        "How often which delay",
        "The share of packets that waited no longer than so long. The further left and the steeper, \
         the better.",
        axis("Sojourn", "ms", Scale::Log),
        axis("Packets", "%", Scale::Linear),
        curves.collect(),
    )
}

fn tradeoff() -> Figure {
    let curves = QUEUES.iter().enumerate().map(|(which, name)| {
        let place = ([1301.0, 41.7, 16.4][which], [1.91, 1.90, 1.84][which]);
        curve(name, Mark::Points, [place])
    });
    figure(
        "tradeoff",
        "Delay against goodput",
        "Each dot is one queue. The best are at the top left: all of the link, and no waiting.",
        axis("Sojourn p95", "ms", Scale::Log),
        axis("Goodput", "Mbit/s", Scale::Linear),
        curves.collect(),
    )
}

fn smoke() -> Figure {
    let median = |at: f64| if (18.0..44.0).contains(&at) { 620.0 } else { 22.0 };
    let mut curves: Vec<Curve> = (0..5_u32)
        .map(|layer| {
            let reach = f64::from(5 - layer) / 5.0;
            let edge = |sign: f64| {
                move |(index, at)| {
                    (at, median(at) * (1.0 + sign * reach * (0.2 + 0.5 * noise(index))))
                }
            };
            let mut band = curve("ping", Mark::Band, seconds(181).map(edge(1.0)));
            band.low = curve("", Mark::Band, seconds(181).map(edge(-1.0))).y;
            band
        })
        .collect();
    curves.push(curve("ping", Mark::Line, seconds(181).map(|(_, at)| (at, median(at)))));
    figure(
        "smoke",
        "Round trips of a ping, as smoke",
        "The line is the median, the smoke is how far the others scatter: the darker, the more.",
        time(),
        axis("Round trip", "ms", Scale::Linear),
        curves,
    )
}

fn round_trip_against_window() -> Figure {
    let cloud = |name, slope: f64| {
        let value = |index: usize| {
            let window = index as f64 / 8.0;
            (window, 10.0 + slope * window * (0.95 + 0.1 * noise(index)))
        };
        curve(name, Mark::Points, (0..2000).map(value))
    };
    figure(
        "rtt-window",
        "Round trip against window",
        "Two lines: on the steeper one the link sends at 2 Mbit/s, on the other at the 10 Mbit/s of \
         its boost.",
        axis("Window", "kB", Scale::Linear),
        axis("Round trip", "ms", Scale::Linear),
        vec![cloud("at 2 Mbit/s", 4.0), cloud("at 10 Mbit/s", 0.8)],
    )
}

/// Figures that have nothing to show, or hardly anything.
pub(crate) fn odd() -> Page {
    let (plain, log) = (axis("Size", "", Scale::Linear), axis("Size", "", Scale::Log));
    let gaps = Curve { y: vec![None; 2], ..curve("gaps", Mark::Line, [(1.0, 0.0), (2.0, 0.0)]) };
    let odd = |axis: &Axis, curves| figure("odd", "Odd", "", axis.clone(), axis.clone(), curves);
    let figures = vec![
        odd(&plain, vec![]),
        odd(&plain, vec![curve("empty", Mark::Line, [])]),
        odd(&plain, vec![gaps]),
        odd(&plain, vec![curve("one", Mark::Steps, [(3.0, 5.0)])]),
        odd(&plain, vec![curve("below", Mark::Points, [(-5.0, -3.0), (-5.0, -3.0)])]),
        odd(&log, vec![curve("nothing to draw", Mark::Line, [(-1.0, 0.0), (0.0, -1.0)])]),
        odd(&log, vec![curve("far apart", Mark::LinePoints, [(1e-9, 1e-12), (1e12, 1e15)])]),
    ];
    Page { title: "Odd".into(), figures, ..Page::default() }
}

fn card(title: &str) -> Card {
    let badge = Badge { name: "a game answers after".into(), value: "1.05 s".into(), grade: None };
    Card { title: title.into(), grade: Some(Grade::F), badges: vec![badge], ..Card::default() }
}

fn commands(title: &str, folded: bool) -> CommandList {
    let step =
        Step::new("As root:", "tc qdisc show dev wan\nif true; then\n    echo \"<wan>\"\nfi");
    CommandList { title: title.into(), folded, steps: vec![step, Step::new("Test again.", "")] }
}

/// Figures of which something lies on the frame or far from round numbers: the top of a narrow
/// distribution, steps at the last moment, dots at both ends, and a single value.
pub(crate) fn edges() -> Page {
    let delays = || axis("Delay", "ms", Scale::Log);
    let narrow = [(1235.0, 0.0), (1500.0, 50.0), (1780.0, 90.0), (1780.0, 100.0)];
    let late = [(0.0, 0.0), (1.0, 20.0), (1.0, 60.0), (1.0, 100.0)];
    let dots = [(1.0, 1.0), (10.0, 3.0), (100.0, 2.0)];
    let mut single = curve("single", Mark::Line, [(0.0005, 0.25)]);
    single.low = vec![Some(0.125)];
    let plain = |label| axis(label, "", Scale::Linear);
    let of = |x, curves| figure("edges", "Edges", "", x, plain("Value"), curves);
    let figures = vec![
        of(delays(), vec![curve("narrow", Mark::Line, narrow)]),
        of(plain("Part"), vec![curve("late", Mark::Line, late)]),
        of(delays(), vec![curve("line", Mark::Line, dots), curve("dots", Mark::Points, dots)]),
        of(time(), vec![single]),
    ];
    Page { title: "Edges".into(), figures, ..Page::default() }
}

/// Two experiments, of three seconds and of two hundred.
pub(crate) fn two_times() -> Page {
    let over = |id, end: f64| {
        let values = (0..=100).map(|index| (end * f64::from(index) / 100.0, f64::from(index)));
        let curves = vec![curve(id, Mark::Line, values)];
        figure(id, id, "", time(), axis("Round trip", "ms", Scale::Linear), curves)
    };
    let figures = vec![over("burst", 3.0), over("upload", 200.0)];
    Page { title: "Two times".into(), figures, ..Page::default() }
}

/// A figure with the largest amount of data that it must handle.
fn busy(id: &str) -> Figure {
    let curves = (0..10).map(|which| {
        let value = |(index, at)| (at, 100.0 * which as f64 + 90.0 * noise(index * 10 + which));
        curve(&format!("flow[{which}]"), Mark::Line, seconds(2000).map(value))
    });
    figure(
        id,
        "Ten flows",
        "Ten lines of two thousand values.",
        time(),
        axis("Round trip", "ms", Scale::Linear),
        curves.collect(),
    )
}

pub(crate) const RATES: [&str; 4] = ["1mbit", "10mbit", "50mbit", "100mbit"];

/// Many runs: boxes, a cloud with ellipses, and a map, whose upper right field is not known.
pub(crate) fn sweep() -> Page {
    let runs = |which: usize, rate: usize| -> Vec<f64> {
        (0..40).map(|run| (4 - rate) as f64 * (1.0 + which as f64) + noise(run)).collect()
    };
    let boxes = (0..QUEUES.len()).map(|which| {
        let groups = (0..RATES.len()).map(|rate| (rate as f64, runs(which, rate)));
        report::boxes(QUEUES[which], groups)
    });
    let clouds = (0..QUEUES.len()).flat_map(|which| {
        let points: Vec<(f64, f64)> = (0..300)
            .map(|run| (1.0 + 9.0 * noise(run + which), 90.0 + noise(run + 7) - which as f64))
            .collect();
        report::cloud(QUEUES[which], &points, (Scale::Log, Scale::Linear))
    });
    let wait = Axis::log("Wait", "ms");
    let cells = Curve {
        mark: Mark::Cells,
        x: (0..8).map(|field| f64::from(field / 2)).collect(),
        y: (0..8).map(|field| Some(f64::from(field % 2))).collect(),
        value: (0..8).map(|field| (field < 7).then_some(f64::from(field) * 10.0 + 1.0)).collect(),
        colours: Some(Colours { axis: wait.clone(), from: 1.0, to: 61.0 }),
        ..Curve::default()
    };
    let figure = |id: &str, x: Axis, y: Axis, curves: Vec<Curve>| figure(id, id, "", x, y, curves);
    let rates = || Axis::named("Rate", RATES);
    Page {
        title: "Many runs".into(),
        figures: vec![
            figure("box", rates(), Axis::linear("Wait", "ms"), boxes.collect()),
            figure("tradeoff", wait, Axis::linear("Utilisation", "%"), clouds.collect()),
            figure("heat", rates(), Axis::named("Delay", ["near", "far"]), vec![cells]),
        ],
        ..Page::default()
    }
}
