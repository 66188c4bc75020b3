//! A page about many runs.

use results::{GroupTable, MedianAndRange, Runs};

use super::compared::{Compared, Format, bounds, cell};
use super::field::Varied;
use super::seeds::{few_note, has_intervals, seed_note};
use crate::figure::Figure;
use crate::number::{MISSING, count, duration, millis, percent, significant};
use crate::page::{Page, PageTable};
use crate::text::printable;

/// A figure in the tables: its name, its heading, and its format.
type Shown = (&'static str, &'static str, Format);

const SHOWN: [Shown; 5] = [
    ("sojourn_ms.p50", "sojourn p50 (ms)", millis),
    ("sojourn_ms.p95", "sojourn p95 (ms)", millis),
    ("utilisation", "used (%)", percent),
    ("drops.share", "dropped (%)", percent),
    ("goodput_mbit", "goodput (Mbit/s)", significant),
];

/// A page about `runs` with these figures: the number of runs and the varied fields on top, then
/// the groups as tables.
pub fn runs_page(runs: &Runs, figures: Vec<Figure>) -> Page {
    let all = runs.index.len();
    let varied: Vec<String> = Varied::all(runs).iter().map(values).collect();
    let number = if all == 1 { "1 run".into() } else { format!("{} runs", count(all as u64)) };
    let what = match &varied[..] {
        [] => "nothing was varied".to_owned(),
        [one] => format!("varied: {one}"),
        [before @ .., last] => format!("varied: {} and {last}", before.join(", ")),
    };
    let what = format!("{number}; {what}.");
    Page {
        title: if runs.title.is_empty() { "A sweep".into() } else { runs.title.clone() },
        verdict: compared(runs).into_iter().chain([what]).collect(),
        tables: GroupTable::usual(runs).iter().flat_map(tables).collect(),
        figures,
        ..Page::default()
    }
}

/// A sentence about the queues with the shortest and the longest delay; `None` unless several were
/// compared. The sentence gives the use of the line too, because a queue is easily empty on an idle
/// line.
fn compared(runs: &Runs) -> Option<String> {
    let queue =
        Varied::all(runs).into_iter().find(|field| field.is_queue() && field.count() > 1)?;
    let median = |metric: &str, value: usize| {
        let values = &runs.metric(metric)?.values;
        let of = queue.of_run.iter().zip(values).filter(|(which, _)| **which == value);
        let middle =
            MedianAndRange::of(&mut of.filter_map(|(_, found)| *found).collect::<Vec<_>>())?;
        Some(middle.median)
    };
    let known =
        (0..queue.count()).filter_map(|value| Some((median("sojourn_ms.p50", value)?, value)));
    let mut known: Vec<(f64, usize)> = known.collect();
    known.sort_by(|one, other| one.0.total_cmp(&other.0));
    let [(least, best), .., (most, worst)] = known[..] else { return None };
    let used = |value| {
        let used = median("utilisation", value);
        used.map(|used| format!(", with {} % of the line used", percent(used))).unwrap_or_default()
    };
    Some(format!(
        "{} had the shortest wait in the queue: {} in the median of its runs{}. {} had the longest: \
         {}{}.",
        printable(queue.names[best]),
        duration(least),
        used(best),
        printable(queue.names[worst]),
        duration(most),
        used(worst),
    ))
}

/// A field with its values; of many numbers, only the first and the last.
fn values(field: &Varied<'_>) -> String {
    const FEW: usize = 6;
    let number = count(field.count() as u64);
    let names = match &field.names[..] {
        names if names.len() <= FEW => names.join(", "),
        [first, .., last] if field.numbers.is_some() => {
            format!("{number} values from {first} to {last}")
        }
        _ => format!("{number} values"),
    };
    format!("{} ({names})", field.path)
}

/// The table of groups, and the tables that compare them.
fn tables(groups: &GroupTable) -> Vec<PageTable> {
    let compared = Compared::all(groups);
    let compared = compared.iter().enumerate();
    let compared = compared.filter_map(|(index, axis)| comparison(axis, groups, index > 0));
    table(groups).into_iter().chain(compared).collect()
}

/// The figures that at least one group has.
fn shown(groups: &GroupTable) -> Vec<Shown> {
    let is_known = |name: &str| groups.groups.iter().any(|group| group.metrics.contains_key(name));
    SHOWN.into_iter().filter(|(name, ..)| is_known(name)).collect()
}

/// The table of groups, one row for each, with the figures that at least one group has; `None` if
/// there are none.
fn table(groups: &GroupTable) -> Option<PageTable> {
    let shown = shown(groups);
    if shown.is_empty() {
        return None;
    }
    let names = if groups.by.is_empty() { vec!["".to_owned()] } else { groups.by.clone() };
    let heads = shown.iter().map(|(_, head, _)| (*head).to_owned());
    let has_intervals = has_intervals(groups);
    let rows = groups.groups.iter().map(|group| {
        let all = group.values.is_empty().then(|| "all".to_owned());
        let cells = shown.iter().map(|(name, _, format)| {
            let middle = group.metrics.get(*name);
            middle.map_or(MISSING.to_owned(), |middle| median(middle, has_intervals, *format))
        });
        let names = all.into_iter().chain(group.values.iter().cloned());
        names.chain([count(group.runs)]).chain(cells).collect()
    });
    let explanation = match has_intervals {
        true => {
            "The median of the runs in each group, with its 95 % confidence interval in brackets."
        }
        false => "The median of the runs in each group, with the least and the largest value.",
    };
    let notes = seed_note(groups).into_iter().chain(few_note(groups));
    Some(PageTable {
        title: match &groups.by[..] {
            [] => "All runs".into(),
            by => format!("By {}", by.join(", ")),
        },
        explanation: [explanation.to_owned()]
            .into_iter()
            .chain(notes)
            .collect::<Vec<_>>()
            .join(" "),
        head: names.into_iter().chain(["runs".to_owned()]).chain(heads).collect(),
        rows: rows.collect(),
        ..PageTable::default()
    })
}

/// The table of the groups compared along one axis.
fn comparison(axis: &Compared<'_>, groups: &GroupTable, folded: bool) -> Option<PageTable> {
    const UNITLESS: fn(&str) -> &str = |head| head.split(" (").next().unwrap_or(head);
    let shown = shown(groups);
    let names: Vec<&str> = shown.iter().map(|(name, ..)| *name).collect();
    let heads = shown.iter().map(|(_, head, _)| UNITLESS(head).to_owned());
    let rows = axis.groups.iter().map(|(group, paired)| {
        let cells = names.iter().map(|name| {
            paired.metrics.get(*name).map_or(MISSING.to_owned(), |figure| cell(name, figure))
        });
        group.values.iter().cloned().chain([count(paired.pairs)]).chain(cells).collect()
    });
    let note = axis.note(&names).map(|note| format!(" {note}")).unwrap_or_default();
    Some(PageTable {
        title: format!("Compared with {}", axis.to),
        explanation: format!("{}.{note}", axis.heading()),
        folded,
        head: groups.by.iter().cloned().chain(["pairs".to_owned()]).chain(heads).collect(),
        rows: rows.collect(),
        ..PageTable::default()
    })
    .filter(|_| !names.is_empty())
}

/// The median with its interval, `5.1 (4.9–5.3)`, or with its range where no group of the table has
/// an interval; a single value if all are the same.
fn median(value: &MedianAndRange, has_intervals: bool, format: Format) -> String {
    let &MedianAndRange { median, min, max, interval_95 } = value;
    let range = Some([min, max]).filter(|_| format(min) != format(max));
    format(median) + &bounds(if has_intervals { interval_95 } else { range }, format)
}
