//! Files of Flent's and irtt's, and thresholds that a test must not cross.

use crate::bench::Bench;

const FLENT: &[u8] = include_bytes!("../../../report/tests/files/ping.flent.gz");
const IRTT: &[u8] = include_bytes!("../../../report/tests/files/irtt.json.gz");

#[test]
fn files_of_others_are_drawn() {
    let bench = Bench::new("foreign");
    // The format is recognised by the content.
    bench.write("old.flent.gz", FLENT);
    bench.write("line", IRTT);
    for (file, parts) in [
        (
            "old.flent.gz",
            &["10.77.3.2", "Recorded by Flent 2.3.0: its test ping (a narrow path)."][..],
        ),
        ("line", &["10.77.3.2:2112", "Lost: 11 of 39 (28\u{a0}%)", "Recorded by irtt 0.9.0"]),
    ] {
        let run = bench.run(&["report", file, "--out", "page.html"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        let page = bench.read("page.html");
        for part in parts {
            assert!(page.contains(part), "the page of {file} does not say {part:?}");
        }
    }
}

#[test]
fn what_is_broken_is_told_with_its_place() {
    let bench = Bench::new("foreign-broken");
    bench.write("cut.flent.gz", &FLENT[..FLENT.len() / 2]);
    bench.write(
        "new.flent",
        br#"{"version": 9, "metadata": {"NAME": "rrul"}, "x_values": [], "results": {}}"#,
    );
    bench.write("wrong.flent", b"{\"x_values\": [],\n \"results\": {\"TCP upload\": [\"fast\"]}}");
    bench.write("old.json", br#"{"round_trips": [], "version": {"irtt": "1", "json_format": 0}}"#);
    bench.write("old.bz2", b"BZh91AY&SY");
    for (file, parts) in [
        ("cut.flent.gz", &["cut.flent.gz: it cannot be unpacked by gzip"][..]),
        ("new.flent", &["new.flent: version 9 of Flent's format; known are 1 to 4"]),
        ("wrong.flent", &["wrong.flent:2:", "invalid type: string \"fast\", expected f64"]),
        ("old.json", &["old.json:1:", "missing field `config`"]),
        ("old.bz2", &["old.bz2: it is packed by bzip2; unpack it first"]),
    ] {
        bench.run(&["report", file]).is_refused(parts);
    }
}

/// Refused before anything is measured.
#[cfg(target_os = "linux")]
#[test]
fn thresholds_that_cannot_be_meant_are_refused() {
    let bench = Bench::new("thresholds");
    for (threshold, parts) in [
        ("p96 > 30ms", &["there is no figure `p96`", "added_delay_ms.p50", "lag_ms"][..]),
        ("p95 > 30", &["p95: `30` has no unit"]),
        ("p95 >", &["no value follows `>`", "`p95 > 30ms`"]),
        ("download.rate <", &["`download.rate < 50mbit`"]),
        ("upload.rate_mbt < 5mbit", &["did you mean `rate_mbit`?", "lag_ms"]),
        ("grade < B", &["write `grade worse than B`"]),
    ] {
        bench.run(&["test", "192.0.2.1", "--fail-if", threshold]).is_refused(parts);
    }
    bench.run(&["test", "192.0.2.1", "--flent", "a.json"]).is_refused(&["end in .flent.gz"]);
}
