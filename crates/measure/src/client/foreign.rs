//! New connections beside the load, which show how long a user waits who opens a page meanwhile.

use std::io;
use std::net::SocketAddr;

use kernel::Clock;
use observation::ForeignProbe;
use tokio::io::BufReader;
use tokio::net::TcpStream;
use units::Span;

use super::line;
use crate::protocol::{Answer, Request};

/// The time after which a SYN without an answer is sent again (RFC 6298 section 2.1).
const FIRST_TIMEOUT: Span = Span::from_secs(1);

/// Connects, and asks for the smallest answer.
pub(super) async fn foreign(
    server: SocketAddr,
    test: String,
    clock: Clock,
) -> io::Result<ForeignProbe> {
    let at = clock.now();
    let mut stream = TcpStream::connect(server).await?;
    let connected = clock.now();
    let connect = handshake(&stream, connected.since(at));
    stream.set_nodelay(true)?;
    line::send(&mut stream, &Request::Echo { test }).await?;
    let answer = line::answer(&mut BufReader::new(&mut stream), &mut Vec::new()).await?;
    let exchange = clock.now().since(connected);
    match answer {
        Answer::Echo => Ok(ForeignProbe { at, connect, exchange }),
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}

/// The time from SYN to SYN-ACK of a connection that took this long to us.
///
/// On a busy machine we are told late, while the kernel takes the time when the answer comes. But of a
/// SYN that was sent again it knows the last one alone, and a user waits since the first.
fn handshake(stream: &TcpStream, took: Span) -> Span {
    let seen_by_kernel = kernel::tcp_info(stream).ok().and_then(|info| info.min_rtt);
    seen_by_kernel.filter(|seen| took.saturating_sub(*seen) < FIRST_TIMEOUT).unwrap_or(took)
}
