//! The choice of what is drawn of many runs: the fields and metrics that were asked for, otherwise
//! those that show the most.

use results::{RunMetric, Runs};

use super::field::Varied;
use super::metric::Measured;
use super::name;
use super::{PlotError, PlotKind, RunsPlot};
use crate::figure::Scale;

/// Largest number of colours that people can distinguish, and find in a legend.
pub(super) const MOST_COLOURS: usize = 16;

/// A table of runs, with the requested plot.
#[derive(Debug)]
pub(super) struct RunsView<'a> {
    pub runs: &'a Runs,
    pub fields: Vec<Varied<'a>>,
    pub plot: &'a RunsPlot,
}

/// The field on the horizontal axis, and the field with colours; `None` if there is one colour.
pub(super) struct Sides<'v, 'a> {
    pub x: &'v Varied<'a>,
    pub by: Option<&'v Varied<'a>>,
    /// A blank and a sentence with the reason for the field `x`; empty if it was asked for, or is
    /// the only one.
    pub why: String,
}

impl<'a> RunsView<'a> {
    pub(super) fn new(runs: &'a Runs, plot: &'a RunsPlot) -> Self {
        RunsView { runs, fields: Varied::all(runs), plot }
    }

    /// Fails if the plot names a field or a metric that does not exist.
    pub(super) fn check(&self) -> Result<(), PlotError> {
        let RunsPlot { x, y, by, kind } = self.plot;
        if let Some(x) = x {
            let (field, metric) = (self.field("x", x).map(|_| ()), self.metric("x", x).map(|_| ()));
            match kind {
                Some(PlotKind::Cdf | PlotKind::Tradeoff) => metric?,
                Some(PlotKind::Box | PlotKind::Line | PlotKind::Heat) => field?,
                None => field.or_else(|error| metric.map_err(|_| error))?,
            }
        }
        if let Some(y) = y {
            self.metric("y", y)?;
        }
        by.as_ref().map_or(Ok(()), |by| self.field("by", by).map(|_| ()))
    }

    /// The field with this path, or the only one whose path ends with it.
    pub(super) fn field(&self, option: &str, name: &str) -> Result<&Varied<'a>, PlotError> {
        let paths: Vec<&str> = self.fields.iter().map(|field| field.path).collect();
        let index = name::find(option, name, "varied field", &paths).map_err(|error| {
            let is_metric = self.runs.metrics.iter().any(|metric| metric.name == name);
            let hint = if is_metric { " (it is a metric, as --y takes one)" } else { "" };
            PlotError(format!("{error}{hint}"))
        })?;
        Ok(&self.fields[index])
    }

    /// The metric with this name, or the only one whose name ends with it, among those that a run
    /// has.
    pub(super) fn metric(&self, option: &str, name: &str) -> Result<Measured<'a>, PlotError> {
        if let Some(metric) = self.runs.metrics.iter().find(|metric| metric.name == name) {
            let measured = Measured::of(metric);
            let none = || PlotError(format!("{option}: no run has a value of `{}`", metric.name));
            return if measured.exists() { Ok(measured) } else { Err(none()) };
        }
        let is_there = |metric: &&'a RunMetric| metric.values.iter().any(Option::is_some);
        let there: Vec<&RunMetric> = self.runs.metrics.iter().filter(is_there).collect();
        let names: Vec<&str> = there.iter().map(|metric| metric.name.as_str()).collect();
        name::find(option, name, "metric", &names).map(|index| Measured::of(there[index]))
    }

    /// The metric on the vertical axis: the one asked for, otherwise the first of the `usual` ones
    /// that a run has, otherwise the first of all.
    pub(super) fn y(&self, usual: &[&str]) -> Result<Measured<'a>, PlotError> {
        match &self.plot.y {
            Some(name) => self.metric("y", name),
            None => self.usual(usual).ok_or_else(|| PlotError("no run has a single figure".into())),
        }
    }

    /// The first of the `usual` metrics that a run has, otherwise the first of all that a run has;
    /// `None` if no run has any.
    pub(super) fn usual(&self, usual: &[&str]) -> Option<Measured<'a>> {
        let known = usual.iter().filter_map(|name| self.runs.metric(name));
        known.chain(&self.runs.metrics).map(Measured::of).find(Measured::exists)
    }

    /// The field with colours, other than the field `taken`: the one asked for, otherwise queues,
    /// otherwise the field with few values that changes `y` most, of names before one of numbers.
    pub(super) fn by(
        &self,
        y: &Measured<'_>,
        taken: Option<&Varied<'_>>,
    ) -> Result<Option<&Varied<'a>>, PlotError> {
        if let Some(by) = &self.plot.by {
            let by = self.field("by", by)?;
            return Ok(Some(by).filter(|by| taken.is_none_or(|taken| taken.path != by.path)));
        }
        let fits = |field: &&Varied<'_>| field.count() <= MOST_COLOURS && field.is_free(taken);
        let fields = || self.fields.iter().filter(fits);
        let names = || fields().filter(|field| field.numbers.is_none());
        let queue = fields().find(|field| field.is_queue());
        Ok(queue.or_else(|| telling(names(), y)).or_else(|| telling(fields(), y)))
    }

    /// The field on the horizontal axis, and the field with colours.
    pub(super) fn sides(&self, y: &Measured<'_>) -> Result<Sides<'_, 'a>, PlotError> {
        if let Some(x) = &self.plot.x {
            let x = self.field("x", x)?;
            return Ok(Sides { x, by: self.by(y, Some(x))?, why: String::new() });
        }
        let by = self.by(y, None)?;
        let fields = || self.fields.iter().filter(|field| field.is_free(by));
        let numbers = || fields().filter(|field| field.numbers.is_some());
        let all = if numbers().next().is_some() { numbers().count() } else { fields().count() };
        let x = telling(numbers(), y).or_else(|| telling(fields(), y));
        let why = match x {
            Some(x) if all > 1 => {
                format!(" Of the fields that were varied, {} changes it most.", x.path)
            }
            _ => String::new(),
        };
        let nothing = || PlotError("no varied field can be on the horizontal axis".into());
        // A single field is better on the axis than in colours. So is a field of which only the
        // first value has been run yet, if a kind of plot was asked for.
        let begun = || self.plot.kind.and(self.fields.first());
        let single = by.or_else(begun).map(|field| (field, None));
        let (x, by) = x.map(|x| (x, by)).or(single).ok_or_else(nothing)?;
        Ok(Sides { x, by, why })
    }

    /// The number of runs.
    pub(super) fn count(&self) -> usize {
        self.runs.index.len()
    }

    /// The runs of each value of `by`, with the name of the value, for as many values as there are
    /// colours. Without `by` all runs are one group.
    pub(super) fn groups(&self, by: Option<&Varied<'_>>) -> Vec<(String, Vec<usize>)> {
        let Some(by) = by else { return vec![("all runs".into(), (0..self.count()).collect())] };
        let of =
            |value: usize| (0..self.count()).filter(move |run| by.of_run.get(*run) == Some(&value));
        let group = |(value, name): (usize, &&str)| (curve_name(by, name), of(value).collect());
        by.names.iter().enumerate().take(MOST_COLOURS).map(group).collect()
    }
}

/// The name of a curve; a number has the name of its field before it: `count 10`.
fn curve_name(by: &Varied<'_>, name: &str) -> String {
    let last = by.path.rsplit('.').next().unwrap_or_default();
    if by.numbers.is_some() { format!("{last} {name}") } else { name.to_owned() }
}

/// A blank and a sentence about the values that are not drawn because there are not enough colours.
pub(super) fn left_out(by: Option<&Varied<'_>>) -> String {
    let more = by.map_or(0, Varied::count).saturating_sub(MOST_COLOURS);
    match by {
        Some(by) if more > 0 => format!(" {more} more values of {} are not drawn.", by.path),
        _ => String::new(),
    }
}

/// The field that changes `y` most; the first of equals. `None` if there are no fields.
pub(super) fn telling<'v, 'a: 'v>(
    fields: impl Iterator<Item = &'v Varied<'a>>,
    y: &Measured<'_>,
) -> Option<&'v Varied<'a>> {
    let effects = fields.map(|field| (effect(field, y), field));
    effects
        .reduce(|best, next| if next.0 > best.0 + 1e-9 { next } else { best })
        .map(|(_, field)| field)
}

/// The part of the variance of `y` that the values of `field` explain, 0 to 1: the squares between
/// the groups over all squares; of logarithms, if the scale of `y` is logarithmic.
fn effect(field: &Varied<'_>, y: &Measured<'_>) -> f64 {
    let even = |value: f64| if y.scale == Scale::Log { libm::log10(value) } else { value };
    let mut groups = vec![(0.0, 0.0); field.count()];
    let (mut count, mut sum, mut squares) = (0.0, 0.0, 0.0);
    for (run, group) in field.of_run.iter().enumerate() {
        let Some(value) = y.at(run).map(even) else { continue };
        (count, sum, squares) = (count + 1.0, sum + value, squares + value * value);
        groups[*group].0 += 1.0;
        groups[*group].1 += value;
    }
    let mean = sum / count;
    let between: f64 = (groups.iter().filter(|(count, _)| *count > 0.0))
        .map(|(count, sum)| sum * sum / count)
        .sum::<f64>()
        - count * mean * mean;
    let all = squares - count * mean * mean;
    if all > 0.0 { (between / all).clamp(0.0, 1.0) } else { 0.0 }
}
