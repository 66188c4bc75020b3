//! What the kernel says of a TCP connection (`TCP_INFO`).

use std::io;
use std::os::fd::AsFd;

use units::Span;

use crate::sys;

/// How a TCP connection is doing, as its own end knows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpInfo {
    /// The smoothed round trip (RFC 6298 SRTT), to the microsecond; nothing before the first.
    pub srtt: Option<Span>,
    /// Congestion window in segments.
    pub cwnd: u32,
    /// Bytes that the peer has acknowledged.
    pub acknowledged: u64,
    /// Segments sent once more.
    pub retransmitted: u64,
    /// Retransmission timeouts; nothing on a kernel before 6.7, which does not count them.
    pub timeouts: Option<u64>,
    /// Segments that arrived with congestion experienced, as the peer's acknowledgements told.
    pub marked: u64,
}

/// Where the fields lie in `struct tcp_info` of linux/tcp.h, which only ever grows.
const RTT: usize = 68;
const CWND: usize = 80;
const TOTAL_RETRANS: usize = 100;
const BYTES_ACKED: usize = 120;
const DELIVERED_CE: usize = 196;
const TOTAL_RTO: usize = 240;
/// More than the structure has today.
const LEN: usize = 512;

/// Asks the kernel how the connection is doing.
///
/// # Errors
/// If this is no TCP socket.
pub fn tcp_info(socket: impl AsFd) -> io::Result<TcpInfo> {
    let mut bytes = [0; LEN];
    let len = sys::option(socket, libc::IPPROTO_TCP, libc::TCP_INFO, &mut bytes)?;
    Ok(read(&bytes[..len]))
}

/// What an older kernel does not say is zero, or nothing.
fn read(bytes: &[u8]) -> TcpInfo {
    let four = |at| field(bytes, at).map_or(0, u32::from_ne_bytes);
    TcpInfo {
        srtt: Some(four(RTT)).filter(|micros| *micros > 0).map(|n| Span::from_micros(n.into())),
        cwnd: four(CWND),
        acknowledged: field(bytes, BYTES_ACKED).map_or(0, u64::from_ne_bytes),
        retransmitted: four(TOTAL_RETRANS).into(),
        timeouts: field(bytes, TOTAL_RTO).map(|count| u16::from_ne_bytes(count).into()),
        marked: four(DELIVERED_CE).into(),
    }
}

fn field<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at + N)?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_lie_where_the_header_has_them() {
        let mut bytes = [0; 248];
        bytes[RTT..RTT + 4].copy_from_slice(&20_500_u32.to_ne_bytes());
        bytes[TOTAL_RTO..TOTAL_RTO + 2].copy_from_slice(&3_u16.to_ne_bytes());
        let info = read(&bytes);
        assert_eq!(info.srtt, Some(Span::from_micros(20_500)));
        assert_eq!((info.timeouts, info.cwnd), (Some(3), 0));
        let old = read(&bytes[..TOTAL_RTO]);
        assert_eq!((old.timeouts, old.srtt), (None, info.srtt));
        assert_eq!(read(&[]), TcpInfo::default());
    }
}
