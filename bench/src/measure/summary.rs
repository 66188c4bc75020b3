//! The results of all cases as tables.

use observation::Heading;

use super::beside::{Beside, Row};
use super::case::MODEM;
use super::cost::Loopback;
use super::judge::{Compared, HopJudged, HopOutcome, Judged};
use super::run_case::Cost;
use super::score;
use super::{Costs, Results};
use crate::table::{Format, Table, decimals};

/// Prints the tables. Starved runs are shown and do not count, unless `with_starved`.
pub(super) fn print(results: &Results, format: Format, with_starved: bool) {
    let Results { judged, failed, lags, beside, loopback, costs } = results;
    if !judged.is_empty() {
        println!("{}", table(judged).render(format));
    }
    if !judged.is_empty() || !lags.is_empty() {
        let counted: Vec<&Judged> =
            judged.iter().filter(|one| with_starved || one.starved.is_empty()).collect();
        println!("{}", score::table(&counted, lags).render(format));
    }
    let starved = judged.iter().filter(|one| !one.starved.is_empty() && one.heading == Heading::Up);
    for one in starved {
        println!("* {}: {}", one.case, one.starved.join("; "));
    }
    for (case, why) in failed {
        println!("{case}: {why}");
    }
    if !costs.is_empty() {
        println!("{}", table_of_costs(costs).render(format));
    }
    if let Some(loopback) = loopback {
        println!("{}", over_loopback(loopback).render(format));
    }
    if let Some(beside) = beside {
        println!("{}", side_by_side(beside, judged).render(format));
        beside.absent.iter().for_each(|line| println!("{line}"));
        beside.validity.reasons.iter().for_each(|reason| println!("* {reason}"));
    }
}

/// The costs of tests.
fn table_of_costs(costs: &[Costs]) -> Table {
    let headings = ["path", "lasted s", "test CPU %", "test MB", "server CPU %", "server MB"];
    let mut table = Table::new(1, &headings);
    for Costs { case, lasted, client, server } in costs {
        let percent = |cost: &Cost| stats::ratio(100.0 * cost.cpu_s, *lasted);
        table.row(vec![
            (*case).into(),
            format!("{lasted:.1}"),
            decimals(percent(client), 1),
            format!("{:.1}", client.peak_rss_mb),
            decimals(percent(server), 1),
            format!("{:.1}", server.peak_rss_mb),
        ]);
    }
    table
}

/// The results over the loopback.
fn over_loopback(loopback: &Loopback) -> Table {
    let mut table = Table::new(1, &["loopback", "Mbit/s", "probes p50 ms", "p99 ms"]);
    for (way, loaded) in [("download", loopback.download), ("upload", loopback.upload)] {
        table.row(vec![
            way.into(),
            decimals(loaded.goodput_mbit, 0),
            decimals(loaded.p50_ms, 3),
            decimals(loaded.p99_ms, 3),
        ]);
    }
    table
}

/// Other programs over the link by which the project is judged, and ours if it was measured.
fn side_by_side(beside: &Beside, judged: &[Judged]) -> Table {
    let headings = ["program", "way", "p50 ms", "truth", "error %", "p99 ms", "truth", "error %"];
    let mut table = Table::new(2, &headings);
    let mut row = |tool: &str, heading: &str, figures: [Compared; 2]| {
        let figures = figures.into_iter().flat_map(|it| {
            let error = it.error().map(|error| 100.0 * error);
            [decimals(it.said, 1), decimals(it.truth, 1), decimals(error, 1)]
        });
        let cells = [tool.to_owned(), heading.to_owned()].into_iter().chain(figures);
        table.row(cells.collect());
    };
    for one in judged.iter().filter(|one| one.case == MODEM.name) {
        row("unbloat", one.heading.name(), [one.p50, one.p99]);
    }
    for Row { tool, heading, said, truth } in &beside.rows {
        let p50 = Compared { said: said.p50, truth: truth.p50, ..Compared::default() };
        let p99 = Compared { said: said.p99, truth: truth.p99, ..Compared::default() };
        row(tool, heading.name(), [p50, p99]);
    }
    table
}

/// A row for each direction; wrong figures have a mark.
fn table(judged: &[Judged]) -> Table {
    let headings = [
        "path",
        "way",
        "bottleneck",
        "kind",
        "hop",
        "p50 ms",
        "truth",
        "p99 ms",
        "truth",
        "buffer kB",
        "truth",
        "phantom ms",
    ];
    let mut table = Table::new(5, &headings);
    for one in judged {
        let buffer = one.buffer.map(|it| it.in_unit(1e3)).unwrap_or_default();
        let phantom = one
            .phantom_ms
            .map(|phantom| format!("{phantom:.2}{}", mark(one.has_no_phantom() == Some(true))));
        table.row(vec![
            format!("{}{}", one.case, if one.starved.is_empty() { "" } else { " *" }),
            one.heading.name().into(),
            one.what.clone(),
            format!("{}{}", one.kind.map_or("-", report::queue_kind), mark(one.kind_is_right)),
            one.hop.map_or("-".into(), |hop| hop.in_words()),
            one.p50.in_words(),
            decimals(one.p50.truth, 1),
            one.p99.in_words(),
            decimals(one.p99.truth, 1),
            if one.buffer.is_some() { buffer.in_words() } else { "-".into() },
            decimals(buffer.truth, 1),
            phantom.unwrap_or_else(|| "-".into()),
        ]);
    }
    table
}

impl Compared {
    fn in_unit(self, unit: f64) -> Self {
        Self { said: self.said.map(|it| it / unit), truth: self.truth.map(|it| it / unit), ..self }
    }

    fn in_words(&self) -> String {
        format!("{}{}", decimals(self.said, 1), mark(self.is_right))
    }
}

impl HopJudged {
    fn in_words(self) -> String {
        let said = match self.said {
            None => "?".into(),
            Some((first, last)) if first == last => first.to_string(),
            Some((first, last)) => format!("{first} to {last}"),
        };
        match self.outcome {
            HopOutcome::Right => said,
            HopOutcome::CannotTell => format!("{said} ({})", self.truth),
            HopOutcome::Wrong => format!("{said} ({}) !", self.truth),
        }
    }
}

fn mark(is_right: bool) -> &'static str {
    if is_right { "" } else { " !" }
}
