//! The kernel's data on a TCP connection (`TCP_INFO`).

use std::io;
use std::os::fd::AsFd;

use units::{Rate, Span};

use crate::sys;

/// The state of a TCP connection, as its own end knows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpInfo {
    /// The smoothed round trip (RFC 6298 SRTT), to the microsecond; `None` before the first.
    pub srtt: Option<Span>,
    /// The least round trip of the last five minutes (`tcp_min_rtt_wlen`); `None` before the first.
    pub min_rtt: Option<Span>,
    /// The congestion window in segments.
    pub cwnd: u32,
    /// Segments in flight, by the sender's estimate.
    pub in_flight: u32,
    /// Bytes that have not been sent yet.
    pub unsent: u32,
    /// Payload bytes of a full segment that this end sends.
    pub mss: u32,
    /// Bytes that the peer has acknowledged.
    pub acknowledged: u64,
    /// Bytes that have been received in order; the peer's FIN counts as one.
    pub received: u64,
    /// Bytes that have been sent, retransmissions included; those that were acknowledged on a kernel before 4.19.
    pub sent: u64,
    /// Segments with data that have been received, duplicates included.
    pub segments_received: u64,
    /// All segments that have been received, acknowledgements without data included.
    pub all_segments_received: u64,
    /// Segments with data sent, retransmissions included.
    pub segments_sent: u64,
    /// All segments that have been sent, acknowledgements without data included.
    pub all_segments_sent: u64,
    /// The rate at which data is delivered to the peer, by the latest acknowledgements; `None`
    /// before the first.
    pub delivery_rate: Option<Rate>,
    /// The time for which there was data to send.
    pub busy: Span,
    /// The part of `busy` in which the receiver's window was the limit.
    pub receiver_limited: Span,
    /// The part of `busy` in which the send buffer was the limit.
    pub buffer_limited: Span,
    /// Segments retransmitted.
    pub retransmitted: u64,
    /// Retransmission timeouts; `None` on a kernel before 6.7, which does not count them.
    pub timeouts: Option<u64>,
    /// Segments that the peer has acknowledged, selectively (RFC 2018) or cumulatively.
    pub delivered: u64,
    /// Segments that were received with the ECN mark Congestion Experienced, by the peer's
    /// acknowledgements.
    pub marked: u64,
}

/// The time after which a SYN without an answer is sent again (RFC 6298 section 2.1), but for what timers and
/// timestamps of a millisecond may be off.
const FIRST_TIMEOUT: Span = Span::from_millis(980);

/// The time from SYN to SYN-ACK of a new connection that took this long to its user; `None` if the first SYN or
/// its answer was lost, so that a later one was answered.
///
/// On a busy machine the user is told late, while the kernel takes the time when the answer comes. Of a SYN
/// that was sent again the kernel knows by its timestamp which one was answered (RFC 7323 section 4.1). Without
/// timestamps nobody knows, and the user waits since the first.
pub fn handshake(stream: impl AsFd, took: Span) -> Option<Span> {
    let Some(seen) = tcp_info(stream).ok().and_then(|info| info.min_rtt) else { return Some(took) };
    (took.saturating_sub(seen) < FIRST_TIMEOUT).then_some(seen)
}

/// The offsets of fields in `struct tcp_info` of linux/tcp.h, which only ever grows.
const SND_MSS: usize = 16;
const UNACKED: usize = 24;
const SACKED: usize = 28;
const LOST: usize = 32;
const RETRANS: usize = 36;
const RTT: usize = 68;
const CWND: usize = 80;
const TOTAL_RETRANS: usize = 100;
const BYTES_ACKED: usize = 120;
const BYTES_RECEIVED: usize = 128;
const SEGS_OUT: usize = 136;
const SEGS_IN: usize = 140;
const NOTSENT_BYTES: usize = 144;
const MIN_RTT: usize = 148;
const DATA_SEGS_IN: usize = 152;
const DATA_SEGS_OUT: usize = 156;
const DELIVERY_RATE: usize = 160;
const BUSY_TIME: usize = 168;
const RWND_LIMITED: usize = 176;
const SNDBUF_LIMITED: usize = 184;
const DELIVERED: usize = 192;
const DELIVERED_CE: usize = 196;
const BYTES_SENT: usize = 200;
const TOTAL_RTO: usize = 240;
/// The value of `tcpi_min_rtt` before the first round trip: all bits set.
const NO_MIN_RTT: u32 = u32::MAX;
/// A length that exceeds that of the structure today.
const LEN: usize = 512;

/// Asks the kernel for the state of a connection.
///
/// # Errors
/// If this is no TCP socket.
pub fn tcp_info(socket: impl AsFd) -> io::Result<TcpInfo> {
    let mut bytes = [0; LEN];
    let len = sys::option(socket, libc::IPPROTO_TCP, libc::TCP_INFO, &mut bytes)?;
    Ok(read(&bytes[..len]))
}

/// Reads the state from these bytes. Fields that an older kernel does not have are zero, or `None`.
pub(crate) fn read(bytes: &[u8]) -> TcpInfo {
    let four = |at| field(bytes, at).map_or(0, u32::from_ne_bytes);
    let eight = |at| field(bytes, at).map_or(0, u64::from_ne_bytes);
    let round_trip = |micros: u32| {
        let known = ![0, NO_MIN_RTT].contains(&micros);
        known.then(|| Span::from_micros(micros.into()))
    };
    TcpInfo {
        srtt: round_trip(four(RTT)),
        min_rtt: round_trip(four(MIN_RTT)),
        cwnd: four(CWND),
        // The pipe of RFC 6675: segments neither acknowledged nor lost, and those retransmitted.
        in_flight: four(UNACKED)
            .saturating_add(four(RETRANS))
            .saturating_sub(four(SACKED).saturating_add(four(LOST))),
        unsent: four(NOTSENT_BYTES),
        mss: four(SND_MSS),
        acknowledged: eight(BYTES_ACKED),
        received: eight(BYTES_RECEIVED),
        sent: field(bytes, BYTES_SENT).map_or(eight(BYTES_ACKED), u64::from_ne_bytes),
        segments_received: four(DATA_SEGS_IN).into(),
        all_segments_received: four(SEGS_IN).into(),
        segments_sent: four(DATA_SEGS_OUT).into(),
        all_segments_sent: four(SEGS_OUT).into(),
        delivery_rate: Rate::from_bits_per_sec(eight(DELIVERY_RATE).saturating_mul(8)),
        busy: Span::from_micros(eight(BUSY_TIME)),
        receiver_limited: Span::from_micros(eight(RWND_LIMITED)),
        buffer_limited: Span::from_micros(eight(SNDBUF_LIMITED)),
        retransmitted: four(TOTAL_RETRANS).into(),
        timeouts: field(bytes, TOTAL_RTO).map(|count| u16::from_ne_bytes(count).into()),
        delivered: four(DELIVERED).into(),
        marked: four(DELIVERED_CE).into(),
    }
}

fn field<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at + N)?.try_into().ok()
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the kernel's time is real")]
mod tests {
    use std::net::{SocketAddr, TcpStream};
    use std::thread;

    use socket2::{Domain, Socket, Type};

    use super::*;
    use crate::Clock;

    #[test]
    fn fields_lie_where_the_header_has_them() {
        let mut bytes = [0; 248];
        bytes[RTT..RTT + 4].copy_from_slice(&20_500_u32.to_ne_bytes());
        for (at, segments) in [(UNACKED, 10_u32), (SACKED, 3), (LOST, 2), (RETRANS, 1)] {
            bytes[at..at + 4].copy_from_slice(&segments.to_ne_bytes());
        }
        bytes[MIN_RTT..MIN_RTT + 4].copy_from_slice(&u32::MAX.to_ne_bytes());
        bytes[DELIVERY_RATE..DELIVERY_RATE + 8].copy_from_slice(&250_000_u64.to_ne_bytes());
        bytes[TOTAL_RTO..TOTAL_RTO + 2].copy_from_slice(&3_u16.to_ne_bytes());
        let info = read(&bytes);
        assert_eq!(info.srtt, Some(Span::from_micros(20_500)));
        assert_eq!((info.min_rtt, info.delivery_rate), (None, Some(Rate::from_mbit(2))));
        assert_eq!((info.timeouts, info.cwnd, info.in_flight), (Some(3), 0, 6));
        let old = read(&bytes[..TOTAL_RTO]);
        assert_eq!((old.timeouts, old.srtt), (None, info.srtt));
        assert_eq!(read(&[]), TcpInfo::default());
    }

    /// A full queue of connections drops a SYN (Linux: `tcp_conn_request`); the next one finds room.
    #[test]
    fn an_answer_to_a_syn_that_was_sent_again_is_none_to_the_first() {
        let listener = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        listener.bind(&SocketAddr::from(([127, 0, 0, 1], 0)).into()).unwrap();
        listener.listen(0).unwrap();
        let address = listener.local_addr().unwrap().as_socket().unwrap();
        let clock = Clock::start();
        let connect = || {
            let at = clock.now();
            let stream = TcpStream::connect(address).unwrap();
            let took = clock.now().since(at);
            (handshake(&stream, took), took, stream)
        };
        let (first, took, _stream) = connect();
        assert!(first.is_some_and(|first| first <= took));
        let (again, took, _stream) = thread::scope(|scope| {
            let second = scope.spawn(connect);
            // Less than the time after which the SYN is sent again.
            thread::sleep(std::time::Duration::from_millis(500));
            listener.accept().unwrap();
            second.join().unwrap()
        });
        assert!(took >= FIRST_TIMEOUT, "{took}");
        assert_eq!(again, None);
    }
}
