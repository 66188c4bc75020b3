//! Figures of the time to react.

use report::{Axis, Curve, Figure, Mark};

use super::{BUFFERS, closed_form, filled};
use crate::gettys::draw::curve;
use crate::gettys::seen::Seen;

/// Windows over time.
pub(super) fn teeth(seen: &[&Seen]) -> Figure {
    let shown = BUFFERS.iter().zip(seen).filter(|(buffer, _)| matches!(buffer, 1 | 4 | 19));
    let curves = shown.filter_map(|(buffer, seen)| {
        /// The time shown, in seconds: two of the longest cycles.
        const UNTIL: f64 = 200.0;
        let windows = seen.flow("first")?.cwnd_segments.high.iter().enumerate();
        let timed = windows.map(|(index, window)| (index as f64 * seen.step(), *window));
        let name = format!("buffer {buffer} x BDP");
        Some(curve(&name, Mark::Line, timed.take_while(|(at, _)| *at <= UNTIL)))
    });
    Figure {
        id: "gettys-teeth".into(),
        title: "Reno's window over buffers of several bandwidth-delay products".into(),
        explanation:
            "Each fall is a loss, the only sign of the queue that TCP gets. With a deep buffer \
                      there is one loss in a minute. The short runs end early."
                .into(),
        x: Axis::linear("Time", "s"),
        y: Axis::linear("Window", "segments"),
        curves: curves.collect(),
    }
}

/// Cycles against the sum of pipe and buffer.
pub(super) fn cycles(reno: &[(f64, f64)], cubic: &[(f64, f64)]) -> Figure {
    Figure {
        id: "gettys-reaction".into(),
        title: "How long from loss to loss".into(),
        explanation:
            "Both axes are logarithmic, so a square is a line that climbs two decades for \
                      one. Less is better: this is how long TCP takes to notice a change."
                .into(),
        x: Axis::log("Pipe and buffer over the bandwidth-delay product", ""),
        y: Axis::log("From loss to loss", "s"),
        curves: vec![square(), dots("Reno", reno), dots("CUBIC", cubic)],
    }
}

/// A newcomer's times against the sum of pipe and buffer.
pub(super) fn shares(share: &[(f64, f64)], way: &[(f64, f64)]) -> Figure {
    Figure {
        id: "gettys-newcomer".into(),
        title: "How long a newcomer waits for its share".into(),
        explanation: "A second connection begins while a first one fills the buffer. The first \
                      connection loses packets within a few round trips, but the second gets its \
                      share only after cycles of both."
            .into(),
        x: Axis::log("Pipe and buffer over the bandwidth-delay product", ""),
        y: Axis::log("After its beginning", "s"),
        curves: vec![
            square(),
            dots("until it has its share", share),
            dots("until the first gives way", way),
        ],
    }
}

fn dots(name: &str, points: &[(f64, f64)]) -> Curve {
    curve(name, Mark::LinePoints, points.iter().map(|(x, y)| (*x, Some(*y))))
}

fn square() -> Curve {
    let form = BUFFERS.map(|buffer| (filled(buffer), Some(closed_form(buffer))));
    curve("3/8 m\u{b2} B R", Mark::Line, form)
}
