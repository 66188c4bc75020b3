//! The network of a command.

use std::fs;

use super::{PROGRAM, command, has_namespaces, inner, users};
use crate::bench::Bench;

/// A command connects through the gateway to a peer on the host's side, which is a lab itself.
#[test]
fn a_command_dials_somebody_in_the_world() {
    if !has_namespaces("a_command_dials_somebody_in_the_world") {
        return;
    }
    let bench = Bench::new("lab-dials");
    for user in users() {
        let host = command(&bench, user, &["lab", "-q", "--"]);
        let told = inner::run("host", host);
        assert_eq!(told.words, ["came back", "from the host"], "{told:?}");
    }
}

#[test]
fn a_trace_is_a_link_and_a_capture_has_its_packets() {
    if !has_namespaces("a_trace_is_a_link_and_a_capture_has_its_packets") {
        return;
    }
    let bench = Bench::new("lab-trace");
    // One packet every 40 ms.
    bench.write("slow.trace", b"40\n");
    let link = ["lab", "--json", "--trace", "slow.trace", "--rtt", "10ms"];
    let arguments = [&link[..], &["--pcap", "c.pcapng", "--"]].concat();
    let told = inner::run("round-trip", command(&bench, &[], &arguments));
    assert!(told.numbers()[0] >= 10.0, "{told:?}");
    let document = told.document().unwrap();
    let link = &document["links"]["link"];
    for way in ["forward", "reverse"] {
        assert!(link[way]["delivered_packets"].as_u64().unwrap() > 0, "{link}");
    }
    assert_eq!(document["scenario"]["link"][0]["rate"]["trace"], "slow.trace");
    let capture = fs::read(bench.path("c.pcapng")).unwrap();
    assert!(capture.starts_with(&[0x0a, 0x0d, 0x0d, 0x0a]), "no pcapng");
    let said = capture.windows(inner::SAID.len()).filter(|bytes| *bytes == inner::SAID).count();
    assert!(said >= 2, "{said} of a question and its answer");
}

/// Congestion controls that every program may choose, and those that only root may.
fn congestion_controls() -> [Vec<String>; 2] {
    let read = |which: &str| {
        let path = format!("/proc/sys/net/ipv4/tcp_{which}_congestion_control");
        let names = fs::read_to_string(path).unwrap();
        names.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    let allowed = read("allowed");
    let restricted = read("available").into_iter().filter(|name| !allowed.contains(name));
    let restricted = restricted.collect();
    [allowed, restricted]
}

#[test]
fn a_program_may_choose_its_congestion_control_before_it_connects() {
    let [allowed, _] = congestion_controls();
    let Some(other) = allowed.iter().find(|name| *name != "reno") else {
        return eprintln!("skipped: everybody may choose reno, and nothing else");
    };
    if !has_namespaces("a_program_may_choose_its_congestion_control_before_it_connects") {
        return;
    }
    let bench = Bench::new("lab-congestion");
    for user in users() {
        let link = ["lab", "--congestion", other, "--"];
        let told = inner::run("congestion", command(&bench, user, &link));
        assert_eq!(told.words, [other, "reno"]);
        assert!(!told.stderr.contains("until their program chooses another"), "{told:?}");
    }
}

#[test]
fn a_congestion_control_that_is_for_root_is_forced_and_that_is_said() {
    let [_, restricted] = congestion_controls();
    let Some(name) = restricted.first() else {
        return eprintln!("skipped: everybody may choose each congestion control of this machine");
    };
    if !has_namespaces("a_congestion_control_that_is_for_root_is_forced_and_that_is_said") {
        return;
    }
    let bench = Bench::new("lab-forced");
    let link = ["lab", "--congestion", name, "--"];
    let told = inner::run("congestion", command(&bench, &[], &link));
    assert_eq!(told.words[0], *name);
    assert!(told.stderr.contains("note: ") && told.stderr.contains("program chooses"), "{told:?}");
}

/// The check and the note about a command say the same.
#[test]
fn the_check_says_which_congestion_controls_are_for_root() {
    if !has_namespaces("the_check_says_which_congestion_controls_are_for_root") {
        return;
    }
    let bench = Bench::new("lab-check-congestion");
    let check = bench.run(&["lab", "--check", "--json"]).stdout;
    let check: serde_json::Value = serde_json::from_str(&check).unwrap();
    let of = |name: &str| {
        let findings = check["findings"].as_array().unwrap();
        let finding = findings.iter().find(|it| it["what"] == name && it["works"] == true);
        finding.map(|it| it["detail"].as_str().unwrap().to_owned())
    };
    let [allowed, restricted] = congestion_controls();
    for (names, is_restricted) in [(allowed, false), (restricted, true)] {
        for detail in names.iter().filter_map(|name| of(name)) {
            assert_eq!(detail.contains("sets it on the routes"), is_restricted, "{detail}");
        }
    }
}

/// The command with which a host, itself a lab, starts a lab.
pub(super) fn lab() -> std::process::Command {
    let mut lab = std::process::Command::new(PROGRAM);
    lab.args(["lab", "-q", "--rtt", "20ms", "--"]);
    lab
}
