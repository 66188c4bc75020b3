//! A page's table as text: the first two columns are names, the others numbers.

use crate::page::PageTable;
use crate::text::{room, truncate, width};

/// Number of columns of names.
const NAMES: usize = 2;
/// Blank columns between two columns of the table.
const GAP: usize = 2;
/// Least width to which a heading is cut.
const NARROWEST: usize = 8;

/// The table as text: its head and its rows, one line each.
pub(super) fn render(table: &PageTable) -> String {
    let widths = widths(table);
    let lines = std::iter::once(&table.head).chain(&table.rows);
    lines.map(|cells| line(cells, &widths)).collect()
}

/// The width of each column: as wide as its cells need. Headings, which may be of any length, get
/// the space that is left.
fn widths(table: &PageTable) -> Vec<usize> {
    let widest = |index: usize| {
        let cells = table.rows.iter().filter_map(move |row| row.get(index));
        cells.map(|cell| width(cell)).max().unwrap_or(0)
    };
    let mut widths: Vec<usize> = (0..table.head.len()).map(widest).collect();
    // The first name in the head may run into the second column, whose heading is empty.
    let names = widths.iter().take(NAMES).sum::<usize>() + GAP * NAMES;
    let columns = table.head.len().saturating_sub(NAMES).max(1);
    let room = (room().saturating_sub(names) / columns).saturating_sub(GAP).max(NARROWEST);
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
