//! Files of Flent's: files that we write can be read again, and files that Flent wrote can be read.

#[path = "measured/mod.rs"]
mod made;

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use made::{measured, rrul};
use observation::Heading;
use report::flent;
use results::{DelaySpread, Grade, MeasuredStage, Measurement, PageSeries, ProbeSeries};
use serde_json::{Value, json};

fn near(value: Option<f64>, wanted: f64) -> bool {
    value.is_some_and(|value| (value - wanted).abs() <= 1e-3 * wanted.max(0.01))
}

/// The contents of the file that we write for a measurement.
fn written(measurement: &Measurement) -> Value {
    let file = flent::write(measurement);
    let mut text = String::new();
    GzDecoder::new(&file[..]).read_to_string(&mut text).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn names(list: &Value) -> Vec<&str> {
    list.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn rrul_has_all_series_that_flent_plots() {
    let file = written(&rrul());
    assert_eq!(file["version"], 4);
    assert_eq!(file["metadata"]["NAME"], "rrul");
    assert_eq!(file["metadata"]["T0"], "2026-11-22T12:00:00.000000Z");
    assert_eq!(
        names(&file["results"]),
        [
            "TCP upload BE",
            "TCP upload BK",
            "TCP upload CS5",
            "TCP upload EF",
            "TCP download BE",
            "TCP download BK",
            "TCP download CS5",
            "TCP download EF",
            "Ping (ms) UDP EF",
            "Ping (ms) UDP BK",
            "Ping (ms) UDP BE",
            "TCP upload avg",
            "TCP upload sum",
            "TCP download avg",
            "TCP download sum",
            "TCP totals",
            "Ping (ms) avg",
        ]
    );
    assert_eq!(names(&file["raw_values"]).len(), 11);
    let rows = file["x_values"].as_array().unwrap().len();
    assert!(
        file["results"].as_object().unwrap().values().all(|v| v.as_array().unwrap().len() == rows)
    );
}

#[test]
fn values_are_those_of_the_measurement() {
    let file = written(&rrul());
    // 12 s is row 60.
    let at_12 = |name: &str| file["results"][name][60].as_f64();
    assert!(near(at_12("TCP upload sum"), 1.9));
    assert!(near(at_12("TCP download avg"), 19.0 / 4.0));
    assert!(near(at_12("TCP totals"), 20.9));
    assert!(near(at_12("Ping (ms) avg"), 20.0 + 1049.0 + 105.0));
    let samples = file["raw_values"]["Ping (ms) UDP BE"].as_array().unwrap();
    let lost: Vec<&Value> =
        samples.iter().filter(|sample| sample["lost"] == true).take(2).collect();
    assert_eq!([&lost[0]["lost_dir"], &lost[1]["lost_dir"]], ["up", "down"]);
    let upload = &file["raw_values"]["TCP upload EF"][50];
    assert_eq!((&upload["tcp_rtt"], &upload["tcp_cwnd"]), (&json!(1069.0), &json!(40.0)));
}

#[test]
fn other_tests_have_their_names() {
    for (test, flows, probe, series) in [
        ("rrul_be", [(Heading::Up, "BE"); 4], "Ping (ms) UDP BE1", "TCP upload BE4"),
        ("tcp_nup", [(Heading::Up, "BE"); 4], "Ping (ms) ICMP", "TCP upload::4"),
        ("tcp_ndown", [(Heading::Down, "BE"); 4], "Ping (ms) ICMP", "TCP download::4"),
        ("test", [(Heading::Up, "BE"); 4], "Ping (ms) UDP BE", "TCP upload BE::4"),
    ] {
        let file = written(&measured(test, &flows, &["BE"]));
        let name = if test == "test" { "rrul_be_nflows" } else { test };
        assert_eq!(file["metadata"]["NAME"], name);
        let names = names(&file["raw_values"]);
        assert!(names.contains(&probe) && names.contains(&series), "{test}: {names:?}");
    }
}

#[test]
fn the_same_measurement_gives_the_same_bytes() {
    assert_eq!(flent::write(&rrul()), flent::write(&rrul()));
}

#[test]
fn what_is_written_reads_back() {
    let before = rrul();
    let after = flent::read(&flent::write(&before)).unwrap();
    assert_eq!((&after.test, &after.server), (&before.test, &before.server));
    assert_eq!(after.started, "2026-11-22T12:00:00.000000Z");
    let (before, read) = (before.series.unwrap(), after.series.unwrap());
    assert_eq!(
        read.stages.iter().map(|s| s.name.as_str()).collect::<Vec<_>>(),
        ["idle", "both", "idle"]
    );
    assert_eq!(read.flows.len(), before.flows.len());
    for (before, read) in before.probes.iter().zip(&read.probes) {
        assert_eq!((&read.class, read.at_s.len()), (&before.class, before.at_s.len()));
        let close = |(a, b): (&Option<f64>, &Option<f64>)| match (a, b) {
            (Some(a), Some(b)) => (a - b).abs() < 1e-9,
            _ => a == b,
        };
        assert!(before.round_trip_ms.iter().zip(&read.round_trip_ms).all(close));
    }
}

#[test]
fn figures_of_a_file_are_those_of_its_series() {
    let both = flent::read(&flent::write(&rrul())).unwrap().both.unwrap();
    assert!(near(both.upload.goodput_mbit, 1.9) && near(both.download.goodput_mbit, 19.0));
    assert!(near(both.upload.added_delay_ms.p50, 1049.0));
    assert!(near(both.download.added_delay_ms.p50, 105.0));
    assert!(near(both.upload.opposite_delay_ms.p50, 105.0));
    // 0.2 s after its beginning the queue held 104.9 ms, which is the least that a flow saw.
    assert!(near(both.upload.flow_delay_ms.p50, 1049.0 - 104.9));
    assert_eq!((both.upload.grade, both.download.grade), (Some(Grade::F), Some(Grade::C)));
    assert!(both.upload.loss.unwrap() > 0.015 && both.upload.loss.unwrap() < 0.025);
    let alone = measured("tcp_nup", &[(Heading::Up, "BE"); 4], &["BE"]);
    let upload = flent::read(&flent::write(&alone)).unwrap().upload.unwrap();
    assert!(near(upload.added_delay_ms.p95, 1049.0));
    assert_eq!(upload.flows, 4);
}

/// `flent ping`, 20 probes of fping and of irtt each, by Flent 2.3.0 between two network namespaces.
#[test]
fn a_file_that_flent_wrote() {
    let measurement = flent::read(include_bytes!("files/ping.flent.gz")).unwrap();
    assert_eq!((measurement.test.as_str(), measurement.server.as_str()), ("ping", "10.77.3.2"));
    assert_eq!(measurement.started, "2026-11-22T12:15:40.637566Z");
    let recorded = "Recorded by Flent 2.3.0: its test ping (a narrow path).";
    assert_eq!(measurement.verdict[1].text, recorded);
    assert!(
        measurement.verdict[0].text.starts_with("Round trips took 0."),
        "{:?}",
        measurement.verdict
    );
    // `flent -f summary` prints for this file: 0.06 and 0.17 ms at the median.
    let series = measurement.series.unwrap();
    let classes: Vec<&str> = series.probes.iter().map(|probes| probes.class.as_str()).collect();
    assert_eq!(classes, ["ICMP", "BE"]);
    assert!(series.probes.iter().all(|probes| probes.round_trip_ms.len() == 20));
    assert!(series.probes[0].up_ms.iter().all(Option::is_none));
    assert!(series.probes[1].up_ms.iter().all(Option::is_some));
    assert!(measurement.idle_ms.is_some_and(|idle| (0.06..0.18).contains(&idle)));
}

fn packed(file: &Value) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(file.to_string().as_bytes()).unwrap();
    packer.finish().unwrap()
}

/// Version 1 has no raw values, and times without a zone.
#[test]
fn the_first_version_is_read_from_its_interpolated_values() {
    let file = json!({
        "metadata": { "NAME": "tcp_upload", "HOST": "h", "TIME": "2013-05-01T10:00:00.000000" },
        "x_values": [0.0, 1.0, 2.0],
        "results": { "TCP upload": [null, 2.0, 2.0], "Ping (ms) ICMP": [20.0, 1020.0, 1020.0] },
    });
    let measurement = flent::read(&packed(&file)).unwrap();
    assert_eq!(measurement.started, "2013-05-01T10:00:00.000000Z");
    let series = measurement.series.unwrap();
    assert_eq!(series.flows[0].goodput_mbit, [Some(2.0), Some(2.0)]);
    assert_eq!(series.probes[0].round_trip_ms, [Some(20.0), Some(1020.0), Some(1020.0)]);
}

/// Before version 4 netperf's UDP_RR was kept in transactions a second.
#[test]
fn transactions_a_second_become_milliseconds() {
    let sample = |t: f64, val: f64| json!({ "t": t, "val": val, "dur": 0.2 });
    let mut file = json!({
        "version": 3,
        "metadata": { "NAME": "rrul", "T0": "2016-01-01T00:00:00.000000Z" },
        "x_values": [], "results": { "Ping (ms) UDP BE": [] },
        "raw_values": { "Ping (ms) UDP BE": [sample(1451606400.0, 50.0), sample(1451606401.0, 0.0)] },
    });
    let round_trips = |file: &Value| {
        flent::read(&packed(file)).unwrap().series.unwrap().probes[0].round_trip_ms.clone()
    };
    assert_eq!(round_trips(&file), [Some(20.0)]);
    file["version"] = 4.into();
    assert_eq!(round_trips(&file), [Some(50.0), Some(0.0)]);
}

#[test]
fn round_trips_under_load_both_ways_do_not_tell_which() {
    let mut before = rrul();
    for probes in &mut before.series.as_mut().unwrap().probes {
        probes.up_ms.fill(None);
        probes.down_ms.fill(None);
    }
    let measurement = flent::read(&flent::write(&before)).unwrap();
    let both = measurement.both.as_ref().unwrap();
    assert_eq!(both.upload.added_delay_ms, DelaySpread::default());
    assert!(
        report::measurement_limits(&measurement)
            .iter()
            .any(|limit| limit.text.contains("do not show in which"))
    );
    let said = "Round trips while both directions were loaded took 1.17 s at the median";
    assert!(measurement.verdict[0].text.starts_with(said), "{:?}", measurement.verdict);
}

#[test]
fn what_is_wrong_is_told() {
    let metadata = json!({ "NAME": "rrul" });
    for (file, wrong) in [
        (json!({}), "1:2: missing field `metadata`"),
        (json!({ "metadata": metadata, "x_values": [], "results": {} }), "no series of it"),
        (
            json!({ "version": 5, "metadata": metadata, "x_values": [], "results": {} }),
            "known are 1 to 4",
        ),
        (
            json!({ "metadata": metadata, "x_values": [0], "results": { "TCP upload": [] } }),
            "results of `TCP upload`: 0 values, but 1 x_values",
        ),
        (
            json!({ "metadata": metadata, "x_values": [0], "results": { "TCP upload": ["2"] } }),
            "invalid type: string \"2\", expected f64",
        ),
        (
            json!({ "metadata": metadata, "x_values": [0], "results": { "TCP upload": [-1e300] } }),
            "`TCP upload`: val is -1e300; plausible is 0.0 to 2700000000.0",
        ),
    ] {
        let message = flent::read(&packed(&file)).unwrap_err().to_string();
        assert!(message.contains(wrong), "{message:?} does not say {wrong:?}");
    }
}

/// Flows of small segments follow those of large ones at once, as in `unbloat test`.
#[test]
fn what_was_loaded_with_small_packets_is_kept_apart() {
    let mut measurement = measured("test", &[(Heading::Up, "BE"), (Heading::Up, "BE")], &["BE"]);
    let series = measurement.series.as_mut().unwrap();
    let small = MeasuredStage { name: "upload_small".into(), start_s: 20.0, end_s: 25.0 };
    series.stages[1].end_s = 19.5;
    series.stages.insert(2, MeasuredStage { name: "drain".into(), start_s: 19.5, end_s: 20.0 });
    series.stages.insert(3, small);
    let read = flent::read(&flent::write(&measurement)).unwrap();
    assert_eq!(read.series.unwrap().stages, measurement.series.unwrap().stages);
    assert_eq!(read.upload.unwrap().window_s, [8.625, 19.5]);
}

#[test]
fn stages_that_cannot_be_are_those_that_flows_show() {
    let mut file = written(&rrul());
    for stages in [
        json!([{ "name": "both", "start_s": 9.0, "end_s": 3.0 }]),
        json!([{ "name": "tea", "start_s": 1.0, "end_s": 3.0 }]),
        json!([{ "name": "both", "start_s": -1.0, "end_s": 1e300 }]),
    ] {
        file["metadata"]["UNBLOAT_STAGES"] = stages;
        let read = flent::read(file.to_string().as_bytes()).unwrap();
        let names: Vec<String> =
            read.series.unwrap().stages.into_iter().map(|stage| stage.name).collect();
        assert_eq!(names, ["idle", "both", "idle"]);
    }
}

/// The series of Flent's tests that make a call and load pages.
#[test]
fn a_call_pages_and_pings_are_flents_too() {
    let mut measurement = rrul();
    let series = measurement.series.as_mut().unwrap();
    let ping = series.probes[0].clone();
    series.call = Some(ping.clone());
    series.pages = Some(PageSeries { at_s: vec![6.0, 9.0], took_s: vec![Some(2.0), None] });
    let none = vec![None; ping.at_s.len()];
    let (up_ms, down_ms) = (none.clone(), none);
    series.pings = Some(ProbeSeries { class: "ICMP".into(), up_ms, down_ms, ..ping });
    let file = written(&measurement);
    let parameters = &file["metadata"]["TEST_PARAMETERS"];
    assert_eq!(
        (&parameters["voip_host"], &parameters["include_http"]),
        (&json!("server.example"), &json!("true"))
    );
    assert!(near(file["results"]["VoIP::delay"][60].as_f64(), 10.0 + 1049.0));
    assert!(near(file["results"]["HTTP latency"][40].as_f64(), 2_000.0));
    assert!(near(file["results"]["Ping (ms) ICMP"][60].as_f64(), 20.0 + 1049.0 + 105.0));
    assert!(!file["metadata"]["NOTE"].as_str().unwrap().contains("ICMP"));
    let read = flent::read(file.to_string().as_bytes()).unwrap();
    let classes: Vec<String> =
        read.series.unwrap().probes.into_iter().map(|stream| stream.class).collect();
    assert_eq!(classes, ["EF", "BK", "BE", "ICMP"]);
}
