//! Plans for OpenWrt that are pasted as a whole, and whose checks fail: they change nothing, and the
//! shell of the user goes on.

use std::fs;

use machine::{Machine, lines, plan};

mod machine;

/// The packages of OpenWrt, each with its service and with what shows an earlier plan of ours.
const PACKAGES: [(&str, &str, &str); 3] = [
    ("openwrt", "sqm", "unbloat for openwrt"),
    ("qosify", "qosify", "unbloat for qosify"),
    ("qosmate", "qosmate", "unbloat for qosmate"),
];

/// A router with the services of all packages, whose `uci` does these commands.
fn router(name: &str, uci: &str) -> Machine {
    let machine = Machine::new(name);
    machine.program("uci", uci);
    machine.program("opkg", "");
    PACKAGES
        .iter()
        .for_each(|(_, service, _)| machine.program(&format!("etc/init.d/{service}"), ""));
    PACKAGES.iter().for_each(|(_, service, _)| {
        fs::write(machine.0.join(format!("etc/config/{service}")), "").unwrap();
    });
    machine
}

/// Pastes the plan and a line of the user behind it. Returns what was called and what was said.
fn pasted(machine: &Machine, platform: &str, wan: &str) -> (Vec<String>, String) {
    let steps = plan(platform, [1, 10], wan, true).steps;
    let text: String = lines(&steps).map(|line| format!("{line}\n")).collect();
    let (output, called) = machine.runs(&format!("{text}echo the shell goes on\n"));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "the shell goes on\n", "{platform}");
    (called, String::from_utf8(output.stderr).unwrap())
}

fn changes(called: &[String]) -> Vec<&String> {
    let is_change = |call: &&String| {
        ["uci set", "uci commit", "uci -q delete"].iter().any(|it| call.starts_with(it))
            || call.ends_with(" restart")
    };
    called.iter().filter(is_change).collect()
}

#[test]
fn a_plan_without_a_failed_check_is_made() {
    for (platform, ..) in PACKAGES {
        let (called, said) = pasted(&router(&format!("{platform}-good"), ""), platform, "eth0");
        assert_eq!(said, "", "{platform}");
        assert!(called.iter().any(|call| call.ends_with(" restart")), "{platform}: {called:#?}");
    }
}

#[test]
fn an_earlier_plan_for_another_package_stops_it() {
    for (platform, ..) in PACKAGES {
        for (other, _, mark) in PACKAGES.into_iter().filter(|(other, ..)| *other != platform) {
            let uci = match other {
                "openwrt" => "[ \"$*\" != '-q get sqm.unbloat' ] || echo queue",
                _ => "",
            };
            let machine = router(&format!("{platform}-after-{other}"), uci);
            if other != "openwrt" {
                fs::write(machine.0.join(format!("root/{other}.before")), "").unwrap();
            }
            let before = machine.files();
            let (called, said) = pasted(&machine, platform, "eth0");
            assert!(said.contains("no setting was changed") && said.contains(mark), "{said}");
            assert!(changes(&called).is_empty(), "{platform}: {called:#?}");
            assert_eq!(machine.files(), before, "{platform}");
        }
    }
}

#[test]
fn a_package_that_is_not_there_stops_it() {
    for (platform, service, _) in PACKAGES {
        let machine = router(&format!("{platform}-missing"), "");
        fs::remove_file(machine.0.join(format!("etc/init.d/{service}"))).unwrap();
        let (called, said) = pasted(&machine, platform, "eth0");
        assert!(said.contains("is not installed"), "{said}");
        assert!(changes(&called).is_empty(), "{platform}: {called:#?}");
    }
}

/// The interface is found by OpenWrt's own functions, which this machine does not have.
#[test]
fn a_machine_that_is_not_openwrt_stops_it() {
    for platform in ["openwrt", "qosmate"] {
        let plan = routers::Platform::named(platform).unwrap();
        let plan = plan.plan(&machine::prescription([1, 10], true), None).unwrap();
        let machine = router(&format!("{platform}-elsewhere"), "");
        let text: String = lines(&plan.steps).map(|line| format!("{line}\n")).collect();
        let (output, called) = machine.runs(&text);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("this is not OpenWrt"), "{said}");
        assert!(changes(&called).is_empty(), "{platform}: {called:#?}");
    }
}

#[test]
fn another_section_of_sqm_for_the_interface_stops_it() {
    let uci = "case \"$*\" in\n\
               '-q -X show sqm') printf 'sqm.unbloat=queue\\nsqm.mine=queue\\n';;\n\
               '-q get sqm.mine.interface') echo eth0;;\n\
               '-q get sqm.mine.enabled') echo 1;;\nesac";
    let (called, said) = pasted(&router("section", uci), "openwrt", "eth0");
    assert!(said.contains("sqm.mine shapes eth0 already"), "{said}");
    assert!(changes(&called).is_empty(), "{called:#?}");
    let (called, said) = pasted(&router("section-elsewhere", uci), "openwrt", "eth1");
    assert_eq!(said, "");
    assert!(!changes(&called).is_empty());
}
