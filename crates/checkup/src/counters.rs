//! Whether packets pass the shapers, or pass them by.

use observation::Heading;
use results::{Fault, FaultName, Severity};
use survey::Redirect;

use crate::fault::{Told, fault};
use crate::scene::{ENOUGH, Scene, Shaped};

/// Bytes of a full packet on Ethernet: the most that a packet has which was dropped.
const FULL: u64 = 1514;

pub(crate) fn find(scene: &Scene<'_>, faults: &mut Vec<Fault>) {
    for shaped in scene.shapers() {
        faults.extend(still(scene, shaped).or_else(|| unlimited(scene, shaped)));
    }
}

/// The bytes that passed the device to the provider in this direction; `None` if they are too few, or
/// were not counted.
pub(crate) fn passed(scene: &Scene<'_>, heading: Heading) -> Option<u64> {
    let passed = scene.route_device()?.passed?;
    let bytes = match heading {
        Heading::Up => passed.tx_bytes,
        Heading::Down => passed.rx_bytes,
    };
    (bytes >= ENOUGH).then_some(bytes)
}

/// A shaper that less than half of the bytes passed: the others went another way.
fn still(scene: &Scene<'_>, shaped: Shaped<'_>) -> Option<Fault> {
    let (of_device, of_queue) = (passed(scene, shaped.heading)?, shaped.queue.passed?);
    // What this router itself receives does not leave for the network at home.
    let is_fed = |it: &Redirect| it.to == shaped.queue.device && !it.is_sent;
    let is_fed = scene.survey.redirects.iter().any(is_fed);
    // What the queue dropped has reached it.
    let dropped = shaped.queue.dropped.unwrap_or_default();
    let reached = of_queue.saturating_add(dropped.saturating_mul(FULL));
    if reached >= of_device / 2 || (shaped.heading == Heading::Down && !is_fed) {
        return None;
    }
    let wan = scene.route.or(scene.wan)?;
    let found = fault(FaultName::CountersStill, Severity::Wrong, &shaped.queue.device)
        .seen(format!("bytes through {wan}"), of_device)
        .seen("bytes through the queue", of_queue)
        .seen("seconds", scene.survey.pause_s);
    Some(because(scene, found, wan))
}

/// An HTB that half of the packets leave through none of its classes: it has no class for them.
fn unlimited(scene: &Scene<'_>, shaped: Shaped<'_>) -> Option<Fault> {
    let packets = scene.survey.devices.get(&shaped.queue.device)?.passed?.tx_packets;
    let direct = shaped.queue.unlimited.filter(|direct| *direct > packets / 2)?;
    passed(scene, shaped.heading)?;
    let found = fault(FaultName::CountersStill, Severity::Wrong, &shaped.queue.device)
        .seen("packets through the device", packets)
        .seen("of them through no class", direct)
        .seen("seconds", scene.survey.pause_s);
    let text = "Add the class that HTB's option `default` names, or name an existing class: \
                packets without a class are not limited.";
    let command = format!("tc class show dev {}", shaped.queue.device);
    Some(found.cured(text, command))
}

/// The finding with its probable cause.
fn because(scene: &Scene<'_>, found: Fault, wan: &str) -> Fault {
    let firewall = scene.survey.uci.get("firewall").map_or("", String::as_str);
    let of_uci = |option: &str| {
        firewall.lines().find(|line| line.contains(&format!(".{option}='1'"))).map(str::trim)
    };
    if let Some(seen) = of_uci("flow_offloading_hw").or(of_uci("flow_offloading")) {
        let commands = "uci set firewall.@defaults[0].flow_offloading=0\n\
                        uci set firewall.@defaults[0].flow_offloading_hw=0\n\
                        uci commit firewall\n/etc/init.d/firewall restart";
        return found.seen("offload", seen).cured("Turn flow offloading off.", commands);
    }
    let table = scene.survey.flow_tables.lines().find(|line| line.trim().starts_with("flowtable"));
    if let Some(seen) = table {
        let text = "Remove the flow table from the rules of nftables.";
        return found.seen("offload", seen.trim()).cured(text, "nft list flowtables");
    }
    if scene.wan_device().and_then(|it| it.offloads.get("hw-tc-offload")) == Some(&true) {
        let command = format!("ethtool -K {wan} hw-tc-offload off");
        return found.seen("offload", "hw-tc-offload on").cured("Turn the offload off.", command);
    }
    let text = "Look for what takes packets past the queue: an offload of the router, or another \
                interface in use.";
    found.cured(text, format!("tc -s qdisc show\ntc -s filter show dev {wan} ingress"))
}
