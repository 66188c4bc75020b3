//! Commands for Linux and OpenWrt that can be copied, and run again.
//!
//! `tc qdisc replace` keeps all options of a queue of the same kind that it is not told, and `add`
//! fails where there is one: so what is there is deleted, and the new one added. Rates and sizes
//! have units that `tc` takes as bits and bytes (tc(8): `mbps` would be megabytes).

use results::observation::Heading;

/// What a packet takes on the line beyond its IP packet, at most but for ATM: bytes. OpenWrt's SQM
/// documentation advises 44 where the line is not known.
pub(super) const OVERHEAD: u32 = 44;

/// What both shapers are told. A packet is never shorter than 84 bytes on Ethernet (64, and 20
/// between packets; IEEE 802.3).
fn cake(kilobits: u64, more: &str) -> String {
    format!("cake bandwidth {kilobits}kbit besteffort {more} overhead {OVERHEAD} mpu 84")
}

/// A shaper on Linux: of what leaves `device`, or of what arrives there.
pub(super) fn linux(device: &str, heading: Heading, kilobits: u64) -> Vec<String> {
    match heading {
        Heading::Up => fresh(device, &upload(kilobits)).into(),
        Heading::Down => ingress(device, kilobits),
    }
}

/// A queue of its own for what arrives, on a device through which all of it is led.
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

/// CAKE for what leaves a device.
pub(super) fn upload(kilobits: u64) -> String {
    cake(kilobits, "dual-srchost nat")
}

/// A look at what is there, and a queue in the place of the system's own: `add` fails where there is another one
/// (tc(8)), so that no shaper is deleted.
pub(super) fn careful(queue: &str) -> [String; 2] {
    ["tc -s qdisc show dev DEVICE".to_owned(), format!("sudo tc qdisc add dev DEVICE root {queue}")]
}

/// A queue in the place of whatever is there.
pub(super) fn fresh(device: &str, queue: &str) -> [String; 2] {
    [
        format!("sudo tc qdisc del dev {device} root 2>/dev/null"),
        format!("sudo tc qdisc add dev {device} root {queue}"),
    ]
}

/// The settings of OpenWrt's SQM, by its command `uci`; 0 kbit/s is not shaped.
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
