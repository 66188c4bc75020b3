//! Commands for Linux and OpenWrt that can be copied, and run repeatedly.
//!
//! `tc qdisc replace` keeps all options of a queue of the same kind that are not given, and `add`
//! fails if there is a queue. So the present queue is deleted, and the new one added. Rates and
//! sizes have units that `tc` takes as bits and bytes (tc(8): `mbps` would be megabytes).

use observation::Heading;

/// Largest overhead of an IP packet on the line, in bytes, except for ATM. OpenWrt's SQM
/// documentation advises 44 where the line is not known.
pub(super) const OVERHEAD: u32 = 44;

/// The options that both shapers have. A packet is never shorter than 84 bytes on Ethernet (64, and
/// 20 between packets; IEEE 802.3).
fn cake(kilobits: u64, more: &str) -> String {
    format!("cake bandwidth {kilobits}kbit besteffort {more} overhead {OVERHEAD} mpu 84")
}

/// The commands for a shaper on Linux, for the packets that leave `device` or for those that enter
/// there
/// there.
pub(super) fn linux(device: &str, heading: Heading, kilobits: u64) -> Vec<String> {
    match heading {
        Heading::Up => fresh(device, &upload(kilobits)).into(),
        Heading::Down => ingress(device, kilobits),
    }
}

/// A shaper for the packets that enter, on an additional device through which all of them pass.
fn ingress(device: &str, kilobits: u64) -> Vec<String> {
    let ifb = "ifb4wan";
    let mut commands = vec![
        format!("ip link show {ifb} >/dev/null 2>&1 || sudo ip link add name {ifb} type ifb"),
        format!("sudo ip link set {ifb} up"),
        format!("sudo tc qdisc del dev {device} ingress 2>/dev/null"),
        format!("sudo tc qdisc add dev {device} handle ffff: ingress"),
        format!(
            "sudo tc filter add dev {device} parent ffff: matchall action mirred egress redirect dev {ifb}"
        ),
    ];
    commands.extend(fresh(ifb, &cake(kilobits, "dual-dsthost nat ingress")));
    commands
}

/// The options of CAKE for the packets that leave a device.
pub(super) fn upload(kilobits: u64) -> String {
    cake(kilobits, "dual-srchost nat")
}

/// The commands that show the present queue, and add one in place of the system's default: `add`
/// fails if there is another one (tc(8)), so that no shaper is deleted.
pub(super) fn careful(queue: &str) -> [String; 2] {
    ["tc -s qdisc show dev DEVICE".to_owned(), format!("sudo tc qdisc add dev DEVICE root {queue}")]
}

/// The commands that replace any present queue.
pub(super) fn fresh(device: &str, queue: &str) -> [String; 2] {
    [
        format!("sudo tc qdisc del dev {device} root 2>/dev/null"),
        format!("sudo tc qdisc add dev {device} root {queue}"),
    ]
}

/// The commands that set OpenWrt's SQM with `uci`. A direction with 0 kbit/s is not shaped.
pub(super) fn openwrt(down: u64, up: u64) -> Vec<String> {
    let settings = [
        "interface=WAN".to_owned(),
        format!("download={down}"),
        format!("upload={up}"),
        "qdisc=cake".into(),
        "script=piece_of_cake.qos".into(),
        "linklayer=ethernet".into(),
        format!("overhead={OVERHEAD}"),
        "enabled=1".into(),
    ];
    let mut commands = vec!["uci set sqm.unbloat=queue".to_owned()];
    commands.extend(settings.map(|setting| format!("uci set sqm.unbloat.{setting}")));
    commands.extend(["uci commit sqm".into(), "/etc/init.d/sqm enable".into()]);
    commands.push("/etc/init.d/sqm restart".into());
    commands
}
