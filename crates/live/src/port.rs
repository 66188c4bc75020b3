//! Ports, through which packets leave and enter a kernel's stack.

use std::io::{self, IoSlice};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use kernel::Netlink;
use rustix::io::{Errno, read, writev};
use sandbox::Namespace;
use sandbox::network::device;
use units::Bytes;

use crate::{Offload, PacketSlices, offload};

mod packet;
#[cfg(test)]
mod tests;
mod tun;

/// The kinds of ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PortKind {
    /// A TUN device with `IFF_VNET_HDR`.
    Tun,
    /// A veth pair with an AF_PACKET socket with `PACKET_VNET_HDR` at its far end.
    Packet,
}

/// The options of a new port.
#[derive(Clone, Copy, Debug)]
pub struct PortOptions {
    /// The kind; `None` for TUN if that can be opened, and AF_PACKET otherwise.
    pub kind: Option<PortKind>,
    /// The length of the longest IP packet.
    pub mtu: Bytes,
    /// True if the stack may send super-packets.
    pub super_packets: bool,
}

/// The error of making a port.
#[derive(Debug, thiserror::Error)]
#[error("{what}: {error}")]
pub struct PortError {
    /// The action that failed, for people, such as `opening /dev/net/tun`.
    pub what: String,
    /// The error.
    pub error: io::Error,
}

/// A device in a namespace, and the near end of it. Dropping it removes the device.
#[derive(Debug)]
pub struct Port {
    fd: OwnedFd,
    kind: PortKind,
    /// The stack's end of the port; `None` in tests.
    device: Option<Device>,
    /// The packets that the socket has lost so far: the kernel clears its count when it is read.
    socket_drops: u64,
}

/// A device in a namespace.
#[derive(Debug)]
struct Device {
    /// A socket in the device's namespace.
    netlink: Netlink,
    index: u32,
}

/// The result of reading a port once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// A packet, which is in the buffer now.
    Packet(Received),
    /// A packet that is lost: it contradicts itself, it is longer than the buffer, or a virtio-net
    /// header cannot describe the work left on it. There may be more packets.
    Malformed,
    /// A sound packet that is ignored, since it is not an IP packet to a single host. There may be
    /// more packets.
    Passed,
    /// No packet.
    Empty,
}

/// The position of a packet that was received into a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received {
    /// The index of the packet's IP header in the buffer.
    pub ip_start: usize,
    /// The index of the packet's end in the buffer.
    pub end: usize,
    /// The work that the kernel left to be done.
    pub offload: Offload,
}

impl Port {
    /// Makes a device of this name in `namespace`, and sets it up. The other end of an AF_PACKET
    /// port is in `root_namespace`, which exists as long as the port does.
    ///
    /// # Errors
    /// The action that failed. Nothing is left behind.
    pub fn open(
        namespace: &Namespace,
        root_namespace: &Namespace,
        name: &str,
        options: PortOptions,
    ) -> Result<Self, PortError> {
        let tun = || tun::make(namespace, name, options).map(|made| (PortKind::Tun, made));
        let packet = || {
            packet::make(namespace, root_namespace, name, options)
                .map(|made| (PortKind::Packet, made))
        };
        let (kind, (fd, device)) = match options.kind {
            Some(PortKind::Tun) => tun()?,
            Some(PortKind::Packet) => packet()?,
            None => tun().or_else(|first| packet().map_err(|second| second.after(&first)))?,
        };
        Ok(Self { fd, kind, device: Some(device), socket_drops: 0 })
    }

    /// A port over a socket with the format of TUN, which has a virtio-net header before each IP
    /// packet. This is for tests without devices.
    #[cfg(test)]
    pub(crate) fn over(fd: OwnedFd) -> Self {
        Self { fd, kind: PortKind::Tun, device: None, socket_drops: 0 }
    }

    /// The kind of the port.
    pub fn kind(&self) -> PortKind {
        self.kind
    }

    /// Receives the next packet from the stack.
    ///
    /// # Errors
    /// If the device is gone.
    pub fn receive(&self, buffer: &mut [u8]) -> io::Result<Reading> {
        loop {
            return match read(&self.fd, &mut *buffer) {
                Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
                // A packet that fills the buffer may have been longer.
                Ok(len) if len == buffer.len() => Ok(Reading::Malformed),
                Ok(len) => Ok(self.kind.understand(&buffer[..len])),
                Err(Errno::AGAIN) => Ok(Reading::Empty),
                // The kernel's error for a super-packet that a virtio-net header cannot describe:
                // of SCTP, or of UDP before Linux 6.2. The kernel has dropped the packet.
                Err(Errno::INVAL) => Ok(Reading::Malformed),
                Err(Errno::INTR) => continue,
                Err(error) => Err(error.into()),
            };
        }
    }

    /// Sends a packet to the stack. Returns false if the kernel refused it.
    ///
    /// # Errors
    /// If the device is gone.
    pub fn send(&self, packet: &PacketSlices<'_>) -> io::Result<bool> {
        let link_header = packet::link_header(ip_version(packet.headers));
        let link_header = &link_header[..self.kind.link_header().into()];
        let header = packet.offload.header(self.kind.link_header(), packet.headers);
        let pieces = [&header, link_header, packet.headers, packet.payload].map(IoSlice::new);
        loop {
            match writev(&self.fd, &pieces) {
                Ok(_) => return Ok(true),
                Err(Errno::INTR) => {}
                // There is no room, or the packet is invalid.
                Err(
                    Errno::AGAIN | Errno::NOBUFS | Errno::NOMEM | Errno::INVAL | Errno::MSGSIZE,
                ) => return Ok(false),
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// The number of packets so far that the stack sent and that were lost before they could be
    /// received.
    ///
    /// # Errors
    /// If the device is gone.
    pub fn device_drops(&mut self) -> io::Result<u64> {
        let Some(device) = &self.device else { return Ok(0) };
        if self.kind == PortKind::Packet {
            self.socket_drops += packet::drops(&self.fd)?;
        }
        Ok(self.socket_drops + device::drops(&device.netlink, device.index)?)
    }
}

impl PortKind {
    /// Parses the bytes that were received from a port of this kind. None of them is trusted.
    pub fn understand(self, received: &[u8]) -> Reading {
        let link_header = self.link_header();
        let parts = received.split_first_chunk::<{ offload::HEADER_LEN }>();
        let parts = parts.and_then(|(header, frame)| {
            let (ethernet, ip) = frame.split_at_checked(link_header.into())?;
            Some((header, ethernet, ip))
        });
        let Some((header, ethernet, ip)) = parts else { return Reading::Malformed };
        if self == Self::Packet {
            match packet::ip_version(ethernet) {
                None => return Reading::Passed,
                Some(version) if version != ip_version(ip) => return Reading::Malformed,
                Some(_) => {}
            }
        }
        match (is_to_one_host(ip), Offload::parse(header, link_header, ip)) {
            (Some(false), _) => Reading::Passed,
            (Some(true), Some(offload)) => {
                let (ip_start, end) = (received.len() - ip.len(), received.len());
                Reading::Packet(Received { ip_start, end, offload })
            }
            _ => Reading::Malformed,
        }
    }

    /// The length of the link header between virtio-net header and IP header; the virtio-net
    /// header's positions include it.
    fn link_header(self) -> u16 {
        match self {
            Self::Tun => 0,
            Self::Packet => packet::LINK_HEADER,
        }
    }
}

impl Drop for Port {
    fn drop(&mut self) {
        // A TUN device ends with its descriptor.
        if self.kind == PortKind::Packet
            && let Some(device) = &self.device
        {
            device.delete();
        }
    }
}

impl AsFd for Port {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

impl Device {
    /// Deletes the device. An error is ignored, since the device ends with its namespace at the
    /// latest.
    fn delete(&self) {
        let _ = device::delete(&self.netlink, self.index);
    }
}

impl PortError {
    /// This error, with that of an earlier attempt.
    fn after(self, first: &Self) -> Self {
        Self { what: format!("{first}; {}", self.what), error: self.error }
    }
}

/// Adds the action that failed to an error.
trait TryTo<T>: Sized {
    fn try_to_with(self, what: impl FnOnce() -> String) -> Result<T, PortError>;

    fn try_to(self, what: &str) -> Result<T, PortError> {
        self.try_to_with(|| what.to_owned())
    }
}

impl<T, E: Into<io::Error>> TryTo<T> for Result<T, E> {
    fn try_to_with(self, what: impl FnOnce() -> String) -> Result<T, PortError> {
        self.map_err(|error| PortError { what: what(), error: error.into() })
    }
}

fn mtu(options: PortOptions) -> u32 {
    options.mtu.0.try_into().unwrap_or(u32::MAX)
}

/// The version in the packet's first byte.
fn ip_version(ip: &[u8]) -> u8 {
    ip.first().map_or(0, |byte| byte >> 4)
}

/// True for an IPv4 or IPv6 packet that is neither multicast nor broadcast (RFC 5771, RFC 919; RFC
/// 4291 section 2.7); `None` if it is not an IP packet.
fn is_to_one_host(ip: &[u8]) -> Option<bool> {
    match ip_version(ip) {
        4 if ip.len() >= 20 => Some(ip[16] < 224),
        6 if ip.len() >= 40 => Some(ip[24] != 0xff),
        _ => None,
    }
}
