//! The axes of a plot: the mapping of values to pixels.

use super::measure::width;
use super::range::AxisRange;
use super::sample::shown;
use super::ticks::{self, Tick};
use crate::figure::{self, Scale};

/// The font size of the numbers along the axes.
pub(super) const TICK: f64 = 12.0;

/// Lengths in seconds from which an axis of time has a larger unit, and that unit in seconds and by
/// name.
const LONG_TIMES: [(f64, f64, &str); 2] = [(10_800.0, 3600.0, "h"), (600.0, 60.0, "min")];

/// An axis of a plot.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Axis {
    /// The scale of the axis.
    scale: Scale,
    /// The values at the ends of the axis.
    range: AxisRange,
    /// The places of the ends, in pixels.
    pixels: (f64, f64),
    /// The unit that is shown: its size in units of the values, and its name.
    unit: (f64, String),
    /// The measured quantity.
    label: String,
    /// The names at 0, 1, ... in place of numbers; empty if the axis has numbers.
    names: Vec<String>,
    /// The least value that the axis tells apart; `None` if it tells all apart.
    least: Option<f64>,
}

/// The two axes of a plot.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axes<'a> {
    /// The horizontal axis.
    pub(super) x: &'a Axis,
    /// The vertical axis.
    pub(super) y: &'a Axis,
}

impl Axis {
    /// An axis over `range`, from the first of `pixels` to the second.
    pub(super) fn new(figure: &figure::Axis, range: AxisRange, pixels: (f64, f64)) -> Self {
        let unit = (1.0, figure.unit.clone());
        let (label, names) = (figure.label.clone(), figure.names.clone());
        Axis { scale: figure.scale, range, pixels, unit, label, names, least: figure.least }
    }

    /// The axis, on which a long time in seconds is shown in minutes or hours.
    pub(super) fn with_long_times(mut self) -> Self {
        let span = self.range.high - self.range.low;
        let long = LONG_TIMES.into_iter().find(|(seconds, ..)| span >= *seconds);
        if let (Some((_, factor, name)), "s", Scale::Linear) = (long, &*self.unit.1, self.scale) {
            self.unit = (factor, name.to_owned());
        }
        self
    }

    /// The ticks along the lower side: as many as fit into this room, in pixels.
    pub(super) fn columns(&self, room: f64) -> Vec<Tick> {
        let fits = |ticks: &[Tick]| {
            let labelled = || ticks.iter().filter(|tick| !tick.label.is_empty());
            labelled().zip(labelled().skip(1)).all(|(one, other)| {
                let needed = (width(&one.label, TICK) + width(&other.label, TICK)) / 2.0 + 14.0;
                (self.place(other.value) - self.place(one.value)).abs() >= needed
            })
        };
        let most = (room / 80.0) as usize;
        let ticks = (1..=most).rev().map(|count| self.ticks(count)).find(|ticks| fits(ticks));
        ticks.unwrap_or_else(|| self.ticks(1))
    }

    /// True if the scale can show `value`.
    pub(super) fn shows(&self, value: f64) -> bool {
        shown(self.scale, value).is_some()
    }

    /// True if the axis has names in place of numbers.
    pub(super) fn is_named(&self) -> bool {
        !self.names.is_empty()
    }

    /// True if equal distances on the axis are equal factors.
    pub(super) fn is_log(&self) -> bool {
        self.scale == Scale::Log
    }

    /// The quantity with its unit: `Time (s)`.
    pub(super) fn title(&self) -> String {
        match (&*self.label, &*self.unit.1) {
            (label, "") => label.to_owned(),
            ("", unit) => unit.to_owned(),
            (label, unit) => format!("{label} ({unit})"),
        }
    }

    /// The place of `value` in pixels; the nearest end if the value lies beyond.
    pub(super) fn place(&self, value: f64) -> f64 {
        let AxisRange { low, high } = self.range;
        let part = match self.scale {
            Scale::Linear => (value - low) / (high - low),
            Scale::Log => {
                let (start, end) = (libm::log10(low), libm::log10(high));
                (libm::log10(value.max(low)) - start) / (end - start)
            }
        };
        let (start, end) = self.pixels;
        start + part.clamp(0.0, 1.0) * (end - start)
    }

    /// The place of zero, or of the end that is nearest to it. Names and logarithms have no zero:
    /// then the first end.
    pub(super) fn base(&self) -> f64 {
        match self.scale {
            Scale::Linear if !self.is_named() => self.place(0.0),
            _ => self.pixels.0,
        }
    }

    /// The ticks at round numbers, about `count` of them with a label; or at all names.
    pub(super) fn ticks(&self, count: usize) -> Vec<Tick> {
        if self.is_named() {
            let name =
                |(index, name): (usize, &String)| Tick { value: index as f64, label: name.clone() };
            return self.names.iter().enumerate().map(name).collect();
        }
        let factor = self.unit.0;
        let mut ticks =
            ticks::ticks(self.scale, self.range.low / factor, self.range.high / factor, count);
        for tick in &mut ticks {
            tick.value *= factor;
            let is_least = self.least.is_some_and(|least| tick.value <= least * (1.0 + 1e-9));
            if is_least && !tick.label.is_empty() {
                tick.label.insert(0, '<');
            }
        }
        ticks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(scale: Scale, unit: &str, low: f64, high: f64) -> Axis {
        let figure = figure::Axis { scale, ..figure::Axis::linear("Time", unit) };
        Axis::new(&figure, AxisRange { low, high }, (100.0, 300.0))
    }

    #[test]
    fn places_lie_between_the_ends() {
        let linear = axis(Scale::Linear, "s", -10.0, 10.0);
        for (value, place) in
            [(-10.0, 100.0), (0.0, 200.0), (5.0, 250.0), (10.0, 300.0), (1e9, 300.0)]
        {
            assert_eq!(linear.place(value), place, "{value}");
        }
        let log = axis(Scale::Log, "s", 1.0, 100.0);
        for (value, place) in [(1.0, 100.0), (10.0, 200.0), (100.0, 300.0), (0.0, 100.0)] {
            assert_eq!(log.place(value), place, "{value}");
        }
    }

    #[test]
    fn what_an_axis_does_not_tell_apart_is_below_its_least_value() {
        let figure = figure::Axis::log_from(0.1, "Delay", "ms");
        let axis = Axis::new(&figure, AxisRange { low: 0.1, high: 100.0 }, (0.0, 300.0));
        let labels = axis.ticks(4).into_iter().map(|it| it.label).filter(|it| !it.is_empty());
        assert_eq!(labels.collect::<Vec<_>>(), ["<0.1", "1", "10", "100"]);
    }

    #[test]
    fn long_times_are_read_in_minutes_and_hours() {
        for (seconds, title, last) in
            [(300.0, "Time (s)", "300"), (1200.0, "Time (min)", "20"), (36_000.0, "Time (h)", "10")]
        {
            let axis = axis(Scale::Linear, "s", 0.0, seconds).with_long_times();
            assert_eq!(axis.title(), title);
            let tick = axis.ticks(6).pop().unwrap();
            assert_eq!((&*tick.label, tick.value), (last, seconds));
        }
        let packets = axis(Scale::Linear, "packets", 0.0, 1e6).with_long_times();
        assert_eq!(packets.title(), "Time (packets)");
    }

    #[test]
    fn what_has_no_unit_or_no_label_is_named_by_the_other() {
        assert_eq!(axis(Scale::Linear, "", 0.0, 1.0).title(), "Time");
        let bare = Axis { label: String::new(), ..axis(Scale::Linear, "ms", 0.0, 1.0) };
        assert_eq!(bare.title(), "ms");
    }
}
