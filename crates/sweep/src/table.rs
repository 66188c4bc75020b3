//! Rows as a file: a column `run`, one for each varied field, `error`, and one for each figure.

mod csv;
mod parquet;

use std::collections::HashMap;
use std::path::Path;

use crate::error::Error;
use crate::format::Format;
use crate::row::Row;

/// Some runs of one sweep, as a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Table {
    /// The varied fields.
    pub(crate) fields: Vec<String>,
    /// The names of the figures.
    pub(crate) names: Vec<String>,
    pub(crate) lines: Vec<Line>,
}

/// The line of one run.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Line {
    pub(crate) run: u64,
    /// The values, one per field.
    pub(crate) values: Vec<String>,
    pub(crate) error: Option<String>,
    /// The figures, one per name; `None` for a figure that the run does not have.
    pub(crate) figures: Vec<Option<f64>>,
}

impl Table {
    pub(crate) fn new(fields: Vec<String>) -> Self {
        Self { fields, ..Self::default() }
    }

    /// The table of these rows.
    pub(crate) fn of<'a>(fields: Vec<String>, rows: impl Iterator<Item = &'a Row>) -> Self {
        let mut table = Self::new(fields);
        // The map is only looked up, never iterated, so that its order does not matter.
        let mut places: HashMap<&str, usize> = HashMap::new();
        for Row { run, values, error, figures } in rows {
            let mut line = vec![None; table.names.len()];
            for (name, value) in figures {
                let place = *places.entry(name).or_insert_with(|| {
                    table.names.push(name.clone());
                    table.names.len() - 1
                });
                line.resize(line.len().max(place + 1), None);
                line[place] = *value;
            }
            let (run, values, error) = (*run, values.clone(), error.clone());
            table.lines.push(Line { run, values, error, figures: line });
        }
        let width = table.names.len();
        table.lines.iter_mut().for_each(|line| line.figures.resize(width, None));
        table
    }

    /// Adds the lines of another part of the same sweep.
    pub(crate) fn append(&mut self, other: Self) {
        if self.names == other.names {
            self.lines.extend(other.lines);
            return;
        }
        let place = |names: &mut Vec<String>, name: String| {
            names.iter().position(|known| *known == name).unwrap_or_else(|| {
                names.push(name);
                names.len() - 1
            })
        };
        let places: Vec<usize> =
            other.names.into_iter().map(|name| place(&mut self.names, name)).collect();
        let width = self.names.len();
        for line in other.lines {
            let mut figures = vec![None; width];
            places.iter().zip(&line.figures).for_each(|(place, value)| figures[*place] = *value);
            self.lines.push(Line { figures, ..line });
        }
        self.lines.iter_mut().for_each(|line| line.figures.resize(width, None));
    }

    /// The table as a file; `id` identifies the sweep.
    pub(crate) fn bytes(&self, format: Format, id: &str) -> Vec<u8> {
        match format {
            Format::Parquet => parquet::write(self, id),
            Format::Csv => csv::write(self),
        }
    }

    /// Reads a file of the sweep with this `id` that varies these fields.
    pub(crate) fn read(path: &Path, id: &str, fields: &[String]) -> Result<Self, Error> {
        let is_csv = path.extension().is_some_and(|ending| ending == "csv");
        let read = if is_csv { csv::read(path, fields) } else { parquet::read(path, id, fields) };
        read.map_err(|why| Error::damaged(path, why))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(run: u64, figures: &[(&str, Option<f64>)]) -> Row {
        let figures = figures.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        let values = vec![format!("pfifo limit {run}, \"quoted\""), "ü".into()];
        Row { run, values, error: None, figures }
    }

    fn example() -> Table {
        let failed = Row { error: Some("it, \"failed\"\nbadly".into()), ..row(3, &[]) };
        let rows = [
            row(1, &[("delay", Some(0.1 + 0.2)), ("marks", None)]),
            failed,
            row(5, &[("delay", Some(-1e-300)), ("goodput", Some(1e21)), ("marks", Some(7.0))]),
        ];
        Table::of(vec!["link.up.queue".into(), "title".into()], rows.iter())
    }

    #[test]
    fn columns_are_those_of_all_rows() {
        let table = example();
        assert_eq!(table.names, ["delay", "marks", "goodput"]);
        assert_eq!(table.lines[0].figures, [Some(0.1 + 0.2), None, None]);
        assert_eq!(table.lines[1].figures, [None; 3]);
        assert_eq!(table.lines[2].figures, [Some(-1e-300), Some(7.0), Some(1e21)]);
    }

    #[test]
    fn files_are_read_as_they_were_written() {
        for (format, name) in [(Format::Csv, "table.csv"), (Format::Parquet, "table.parquet")] {
            let path = std::env::temp_dir().join(format!("unbloat-{}-{name}", std::process::id()));
            std::fs::write(&path, example().bytes(format, "id")).unwrap();
            let read = Table::read(&path, "id", &example().fields);
            std::fs::remove_file(&path).unwrap();
            assert_eq!(read.unwrap(), example());
        }
    }

    #[test]
    fn parts_are_put_together_by_name() {
        let fields = || vec!["a".to_owned(), "b".to_owned()];
        let mut table = example();
        let rows = [row(7, &[("mos", Some(4.0)), ("delay", Some(2.0))])];
        table.append(Table::of(fields(), rows.iter()));
        assert_eq!(table.names, ["delay", "marks", "goodput", "mos"]);
        assert_eq!(table.lines[3].figures, [Some(2.0), None, None, Some(4.0)]);
        assert_eq!(table.lines[0].figures.len(), 4);
    }

    #[test]
    fn what_is_not_such_a_file_is_told() {
        let path = std::env::temp_dir().join(format!("unbloat-{}-odd", std::process::id()));
        for (name, bytes) in
            [("parquet", &b"PAR1"[..]), ("csv", b"run,a,error\nx,y,\n"), ("csv", b"")]
        {
            let path = path.with_extension(name);
            std::fs::write(&path, bytes).unwrap();
            let error = Table::read(&path, "id", &["a".into()]).unwrap_err().to_string();
            std::fs::remove_file(&path).unwrap();
            assert!(error.contains("is damaged"), "{error}");
        }
    }
}
