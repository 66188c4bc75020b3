//! A table as comma-separated values.

use std::io;

use units::Time;

use crate::csv::{Field, Seconds};
use stats::finite;

/// The writer of a line of names, then of one line a row. Cells without a value are empty.
#[derive(Debug)]
pub(super) struct CsvTable<W> {
    writer: W,
}

impl<W: io::Write> CsvTable<W> {
    /// Begins the table; the names are written at once.
    pub(super) fn new(mut writer: W, columns: &[impl AsRef<str>]) -> io::Result<Self> {
        write!(writer, "time_s")?;
        for column in columns {
            write!(writer, ",{}", Field(column.as_ref()))?;
        }
        writeln!(writer)?;
        Ok(Self { writer })
    }

    /// Writes one row, of as many cells as there are columns.
    pub(super) fn row(&mut self, time: Time, cells: &[Option<f64>]) -> io::Result<()> {
        write!(self.writer, "{}", Seconds(time))?;
        for cell in cells {
            match cell.and_then(finite) {
                Some(value) => write!(self.writer, ",{value}")?,
                None => write!(self.writer, ",")?,
            }
        }
        writeln!(self.writer)
    }

    /// Flushes, and returns the writer.
    pub(super) fn finish(mut self) -> io::Result<W> {
        self.writer.flush()?;
        Ok(self.writer)
    }
}
