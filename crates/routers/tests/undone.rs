//! What is typed to take a plan back brings back what was there.

mod machine;

use std::fs;

use machine::{Machine, lines, plan};
use results::Step;

/// A router of OpenWrt whose service starts at boot or not.
fn openwrt(service: &str, starts_at_boot: bool, name: &str) -> Machine {
    let machine = Machine::new(&format!("undone-{service}-{name}"));
    machine.program("uci", "");
    machine.program("opkg", "");
    let enabled = machine.0.join("enabled");
    if starts_at_boot {
        fs::write(&enabled, "").unwrap();
    }
    let (enabled, config) = (enabled.display(), format!("etc/config/{service}"));
    machine.program(
        &format!("etc/init.d/{service}"),
        &format!(
            "case $1 in enable) : >{enabled} ;; disable) rm -f {enabled} ;; enabled) [ -e {enabled} ] || exit 1 ;; esac"
        ),
    );
    fs::write(machine.0.join(config), "before\n").unwrap();
    machine
}

#[test]
fn services_that_did_not_start_at_boot_do_not_afterwards() {
    for service in ["sqm", "qosify", "qosmate"] {
        let platform = if service == "sqm" { "openwrt" } else { service };
        for starts_at_boot in [true, false] {
            let machine = openwrt(service, starts_at_boot, &starts_at_boot.to_string());
            let enabled = machine.0.join("enabled");
            let before = machine.files();
            // A second plan finds the service enabled by the first.
            for rates in [[1, 10], [2, 20]] {
                machine.types(&plan(platform, rates, "eth0", true).steps);
                fs::write(machine.0.join("etc/config").join(service), "planned\n").unwrap();
                // QoSmate enables itself.
                fs::write(&enabled, "").unwrap();
            }
            let (_, called) = machine.types(&plan(platform, [2, 20], "eth0", true).undo);
            let ends = called.iter().any(|call| {
                *call == format!("{service} disable") || *call == format!("{service} stop")
            });
            assert_eq!(ends, !starts_at_boot, "{service}: {called:?}");
            assert_eq!(machine.files(), before, "{service}");
            if service != "sqm" {
                let config = machine.0.join("etc/config").join(service);
                assert_eq!(fs::read_to_string(config).unwrap(), "before\n");
            }
        }
    }
}

/// OpenWrt has `apk` from 25.12 on, and no `opkg`.
#[test]
fn the_package_comes_by_what_openwrt_has() {
    for (platform, package) in [("openwrt", "sqm-scripts"), ("qosify", "qosify")] {
        let machine = Machine::new(&format!("{platform}-installed"));
        let steps = plan(platform, [1, 10], "eth0", true).steps;
        for (program, verb) in [("opkg", "install"), ("apk", "add")] {
            machine.program(program, "");
            let (_, called) = machine.types(&steps[..1]);
            assert_eq!(
                called,
                [format!("{program} update"), format!("{program} {verb} {package}")]
            );
        }
    }
}

#[test]
fn the_package_that_stays_is_named() {
    let undo = plan("openwrt", [1, 10], "eth0", true).undo;
    assert!(undo.iter().any(|step| step.text.contains("The package stays")));
}

/// The rules of a filter of RouterOS, by the lines of a plan: the comment, and whether it is on.
fn typed(rules: &mut [(String, bool)], steps: &[Step], menu: &str) {
    for line in lines(steps).filter(|line| line.contains(&format!("{menu} find "))) {
        let quoted = line.split('"').nth(1).unwrap();
        let is_disabling = line.contains("find action=fasttrack-connection disabled=no");
        let mark = quoted.trim_start_matches('^');
        for (comment, is_on) in rules.iter_mut() {
            if is_disabling && *is_on {
                (*comment, *is_on) = (format!("{mark}{comment}"), false);
            } else if !is_disabling && comment.starts_with(mark) {
                let from = line.split("$marked ").nth(1).unwrap().split(' ').next().unwrap();
                (*comment, *is_on) = (comment[from.parse().unwrap()..].to_owned(), true);
            }
        }
    }
}

#[test]
fn only_the_rules_of_fasttrack_that_were_on_are_on_again() {
    for menu in ["[/ip firewall filter", "[/ipv6 firewall filter"] {
        let before = [
            ("defconf: fasttrack".to_owned(), true),
            ("mine".to_owned(), false),
            (String::new(), true),
        ];
        let mut rules = before.clone();
        let plan = plan("routeros", [1, 10], "ether1", true);
        for _ in 0..2 {
            typed(&mut rules, &plan.steps, menu);
            assert!(rules.iter().all(|(_, is_on)| !is_on), "{menu}: {rules:?}");
        }
        typed(&mut rules, &plan.undo, menu);
        assert_eq!(rules, before, "{menu}");
    }
}
