//! A table as Apache Parquet: columns of doubles, of which only `time_s` is never null.
//!
//! Specification: <https://parquet.apache.org/docs/file-format/>.

use std::{io, iter};

use parquet::basic::{Repetition, Type as Physical};
use parquet::data_type::DoubleType;
use parquet::errors::Result;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{Type, TypePtr};
use units::Time;

use stats::finite;

/// Largest number of rows of a row group, which is held in memory until it is full.
const GROUP_ROWS: usize = 8192;
/// Largest number of cells of a row group, of ten bytes each; it matters for thousands of columns.
const GROUP_CELLS: usize = 4 << 20;

/// The writer of a Parquet table, one row group after the other.
#[derive(Debug)]
pub(super) struct ParquetTable<W> {
    writer: W,
    /// Writes to memory, because it requires more of a writer than `W` offers; see [`Self::drain`].
    file: SerializedFileWriter<Vec<u8>>,
    /// The columns of the row group so far; the first has the times.
    columns: Vec<Column>,
    /// The number of rows so far.
    rows: usize,
    /// The number of rows of a full row group.
    group_rows: usize,
}

/// The part of a column that is in the row group so far.
#[derive(Clone, Debug, Default)]
struct Column {
    /// The cells that have a value.
    values: Vec<f64>,
    /// Parquet's definition levels: for every cell 1 if it has a value and 0 if not.
    levels: Vec<i16>,
}

impl<W: io::Write> ParquetTable<W> {
    /// Begins the table; nothing is written yet.
    pub(super) fn new(writer: W, columns: &[impl AsRef<str>]) -> io::Result<Self> {
        let metadata = [("schema", "unbloat.series"), ("version", "1")]
            .map(|(key, value)| KeyValue::new(key.into(), value.to_owned()));
        // A column of a row group is a single page, so that an index of the pages would be useless.
        let properties = WriterProperties::builder()
            .set_key_value_metadata(Some(metadata.to_vec()))
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_offset_index_disabled(true)
            .build();
        let file = SerializedFileWriter::new(Vec::new(), schema(columns)?, properties.into())?;
        let columns = vec![Column::default(); 1 + columns.len()];
        let group_rows = (GROUP_CELLS / columns.len()).clamp(1, GROUP_ROWS);
        Ok(Self { writer, file, columns, rows: 0, group_rows })
    }

    /// Adds one row, of as many cells as there are columns.
    pub(super) fn row(&mut self, time: Time, cells: &[Option<f64>]) -> io::Result<()> {
        let cells = iter::once(Some(time.as_secs_f64())).chain(cells.iter().copied());
        for (column, cell) in self.columns.iter_mut().zip(cells) {
            let value = cell.and_then(finite);
            column.values.extend(value);
            column.levels.push(value.is_some().into());
        }
        self.rows += 1;
        if self.rows == self.group_rows { self.write_group() } else { Ok(()) }
    }

    /// Writes the last row group and the footer, flushes, and returns the writer.
    pub(super) fn finish(mut self) -> io::Result<W> {
        if self.rows > 0 {
            self.write_group()?;
        }
        self.file.finish()?;
        self.drain()?;
        self.writer.flush()?;
        Ok(self.writer)
    }

    fn write_group(&mut self) -> io::Result<()> {
        let mut group = self.file.next_row_group()?;
        let mut columns = self.columns.iter_mut();
        while let (Some(mut chunk), Some(Column { values, levels })) =
            (group.next_column()?, columns.next())
        {
            chunk.typed::<DoubleType>().write_batch(values, Some(levels), None)?;
            chunk.close()?;
            values.clear();
            levels.clear();
        }
        group.close()?;
        self.rows = 0;
        self.drain()
    }

    /// Moves the written bytes from memory to the writer. The file's offsets stay right, because
    /// the file counts its bytes and does not ask for the position.
    fn drain(&mut self) -> io::Result<()> {
        self.file.flush()?;
        let written = self.file.inner_mut();
        self.writer.write_all(written)?;
        written.clear();
        Ok(())
    }
}

fn schema(columns: &[impl AsRef<str>]) -> Result<TypePtr> {
    let double = |name: &str, repetition| {
        let column = Type::primitive_type_builder(name, Physical::DOUBLE);
        column.with_repetition(repetition).build().map(TypePtr::new)
    };
    let quantities = columns.iter().map(|name| double(name.as_ref(), Repetition::OPTIONAL));
    let all: Result<_> =
        iter::once(double("time_s", Repetition::REQUIRED)).chain(quantities).collect();
    Type::group_type_builder("series").with_fields(all?).build().map(TypePtr::new)
}

#[cfg(test)]
pub(super) mod tests {
    use bytes::Bytes;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;

    use super::*;

    fn reader(file: Vec<u8>) -> SerializedFileReader<Bytes> {
        SerializedFileReader::new(file.into()).unwrap()
    }

    /// The names of the columns, and the rows.
    pub(in crate::series) fn read(file: Vec<u8>) -> (Vec<String>, Vec<Vec<Option<f64>>>) {
        let reader = reader(file);
        let fields = reader.metadata().file_metadata().schema().get_fields();
        let names = fields.iter().map(|field| field.name().to_owned()).collect();
        let cell = |field: &Field| match field {
            Field::Double(value) => Some(*value),
            Field::Null => None,
            other => panic!("a cell is {other}"),
        };
        let rows = reader
            .get_row_iter(None)
            .unwrap()
            .map(|row| row.unwrap().get_column_iter().map(|(_, field)| cell(field)).collect());
        (names, rows.collect())
    }

    #[test]
    fn columns_and_metadata_are_as_documented() {
        let table = ParquetTable::new(Vec::new(), &["uplink.forward.drops"]).unwrap();
        let reader = reader(table.finish().unwrap());
        let file = reader.metadata().file_metadata();
        let columns = file.schema().get_fields().iter().map(|field| {
            (field.name(), field.get_physical_type(), field.get_basic_info().repetition())
        });
        let expected = [
            ("time_s", Physical::DOUBLE, Repetition::REQUIRED),
            ("uplink.forward.drops", Physical::DOUBLE, Repetition::OPTIONAL),
        ];
        assert!(columns.eq(expected), "{:?}", file.schema());
        let metadata = file.key_value_metadata().unwrap().iter();
        let metadata: Vec<_> =
            metadata.map(|KeyValue { key, value }| (&key[..], value.as_deref())).collect();
        assert_eq!(metadata, [("schema", Some("unbloat.series")), ("version", Some("1"))]);
    }

    /// Full row groups are written when they are full, and none of them is empty.
    #[test]
    fn many_rows_are_several_row_groups() {
        for rows in [GROUP_ROWS - 1, GROUP_ROWS, GROUP_ROWS + 1, 2 * GROUP_ROWS] {
            let mut table = ParquetTable::new(Vec::new(), &["root", "odd"]).unwrap();
            let mut expected = Vec::new();
            for row in 0..rows {
                let time = Time::from_millis(100 * row as u64);
                let cells = [Some((row as f64).sqrt()), (row % 2 == 1).then_some(row as f64)];
                table.row(time, &cells).unwrap();
                expected.push(vec![Some(time.as_secs_f64()), cells[0], cells[1]]);
            }
            // Full row groups are no longer in memory.
            assert_eq!(table.columns[0].values.len(), rows % GROUP_ROWS);
            assert_eq!(table.writer.is_empty(), rows < GROUP_ROWS);
            assert!(table.file.inner().is_empty());
            let file = table.finish().unwrap();
            assert_eq!(reader(file.clone()).num_row_groups(), rows.div_ceil(GROUP_ROWS));
            assert!(read(file).1 == expected, "{rows} rows differ");
        }
    }

    #[test]
    fn many_columns_are_shorter_row_groups() {
        let names: Vec<_> = (0..10_000).map(|index| index.to_string()).collect();
        let table = ParquetTable::new(Vec::new(), &names).unwrap();
        assert_eq!(table.group_rows, 419);
    }
}
