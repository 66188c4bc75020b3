//! The nodes of interfaces in VyOS's configuration.
//!
//! Specification: vyos-1x c3f68865 (1.4) and 3710c587 (1.5): the names in
//! `interface-definitions/interfaces_*.xml.in`, which of them include `redirect`, `vif` and `vif-s`, and
//! `Section.get_config_path` of `python/vyos/ifconfig/section.py` for the path of a VLAN.

use crate::error::PlatformError;

/// A kind of interface.
struct Kind {
    /// What its names begin with; a number follows.
    prefix: &'static str,
    /// Its node below `interfaces`.
    node: &'static str,
    /// True if what comes in can be redirected.
    redirects: bool,
    /// The VLANs that one inside the other can be: 0 to 2.
    vlans: usize,
}

const fn kind(prefix: &'static str, node: &'static str, redirects: bool, vlans: usize) -> Kind {
    Kind { prefix, node, redirects, vlans }
}

const KINDS: [Kind; 20] = [
    kind("eth", "ethernet", true, 2),
    kind("lan", "ethernet", true, 2),
    kind("pppoe", "pppoe", true, 0),
    kind("bond", "bonding", true, 2),
    kind("br", "bridge", true, 1),
    kind("wlan", "wireless", true, 2),
    kind("wwan", "wwan", true, 0),
    kind("wg", "wireguard", true, 0),
    kind("tun", "tunnel", true, 0),
    kind("vtun", "openvpn", true, 0),
    kind("vti", "vti", true, 0),
    kind("vxlan", "vxlan", true, 0),
    kind("gnv", "geneve", true, 0),
    kind("macsec", "macsec", true, 0),
    kind("peth", "pseudo-ethernet", true, 2),
    kind("dum", "dummy", true, 0),
    kind("ifb", "input", true, 0),
    kind("sstpc", "sstpc", false, 0),
    kind("l2tpeth", "l2tpv3", false, 0),
    kind("veth", "virtual-ethernet", false, 2),
];

/// The names of Ethernet devices that have no number of VyOS's own.
const PREDICTABLE: [&str; 4] = ["eno", "ens", "enp", "enx"];

/// An interface of VyOS.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Interface {
    /// The path of its node: `interfaces ethernet eth0 vif 7`.
    pub(crate) path: String,
    /// True if what comes in can be redirected.
    pub(crate) redirects: bool,
}

/// The interface of this name.
///
/// # Errors
/// If VyOS has no interface of such a name.
pub(crate) fn find(name: &str) -> Result<Interface, PlatformError> {
    let mut parts = name.split('.');
    let device = parts.next().unwrap_or_default();
    let vlans: Vec<&str> = parts.collect();
    let is_vlan = |vlan: &&str| vlan.parse::<u16>().is_ok_and(|number| number <= 4094);
    let kind = kind_of(device).filter(|kind| vlans.len() <= kind.vlans);
    let Some(kind) = kind.filter(|_| vlans.iter().all(is_vlan)) else {
        return Err(PlatformError::UnknownInterface(name.to_owned()));
    };
    let below = match vlans.as_slice() {
        [] => String::new(),
        [vlan] => format!(" vif {vlan}"),
        [outer, inner, ..] => format!(" vif-s {outer} vif-c {inner}"),
    };
    let path = format!("interfaces {} {device}{below}", kind.node);
    Ok(Interface { path, redirects: kind.redirects })
}

fn kind_of(device: &str) -> Option<&'static Kind> {
    let is_numbered = |kind: &&Kind| {
        let number = device.strip_prefix(kind.prefix);
        number.is_some_and(|it| !it.is_empty() && it.chars().all(|sign| sign.is_ascii_digit()))
    };
    let is_predictable = PREDICTABLE.iter().any(|it| device.len() > 3 && device.starts_with(it));
    let kind = const { &KINDS }.iter().find(is_numbered);
    kind.or_else(|| is_predictable.then_some(const { &KINDS[0] }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_its_node() {
        for (name, path) in [
            ("eth0", "ethernet eth0"),
            ("enp3s0", "ethernet enp3s0"),
            ("eth0.7", "ethernet eth0 vif 7"),
            ("eth0.7.8", "ethernet eth0 vif-s 7 vif-c 8"),
            ("bond0.201", "bonding bond0 vif 201"),
            ("br0", "bridge br0"),
            ("br0.5", "bridge br0 vif 5"),
            ("pppoe0", "pppoe pppoe0"),
            ("wg0", "wireguard wg0"),
            ("wlan0", "wireless wlan0"),
            ("wwan0", "wwan wwan0"),
            ("tun3", "tunnel tun3"),
            ("vtun1", "openvpn vtun1"),
        ] {
            let found = find(name).unwrap();
            assert_eq!(found, Interface { path: format!("interfaces {path}"), redirects: true });
        }
        assert!(!find("sstpc0").unwrap().redirects && !find("l2tpeth0").unwrap().redirects);
    }

    #[test]
    fn what_vyos_has_no_node_for_is_refused() {
        // A VRRP interface is made by keepalived, and only bridges of one VLAN are there.
        for name in
            ["ppp0", "eth0v1", "wan", "eth", "en", "br0.5.6", "pppoe0.7", "eth0.5000", "eth0."]
        {
            assert_eq!(find(name), Err(PlatformError::UnknownInterface(name.to_owned())), "{name}");
        }
    }
}
