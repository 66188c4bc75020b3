//! A path that drops all datagrams.

use std::ops::Range;
use std::process::Command;
use std::thread;

use netlink_packet_route::IpProtocol;
use netlink_packet_route::rule::RuleAttribute;
use serde_json::Value;
use units::{Bytes, Rate};

use super::PROGRAM;
use super::serving::Serving;
use crate::chain::Chain;

/// The router's rates to the server and to the client.
const UP: Rate = Rate::from_mbit(2);
const DOWN: Rate = Rate::from_mbit(20);

/// The router's buffer in each direction: 1,049 ms up, 105 ms down.
const BUFFER: Bytes = Bytes(256 << 10);

/// The part of a processor above which something else than the test keeps this machine busy.
const BUSY: f64 = 0.9;

/// Tests of a direction at most, until one tells the delay. A full buffer drops handshakes, too, so
/// that too few of them may come through in one test.
const TESTS: usize = 3;

/// Each direction has a path of its own, so that both are judged in the time of one.
pub(crate) fn handshakes_tell_the_delay_where_udp_is_blocked() {
    thread::scope(|scope| {
        scope.spawn(|| judge("--up", "upload", &(950.0..1_100.0), "F"));
        scope.spawn(|| judge("--down", "download", &(95.0..125.0), "C"));
    });
}

/// Tests a direction until its delay is told, and judges what is said of it. On a busy machine no
/// delay is judged, and one that is late now and then may make too few handshakes.
fn judge(option: &str, direction: &str, delays: &Range<f64>, grade: &str) {
    let mut is_late = false;
    for _ in 0..TESTS {
        let document = tested(option);
        assert!(says(&document, "limits", "udp-blocked"), "{}", document["limits"]);
        if is_busy(&document, direction) {
            return println!("{direction}: no delay is judged, since this machine was too busy");
        }
        if !says(&document, "verdict", "no-delay") {
            return judge_delay(&document, direction, delays, grade);
        }
        is_late |= says(&document, "limits", "late-probes");
    }
    assert!(is_late, "{direction}: too few handshakes came through in each of {TESTS} tests");
    println!("{direction}: no delay is judged, since this machine was late");
}

/// The measurement of a path whose only router forwards no UDP.
fn tested(direction: &str) -> Value {
    let path = Chain::new(1);
    path.add_bucket(1, "right", UP, BUFFER);
    path.add_bucket(1, "left", DOWN, BUFFER);
    path.swallow(1, 0, vec![RuleAttribute::IpProtocol(IpProtocol::Udp)]);
    let server = path.server(false).to_string();
    let _serving = Serving::begin(&path, &server);
    let arguments = ["test", &server, direction, "--time", "8s", "--json", "--quiet"];
    let output = path.at_client(|| Command::new(PROGRAM).args(arguments).output().unwrap());
    // Why a test is incomplete is in the document.
    let [said, document] = [&output.stderr, &output.stdout].map(|it| String::from_utf8_lossy(it));
    assert!(output.status.success(), "{}: {said}\n{document}", output.status);
    serde_json::from_slice(&output.stdout).expect("a document")
}

/// True if the machine, and not the path, may be what the test measured.
fn is_busy(document: &Value, direction: &str) -> bool {
    let findings = document[direction]["findings"].as_array().unwrap();
    findings.iter().any(|finding| finding["kind"] == "machine_limits")
        || document["processors"]["client"]["busiest"].as_f64().is_some_and(|part| part > BUSY)
}

/// True if a list of remarks has the one of this name.
fn says(document: &Value, list: &str, name: &str) -> bool {
    document[list].as_array().unwrap().iter().any(|remark| remark["name"] == name)
}

fn judge_delay(document: &Value, direction: &str, delays: &Range<f64>, grade: &str) {
    let loaded = &document[direction];
    let p95 = loaded["added_delay_ms"]["p95"].as_f64().expect("a delay");
    assert!(delays.contains(&p95), "{direction}: {p95} ms are not in {delays:?}");
    assert_eq!((&document["grade"], &loaded["grade"]), (&grade.into(), &grade.into()));
    assert!(says(document, "verdict", "added-delay"), "{}", document["verdict"]);
    // Handshakes are few, and may not show the kind of a queue. Only a false kind is a failure.
    let kind = &loaded["queue"]["kind"];
    assert!(kind == "fifo" || kind == "unknown" || kind.is_null(), "{kind}");
}
