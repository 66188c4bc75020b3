//! Opens sockets with a flow's options, in the namespace of the calling thread.

use std::io;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use qdisc::Dscp;
use rustix::io::Errno;
use rustix::net::ipproto::ICMP;
use rustix::net::sockopt;
use rustix::net::{
    AddressFamily, Protocol, SocketFlags, SocketType, acceptfrom_with, bind, connect, listen,
    socket_with,
};
use scenario::{AckPolicy, ReceiveWindow, Tcp};
use units::Bytes;

use super::refusal::{Asked, Refusal, connections};
use crate::fit;
use crate::plan::FlowPlan;

/// Linux's own segment size on an MTU of 1500.
const USUAL_SEGMENT: Bytes = Bytes(1460);
/// The most bytes that an application that is to stop may have written and TCP not yet sent. They
/// are still sent after the stop, so that this is small, but large enough that TCP always has
/// something to send.
const UNSENT: u32 = 32 << 10;
/// The most connections that wait to be accepted: those of one browser.
const WAITING: i32 = 1_024;

/// One end of a TCP connection. Dropping it resets the connection, so that the kernel keeps no
/// state of it; see [`close`](Self::close).
pub(super) struct Stream {
    fd: OwnedFd,
    is_over: bool,
}

impl Stream {
    fn new(fd: OwnedFd) -> Self {
        Self { fd, is_over: false }
    }

    /// Lets the kernel bring the connection to its normal end.
    pub(super) fn close(mut self) {
        self.is_over = true;
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if !self.is_over {
            // If it fails, the connection lingers, which does no harm.
            let _ = sockopt::set_socket_linger(&self.fd, Some(Duration::ZERO));
        }
    }
}

impl AsFd for Stream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

/// A socket that accepts the flow's connections.
pub(super) fn listener(flow: &FlowPlan, at: Ipv4Addr) -> Result<OwnedFd, Refusal> {
    let socket = tcp_socket(flow, flow.spec.dscp_back())?;
    sockopt::set_socket_reuseaddr(&socket, true).asked_by("to")?;
    bind(&socket, &SocketAddrV4::new(at, flow.port)).asked_by("to")?;
    listen(&socket, WAITING).asked_by("to")?;
    Ok(socket)
}

/// A socket that can be connected: at the source, or of web traffic at the sink, whose code point is
/// the source's.
pub(super) fn connector(flow: &FlowPlan) -> Result<Stream, Refusal> {
    tcp_socket(flow, flow.spec.dscp).map(Stream::new)
}

/// A connection from a listener, and the port of its peer; `None` if no connection has come, or if
/// it has gone away again. Some options are not inherited from the listener.
///
/// # Errors
/// If there is no descriptor or no memory for the connection, which would wait for ever.
pub(super) fn accept(listener: &OwnedFd, tcp: &Tcp) -> Result<Option<(Stream, u16)>, Refusal> {
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    match acceptfrom_with(listener, flags) {
        Ok((fd, from)) => {
            let stream = Stream::new(fd);
            // If it fails, the next read reports it.
            let _ = hold_back(&stream, tcp);
            let from = from.and_then(|from| SocketAddrV4::try_from(from).ok());
            Ok(from.map(|from| (stream, from.port())))
        }
        Err(error @ (Errno::MFILE | Errno::NFILE | Errno::NOBUFS | Errno::NOMEM)) => {
            Err(error).asked_by("traffic")
        }
        Err(_) => Ok(None),
    }
}

/// Begins to connect. Returns false if the connection is refused at once.
///
/// # Errors
/// If there is no port left to connect from.
pub(super) fn dial(stream: &Stream, flow: &FlowPlan, to: SocketAddrV4) -> Result<bool, Refusal> {
    match connect(stream, &to) {
        Ok(()) | Err(Errno::INPROGRESS) => Ok(true),
        Err(error @ Errno::ADDRNOTAVAIL) => Err(error).asked_by(connections(flow)),
        Err(_) => Ok(false),
    }
}

/// Keeps the receiver from acknowledging the first segments at once.
pub(super) fn hold_back(stream: &Stream, tcp: &Tcp) -> io::Result<()> {
    if tcp.acks == (AckPolicy::Delayed { quick_start: false }) {
        sockopt::set_tcp_quickack(stream, false)?;
    }
    Ok(())
}

/// Keeps the receive window at its configured size; to be called after each read.
pub(super) fn keep_window(stream: &Stream, tcp: &Tcp) -> io::Result<()> {
    match tcp.receive_window {
        ReceiveWindow::Fixed(bytes) => kernel::set_window_clamp(stream, count(bytes)),
        // A newer kernel may raise the window when more data fits into the buffer.
        ReceiveWindow::Auto { max } if kernel::window_clamp(stream)? > count(max) => {
            kernel::set_window_clamp(stream, count(max))
        }
        ReceiveWindow::Auto { .. } => Ok(()),
    }
}

/// A socket that receives datagrams of the flow, with time stamps.
pub(super) fn datagram_sink(flow: &FlowPlan, at: Ipv4Addr) -> Result<OwnedFd, Refusal> {
    let socket = inet(SocketType::DGRAM, None).asked_by("to")?;
    bind(&socket, &SocketAddrV4::new(at, flow.port)).asked_by("to")?;
    kernel::stamp_receptions(&socket).asked_by("traffic")?;
    // As much as the machine allows, so that no datagram is lost in the socket.
    sockopt::set_socket_recv_buffer_size(&socket, 1 << 20).asked_by("traffic")?;
    Ok(socket)
}

/// A socket that sends datagrams to the flow's sink.
pub(super) fn datagram_source(flow: &FlowPlan, to: Ipv4Addr) -> Result<OwnedFd, Refusal> {
    let socket = inet(SocketType::DGRAM, None).asked_by("from")?;
    kernel::set_dscp(&socket, flow.spec.dscp.bits()).asked_by("dscp")?;
    connect(&socket, &SocketAddrV4::new(to, flow.port)).asked_by("to")?;
    Ok(socket)
}

/// A socket that sends echo requests with the flow's port as identifier, and receives the replies,
/// with time stamps.
pub(super) fn pinger(flow: &FlowPlan, to: Ipv4Addr) -> Result<OwnedFd, Refusal> {
    let socket = inet(SocketType::DGRAM, Some(ICMP)).asked_by("traffic")?;
    kernel::set_dscp(&socket, flow.spec.dscp.bits()).asked_by("dscp")?;
    bind(&socket, &SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, flow.port)).asked_by("traffic")?;
    connect(&socket, &SocketAddrV4::new(to, 0)).asked_by("to")?;
    kernel::stamp_receptions(&socket).asked_by("traffic")?;
    Ok(socket)
}

fn tcp_socket(flow: &FlowPlan, dscp: Dscp) -> Result<OwnedFd, Refusal> {
    let tcp = &flow.spec.tcp;
    let fd = inet(SocketType::STREAM, None).asked_by("traffic")?;
    kernel::set_dscp(&fd, dscp.bits()).asked_by("dscp")?;
    sockopt::set_tcp_congestion(&fd, fit::kernel_name(tcp.congestion)).asked_by("congestion")?;
    // As in the simulator's applications, written data is sent at once.
    sockopt::set_tcp_nodelay(&fd, true).asked_by("traffic")?;
    let segment = fit::max_segment(tcp);
    if segment != USUAL_SEGMENT {
        kernel::set_max_segment(&fd, count(segment)).asked_by("mss")?;
    }
    if let ReceiveWindow::Fixed(bytes) = tcp.receive_window {
        kernel::set_window_clamp(&fd, count(bytes)).asked_by("receive_window")?;
    }
    if tcp.pacing {
        kernel::pace(&fd).asked_by("pacing")?;
    }
    if flow.spec.stop.is_some() {
        kernel::set_unsent_low_water(&fd, UNSENT).asked_by("stop")?;
    }
    Ok(fd)
}

fn inet(kind: SocketType, protocol: Option<Protocol>) -> rustix::io::Result<OwnedFd> {
    socket_with(AddressFamily::INET, kind, SocketFlags::NONBLOCK | SocketFlags::CLOEXEC, protocol)
}

fn count(bytes: Bytes) -> u32 {
    u32::try_from(bytes.0).unwrap_or(u32::MAX)
}
