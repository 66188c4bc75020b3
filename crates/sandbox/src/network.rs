//! Addresses and routes of namespaces, over netlink. All functions act on the namespace of the
//! calling thread: use [`Namespace::run`](crate::Namespace::run).

pub mod device;

use std::fs;
use std::io;
use std::net::IpAddr;

use kernel::Netlink;
use netlink_packet_core::{NLM_F_CREATE, NLM_F_EXCL};
use netlink_packet_route::address::{AddressAttribute, AddressHeaderFlags, AddressMessage};
use netlink_packet_route::route::{
    RouteAttribute, RouteHeader, RouteMessage, RouteMetric, RouteProtocol, RouteScope, RouteType,
};
use netlink_packet_route::{AddressFamily, RouteNetlinkMessage};

/// A range of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prefix {
    /// The first address of the range.
    pub address: IpAddr,
    /// The number of leading bits that all its addresses share.
    pub len: u8,
}

/// The route of packets to a range of addresses, and TCP's settings on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// The destinations.
    pub to: Prefix,
    /// The name of the device.
    pub device: String,
    /// The source address of packets, unless a socket has another one; `None` for the kernel's
    /// choice.
    pub source: Option<IpAddr>,
    /// `initcwnd`: the initial cwnd, in segments; `None` for the kernel's default.
    pub initial_window: Option<u32>,
    /// `rto_min`, in milliseconds; `None` for the kernel's default.
    pub min_rto_ms: Option<u32>,
    /// `quickack`: acknowledge each segment at once.
    pub quick_ack: bool,
    /// `congctl`: the congestion control of sockets that connect over the route, even of a socket
    /// that has chosen one before. A socket may choose another one afterwards. `None` for the
    /// kernel's default.
    pub congestion: Option<String>,
}

/// Sets a device of this namespace up.
///
/// # Errors
/// The kernel's error.
pub fn set_up(device: &str) -> io::Result<()> {
    let netlink = Netlink::open()?;
    device::set_up(&netlink, device::index(&netlink, device)?)
}

/// Gives a device of this namespace an address that is usable at once.
///
/// # Errors
/// The kernel's error.
pub fn add_address(device: &str, address: Prefix) -> io::Result<()> {
    let netlink = Netlink::open()?;
    let mut message = AddressMessage::default();
    message.header.family = family(address.address);
    message.header.prefix_len = address.len;
    message.header.index = device::index(&netlink, device)?;
    // No duplicate address detection (RFC 4862 section 5.4), during which the address could not be
    // used: there is no other node that could have the same address.
    message.header.flags = AddressHeaderFlags::Nodad;
    message.attributes =
        vec![AddressAttribute::Local(address.address), AddressAttribute::Address(address.address)];
    netlink.request(RouteNetlinkMessage::NewAddress(message), NLM_F_CREATE | NLM_F_EXCL).map(drop)
}

/// Adds a route.
///
/// # Errors
/// The kernel's error.
pub fn add_route(route: &Route) -> io::Result<()> {
    let netlink = Netlink::open()?;
    let device = device::index(&netlink, &route.device)?;
    let mut message = towards(route.to, device);
    message.header.table = RouteHeader::RT_TABLE_MAIN;
    message.header.scope = RouteScope::Link;
    message.header.kind = RouteType::Unicast;
    message.attributes.extend(route.source.map(|from| RouteAttribute::PrefSource(from.into())));
    let metrics = metrics(route);
    if !metrics.is_empty() {
        message.attributes.push(RouteAttribute::Metrics(metrics));
    }
    netlink.request(RouteNetlinkMessage::NewRoute(message), NLM_F_CREATE | NLM_F_EXCL).map(drop)
}

/// Makes every address of this range local (an "AnyIP" route of type `local`), except those of more
/// specific routes. Sockets may be bound to it.
///
/// # Errors
/// The kernel's error.
pub fn add_local(range: Prefix) -> io::Result<()> {
    /// `RT_TABLE_LOCAL`.
    const LOCAL: u8 = 255;
    let netlink = Netlink::open()?;
    let mut message = towards(range, device::index(&netlink, "lo")?);
    message.header.table = match range.address {
        // This table is searched together with the main one, whose narrower routes come first.
        // Sockets can be bound to addresses in it.
        IpAddr::V4(_) => LOCAL,
        // This table is searched before the main one, and would hide all other routes.
        IpAddr::V6(_) => {
            fs::write("/proc/sys/net/ipv6/ip_nonlocal_bind", "1")?;
            RouteHeader::RT_TABLE_MAIN
        }
    };
    message.header.scope = RouteScope::Host;
    message.header.kind = RouteType::Local;
    netlink.request(RouteNetlinkMessage::NewRoute(message), NLM_F_CREATE | NLM_F_EXCL).map(drop)
}

fn towards(range: Prefix, device: u32) -> RouteMessage {
    let mut message = RouteMessage::default();
    message.header.address_family = family(range.address);
    message.header.destination_prefix_length = range.len;
    message.header.protocol = RouteProtocol::Static;
    message.attributes =
        vec![RouteAttribute::Destination(range.address.into()), RouteAttribute::Oif(device)];
    message
}

fn metrics(route: &Route) -> Vec<RouteMetric> {
    let mut metrics = Vec::new();
    metrics.extend(route.initial_window.map(RouteMetric::InitCwnd));
    metrics.extend(route.min_rto_ms.map(RouteMetric::RtoMin));
    metrics.extend(route.quick_ack.then_some(RouteMetric::QuickAck(1)));
    metrics.extend(route.congestion.clone().map(RouteMetric::CcAlgo));
    metrics
}

fn family(address: IpAddr) -> AddressFamily {
    match address {
        IpAddr::V4(_) => AddressFamily::Inet,
        IpAddr::V6(_) => AddressFamily::Inet6,
    }
}
