//! A table as Apache Parquet, one row group after the other.
//!
//! Specification: <https://parquet.apache.org/docs/file-format/>.

use std::io;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::Result;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{Type, TypePtr};

use super::cell::{Cell, Column, Kind};

/// Rows of a row group, which is held in memory until it is full.
const GROUP_ROWS: usize = 8192;

/// The writer of a table.
pub(super) struct Columns<W> {
    out: W,
    /// Writes to memory, because it requires more of a writer than `W` offers; see [`Self::drain`].
    file: SerializedFileWriter<Vec<u8>>,
    /// The columns of the row group so far.
    columns: Vec<Values>,
    rows: usize,
}

/// A part of a column: the values, and for each row 1 if it has one and 0 if not.
struct Values {
    values: Of,
    levels: Vec<i16>,
}

enum Of {
    Text(Vec<ByteArray>),
    Real(Vec<f64>),
    Whole(Vec<i64>),
}

impl<W: io::Write> Columns<W> {
    pub(super) fn new(out: W, columns: &[Column]) -> io::Result<Self> {
        let metadata = [("schema", "unbloat.watch"), ("version", "1")]
            .map(|(key, value)| KeyValue::new(key.into(), value.to_owned()));
        // A column of a row group is a single page, so that an index of the pages would be useless.
        let properties = WriterProperties::builder()
            .set_key_value_metadata(Some(metadata.to_vec()))
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_offset_index_disabled(true)
            .build();
        let file = SerializedFileWriter::new(Vec::new(), schema(columns)?, properties.into())?;
        let columns = columns.iter().map(|column| Values::new(column.kind)).collect();
        Ok(Self { out, file, columns, rows: 0 })
    }

    pub(super) fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        self.columns.iter_mut().zip(cells).for_each(|(column, cell)| column.push(cell));
        self.rows += 1;
        if self.rows == GROUP_ROWS { self.write_group() } else { Ok(()) }
    }

    /// Writes the last row group and the footer, and flushes.
    pub(super) fn finish(mut self) -> io::Result<()> {
        if self.rows > 0 {
            self.write_group()?;
        }
        self.file.finish()?;
        self.drain()?;
        self.out.flush()
    }

    fn write_group(&mut self) -> io::Result<()> {
        let mut group = self.file.next_row_group()?;
        let mut columns = self.columns.iter_mut();
        while let (Some(mut chunk), Some(column)) = (group.next_column()?, columns.next()) {
            column.write(&mut chunk)?;
            chunk.close()?;
        }
        group.close()?;
        self.rows = 0;
        self.drain()
    }

    /// Moves the written bytes from memory to the writer. The file's offsets stay right, because the file
    /// counts its bytes and does not ask for the position.
    fn drain(&mut self) -> io::Result<()> {
        self.file.flush()?;
        let written = self.file.inner_mut();
        self.out.write_all(written)?;
        written.clear();
        Ok(())
    }
}

impl Values {
    const fn new(kind: Kind) -> Self {
        let values = match kind {
            Kind::Text => Of::Text(Vec::new()),
            Kind::Real => Of::Real(Vec::new()),
            Kind::Whole => Of::Whole(Vec::new()),
        };
        Self { values, levels: Vec::new() }
    }

    fn push(&mut self, cell: &Cell<'_>) {
        let before = self.len();
        match (&mut self.values, cell) {
            (Of::Text(_), Cell::Text(None)) => {}
            (Of::Text(values), _) => values.push(cell.to_text().into_bytes().into()),
            (Of::Real(values), _) => values.extend(cell.real()),
            (Of::Whole(values), Cell::Whole(value)) => values.extend(*value),
            (Of::Whole(_), _) => {}
        }
        self.levels.push((self.len() > before).into());
    }

    const fn len(&self) -> usize {
        match &self.values {
            Of::Text(values) => values.len(),
            Of::Real(values) => values.len(),
            Of::Whole(values) => values.len(),
        }
    }

    fn write(&mut self, chunk: &mut SerializedColumnWriter<'_>) -> Result<()> {
        let levels = Some(&self.levels[..]);
        match &mut self.values {
            Of::Text(values) => {
                chunk.typed::<ByteArrayType>().write_batch(values, levels, None)?;
                values.clear();
            }
            Of::Real(values) => {
                chunk.typed::<DoubleType>().write_batch(values, levels, None)?;
                values.clear();
            }
            Of::Whole(values) => {
                chunk.typed::<Int64Type>().write_batch(values, levels, None)?;
                values.clear();
            }
        }
        self.levels.clear();
        Ok(())
    }
}

fn schema(columns: &[Column]) -> Result<TypePtr> {
    let field = |column: &Column| {
        let (physical, logical) = match column.kind {
            Kind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            Kind::Real => (Physical::DOUBLE, None),
            Kind::Whole => (Physical::INT64, None),
        };
        let field = Type::primitive_type_builder(column.name, physical).with_logical_type(logical);
        field.with_repetition(Repetition::OPTIONAL).build().map(TypePtr::new)
    };
    let fields: Result<_> = columns.iter().map(field).collect();
    Type::group_type_builder("watch").with_fields(fields?).build().map(TypePtr::new)
}
