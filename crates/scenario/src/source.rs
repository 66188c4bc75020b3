//! Places in the text that a scenario was read from.

use crate::error::{Origin, Position, ScenarioError};
use crate::setting::{Override, Vary};

/// A range of bytes in one of the texts. The text of an override is `PATH=VALUE`, that of an axis
/// of the command line `PATH=A,B,C`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    /// The number of the text: 0 for the file, `n` for the `n`-th override, and then the axes.
    pub(crate) source: usize,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Place {
    /// The beginning of the file, where a mistake of the whole file is shown.
    pub(crate) const START: Self = Self { source: 0, start: 0, end: 0 };
}

/// The texts that make up a scenario.
pub(crate) struct Sources<'a> {
    pub(crate) name: &'a str,
    pub(crate) text: &'a str,
    pub(crate) overrides: &'a [Override],
    pub(crate) varied: &'a [Vary],
}

impl Sources<'_> {
    /// The place `offset` bytes into the content of a quoted text, if the text was written without
    /// escapes; otherwise `place` itself.
    pub(crate) fn inside(&self, place: Place, content: &str, offset: usize) -> Place {
        let written = self.text.get(place.start..place.end).filter(|_| place.source == 0);
        let plain = written.is_some_and(|written| {
            written.len() == content.len() + 2 && written.get(1..=content.len()) == Some(content)
        });
        if plain && offset <= content.len() {
            let start = place.start + 1 + offset;
            let end = place.end - 1;
            return Place { start: start.min(end), end, ..place };
        }
        place
    }

    /// An error at this place.
    pub(crate) fn error(&self, place: Place, field: String, message: String) -> ScenarioError {
        match self.setting(place.source) {
            Some(setting) => ScenarioError::of(setting, field, message),
            None => ScenarioError {
                position: Some(Position::of(self.text, place.start)),
                snippet: snippet(self.text, place.start, place.end).into(),
                ..ScenarioError::of(Origin::File(self.name.into()), field, message)
            },
        }
    }

    /// The setting that this source is; `None` for the file.
    fn setting(&self, source: usize) -> Option<Origin> {
        let index = source.checked_sub(1)?;
        if let Some(change) = self.overrides.get(index) {
            return Some(Origin::Override(Box::new(change.clone())));
        }
        let axis = self.varied.get(index - self.overrides.len())?;
        Some(Origin::Vary(Box::new(axis.clone())))
    }
}

impl Position {
    /// The line and column of the byte at `offset`, or of the end of `text`.
    pub(crate) fn of(text: &str, offset: usize) -> Self {
        let before = &text[..floor(text, offset)];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self {
            line: 1 + before.bytes().filter(|byte| *byte == b'\n').count(),
            column: 1 + before[line_start..].chars().count(),
        }
    }
}

/// The offset of a line and a column (in bytes), both from 1, or of the end of `text`.
pub(crate) fn offset_of(text: &str, line: usize, column: usize) -> usize {
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    floor(text, before + column.saturating_sub(1))
}

/// The line that holds `start`, with carets below from `start` to `end`. A long line is cut to the
/// part near `start`.
fn snippet(text: &str, start: usize, end: usize) -> String {
    const BEFORE: usize = 60;
    const WIDTH: usize = 100;
    let start = floor(text, start);
    let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    let line_end = text[start..].find('\n').map_or(text.len(), |length| start + length);
    let column = text[line_start..start].chars().count();
    let cut = column.saturating_sub(BEFORE);
    let length = text[start..floor(text, end).clamp(start, line_end)].chars().count();
    let shown: String = text[line_start..line_end]
        .trim_end()
        .chars()
        .skip(cut)
        .take(WIDTH)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    let number = Position::of(text, start).line.to_string();
    let (margin, indent) = (" ".repeat(number.len()), " ".repeat(column - cut));
    let carets = "^".repeat(length.clamp(1, WIDTH - (column - cut)));
    format!("{margin} |\n{number} | {shown}\n{margin} | {indent}{carets}")
}

/// The last boundary of a character at or before `offset`.
fn floor(text: &str, offset: usize) -> usize {
    text.floor_char_boundary(offset)
}
