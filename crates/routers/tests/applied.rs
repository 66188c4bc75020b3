//! `--apply` beside an earlier plan: what it replaces, and what it refuses.

mod machine;

use std::fs;

use machine::{Machine, plan, prescription};
use routers::Platform;

/// What the examination says of a machine on which the plan for these rates is in force, for `eth0`.
fn examined(machine: &Machine, rates: [u64; 2]) -> String {
    let prescription = prescription(rates, true);
    let queues = prescription.shapers().zip(["eth0", "ifb-eth0"]).map(|(shaper, device)| {
        let (rate, words) = (shaper.bandwidth(), shaper.keywords());
        format!("qdisc cake 1: dev {device} root refcnt 2 bandwidth {rate} {words}\n")
    });
    let script = fs::read_to_string(machine.0.join("usr/local/sbin/unbloat-shaper")).unwrap();
    format!(
        "== unfit\n== queues\n{}qdisc ingress ffff: dev eth0 parent ffff:fff1\n== redirect\n\
         filter protocol all pref 49152 matchall chain 0 \n\taction order 1: mirred (Egress Redirect to device ifb-eth0) stolen\n\
         == devices\neth0\nifb-eth0\n== ours\n{script}",
        queues.collect::<String>()
    )
}

/// What the examination of a machine says of an earlier plan.
fn says_of_earlier(machine: &Machine, platform: &str, wan: &str) -> Vec<String> {
    let platform = Platform::named(platform).unwrap();
    let script = platform.examination(&prescription([2, 20], true), wan).unwrap();
    let said = String::from_utf8(machine.runs(&script).0.stdout).unwrap();
    let place = machine.0.display().to_string();
    let lines = said.lines().filter(|line| line.contains("earlier plan"));
    let end = ": take it back first, by unbloat fix --undo if it was applied, otherwise by its own last \
         part";
    let told = |line: &str| line.replace(&place, "").strip_suffix(end).map(str::to_owned);
    lines.map(|line| told(line).expect("it says how to take the earlier plan back")).collect()
}

#[test]
fn a_plan_for_another_interface_or_of_another_kind_is_not_replaced() {
    let machine = Machine::new("applied");
    machine.types(&plan("tc", [1, 10], "eth0", true).steps);
    assert_eq!(says_of_earlier(&machine, "tc", "eth0"), [""; 0]);
    let other = ["an earlier plan is in force for eth0"];
    assert_eq!(says_of_earlier(&machine, "tc", "ppp0"), other);
    let kind = ["an earlier plan of another kind is in force there, by \
                 /etc/systemd/system/unbloat-shaper.service"];
    assert_eq!(says_of_earlier(&machine, "ifupdown", "eth0"), kind);
    machine.types(&plan("tc", [1, 10], "eth0", true).undo);
    machine.types(&plan("networkd", [1, 0], "eth0", true).steps);
    let kind = ["an earlier plan of another kind is in force there, by \
                 /etc/systemd/network/10-wan.network.d/unbloat.conf"];
    assert_eq!(says_of_earlier(&machine, "networkmanager", "eth0"), kind);

    let router = Machine::new("applied-openwrt");
    router.program("uci", "case \"$*\" in *sqm.unbloat.interface) echo eth1 ;; esac");
    let other = ["an earlier plan is in force for eth1"];
    assert_eq!(says_of_earlier(&router, "openwrt", "eth0"), other);
    assert_eq!(says_of_earlier(&router, "openwrt", "eth1"), [""; 0]);
}

#[test]
fn fewer_directions_than_before_leave_nothing_in_the_other() {
    let machine = Machine::new("applied-fewer");
    machine.types(&plan("tc", [1, 10], "eth0", true).steps);
    let platform = Platform::named("tc").unwrap();
    let examined = examined(&machine, [1, 10]);
    let treatment =
        platform.treatment(&prescription([2, 0], true), "eth0", &examined, false).unwrap();
    let place = machine.0.display();
    let (applied, called) = machine.runs(&format!("set -e\ndir={place}\n{}", treatment.apply));
    assert!(applied.status.success(), "{applied:?}");
    assert!(called.iter().any(|call| call == "ip link del ifb-eth0"), "{called:#?}");
    // Taken back, the earlier plan shapes again.
    let undo = format!("dir={place}\n{}", treatment.undo.replacen("dir=${0%/*}\n", "", 1));
    let (_, called) = machine.runs(&undo);
    assert!(called.iter().any(|call| call.starts_with("tc qdisc add dev ifb-eth0 root cake")));
}

/// Nothing is deleted, and nothing starts with the machine, where the kernel has no CAKE.
#[test]
fn a_typed_plan_changes_nothing_where_the_kernel_cannot() {
    for platform in ["tc", "ifupdown", "networkmanager", "networkd"] {
        for rates in [[2, 20], [2, 0], [0, 20]] {
            let machine = Machine::new(&format!("applied-without-{platform}"));
            machine.program("tc", "case \"$*\" in *cake*) exit 2 ;; esac");
            let (ended, called) = machine.types(&plan(platform, rates, "eth0", true).steps);
            let said = String::from_utf8_lossy(&ended.stderr);
            assert!(said.contains("lacks CAKE"), "{platform}: {said}");
            assert!(said.contains("nothing was changed"), "{platform}: {said}");
            let is_change = |call: &&String| {
                call.contains("eth0")
                    && !call.contains(" show ")
                    && !call.starts_with("networkctl status")
                    || call.starts_with("systemctl")
            };
            let changes: Vec<_> = called.iter().filter(is_change).collect();
            assert!(changes.is_empty(), "{platform}: {changes:?}");
            let mut files = machine.files();
            files.retain(|file| !file.ends_with("/usr/local/sbin/unbloat-shaper"));
            assert!(files.is_empty(), "{platform}: {files:?}");
        }
    }
}
