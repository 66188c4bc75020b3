//! Numbers of protocols in IP headers; IPv6's extension headers have some of them.
//!
//! Specification: IANA, "Assigned Internet Protocol Numbers".

/// ICMP: messages about IPv4 itself, and pings (RFC 792).
pub const ICMP: u8 = 1;
/// TCP (RFC 9293).
pub const TCP: u8 = 6;
/// UDP (RFC 768).
pub const UDP: u8 = 17;
/// ICMPv6: messages about IPv6 itself, and pings (RFC 4443).
pub const ICMPV6: u8 = 58;

pub(crate) const HOP_BY_HOP: u8 = 0;
pub(crate) const DCCP: u8 = 33;
pub(crate) const ROUTING: u8 = 43;
pub(crate) const FRAGMENT: u8 = 44;
pub(crate) const AUTHENTICATION: u8 = 51;
pub(crate) const NOTHING: u8 = 59;
pub(crate) const DESTINATION: u8 = 60;
pub(crate) const SCTP: u8 = 132;
pub(crate) const MOBILITY: u8 = 135;
pub(crate) const UDP_LITE: u8 = 136;
pub(crate) const HOST_IDENTITY: u8 = 139;
pub(crate) const SHIM6: u8 = 140;
