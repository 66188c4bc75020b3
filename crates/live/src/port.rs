//! Ports, through which packets leave and enter a kernel's stack, or a device of it.

use std::io::{self, IoSlice};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use kernel::Netlink;
use rustix::io::{Errno, read, writev};
use sandbox::Namespace;
use sandbox::network;
use units::Bytes;

use crate::{Offload, PacketSlices, offload};

mod device;
mod packet;
#[cfg(test)]
mod tests;
mod tun;

pub use device::LinkLayer;
use device::Target;

/// The kinds of ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PortKind {
    /// A TUN device with `IFF_VNET_HDR`.
    Tun,
    /// A veth pair with an AF_PACKET socket with `PACKET_VNET_HDR` at its far end.
    Packet,
}

/// The format of what a port receives and sends, after the virtio-net header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// An IP packet.
    Ip,
    /// An Ethernet header that is always the same, and an IP packet.
    MadeEthernet,
    /// An Ethernet header with its tags, which stays with its packet, and an IP packet.
    Ethernet,
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

/// A device in a namespace, and the near end of it. Dropping it removes a device that it has made.
#[derive(Debug)]
pub struct Port {
    fd: OwnedFd,
    format: Format,
    /// The stack's end of the port; `None` in tests, and if the device is not ours.
    device: Option<Device>,
    /// The device that is not ours; `None` if it is.
    target: Option<Target>,
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
    /// A packet that is lost, since it is longer than the buffer, or since a virtio-net header
    /// cannot describe the work left on it. There may be more packets.
    Lost,
    /// A packet that contradicts itself. There may be more packets.
    Malformed {
        /// The bytes of the packet in the buffer, with the virtio-net header before it.
        len: usize,
    },
    /// A sound packet that is not an IP packet to a single host. There may be more packets.
    Other {
        /// The bytes of the packet in the buffer, with the virtio-net header before it.
        len: usize,
    },
    /// No packet.
    Empty,
}

/// The position of a packet that was received into a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received {
    /// The index of the link header that stays with the packet; `ip_start` if none does.
    pub link_start: usize,
    /// The index of the packet's IP header in the buffer.
    pub ip_start: usize,
    /// The index of the packet's end in the buffer.
    pub end: usize,
    /// The work that the kernel left to be done.
    pub offload: Offload,
}

impl Received {
    /// The position of a packet whose link header does not stay with it.
    pub const fn of_ip(ip_start: usize, end: usize, offload: Offload) -> Self {
        Self { link_start: ip_start, ip_start, end, offload }
    }
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
        let format = match kind {
            PortKind::Tun => Format::Ip,
            PortKind::Packet => Format::MadeEthernet,
        };
        Ok(Self { fd, format, device: Some(device), target: None, socket_drops: 0 })
    }

    /// Makes a device in the calling thread's namespace, to which frames of another device can be
    /// redirected: a TAP device for frames with an Ethernet header, or a TUN device for IP packets.
    /// The kernel numbers devices of the same `prefix`.
    ///
    /// # Errors
    /// The action that failed. Nothing is left behind.
    pub fn redirected(prefix: &str, link_layer: LinkLayer) -> Result<Self, PortError> {
        let (fd, device) = tun::make_redirected(prefix, link_layer)?;
        let format = link_layer.format();
        Ok(Self { fd, format, device: Some(device), target: None, socket_drops: 0 })
    }

    /// A port that sends into the device of this index, through the device's own queue. Packets
    /// carry the firewall mark `mark` there. Nothing can be received.
    ///
    /// # Errors
    /// The action that failed.
    pub fn to_device(index: u32, link_layer: LinkLayer, mark: u32) -> Result<Self, PortError> {
        let fd = device::open(mark)?;
        let target = Some(Target { index, link_layer });
        let format = link_layer.format();
        Ok(Self { fd, format, device: None, target, socket_drops: 0 })
    }

    /// The index of the device that this port has made, or sends into; 0 in tests.
    pub fn index(&self) -> u32 {
        let ours = self.device.as_ref().map(|device| device.index);
        ours.or(self.target.map(|target| target.index)).unwrap_or_default()
    }

    /// Sends into the device of this index from now on; for a port to a device that is not ours.
    pub fn retarget(&mut self, index: u32) {
        if let Some(target) = &mut self.target {
            target.index = index;
        }
    }

    /// A port over a socket with the format of TUN, which has a virtio-net header before each IP
    /// packet. This is for tests without devices.
    #[cfg(test)]
    pub(crate) fn over(fd: OwnedFd) -> Self {
        Self { fd, format: Format::Ip, device: None, target: None, socket_drops: 0 }
    }

    /// The kind of a port that [`open`](Self::open) has made.
    pub fn kind(&self) -> PortKind {
        if self.format == Format::Ip { PortKind::Tun } else { PortKind::Packet }
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
                Ok(len) if len == buffer.len() => Ok(Reading::Lost),
                Ok(len) => Ok(self.format.understand(&buffer[..len])),
                Err(Errno::AGAIN) => Ok(Reading::Empty),
                // The kernel's error for a super-packet that a virtio-net header cannot describe:
                // of SCTP, or of UDP before Linux 6.2. The kernel has dropped the packet.
                Err(Errno::INVAL) => Ok(Reading::Lost),
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
        let made = packet::link_header(ip_version(packet.headers));
        let link_header = match self.format {
            Format::Ip => &[],
            Format::MadeEthernet => &made[..],
            Format::Ethernet => packet.link_header,
        };
        let header = packet.offload.header(link_header.len() as u16, packet.headers);
        let slices = [&header, link_header, packet.headers, packet.payload].map(IoSlice::new);
        self.write(ip_version(packet.headers), &slices)
    }

    /// Sends bytes as they were [received](Reading::Other) from a port with the same link layer, with
    /// the virtio-net header before them. Returns false if the kernel refused them.
    ///
    /// # Errors
    /// If the device is gone.
    pub fn pass(&self, received: &[u8]) -> io::Result<bool> {
        let version = received.get(offload::HEADER_LEN..).map_or(0, ip_version);
        self.write(version, &[IoSlice::new(received)])
    }

    /// Writes a packet of this IP version. Returns false if the kernel refused it.
    fn write(&self, version: u8, slices: &[IoSlice<'_>]) -> io::Result<bool> {
        loop {
            let written = match self.target {
                Some(target) => device::send(&self.fd, target, version, slices),
                None => writev(&self.fd, slices).map(drop),
            };
            match written {
                Ok(()) => return Ok(true),
                Err(Errno::INTR) => {}
                // There is no room, or the packet is invalid.
                Err(
                    Errno::AGAIN | Errno::NOBUFS | Errno::NOMEM | Errno::INVAL | Errno::MSGSIZE,
                ) => return Ok(false),
                // A device that is not ours may be down, or away for a while, or have reasons of its
                // own: WireGuard refuses what no peer of its is to get.
                Err(_) if self.target.is_some() => return Ok(false),
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
        if self.format == Format::MadeEthernet {
            self.socket_drops += packet::drops(&self.fd)?;
        }
        Ok(self.socket_drops + network::device::drops(&device.netlink, device.index)?)
    }
}

impl Format {
    /// Parses the bytes that were received from a port with this format. None of them is trusted.
    pub fn understand(self, received: &[u8]) -> Reading {
        let end = received.len();
        let malformed = Reading::Malformed { len: end };
        let Some((header, frame)) = received.split_first_chunk::<{ offload::HEADER_LEN }>() else {
            return malformed;
        };
        let link_header = match self.link_header(frame) {
            Ok(len) => len,
            Err(NoIp::Other) => return Reading::Other { len: end },
            Err(NoIp::Malformed) => return malformed,
        };
        let ip = &frame[link_header.into()..];
        match (is_to_one_host(ip), Offload::parse(header, link_header, ip)) {
            (Some(false), _) => Reading::Other { len: end },
            // The length in the header of PPPoE is that of the whole: it cannot be cut.
            (_, Some(Offload { segmentation: Some(_), .. }))
                if device::is_pppoe(&frame[..link_header.into()]) =>
            {
                Reading::Other { len: end }
            }
            (Some(true), Some(offload)) => {
                let ip_start = end - ip.len();
                let link_start =
                    if self == Self::Ethernet { offload::HEADER_LEN } else { ip_start };
                Reading::Packet(Received { link_start, ip_start, end, offload })
            }
            _ => malformed,
        }
    }

    /// The length of the link header between virtio-net header and IP header; the virtio-net
    /// header's positions include it.
    fn link_header(self, frame: &[u8]) -> Result<u16, NoIp> {
        match self {
            Self::Ip => Ok(0),
            Self::MadeEthernet => packet::check_link_header(frame).map(|()| packet::LINK_HEADER),
            Self::Ethernet => device::link_header_len(frame),
        }
    }
}

/// The reason why a frame is no IP packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NoIp {
    /// It is of another protocol, or its headers are for several hosts.
    Other,
    /// It contradicts itself.
    Malformed,
}

impl Drop for Port {
    fn drop(&mut self) {
        // A TUN device ends with its descriptor.
        if self.format == Format::MadeEthernet
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
        let _ = network::device::delete(&self.netlink, self.index);
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
