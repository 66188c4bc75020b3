//! Ports that are TUN devices.
//!
//! Specification: Linux `Documentation/networking/tuntap.rst`, `include/uapi/linux/if_tun.h`.

use std::io;
use std::os::fd::OwnedFd;

use kernel::Netlink;
use netlink_packet_route::link::LinkAttribute;
use rustix::fs::{Mode, OFlags, open};
use rustix::io::Errno;

use super::{Device, LinkLayer, PortError, PortOptions, TryTo};
use sandbox::Namespace;
use sandbox::network::device;

use crate::{offload, sys};

/// The work that the stack may leave to the reader of the device; UDP since Linux 6.2.
const CHECKSUM: libc::c_uint = libc::TUN_F_CSUM;
const TCP: libc::c_uint = libc::TUN_F_TSO4 | libc::TUN_F_TSO6 | libc::TUN_F_TSO_ECN;
const UDP: libc::c_uint = libc::TUN_F_USO4 | libc::TUN_F_USO6;

/// The part of a name in place of which the kernel puts a number.
const NUMBER: &str = "%d";

/// The most packets that the device holds until they are read. A whole window that slow start sends
/// at once must fit while the loop wakes up: 3 MB are some 2000 packets.
const RING: u32 = 4096;

/// Makes a device in `namespace`. Returns our end and the device.
pub(super) fn make(
    namespace: &Namespace,
    name: &str,
    options: PortOptions,
) -> Result<(OwnedFd, Device), PortError> {
    namespace.run(|| make_here(name, options)).try_to("entering a namespace")?
}

fn make_here(name: &str, options: PortOptions) -> Result<(OwnedFd, Device), PortError> {
    let (fd, name) = attach(name, libc::IFF_TUN, options.super_packets)?;
    let mtu = LinkAttribute::Mtu(super::mtu(options));
    let device = set_up(&name, [mtu, LinkAttribute::TxQueueLen(RING)])?;
    Ok((fd, device))
}

/// Makes a device in this thread's namespace to which packets can be redirected. The kernel puts a
/// number behind `prefix`.
pub(super) fn make_redirected(
    prefix: &str,
    link_layer: LinkLayer,
) -> Result<(OwnedFd, Device), PortError> {
    let kind = match link_layer {
        LinkLayer::Ethernet => libc::IFF_TAP,
        LinkLayer::None => libc::IFF_TUN,
    };
    let (fd, name) = attach(&format!("{prefix}{NUMBER}"), kind, true)?;
    let device = set_up(&name, [LinkAttribute::TxQueueLen(RING)])?;
    Ok((fd, device))
}

/// Makes a device of this kind and name. Returns the name that the kernel has given it.
fn attach(
    name: &str,
    kind: libc::c_int,
    super_packets: bool,
) -> Result<(OwnedFd, String), PortError> {
    let flags = OFlags::RDWR | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let fd = open("/dev/net/tun", flags, Mode::empty());
    let fd = fd.map_err(with_remedy).try_to("opening /dev/net/tun")?;
    // With the last flag, an existing device is an error.
    let flags = kind | libc::IFF_NO_PI | libc::IFF_VNET_HDR | libc::IFF_TUN_EXCL;
    let name = sys::attach_tun(&fd, name, flags)
        .map_err(|error| Errno::from_io_error(&error).map_or(error, with_remedy))
        .try_to_with(|| format!("making the TUN device {}", name.trim_end_matches(NUMBER)))?;
    sys::set_header_len(&fd, offload::HEADER_LEN)
        .try_to("setting the length of TUN's virtio-net header")?;
    leave_to_us(&fd, super_packets).try_to("having TUN hand over super-packets")?;
    Ok((fd, name))
}

fn set_up(
    name: &str,
    attributes: impl IntoIterator<Item = LinkAttribute>,
) -> Result<Device, PortError> {
    let netlink = Netlink::open().try_to("asking for devices")?;
    let set_up = || {
        let index = device::index(&netlink, name)?;
        device::remove_queue(&netlink, index)?;
        device::set_up_silent(&netlink, index, attributes)?;
        Ok::<_, io::Error>(index)
    };
    let index = set_up().try_to_with(|| format!("setting up the TUN device {name}"))?;
    Ok(Device { netlink, index })
}

/// The error of opening a device, with a remedy as far as the kernel's answer points to one.
fn with_remedy(errno: Errno) -> io::Error {
    let remedy = match errno {
        Errno::NOENT | Errno::NODEV | Errno::NXIO => "`modprobe tun` as root would make it",
        Errno::ACCESS => "`chmod 0666 /dev/net/tun` as root would allow it",
        Errno::NOTTY => {
            "/dev/net/tun is there, but it is no TUN device; as root, `rm /dev/net/tun; mknod -m \
             0666 /dev/net/tun c 10 200` would make it one"
        }
        _ => return errno.into(),
    };
    let error = io::Error::from(errno);
    io::Error::new(error.kind(), format!("{error}; {remedy}"))
}

/// Lets the stack leave checksums to the reader of the device, and super-packets of the protocols
/// that this kernel supports.
fn leave_to_us(fd: &OwnedFd, super_packets: bool) -> io::Result<()> {
    if !super_packets {
        return sys::set_offload(fd, CHECKSUM);
    }
    sys::set_offload(fd, CHECKSUM | TCP | UDP).or_else(|_| sys::set_offload(fd, CHECKSUM | TCP))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_no_tun_is_told_what_would_help() {
        for (errno, remedy) in [
            (Errno::NOENT, "modprobe tun"),
            (Errno::ACCESS, "chmod 0666"),
            (Errno::NOTTY, "is no TUN device; as root, `rm /dev/net/tun; mknod"),
        ] {
            let error = with_remedy(errno);
            assert!(error.to_string().contains(remedy), "{error}");
            assert_eq!(error.kind(), io::Error::from(errno).kind());
        }
        assert_eq!(with_remedy(Errno::BUSY).raw_os_error(), Some(Errno::BUSY.raw_os_error()));
    }

    /// For example if there is a plain file in the place of the device node.
    #[test]
    fn what_is_no_tun_is_told_from_one() {
        let none = open("/dev/null", OFlags::RDWR, Mode::empty()).unwrap();
        let error = sys::attach_tun(&none, "x", libc::IFF_TUN).unwrap_err();
        assert_eq!(Errno::from_io_error(&error), Some(Errno::NOTTY));
    }
}
