//! Rows as Apache Parquet: `run` is a whole number, fields and `error` are texts, figures are
//! doubles.
//!
//! Specification: <https://parquet.apache.org/docs/file-format/>.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::Result;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::record::Field;
use parquet::schema::types::{Type, TypePtr};

use super::{Line, Table};

/// The key under which the file names its sweep.
const SWEEP: &str = "sweep";

pub(super) fn write(table: &Table, id: &str) -> Vec<u8> {
    written(table, id).expect("memory takes all, and columns are of their types")
}

fn written(table: &Table, id: &str) -> Result<Vec<u8>> {
    let metadata = [("schema", "unbloat.runs"), ("version", "1"), (SWEEP, id)]
        .map(|(key, value)| KeyValue::new(key.into(), value.to_owned()));
    let properties = WriterProperties::builder()
        .set_key_value_metadata(Some(metadata.to_vec()))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true)
        .build();
    let mut bytes = Vec::new();
    let mut file = SerializedFileWriter::new(&mut bytes, schema(table)?, Arc::new(properties))?;
    let mut group = file.next_row_group()?;
    let lines = &table.lines;
    let runs: Vec<i64> = lines.iter().map(|line| line.run as i64).collect();
    column::<Int64Type>(&mut group, &runs, None)?;
    for field in 0..table.fields.len() {
        let texts: Vec<_> = lines.iter().map(|line| text(&line.values[field])).collect();
        column::<ByteArrayType>(&mut group, &texts, None)?;
    }
    let errors: Vec<_> = lines.iter().filter_map(|line| line.error.as_deref()).map(text).collect();
    let levels: Vec<i16> = lines.iter().map(|line| line.error.is_some().into()).collect();
    column::<ByteArrayType>(&mut group, &errors, Some(&levels))?;
    for name in 0..table.names.len() {
        let values: Vec<f64> = lines.iter().filter_map(|line| line.figures[name]).collect();
        let levels: Vec<i16> =
            lines.iter().map(|line| line.figures[name].is_some().into()).collect();
        column::<DoubleType>(&mut group, &values, Some(&levels))?;
    }
    group.close()?;
    file.close()?;
    Ok(bytes)
}

fn column<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, &mut Vec<u8>>,
    values: &[T::T],
    levels: Option<&[i16]>,
) -> Result<()> {
    if let Some(mut column) = group.next_column()? {
        column.typed::<T>().write_batch(values, levels, None)?;
        column.close()?;
    }
    Ok(())
}

fn text(text: &str) -> ByteArray {
    ByteArray::from(text)
}

fn schema(table: &Table) -> Result<TypePtr> {
    let column = |name: &str, physical, repetition, logical| {
        let column = Type::primitive_type_builder(name, physical).with_repetition(repetition);
        column.with_logical_type(logical).build().map(Arc::new)
    };
    let string = Some(LogicalType::String);
    let mut columns = vec![column("run", Physical::INT64, Repetition::REQUIRED, None)?];
    for field in &table.fields {
        columns.push(column(field, Physical::BYTE_ARRAY, Repetition::REQUIRED, string.clone())?);
    }
    columns.push(column("error", Physical::BYTE_ARRAY, Repetition::OPTIONAL, string)?);
    for name in &table.names {
        columns.push(column(name, Physical::DOUBLE, Repetition::OPTIONAL, None)?);
    }
    Type::group_type_builder("runs").with_fields(columns).build().map(Arc::new)
}

pub(super) fn read(path: &Path, id: &str, fields: &[String]) -> std::result::Result<Table, String> {
    let file = File::open(path).map_err(|error| error.to_string())?;
    let reader = SerializedFileReader::new(file).map_err(|error| error.to_string())?;
    let metadata = reader.metadata().file_metadata();
    let pairs = metadata.key_value_metadata().into_iter().flatten();
    let sweep = pairs.filter(|pair| pair.key == SWEEP).find_map(|pair| pair.value.as_deref());
    if sweep != Some(id) {
        return Err("it belongs to another sweep".into());
    }
    let columns: Vec<&str> =
        metadata.schema().get_fields().iter().map(|field| field.name()).collect();
    let expected = ["run"].into_iter().chain(fields.iter().map(String::as_str)).chain(["error"]);
    let before = fields.len() + 2;
    if !columns.iter().take(before).copied().eq(expected) {
        return Err("its columns are not those of the sweep".into());
    }
    let names = columns[before..].iter().map(|name| (*name).to_owned()).collect();
    let mut table = Table { fields: fields.to_vec(), names, lines: Vec::new() };
    for row in reader.get_row_iter(None).map_err(|error| error.to_string())? {
        let row = row.map_err(|error| error.to_string())?;
        let cells: Vec<&Field> = row.get_column_iter().map(|(_, field)| field).collect();
        table.lines.push(line(&cells, fields.len()).ok_or("a column has another type")?);
    }
    Ok(table)
}

fn line(cells: &[&Field], fields: usize) -> Option<Line> {
    let text = |field: &&Field| match field {
        Field::Str(text) => Some(text.clone()),
        _ => None,
    };
    let figure = |field: &&Field| match field {
        Field::Double(value) => Some(Some(*value)),
        Field::Null => Some(None),
        _ => None,
    };
    let Field::Long(run) = cells.first()? else { return None };
    let values = cells.get(1..=fields)?.iter().map(text).collect::<Option<_>>()?;
    let error = cells.get(fields + 1).and_then(text);
    let figures = cells.get(fields + 2..)?.iter().map(figure).collect::<Option<_>>()?;
    Some(Line { run: u64::try_from(*run).ok()?, values, error, figures })
}
