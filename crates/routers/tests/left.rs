//! What a router shows that is not the plan: switched off, at another interface, or left by an earlier plan.

use remedy::{LinkKind, Prescription, Wishes};
use routers::Platform;

/// What differs between the plan for these rates and what is shown: name, planned, shown.
fn differences(
    platform: &str,
    [up, down]: [Option<&str>; 2],
    wan: Option<&str>,
    shown: &str,
) -> Vec<[String; 3]> {
    let platform = Platform::named(platform).unwrap();
    let verified = platform.verify(&prescription([up, down]), wan, shown).unwrap().unwrap();
    let differs = verified.settings.into_iter().filter(|it| !it.is_as_planned());
    differs.map(|it| [it.name, it.planned, it.shown.unwrap_or_default()]).collect()
}

fn prescription(rates: [Option<&str>; 2]) -> Prescription {
    let wishes = Wishes { link: LinkKind::named("docsis"), ..Wishes::default() };
    Prescription::of(None, rates.map(|rate| rate.map(|rate| rate.parse().unwrap())), &wishes)
}

const BOTH: [Option<&str>; 2] = [Some("10mbit"), Some("50mbit")];
const UP: [Option<&str>; 2] = [Some("10mbit"), None];
const DOWN: [Option<&str>; 2] = [None, Some("50mbit")];

/// The commands of the plan.
fn planned(platform: &str, rates: [Option<&str>; 2], wan: &str) -> String {
    let plan = Platform::named(platform).unwrap().plan(&prescription(rates), Some(wan)).unwrap();
    let lines = plan.steps.iter().flat_map(|step| &step.commands);
    lines.map(|line| format!("{line}\n")).collect()
}

/// Both queues as a kernel shows them.
fn queues(wan: &str, ifb: &str) -> String {
    let lines = planned("tc", BOTH, "eth0");
    let added =
        lines.lines().filter_map(|line| line.split_once(" root cake ")).map(|(device, words)| {
            let device = if device.contains("$ifb") { ifb } else { wan };
            let words = words.trim_end_matches(" &&");
            format!("qdisc cake 8001: dev {device} root refcnt 2 {words}\n")
        });
    added.collect()
}

#[test]
fn a_queue_of_routeros_that_is_switched_off_is_told() {
    let export = planned("routeros", BOTH, "ether1").replace("9620k", "9.62Mbps");
    assert_eq!(differences("routeros", BOTH, Some("ether1"), &export), [[""; 3]; 0]);
    for shown in ["disabled=no", "disabled=yes"] {
        let export = export.replace("name=unbloat target", &format!("{shown} name=unbloat target"));
        let found = differences("routeros", BOTH, Some("ether1"), &export);
        let expected = ["queue simple unbloat disabled", "no", "yes"];
        assert_eq!(found, if shown == "disabled=yes" { vec![expected] } else { vec![] });
    }
}

#[test]
fn a_direction_that_routeros_still_shapes_is_told() {
    let export = planned("routeros", BOTH, "ether1");
    let found = differences("routeros", UP, Some("ether1"), &export);
    let queue =
        ["queue simple unbloat queue", "default-small/unbloat-up", "unbloat-down/unbloat-up"];
    assert!(found.contains(&queue.map(str::to_owned)), "{found:?}");
}

#[test]
fn openwrt_is_told_of_another_interface_and_of_a_queue_that_is_off() {
    let shown =
        planned("openwrt", BOTH, "eth0").replace("uci set ", "").replace("\"$wan\"", "'eth0'");
    let shown = shown + &queues("eth0", "ifb4eth0");
    assert_eq!(differences("openwrt", BOTH, Some("eth0"), &shown), [[""; 3]; 0]);
    assert_eq!(differences("openwrt", BOTH, None, &shown), [[""; 3]; 0]);
    let off = shown.replace("enabled='1'", "enabled='0'");
    let expected = [["sqm.unbloat.enabled", "1", "0"]];
    assert_eq!(differences("openwrt", BOTH, Some("eth0"), &off), expected);

    let other = shown.replace("interface='eth0'", "interface='eth1'");
    let expected = [["sqm.unbloat.interface", "eth0", "eth1"]];
    assert_eq!(differences("openwrt", BOTH, Some("eth0"), &other), expected);
    // Where nobody names the interface, the queues must be at that of the configuration.
    let expected = [["queues of the kernel", "cake", ""]];
    assert_eq!(differences("openwrt", BOTH, None, &other), expected);
}

#[test]
fn files_of_openwrts_configuration_are_read() {
    let settings = planned("openwrt", BOTH, "eth0").replace("\"$wan\"", "'eth0'");
    let options = settings.lines().filter_map(|line| line.strip_prefix("uci set sqm.unbloat."));
    let options = options.filter_map(|line| line.split_once('='));
    let options: String =
        options.map(|(name, value)| format!("\toption {name} {value}\n")).collect();
    let file =
        format!("config queue 'eth1'\n\toption enabled '0'\n\nconfig queue 'unbloat'\n{options}");
    let shown = file + &queues("eth0", "ifb4eth0");
    assert_eq!(differences("openwrt", BOTH, Some("eth0"), &shown), [[""; 3]; 0]);
    for (right, wrong, expected) in [
        ("option enabled '1'", "option enabled '0'", ["sqm.unbloat.enabled", "1", "0"]),
        (
            "option interface 'eth0'",
            "option interface 'eth1'",
            ["sqm.unbloat.interface", "eth0", "eth1"],
        ),
    ] {
        let shown = shown.replace(right, wrong);
        assert_eq!(differences("openwrt", BOTH, Some("eth0"), &shown), [expected]);
    }
}

#[test]
fn what_an_earlier_plan_has_left_in_the_other_direction_is_told() {
    let left = |device: &str| {
        [[format!("earlier queue at {device}"), "nothing".into(), "cake, 48.1mbit".into()]]
    };
    let both = queues("eth0", "ifb-eth0");
    for platform in ["tc", "ifupdown", "networkmanager", "networkd"] {
        assert_eq!(differences(platform, UP, Some("eth0"), &both), left("ifb-eth0"), "{platform}");
    }
    // SQM, which somebody else may have set, is no part of such a plan.
    let of_sqm = queues("eth0", "ifb4eth0");
    assert_eq!(differences("tc", UP, Some("eth0"), &of_sqm), [[""; 3]; 0]);
    let shown = planned("openwrt", UP, "eth0").replace("\"$wan\"", "'eth0'") + &of_sqm;
    assert_eq!(differences("openwrt", UP, Some("eth0"), &shown), left("ifb4eth0"));
    assert_eq!(differences("openwrt", UP, None, &shown), left("ifb4eth0"));

    let shown = planned("vyos-1.5", BOTH, "eth0");
    for (rates, node, policy) in [
        (UP, "qos interface ifb0 egress", "UNBLOAT-DOWN"),
        (DOWN, "qos interface eth0 egress", "UNBLOAT-UP"),
    ] {
        let found = differences("vyos-1.5", rates, Some("eth0"), &shown);
        assert!(found.contains(&[node, "nothing", policy].map(str::to_owned)), "{found:?}");
    }
    let shown = planned("edgeos", BOTH, "eth0");
    let found = differences("edgeos", UP, Some("eth0"), &shown);
    let node = "traffic-control smart-queue UNBLOAT download rate";
    assert!(found.contains(&[node, "nothing", "47900kbit"].map(str::to_owned)), "{found:?}");
}
