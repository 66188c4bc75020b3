//! The configuration of a path in the words of `tc` and `nft`.

use std::fmt::Write;

use super::names::{LEFT, RIGHT, TCP_LIKE, UDP_LIKE};
use super::path::{Block, Deaf, FRAME, Favoured, Limit, Path, PathDirection, Queue, Shaper};

/// The nftables table of all rules.
pub(crate) const TABLE: &str = "inet truth";
/// The HTB class of all packets.
const ROOT: Class = Class { parent: "1:", id: "1:1", priority: 0 };
/// The HTB class of packets with priority.
const FIRST: Class = Class { parent: "1:1", id: "1:10", priority: 0 };
/// The HTB class of all other packets.
const REST: Class = Class { parent: "1:1", id: "1:20", priority: 1 };

/// A class of HTB.
struct Class {
    parent: &'static str,
    id: &'static str,
    priority: u8,
}

/// The queues of a node, as `tc -batch` reads them.
pub(crate) fn queues(path: &Path, node: usize) -> String {
    let mut lines = String::new();
    for (way, device) in [(&path.up, RIGHT), (&path.down, LEFT)] {
        for (_, queue) in way.queues().filter(|(at, _)| *at == node) {
            lines += &shaped(queue, device, path.favoured.is_some());
        }
    }
    lines
}

fn shaped(queue: &Queue, device: &str, favours: bool) -> String {
    let bits = rate(queue.mbit);
    let limit = match queue.limit {
        Limit::Bytes(bytes) => format!("bfifo limit {bytes:.0}"),
        Limit::Packets(packets) => format!("pfifo limit {packets:.0}"),
        Limit::Nothing => return String::new(),
    };
    // A bucket with room for a timer that is a millisecond late.
    let bucket = (queue.mbit * 1e3 / 8.0).max(2.0 * FRAME);
    let bucket = match queue.shaper {
        Shaper::Htb => return htb(queue.mbit, device, &limit, favours),
        Shaper::Boosted { bytes, times } => {
            format!("burst {bytes:.0} peakrate {} mtu 1600", rate(queue.mbit * times))
        }
        _ => format!("burst {bucket:.0}"),
    };
    match queue.limit {
        Limit::Bytes(bytes) => {
            format!("qdisc replace dev {device} root tbf rate {bits} {bucket} limit {bytes:.0}\n")
        }
        // TBF's own limit is large, so that of the inner queue decides.
        _ => format!(
            "qdisc replace dev {device} root handle 1: tbf rate {bits} {bucket} limit 1000000\n\
             qdisc add dev {device} parent 1:1 {limit}\n"
        ),
    }
}

/// HTB with one class, or with two of which the first has priority.
fn htb(mbit: f64, device: &str, limit: &str, favours: bool) -> String {
    let mut lines = format!("qdisc replace dev {device} root handle 1: htb default 20\n");
    lines += &class("add", device, &ROOT, mbit, mbit);
    if favours {
        lines += &class("add", device, &FIRST, mbit / 2.0, mbit);
        let _ = writeln!(lines, "qdisc add dev {device} parent {} pfifo limit 1000", FIRST.id);
    }
    lines += &class("add", device, &REST, if favours { mbit / 2.0 } else { mbit }, mbit);
    let _ = writeln!(lines, "qdisc add dev {device} parent {} {limit}", REST.id);
    lines
}

/// The command for a class with its assured and its highest rate in Mbit/s.
fn class(verb: &str, device: &str, class: &Class, assured: f64, most: f64) -> String {
    let Class { parent, id, priority } = class;
    let (assured, most) = (rate(assured), rate(most));
    format!(
        "class {verb} dev {device} parent {parent} classid {id} htb prio {priority} rate {assured} \
         ceil {most} quantum 1514\n"
    )
}

/// The commands that change the rate of an HTB to this part of it.
pub(crate) fn changed(queue: &Queue, device: &str, part: f64, favours: bool) -> String {
    let mbit = queue.mbit * part;
    let assured = if favours { mbit / 2.0 } else { mbit };
    class("change", device, &ROOT, mbit, mbit) + &class("change", device, &REST, assured, mbit)
}

fn rate(mbit: f64) -> String {
    format!("{:.0}bit", mbit * 1e6)
}

/// The rules of a node, as `nft -f` reads them.
pub(crate) fn rules(path: &Path, node: usize) -> String {
    let mut chains = [
        ("prerouting", -300, Vec::new()),
        ("forward", 0, Vec::new()),
        ("output", 0, Vec::new()),
        ("postrouting", 0, Vec::new()),
    ];
    let [enters, forwarded, own, leaves] = &mut chains;
    // Packets towards the server enter on the left.
    for (way, sends, from) in [(&path.up, RIGHT, LEFT), (&path.down, LEFT, RIGHT)] {
        let next = if sends == RIGHT { way.node + 1 } else { way.node.wrapping_sub(1) };
        if next == node {
            enters.2.extend(lost(way, from));
        }
        if way.node == node {
            leaves.2.extend(policed(way, sends));
        }
        if way.queues().any(|(at, _)| at == node) {
            leaves.2.extend(path.favoured.map(|favoured| first(favoured, sends)));
        }
    }
    if node == path.middle() {
        forwarded.2.extend(path.block.and_then(blocked));
    }
    if let Some((router, deaf)) = path.deaf.filter(|(router, _)| *router == node) {
        debug_assert!(router <= path.routers);
        own.2.extend(deafness(deaf));
    }
    let mut text = String::new();
    for (hook, priority, rules) in chains.iter().filter(|(hook, _, rules)| {
        !rules.is_empty() || (*hook == "forward" && node == path.middle())
    }) {
        let _ = writeln!(
            text,
            "table {TABLE} {{\nchain {hook} {{\ntype filter hook {hook} priority {priority};\n{}\n}}\n}}",
            rules.join("\n")
        );
    }
    if path.nat && node == 1 {
        let _ = writeln!(
            text,
            "table ip nat {{\nchain post {{\ntype nat hook postrouting priority 100;\n\
             oifname \"{RIGHT}\" masquerade\n}}\n}}"
        );
    }
    text
}

fn lost(way: &PathDirection, from: &str) -> Option<String> {
    let of_ten_thousand = (way.loss * 1e4).round();
    (of_ten_thousand > 0.0)
        .then(|| format!("iifname \"{from}\" numgen random mod 10000 < {of_ten_thousand:.0} drop"))
}

fn policed(way: &PathDirection, device: &str) -> Option<String> {
    let queue = way.queue.as_ref()?;
    let Shaper::Policer { bytes } = queue.shaper else { return None };
    let bytes_a_second = queue.mbit * 1e6 / 8.0;
    Some(format!(
        "oifname \"{device}\" limit rate over {bytes_a_second:.0} bytes/second burst {bytes:.0} bytes \
         drop"
    ))
}

fn first(favoured: Favoured, device: &str) -> String {
    let which = match favoured {
        Favoured::Udp => {
            format!("meta l4proto udp udp dport != {TCP_LIKE} udp sport != {TCP_LIKE}")
        }
        Favoured::Icmp => "meta l4proto { icmp, ipv6-icmp }".into(),
    };
    format!("oifname \"{device}\" {which} meta priority set {}", FIRST.id)
}

fn blocked(block: Block) -> Option<String> {
    let probes = format!("{{ {UDP_LIKE}, {TCP_LIKE} }}");
    match block {
        Block::Large => Some("meta length > 1400 drop".into()),
        Block::Udp => {
            Some(format!("meta l4proto udp udp dport != {probes} udp sport != {probes} drop"))
        }
        // The rule of a cut is added during the test.
        Block::Cut(_) => None,
    }
}

fn deafness(deaf: Deaf) -> [String; 2] {
    let how = match deaf {
        Deaf::Silent => "drop",
        Deaf::Seldom => "limit rate over 1/second burst 1 packets drop",
    };
    ["icmp", "icmpv6"].map(|family| format!("{family} type time-exceeded {how}"))
}

/// The rule that makes the middle router drop everything.
pub(crate) fn cut() -> String {
    format!("add rule {TABLE} forward drop\n")
}

#[cfg(test)]
mod tests {
    use super::super::draw;
    use super::*;

    #[test]
    fn each_bottleneck_is_made_where_it_is() {
        for index in 0..300 {
            let path = draw::path(5, index);
            for (way, device) in [(&path.up, RIGHT), (&path.down, LEFT)] {
                for (node, queue) in way.queues() {
                    let made = queues(&path, node) + &rules(&path, node);
                    let rate = match queue.limit {
                        Limit::Nothing => format!("{:.0} bytes/second", queue.mbit * 1e6 / 8.0),
                        _ => format!("rate {:.0}bit", queue.mbit * 1e6),
                    };
                    assert!(made.contains(&rate) && made.contains(device), "{path}\n{made}");
                }
            }
        }
    }
}
