//! Ports that are AF_PACKET sockets at one end of a pair of devices.
//!
//! Specification: packet(7), veth(4); Linux `include/uapi/linux/if_packet.h`.

use std::fs;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicU32, Ordering};

use kernel::Netlink;
use netlink_packet_route::link::LinkAttribute;
use rustix::net::{
    AddressFamily, SocketFlags, SocketType, socket_with,
    sockopt::{set_socket_recv_buffer_size, set_socket_recv_buffer_size_force},
};

use super::{Device, NoIp, PortError, PortOptions, TryTo};
use sandbox::Namespace;
use sandbox::network::device;

use crate::sys;

/// The length of the Ethernet header before each IP packet.
pub(super) const LINK_HEADER: u16 = 14;

// Constants of `linux/if_packet.h` that not every C library has.
pub(super) const PACKET_VNET_HDR: libc::c_int = 15;
const PACKET_QDISC_BYPASS: libc::c_int = 20;
const PACKET_IGNORE_OUTGOING: libc::c_int = 23;

/// The size of the receive buffer, in bytes: some milliseconds of packets at full speed. The kernel
/// takes twice as much, for its own structures.
const RECEIVE_BUFFER: usize = 4 << 20;

/// The number for the name of the next device in a root namespace.
static DEVICES: AtomicU32 = AtomicU32::new(0);

/// EtherTypes (RFC 894, RFC 2464 section 3).
const IPV4: [u8; 2] = [0x08, 0x00];
const IPV6: [u8; 2] = [0x86, 0xdd];

/// The Ethernet header of each IP packet of this version. Both ends have the same address.
pub(super) fn link_header(version: u8) -> [u8; LINK_HEADER as usize] {
    let [a, b, c, d, e, f] = device::HARDWARE_ADDRESS;
    let [high, low] = if version == 6 { IPV6 } else { IPV4 };
    [a, b, c, d, e, f, a, b, c, d, e, f, high, low]
}

/// Checks that a frame's link header names the IP version of its packet.
pub(super) fn check_link_header(frame: &[u8]) -> Result<(), NoIp> {
    let (header, ip) = frame.split_at_checked(LINK_HEADER.into()).ok_or(NoIp::Malformed)?;
    let known = [(IPV4, 4), (IPV6, 6)];
    let named = known.into_iter().find(|(kind, _)| header.ends_with(kind)).ok_or(NoIp::Other)?;
    if named.1 == super::ip_version(ip) { Ok(()) } else { Err(NoIp::Malformed) }
}

/// The packets for which the socket had no room since the last call.
pub(super) fn drops(socket: &OwnedFd) -> io::Result<u64> {
    // `struct tpacket_stats`: the number of packets, and of those that were dropped.
    let mut statistics = [0; 8];
    kernel::option(socket, libc::SOL_PACKET, libc::PACKET_STATISTICS, &mut statistics)?;
    let [_, _, _, _, drops @ ..] = statistics;
    Ok(u32::from_ne_bytes(drops).into())
}

/// Makes a device in `namespace`, whose other end, with our socket, lies in `root_namespace`.
pub(super) fn make(
    namespace: &Namespace,
    root_namespace: &Namespace,
    name: &str,
    options: PortOptions,
) -> Result<(OwnedFd, Device), PortError> {
    let there = format!("port{}", DEVICES.fetch_add(1, Ordering::Relaxed));
    let device = namespace
        .run(|| pair(name, &there, root_namespace, options))
        .try_to("entering a namespace")?
        .try_to_with(|| format!("making the veth device {name}"))?;
    let made = root_namespace
        .run(|| listen(&there))
        .try_to("entering the root namespace")
        .and_then(|fd| fd.try_to("listening to the veth device with AF_PACKET"));
    match made {
        Ok(fd) => Ok((fd, device)),
        Err(error) => {
            device.delete();
            Err(error)
        }
    }
}

fn pair(
    name: &str,
    there: &str,
    root_namespace: &Namespace,
    options: PortOptions,
) -> io::Result<Device> {
    let netlink = Netlink::open()?;
    let mtu = super::mtu(options);
    device::make_pair(&netlink, name, root_namespace.as_fd(), there, mtu)?;
    let device = Device { index: device::index(&netlink, name)?, netlink };
    // The stack cuts super-packets that have more segments than the device takes.
    let segments = (!options.super_packets).then_some(LinkAttribute::GsoMaxSegs(1));
    // The stack also cuts those that a virtio-net header cannot describe. If this fails, such
    // packets are lost.
    let _ = sys::switch_off(name, unsupported_features());
    match device::set_up_silent(&device.netlink, device.index, segments) {
        Ok(()) => Ok(device),
        Err(error) => {
            device.delete();
            Err(error)
        }
    }
}

/// The features for super-packets that a virtio-net header of this kernel cannot describe: SCTP,
/// and before Linux 6.2 UDP.
fn unsupported_features() -> &'static [&'static str] {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let all = &["tx-sctp-segmentation", "tx-udp-segmentation"];
    if supports_udp(&release) { &all[..1] } else { all }
}

/// True if the kernel of this release is at least 6.2.
fn supports_udp(release: &str) -> bool {
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map(str::parse::<u32>);
    matches!((numbers.next(), numbers.next()), (Some(Ok(major)), Some(Ok(minor))) if (major, minor) >= (6, 2))
}

/// A socket that receives the frames that come out of a device of this namespace, and sends into
/// it.
fn listen(device: &str) -> io::Result<OwnedFd> {
    let netlink = Netlink::open()?;
    let index = device::index(&netlink, device)?;
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    // The socket has no protocol yet, so that it receives nothing before it is bound.
    let fd = socket_with(AddressFamily::PACKET, SocketType::RAW, flags, None)?;
    let set = |option| kernel::set_option(&fd, libc::SOL_PACKET, option, &1_u32.to_ne_bytes());
    set(PACKET_VNET_HDR)?;
    // Bypasses the kernel's queue.
    set(PACKET_QDISC_BYPASS)?;
    // Ignores the frames that this socket has sent.
    set(PACKET_IGNORE_OUTGOING)?;
    // An ordinary user gets at most net.core.rmem_max.
    set_socket_recv_buffer_size_force(&fd, RECEIVE_BUFFER)
        .or_else(|_| set_socket_recv_buffer_size(&fd, RECEIVE_BUFFER))?;
    // A socket that is bound to a device that is down gets an error.
    device::set_up_silent(&netlink, index, None)?;
    kernel::bind_to_device(&fd, index)?;
    Ok(fd)
}

#[cfg(test)]
mod tests {
    use super::supports_udp;

    #[test]
    fn releases_are_told_apart() {
        for new in ["6.2.0", "6.18.44-generic", "7.0-rc1", "10.1.2"] {
            assert!(supports_udp(new), "{new}");
        }
        for old in ["6.1.0-13-amd64", "5.15.0", "6", "", "unknown"] {
            assert!(!supports_udp(old), "{old}");
        }
    }
}
