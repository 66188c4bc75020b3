//! Figures 2 to 4, drawn again.

use report::{Axis, Curve, Figure, Mark};

use super::{BEGINS, INTERVAL, PAYLOAD, SETTLED, SLOW_FROM, outstanding, pairs};
use crate::gettys::draw::{curve, thinned};
use crate::gettys::paper;
use crate::gettys::seen::Seen;
use crate::gettys::smoke::{ROUND, smoke};

/// The steps that become one point.
const GROUP: usize = 10;

pub(super) fn draw(seen: &Seen) -> Vec<Figure> {
    vec![figure_2(seen), figure_3_round_trip(seen), figure_3_window(seen), figure_4(seen)]
}

fn figure_2(seen: &Seen) -> Figure {
    let seconds = ROUND as f64 * INTERVAL;
    Figure {
        id: "gettys-2-smoke".into(),
        title: "Figure 2: the smoke of a ping beside an upload".into(),
        explanation: format!(
            "Each round is {ROUND} pings in {seconds} s, where SmokePing takes five minutes for \
             one; the line is its median, and the smoke spreads from the quickest to the slowest. \
             Low and without smoke is good. The upload begins at {BEGINS} s, and the line's boost \
             ends at {SLOW_FROM} s."
        ),
        x: Axis::linear("Time", "s"),
        y: Axis::linear("Round trip of a ping", "s"),
        curves: smoke(&seen.pings, INTERVAL),
    }
}

fn figure_3_round_trip(seen: &Seen) -> Figure {
    let rtts = seen.flow("upload").map(|flow| flow.rtt_ms.high.as_slice()).unwrap_or(&[]);
    let sampled = thinned(rtts, GROUP, seen.step()).map(|(at, rtt)| (at, rtt.map(|ms| ms / 1e3)));
    let waits: Vec<_> = outstanding(seen).iter().map(|one| Some(one.age)).collect();
    let waits = thinned(&waits, GROUP, seen.step());
    Figure {
        id: "gettys-3-rtt".into(),
        title: "Figure 3, above: the upload's own round trip".into(),
        explanation: "How long a segment of the upload travels until its acknowledgement is back, \
                      and how long the oldest one without acknowledgement has been on its way: \
                      what a reader of the capture sees as spikes when something was lost."
            .into(),
        x: Axis::linear("Time", "s"),
        y: Axis::linear("Round trip", "s"),
        curves: vec![
            curve("oldest without acknowledgement", Mark::Line, waits),
            curve("round trip of a segment", Mark::Line, sampled),
        ],
    }
}

fn figure_3_window(seen: &Seen) -> Figure {
    let kilobytes = |packets: f64| packets * PAYLOAD / 1e3;
    let windows = seen.flow("upload").map(|flow| flow.cwnd_segments.high.as_slice());
    let flight: Vec<_> = outstanding(seen).iter().map(|one| Some(one.packets)).collect();
    let in_kilobytes = |packets: &[Option<f64>]| {
        let thinned = thinned(packets, GROUP, seen.step());
        thinned.map(|(at, packets)| (at, packets.map(kilobytes))).collect::<Vec<_>>()
    };
    Figure {
        id: "gettys-3-window".into(),
        title: "Figure 3, below: the upload's window".into(),
        explanation:
            "CUBIC's window: it flattens where it last met a loss, then probes beyond it. \
                      The path itself holds 2.5 kB, so almost all of this waits in the modem. What \
                      is sent and not acknowledged grows beyond the window while a lost segment is \
                      missing."
                .into(),
        x: Axis::linear("Time", "s"),
        y: Axis::linear("In flight", "kB"),
        curves: vec![
            curve("sent and not acknowledged", Mark::Line, in_kilobytes(&flight)),
            curve("window", Mark::Line, in_kilobytes(windows.unwrap_or(&[]))),
        ],
    }
}

fn figure_4(seen: &Seen) -> Figure {
    let [fast, slow] = paper::RATES;
    Figure {
        id: "gettys-4-lines".into(),
        title: "Figure 4: round trip against window".into(),
        explanation: "Each dot is a segment: the window when it was sent, and its round trip. All \
                      that is in flight waits in one queue, so the round trip is the window divided \
                      by the rate: one line for the boost at 10 Mbit/s, one for the 2 Mbit/s after \
                      it. Dots below it were sent into a full buffer or while a loss was repaired: \
                      part of such a window is lost and waits nowhere."
            .into(),
        x: Axis::linear("Window with headers", "kB"),
        y: Axis::linear("Round trip", "s"),
        curves: vec![
            theory("window / 10 Mbit/s", fast),
            theory("window / 2 Mbit/s", slow),
            cloud("at first", pairs(seen, BEGINS, SLOW_FROM)),
            cloud("later", pairs(seen, SETTLED, f64::INFINITY)),
        ],
    }
}

/// The round trip of windows of up to 350 kB at this rate in Mbit/s, in theory.
fn theory(name: &str, mbit: f64) -> Curve {
    let windows = (0..=7_u32).map(|step| f64::from(step) * 50.0);
    curve(name, Mark::Line, windows.map(|window| (window, Some(window * 8e-3 / mbit))))
}

fn cloud(name: &str, pairs: impl Iterator<Item = (f64, f64)>) -> Curve {
    let mut pairs: Vec<(f64, f64)> = pairs.step_by(GROUP).collect();
    pairs.sort_unstable_by(|one, other| one.0.total_cmp(&other.0));
    curve(name, Mark::Points, pairs.into_iter().map(|(window, rtt)| (window, Some(rtt))))
}
