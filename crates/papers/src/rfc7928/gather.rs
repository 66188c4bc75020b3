//! The means over the runs of a case.

use results::{CharacterisedCase, CharacterisedClass, CharacterisedFigure, Windows};

use super::SEEDS;
use super::measure::Measured;
use super::scenario::Case;
use super::setup::Setup;
use super::watch::WINDOW;

/// The result of a case; `None` unless all its runs are complete.
pub(super) fn case(
    case: &Case,
    runs: &[Setup<'_>],
    outcomes: &[Option<Measured>],
) -> Option<CharacterisedCase> {
    let measured: Vec<&Measured> = outcomes.iter().map(Option::as_ref).collect::<Option<_>>()?;
    let queues: Vec<&[&Measured]> = measured.chunks(SEEDS as usize).collect();
    // The first run of the last queue.
    let repeat = runs.rchunks(SEEDS as usize).next()?.first()?;
    let over_time = || queues.iter().filter_map(|runs| Some(rounded(&runs.first()?.over_time)));
    Some(CharacterisedCase {
        name: case.name.clone(),
        id: case.id.clone(),
        at: case.at,
        repeat: repeat.command().ok()?,
        figures: figures(&queues),
        windows: queues.iter().map(|runs| windows(runs, |run| &run.windows)).collect(),
        classes: classes(&queues),
        step_s: WINDOW.as_secs_f64(),
        over_time: if case.over_time { over_time().collect() } else { Vec::new() },
    })
}

/// The figures, one mean for each queue. All runs of a case have the same list of figures; a figure
/// that no run has is left out.
fn figures(queues: &[&[&Measured]]) -> Vec<CharacterisedFigure> {
    let Some(first) = queues.first().and_then(|runs| runs.first()) else { return Vec::new() };
    let figures = first.figures.iter().enumerate().map(|(index, figure)| {
        let mean = |runs: &&[&Measured]| {
            let values = runs.iter().filter_map(|run| run.figures.get(index)?.value);
            mean(&values.collect::<Vec<_>>())
        };
        CharacterisedFigure {
            of: figure.of.clone(),
            metric: figure.metric.into(),
            unit: figure.unit.into(),
            values: queues.iter().map(mean).collect(),
        }
    });
    figures.filter(|figure| figure.values.iter().any(Option::is_some)).collect()
}

fn mean(values: &[f64]) -> Option<f64> {
    stats::ratio(values.iter().sum(), values.len() as f64)
}

/// The classes of flows. As with figures, all runs have the same classes.
fn classes(queues: &[&[&Measured]]) -> Vec<CharacterisedClass> {
    let Some(first) = queues.first().and_then(|runs| runs.first()) else { return Vec::new() };
    let class = |index: usize| {
        move |runs: &&[&Measured]| {
            windows(runs, |run| run.classes.get(index).map_or(&[], |(_, windows)| windows))
        }
    };
    let names = first.classes.iter().map(|(of, _)| of.clone()).enumerate();
    names
        .map(|(index, of)| CharacterisedClass {
            of,
            windows: queues.iter().map(class(index)).collect(),
        })
        .collect()
}

fn windows(runs: &[&Measured], of: impl Fn(&Measured) -> &[(f64, f64)]) -> Windows {
    let all = || runs.iter().flat_map(|run| of(run));
    Windows {
        delay_ms: all().map(|(delay, _)| short(*delay)).collect(),
        goodput_mbit: all().map(|(_, goodput)| short(*goodput)).collect(),
    }
}

fn rounded(values: &[Option<f64>]) -> Vec<Option<f64>> {
    values.iter().map(|value| value.map(short)).collect()
}

/// The value with three decimals, enough for a plot.
fn short(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}

#[cfg(test)]
mod tests {
    use super::super::measure::Figure;
    use super::*;

    fn run(value: Option<f64>) -> Measured {
        let figure = |metric, value| Figure { of: "queue".into(), metric, unit: "ms", value };
        let figures = vec![figure("delay", value), figure("marked", None)];
        Measured { figures, ..Measured::default() }
    }

    #[test]
    fn figures_are_means_over_the_runs_that_have_them() {
        let [one, two, none] = [Some(1.0), Some(2.0), None].map(run);
        let found = figures(&[&[&one, &two, &none], &[&none, &none, &none]]);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].values, [Some(1.5), None]);
    }
}
