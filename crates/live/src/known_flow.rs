//! What a driver knows of a flow beside the bytes of its packets.

use qdisc::Hosts;

/// What is known of a flow's packets on a link beside their bytes, which then say nothing of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownFlow {
    /// The hosts by the addresses on the link.
    pub hosts: Hosts,
    /// The hosts without the translation of addresses by a machine at the link.
    pub untranslated: Hosts,
    /// The firewall mark; 0 for none.
    pub mark: u32,
}
