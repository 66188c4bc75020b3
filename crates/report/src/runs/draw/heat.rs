//! Maps over two fields.

use stats::interpolated_quantile;

use super::DELAYS;
use crate::figure::{Colours, Curve, Figure, Mark};
use crate::runs::PlotError;
use crate::runs::choice::{RunsView, telling};
use crate::runs::field::Varied;
use crate::runs::metric::Measured;

/// Largest number of maps, and of rows or columns of a map.
const MOST_MAPS: usize = 6;
const MOST_SIDE: usize = 60;

/// The maps: one, or one for each queue if several were varied.
pub(super) fn figures(view: &RunsView<'_>) -> Result<Vec<Figure>, PlotError> {
    let y = view.y(DELAYS)?;
    let (x, up) = sides(view, &y)?;
    let is_other = |field: &&Varied<'_>| field.path != x.path && field.is_free(Some(up));
    let queues = view.fields.iter().filter(|field| field.is_queue()).find(is_other);
    let maps = view.groups(queues).into_iter();
    let maps = maps.map(|(name, runs)| Map::of(name, &runs, x, up, &y));
    let mut maps: Vec<Map> = maps.filter(|map| map.values.iter().any(Option::is_some)).collect();
    maps.truncate(MOST_MAPS);
    let all = || maps.iter().flat_map(|map| &map.values).flatten().copied();
    let Some(from) = all().reduce(f64::min) else {
        return Err(PlotError(format!("y: no run has a value of {}", y.name)));
    };
    let colours = Colours { axis: y.axis(), from, to: all().fold(from, f64::max) };
    let explanation = explanation(&y, queues);
    // The explanation is given once.
    let said = |index| if index == 0 { explanation.clone() } else { String::new() };
    let figure = |(index, map): (usize, Map)| Figure {
        id: if index == 0 { "heat".into() } else { format!("heat-{}", index + 1) },
        title: queues.map_or_else(|| y.title(), |_| format!("{}: {}", y.title(), map.name)),
        explanation: said(index),
        x: x.named_axis(),
        y: up.named_axis(),
        curves: vec![map.cells(x.count(), up.count(), &colours)],
    };
    Ok(maps.into_iter().enumerate().map(figure).collect())
}

/// The explanation of the maps, with the number of queues that have no map.
fn explanation(y: &Measured<'_>, queues: Option<&Varied<'_>>) -> String {
    let more = queues.map(|queues| queues.count().saturating_sub(MOST_MAPS));
    let same = match more {
        None => String::new(),
        Some(0) => " All maps have the same colours.".into(),
        Some(more) => format!(" All maps have the same colours; {more} more are not drawn."),
    };
    format!(
        "Each cell is the median of the runs with these two values; the bar shows the value of \
         each colour.{same}{}",
        y.remark(),
    )
}

/// The fields on the horizontal and the vertical axis: those asked for, otherwise the two that
/// change `y` most. Numbers come before names, and queues are taken only if there are no others.
/// The fields must be numbers if maps were not asked for.
fn sides<'v, 'a>(
    view: &'v RunsView<'a>,
    y: &Measured<'_>,
) -> Result<(&'v Varied<'a>, &'v Varied<'a>), PlotError> {
    let asked = |option, name: &Option<String>| {
        name.as_ref().map(|name| view.field(option, name)).transpose()
    };
    let (x, up) = (asked("x", &view.plot.x)?, asked("by", &view.plot.by)?);
    let pick = |taken: Option<&Varied<'_>>| {
        let free = || view.fields.iter().filter(|field| field.is_free(taken));
        let numbers = telling(free().filter(|field| field.numbers.is_some()), y);
        // Queues come last: with two other fields, one map for each queue shows more.
        let asked = || {
            let others = telling(free().filter(|field| !field.is_queue()), y);
            others.or_else(|| telling(free(), y)).filter(|_| view.plot.kind.is_some())
        };
        let few = "a map needs two fields that were varied independently, in addition to the seed";
        numbers.or_else(asked).ok_or_else(|| PlotError(few.into()))
    };
    let x = x.map_or_else(|| pick(up), Ok)?;
    let up = up.map_or_else(|| pick(Some(x)), Ok)?;
    if x.path == up.path {
        return Err(PlotError(format!("by: {} is already on the horizontal axis", x.path)));
    }
    match [x, up].into_iter().find(|field| field.count() > MOST_SIDE) {
        Some(field) => {
            let (path, count) = (field.path, field.count());
            Err(PlotError(format!("by: a map of {count} values of {path} cannot be read")))
        }
        None => Ok((x, up)),
    }
}

/// The medians of one map, row by row.
struct Map {
    name: String,
    values: Vec<Option<f64>>,
}

impl Map {
    fn of(name: String, runs: &[usize], x: &Varied<'_>, up: &Varied<'_>, y: &Measured<'_>) -> Self {
        let mut fields = vec![Vec::new(); x.count() * up.count()];
        for run in runs {
            if let (Some(right), Some(row), Some(value)) =
                (x.of_run.get(*run), up.of_run.get(*run), y.at(*run))
            {
                fields[row * x.count() + right].push(value);
            }
        }
        let median = |values: &mut Vec<f64>| {
            values.sort_by(f64::total_cmp);
            interpolated_quantile(values, 0.5)
        };
        Map { name, values: fields.iter_mut().map(median).collect() }
    }

    /// The cells of the map, in this number of columns and rows.
    fn cells(&self, columns: usize, rows: usize, colours: &Colours) -> Curve {
        // The cells are in ascending order of `x`, as in all curves.
        let order = || (0..columns).flat_map(|right| (0..rows).map(move |row| (right, row)));
        Curve {
            mark: Mark::Cells,
            x: order().map(|(right, _)| right as f64).collect(),
            y: order().map(|(_, row)| Some(row as f64)).collect(),
            value: order().map(|(right, row)| self.values[row * columns + right]).collect(),
            colours: Some(colours.clone()),
            ..Curve::default()
        }
    }
}
