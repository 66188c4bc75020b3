//! The report of a reproduction: a paper's figures and ours, side by side.

use results::{Bound, Reproduction, ReproductionRow, ReproductionTolerance, ReproductionVerdict};

use crate::figure::Figure;
use crate::grid::{Cell, Column, Grid};
use crate::number::{MISSING, count, deviation, figure};
use crate::page::Page;
use crate::style::Style;
use crate::text::{printable, wrap, wrap_indented};

const COLUMNS: [Column; 7] = [
    Column::label("row"),
    Column::label("metric"),
    Column::number("", "paper"),
    Column::number("", "ours"),
    Column::number("", "off by %"),
    Column::number("", "within"),
    Column::name("verdict"),
];

/// The reproduction as text: the rows in their order, under a line for each experiment; then the
/// notes, numbered and without repetition; then the tolerances, and the number of rows with each
/// verdict.
pub fn reproduction_table(reproduction: &Reproduction) -> String {
    let mut text = wrap(&printable(&reproduction.paper)) + "\n\n";
    if reproduction.rows.is_empty() {
        return text + "Nothing was compared.\n";
    }
    let mut notes: Vec<&str> = Vec::new();
    let mut grid = Grid::new(&COLUMNS);
    for experiment in reproduction.rows.chunk_by(|a, b| a.experiment == b.experiment) {
        grid.note(String::new());
        grid.note(printable(&experiment[0].experiment));
        for row in experiment {
            let note = row.note.as_deref().map(|note| number_of(note, &mut notes));
            grid.row(cells(reproduction, row, note));
        }
    }
    text += &grid.render(Style::Plain);
    if !notes.is_empty() {
        text.push('\n');
    }
    for (index, note) in notes.iter().enumerate() {
        text += &wrap_indented(&printable(note), &format!("{:>4} ", format!("[{}]", index + 1)));
        text.push('\n');
    }
    if !reproduction.tolerances.is_empty() {
        text += "\nWhen ours agrees:\n";
    }
    for line in reproduction.tolerances.iter().map(told) {
        text += &wrap_indented(&line, "  ");
        text.push('\n');
    }
    text + "\n" + &wrap(&tally(&reproduction.rows)) + "\n"
}

/// A tolerance in a column: its part, or its kind if it has no part.
fn within(tolerance: &ReproductionTolerance) -> String {
    match tolerance.part {
        Some(part) => format!("{:.0} %", part * 100.0),
        None => printable(&tolerance.kind),
    }
}

/// A tolerance as a line.
fn told(tolerance: &ReproductionTolerance) -> String {
    let ReproductionTolerance { kind, of, agrees, .. } = tolerance;
    printable(&format!("{}: {of}: {agrees}", kind.replace('_', " ")))
}

/// The reproduction as a page: the number of rows with each verdict, one table an experiment, these
/// figures, and the notes.
pub fn reproduction_page(reproduction: &Reproduction, figures: Vec<Figure>) -> Page {
    let paper = printable(&reproduction.paper);
    let mut notes: Vec<&str> = Vec::new();
    let mut tables = Vec::new();
    for experiment in reproduction.rows.chunk_by(|a, b| a.experiment == b.experiment) {
        let mut grid = Grid::new(&COLUMNS);
        for row in experiment {
            let note = row.note.as_deref().map(|note| number_of(note, &mut notes));
            grid.row(cells(reproduction, row, note));
        }
        let explanation = if tables.is_empty() { TABLE } else { "" };
        tables.push(grid.table(&printable(&experiment[0].experiment), explanation));
    }
    let verdict = match reproduction.rows.is_empty() {
        true => "Nothing was compared.".into(),
        false => tally(&reproduction.rows),
    };
    let notes =
        notes.iter().zip(1..).map(|(note, number)| format!("[{number}] {}", printable(note)));
    let tolerances = reproduction.tolerances.iter().map(told);
    let notes = notes.chain(tolerances.map(|line| format!("Ours agrees, {line}"))).collect();
    let title = format!("{paper}, repeated");
    // Each figure is of another experiment, with a time axis of its own.
    Page { title, verdict: vec![verdict], tables, figures, notes, ..Page::default() }
}

/// The explanation of the tables.
const TABLE: &str = "The figures of the paper, ours, and by how much ours is more or less. The \
                     column `within` shows the tolerance for each kind of figure; the kinds are at \
                     the end. < and > mark bounds, below or above which our figure must stay. Rows \
                     without a figure of the paper, or without a figure of ours, are not judged. A \
                     number in brackets leads to a note at the end that gives the reason.";

/// The number of `note`, from 1. A note that occurred before keeps its number.
fn number_of<'a>(note: &'a str, notes: &mut Vec<&'a str>) -> usize {
    let index = notes.iter().position(|known| *known == note).unwrap_or_else(|| {
        notes.push(note);
        notes.len() - 1
    });
    index + 1
}

fn cells(reproduction: &Reproduction, row: &ReproductionRow, note: Option<usize>) -> Vec<Cell> {
    let metric = match row.unit.as_str() {
        "" => row.metric.clone(),
        unit => format!("{}, {unit}", row.metric),
    };
    let verdict = match row.verdict {
        ReproductionVerdict::Agrees => "agrees",
        ReproductionVerdict::Differs => "differs",
        ReproductionVerdict::PaperCannotBeRight => "impossible",
        ReproductionVerdict::Unjudged if lacks_ours(row) => "not judged",
        ReproductionVerdict::Unjudged => MISSING,
    };
    let bound = match row.bound {
        Some(Bound::Below) => "<",
        Some(Bound::Above) => ">",
        None => "",
    };
    let note = note.map(|number| format!(" [{number}]")).unwrap_or_default();
    vec![
        Cell::text(&row.row),
        Cell::text(&metric),
        Cell::number(row.paper, |paper| format!("{bound}{}", figure(paper))),
        Cell::number(row.ours, figure),
        Cell::number(row.deviation, deviation),
        Cell::number(reproduction.tolerance_of(row), within),
        Cell::text(&format!("{verdict}{note}")),
    ]
}

/// True if the paper's figure could be compared, but there is no figure of ours.
fn lacks_ours(row: &ReproductionRow) -> bool {
    row.ours.is_none() && row.tolerance.is_some()
}

/// The number of rows with each verdict, in a sentence; verdicts without rows are left out.
fn tally(rows: &[ReproductionRow]) -> String {
    let all = |verdict| rows.iter().filter(move |row| row.verdict == verdict);
    let number = |verdict| all(verdict).count() as u64;
    let lacking = all(ReproductionVerdict::Unjudged).filter(|row| lacks_ours(row)).count() as u64;
    let parts = [
        (number(ReproductionVerdict::Agrees), ["agrees", "agree"]),
        (number(ReproductionVerdict::Differs), ["differs", "differ"]),
        (number(ReproductionVerdict::PaperCannotBeRight), ["impossible in the paper"; 2]),
        (
            number(ReproductionVerdict::Unjudged) - lacking,
            ["has no published value", "have no published value"],
        ),
        (lacking, ["not judged, since there is no figure of ours"; 2]),
    ];
    let parts = parts.iter().filter(|(number, _)| *number > 0);
    let parts: Vec<String> = parts
        .map(|(number, what)| format!("{} {}", count(*number), what[usize::from(*number != 1)]))
        .collect();
    format!("{} figures: {}.", count(rows.len() as u64), parts.join(", "))
}

#[cfg(test)]
mod tests;
