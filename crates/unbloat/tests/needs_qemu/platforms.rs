//! Platforms with their own programs: systemd, systemd-networkd, ifupdown and NetworkManager of Debian.

use guest::Results;
use results::{Checkup, FaultName};

use crate::ward;

/// The first lines of a script: the guest itself is the router.
const ROUTER: &str = "ip netns attach router 1";

/// What all scripts share.
const PLATFORMS: &str = include_str!("platforms.sh");

/// What the scripts leave behind.
fn run(scripts: &str) -> Results {
    let mut guest = ward::guest_with_systemd();
    guest.add_file("before.json", ward::before());
    ward::run_after(ROUTER, guest, &[PLATFORMS, scripts])
}

/// The platform has cured the line, and does so again when the interface appears anew.
fn is_cured(results: &Results, platform: &str) {
    ward::is_cured(&ward::treatment(results, &format!("{platform}.json")));
    ward::has(results, &format!("kept-{platform}"), &["qdisc cake", "/etc/unbloat/undo"]);
    is_shaped(ward::text(results, &format!("appeared-{platform}")));
}

#[test]
fn needs_qemu_a_script_is_started_again_with_the_interface() {
    let results = run(include_str!("platforms-script.sh"));
    ward::is_back(&results, 2);
    is_cured(&results, "tc");
    is_cured(&results, "ifupdown");
}

#[test]
fn needs_qemu_networkmanager_starts_a_script_and_loses_its_own_cake() {
    let results = run(include_str!("platforms-networkmanager.sh"));
    ward::is_back(&results, 1);
    is_cured(&results, "networkmanager");
    ward::has(&results, "lost", &["qdisc.root=cake\n", "bandwidth unlimited", "nonat"]);
    ward::has(&results, "doctor.json", &["config-dropped", "wan.nmconnection"]);
}

#[test]
fn needs_qemu_networkd_shapes_again_when_it_or_the_machine_starts() {
    let results = run(include_str!("platforms-networkd.sh"));
    ward::is_back(&results, 2);
    is_cured(&results, "networkd");
    for (platform, has_dropin) in [("networkd", true), ("tc", false)] {
        let typed = ward::text(&results, &format!("typed-{platform}"));
        is_shaped(typed);
        assert_eq!(typed.contains("10-wan.network.d/unbloat.conf"), has_dropin, "{typed}");
    }
    is_shaped(ward::text(&results, "restarted"));
    ward::has(&results, "again", &["an earlier plan is in force", "nothing was changed"]);
    // systemd 252 is asked for nothing that it does not know.
    let journal = ward::text(&results, "journal");
    assert!(!journal.contains("Unknown key"), "{journal}");
    ignores_what_doctor_finds(&results);

    let mut guest = ward::guest_with_systemd();
    guest.add_before(&results["left.tar"]);
    let results = ward::run_after(ROUTER, guest, &[PLATFORMS, include_str!("reboot.sh")]);
    is_shaped(ward::text(&results, "started"));
    let undone = ward::text(&results, "undone");
    assert!(!undone.contains("cake") && !undone.contains("unbloat"), "{undone}");
}

/// networkd ignores those settings of `[CAKE]` that `unbloat doctor` finds, in their order, and no other.
fn ignores_what_doctor_finds(results: &Results) {
    let doctor: Checkup = serde_json::from_slice(&results["doctor.json"]).unwrap();
    let mut dropped = doctor.findings.iter().filter(|it| it.name == FaultName::ConfigDropped);
    let evidence = &dropped.next().expect("settings are lost").evidence;
    let keys = ["Bandwidth", "OverheadByte", "RTTSec", "NAT", "FlowIsolationMode", "MPUBytes"];
    let found: Vec<&str> = evidence.iter().map(|it| it.what.as_str()).collect();
    let found: Vec<&str> = found.into_iter().filter(|name| !name.contains(' ')).collect();
    assert_eq!(found[1..], keys, "{evidence:?}");
    let ignored = ward::text(results, "ignored");
    for (line, key) in ignored.lines().zip(keys) {
        assert!(line.contains(key), "{key}: {ignored}");
    }
    assert_eq!(ignored.lines().count(), keys.len(), "{ignored}");
}

/// Both directions go through CAKE.
fn is_shaped(queues: &str) {
    for device in ["wan", "ifb-wan"] {
        let is_it = |line: &str| {
            line.contains("qdisc cake") && line.contains(&format!("dev {device} root"))
        };
        assert!(queues.lines().any(is_it), "{device}: {queues}");
    }
}
