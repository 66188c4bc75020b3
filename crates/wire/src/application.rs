//! What applications say at the beginning of their packets, as far as it tells how long an answer took.

mod dns;
mod quic;
mod rtp;
mod tls;

pub use dns::DnsMessage;
pub use quic::{QuicPacket, QuicType};
pub use rtp::RtpPacket;
pub use tls::Hello;

use crate::{PacketView, protocol};

/// The data of a UDP packet as far as it was captured; `ip` are the captured bytes from the IP header on. `None` for
/// another protocol, or for a fragment.
pub fn udp_data<'a>(view: &PacketView, ip: &'a [u8]) -> Option<&'a [u8]> {
    const HEADER: usize = 8;
    if view.protocol != protocol::UDP || view.ports.is_none() || view.is_fragment {
        return None;
    }
    let end = ip.len().min(usize::try_from(view.ip_len).unwrap_or(usize::MAX));
    ip.get(view.transport_start as usize + HEADER..end)
}
