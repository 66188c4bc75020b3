//! What is drawn of many runs: what was asked for, and where nothing was, what tells the most.

use results::{Metric, Runs};

use super::field::Varied;
use super::metric::Measured;
use super::name;
use super::{Kind, PlotError, RunsPlot};
use crate::figure::Scale;

/// How many colours people can tell apart and still look up.
pub(super) const MOST_COLOURS: usize = 16;

/// A table with what is asked of it.
#[derive(Debug)]
pub(super) struct View<'a> {
    pub runs: &'a Runs,
    pub fields: Vec<Varied<'a>>,
    pub plot: &'a RunsPlot,
}

/// What stands to the right and what has colours, and whether we chose the former.
pub(super) struct Sides<'v, 'a> {
    pub x: &'v Varied<'a>,
    pub by: Option<&'v Varied<'a>>,
    /// A sentence that says why it is this field, after a blank.
    pub why: String,
}

impl<'a> View<'a> {
    pub(super) fn new(runs: &'a Runs, plot: &'a RunsPlot) -> Self {
        View { runs, fields: Varied::all(runs), plot }
    }

    /// Refuses names of what is not there.
    pub(super) fn check(&self) -> Result<(), PlotError> {
        let RunsPlot { x, y, by, kind } = self.plot;
        if let Some(x) = x {
            let (field, metric) = (self.field("x", x).map(|_| ()), self.metric("x", x).map(|_| ()));
            match kind {
                Some(Kind::Cdf | Kind::Tradeoff) => metric?,
                Some(Kind::Box | Kind::Line | Kind::Heat) => field?,
                None => field.or_else(|error| metric.map_err(|_| error))?,
            }
        }
        if let Some(y) = y {
            self.metric("y", y)?;
        }
        by.as_ref().map_or(Ok(()), |by| self.field("by", by).map(|_| ()))
    }

    /// The field that is called so, or the only one whose path ends so.
    pub(super) fn field(&self, option: &str, name: &str) -> Result<&Varied<'a>, PlotError> {
        let paths: Vec<&str> = self.fields.iter().map(|field| field.path).collect();
        let index = name::find(option, name, "field that was varied", &paths).map_err(|error| {
            let is_metric = self.runs.metrics.iter().any(|metric| metric.name == name);
            let hint = if is_metric { " (it is a metric, as --y takes one)" } else { "" };
            PlotError(format!("{error}{hint}"))
        })?;
        Ok(&self.fields[index])
    }

    /// The metric that is called so, or the only one whose name ends so, of those that some run
    /// has.
    pub(super) fn metric(&self, option: &str, name: &str) -> Result<Measured<'a>, PlotError> {
        if let Some(metric) = self.runs.metrics.iter().find(|metric| metric.name == name) {
            let measured = Measured::of(metric);
            let none = || PlotError(format!("{option}: no run has a value of `{}`", metric.name));
            return if measured.exists() { Ok(measured) } else { Err(none()) };
        }
        let is_there = |metric: &&'a Metric| metric.values.iter().any(Option::is_some);
        let there: Vec<&Metric> = self.runs.metrics.iter().filter(is_there).collect();
        let names: Vec<&str> = there.iter().map(|metric| metric.name.as_str()).collect();
        name::find(option, name, "metric", &names).map(|index| Measured::of(there[index]))
    }

    /// The metric upwards: the one asked for, or the first of the `usual` ones that some run has,
    /// or the first of all.
    pub(super) fn y(&self, usual: &[&str]) -> Result<Measured<'a>, PlotError> {
        match &self.plot.y {
            Some(name) => self.metric("y", name),
            None => self.usual(usual).ok_or_else(|| PlotError("no run has a single figure".into())),
        }
    }

    /// The first of these metrics that some run has, or the first of all.
    pub(super) fn usual(&self, usual: &[&str]) -> Option<Measured<'a>> {
        let known = usual.iter().filter_map(|name| self.runs.metric(name));
        known.chain(&self.runs.metrics).map(Measured::of).find(Measured::exists)
    }

    /// What has colours, beside the field that is `taken`: what was asked for, else queues, else
    /// the field with few values that changes `y` most; names rather than numbers.
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

    /// What stands to the right, and what has colours.
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
        let nothing = || PlotError("no field was varied that could stand to the right".into());
        // A single field is better to the right than in colours, and so is one of which only the
        // first value has been run yet, if someone wants to see that.
        let begun = || self.plot.kind.and(self.fields.first());
        let single = by.or_else(begun).map(|field| (field, None));
        let (x, by) = x.map(|x| (x, by)).or(single).ok_or_else(nothing)?;
        Ok(Sides { x, by, why })
    }

    /// How many runs there are.
    pub(super) fn count(&self) -> usize {
        self.runs.index.len()
    }

    /// The runs of each value of `by`, with its name: as many as there are colours. All are one
    /// group if there is no `by`.
    pub(super) fn groups(&self, by: Option<&Varied<'_>>) -> Vec<(String, Vec<usize>)> {
        let Some(by) = by else { return vec![("all runs".into(), (0..self.count()).collect())] };
        let of =
            |value: usize| (0..self.count()).filter(move |run| by.of_run.get(*run) == Some(&value));
        let group = |(value, name): (usize, &&str)| (curve_name(by, name), of(value).collect());
        by.names.iter().enumerate().take(MOST_COLOURS).map(group).collect()
    }
}

/// A number alone says nothing: `count 10`.
fn curve_name(by: &Varied<'_>, name: &str) -> String {
    let last = by.path.rsplit('.').next().unwrap_or_default();
    if by.numbers.is_some() { format!("{last} {name}") } else { name.to_owned() }
}

/// What is not drawn for want of colours; begins with a blank.
pub(super) fn left_out(by: Option<&Varied<'_>>) -> String {
    let more = by.map_or(0, Varied::count).saturating_sub(MOST_COLOURS);
    match by {
        Some(by) if more > 0 => format!(" {more} more values of {} are not drawn.", by.path),
        _ => String::new(),
    }
}

/// The one that changes `y` most; of equals the first.
pub(super) fn telling<'v, 'a: 'v>(
    fields: impl Iterator<Item = &'v Varied<'a>>,
    y: &Measured<'_>,
) -> Option<&'v Varied<'a>> {
    let effects = fields.map(|field| (effect(field, y), field));
    effects
        .reduce(|best, next| if next.0 > best.0 + 1e-9 { next } else { best })
        .map(|(_, field)| field)
}

/// What part of the variance of `y` the values of `field` explain, 0 to 1: the squares between the
/// groups over all squares; of logarithms, if `y` is seen by factors.
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
