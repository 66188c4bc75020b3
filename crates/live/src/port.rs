//! Ports: where packets come out of a kernel's stack, and go into it.

use std::io::{self, IoSlice};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::{Errno, read, writev};
use units::Bytes;

use crate::network::{Netlink, device};
use crate::{Cut, Namespace, Offload, offload};

mod packet;
#[cfg(test)]
mod tests;
mod tun;

/// What a port is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PortKind {
    /// A TUN device with `IFF_VNET_HDR`.
    Tun,
    /// A veth pair whose far end an AF_PACKET socket with `PACKET_VNET_HDR` listens to.
    Packet,
}

/// How a port is to be made.
#[derive(Clone, Copy, Debug)]
pub struct PortOptions {
    /// Of what; `None` for TUN where it can be opened, and AF_PACKET else.
    pub kind: Option<PortKind>,
    /// The longest IP packet.
    pub mtu: Bytes,
    /// May the stack hand over super-packets?
    pub super_packets: bool,
}

/// Why there is no port.
#[derive(Debug, thiserror::Error)]
#[error("{what}: {error}")]
pub struct PortError {
    /// What was tried, for people, such as `opening /dev/net/tun`.
    pub what: String,
    /// What came of it.
    pub error: io::Error,
}

/// A device in a namespace, and our end of it. It goes when this is dropped.
#[derive(Debug)]
pub struct Port {
    fd: OwnedFd,
    kind: PortKind,
    /// The stack's end; tests have none.
    device: Option<Device>,
    /// What the socket has lost so far: the kernel forgets it when it is asked.
    socket_drops: u64,
}

/// A device in a namespace.
#[derive(Debug)]
struct Device {
    /// Of the device's namespace.
    netlink: Netlink,
    index: u32,
}

/// What came of reading a port once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// A packet, which lies in the buffer now.
    Packet(Received),
    /// A packet that is lost: it contradicts itself, it is longer than the buffer, or the kernel
    /// has no words for what it left to be done to it. There may be more.
    Malformed,
    /// Something sound that is not for us: no IP packet to a single host. There may be more.
    Passed,
    /// Nothing is there.
    Empty,
}

/// A packet that was received into a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received {
    /// Where in the buffer its IP header begins, ...
    pub ip_start: usize,
    /// ... and where it ends.
    pub end: usize,
    /// What the kernel left to be done.
    pub offload: Offload,
}

impl Port {
    /// Makes a device of this name in `namespace`, and sets it up. AF_PACKET's other end comes to
    /// lie in `workshop`.
    ///
    /// # Errors
    /// What could not be done. Nothing is left behind.
    pub fn open(
        namespace: &Namespace,
        workshop: &Namespace,
        name: &str,
        options: PortOptions,
    ) -> Result<Self, PortError> {
        let tun = || tun::make(namespace, name, options).map(|made| (PortKind::Tun, made));
        let packet = || {
            packet::make(namespace, workshop, name, options).map(|made| (PortKind::Packet, made))
        };
        let (kind, (fd, device)) = match options.kind {
            Some(PortKind::Tun) => tun()?,
            Some(PortKind::Packet) => packet()?,
            None => tun().or_else(|first| packet().map_err(|second| second.after(&first)))?,
        };
        Ok(Self { fd, kind, device: Some(device), socket_drops: 0 })
    }

    /// A port over a socket that speaks as TUN does, a virtio-net header before each IP packet:
    /// for tests without devices.
    #[cfg(test)]
    pub(crate) fn over(fd: OwnedFd) -> Self {
        Self { fd, kind: PortKind::Tun, device: None, socket_drops: 0 }
    }

    /// What it is made of.
    pub fn kind(&self) -> PortKind {
        self.kind
    }

    /// Takes what the stack has sent next.
    ///
    /// # Errors
    /// If the device is gone.
    pub fn receive(&self, buffer: &mut [u8]) -> io::Result<Reading> {
        loop {
            return match read(&self.fd, &mut *buffer) {
                Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
                // What fills the buffer may have been longer.
                Ok(len) if len == buffer.len() => Ok(Reading::Malformed),
                Ok(len) => Ok(self.kind.understand(&buffer[..len])),
                Err(Errno::AGAIN) => Ok(Reading::Empty),
                // So the kernel calls what a virtio-net header cannot say of a super-packet: how
                // to cut SCTP, or UDP before Linux 6.2. It has forgotten the packet.
                Err(Errno::INVAL) => Ok(Reading::Malformed),
                Err(Errno::INTR) => continue,
                Err(error) => Err(error.into()),
            };
        }
    }

    /// Hands a packet to the stack. `false` if the kernel refused it.
    ///
    /// # Errors
    /// If the device is gone.
    pub fn send(&self, packet: &Cut<'_>) -> io::Result<bool> {
        let link_header = packet::link_header(ip_version(packet.headers));
        let link_header = &link_header[..self.kind.link_header().into()];
        let header = packet.offload.header(self.kind.link_header(), packet.headers);
        let pieces = [&header, link_header, packet.headers, packet.payload].map(IoSlice::new);
        loop {
            match writev(&self.fd, &pieces) {
                Ok(_) => return Ok(true),
                Err(Errno::INTR) => {}
                // It has no room, or does not like the packet.
                Err(
                    Errno::AGAIN | Errno::NOBUFS | Errno::NOMEM | Errno::INVAL | Errno::MSGSIZE,
                ) => return Ok(false),
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Packets that the stack sent and that were lost before we could receive them, so far.
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
    /// What was received from a port of this kind, and what lies where in it. Nothing is believed.
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

    /// Bytes between the virtio-net header and the IP header, which positions in the former count.
    fn link_header(self) -> u16 {
        match self {
            Self::Tun => 0,
            Self::Packet => packet::LINK_HEADER,
        }
    }
}

impl Drop for Port {
    fn drop(&mut self) {
        // A TUN device goes with its descriptor.
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
    /// It goes with its namespace at the latest, so nobody needs to hear if this fails.
    fn delete(&self) {
        let _ = device::delete(&self.netlink, self.index);
    }
}

impl PortError {
    /// This, after something else has been tried before.
    fn after(self, first: &Self) -> Self {
        Self { what: format!("{first}; {}", self.what), error: self.error }
    }
}

/// Names what was tried.
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

/// What a packet says of its own version.
fn ip_version(ip: &[u8]) -> u8 {
    ip.first().map_or(0, |byte| byte >> 4)
}

/// Is it an IPv4 or IPv6 packet that is neither multicast nor broadcast (RFC 5771, RFC 919; RFC 4291
/// section 2.7)? Nothing if it is no such packet at all.
fn is_to_one_host(ip: &[u8]) -> Option<bool> {
    match ip_version(ip) {
        4 if ip.len() >= 20 => Some(ip[16] < 224),
        6 if ip.len() >= 40 => Some(ip[24] != 0xff),
        _ => None,
    }
}
