//! A table as lines of text: CSV (RFC 4180, but with lines that end in a bare line feed) or JSON.

use std::io;

use serde_json::{Map, Value};

use super::cell::{Cell, Column};

/// The writer of a line a row.
pub(super) enum Lines<W: io::Write> {
    Csv(Box<csv::Writer<W>>),
    Json(W, &'static [Column]),
}

impl<W: io::Write> Lines<W> {
    pub(super) fn csv(out: W, columns: &[Column]) -> io::Result<Self> {
        let mut writer = csv::Writer::from_writer(out);
        writer.write_record(columns.iter().map(|it| it.name)).map_err(plain)?;
        Ok(Self::Csv(writer.into()))
    }

    pub(super) const fn json(out: W, columns: &'static [Column]) -> Self {
        Self::Json(out, columns)
    }

    pub(super) fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        match self {
            Self::Csv(writer) => {
                writer.write_record(cells.iter().map(Cell::to_text)).map_err(plain)
            }
            Self::Json(out, columns) => {
                let named = columns.iter().zip(cells);
                let named = named
                    .filter_map(|(column, cell)| Some((column.name.to_owned(), cell.to_json()?)));
                writeln!(out, "{}", Value::Object(named.collect::<Map<_, _>>()))
            }
        }
    }

    pub(super) fn finish(self) -> io::Result<()> {
        match self {
            Self::Csv(mut writer) => writer.flush(),
            Self::Json(mut out, _) => out.flush(),
        }
    }
}

/// The error of the writer below: `csv` hides its kind, by which a closed pipe is known.
fn plain(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}
