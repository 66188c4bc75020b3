//! The shaped interface, as rtnetlink tells of it.

use std::io;

use kernel::{Netlink, errno};
use live::LinkLayer;
use netlink_packet_route::RouteNetlinkMessage as Message;
use netlink_packet_route::link::{
    InfoKind, LinkAttribute, LinkFlags, LinkInfo, LinkLayerType, LinkMessage, LinkXdp, XdpAttached,
};
use rustix::io::Errno;

/// An interface as it is at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// The number of the interface, which no later interface of the namespace has.
    pub index: u32,
    /// The name.
    pub name: String,
    /// The header before IP packets.
    pub link_layer: LinkLayer,
    /// True if it is a device of IPsec's own, from which packets come decrypted.
    pub is_of_ipsec: bool,
    /// True if its packets never leave this machine.
    pub is_loopback: bool,
    /// True if an XDP program of the kernel's general kind runs on it, which sees each packet that
    /// comes out of the queue of downloads once more.
    pub has_generic_xdp: bool,
}

impl Interface {
    /// The interface of this name in the namespace of `netlink`; `None` if there is none.
    ///
    /// # Errors
    /// The kernel's error.
    pub fn named(netlink: &Netlink, name: &str) -> io::Result<Option<Self>> {
        let mut question = LinkMessage::default();
        question.attributes.push(LinkAttribute::IfName(name.to_owned()));
        let answers = match netlink.request(Message::GetLink(question), 0) {
            Err(error) if errno(&error) == Some(Errno::NODEV) => return Ok(None),
            answers => answers?,
        };
        let link = answers.into_iter().find_map(|answer| match answer {
            Message::NewLink(link) => Some(link),
            _ => None,
        });
        Ok(link.map(|link| Self::of(&link)))
    }

    fn of(link: &LinkMessage) -> Self {
        let mut this = Self {
            index: link.header.index,
            name: String::new(),
            link_layer: link_layer(link.header.link_layer_type),
            is_of_ipsec: false,
            is_loopback: link.header.flags.contains(LinkFlags::Loopback),
            has_generic_xdp: false,
        };
        for attribute in &link.attributes {
            match attribute {
                LinkAttribute::IfName(name) => this.name.clone_from(name),
                LinkAttribute::LinkInfo(parts) => {
                    let kinds = [InfoKind::Xfrm, InfoKind::Vti, InfoKind::Vti6];
                    this.is_of_ipsec =
                        kinds.into_iter().any(|it| parts.contains(&LinkInfo::Kind(it)));
                }
                LinkAttribute::Xdp(xdp) => {
                    let generic = LinkXdp::Attached(XdpAttached::SocketBuffer);
                    this.has_generic_xdp = xdp.contains(&generic);
                }
                _ => {}
            }
        }
        this
    }
}

/// The header before IP packets on devices of this kind. The kernel lists the same kinds
/// (`dev_is_mac_header_xmit` in `include/linux/if_arp.h`).
fn link_layer(kind: LinkLayerType) -> LinkLayer {
    match kind {
        LinkLayerType::Tunnel
        | LinkLayerType::Tunnel6
        | LinkLayerType::Sit
        | LinkLayerType::Ipgre
        | LinkLayerType::Ip6gre
        | LinkLayerType::None
        | LinkLayerType::Rawip
        | LinkLayerType::Ppp => LinkLayer::None,
        _ => LinkLayer::Ethernet,
    }
}
