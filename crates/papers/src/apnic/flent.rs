//! The plots, as Flent draws a test: the downloads, the uploads and the pings over time, each with
//! its mean, one below the other; and the distribution of the pings.

use report::{Axis, Curve, Figure, Mark};

use super::Panel;
use super::seen::{BEGINS, Seen};
use super::setup::CLASSES;

/// The pings of RRUL: flows, and their names in plots.
const PINGS: [(&str, &str); 4] =
    [("ping-be", "BE"), ("ping-bk", "BK"), ("ping-ef", "EF"), ("ping", "ICMP")];

/// The time over which the goodput is averaged, in seconds: 305 Mbit/s in four streams are runs of
/// packets, and fifths of a second, which Flent draws, show little but these.
const GOODPUT_OVER: f64 = 1.0;
/// The time from one ping to the next, in seconds.
const INTERVAL: f64 = 0.2;

/// A picture of a test: what it is of, and the beginning of its figures' ids.
#[derive(Clone, Copy)]
pub(super) struct Picture {
    pub(super) id: &'static str,
    pub(super) of: &'static str,
}

impl Picture {
    /// The three rows of Flent's picture.
    pub(super) fn draw(self, seen: &Seen) -> [(Panel, Figure); 3] {
        [
            (Panel::Downloads, self.streams("download", "Downloads", seen)),
            (Panel::Uploads, self.streams("upload", "Uploads", seen)),
            (Panel::Pings, self.pings(seen)),
        ]
    }

    fn streams(self, prefix: &str, name: &str, seen: &Seen) -> Figure {
        let of_class = |(class, name): &(&str, &str)| {
            curve(name, seen.goodput(&format!("{prefix}-{class}"), GOODPUT_OVER))
        };
        let mut curves: Vec<Curve> = CLASSES.iter().map(of_class).collect();
        curves.push(mean(&curves, GOODPUT_OVER));
        Figure {
            id: format!("{}-{prefix}s", self.id),
            title: format!("{name}, {}", self.of),
            explanation: format!(
                "The goodput of four {prefix}s, each of a class of its own, and their mean, over \
                 each second. The load begins at {BEGINS} s and lasts 60 s. High and steady is good."
            ),
            x: Axis::linear("Time", "s"),
            y: Axis::linear("Goodput", "Mbit/s"),
            curves,
        }
    }

    fn pings(self, seen: &Seen) -> Figure {
        let of_class = |(flow, name): &(&str, &str)| curve(name, seen.pings(flow));
        let mut curves: Vec<Curve> = PINGS.iter().map(of_class).collect();
        curves.push(mean(&curves, INTERVAL));
        Figure {
            id: format!("{}-pings", self.id),
            title: format!("Pings, {}", self.of),
            explanation: "The round trip of pings of three classes, and of one without a class, \
                          five a second each, and their mean. Flat is good. Note the scales: \
                          without CAKE a ping takes ten times as long."
                .into(),
            x: Axis::linear("Time", "s"),
            y: Axis::linear("Round trip of a ping", "ms"),
            curves,
        }
    }
}

/// The distribution of the pings under load, as Flent's `ping_cdf` has it.
pub(super) fn distribution<'a>(
    tests: impl IntoIterator<Item = (&'a str, &'a Seen)>,
) -> (Panel, Figure) {
    let of_test = |(name, seen): (&str, &Seen)| {
        let rtts = seen.under_load("ping");
        let part = |below: usize| 100.0 * (below + 1) as f64 / rtts.len() as f64;
        let points = rtts.iter().enumerate().map(|(below, rtt)| (*rtt, part(below)));
        Curve { mark: Mark::Steps, ..curve(name, points) }
    };
    let figure = Figure {
        id: "apnic-cdf".into(),
        title: "How pings are distributed under load".into(),
        explanation:
            "Each point of a curve shows the percentage of pings that came back within the time \
                      below it. Further left is better, and so is steep."
                .into(),
        x: Axis::log("Round trip of a ping", "ms"),
        y: Axis::linear("Pings", "%"),
        curves: tests.into_iter().map(of_test).collect(),
    };
    (Panel::Summary, figure)
}

/// A line through these points.
pub(super) fn curve(name: &str, points: impl IntoIterator<Item = (f64, f64)>) -> Curve {
    let (x, y) = points.into_iter().map(|(x, y)| (x, Some(y))).unzip();
    Curve { name: name.into(), x, y, ..Curve::default() }
}

/// The mean of these curves in each step of `width` seconds in which there are values.
fn mean(curves: &[Curve], width: f64) -> Curve {
    let mut steps: Vec<Vec<f64>> = Vec::new();
    for (at, value) in curves.iter().flat_map(|curve| curve.x.iter().zip(&curve.y)) {
        let step = (at / width) as usize;
        steps.resize_with(steps.len().max(step + 1), Vec::new);
        steps[step].extend(value);
    }
    let mean = |(step, values): (usize, &Vec<f64>)| {
        let sum = values.iter().copied().reduce(|sum, value| sum + value)?;
        Some(((step as f64 + 0.5) * width, sum / values.len() as f64))
    };
    curve("mean", steps.iter().enumerate().filter_map(mean))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: two values in the first second, one in the third.
    #[test]
    fn a_mean_is_of_the_values_that_there_are() {
        let curves = [curve("one", [(0.1, 1.0), (2.5, 4.0)]), curve("other", [(0.9, 3.0)])];
        let mean = mean(&curves, 1.0);
        assert_eq!((mean.x, mean.y), (vec![0.5, 2.5], vec![Some(2.0), Some(4.0)]));
    }
}
