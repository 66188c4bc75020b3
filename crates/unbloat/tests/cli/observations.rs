//! Observations of a test, kept and judged again.

use results::{Claim, Grade, Measurement, QueueKind, Ungraded};
use serde_json::Value;

use crate::bench::Bench;
use crate::interrupts::signal;
use crate::serve::serving;

#[test]
fn what_was_seen_is_judged_again_as_it_was_then() {
    let bench = Bench::new("observations");
    let (mut server, _stderr, port) = serving(&bench, &[]);
    let host = format!("127.0.0.1:{port}");
    let test = ["test", &host, "--up", "--time", "5s", "--json", "-q"];
    let run = bench.run(&[&test[..], &["--observations", "seen.json.gz"]].concat());
    signal(&server, "INT");
    server.wait().unwrap();
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(serde_json::from_str::<Measurement>(&run.stdout).unwrap().upload.is_some());
    let again = bench.run(&["report", "--json", "seen.json.gz"]);
    assert_eq!(again.code, 0, "{}", again.stderr);
    let document = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    assert_eq!(document(&again.stdout), document(&run.stdout));
    let page = bench.run(&["report", "seen.json.gz", "--out", "page.html"]);
    assert_eq!(page.code, 0, "{}", page.stderr);
    assert!(bench.read("page.html").contains(&host));
}

#[test]
fn what_cannot_be_judged_is_refused() {
    let bench = Bench::new("observations-broken");
    bench.write("new.json", br#"{"schema": "unbloat.observations", "version": 9}"#);
    bench.write("cut.json", b"{\"schema\": \"unbloat.observations\",\n\"version\": 1}");
    bench.write("odd.json", br#"{"schema": "unbloat.comparison", "version": 1, "runs": []}"#);
    for (arguments, parts) in [
        (&["report", "new.json"][..], &["new.json:1:", "only version 1 can be read"][..]),
        (&["report", "cut.json", "--json"], &["cut.json:2:", "missing field `test`"]),
        (&["report", "odd.json", "--json"], &["odd.json"]),
        (&["report", "new.json", "cut.json", "--json"], &["name one file"]),
        (&["report", "new.json", "--json", "--out", "a.html"], &["--json", "--out"]),
    ] {
        bench.run(arguments).is_refused(parts);
    }
    #[cfg(target_os = "linux")]
    bench.run(&["test", "192.0.2.1", "--observations", "a.json"]).is_refused(&["end in .json.gz"]);
}

/// The findings of a recorded test of a real kernel; tests/files/README.md describes each.
fn judged(name: &str) -> Measurement {
    let bench = Bench::new(name);
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/files/").to_owned() + name + ".json.gz";
    let run = bench.run(&["report", "--json", &file]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    serde_json::from_str(&run.stdout).unwrap()
}

/// Six programs compete for each of the host's processors: the guest's router stood still as often
/// as its client, and the line of 20 Mbit/s seemed to vary.
#[test]
fn a_guest_that_starves_tells_nothing_of_the_line() {
    let found = judged("starved-guest");
    let download = found.download.as_ref().unwrap();
    assert_eq!(download.grade_reason, Some(Ungraded::Machine));
    assert_eq!(download.queue.unwrap().kind, QueueKind::Unknown);
    let says = |name: Claim| found.verdict.iter().any(|remark| remark.name == name);
    assert!(says(Claim::MachineLimit));
    let of_download = |text: &str| text.contains("download");
    assert!(!found.advice.iter().any(|remark| of_download(&remark.text)), "{:?}", found.advice);
    // A queue of a second is not caused by the machine.
    assert_eq!(found.upload.unwrap().grade, Some(Grade::F));
}

#[test]
fn beside_six_busy_loops_ten_milliseconds_tell_nothing_of_the_line() {
    let found = judged("six-busy-loops");
    assert_eq!((found.grade, found.grade_reason), (None, Some(Ungraded::Machine)));
    for direction in [found.upload.unwrap(), found.download.unwrap()] {
        assert_eq!(direction.queue.unwrap().kind, QueueKind::Unknown);
    }
    assert_eq!(found.advice, []);
}
