//! The interface's properties from rtnetlink, nl80211 and sysfs.
//!
//! Specification: rtnetlink(7); Linux `Documentation/ABI/testing/sysfs-class-net`.

use std::fs;
use std::io;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use kernel::Netlink;
use netlink_packet_core::NLM_F_ECHO;
use netlink_packet_route::link::{LinkAttribute, LinkFlags, LinkMessage};
use netlink_packet_route::route::{RouteAttribute, RouteFlags, RouteMessage};
use netlink_packet_route::tc::{TcAttribute, TcHandle, TcMessage, TcStats2};
use netlink_packet_route::{AddressFamily, RouteNetlinkMessage as Message};
use observation::{Interface, Wireless};
use units::{Bytes, Rate};

use super::{NetworkPart, Passed, Waiting};

#[derive(Debug)]
pub(super) struct Kernel {
    netlink: Netlink,
    /// The socket for queries of Wi-Fi; `None` if the kernel has no Wi-Fi.
    wireless: Option<kernel::Wireless>,
}

impl Kernel {
    pub(super) fn open() -> io::Result<Self> {
        Ok(Self { netlink: Netlink::open()?, wireless: kernel::Wireless::open().ok() })
    }

    /// The index of the interface.
    pub(super) fn interface_towards(&self, address: IpAddr) -> io::Result<u32> {
        let route = self.route(address, RouteFlags::empty())?;
        interface(&route).ok_or_else(|| missing("interface of the route"))
    }

    /// The part of the network in which an address is, seen from the interface with this index. Hosts are beside
    /// each other only on a link that is shared.
    pub(super) fn part_of(
        &self,
        index: u32,
        is_shared: bool,
        address: IpAddr,
    ) -> io::Result<NetworkPart> {
        // Packets to such an address never pass a gateway, and the route's lookup may take any interface.
        if matches!(address, IpAddr::V6(it) if it.is_unicast_link_local()) {
            return Ok(NetworkPart::Local);
        }
        let route = self.route(address, RouteFlags::empty())?;
        if interface(&route) != Some(index) {
            return Ok(NetworkPart::Elsewhere);
        }
        let is_local = is_shared && !has_gateway(&route) && !self.is_default(address)?;
        Ok(if is_local { NetworkPart::Local } else { NetworkPart::Behind })
    }

    /// True if the route to an address is the one to everywhere, which may have no gateway.
    fn is_default(&self, address: IpAddr) -> io::Result<bool> {
        let entry = self.route(address, RouteFlags::FibMatch)?;
        Ok(entry.header.destination_prefix_length == 0)
    }

    /// The route to an address, or with `FibMatch` the entry of the table from which it comes.
    fn route(&self, address: IpAddr, flags: RouteFlags) -> io::Result<RouteMessage> {
        let mut question = RouteMessage::default();
        (question.header.address_family, question.header.destination_prefix_length) = match address
        {
            IpAddr::V4(_) => (AddressFamily::Inet, 32),
            IpAddr::V6(_) => (AddressFamily::Inet6, 128),
        };
        question.header.flags = flags;
        question.attributes.push(RouteAttribute::Destination(address.into()));
        let answers = self.netlink.request(Message::GetRoute(question), 0)?;
        let route = answers.into_iter().find_map(|answer| match answer {
            Message::NewRoute(route) => Some(route),
            _ => None,
        });
        route.ok_or_else(|| missing("route"))
    }

    /// The properties of an interface, and whether hosts are beside each other on its link.
    pub(super) fn interface(&self, index: u32) -> io::Result<(Interface, bool)> {
        let mut question = LinkMessage::default();
        question.header.index = index;
        let answers = self.netlink.request(Message::GetLink(question), 0)?;
        let mut interface = Interface::default();
        let mut is_shared = true;
        for answer in answers {
            let Message::NewLink(link) = answer else { continue };
            is_shared &= !link.header.flags.contains(LinkFlags::Pointopoint);
            for attribute in link.attributes {
                match attribute {
                    LinkAttribute::IfName(name) => interface.name = name,
                    LinkAttribute::Mtu(mtu) => interface.mtu = Some(Bytes(mtu.into())),
                    LinkAttribute::Qdisc(name) => interface.qdisc = Some(name),
                    _ => {}
                }
            }
        }
        if interface.name.is_empty() {
            return Err(missing("name of the interface"));
        }
        let folder = folder(&interface.name);
        interface.wireless = folder.join("phy80211").exists() || folder.join("wireless").exists();
        interface.rate = rate(&folder);
        Ok((interface, is_shared))
    }

    pub(super) fn waiting(&self, index: u32) -> io::Result<Waiting> {
        let mut question = TcMessage::with_index(index.cast_signed());
        question.header.parent = TcHandle::ROOT;
        // Without `NLM_F_ECHO` the kernel answers only the listeners of a multicast group, not this
        // socket.
        let answers = self.netlink.request(Message::GetQueueDiscipline(question), NLM_F_ECHO)?;
        let statistics = answers.into_iter().find_map(|answer| match answer {
            Message::NewQueueDiscipline(queue) => queue.attributes.into_iter().find_map(statistics),
            _ => None,
        });
        statistics.ok_or_else(|| missing("statistics of the queue"))
    }

    pub(super) fn passed(&self, index: u32) -> io::Result<Passed> {
        let mut question = LinkMessage::default();
        question.header.index = index;
        let answers = self.netlink.request(Message::GetLink(question), 0)?;
        let passed = answers.into_iter().find_map(|answer| {
            let Message::NewLink(LinkMessage { header, attributes, .. }) = answer else {
                return None;
            };
            let counts = attributes.into_iter().find_map(|it| match it {
                LinkAttribute::Stats64(counts) => Some(counts),
                _ => None,
            })?;
            let (up, down) = (Bytes(counts.tx_bytes), Bytes(counts.rx_bytes));
            Some(Passed { up, down, has_carrier: header.flags.contains(LinkFlags::LowerUp) })
        });
        passed.ok_or_else(|| missing("bytes that passed the interface"))
    }

    pub(super) fn wireless(&self, index: u32) -> Option<Wireless> {
        let station = self.wireless.as_ref()?.station(index).ok()??;
        let kernel::Station { sends, receives, signal, .. } = station;
        Some(Wireless { sends, receives, signal })
    }
}

/// The index of a route's interface; `None` if it has none.
fn interface(route: &RouteMessage) -> Option<u32> {
    route.attributes.iter().find_map(|it| match it {
        RouteAttribute::Oif(index) => Some(*index),
        _ => None,
    })
}

fn has_gateway(route: &RouteMessage) -> bool {
    let is_one =
        |it: &RouteAttribute| matches!(it, RouteAttribute::Gateway(_) | RouteAttribute::Via(_));
    route.attributes.iter().any(is_one)
}

fn statistics(attribute: TcAttribute) -> Option<Waiting> {
    let TcAttribute::Stats2(parts) = attribute else { return None };
    parts.iter().find_map(|part| match part {
        TcStats2::Queue(queue) => {
            Some(Waiting { backlog: Bytes(queue.backlog.into()), drops: queue.drops.into() })
        }
        _ => None,
    })
}

fn folder(name: &str) -> PathBuf {
    Path::new("/sys/class/net").join(name)
}

/// The rate of the interface in a folder of sysfs. The file holds Mbit/s; -1, or an error to read
/// it, if there is no rate. `None` if there is none.
fn rate(folder: &Path) -> Option<Rate> {
    let mbit: u64 = fs::read_to_string(folder.join("speed")).ok()?.trim().parse().ok()?;
    Rate::from_bits_per_sec(mbit.checked_mul(1_000_000)?)
}

fn missing(what: &str) -> io::Error {
    io::Error::other(format!("the kernel did not report the {what}"))
}
