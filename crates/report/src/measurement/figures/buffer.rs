//! Delay against rate, as Netalyzr drew it: the size of a buffer, and its delay at the rate at
//! which it drains.
//!
//! Source: Kreibich, Weaver, Nechaev and Paxson, "Netalyzr: Illuminating the Edge Network", IMC
//! 2010, whose figures of buffers have the diagonals along which the delay is the same.

use results::{LoadedDirection, Measurement};

use crate::figure::{Axis, Curve, Figure, Mark};
use crate::grade::HEALTHY_BELOW;

/// Delays for which a diagonal is drawn, in seconds.
const DIAGONALS_S: [f64; 9] = [0.001, 0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 4.0];
const BYTES_PER_KIB: f64 = 1024.0;

pub(super) fn figure(measurement: &Measurement) -> Option<Figure> {
    let judged = measurement.judged();
    let dots: Vec<Curve> =
        judged.filter_map(|(heading, direction)| dot(heading.in_words(), direction)).collect();
    if dots.is_empty() {
        return None;
    }
    let places = || dots.iter().flat_map(|dot| dot.x.iter().zip(dot.y.iter().flatten()));
    let right = around(places().map(|(x, _)| *x))?;
    let up = around(places().map(|(_, y)| *y))?;
    let guides = DIAGONALS_S.iter().filter_map(|seconds| diagonal(*seconds, right, up));
    let corners = [corner(right.0, up.0), corner(right.1, up.1)];
    Some(Figure {
        id: "buffer".into(),
        title: "Delay against rate".into(),
        explanation: format!(
            "Each dot is one direction under load: the horizontal axis shows its rate, \
                      the vertical axis how much data waits in its full queue. Each diagonal is \
                      one delay: the same buffer is a short delay on a fast line and a long delay \
                      on a slow line. Below {HEALTHY_BELOW} is good."
        ),
        x: Axis::log("Rate", "Mbit/s"),
        y: Axis::log("Queue", "KiB"),
        curves: guides.chain(corners).chain(dots).collect(),
    })
}

/// The dot of a direction: the size of its buffer or, if that is not known, the backlog that 95 of
/// 100 packets found at most.
fn dot(name: &str, direction: &LoadedDirection) -> Option<Curve> {
    let mbit = direction.rate_mbit.filter(|mbit| mbit.is_finite() && *mbit > 0.0)?;
    let size = direction.buffer.and_then(|buffer| buffer.bytes);
    let stood = || direction.added_p95_ms().map(|p95| p95 * mbit * 1e3 / 8.0);
    let bytes = size.or_else(stood).filter(|bytes| bytes.is_finite() && *bytes >= 1.0)?;
    Some(Curve {
        name: name.into(),
        mark: Mark::Points,
        x: vec![mbit],
        y: vec![Some(bytes / BYTES_PER_KIB)],
        ..Curve::default()
    })
}

/// The range of an axis for these values, with some room: at least a factor of 100, from one round
/// number to another.
fn around(values: impl Iterator<Item = f64> + Clone) -> Option<(f64, f64)> {
    const ROOM: f64 = 2.0;
    let low = values.clone().reduce(f64::min)? / ROOM;
    let high = values.reduce(f64::max)? * ROOM;
    // If the range is too small, both ends are moved by the same factor.
    let missing = (100.0 / (high / low)).max(1.0).sqrt();
    let is_below = |round: f64| round <= low / missing;
    let is_above = |round: f64| round >= high * missing;
    let from = round_numbers(low / missing).rev().find(|round| is_below(*round))?;
    let to = round_numbers(high * missing).find(|round| is_above(*round))?;
    Some((from, to))
}

/// Numbers that are 1, 2, 5 and 10 times the power of ten below `value`.
fn round_numbers(value: f64) -> impl DoubleEndedIterator<Item = f64> {
    let power = libm::pow(10.0, libm::floor(libm::log10(value)));
    [1.0, 2.0, 5.0, 10.0].into_iter().map(move |digit| digit * power)
}

/// The diagonal of this delay, in seconds, within the two ranges; `None` if it is outside.
fn diagonal(seconds: f64, right: (f64, f64), up: (f64, f64)) -> Option<Curve> {
    // The factor is in KiB per Mbit/s.
    let factor = seconds * 1e6 / 8.0 / BYTES_PER_KIB;
    let from = right.0.max(up.0 / factor);
    let to = right.1.min(up.1 / factor);
    (from < to).then(|| Curve {
        name: if seconds < 1.0 { format!("{} ms", seconds * 1e3) } else { format!("{seconds} s") },
        mark: Mark::Guide,
        x: vec![from, to],
        y: vec![Some(from * factor), Some(to * factor)],
        ..Curve::default()
    })
}

/// An invisible guide of one point, which makes the plot reach as far.
fn corner(right: f64, up: f64) -> Curve {
    Curve { mark: Mark::Guide, x: vec![right], y: vec![Some(up)], ..Curve::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1 Mbit/s for a second are 125,000 bytes.
    #[test]
    fn the_plot_goes_from_round_to_round_numbers() {
        let around = |values: &[f64]| around(values.iter().copied()).unwrap();
        assert_eq!(around(&[2.0, 20.0]), (0.5, 100.0));
        assert_eq!(around(&[256.0]), (20.0, 5000.0));
        assert_eq!(around(&[0.5, 0.6]), (0.05, 10.0));
        assert_eq!(super::around([].into_iter()), None);
    }

    #[test]
    fn along_a_diagonal_the_delay_is_the_same() {
        let line = diagonal(1.0, (0.1, 100.0), (1.0, 1000.0)).unwrap();
        for (mbit, kib) in line.x.iter().zip(line.y.iter().flatten()) {
            let seconds = kib * BYTES_PER_KIB * 8.0 / (mbit * 1e6);
            assert!((seconds - 1.0).abs() < 1e-9, "{seconds}");
        }
        assert!((line.y[1].unwrap() - 1000.0).abs() < 1e-6);
        assert_eq!(diagonal(0.005, (0.1, 1.0), (10.0, 1000.0)), None);
    }
}
