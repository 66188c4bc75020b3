//! Ports into devices that are not ours.
//!
//! Specification: packet(7); Linux `include/uapi/linux/if_packet.h`.

use std::io::IoSlice;
use std::os::fd::OwnedFd;

use rustix::io::Errno;
use rustix::net::sockopt::set_socket_send_buffer_size_force;
use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with};
use wire::{LinkType, NonIp};

use super::packet::PACKET_VNET_HDR;
use super::{Format, NoIp, PortError, TryTo};

/// The bytes that may wait in the device's own queue for its hardware. They wait behind our queue,
/// so they are few: some ten large super-packets, which a device of 10 Gbit/s sends in half a
/// millisecond.
const SEND_BUFFER: usize = 1 << 20;

/// The kinds of devices by what stands before an IP packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkLayer {
    /// An Ethernet header, and perhaps tags after it.
    Ethernet,
    /// Nothing, as with PPP and with tunnels.
    None,
}

impl LinkLayer {
    /// The format of packets to and from such a device.
    pub(super) const fn format(self) -> Format {
        match self {
            Self::Ethernet => Format::Ethernet,
            Self::None => Format::Ip,
        }
    }
}

/// A device that is not ours.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    pub(super) index: u32,
    pub(super) link_layer: LinkLayer,
}

/// A socket that can send into any device, and receives nothing.
pub(super) fn open(mark: u32) -> Result<OwnedFd, PortError> {
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let make = || {
        // Without a protocol, the socket receives nothing.
        let fd = socket_with(AddressFamily::PACKET, SocketType::RAW, flags, None)?;
        kernel::set_option(&fd, libc::SOL_PACKET, PACKET_VNET_HDR, &1_u32.to_ne_bytes())?;
        kernel::set_option(&fd, libc::SOL_SOCKET, libc::SO_MARK, &mark.to_ne_bytes())?;
        set_socket_send_buffer_size_force(&fd, SEND_BUFFER)?;
        Ok::<_, std::io::Error>(fd)
    };
    make().try_to("making an AF_PACKET socket")
}

/// Sends a packet of this IP version, with the headers before it, into a device.
pub(super) fn send(
    socket: &OwnedFd,
    target: Target,
    version: u8,
    slices: &[IoSlice<'_>],
) -> Result<(), Errno> {
    let protocol = match (target.link_layer, version) {
        // The kernel reads the protocol in the link header.
        (LinkLayer::Ethernet, _) => 0,
        (LinkLayer::None, 6) => libc::ETH_P_IPV6,
        (LinkLayer::None, _) => libc::ETH_P_IP,
    };
    kernel::send_to_device(socket, target.index, protocol as u16, slices)
}

/// True if a link header ends with that of a session of PPPoE (RFC 2516 section 4).
pub(super) fn is_pppoe(link_header: &[u8]) -> bool {
    const ETHER_TYPE: [u8; 2] = [0x88, 0x64];
    /// The bytes from the EtherType on: version, code, session, length, and PPP's protocol.
    const LEN: usize = 10;
    link_header.len().checked_sub(LEN).is_some_and(|at| link_header[at..].starts_with(&ETHER_TYPE))
}

/// The length of a frame's link header, if an IP packet to a single station follows it.
pub(super) fn link_header_len(frame: &[u8]) -> Result<u16, NoIp> {
    /// The bit of an address of several stations (IEEE 802 section 8.2.2).
    const GROUP: u8 = 1;
    if frame.first().is_some_and(|first| first & GROUP != 0) {
        return Err(NoIp::Other);
    }
    match wire::from_ip(LinkType::ETHERNET, frame) {
        Ok(ip) => u16::try_from(frame.len() - ip.len()).map_err(|_| NoIp::Malformed),
        Err(NonIp::CutOff) => Err(NoIp::Malformed),
        Err(_) => Err(NoIp::Other),
    }
}
