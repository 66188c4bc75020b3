//! Time series: one wide table with a column for each quantity.

mod csv;
mod parquet;

use std::io;

use units::Time;

use csv::CsvTable;
use parquet::ParquetTable;

/// A table of quantities over time, held in memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    columns: Vec<String>,
    times: Vec<Time>,
    /// The cells, row by row.
    cells: Vec<Option<f64>>,
}

impl Series {
    /// An empty table with these columns, named `uplink.forward.backlog_packets`,
    /// `backup.cwnd_segments` and so on. The column of times is not among them.
    pub fn new(columns: Vec<String>) -> Self {
        Self { columns, ..Self::default() }
    }

    /// Adds a row. `cells` has one cell a column, `None` where there is no value.
    ///
    /// # Panics
    /// If there are more or fewer cells than columns.
    pub fn push(&mut self, time: Time, cells: &[Option<f64>]) {
        assert_eq!(cells.len(), self.columns.len(), "a row has one cell a column");
        self.times.push(time);
        self.cells.extend_from_slice(cells);
    }

    /// The columns' names.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The rows in the order in which they were added: the time, and a cell for each column, `None`
    /// where there is no value.
    pub fn rows(&self) -> impl Iterator<Item = (Time, &[Option<f64>])> {
        let width = self.columns.len();
        let row = move |index: usize| &self.cells[index * width..(index + 1) * width];
        self.times.iter().enumerate().map(move |(index, &time)| (time, row(index)))
    }

    /// Writes the table, as [`SeriesWriter`] does.
    ///
    /// # Errors
    /// If writing fails.
    pub fn write(&self, writer: &mut impl io::Write, format: SeriesFormat) -> io::Result<()> {
        let mut table = SeriesWriter::new(writer, format, &self.columns)?;
        self.rows().try_for_each(|(time, cells)| table.row(time, cells))?;
        table.finish().map(drop)
    }
}

/// The format of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeriesFormat {
    /// Comma-separated values: a line of names, then one line a row. Times are exact to the
    /// nanosecond. Cells without a value are empty.
    Csv,
    /// Apache Parquet: columns of doubles with the same names, null where there is no value. The
    /// metadata of the file has `schema` `unbloat.series` and `version` 1. Some thousand rows at a
    /// time are held in memory.
    Parquet,
}

/// The writer of a table, row by row, `time_s` first. A cell that is not finite is written without
/// a value. The writer should be buffered.
#[derive(Debug)]
pub struct SeriesWriter<W> {
    table: Table<W>,
    columns: usize,
}

#[derive(Debug)]
enum Table<W> {
    Csv(CsvTable<W>),
    Parquet(Box<ParquetTable<W>>),
}

impl<W: io::Write> SeriesWriter<W> {
    /// Begins a table with columns of these names.
    ///
    /// # Errors
    /// If writing fails.
    pub fn new(writer: W, format: SeriesFormat, columns: &[impl AsRef<str>]) -> io::Result<Self> {
        let table = match format {
            SeriesFormat::Csv => Table::Csv(CsvTable::new(writer, columns)?),
            SeriesFormat::Parquet => Table::Parquet(ParquetTable::new(writer, columns)?.into()),
        };
        Ok(Self { table, columns: columns.len() })
    }

    /// Writes one row: a cell for each column, `None` where there is no value.
    ///
    /// # Errors
    /// If there are more or fewer cells than columns, or writing fails.
    pub fn row(&mut self, time: Time, cells: &[Option<f64>]) -> io::Result<()> {
        check_width(cells.len(), self.columns)?;
        match &mut self.table {
            Table::Csv(table) => table.row(time, cells),
            Table::Parquet(table) => table.row(time, cells),
        }
    }

    /// Ends the table, flushes, and returns the writer.
    ///
    /// # Errors
    /// If writing fails.
    pub fn finish(self) -> io::Result<W> {
        match self.table {
            Table::Csv(table) => table.finish(),
            Table::Parquet(table) => table.finish(),
        }
    }
}

/// Fails unless a row has one cell a column.
pub(crate) fn check_width(cells: usize, columns: usize) -> io::Result<()> {
    if cells == columns {
        return Ok(());
    }
    let message = format!("{cells} cells for {columns} columns");
    Err(io::Error::new(io::ErrorKind::InvalidInput, message))
}

#[cfg(test)]
mod tests {
    use super::parquet::tests as parquet;
    use super::*;

    fn example() -> Series {
        let columns = ["uplink.forward.backlog_packets", "the \"big\", slow one.cwnd_segments"];
        let mut series = Series::new(columns.map(String::from).to_vec());
        series.push(Time::ZERO, &[Some(0.0), None]);
        series.push(Time::from_millis(100), &[Some(12.5), Some(f64::NAN)]);
        series.push(Time::from_nanos(1_000_000_001), &[None, Some(1e21)]);
        series
    }

    fn written(series: &Series, format: SeriesFormat) -> Vec<u8> {
        let mut bytes = Vec::new();
        series.write(&mut bytes, format).unwrap();
        bytes
    }

    #[test]
    fn writes_a_wide_table() {
        let expected = "\
            time_s,uplink.forward.backlog_packets,\"the \"\"big\"\", slow one.cwnd_segments\"\n\
            0.000000000,0,\n\
            0.100000000,12.5,\n\
            1.000000001,,1000000000000000000000\n";
        assert_eq!(String::from_utf8(written(&example(), SeriesFormat::Csv)).unwrap(), expected);
    }

    #[test]
    fn parquet_holds_the_same() {
        let (names, rows) = parquet::read(written(&example(), SeriesFormat::Parquet));
        assert_eq!(names[0], "time_s");
        assert_eq!(names[1..], *example().columns());
        let expected = [
            [Some(0.0), Some(0.0), None],
            [Some(0.1), Some(12.5), None],
            [Some(1.000000001), None, Some(1e21)],
        ];
        assert_eq!(rows, expected);
    }

    #[test]
    fn a_table_without_columns_still_has_its_times() {
        let mut series = Series::new(Vec::new());
        series.push(Time::from_secs(1), &[]);
        assert_eq!(written(&series, SeriesFormat::Csv), b"time_s\n1.000000000\n");
        let (names, rows) = parquet::read(written(&series, SeriesFormat::Parquet));
        assert_eq!((names, rows), (vec!["time_s".to_owned()], vec![vec![Some(1.0)]]));
    }

    #[test]
    fn a_row_of_another_width_is_an_error() {
        for format in [SeriesFormat::Csv, SeriesFormat::Parquet] {
            let mut table = SeriesWriter::new(Vec::new(), format, &["one"]).unwrap();
            let error = table.row(Time::ZERO, &[None, None]).unwrap_err();
            assert_eq!(error.to_string(), "2 cells for 1 columns");
            let empty = Series::new(vec!["one".into()]);
            assert_eq!(table.finish().unwrap(), written(&empty, format));
        }
    }

    #[test]
    fn a_full_disk_is_an_error() {
        for format in [SeriesFormat::Csv, SeriesFormat::Parquet] {
            let size = written(&example(), format).len();
            for room in 0..size {
                let mut disk = vec![0; room];
                let error = example().write(&mut &mut disk[..], format).unwrap_err();
                assert_eq!(error.kind(), io::ErrorKind::WriteZero, "{room} of {size} bytes");
            }
        }
    }
}
