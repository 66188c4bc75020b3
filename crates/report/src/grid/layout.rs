//! The widths of a table's columns, and its parts where all of them do not fit.

use super::{Column, Grid, Line, keep};
use crate::text::width;

/// Blank columns between two columns of the table, and where there is little room.
pub(super) const GAPS: [usize; 2] = [2, 1];
/// Least width to which a column of names is cut.
const NARROWEST: usize = 10;
/// Largest width of a column of names.
const WIDEST: usize = 60;

/// The columns on the terminal.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) widths: Vec<usize>,
    /// The blank columns between two of them.
    pub(super) gap: usize,
}

impl Layout {
    /// The width of the table.
    pub(super) fn whole(&self) -> usize {
        self.widths.iter().sum::<usize>() + self.gap * self.widths.len().saturating_sub(1)
    }
}

impl Grid {
    /// The layout in which each column is as wide as it needs to be.
    pub(super) fn layout(&self, gap: usize) -> Layout {
        let mut widths: Vec<usize> = self.columns.iter().map(|c| width(c.heading)).collect();
        for row in self.rows() {
            for (widest, cell) in widths.iter_mut().zip(row) {
                *widest = width(cell.shown().0).max(*widest);
            }
        }
        for (first, last, group) in self.runs() {
            let room = widths[first..=last].iter().sum::<usize>() + gap * (last - first);
            // A group over several columns is drawn with a rule on either side.
            let needed = width(group) + if last > first { 4 } else { 0 };
            widths[first] += needed.saturating_sub(room);
        }
        for (column, widest) in self.columns.iter().zip(&mut widths) {
            *widest = if column.is_text() { WIDEST.min(*widest) } else { *widest };
        }
        Layout { widths, gap }
    }

    /// The layout with its widest column of names made narrower until the table fits, or until no
    /// such column can be narrowed.
    pub(super) fn squeezed(&self, mut layout: Layout, room: usize) -> Layout {
        while layout.whole() > room {
            let widths = &mut layout.widths;
            let names = (0..widths.len()).filter(|index| self.columns[*index].is_text());
            match names.max_by_key(|&index| widths[index]).filter(|&i| widths[i] > NARROWEST) {
                Some(widest) => widths[widest] -= 1,
                None => break,
            }
        }
        layout
    }

    /// The table in parts for so much room: the names at its left in each of them, and as many of the
    /// other columns as fit, but one at least. The first has the notes.
    pub(super) fn parts(&self, room: usize) -> Vec<Self> {
        let is_name = |column: &&Column| column.is_text();
        // Of names alone the first stays.
        let names = match self.columns.iter().take_while(is_name).count() {
            names if names == self.columns.len() => 1,
            names => names,
        };
        let Layout { widths, gap } = self.layout(GAPS[1]);
        let wanted: usize = widths.iter().take(names).map(|width| width + gap).sum();
        // Names that would take more are cut.
        let of_names = wanted.min(room * 2 / 3);
        let fits = |start: usize, last: usize| of_names + self.taken(start, last, gap) <= room;
        let mut start = names;
        let mut starts = vec![start];
        for index in names..widths.len() {
            // A group stays together where it can.
            let group = self.runs().into_iter().find(|(first, ..)| *first == index);
            let last = group.map_or(index, |(_, last, _)| last);
            let last = if fits(index, last) { last } else { index };
            if index > start && !fits(start, last) {
                start = index;
                starts.push(start);
            }
        }
        let end = widths.len();
        let ends = starts.iter().skip(1).chain([&end]);
        let part = |(start, end): (&usize, &usize)| {
            let is_kept = |at: usize| at < names || (*start..*end).contains(&at);
            let kept: Vec<bool> = (0..widths.len()).map(is_kept).collect();
            self.part(&kept, *start == names)
        };
        starts.iter().zip(ends).map(part).collect()
    }

    /// The width of these columns, without others beside them.
    fn taken(&self, start: usize, last: usize, gap: usize) -> usize {
        let kept: Vec<bool> =
            (0..self.columns.len()).map(|at| (start..=last).contains(&at)).collect();
        self.part(&kept, false).layout(gap).whole()
    }

    /// The table with these columns only, and with its notes or without.
    fn part(&self, kept: &[bool], has_notes: bool) -> Self {
        let mut part = self.clone();
        keep(&mut part.columns, kept);
        part.lines.retain(|line| has_notes || matches!(line, Line::Cells(_)));
        for line in &mut part.lines {
            if let Line::Cells(cells) = line {
                keep(cells, kept);
            }
        }
        part
    }
}
