//! Settings of the kernel's network stack.

use crate::sections::Section;

/// The settings below `/proc/sys/net`; `None` for what could not be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// `net.core.default_qdisc`.
    pub default_qdisc: Option<String>,
    /// `net.core.rmem_max`: most bytes that a program may ask for to receive.
    pub rmem_max: Option<u64>,
    /// `net.core.wmem_max`: most bytes that a program may ask for to send.
    pub wmem_max: Option<u64>,
    /// `net.ipv4.tcp_rmem`: least, first and most bytes of TCP's receive buffer.
    pub tcp_rmem: Option<[u64; 3]>,
    /// `net.ipv4.tcp_wmem`: least, first and most bytes of TCP's send buffer.
    pub tcp_wmem: Option<[u64; 3]>,
    /// `net.ipv4.tcp_congestion_control`.
    pub congestion_control: Option<String>,
    /// `net.ipv4.tcp_ecn`: 0 never, 1 asks for it, 2 only if the peer asks.
    pub ecn: Option<u32>,
    /// True if packets go from one interface to another (`net.ipv4.ip_forward` or
    /// `net.ipv6.conf.all.forwarding`).
    pub forwards: Option<bool>,
}

impl Settings {
    pub(crate) fn read(section: &Section<'_>) -> Self {
        let value = |key: &str| section.facts().find(|fact| fact.0 == key).map(|fact| fact.1);
        let text = |key| value(key).map(str::to_owned);
        let number = |key| value(key).and_then(|it| it.parse().ok());
        let forwarding =
            ["ipv4/ip_forward", "ipv6/conf/all/forwarding"].into_iter().filter_map(value);
        Self {
            default_qdisc: text("core/default_qdisc"),
            rmem_max: number("core/rmem_max"),
            wmem_max: number("core/wmem_max"),
            tcp_rmem: value("ipv4/tcp_rmem").and_then(three),
            tcp_wmem: value("ipv4/tcp_wmem").and_then(three),
            congestion_control: text("ipv4/tcp_congestion_control"),
            ecn: value("ipv4/tcp_ecn").and_then(|it| it.parse().ok()),
            forwards: forwarding.map(|it| it != "0").reduce(|one, other| one || other),
        }
    }
}

fn three(text: &str) -> Option<[u64; 3]> {
    let numbers = text.split_whitespace().map(|number| number.parse().ok());
    numbers.collect::<Option<Vec<u64>>>()?.try_into().ok()
}
