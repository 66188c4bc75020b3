//! Delays side by side, as bars on one logarithmic axis: a picture without a script, as wide as its page.

use super::{escape, section};
use crate::number::duration;
use crate::page::{Strip, StripBar};

/// Height of a bar and of the numbers below, in pixels.
const HEIGHT: u32 = 22;

/// The strip; empty without bars that can be drawn.
pub(super) fn strip(strip: &Strip) -> String {
    let Some(axis) = LogAxis::of(&strip.bars) else { return String::new() };
    let bars = strip.bars.iter().enumerate();
    let bars: String = bars.map(|(index, bar)| row(index, bar, &axis)).collect();
    let content = format!(
        "<p class=\"explanation\">{}</p>\n<dl class=\"delays\">\n{bars}</dl>\n{}",
        escape(&strip.explanation),
        axis.numbers(),
    );
    section(&escape(&strip.title), false, &content)
}

/// The bar number `index`, with its name and its value: in the strong colour up to the median, in the weak one up to the
/// 95th percentile. Readers of screens need not see the bar.
fn row(index: usize, bar: &StripBar, axis: &LogAxis) -> String {
    const CURVES: usize = 8;
    let colour = index % CURVES;
    let rectangle = |class: &str, ms: f64| {
        // Each bar can be seen.
        let width = percent(axis.place(ms).max(0.8));
        format!(
            "<rect class=\"{class} curve-{colour}\" y=\"3\" width=\"{width}%\" height=\"16\" rx=\"2\"/>"
        )
    };
    format!(
        "<div><dt>{}</dt><dd class=\"value\">{}</dd><dd class=\"bar-of\"><svg width=\"100%\" height=\"{HEIGHT}\" \
         aria-hidden=\"true\">{}{}{}</svg></dd></div>\n",
        escape(&bar.name),
        escape(&bar.value),
        axis.lines(),
        rectangle("slow", bar.p95_ms),
        rectangle("median", bar.p50_ms),
    )
}

/// A logarithmic axis of milliseconds from one power of ten to another.
struct LogAxis {
    first: i32,
    last: i32,
}

impl LogAxis {
    /// The axis that has room for these bars; `None` without a bar, or if a value has no place on it.
    fn of(bars: &[StripBar]) -> Option<Self> {
        /// The ends of what is drawn: 0.01 ms and 1,000 s.
        const ENDS: (f64, f64) = (-2.0, 6.0);
        let values = || bars.iter().flat_map(|bar| [bar.p50_ms, bar.p95_ms]);
        if !values().all(|value| value.is_finite() && value >= 0.0) {
            return None;
        }
        let exponents = || values().map(|it| libm::log10(it.max(1e-9)).clamp(ENDS.0, ENDS.1));
        let first = exponents().reduce(f64::min)?.floor() as i32;
        let last = exponents().reduce(f64::max)?.ceil() as i32;
        Some(Self { first, last: last.max(first + 1) })
    }

    /// The place of a value along the axis, in per cent of its length.
    fn place(&self, ms: f64) -> f64 {
        let exponent = libm::log10(ms.max(1e-9));
        let (first, last) = (f64::from(self.first), f64::from(self.last));
        ((exponent - first) / (last - first)).clamp(0.0, 1.0) * 100.0
    }

    /// The powers of ten, each with its place.
    fn ticks(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        let powers = (self.first..=self.last).map(|it| libm::exp10(f64::from(it)));
        powers.map(|ms| (ms, self.place(ms)))
    }

    fn lines(&self) -> String {
        let line = |(_, at): (f64, f64)| {
            let at = percent(at);
            format!("<line x1=\"{at}%\" x2=\"{at}%\" y1=\"0\" y2=\"{HEIGHT}\"/>")
        };
        self.ticks().map(line).collect()
    }

    fn numbers(&self) -> String {
        let number = |(ms, at): (f64, f64)| {
            let anchor = match at {
                ..1.0 => "start",
                99.0.. => "end",
                _ => "middle",
            };
            let (at, text) = (percent(at), escape(&round(ms)));
            format!("<text x=\"{at}%\" y=\"14\" text-anchor=\"{anchor}\">{text}</text>")
        };
        let numbers: String = self.ticks().map(number).collect();
        format!(
            "<div class=\"delays-axis\"><svg width=\"100%\" height=\"{HEIGHT}\" aria-hidden=\"true\">\
             {numbers}</svg></div>\n"
        )
    }
}

/// A part of a length, as SVG has it.
fn percent(value: f64) -> String {
    format!("{value:.2}")
}

/// A power of ten of milliseconds in words: `0.1 ms`, `10 ms`, `1 s`.
fn round(ms: f64) -> String {
    let text = duration(ms);
    match text.split_once(' ') {
        Some((number, unit)) if number.contains('.') => {
            format!("{} {unit}", number.trim_end_matches('0').trim_end_matches('.'))
        }
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(p50_ms: f64, p95_ms: f64) -> StripBar {
        StripBar { name: "codel".into(), p50_ms, p95_ms, value: "some".into() }
    }

    #[test]
    fn each_factor_of_ten_has_the_same_length() {
        let axis = LogAxis::of(&[bar(20.0, 30.0), bar(1500.0, 1750.0)]).unwrap();
        let ticks: Vec<_> = axis.ticks().map(|(ms, at)| (round(ms), at.round())).collect();
        let expected = [("10 ms", 0.0), ("100 ms", 33.0), ("1 s", 67.0), ("10 s", 100.0)];
        assert_eq!(ticks, expected.map(|(text, at)| (text.to_owned(), at)));
        assert!((axis.place(1000.0) - axis.place(100.0) - 100.0 / 3.0).abs() < 1e-9);
    }

    #[test]
    fn a_bar_that_has_no_place_is_not_drawn() {
        for broken in [f64::NAN, f64::INFINITY, -1.0] {
            assert!(LogAxis::of(&[bar(broken, 10.0)]).is_none());
        }
        assert!(LogAxis::of(&[]).is_none());
        let axis = LogAxis::of(&[bar(0.0, 0.0)]).unwrap();
        assert_eq!((axis.first, axis.last), (-2, -1));
    }
}
