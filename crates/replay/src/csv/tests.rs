use std::io::Cursor;

use qdisc::Ecn;
use units::Time;

use super::CsvArrivals;
use crate::{Arrival, ReplayError};

fn read(text: impl AsRef<[u8]>) -> Result<Vec<Arrival>, String> {
    let mut arrivals = CsvArrivals::new(Cursor::new(text)).map_err(message)?;
    let mut all = Vec::new();
    while let Some(arrival) = arrivals.next().map_err(message)? {
        all.push(arrival);
    }
    Ok(all)
}

fn message(error: ReplayError) -> String {
    match error {
        ReplayError::Input(message) => message,
        other => panic!("not an input error: {other}"),
    }
}

fn times(text: &str) -> Vec<u64> {
    read(text).unwrap().iter().map(|arrival| arrival.time.as_nanos()).collect()
}

#[test]
fn times_are_exact() {
    let text = "time_s,bytes\n0,1\n.5,1\n1.,1\n1.000000001,1\n1.1,1\n1.10000000000000,1\n\
                1700000000.123456789,1\n18446744073.709551615,1\n";
    let expected = [
        0,
        500_000_000,
        1_000_000_000,
        1_000_000_001,
        1_100_000_000,
        1_100_000_000,
        1_700_000_000_123_456_789,
        u64::MAX,
    ];
    assert_eq!(times(text), expected);
}

#[test]
fn columns_come_in_any_order() {
    let text = "ecn,bytes,dscp,flow,time_s\nect0,1500,46,web,0.25\n1,40,,web,0.25\n,40,,,0.25\n";
    let arrivals = read(text).unwrap();
    let time = Time::from_millis(250);
    let flow = arrivals[0].flow;
    assert_ne!(flow, 0);
    assert_eq!(arrivals[0], Arrival { time, bytes: 1500, flow, ecn: Ecn::Ect0, dscp: 46 });
    assert_eq!(arrivals[1], Arrival { time, bytes: 40, flow, ecn: Ecn::Ect1, dscp: 0 });
    assert_eq!(arrivals[2], Arrival { time, bytes: 40, flow: 0, ecn: Ecn::NotEct, dscp: 0 });
}

#[test]
fn flows_are_told_apart_by_any_name() {
    let text = "time_s,bytes,flow\n0,1,a\n0,1,b\n0,1,\"a\"\n0,1,\"a, \"\"b\"\"\"\n0,1,Zürich\n";
    let flows: Vec<u32> = read(text).unwrap().iter().map(|arrival| arrival.flow).collect();
    assert_eq!(flows[0], flows[2]);
    let mut different = flows.clone();
    different.sort_unstable();
    different.dedup();
    assert_eq!(different.len(), 4);
}

#[test]
fn what_spreadsheets_write_is_taken() {
    for text in [
        "time_s,bytes\r\n0.5,100\r\n1,200\r\n",
        "\u{feff}time_s,bytes\n0.5,100\n1,200",
        "time_s, bytes\n 0.5 ,\t100\n1,200\n\n\n",
        "\"time_s\",\"bytes\"\n\"0.5\",\"100\"\n\"1\",\"200\"\n",
        "time_s,bytes\r\n\r\n0.5,\"100\"\r\n \r\n1,200\r\n",
    ] {
        assert_eq!(times(text), [500_000_000, 1_000_000_000], "{text:?}");
    }
}

#[test]
fn mistakes_are_told_with_their_place() {
    for (text, parts) in [
        (&b"time_s,bytes\n"[..], &["no arrivals", "header"][..]),
        (b"time_s,bytes", &["no arrivals"]),
        (b"\n\n", &["empty", "time_s,bytes"]),
        (b"0.1,1500\n0.2,1500\n", &["line 1", "`0.1,1500` is no header", "`time_s,bytes`"]),
        (b"time_s;bytes\n1;2\n", &["line 1", "`time_s;bytes`", "commas"]),
        (b"time_s,bytes\r0.5,100\r", &["line feed"]),
        (b"time,bytes\n", &["`time`", "`time_s`", "`bytes`", "`flow`", "`ecn`", "`dscp`"]),
        (b"time_s,bytes,\n", &["comma too many"]),
        (b"time_s,bytes,bytes\n", &["two columns `bytes`"]),
        (b"time_s,flow\n", &["no column `bytes`"]),
        (b"bytes\n", &["no column `time_s`"]),
        (b"time_s,bytes\n0,1\n,1\n", &["line 3: column time_s", "empty"]),
        (b"time_s,bytes\n0,\n", &["line 2: column bytes", "empty"]),
        (b"time_s,bytes\n0,1\n0\n", &["line 3", "1 cells", "header has 2"]),
        (b"time_s,bytes\n0,1,2\n", &["line 2", "3 cells"]),
        (b"time_s,bytes\n0,1\n2.5,1\n2.4,1\n", &["line 4", "2.500000000 on line 3", "2.400000000"]),
        (b"time_s,bytes\n-1,1\n", &["`-1` is no time", "seconds"]),
        (b"time_s,bytes\n1e9,1\n", &["`1e9` is no time"]),
        (b"time_s,bytes\nnan,1\n", &["`nan` is no time"]),
        (b"time_s,bytes\n.,1\n", &["`.` is no time"]),
        (b"time_s,bytes\n1.2.3,1\n", &["`1.2.3` is no time"]),
        (b"time_s,bytes\n0.0000000001,1\n", &["finer than a nanosecond", "9 decimals"]),
        (b"time_s,bytes\n18446744073.709551616,1\n", &["too late"]),
        (b"time_s,bytes\n99999999999999999999999,1\n", &["too late"]),
        (b"time_s,bytes\n0,0\n", &["0 bytes", "at least 1"]),
        (b"time_s,bytes\n0,16777217\n", &["too many", "16777216"]),
        (b"time_s,bytes\n0,99999999999999999999999\n", &["too many"]),
        (b"time_s,bytes\n0,1.5\n", &["`1.5` is no whole number of bytes"]),
        (b"time_s,bytes,ecn\n0,1,4\n", &["column ecn", "`4`", "ect0"]),
        (b"time_s,bytes,dscp\n0,1,64\n", &["column dscp", "`64`", "0 to 63"]),
        (b"time_s,bytes,flow\n0,1,\"a\n0,1,b\n", &["line 2: column flow", "quote"]),
        (b"time_s,bytes,flow\n0,1,\"a", &["quote (\")"]),
        (b"time_s,bytes,flow\n0,1,a\0b\n", &["column flow", "NUL"]),
        (b"time_s,bytes,flow\n0,1,Z\xfcrich\n", &["column flow", "not UTF-8"]),
        (b"time_s,bytes\n0,\x1b[31m\n", &["`\u{fffd}[31m`"]),
    ] {
        let error = read(text).unwrap_err();
        for part in parts {
            assert!(error.contains(part), "no {part:?} in {error:?}");
        }
    }
}

/// This also holds where lines are empty or end as on other systems.
#[test]
fn lines_are_counted_as_editors_count_them() {
    for text in [
        "time_s,bytes\n0,1\n\n\n1,x\n",
        "time_s,bytes\r\n0,1\r\n\r\n\r\n1,x\r\n",
        "\n\ntime_s,bytes\n0,1\n1,x",
    ] {
        let error = read(text).unwrap_err();
        assert!(error.starts_with("line 5: "), "{error:?} for {text:?}");
    }
}

/// No more than a few MiB of an endless line are kept.
#[test]
fn a_line_without_end_is_refused() {
    for start in ["time_s,bytes\n", "time_s,bytes\n0,1\n0,\"", ""] {
        let endless = std::io::Read::chain(start.as_bytes(), std::io::repeat(b'7'));
        let error = CsvArrivals::new(endless).and_then(|mut arrivals| {
            while arrivals.next()?.is_some() {}
            Ok(())
        });
        let error = message(error.unwrap_err());
        assert!(error.contains("no end within 1 MiB"), "{error}");
    }
}
