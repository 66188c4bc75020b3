//! Rows as comma-separated values (RFC 4180): a line of names, then one line per run. A cell
//! without a value is empty; a number is written in its shortest exact form.

use std::path::Path;

use super::{Line, Table};

pub(super) fn write(table: &Table) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let heading = ["run"].into_iter().chain(table.fields.iter().map(String::as_str));
    let heading = heading.chain(["error"]).chain(table.names.iter().map(String::as_str));
    writer.write_record(heading).expect("memory takes all");
    for Line { run, values, error, figures } in &table.lines {
        let cell = |value: &Option<f64>| value.map_or(String::new(), |value| value.to_string());
        let before = [run.to_string()].into_iter().chain(values.iter().cloned());
        let row = before.chain([error.clone().unwrap_or_default()]).chain(figures.iter().map(cell));
        writer.write_record(row).expect("rows of one width");
    }
    writer.into_inner().expect("memory takes all")
}

pub(super) fn read(path: &Path, fields: &[String]) -> Result<Table, String> {
    let mut reader = csv::Reader::from_path(path).map_err(|error| error.to_string())?;
    let heading = reader.headers().map_err(|error| error.to_string())?.clone();
    let expected = ["run"].into_iter().chain(fields.iter().map(String::as_str)).chain(["error"]);
    let before = fields.len() + 2;
    if !heading.iter().take(before).eq(expected) {
        return Err("its columns are not those of the sweep".into());
    }
    let names = heading.iter().skip(before).map(str::to_owned).collect();
    let mut table = Table { fields: fields.to_vec(), names, lines: Vec::new() };
    for record in reader.records() {
        let record = record.map_err(|error| error.to_string())?;
        table.lines.push(line(&record, fields.len())?);
    }
    Ok(table)
}

fn line(record: &csv::StringRecord, fields: usize) -> Result<Line, String> {
    let number = |text: &str| match text {
        "" => Ok(None),
        text => text.parse().map(Some).map_err(|_| format!("{text:?} is no number")),
    };
    let run = record[0].parse().map_err(|_| format!("{:?} is no number of a run", &record[0]))?;
    let values = record.iter().skip(1).take(fields).map(str::to_owned).collect();
    let error = Some(record[fields + 1].to_owned()).filter(|error| !error.is_empty());
    let figures = record.iter().skip(fields + 2).map(number).collect::<Result<_, _>>()?;
    Ok(Line { run, values, error, figures })
}
