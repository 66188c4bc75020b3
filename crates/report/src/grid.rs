//! Aligned columns under two lines of headings, no wider than the terminal.

mod layout;

use crate::number::MISSING;
use crate::page::PageTable;
use crate::style::{Style, Tone};
use crate::text::{balanced, printable, room, truncate, width, wrap};
use layout::{GAPS, Layout};

/// A column.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    /// Title above the heading; `""` for none. Neighbouring columns with the same group share it.
    group: &'static str,
    heading: &'static str,
    kind: ColumnKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ColumnKind {
    /// Names, flush left, and truncated where the table would be too wide.
    Name,
    /// Labels, flush left, and broken into lines where the table would be too wide, so that nothing
    /// is lost.
    Label,
    /// Numbers, flush right.
    Number,
    /// Numbers, flush right; the column is left out of the table if no row has a value.
    Optional,
}

impl Column {
    pub(crate) const fn name(heading: &'static str) -> Self {
        Self { group: "", heading, kind: ColumnKind::Name }
    }

    pub(crate) const fn label(heading: &'static str) -> Self {
        Self { group: "", heading, kind: ColumnKind::Label }
    }

    pub(crate) const fn number(group: &'static str, heading: &'static str) -> Self {
        Self { group, heading, kind: ColumnKind::Number }
    }

    pub(crate) const fn optional(group: &'static str, heading: &'static str) -> Self {
        Self { group, heading, kind: ColumnKind::Optional }
    }

    /// Group and heading in one line, with the unit last: `sojourn p95 (ms)`.
    fn title(&self) -> String {
        const UNITS: [&str; 4] = ["ms", "s", "Mbit/s", "%"];
        let words = || self.group.split(' ').chain(self.heading.split(' '));
        let is_unit = |word: &&str| UNITS.contains(word);
        let name: Vec<&str> = words().filter(|word| !is_unit(word) && !word.is_empty()).collect();
        let unit = words().find(is_unit).map(|unit| format!(" ({unit})")).unwrap_or_default();
        name.join(" ") + &unit
    }

    fn align(&self, text: &str, width: usize) -> (usize, usize) {
        let blank = width.saturating_sub(self::width(text));
        if self.is_text() { (0, blank) } else { (blank, 0) }
    }

    fn is_text(&self) -> bool {
        matches!(self.kind, ColumnKind::Name | ColumnKind::Label)
    }
}

/// The contents of one row of one column.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cell {
    /// The text; `None` if there is no value.
    text: Option<String>,
    tone: Tone,
}

impl Cell {
    /// A cell with a text, which may be untrusted.
    pub(crate) fn text(text: &str) -> Self {
        Self { text: Some(printable(text)), tone: Tone::Plain }
    }

    /// A cell with a number written by `format`, or without a value.
    pub(crate) fn number<T>(value: Option<T>, format: impl FnOnce(T) -> String) -> Self {
        Self { text: value.map(format), tone: Tone::Plain }
    }

    pub(crate) fn tone(self, tone: Tone) -> Self {
        Self { tone, ..self }
    }

    fn shown(&self) -> (&str, Tone) {
        self.text.as_deref().map_or((MISSING, Tone::Faint), |text| (text, self.tone))
    }
}

#[derive(Clone, Debug)]
enum Line {
    Cells(Vec<Cell>),
    /// A line of text across all columns.
    Note(String),
}

/// A table.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    columns: Vec<Column>,
    lines: Vec<Line>,
}

impl Grid {
    pub(crate) fn new(columns: &[Column]) -> Self {
        Self { columns: columns.to_vec(), lines: Vec::new() }
    }

    /// Adds a row. `cells` has one cell for each column.
    pub(crate) fn row(&mut self, cells: Vec<Cell>) {
        debug_assert_eq!(cells.len(), self.columns.len());
        self.lines.push(Line::Cells(cells));
    }

    /// Adds a line of text.
    pub(crate) fn note(&mut self, text: String) {
        self.lines.push(Line::Note(text));
    }

    /// The table as text; each line ends in a line feed. A table that is too wide, with names cut
    /// too, is drawn in parts, one below the other, and each begins with the names.
    pub(crate) fn render(self, style: Style) -> String {
        self.render_within(room(), style)
    }

    fn render_within(mut self, room: usize, style: Style) -> String {
        self.leave_out_empty_columns();
        let free = GAPS.map(|gap| self.layout(gap));
        let squeezed = free.clone().map(|layout| self.squeezed(layout, room));
        if let Some(layout) = free.into_iter().chain(squeezed).find(|it| it.whole() <= room) {
            return self.draw(&layout, style);
        }
        let drawn = self.parts(room).into_iter().map(|part| {
            let layout = part.squeezed(part.layout(GAPS[1]), room);
            part.draw(&layout, style)
        });
        drawn.collect::<Vec<_>>().join("\n")
    }

    fn draw(&self, layout: &Layout, style: Style) -> String {
        let mut text = String::new();
        let groups = self.groups(layout);
        if !groups.is_empty() {
            text += &style.paint(&groups, Tone::Faint);
            text.push('\n');
        }
        let headings = self.columns.iter().map(|column| (column.heading, Tone::Faint));
        text += &self.line(headings, layout, style);
        for line in &self.lines {
            match line {
                Line::Cells(cells) => {
                    for line in self.broken(cells, &layout.widths) {
                        text += &self.line(line.iter().map(Cell::shown), layout, style);
                    }
                }
                Line::Note(note) => text += &(style.paint(&wrap(note), Tone::Faint) + "\n"),
            }
        }
        text
    }

    /// The table for a page.
    pub(crate) fn table(mut self, title: &str, explanation: &str) -> PageTable {
        self.leave_out_empty_columns();
        let cells = |row: &Vec<Cell>| row.iter().map(|cell| cell.shown().0.to_owned()).collect();
        let notes = self.lines.iter().filter_map(|line| match line {
            Line::Cells(_) => None,
            Line::Note(note) => Some(note.clone()),
        });
        PageTable {
            title: title.into(),
            explanation: explanation.into(),
            folded: false,
            head: self.columns.iter().map(Column::title).collect(),
            rows: self.rows().map(cells).collect(),
            notes: notes.collect(),
        }
    }

    fn rows(&self) -> impl Iterator<Item = &Vec<Cell>> {
        self.lines.iter().filter_map(|line| match line {
            Line::Cells(cells) => Some(cells),
            Line::Note(_) => None,
        })
    }

    fn leave_out_empty_columns(&mut self) {
        let has_value = |index: usize| self.rows().any(|row| row[index].text.is_some());
        let kept: Vec<bool> = (self.columns.iter().enumerate())
            .map(|(index, column)| column.kind != ColumnKind::Optional || has_value(index))
            .collect();
        keep(&mut self.columns, &kept);
        for line in &mut self.lines {
            if let Line::Cells(cells) = line {
                keep(cells, &kept);
            }
        }
    }

    /// The first and the last column of each group, and its title.
    fn runs(&self) -> Vec<(usize, usize, &'static str)> {
        let mut runs: Vec<(usize, usize, &'static str)> = Vec::new();
        for (index, column) in self.columns.iter().enumerate() {
            match runs.last_mut() {
                Some((_, last, group)) if *group == column.group => *last = index,
                _ => runs.push((index, index, column.group)),
            }
        }
        runs.retain(|(_, _, group)| !group.is_empty());
        runs
    }

    /// The line above the headings; empty if there are no groups.
    fn groups(&self, Layout { widths, gap }: &Layout) -> String {
        let start = |index: usize| widths[..index].iter().sum::<usize>() + gap * index;
        let mut line = String::new();
        for (first, last, group) in self.runs() {
            let room = start(last) + widths[last] - start(first);
            let rest = room.saturating_sub(width(group));
            let title = match last - first {
                0 => " ".repeat(rest) + group,
                _ => {
                    let rest = rest.saturating_sub(2);
                    let (left, right) = ("─".repeat(rest / 2), "─".repeat(rest - rest / 2));
                    format!("{left} {group} {right}")
                }
            };
            line += &" ".repeat(start(first).saturating_sub(width(&line)));
            line += &title;
        }
        line
    }

    fn line<'a>(
        &self,
        cells: impl Iterator<Item = (&'a str, Tone)>,
        Layout { widths, gap }: &Layout,
        style: Style,
    ) -> String {
        let mut line = String::new();
        let mut blank = 0;
        for ((column, &room), (text, tone)) in self.columns.iter().zip(widths).zip(cells) {
            let text = match column.kind {
                ColumnKind::Name | ColumnKind::Label => truncate(text, room),
                ColumnKind::Number | ColumnKind::Optional => text.to_owned(),
            };
            let (before, after) = column.align(&text, room);
            line += &" ".repeat(blank + before);
            line += &style.paint(&text, tone);
            blank = after + gap;
        }
        line.trim_end().to_owned() + "\n"
    }

    /// The lines of a row: the first has all of its cells, the others the rest of its labels.
    fn broken(&self, cells: &[Cell], widths: &[usize]) -> Vec<Vec<Cell>> {
        let mut rows = vec![cells.to_vec()];
        for (index, (column, &room)) in self.columns.iter().zip(widths).enumerate() {
            let text = cells[index].text.as_deref().unwrap_or_default();
            if column.kind != ColumnKind::Label || width(text) <= room {
                continue;
            }
            for (number, part) in balanced(text, room).into_iter().enumerate() {
                if number == rows.len() {
                    rows.push(vec![Cell::text(""); cells.len()]);
                }
                rows[number][index].text = Some(part);
            }
        }
        rows
    }
}

fn keep<T>(items: &mut Vec<T>, kept: &[bool]) {
    let mut kept = kept.iter();
    items.retain(|_| kept.next().is_none_or(|&kept| kept));
}

#[cfg(test)]
mod tests;
