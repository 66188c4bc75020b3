//! Results as tables for people, in text or in Markdown, and as JSON for programs.

use serde::Serialize;

/// The output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// Aligned columns.
    Text,
    /// A Markdown table whose source is aligned too.
    Markdown,
    /// One JSON document.
    Json,
}

impl Format {
    /// The format that the options `--json` and `--markdown` ask for.
    pub(crate) const fn asked(json: bool, markdown: bool) -> Self {
        match (json, markdown) {
            (true, _) => Self::Json,
            (_, true) => Self::Markdown,
            _ => Self::Text,
        }
    }
}

/// Writes results for a program, to standard output.
///
/// # Errors
/// If the results cannot be written as JSON.
pub(crate) fn print_json(results: &impl Serialize) -> Result<(), String> {
    let json = serde_json::to_string_pretty(results).map_err(|error| error.to_string())?;
    println!("{json}");
    Ok(())
}

/// A table. The first columns are flush left, the others flush right.
pub(crate) struct Table {
    /// The number of columns with words, which are flush left.
    words: usize,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these headings, the first `words` of which are of columns with words.
    pub(crate) fn new(words: usize, headings: &[&str]) -> Self {
        Self { words, rows: vec![headings.iter().map(ToString::to_string).collect()] }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// The table as text; each line ends with a line feed.
    pub(crate) fn render(&self, format: Format) -> String {
        let widths = self.widths();
        let mut text = String::new();
        for (index, row) in self.rows.iter().enumerate() {
            text += &self.line(row, &widths, format);
            if index == 0 && format == Format::Markdown {
                text += &self.rule(&widths);
            }
        }
        text
    }

    fn widths(&self) -> Vec<usize> {
        let width = |column| {
            let cells = self.rows.iter().filter_map(|row| row.get::<usize>(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0).max(3)
        };
        (0..self.rows[0].len()).map(width).collect()
    }

    fn line(&self, row: &[String], widths: &[usize], format: Format) -> String {
        let pad = |(column, (cell, width)): (usize, (&String, &usize))| match column < self.words {
            true => format!("{cell:<width$}"),
            false => format!("{cell:>width$}"),
        };
        let cells: Vec<String> = row.iter().zip(widths).enumerate().map(pad).collect();
        match format {
            Format::Markdown => format!("| {} |\n", cells.join(" | ")),
            _ => format!("{}\n", cells.join("  ").trim_end()),
        }
    }

    fn rule(&self, widths: &[usize]) -> String {
        let dashes = |(column, width): (usize, &usize)| match column < self.words {
            true => "-".repeat(*width),
            false => "-".repeat(width - 1) + ":",
        };
        let cells: Vec<String> = widths.iter().enumerate().map(dashes).collect();
        format!("| {} |\n", cells.join(" | "))
    }
}

/// A value with this many decimals, or a dash.
pub(crate) fn decimals(value: Option<f64>, decimals: usize) -> String {
    value.map_or("-".into(), |value| format!("{value:.decimals$}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let mut table = Table::new(1, &["what", "value"]);
        table.row(vec!["a".into(), decimals(Some(1.25), 1)]);
        table.row(vec!["longer".into(), decimals(None, 1)]);
        let text = "what    value\na         1.2\nlonger      -\n";
        assert_eq!(table.render(Format::Text), text);
        let markdown = "| what   | value |\n| ------ | ----: |\n| a      |   1.2 |\n\
                        | longer |     - |\n";
        assert_eq!(table.render(Format::Markdown), markdown);
    }
}
