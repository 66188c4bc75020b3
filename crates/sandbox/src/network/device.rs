//! Devices: making, setting up, reading losses, and deleting them.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

use kernel::{Netlink, errno};
use netlink_packet_core::{NLM_F_CREATE, NLM_F_EXCL, NLM_F_REPLACE};
use netlink_packet_route::RouteNetlinkMessage as Message;
use netlink_packet_route::link::{
    AfSpecInet6, AfSpecUnspec, In6AddrGenMode, InfoData, InfoKind, InfoVeth, LinkAttribute,
    LinkFlags, LinkInfo, LinkMessage,
};
use netlink_packet_route::tc::{TcAttribute, TcHandle, TcMessage};
use rustix::io::Errno;

/// The hardware address of all devices of ports, so that a frame can pass between them unchanged.
pub const HARDWARE_ADDRESS: [u8; 6] = [2, 0, 0, 0, 0, 1];

/// Makes a pair of devices: `here` in this namespace, `there` in another. Frames that go into one
/// come out of the other. Both are down.
///
/// # Errors
/// The kernel's error.
pub fn make_pair(
    netlink: &Netlink,
    here: &str,
    namespace: BorrowedFd<'_>,
    there: &str,
    mtu: u32,
) -> io::Result<()> {
    let mut peer = LinkMessage::default();
    peer.attributes.extend([
        LinkAttribute::IfName(there.to_owned()),
        LinkAttribute::NetNsFd(namespace.as_raw_fd()),
        LinkAttribute::Mtu(mtu),
    ]);
    let mut pair = LinkMessage::default();
    pair.attributes.extend([
        LinkAttribute::IfName(here.to_owned()),
        LinkAttribute::Address(HARDWARE_ADDRESS.to_vec()),
        LinkAttribute::Mtu(mtu),
        LinkAttribute::LinkInfo(vec![
            LinkInfo::Kind(InfoKind::Veth),
            LinkInfo::Data(InfoData::Veth(InfoVeth::Peer(peer))),
        ]),
    ]);
    netlink.request(Message::NewLink(pair), NLM_F_CREATE | NLM_F_EXCL).map(drop)
}

/// The index of a device.
///
/// # Errors
/// The kernel's error.
pub fn index(netlink: &Netlink, name: &str) -> io::Result<u32> {
    let mut question = LinkMessage::default();
    question.attributes.push(LinkAttribute::IfName(name.to_owned()));
    let link = the_link(netlink.request(Message::GetLink(question), 0)?)?;
    Ok(link.header.index)
}

/// Sets up a device that sends nothing of its own: no ARP, no IPv6 address. `further` are other
/// attributes of the device.
///
/// # Errors
/// The kernel's error.
pub fn set_up_silent(
    netlink: &Netlink,
    index: u32,
    further: impl IntoIterator<Item = LinkAttribute>,
) -> io::Result<()> {
    let mut link = LinkMessage::default();
    link.header.index = index;
    let silent = AfSpecInet6::AddrGenMode(In6AddrGenMode::None);
    link.attributes.push(LinkAttribute::AfSpecUnspec(vec![AfSpecUnspec::Inet6(vec![silent])]));
    match netlink.request(Message::SetLink(link), 0) {
        // The kernel has no IPv6.
        Err(error) if errno(&error) == Some(Errno::AFNOSUPPORT) => {}
        result => drop(result?),
    }
    let mut link = with_flags(index, LinkFlags::Up | LinkFlags::Noarp);
    link.attributes.extend(further);
    netlink.request(Message::SetLink(link), 0).map(drop)
}

/// Sets a device up.
pub(super) fn set_up(netlink: &Netlink, index: u32) -> io::Result<()> {
    netlink.request(Message::SetLink(with_flags(index, LinkFlags::Up)), 0).map(drop)
}

/// Removes the queue of a device, so that packets do not wait for it.
///
/// # Errors
/// The kernel's error.
pub fn remove_queue(netlink: &Netlink, index: u32) -> io::Result<()> {
    let mut queue = TcMessage::with_index(index.cast_signed());
    queue.header.parent = TcHandle::ROOT;
    queue.attributes.push(TcAttribute::Kind("noqueue".to_owned()));
    let flags = NLM_F_CREATE | NLM_F_REPLACE;
    match netlink.request(Message::NewQueueDiscipline(queue), flags) {
        // The kernel has no queueing disciplines.
        Err(error) if errno(&error) == Some(Errno::OPNOTSUPP) => Ok(()),
        result => result.map(drop),
    }
}

/// The packets that were sent into the device and lost.
///
/// # Errors
/// The kernel's error.
pub fn drops(netlink: &Netlink, index: u32) -> io::Result<u64> {
    let mut question = LinkMessage::default();
    question.header.index = index;
    let link = the_link(netlink.request(Message::GetLink(question), 0)?)?;
    let statistics = link.attributes.iter().find_map(|attribute| match attribute {
        LinkAttribute::Stats64(statistics) => Some(statistics),
        _ => None,
    });
    Ok(statistics.ok_or_else(|| io::Error::other("a device without statistics"))?.tx_dropped)
}

/// Deletes a device, and the one that it is paired with.
///
/// # Errors
/// The kernel's error.
pub fn delete(netlink: &Netlink, index: u32) -> io::Result<()> {
    let mut link = LinkMessage::default();
    link.header.index = index;
    netlink.request(Message::DelLink(link), 0).map(drop)
}

fn with_flags(index: u32, flags: LinkFlags) -> LinkMessage {
    let mut link = LinkMessage::default();
    link.header.index = index;
    link.header.flags = flags;
    link.header.change_mask = flags;
    link
}

fn the_link(answers: Vec<Message>) -> io::Result<LinkMessage> {
    let link = answers.into_iter().find_map(|answer| match answer {
        Message::NewLink(link) => Some(link),
        _ => None,
    });
    link.ok_or_else(|| io::Error::other("the kernel says nothing of the device"))
}
