//! Tests in which one end stops.

use std::io::{BufRead, BufReader, Read};
use std::process::Child;
use std::time::Duration;

use results::Measurement;

use crate::bench::Bench;
use crate::interrupts::signal;
use crate::serve::serving;

/// The measurement of a test whose server or client is disturbed during the download.
fn disturbed(name: &str, disturb: impl FnOnce(&Child, &Child)) -> Measurement {
    let bench = Bench::new(name);
    let (mut server, _stderr, port) = serving(&bench, &[]);
    let host = format!("127.0.0.1:{port}");
    let mut test = bench.command(&["test", &host, "--time", "5s", "--json"]).spawn().unwrap();
    let stages = BufReader::new(test.stderr.take().unwrap()).lines();
    let mut stages = stages.map_while(Result::ok);
    assert!(stages.any(|line| line.contains("download")), "it did not begin");
    disturb(&server, &test);
    let mut text = String::new();
    test.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(test.wait().unwrap().code(), Some(0), "{text}");
    signal(&server, "KILL");
    server.wait().unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The sentences of the limits, as one text.
fn limits(measurement: &Measurement) -> String {
    report::measurement_limits(measurement).into_iter().map(|limit| limit.text + " ").collect()
}

#[test]
#[expect(clippy::disallowed_methods, reason = "it stands still for a while of real time")]
fn a_test_that_is_stopped_says_so_and_invents_no_queue() {
    let measurement = disturbed("stopped", |_, test| {
        signal(test, "STOP");
        std::thread::sleep(Duration::from_millis(2_500));
        signal(test, "CONT");
    });
    let why = measurement.partial.clone().unwrap();
    assert!(why.contains("this program stood still for 2.") && why.contains("stopped"), "{why}");
    let delays = measurement.download.as_ref().map(|download| download.added_delay_ms.max);
    assert!(delays.flatten().is_none_or(|millis| millis < 500.0), "{delays:?}");
    let limits = limits(&measurement);
    assert!(limits.contains("Nothing is known of the upload"), "{limits}");
}

#[test]
fn a_server_that_is_killed_leaves_a_partial_result() {
    let measurement = disturbed("killed", |server, _| signal(server, "KILL"));
    let why = measurement.partial.clone().unwrap();
    assert!(why.contains("the server ended the test"), "{why}");
    assert!(measurement.verdict[0].text.starts_with("The test is incomplete: "));
    assert!(measurement.upload.is_none() && measurement.both.is_none());
    let limits = limits(&measurement);
    for name in ["the upload", "both directions at once"] {
        assert!(limits.contains(&format!("Nothing is known of {name}")), "{limits}");
    }
}
