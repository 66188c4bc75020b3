//! A table of a page as text: its first two columns are names, the others numbers.

use crate::page::Table;
use crate::text::{WIDTH, truncate, width};

/// Columns of names.
const NAMES: usize = 2;
/// Blank columns between two columns of the table.
const GAP: usize = 2;
/// No heading is made narrower than this.
const NARROWEST: usize = 8;

/// Its head and its rows, each a line.
pub(super) fn render(table: &Table) -> String {
    let widths = widths(table);
    let lines = std::iter::once(&table.head).chain(&table.rows);
    lines.map(|cells| line(cells, &widths)).collect()
}

/// As wide as the cells need; headings, which are as long as someone typed them, get what is left.
fn widths(table: &Table) -> Vec<usize> {
    let widest = |index: usize| {
        let cells = table.rows.iter().filter_map(move |row| row.get(index));
        cells.map(|cell| width(cell)).max().unwrap_or(0)
    };
    let mut widths: Vec<usize> = (0..table.head.len()).map(widest).collect();
    // A name in the head may run on over the empty one beside it.
    let names = widths.iter().take(NAMES).sum::<usize>() + GAP * NAMES;
    let columns = table.head.len().saturating_sub(NAMES).max(1);
    let room = (WIDTH.saturating_sub(names) / columns).saturating_sub(GAP).max(NARROWEST);
    for (widest, heading) in widths.iter_mut().zip(&table.head).skip(NAMES) {
        *widest = width(heading).min(room).max(*widest);
    }
    let first = table.head.iter().take(NAMES).map(|heading| width(heading)).sum::<usize>() + 1;
    let shown: usize = widths.iter().take(NAMES).sum::<usize>() + GAP;
    if let Some(second) = widths.get_mut(NAMES - 1) {
        *second += first.saturating_sub(shown);
    }
    widths
}

fn line(cells: &[String], widths: &[usize]) -> String {
    let mut text = String::new();
    let mut column = 0;
    for (index, (cell, room)) in cells.iter().zip(widths).enumerate() {
        let is_name = index < NAMES;
        let cell = if is_name { cell.clone() } else { truncate(cell, *room) };
        let blank = if is_name { 0 } else { room.saturating_sub(width(&cell)) };
        if !cell.is_empty() {
            text += &" ".repeat((column + blank).saturating_sub(width(&text)));
            text += &cell;
        }
        column += room + GAP;
    }
    text + "\n"
}
