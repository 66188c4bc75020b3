//! A second plan on a router leaves nothing of the first in force.

mod machine;

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use machine::{Machine, lines, plan, prescription};
use results::Step;
use routers::Platform;

/// What `set` and `delete` of VyOS, EdgeOS and uci leave.
fn configured(nodes: &mut BTreeSet<String>, steps: &[Step]) {
    for line in lines(steps) {
        let line = line.trim().replace("uci -q delete", "uci delete").replace("uci ", "");
        // A section of uci goes with its options.
        let path =
            |rest: &str| if rest.contains(' ') { format!("{rest} ") } else { rest.to_owned() };
        if let Some(rest) = line.strip_prefix("set ") {
            nodes.insert(path(rest));
        } else if let Some(rest) = line.strip_prefix("delete ") {
            nodes.retain(|node| !node.starts_with(&path(rest)));
        }
    }
}

#[test]
fn configurations_have_only_the_last_plan() {
    for platform in ["vyos-1.4", "vyos-1.5", "edgeos", "openwrt", "qosify"] {
        for last in [[2, 0], [0, 20], [2, 20]] {
            let (first, second) =
                (plan(platform, [1, 10], "eth0", true), plan(platform, last, "eth0", false));
            let (mut both, mut alone) = (BTreeSet::new(), BTreeSet::new());
            configured(&mut both, &first.steps);
            configured(&mut both, &second.steps);
            configured(&mut alone, &second.steps);
            // The idle device of a download that is no longer shaped.
            both.remove("interfaces input ifb0 ");
            alone.remove("interfaces input ifb0 ");
            assert_eq!(both, alone, "{platform}: {last:?}");
            configured(&mut both, &second.undo);
            assert!(both.is_empty() || platform == "qosify", "{platform}: {both:?}");
        }
    }
}

#[test]
fn a_smart_queue_moves_to_another_interface() {
    let (first, second) =
        (plan("edgeos", [1, 10], "eth0", true), plan("edgeos", [1, 10], "pppoe0", true));
    let mut nodes = BTreeSet::new();
    configured(&mut nodes, &first.steps);
    configured(&mut nodes, &second.steps);
    assert!(nodes.iter().all(|node| !node.contains("eth0")), "{nodes:?}");
}

#[test]
fn routeros_removes_its_queues_before_it_adds_others() {
    let second = plan("routeros", [2, 0], "ether2", true);
    let all: Vec<&str> = lines(&second.steps).collect();
    let at = |start: &str| all.iter().position(|line| line.starts_with(start)).unwrap();
    assert!(at("/queue simple remove") < at("/queue type remove"));
    assert!(at("/queue type remove") < at("/queue type add"));
    assert!(all.iter().all(|line| !line.contains("unbloat-down")));
}

const SCRIPTED: [&str; 4] = ["tc", "ifupdown", "networkmanager", "networkd"];

#[test]
fn a_script_ends_the_one_before_it() {
    for platform in SCRIPTED {
        let machine = Machine::new(platform);
        machine.types(&plan(platform, [1, 10], "eth0", true).steps);
        let (_, called) = machine.types(&plan(platform, [2, 0], "eth0", true).steps);
        let at = |call: &str| called.iter().position(|it| it == call);
        let ended = at("ip link del ifb-eth0").expect("the download's device goes");
        assert!(at("tc qdisc del dev eth0 ingress") < Some(ended), "{platform}: {called:#?}");
        assert!(!called.iter().any(|call| call.contains("add dev ifb-eth0")), "{platform}");
        let down = plan(platform, [0, 20], "eth0", true);
        let (_, called) = machine.types(&down.steps);
        let removed = called.iter().any(|call| call == "tc qdisc del dev eth0 root");
        assert!(removed, "{platform}: the upload's queue stays: {called:#?}");
        let dropin = |file: &String| file.ends_with("unbloat.conf");
        assert!(!machine.files().iter().any(dropin), "{platform}");
        machine.types(&plan(platform, [2, 20], "eth0", true).steps);
        machine.types(&plan(platform, [2, 20], "eth0", true).undo);
        assert_eq!(machine.files(), [""; 0], "{platform}");
    }
}

#[test]
fn a_script_for_another_interface_ends_the_one_before_it() {
    for platform in ["tc", "ifupdown", "networkmanager"] {
        let machine = Machine::new(&format!("{platform}-other"));
        machine.types(&plan(platform, [1, 10], "eth0", true).steps);
        let second = plan(platform, [2, 20], "ppp0", true);
        let (_, called) = machine.types(&second.steps);
        for call in ["tc qdisc del dev eth0 root", "ip link del ifb-eth0"] {
            assert!(called.iter().any(|it| it == call), "{platform}: {call}: {called:#?}");
        }
        // The unit of the other interface is no longer wanted by it.
        let disabled = called.iter().any(|it| it == "systemctl disable unbloat-shaper.service");
        assert_eq!(disabled, platform == "tc", "{platform}");
        machine.types(&second.undo);
        assert_eq!(machine.files(), [""; 0], "{platform}");
        let text: Vec<&str> = second.steps.iter().map(|step| step.text.as_str()).collect();
        assert!(text.iter().any(|it| it.contains("another interface")), "{text:?}");
    }
}

/// The platforms whose plans write files on a Linux machine.
const LINUX: [&str; 5] = ["tc", "ifupdown", "networkmanager", "networkd", "unbloat"];

#[test]
fn a_plan_of_another_platform_ends_the_one_before_it() {
    for first in LINUX {
        for second in LINUX.into_iter().filter(|it| *it != first) {
            let of = |name: &str| Machine::new(&format!("{first}-{second}-{name}"));
            let (both, alone) = (of("both"), of("alone"));
            both.types(&plan(first, [1, 10], "eth0", true).steps);
            let down = plan(second, [0, 20], "eth1", true);
            let (_, called) = both.types(&down.steps);
            alone.types(&down.steps);
            let below = |machine: &Machine| {
                let root = machine.0.display().to_string();
                machine.files().iter().map(|it| it.replace(&root, "")).collect::<Vec<_>>()
            };
            assert_eq!(below(&both), below(&alone), "{first}, then {second}");
            let end = match first {
                "unbloat" => "systemctl stop unbloat-shape.service",
                _ => "tc qdisc del dev eth0 root",
            };
            assert!(called.iter().any(|it| it == end), "{first}, then {second}: {called:#?}");
            both.types(&down.undo);
            assert_eq!(both.files(), [""; 0], "{first}, then {second}");
        }
    }
}

/// The undo of a kept plan takes back what is of its platform alone.
#[test]
fn a_kept_plan_of_another_platform_is_taken_back_first() {
    for (first, second) in LINUX.into_iter().zip(LINUX.into_iter().cycle().skip(1)) {
        for then in [first, second] {
            let machine = Machine::new(&format!("{first}-{then}-kept"));
            machine.types(&plan(first, [1, 10], "eth0", true).steps);
            let kept = machine.0.join("etc/unbloat/undo");
            fs::write(&kept, format!("tc kept\nrm {}\n", kept.display())).unwrap();
            let (_, called) = machine.types(&plan(then, [2, 20], "eth0", true).steps);
            let is_taken_back = called.iter().any(|it| it == "tc kept");
            assert_eq!(is_taken_back, then == second, "{first}, then {then}: {called:#?}");
        }
    }
}

/// What `--apply` kept was for the upload alone, and what was typed since for both directions.
#[test]
fn the_undo_of_a_kept_plan_ends_the_one_that_was_typed_since() {
    let machine = Machine::new("networkd-since");
    let networkd = Platform::named("networkd").unwrap();
    let answer = "== unfit\n== queues\n== network-file\n/etc/systemd/network/10-wan.network\n== systemd\n252\n";
    let kept = networkd.treatment(&prescription([1, 0], true), "eth0", answer, false).unwrap();
    let place = machine.0.display();
    let run = machine.0.join("run/10-wan.network.d");
    fs::create_dir_all(&run).unwrap();
    fs::write(run.join("unbloat.conf"), "").unwrap();
    let keep = kept.keep.replace("/run/systemd/network", &format!("{place}/run"));
    machine.runs(&format!("dir={place}\n{keep}"));
    assert_eq!(machine.files().len(), 2, "the drop-in and the undo");
    let both = plan("networkd", [2, 20], "eth0", true);
    machine.types(&both.steps);
    assert!(machine.0.join("etc/unbloat/undo").exists());
    machine.types(&both.undo);
    assert_eq!(machine.files(), [""; 0]);
}

#[test]
fn what_apply_kept_is_taken_back_by_its_own_script() {
    for platform in SCRIPTED {
        let machine = Machine::new(&format!("{platform}-kept"));
        let first = plan(platform, [1, 10], "eth0", true);
        machine.types(&first.steps);
        let kept = machine.0.join("etc/unbloat/undo");
        fs::write(&kept, format!("tc kept\nrm {}\n", kept.display())).unwrap();
        let (_, called) = machine.types(&first.undo);
        assert_eq!(called, ["tc kept"], "{platform}");
        assert!(!kept.exists());
    }
}

#[test]
fn networkd_is_left_alone_where_it_has_no_file_of_the_interface() {
    for file in ["n/a", ""] {
        for rates in [[1, 10], [1, 0], [0, 10]] {
            let machine =
                Machine::new(&format!("unmanaged-{}-{}-{}", file.len(), rates[0], rates[1]));
            machine.networkctl(file);
            let (output, called) = machine.types(&plan("networkd", rates, "eth0", true).steps);
            let said = String::from_utf8(output.stdout).unwrap();
            assert_eq!(said, "systemd-networkd does not manage eth0: nothing was changed\n");
            assert_eq!(called, ["networkctl status eth0"]);
            assert_eq!(machine.files(), [""; 0]);
        }
    }
}

/// ifupdown calls its scripts with the name of the connection, and pppd its own with that of the interface.
#[test]
fn a_connection_of_pppd_is_shaped_when_it_is_up() {
    let machine = Machine::new("ppp");
    machine.types(&plan("ifupdown", [1, 10], "ppp0", true).steps);
    let hook = machine.0.join("etc/ppp/ip-up.d/unbloat-shaper");
    let begins = |interface: &str| {
        let path = format!("{}:/usr/bin:/bin", machine.0.join("bin").display());
        let mut command = Command::new(&hook);
        command.arg(interface).env_clear().env("PPP_IFACE", interface).env("PATH", path);
        assert!(command.status().unwrap().success());
        let log = fs::read_to_string(machine.0.join("log")).unwrap_or_default();
        let _ = fs::remove_file(machine.0.join("log"));
        log.contains("qdisc add dev ppp0 root cake")
    };
    assert!(begins("ppp0") && !begins("ppp1"));
    assert!(!machine.0.join("etc/network/if-up.d/unbloat-shaper").exists());
}
