//! Exports, read back.

mod common;

use bytes::Bytes;
use common::{at, folder, probe, second};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use results::{WatchEvent, WatchEventKind, WatchGap};
use store::{Exported, Format, Reader, Store, export};
use units::Time;

fn example(name: &str) -> Reader {
    let folder = folder(name);
    let mut store = Store::open(&folder).unwrap();
    for name in ["a", "b, with a comma"] {
        let target = store.target(name).unwrap();
        for index in 0..9000 {
            store.keep(target, probe(index));
            if name == "a" {
                store.keep_second(second(index));
            }
            if index % 60 == 59 {
                store.commit().unwrap();
            }
        }
    }
    let what = WatchEventKind::Gap { reason: WatchGap::Stopped };
    store.keep_event(&WatchEvent { start_s: 5.5, duration_s: 1.0, what });
    store.commit().unwrap();
    Reader::open(&folder).unwrap()
}

fn written(reader: &Reader, what: Exported, to: Time, format: Format) -> Vec<u8> {
    let mut bytes = Vec::new();
    export(reader, what, Time::ZERO, to, format, &mut bytes).unwrap();
    bytes
}

const ALL: [Exported; 6] = [
    Exported::Probes,
    Exported::Minutes,
    Exported::Hours,
    Exported::Seconds,
    Exported::Machine,
    Exported::Events,
];

#[test]
fn csv_is_as_documented() {
    let reader = example("csv");
    let text = |what, to| String::from_utf8(written(&reader, what, to, Format::Csv)).unwrap();
    let probes = text(Exported::Probes, at(16));
    let lines: Vec<_> = probes.lines().collect();
    assert_eq!(lines.len(), 33, "{probes}");
    assert_eq!(lines[0], "target,sent_s,round_trip_ms,up_offset_ms,outcome,extra");
    assert_eq!(lines[1], "a,1789999200.000000,20,-7,answered,0");
    assert_eq!(lines[2], "a,1789999201.000719,20.031,,answered,0");
    assert_eq!(lines[14], "a,1789999213.000347,,,lost,0");
    assert_eq!(lines[15], "a,1789999214.000166,,,no_route,0");
    assert!(lines[17].starts_with("\"b, with a comma\",1789999200.000000,"));
    let minutes = text(Exported::Minutes, at(60));
    let columns =
        "target,start_s,width_s,sent,late,lost,failed,min_ms,p50_ms,p95_ms,p99_ms,max_ms\n";
    assert!(
        minutes.starts_with(&format!("{columns}a,1789999200.000000,60,60,1,1,1,20,")),
        "{minutes}"
    );
    let seconds = text(Exported::Seconds, at(2));
    let columns = "end_s,up_bytes,down_bytes,lateness_ms,busy_percent,signal_dbm,retries\n";
    assert_eq!(seconds, format!("{columns}1789999201.000000,0,0,0,0,,\n"));
    let machine = text(Exported::Machine, at(120));
    let columns =
        "start_s,seconds,up_bytes,down_bytes,lateness_ms,busy_percent,signal_dbm,retries\n";
    let [first, second] = [
        "1789999200.000000,60,1770000,870,0.059,59,,",
        "1789999260.000000,60,5370000,2670,0.119,99,,",
    ];
    assert_eq!(machine, format!("{columns}{first}\n{second}\n"));
    let events = text(Exported::Events, Time::MAX);
    let event = r#"5.5,1,gap,stopped,"{""start_s"":5.5,""duration_s"":1.0,""event"":""gap"",""reason"":""stopped""}""#;
    assert_eq!(events, format!("start_s,duration_s,kind,cause,event\n{event}\n"));
}

#[test]
fn json_lines_have_what_has_a_value() {
    let reader = example("json");
    let text =
        String::from_utf8(written(&reader, Exported::Probes, at(14), Format::JsonLines)).unwrap();
    let lines: Vec<_> = text.lines().collect();
    let first = r#"{"target":"a","sent_s":1789999200.0,"round_trip_ms":20.0,"up_offset_ms":-7.0,"outcome":"answered","extra":0}"#;
    assert_eq!(lines[0], first);
    assert_eq!(
        lines[13],
        r#"{"target":"a","sent_s":1789999213.000347,"outcome":"lost","extra":0}"#
    );
}

/// The names of the columns, and the cells as the texts that CSV has.
fn read(file: Vec<u8>) -> (Vec<String>, Vec<Vec<Field>>) {
    let reader = SerializedFileReader::new(Bytes::from(file)).unwrap();
    let fields = reader.metadata().file_metadata().schema().get_fields();
    let names = fields.iter().map(|field| field.name().to_owned()).collect();
    let rows = reader.get_row_iter(None).unwrap();
    let cells =
        |row: parquet::record::Row| row.get_column_iter().map(|(_, it)| it.clone()).collect();
    (names, rows.map(|row| cells(row.unwrap())).collect())
}

#[test]
fn parquet_holds_the_same() {
    let reader = example("parquet");
    for what in ALL {
        let (names, rows) = read(written(&reader, what, Time::MAX, Format::Parquet));
        let csv = written(&reader, what, Time::MAX, Format::Csv);
        let mut csv = csv::Reader::from_reader(&csv[..]);
        assert!(csv.headers().unwrap().iter().eq(names.iter()), "{names:?}");
        let lines: Vec<_> = csv.records().map(Result::unwrap).collect();
        assert_eq!(lines.len(), rows.len());
        for (line, row) in lines.iter().zip(&rows) {
            for (text, cell) in line.iter().zip(row) {
                let is_same = match cell {
                    Field::Null => text.is_empty(),
                    Field::Double(value) => text.parse() == Ok(*value),
                    Field::Long(value) => text.parse() == Ok(*value),
                    Field::Str(value) => text == value,
                    _ => false,
                };
                assert!(is_same, "{text} is {cell}");
            }
        }
    }
}

#[test]
fn a_full_disk_is_an_error() {
    let reader = example("no-room");
    for format in [Format::Csv, Format::Parquet, Format::JsonLines] {
        let size = written(&reader, Exported::Minutes, at(600), format).len();
        for room in [0, 1, size / 2, size - 1] {
            let mut disk = vec![0; room];
            let result =
                export(&reader, Exported::Minutes, Time::ZERO, at(600), format, &mut disk[..]);
            assert!(result.is_err(), "{room} of {size} bytes");
        }
    }
}
