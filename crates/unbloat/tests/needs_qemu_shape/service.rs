//! The shaper as a service of Debian's systemd: started by a plan of `unbloat fix`, killed, hanging, without
//! its interface, and taken back.

use guest::{Guest, Results};
use serde_json::Value;

use crate::ward;

/// The units that the packages bring.
const UNITS: [(&str, &[u8]); 4] = [
    (
        "unbloat-serve.service",
        include_bytes!("../../../../packaging/systemd/unbloat-serve.service"),
    ),
    (
        "unbloat-watch.service",
        include_bytes!("../../../../packaging/systemd/unbloat-watch.service"),
    ),
    (
        "unbloat-shape@.service",
        include_bytes!("../../../../packaging/systemd/unbloat-shape@.service"),
    ),
    (
        "unbloat-autorate@.service",
        include_bytes!("../../../../packaging/systemd/unbloat-autorate@.service"),
    ),
];

/// The first lines of the script: the guest itself is the router.
const ROUTER: &str = "ip netns attach router 1";

#[test]
fn needs_qemu_shape_is_a_service_that_a_plan_starts_and_takes_back() {
    let packages = crate::packages();
    let mut guest = ward::with_program(Guest::with_systemd(&packages).unwrap());
    for (name, unit) in UNITS {
        guest.add_file(name, unit);
    }
    let results = ward::run_after(ROUTER, guest, &[include_str!("service.sh")]);
    ward::is_back(&results, 3);
    is_refused_where_it_must_be(&results);
    is_kept_and_in_force(&results);
    is_hardly_privileged(&results);
    begins_again(&results);
    follows_as_a_service(&results);
    watches_as_a_service(&results);
    is_shaped_as_the_settings_say(&results);
    serves_as_a_service(&results);
}

/// `unbloat autorate` stays the same process while a queue is away.
fn follows_as_a_service(results: &Results) {
    let journal = ward::text(results, "autorate-journal");
    assert_eq!(ward::text(results, "autorate"), "ActiveState=active\nNRestarts=0\n", "{journal}");
    assert!(!journal.contains("nobody answers"), "{journal}");
    for words in ["the cake of wan is gone", "it is there again"] {
        assert!(journal.contains(words), "{journal}");
    }
}

/// `unbloat watch` begins again after it was killed, and keeps what it has kept.
fn watches_as_a_service(results: &Results) {
    let journal = ward::text(results, "watch-journal");
    assert_eq!(ward::text(results, "watch"), "ActiveState=active\nNRestarts=1\n", "{journal}");
    let minutes = ward::text(results, "watch-minutes");
    let answered = |line: &&str| line.starts_with("10.0.1.2,");
    let sent = |line: &str| line.split(',').nth(3)?.parse::<u64>().ok();
    let sent: Option<u64> = minutes.lines().filter(answered).map(sent).sum();
    assert!(sent.is_some_and(|it| it >= 5), "{minutes}\n{journal}");
}

/// The unit of the packages shapes by the queues in its file of settings.
fn is_shaped_as_the_settings_say(results: &Results) {
    let journal = ward::text(results, "shape-journal");
    for words in ["bandwidth 3Mbit", "bandwidth 18Mbit"] {
        assert!(ward::text(results, "shaped").contains(words), "{words}: {journal}");
    }
}

/// `unbloat serve` answers a test, though it may do nothing else.
fn serves_as_a_service(results: &Results) {
    let journal = ward::text(results, "serve-journal");
    assert_eq!(ward::text(results, "serve"), "ActiveState=active\nNRestarts=0\n", "{journal}");
    let served = ward::text(results, "served.json");
    assert!(served.contains("unbloat.measurement"), "{served}\n{journal}");
}

fn is_refused_where_it_must_be(results: &Results) {
    // As udev has it.
    ward::has(results, "tun", &["crw-rw-rw-"]);
    let nothing = ["nothing was changed", "status 2"];
    for (name, reason) in [
        ("theirs", "cake bandwidth 5Mbit"),
        ("closed", "chmod 666 /dev/net/tun"),
        ("by-hand", "`unbloat shape wan`"),
        ("earlier", "an earlier plan is in force there"),
    ] {
        ward::has(results, name, &[&[reason], &nothing[..]].concat());
    }
    // Beside our shaper, and a CAKE for the upload alone.
    let doctor = ward::text(results, "doctor-by-hand");
    assert!(doctor.contains("whether the shaper of unbloat is right"), "{doctor}");
    assert!(!doctor.contains("one-direction") && !doctor.contains("no-shaper"), "{doctor}");
}

fn is_kept_and_in_force(results: &Results) {
    ward::is_cured(&ward::treatment(results, "cured.json"));
    ward::has(
        results,
        "kept",
        &[
            "@unbloat/shape/",
            "unbloat-shape.service loaded active running",
            "/etc/systemd/system/unbloat-shape.service",
            "/etc/unbloat/undo",
        ],
    );
    let kept = ward::text(results, "kept");
    assert!(!kept.contains("qdisc cake") && !kept.contains("/run/"), "{kept}");
    for form in ["verified-shown", "verified-shown.json"] {
        ward::has(results, form, &["The plan is in force"]);
    }
    let state: Value = serde_json::from_slice(&results["shown.json"]).unwrap();
    for way in ["up", "down"] {
        assert!(state[way]["tc"]["packets"].as_u64().unwrap() > 1000, "{state}");
    }
}

/// A user of no name has three capabilities, and the loop real-time priority.
fn is_hardly_privileged(results: &Results) {
    let process = ward::text(results, "process");
    let value = |name: &str| {
        let line = process.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap_or_else(|| panic!("{name}: {process}")).split_whitespace().next().unwrap()
    };
    let user: u32 = value("Uid:").parse().unwrap();
    assert!((61184..=65519).contains(&user), "systemd.exec(5), DynamicUser=: {user}");
    // CAP_NET_ADMIN, CAP_NET_RAW and CAP_BPF of linux/capability.h.
    let three = format!("{:016x}", 1_u64 << 12 | 1 << 13 | 1 << 39);
    for set in ["CapPrm:", "CapEff:", "CapBnd:", "CapAmb:"] {
        assert_eq!(value(set), three, "{set}");
    }
    assert_eq!(value("NoNewPrivs:"), "1");
    assert!(process.lines().any(|line| line == "policy 1"), "no real-time thread: {process}");
}

/// It shapes when systemd says that it is started, after it was killed or did not answer, and when the
/// interface is there again. While it does not, packets pass.
fn begins_again(results: &Results) {
    for name in ["started", "appeared"] {
        ward::has(results, name, &["qdisc cake 8001: dev wan", "qdisc cake 8002: dev wan"]);
    }
    let stopped = ward::text(results, "stopped");
    assert!(!stopped.contains("cake") && !stopped.contains("unbloat"), "{stopped}");
    for (name, lost) in [("pings-killed", 4), ("pings-hanging", 6)] {
        let said = ward::text(results, name);
        let numbers = said.lines().find(|line| line.contains("packets transmitted")).unwrap();
        let counts = numbers.split(' ').filter_map(|word| word.parse::<u32>().ok());
        let [sent, received] = counts.collect::<Vec<_>>()[..] else { panic!("{numbers}") };
        println!("{name}: {received} of {sent} pings were answered");
        assert!(sent - received <= lost, "{name}: {numbers}");
    }
    let hanging = ward::text(results, "hanging");
    let words: Vec<f64> =
        hanging.split_whitespace().map(|number| number.parse().unwrap()).collect();
    let [begin, end, restarts] = words[..] else { panic!("{hanging}") };
    println!("what hung shaped again after {:.1} s", end - begin);
    // Ten seconds until it is taken for dead, and five until it is started.
    assert!((13.0..30.0).contains(&(end - begin)), "{hanging}");
    assert_eq!(restarts, 2.0, "{hanging}");
}
