//! The addresses at which a server listens.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, UdpSocket};

use socket2::{Domain, Protocol, SockAddr, Socket, Type};

use super::ServerError;

/// The sockets of one address, TCP and UDP.
pub(super) struct BoundSockets {
    pub(super) address: SocketAddr,
    pub(super) tcp: TcpListener,
    pub(super) udp: UdpSocket,
}

/// The most connections that wait to be accepted.
const BACKLOG: i32 = 1024;

/// The receive buffer for probes, in bytes.
const PROBES: usize = 1 << 20;

/// If any port will do, the number of tries: a port free for one of the four sockets may be taken
/// for another.
const TRIES: u32 = 20;

/// Listens at these addresses; if there are none, at all addresses of both families that this
/// machine has.
pub(super) fn places(
    addresses: &[SocketAddr],
    port: u16,
) -> Result<Vec<BoundSockets>, ServerError> {
    for _ in 0..TRIES {
        match try_places(addresses, port) {
            Err(ServerError::Listen { cause, .. })
                if port == 0 && cause.kind() == io::ErrorKind::AddrInUse => {}
            places => return places,
        }
    }
    try_places(addresses, port)
}

fn try_places(addresses: &[SocketAddr], port: u16) -> Result<Vec<BoundSockets>, ServerError> {
    if !addresses.is_empty() {
        return addresses.iter().map(|address| place(*address)).collect();
    }
    let all = |ip: IpAddr, port| place((ip, port).into());
    // A machine may lack one family, not both.
    let six = match all(Ipv6Addr::UNSPECIFIED.into(), port) {
        Err(error) if error.is_missing_family() => None,
        six => Some(six?),
    };
    // If any port will do, both families have the same.
    let port = six.as_ref().map_or(port, |place| place.address.port());
    match all(Ipv4Addr::UNSPECIFIED.into(), port) {
        Err(error) if error.is_missing_family() && six.is_some() => Ok(six.into_iter().collect()),
        four => Ok([four?].into_iter().chain(six).collect()),
    }
}

fn place(address: SocketAddr) -> Result<BoundSockets, ServerError> {
    let no = |what, address| move |cause| ServerError::Listen { what, address, cause };
    let tcp = tcp(address).map_err(no("TCP", address))?;
    let address = tcp.local_addr().map_err(no("TCP", address))?;
    let udp = udp(address).map_err(no("UDP", address))?;
    Ok(BoundSockets { address, tcp, udp })
}

fn tcp(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = socket(address, Type::STREAM, Protocol::TCP)?;
    // Connections of an earlier server in TIME-WAIT must not prevent the bind.
    socket.set_reuse_address(true)?;
    socket.bind(&SockAddr::from(address))?;
    socket.listen(BACKLOG)?;
    socket.set_nonblocking(true)?;
    Ok(socket.into())
}

fn udp(address: SocketAddr) -> io::Result<UdpSocket> {
    let socket = socket(address, Type::DGRAM, Protocol::UDP)?;
    socket.set_recv_buffer_size(PROBES)?;
    socket.bind(&SockAddr::from(address))?;
    let socket = UdpSocket::from(socket);
    kernel::stamp_receptions(&socket)?;
    kernel::report_local_address(&socket)?;
    kernel::report_class(&socket)?;
    Ok(socket)
}

/// A socket of one family only, so that no IPv4 address appears as a mapped IPv6 address.
fn socket(address: SocketAddr, kind: Type, protocol: Protocol) -> io::Result<Socket> {
    let socket = Socket::new(Domain::for_address(address), kind, Some(protocol))?;
    if address.is_ipv6() {
        socket.set_only_v6(true)?;
    }
    Ok(socket)
}
