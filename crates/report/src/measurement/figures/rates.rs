//! The goodput of the loading flows of one direction, over time.

use std::collections::BTreeSet;

use observation::Heading;
use results::{FlowSeries, MeasuredSeries};

use super::{over_time, stages};
use crate::figure::{Axis, Curve, Figure};
use crate::text::printable;

/// Largest number of simultaneous flows that are drawn one by one; of more, which could not be
/// distinguished, only the sum or the mean is drawn.
const MOST: usize = 8;

/// The width of the means that are shown, in seconds: a second shows the shares, and not the bursts.
const SMOOTH_S: f64 = 1.0;

pub(super) fn figure(series: &MeasuredSeries, heading: Heading) -> Option<Figure> {
    let flows: Vec<&FlowSeries> =
        series.flows.iter().filter(|flow| flow.heading == heading).collect();
    let names = names(&flows);
    let at_a_time = names.iter().collect::<BTreeSet<_>>().len();
    let drawn = flows.iter().zip(&names).filter(|_| at_a_time <= MOST);
    let mut curves: Vec<Curve> = drawn
        .filter_map(|(flow, name)| over_time::curve(name, &flow.at_s, &flow.goodput_mbit))
        .collect();
    if flows.len() > 1 {
        let mixed = flows.iter().any(|flow| flow.class != flows[0].class);
        // Flent draws the mean beside flows of several classes.
        let (name, parts) = if mixed { ("mean", at_a_time) } else { ("together", 1) };
        curves.extend(together(&flows, name, parts));
    }
    if curves.is_empty() {
        return None;
    }
    for curve in curves.iter_mut().filter(|it| it.low.is_empty()) {
        curve.smoothed_over = Some(SMOOTH_S);
    }
    let name = heading.in_words();
    Some(Figure {
        id: name.into(),
        title: format!("TCP {name}"),
        explanation: "The goodput of each flow that loads the line, and of all of them: the sum \
                      or, for several classes, the mean. Steady and equal is good. If flows of \
                      different classes get different shares, the path treats the classes \
                      differently."
            .into(),
        x: Axis::linear("Time", "s"),
        y: Axis::linear("Goodput", "Mbit/s"),
        curves: stages(series).chain(curves).collect(),
    })
}

/// The names of flows: the class, with a number if a class has several flows at a time. Flows of
/// different stages share a name.
fn names(flows: &[&FlowSeries]) -> Vec<String> {
    // For each number of a class, the end of the flow that has it.
    let mut ends: Vec<(&str, f64)> = Vec::new();
    let mut numbered = Vec::new();
    for flow in flows {
        let start = intervals(flow).next().map_or(f64::NEG_INFINITY, |first| first.from);
        let end = flow.at_s.last().copied().unwrap_or(f64::NEG_INFINITY);
        let alike = ends.iter_mut().filter(|(class, _)| *class == flow.class).enumerate();
        let mut free = alike.filter(|(_, (_, end))| *end <= start);
        let number = match free.next() {
            Some((number, (_, used))) => {
                *used = end;
                number
            }
            None => {
                ends.push((&flow.class, end));
                ends.iter().filter(|(class, _)| *class == flow.class).count() - 1
            }
        };
        numbered.push((flow.class.as_str(), number));
    }
    let name = |(class, number): &(&str, usize)| {
        let several = ends.iter().filter(|(other, _)| other == class).count() > 1;
        let class = if class.is_empty() { "flow".into() } else { printable(class) };
        if several { format!("{class} {}", number + 1) } else { class }
    };
    numbered.iter().map(name).collect()
}

/// The sum of all flows' rates, divided by `parts`, in steps derived from the flows' intervals. The
/// rate of each interval is spread evenly over the steps that it touches.
fn together(flows: &[&FlowSeries], name: &str, parts: usize) -> Option<Curve> {
    let steps = flows.iter().flat_map(|flow| flow.at_s.windows(2));
    let mut steps: Vec<f64> = steps.map(|pair| pair[1] - pair[0]).filter(|s| *s > 0.0).collect();
    steps.sort_by(f64::total_cmp);
    // The step is twice the median interval, so that each flow has a whole interval or two in each
    // step.
    let step = 2.0 * steps.get(steps.len() / 2)?;
    let end = flows.iter().filter_map(|flow| flow.at_s.last()).copied().reduce(f64::max)?;
    // Times are decimal fractions, whose rounding must not make one step more.
    let count = (end / step - 1e-6).ceil();
    if !(1.0..1e6).contains(&count) {
        return None;
    }
    let mut sums = vec![RateStep::default(); count as usize];
    for flow in flows {
        let mut own = vec![RateStep::default(); sums.len()];
        intervals(flow).for_each(|interval| spread(&mut own, step, &interval));
        for (sum, own) in sums.iter_mut().zip(own) {
            sum.megabits += own.megabits;
            sum.covered_s = sum.covered_s.max(own.covered_s);
        }
    }
    let at_s: Vec<f64> = (0..sums.len()).map(|index| (index as f64 + 0.5) * step).collect();
    let rate = |sum: &RateStep| stats::ratio(sum.megabits, sum.covered_s * parts as f64);
    over_time::curve(name, &at_s, &sums.iter().map(rate).collect::<Vec<_>>())
}

/// The data of a step of time.
#[derive(Clone, Copy, Default)]
struct RateStep {
    megabits: f64,
    /// Part of the step that is covered by intervals, in seconds.
    covered_s: f64,
}

/// The rate of a flow between two times, in seconds.
struct Interval {
    from: f64,
    to: f64,
    mbit: f64,
}

/// The intervals of a flow that have a rate. The first is as long as the second.
fn intervals(flow: &FlowSeries) -> impl Iterator<Item = Interval> {
    let first = flow.at_s.first().zip(flow.at_s.get(1)).map(|(one, other)| 2.0 * one - other);
    let starts = first.into_iter().chain(flow.at_s.iter().copied());
    let intervals = starts.zip(&flow.at_s).zip(&flow.goodput_mbit);
    intervals.filter_map(|((from, to), mbit)| {
        let mbit = mbit.filter(|mbit| mbit.is_finite())?;
        (to - from > 0.0).then_some(Interval { from, to: *to, mbit })
    })
}

/// Adds the data of an interval to the steps that it touches.
fn spread(steps: &mut [RateStep], step: f64, interval: &Interval) {
    let Interval { from, to, mbit } = *interval;
    let last = steps.len().saturating_sub(1);
    let index = |at: f64| ((at / step).max(0.0) as usize).min(last);
    for at in index(from)..=index(to) {
        let begin = (at as f64 * step).max(from);
        let end = ((at + 1) as f64 * step).min(to);
        if let Some(sum) = steps.get_mut(at).filter(|_| end - begin > 1e-6 * step) {
            sum.megabits += mbit * (end - begin);
            sum.covered_s += end - begin;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flow(class: &str, mbit: f64) -> FlowSeries {
        let at_s: Vec<f64> = (1..=100).map(|index| f64::from(index) / 10.0).collect();
        FlowSeries {
            goodput_mbit: vec![Some(mbit); at_s.len()],
            at_s,
            ..FlowSeries::new(Heading::Up, class)
        }
    }

    #[test]
    fn flows_are_named_by_class_and_have_a_mean() {
        let flows = vec![flow("BE", 1.0), flow("BE", 2.0), flow("EF", 3.0)];
        let series = MeasuredSeries { flows, ..MeasuredSeries::default() };
        let figure = figure(&series, Heading::Up).unwrap();
        let names: Vec<&str> = figure.curves.iter().map(|curve| curve.name.as_str()).collect();
        assert_eq!(names, ["BE 1", "BE 2", "EF", "mean"]);
        let mean = &figure.curves[3].y;
        assert!(mean.iter().flatten().all(|rate| (rate - 2.0).abs() < 1e-9), "{mean:?}");
        assert_eq!(super::figure(&series, Heading::Down), None);
    }

    #[test]
    fn flows_of_another_stage_have_the_same_names() {
        let later = |flow: FlowSeries| {
            let at_s = flow.at_s.iter().map(|at| at + 12.0).collect();
            FlowSeries { at_s, ..flow }
        };
        let flows = [flow("BE", 1.0), flow("BE", 2.0), later(flow("BE", 3.0))];
        assert_eq!(names(&flows.each_ref()), ["BE 1", "BE 2", "BE 1"]);
        assert_eq!(names(&[&flow("EF", 1.0), &later(flow("EF", 2.0))]), ["EF", "EF"]);
    }

    #[test]
    fn intervals_that_do_not_meet_are_spread() {
        let mut late = flow("BE", 2.0);
        late.at_s.iter_mut().for_each(|at| *at += 0.05);
        let sum = together(&[&flow("BE", 2.0), &late], "together", 1).unwrap();
        let middle = &sum.y[1..sum.y.len() - 1];
        assert!(middle.iter().flatten().all(|rate| (rate - 4.0).abs() < 1e-9), "{middle:?}");
    }
}
