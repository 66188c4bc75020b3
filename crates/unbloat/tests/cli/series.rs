//! `--series FILE.parquet`: the same table as the CSV of the same run.

use std::fs::{self, File};

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row};

use crate::bench::Bench;

/// The names, and the rows.
type Table = (Vec<String>, Vec<Vec<Option<f64>>>);

fn csv(text: &str) -> Table {
    let mut lines = text.lines().map(|line| line.split(','));
    let names = lines.next().unwrap().map(str::to_owned).collect();
    let cell = |text: &str| (!text.is_empty()).then(|| text.parse().unwrap());
    (names, lines.map(|line| line.map(cell).collect()).collect())
}

fn parquet(file: File) -> Table {
    let reader = SerializedFileReader::new(file).unwrap();
    let fields = reader.metadata().file_metadata().schema().get_fields();
    let names = fields.iter().map(|field| field.name().to_owned()).collect();
    let cell = |field: &Field| match field {
        Field::Double(value) => Some(*value),
        Field::Null => None,
        other => panic!("a cell is {other}"),
    };
    let row = |row: Row| row.get_column_iter().map(|(_, field)| cell(field)).collect();
    (names, reader.get_row_iter(None).unwrap().map(|read| row(read.unwrap())).collect())
}

#[test]
fn parquet_is_the_same_table() {
    let bench = Bench::new("parquet");
    for file in ["series.csv", "series.parquet", "again.parquet"] {
        let run = bench.run(&["sim", "good.toml", "--series", file, "--series-step", "10ms"]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    }
    let (names, rows) = csv(&bench.read("series.csv"));
    assert!(rows.len() > 400 && rows.iter().flatten().any(Option::is_none), "{} rows", rows.len());
    let read = parquet(File::open(bench.path("series.parquet")).unwrap());
    assert_eq!(read, (names, rows));
    let bytes = |name| fs::read(bench.path(name)).unwrap();
    assert!(bytes("series.parquet") == bytes("again.parquet"), "not the same bytes");
    assert_eq!(bench.files(), ["again.parquet", "good.toml", "series.csv", "series.parquet"]);
}
