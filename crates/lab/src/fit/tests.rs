use std::collections::BTreeMap;
use std::path::Path;

use super::*;

const HEAD: &str = "title = 't'\nduration = '10s'\n[[link]]\nname = 'l'\nfrom = 'a'\nto = 'b'\ndelay = '1ms'\n\
                    [[link]]\nname = 'm'\nfrom = 'b'\nto = 'c'\ndelay = '1ms'\n";

fn scenario(flows: &[&str]) -> Scenario {
    let mut text = HEAD.to_owned();
    for (index, flow) in flows.iter().enumerate() {
        let ends = if flow.contains("from") { "" } else { "from = 'a'\nto = 'b'\n" };
        text += &format!("[[flow]]\nname = 'f{index}'\n{ends}{flow}\n");
    }
    Scenario::parse(&text, "test", &[], &|_| unreachable!("no traces")).unwrap()
}

fn machine() -> Machine {
    Machine {
        congestion: vec!["reno".into(), "cubic".into()],
        hystart: Some(true),
        beta: Some(717),
        release: (6, 12),
        descriptors: 20_000,
    }
}

fn fault(flow: &str, machine: &Machine) -> String {
    fit_for(&scenario(&[flow]), machine).unwrap_err().to_string()
}

#[test]
fn linux_as_it_is_is_fit() {
    let all = [
        "traffic = 'bulk'\ncount = 50",
        "traffic = 'transfer'\nbytes = '1MB'\ncongestion = 'reno'\nmin_rto = '300ms'\nmss = 536\n\
         from = 'c'\nto = 'a'",
        "traffic = 'periodic'\nbytes = '1MB'\nevery = '1s'\npacing = true",
        "traffic = 'cbr'\nrate = '64kbit'\npacket = 8",
        "traffic = 'voip'\ncodec = 'g711'",
        "traffic = 'ping'\nbytes = 0",
        "traffic = 'page'\nobjects = ['20kB']\nreceive_window = '64kB'",
        "traffic = 'periodic'\nbytes = '1MB'\nidle = '1s'",
        "traffic = 'packmime'\nconnections_per_second = 5",
    ];
    fit_for(&scenario(&all), &machine()).unwrap();
}

#[test]
fn what_no_kernel_does_is_told_by_its_key() {
    let cases = [
        ("traffic = 'bulk'\nabe = true", "abe"),
        ("traffic = 'bulk'\noffload = false", "offload"),
        ("traffic = 'bulk'\ngreeting = 37", "greeting"),
        ("traffic = 'bulk'\ninitial_ssthresh = 65535", "initial_ssthresh"),
        ("traffic = 'bulk'\nmss = 1461", "mss"),
        ("traffic = 'bulk'\nmss = 64", "mss"),
        ("traffic = 'bulk'\nmin_rto = '1500us'", "min_rto"),
        ("traffic = 'bulk'\nreceive_window = '2000B'", "receive_window"),
        ("traffic = 'bulk'\nreceive_window = '500MB'", "receive_window"),
        ("traffic = 'bulk'\nreceive_window = '64kB'\ndelayed_ack = 'per_window'", "delayed_ack"),
        ("traffic = 'bulk'\ncongestion = 'bbr'", "congestion"),
        ("traffic = 'bulk'\ncongestion = 'ledbat'", "congestion"),
        ("traffic = 'cbr'\nrate = '64kbit'\npacket = 7", "packet"),
        ("traffic = 'cbr'\nrate = '64kbit'\npacket = 1473", "packet"),
        ("traffic = 'ping'\nbytes = 1473", "bytes"),
        ("traffic = 'ping'\ncount = 30001", "count"),
        ("traffic = 'bulk'\ncount = 7000", "count"),
    ];
    for (flow, key) in cases {
        let message = fault(flow, &machine());
        assert!(message.starts_with(&format!("flow.f0.{key}: ")), "{flow}: {message}");
    }
}

#[test]
fn machines_differ() {
    let off = "traffic = 'bulk'\nhystart = false";
    assert!(fault(off, &machine()).contains("`hystart = true`"));
    let without = Machine { hystart: Some(false), ..machine() };
    fit_for(&scenario(&[off]), &without).unwrap();
    assert!(fault("traffic = 'bulk'", &without).contains("`hystart = false`"));
    fit_for(&scenario(&["traffic = 'bulk'\ncongestion = 'reno'"]), &without).unwrap();

    let mild = "traffic = 'bulk'\nbeta = 0.8";
    assert!(fault(mild, &machine()).starts_with("flow.f0.beta: "));
    fit_for(&scenario(&[mild]), &Machine { beta: Some(819), ..machine() }).unwrap();
    let silent = Machine { beta: None, ..machine() };
    fit_for(&scenario(&["traffic = 'bulk'"]), &silent).unwrap();
    assert!(fault(mild, &silent).contains("0.7"));

    let classic = "traffic = 'bulk'\nrack = false";
    fit_for(&scenario(&[classic]), &machine()).unwrap();
    let new = Machine { release: (6, 17), ..machine() };
    assert!(fault(classic, &new).contains("rack"));
    fit_for(&scenario(&["traffic = 'bulk'\nsack = false"]), &new).unwrap();
    assert!(!Machine::here().congestion.is_empty());
}

fn parameters(flows: &[&str]) -> Vec<NodeParameters> {
    node_parameters(&Plan::of(&scenario(flows))).unwrap()
}

fn value<'a>(node: &'a NodeParameters, name: &str) -> Option<&'a str> {
    let name = format!("net/ipv4/tcp_{name}");
    let mut found = node.sysctls.iter().filter(|(parameter, _)| *parameter == name);
    let value = found.next().map(|(_, value)| value.as_str());
    assert!(found.next().is_none(), "{name} is set twice");
    value
}

#[test]
fn options_of_both_ends_are_off_where_nobody_wants_them() {
    let plain = "traffic = 'bulk'\nsack = false\ntimestamps = false";
    let nodes = parameters(&[plain, "traffic = 'bulk'\nfrom = 'b'\nto = 'c'"]);
    let values = |name| nodes.iter().map(|node| value(node, name).unwrap()).collect::<Vec<_>>();
    assert_eq!(values("sack"), ["0", "1", "1"]);
    assert_eq!(values("timestamps"), ["0", "1", "1"]);
    assert_eq!(values("window_scaling"), ["1", "1", "1"]);
}

#[test]
fn who_opens_a_connection_asks_for_ecn() {
    let nodes = parameters(&[
        "traffic = 'bulk'\necn = true",
        "traffic = 'page'\nobjects = ['1kB']\necn = true\nfrom = 'b'\nto = 'c'",
    ]);
    let values: Vec<_> = nodes.iter().map(|node| value(node, "ecn").unwrap()).collect();
    assert_eq!(values, ["1", "2", "1"]);
}

#[test]
fn buffers_have_room_for_the_windows() {
    let nodes = parameters(&["traffic = 'bulk'\nreceive_window = '1MB'", "traffic = 'ping'"]);
    assert_eq!(value(&nodes[1], "rmem"), Some("4096 4000000 4000000"));
    assert_eq!(value(&nodes[2], "rmem"), Some("4096 131072 8388608"));
    let both = parameters(&["traffic = 'bulk'\nreceive_window = '64kB'", "traffic = 'bulk'"]);
    assert_eq!(value(&both[1], "rmem"), Some("4096 131072 6291456"));
    assert_eq!(value(&both[0], "wmem"), Some("4096 16384 6291456"));
    let small = parameters(&["traffic = 'bulk'\nreceive_window = { auto = '10kB' }"]);
    assert_eq!(value(&small[1], "rmem"), Some("4096 20000 20000"));
}

#[test]
fn metrics_stand_on_the_way_of_the_data() {
    let eager = "traffic = 'bulk'\ninitial_window = 2\nmin_rto = '1s'\ndelayed_ack = false";
    let nodes = parameters(&[eager, "traffic = 'bulk'\nfrom = 'a'\nto = 'c'"]);
    let metrics =
        RouteMetrics { initial_window: Some(2), min_rto_ms: Some(1_000), quick_ack: false };
    assert_eq!(nodes[0].routes, BTreeMap::from([(1, metrics)]));
    let acks = RouteMetrics { quick_ack: true, ..RouteMetrics::default() };
    assert_eq!(nodes[1].routes, BTreeMap::from([(0, acks)]));
    assert!(nodes[2].routes.is_empty());
}

#[test]
fn rack_is_switched_off_where_its_flows_begin() {
    let nodes = parameters(&["traffic = 'bulk'\nrack = false", "traffic = 'ping'"]);
    let recovery: Vec<_> = nodes.iter().map(|node| value(node, "recovery")).collect();
    assert_eq!(recovery, [Some("0"), None, None]);
    assert_eq!(value(&nodes[0], "early_retrans"), Some("0"));
}

#[test]
fn flows_that_contradict_each_other_are_named() {
    let cases = [
        "sack = false",
        "timestamps = false",
        "window_scaling = false",
        "ecn = true",
        "rack = false",
        "initial_window = 3",
        "min_rto = '1s'",
        "delayed_ack = false",
    ];
    for case in cases {
        let two = [&format!("traffic = 'bulk'\n{case}"), "traffic = 'bulk'"];
        let message = fit_for(&scenario(&two), &machine()).unwrap_err().to_string();
        let key = case.split(' ').next().unwrap();
        assert!(message.contains("f0") && message.contains("f1"), "{case}: {message}");
        assert!(message.contains(&format!(".{key}: ")) && message.contains("node `"), "{message}");
    }
    // The two flows send in opposite directions.
    let opposite = ["traffic = 'bulk'\nmin_rto = '1s'", "traffic = 'bulk'\nfrom = 'b'\nto = 'a'"];
    fit_for(&scenario(&opposite), &machine()).unwrap();
}

#[test]
fn the_scenarios_that_come_with_it_are_fit() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let files = folder.read_dir().unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<_> =
        files.filter(|path| path.extension().is_some_and(|is| is == "toml")).collect();
    assert!(files.len() >= 8);
    for file in files {
        let fit = fit_for(&Scenario::load(&file, &[]).unwrap(), &machine());
        assert!(fit.is_ok(), "{file:?}: {fit:?}");
    }
}

#[test]
fn a_command_has_no_marks() {
    let mut command = scenario(&["traffic = 'bulk'"]);
    command.links[0].directions.reverse.queue = "cake fwmark 0xff".parse().unwrap();
    fit_for(&command, &machine()).unwrap();
    command.flows.clear();
    let told = fit_for(&command, &machine()).unwrap_err().to_string();
    assert!(told.starts_with("the queue of l.reverse: `fwmark` needs"), "{told}");
}
