//! The values behind a plot as a table, for readers who do not see the plot: a few figures of each curve, or each
//! value where there are few.

use std::ops::RangeInclusive;

use super::{escape, explanation, table_of};
use crate::figure::{Axis, Curve, Figure, Scale};
use crate::number::{figure, significant as number};
use crate::page::PageTable;

/// Largest number of rows.
const MOST: usize = 200;

/// The column of [`summary`] that has the beginning and the end of a curve.
const TIME_COLUMN: usize = 1;

/// The table under a line that opens it; empty if the plot has no values.
pub(super) fn values(figure: &Figure) -> String {
    let Some(table) = table(figure) else { return String::new() };
    folded(&figure.title, &table)
}

/// The values over the time of day behind a plot; `time` has the words for a time. All curves cover the same
/// time, which stands above the table.
pub(super) fn over_time(figure: &Figure, time: &dyn Fn(f64) -> String) -> String {
    let curves: Vec<&Curve> = figure.curves.iter().collect();
    let (mut head, mut rows) = summary(&grouped(&curves), &figure.x, &figure.y, time);
    let drawn = curves.iter().flat_map(|curve| points(curve, &figure.y)).map(|(at, _)| at);
    let Some(reach) = reach(drawn) else { return String::new() };
    for cells in rows.iter_mut().chain([&mut head]) {
        cells.remove(TIME_COLUMN);
    }
    let (from, to) = (time(*reach.start()), time(*reach.end()));
    let explanation = format!("{from} to {to}. {}", figure.explanation);
    let table = PageTable { title: title(figure), explanation, head, rows, ..PageTable::default() };
    folded(&figure.title, &table)
}

/// A table of the values behind the plot called `of`, under a line that opens it.
pub(super) fn folded(of: &str, table: &PageTable) -> String {
    format!(
        "<details class=\"values\">\n<summary>Values as a table<span class=\"unseen\">: {}</span></summary>\n{}{}\
         </details>\n",
        escape(of),
        explanation(&table.explanation),
        table_of(table),
    )
}

fn title(figure: &Figure) -> String {
    format!("Values of {}", figure.title)
}

fn table(figure: &Figure) -> Option<PageTable> {
    let curves: Vec<&Curve> = figure.curves.iter().filter(|it| !it.mark.is_aid()).collect();
    let by_name = grouped(&curves);
    let Figure { x, y, .. } = figure;
    let is_distribution = by_name.iter().all(|(_, it)| it.iter().all(|curve| ascends(curve)));
    let (head, mut rows) = if curves.iter().any(|it| it.colours.is_some()) {
        cells(&curves, x, y)
    } else if !x.names.is_empty() {
        named(&curves, x, y)
    } else if !y.names.is_empty() {
        in_rows(&curves, x, y)
    } else if is_distribution && y.unit == "%" {
        distribution(&by_name, x)
    } else {
        summary(&by_name, x, y, &|x| number(x))
    };
    let left_out = rows.len().saturating_sub(MOST);
    rows.truncate(MOST);
    let note = (left_out > 0).then(|| format!("… and {left_out} more, which Save CSV has"));
    let (title, notes) = (title(figure), note.into_iter().collect());
    (!rows.is_empty()).then(|| PageTable { title, head, rows, notes, ..PageTable::default() })
}

type Rows = (Vec<String>, Vec<Vec<String>>);

/// The curves of each name, in the order of the names.
fn grouped<'a>(curves: &[&'a Curve]) -> Vec<(&'a str, Vec<&'a Curve>)> {
    let mut groups: Vec<(&str, Vec<&Curve>)> = Vec::new();
    for curve in curves {
        match groups.iter_mut().find(|(name, _)| *name == curve.name) {
            Some((_, group)) => group.push(curve),
            None => groups.push((&curve.name, vec![curve])),
        }
    }
    groups
}

fn ascends(curve: &Curve) -> bool {
    let known: Vec<f64> = curve.y.iter().flatten().copied().collect();
    known.len() > 1 && known.is_sorted() && curve.low.is_empty()
}

/// The name of an axis with its unit: `Time (s)`.
fn heading(axis: &Axis) -> String {
    with_unit(&axis.label, axis)
}

fn with_unit(name: &str, axis: &Axis) -> String {
    match axis.unit.as_str() {
        "" => name.to_owned(),
        unit => format!("{name} ({unit})"),
    }
}

/// A value of an axis, or the name at which it stands.
fn place(value: f64, axis: &Axis) -> String {
    let name = axis.names.get(value.round().max(0.0) as usize);
    name.cloned().unwrap_or_else(|| along(value, axis))
}

/// A value of an axis; of those that it does not tell apart, that they are below its least one.
fn along(value: f64, axis: &Axis) -> String {
    match axis.least {
        Some(least) if value <= least => format!("below {}", figure(least)),
        _ => number(value),
    }
}

/// Each cell of a map.
fn cells(curves: &[&Curve], x: &Axis, y: &Axis) -> Rows {
    let shown = curves.iter().find_map(|it| it.colours.as_ref());
    let head = [Some(y), Some(x), shown.map(|it| &it.axis)].into_iter().flatten().map(heading);
    let rows = curves.iter().flat_map(|curve| {
        let places = curve.x.iter().zip(&curve.y).zip(&curve.value);
        places.filter_map(|((at, up), value)| {
            Some(vec![place((*up)?, y), place(*at, x), number((*value)?)])
        })
    });
    (head.collect(), rows.collect())
}

/// Each value at a name, and of a box its quartiles.
fn named(curves: &[&Curve], x: &Axis, y: &Axis) -> Rows {
    let has_boxes = curves.iter().any(|it| !it.five.is_empty());
    let value = match has_boxes {
        true => format!("{}: median and quartiles", heading(y)),
        false => heading(y),
    };
    let head = vec![heading(x), "Curve".into(), value];
    let rows = curves.iter().flat_map(|curve| {
        curve.x.iter().zip(&curve.y).enumerate().filter_map(|(index, (at, value))| {
            let text = match curve.five.get(index) {
                Some([_, lower, median, upper, _]) => {
                    let [lower, median, upper] = [lower, median, upper].map(|it| along(*it, y));
                    format!("{median} ({lower} to {upper})")
                }
                None => place((*value)?, y),
            };
            Some((*at, vec![place(*at, x), curve.name.clone(), text]))
        })
    });
    (head, in_order(rows))
}

/// Each value in a row that has a name.
fn in_rows(curves: &[&Curve], x: &Axis, y: &Axis) -> Rows {
    let name = if y.label.is_empty() { "Row".into() } else { heading(y) };
    let rows = curves.iter().flat_map(|curve| {
        curve.x.iter().zip(&curve.y).filter_map(|(value, at)| {
            // Adding zero makes the zero below the middle of the first row positive.
            let row = (*at)?.round() + 0.0;
            Some((row, vec![place(row, y), curve.name.clone(), along(*value, x)]))
        })
    });
    (vec![name, "Curve".into(), heading(x)], in_order(rows))
}

/// The rows in the order of their places.
fn in_order(rows: impl Iterator<Item = (f64, Vec<String>)>) -> Vec<Vec<String>> {
    let mut rows: Vec<_> = rows.collect();
    rows.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    rows.into_iter().map(|(_, row)| row).collect()
}

/// Where each distribution reaches some percentages.
fn distribution(curves: &[(&str, Vec<&Curve>)], x: &Axis) -> Rows {
    const REACHED: [f64; 4] = [5.0, 50.0, 95.0, 100.0];
    let name = |percent: &f64| with_unit(&format!("{percent} % below"), x);
    let head = std::iter::once(x.label.clone()).chain(REACHED.iter().map(name)).collect();
    let rows = curves.iter().map(|(name, group)| {
        let reached = |percent: &f64| {
            let points = group.iter().flat_map(|curve| curve.x.iter().zip(&curve.y));
            let first = points.filter(|(_, y)| y.is_some_and(|y| y >= *percent - 1e-9));
            first.map(|(x, _)| *x).reduce(f64::min).map_or_else(String::new, |it| along(it, x))
        };
        std::iter::once((*name).to_owned()).chain(REACHED.iter().map(reached)).collect()
    });
    (head, rows.collect())
}

/// Where the values of each name begin and end, and the lowest, the median and the highest of them.
fn summary(
    curves: &[(&str, Vec<&Curve>)],
    x: &Axis,
    y: &Axis,
    time: &dyn Fn(f64) -> String,
) -> Rows {
    let value = |name: &str| with_unit(name, y);
    let (at, lowest) = (with_unit("at", x), value(&format!("{}: lowest", y.label)));
    let head = ["Curve".to_owned(), heading(x), lowest, at.clone(), value("median")];
    let head = head.into_iter().chain([value("highest"), at]);
    let rows = curves.iter().filter_map(|(name, group)| {
        let mut values: Vec<(f64, f64)> = group.iter().flat_map(|curve| points(curve, y)).collect();
        let reach = reach(values.iter().map(|(at, _)| *at))?;
        values.sort_by(|one, other| one.1.total_cmp(&other.1));
        let (lowest, highest) = (values.first()?, values.last()?);
        let median = values.get(values.len() / 2)?;
        let span = match reach.start() == reach.end() {
            true => time(*reach.start()),
            false => format!("{} to {}", time(*reach.start()), time(*reach.end())),
        };
        let cells = [along(lowest.1, y), time(lowest.0), along(median.1, y)];
        let cells = cells.into_iter().chain([along(highest.1, y), time(highest.0)]);
        Some([(*name).to_owned(), span].into_iter().chain(cells).collect())
    });
    (head.collect(), rows.collect())
}

/// The places and the values of a curve that can be drawn, with those at its lower edge.
fn points(curve: &Curve, y: &Axis) -> impl Iterator<Item = (f64, f64)> + Clone {
    let is_drawn =
        move |value: &f64| value.is_finite() && (y.scale == Scale::Linear || *value > 0.0);
    let edges = [&curve.y, &curve.low].map(|edge| curve.x.iter().zip(edge));
    let points = edges.into_iter().flatten();
    points.filter_map(move |(x, value)| Some((*x, value.filter(is_drawn)?)))
}

fn reach(values: impl Iterator<Item = f64> + Clone) -> Option<RangeInclusive<f64>> {
    Some(values.clone().reduce(f64::min)?..=values.reduce(f64::max)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::{Colours, Mark};

    fn figure(x: Axis, y: Axis, curves: Vec<Curve>) -> Figure {
        Figure { id: "plot".into(), title: "Plot".into(), explanation: String::new(), x, y, curves }
    }

    fn curve(name: &str, x: &[f64], y: &[f64]) -> Curve {
        let y = y.iter().copied().map(Some).collect();
        Curve { name: name.into(), x: x.to_vec(), y, ..Curve::default() }
    }

    fn rows(figure: &Figure) -> Vec<String> {
        table(figure).unwrap().rows.iter().map(|row| row.join("|")).collect()
    }

    #[test]
    fn curves_over_time_have_their_lowest_and_highest_value() {
        let [time, delay] = [Axis::linear("Time", "s"), Axis::log("Delay", "ms")];
        let aid = Curve { mark: Mark::Span, ..curve("load", &[0.0, 1.0], &[1.0, 1.0]) };
        let curves = vec![
            aid,
            curve("up", &[0.0, 1.0, 2.0], &[5.0, 0.0, 40.0]),
            curve("down", &[1.0], &[3.0]),
            curve("up", &[3.0], &[2.0]),
        ];
        let figure = figure(time, delay, curves);
        assert_eq!(
            rows(&figure),
            ["up|0 to 3.00|2.00|3.00|5.00|40.0|2.00", "down|1.00|3.00|1.00|3.00|3.00|1.00"]
        );
        let html = values(&figure);
        assert!(html.contains("<summary>Values as a table"), "{html}");
        assert!(
            html.contains(
                "<th scope=\"col\" class=\"number\">highest <span class=\"unit\">(ms)</span></th>"
            ),
            "{html}"
        );
    }

    #[test]
    fn a_distribution_tells_where_it_reaches_a_part() {
        let [x, y] = [Axis::log("Round trip", "ms"), Axis::linear("Packets", "%")];
        let curve = curve("idle", &[1.0, 2.0, 9.0], &[33.0, 66.0, 100.0]);
        let figure = figure(x, y, vec![curve]);
        assert_eq!(rows(&figure), ["idle|1.00|2.00|9.00|9.00"]);
        assert_eq!(table(&figure).unwrap().head[1], "5 % below (ms)");
    }

    #[test]
    fn boxes_and_maps_name_their_places() {
        let names = || Axis::named("queue", ["codel", "pie"]);
        let five = vec![[1.0, 2.0, 3.0, 4.0, 5.0]];
        let boxes = Curve { five, mark: Mark::Box, ..curve("all", &[1.0], &[3.0]) };
        let one = figure(names(), Axis::linear("Wait", "ms"), vec![boxes]);
        assert_eq!(rows(&one), ["pie|all|3.00 (2.00 to 4.00)"]);
        let colours = Some(Colours { axis: Axis::linear("Wait", "ms"), from: 0.0, to: 9.0 });
        let map = Curve { colours, value: vec![Some(7.0)], ..curve("", &[0.0], &[1.0]) };
        let other = figure(names(), names(), vec![map]);
        assert_eq!(rows(&other), ["pie|codel|7.00"]);
    }

    /// Dots of one row stand a little above and below its middle.
    #[test]
    fn dots_in_rows_are_told_by_row() {
        let rows_of = Axis::named("", ["call", "ping"]);
        let one = curve("codel", &[9.0, 5.0], &[0.1, 1.1]);
        let other = curve("pie", &[12.0], &[-0.1]);
        let figure = figure(Axis::log("Delay", "ms"), rows_of, vec![one, other]);
        assert_eq!(rows(&figure), ["call|codel|9.00", "call|pie|12.0", "ping|codel|5.00"]);
    }

    #[test]
    fn a_long_table_says_what_it_leaves_out() {
        let names = Axis::named("queue", (0..300).map(|index| index.to_string()));
        let x: Vec<f64> = (0..300).map(f64::from).collect();
        let figure = figure(names, Axis::linear("Wait", "ms"), vec![curve("all", &x, &x)]);
        let table = table(&figure).unwrap();
        assert_eq!(table.rows.len(), MOST);
        assert_eq!(table.notes, ["… and 100 more, which Save CSV has"]);
        assert_eq!(values(&Figure { curves: Vec::new(), ..figure }), "");
    }
}
