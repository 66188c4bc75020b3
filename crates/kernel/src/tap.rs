//! Copies of the packets that pass a device, as far as their headers. It needs CAP_NET_RAW.
//!
//! What leaves is seen behind the queue of the device, and what comes is seen before anything holds it.
//!
//! Specification: packet(7); Linux `Documentation/networking/filter.rst` (classic BPF).

use std::io::{self, IoSliceMut};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

use nix::cmsg_space;
use nix::sys::socket::{ControlMessageOwned, LinkAddr, MsgFlags, recvmsg};
use nix::sys::time::TimeSpec;
use socket2::{Domain, SockFilter, Socket, Type};
use units::Span;

use crate::{bind_to_device, option, stamp, stamp_receptions};

/// The bytes of a packet that are copied: the longest headers of IP and TCP.
pub const TAPPED_BYTES: usize = 120;
/// The bytes of packets that may wait to be taken: many milliseconds at any rate.
const WAITING: usize = 4 << 20;

/// The code of classic BPF that ends a filter with the bytes to be copied.
const RETURN: u16 = 0x06;

/// A tap on a device.
#[derive(Debug)]
pub struct Tap {
    socket: Socket,
}

/// A packet that has passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tapped {
    /// The bytes that were copied, from the header of the network layer on.
    pub len: usize,
    /// The protocol of that layer, as an EtherType.
    pub protocol: u16,
    /// True if the packet has left by the device, false if it has come.
    pub is_outgoing: bool,
    /// The time since then.
    pub age: Span,
}

impl Tap {
    /// Opens a tap on the device of this index, which copies the headers of TCP packets.
    ///
    /// # Errors
    /// If there is no such device, or if this process may not open a tap.
    pub fn open(device: u32) -> io::Result<Self> {
        Self::filtered(device, &tcp_only())
    }

    /// Opens a tap on the device of this index, which copies so many bytes of each packet.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_all(device: u32, bytes: u32) -> io::Result<Self> {
        Self::filtered(device, &[SockFilter::new(RETURN, 0, 0, bytes)])
    }

    fn filtered(device: u32, filter: &[SockFilter]) -> io::Result<Self> {
        // Without a protocol the socket receives nothing until it is bound.
        let socket = Socket::new(Domain::PACKET, Type::DGRAM, None)?;
        socket.set_nonblocking(true)?;
        stamp_receptions(&socket)?;
        // Without the right to more, there is less room.
        let _ = socket.set_recv_buffer_size(WAITING);
        socket.attach_filter(filter)?;
        bind_to_device(&socket, device)?;
        Ok(Self { socket })
    }

    /// Takes the next packet, without waiting, and writes its headers to `bytes`.
    ///
    /// # Errors
    /// `WouldBlock` if there is none; otherwise the kernel's error.
    pub fn take(&self, bytes: &mut [u8]) -> io::Result<Tapped> {
        /// `PACKET_OUTGOING`.
        const OUTGOING: u8 = 4;
        let mut control = cmsg_space!(TimeSpec);
        let mut parts = [IoSliceMut::new(bytes)];
        let (fd, flags) = (self.socket.as_raw_fd(), MsgFlags::MSG_DONTWAIT);
        let message = recvmsg::<LinkAddr>(fd, &mut parts, Some(&mut control), flags)?;
        let age = message.cmsgs()?.find_map(|part| match part {
            ControlMessageOwned::ScmTimestampns(time) => Some(stamp::age(*time.as_ref())),
            _ => None,
        });
        Ok(Tapped {
            len: message.bytes,
            protocol: message.address.map_or(0, |it| u16::from_be(it.protocol())),
            is_outgoing: message.address.is_some_and(|it| it.pkttype() == OUTGOING),
            age: age.unwrap_or(Span::ZERO),
        })
    }
}

impl Tap {
    /// The packets that have passed since the last call and found no room in the kernel: they are missing.
    ///
    /// # Errors
    /// That of the kernel.
    pub fn take_missed(&self) -> io::Result<u32> {
        // `struct tpacket_stats`: all packets, and those that were dropped. Reading it sets both to zero.
        let mut statistics = [0; 8];
        option(&self.socket, libc::SOL_PACKET, libc::PACKET_STATISTICS, &mut statistics)?;
        let [_, _, _, _, missed @ ..] = statistics;
        Ok(u32::from_ne_bytes(missed))
    }
}

impl AsFd for Tap {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// A filter that copies the headers of TCP packets without extension headers, and nothing else.
fn tcp_only() -> [SockFilter; 11] {
    /// Codes of classic BPF: load a byte of the packet, and with a mask, jump if equal.
    const LOAD: u16 = 0x30;
    const MASK: u16 = 0x54;
    const IF_EQUAL: u16 = 0x15;
    const TCP: u32 = 6;
    [
        SockFilter::new(LOAD, 0, 0, 0),
        SockFilter::new(MASK, 0, 0, 0xf0),
        SockFilter::new(IF_EQUAL, 0, 3, 0x40),
        SockFilter::new(LOAD, 0, 0, 9),
        SockFilter::new(IF_EQUAL, 5, 0, TCP),
        SockFilter::new(RETURN, 0, 0, 0),
        SockFilter::new(IF_EQUAL, 0, 2, 0x60),
        SockFilter::new(LOAD, 0, 0, 6),
        SockFilter::new(IF_EQUAL, 1, 0, TCP),
        SockFilter::new(RETURN, 0, 0, 0),
        SockFilter::new(RETURN, 0, 0, TAPPED_BYTES as u32),
    ]
}
