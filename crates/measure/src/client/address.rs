//! Connects to a host by its name: tries each address in turn, without waiting for those that do
//! not answer.
//!
//! Specification: RFC 8305 (Happy Eyeballs), sections 4 and 5.
//!
//! Deviations: addresses of both versions are looked up in one call of the resolver (section 3 has
//! two queries), and their order within a version is the resolver's (RFC 6724).

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use socket2::SockRef;
use tokio::net::{TcpSocket, TcpStream, lookup_host};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::error::ClientError;
use super::plan::Family;
use crate::protocol::PORT;

/// RFC 8305 section 8: Connection Attempt Delay, "recommended value is 250 milliseconds".
const ATTEMPT_DELAY: Duration = Duration::from_millis(250);

/// The time to connect: no user waits longer. A SYN is sent again after 1, 3 and 7 s.
const PATIENCE: Duration = Duration::from_secs(10);

/// The host and port of a text; without a port, [`PORT`]. Forms: `host`, `host:port`, `192.0.2.1`,
/// `2001:db8::1`, `[2001:db8::1]:port`.
///
/// # Errors
/// A sentence on what is wrong with the text.
pub fn parse_server(text: &str) -> Result<(String, u16), String> {
    let refuse = |what| Err(format!("`{text}` {what}; write HOST, HOST:PORT or [ADDRESS]:PORT"));
    if text.contains("://") {
        return refuse("is a URL, which only --responsiveness takes");
    }
    let (host, port) = match text.strip_prefix('[') {
        Some(rest) => match rest.split_once(']') {
            Some((host, "")) => (host, None),
            Some((host, port)) => (host, port.strip_prefix(':')),
            None => return refuse("has no `]`"),
        },
        // More than one colon, and no brackets: an IPv6 address.
        None => match text.split_once(':') {
            Some((host, port)) if !port.contains(':') => (host, Some(port)),
            _ => (text, None),
        },
    };
    if host.is_empty() || host.contains(|c: char| c.is_whitespace() || c == '/') {
        return refuse("names no host");
    }
    match port.map(str::parse) {
        None => Ok((host.to_owned(), PORT)),
        Some(Ok(0)) | Some(Err(_)) => refuse("has no port from 1 to 65535"),
        Some(Ok(port)) => Ok((host.to_owned(), port)),
    }
}

/// Connects to the first address of the host that answers. Returns also the addresses that were
/// tried and had not answered by then.
pub(super) async fn connect(
    host: &str,
    port: u16,
    family: Family,
) -> Result<(TcpStream, Vec<SocketAddr>), ClientError> {
    let found = lookup_host((host, port)).await;
    let found = found.map_err(|cause| ClientError::Unknown { name: host.to_owned(), cause })?;
    let addresses = in_turn(found.collect(), family);
    if addresses.is_empty() {
        let version = if family == Family::V6 { 6 } else { 4 };
        return Err(ClientError::NoAddress { name: host.to_owned(), version });
    }
    let last = addresses[addresses.len() - 1];
    timeout(PATIENCE, first_of(addresses)).await.unwrap_or_else(|_| {
        let cause = io::Error::new(io::ErrorKind::TimedOut, "nothing came back within 10 s");
        Err(ClientError::Unreachable { address: last, cause })
    })
}

/// The largest segment of the control connection, whose notes must come through also where larger
/// packets are lost: every network takes packets of 576 bytes (RFC 9293 section 3.7.1).
const SEGMENT: u32 = 536;

/// Connects, with small segments both ways.
async fn attempt(address: SocketAddr) -> io::Result<TcpStream> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    SockRef::from(&socket).set_tcp_mss(SEGMENT)?;
    socket.connect(address).await
}

/// Tries one address after the other, and takes the first that answers.
async fn first_of(addresses: Vec<SocketAddr>) -> Result<(TcpStream, Vec<SocketAddr>), ClientError> {
    let mut silent = Vec::new();
    let mut attempts = JoinSet::new();
    let mut waiting = addresses.into_iter();
    let mut failed = None;
    loop {
        if let Some(address) = waiting.next() {
            silent.push(address);
            attempts.spawn(async move { (address, attempt(address).await) });
        }
        let delay = async {
            match waiting.len() {
                0 => std::future::pending().await,
                _ => sleep(ATTEMPT_DELAY).await,
            }
        };
        tokio::select! {
            ended = attempts.join_next() => match ended {
                Some(Ok((address, Ok(stream)))) => {
                    silent.retain(|other| *other != address);
                    return Ok((stream, silent));
                }
                Some(Ok((address, Err(cause)))) => {
                    silent.retain(|other| *other != address);
                    failed = Some((address, cause));
                }
                Some(Err(_)) => {}
                None => return Err(failure(failed)),
            },
            () = delay => {}
        }
    }
}

fn failure(failed: Option<(SocketAddr, io::Error)>) -> ClientError {
    match failed {
        Some((address, cause)) if cause.kind() == io::ErrorKind::ConnectionRefused => {
            ClientError::Closed { address }
        }
        Some((address, cause)) => ClientError::Unreachable { address, cause },
        None => super::error::own("cannot connect")(io::Error::other("no attempt was made")),
    }
}

/// RFC 8305 section 4: the families take turns, IPv6 first.
fn in_turn(found: Vec<SocketAddr>, family: Family) -> Vec<SocketAddr> {
    let (six, four): (Vec<_>, Vec<_>) = found.into_iter().partition(SocketAddr::is_ipv6);
    match family {
        Family::V4 => four,
        Family::V6 => six,
        Family::Any => {
            let longest = six.len().max(four.len());
            (0..longest).flat_map(|n| [six.get(n), four.get(n)]).flatten().copied().collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_named_as_people_write_them() {
        for (text, host, port) in [
            ("example.net", "example.net", PORT),
            ("example.net:80", "example.net", 80),
            ("192.0.2.1", "192.0.2.1", PORT),
            ("2001:db8::1", "2001:db8::1", PORT),
            ("[2001:db8::1]", "2001:db8::1", PORT),
            ("[2001:db8::1]:9", "2001:db8::1", 9),
        ] {
            assert_eq!(parse_server(text), Ok((host.to_owned(), port)), "{text}");
        }
        for text in ["", ":80", "host:", "host:0", "host:70000", "[::1", "a b", "http://host"] {
            let message = parse_server(text).unwrap_err();
            assert!(message.contains("HOST:PORT"), "{message}");
        }
    }

    #[test]
    fn families_take_turns() {
        let address = |text: &str| text.parse::<SocketAddr>().unwrap();
        let (four, other) = (address("192.0.2.1:1"), address("192.0.2.2:1"));
        let six = address("[2001:db8::1]:1");
        let found = vec![four, other, six];
        assert_eq!(in_turn(found.clone(), Family::Any), [six, four, other]);
        assert_eq!(in_turn(found.clone(), Family::V4), [four, other]);
        assert_eq!(in_turn(found, Family::V6), [six]);
    }

    #[tokio::test]
    async fn what_does_not_answer_is_passed_over() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let good = listener.local_addr().unwrap();
        let closed = SocketAddr::from(([127, 0, 0, 1], 1));
        let (stream, silent) = first_of(vec![closed, good]).await.unwrap();
        assert_eq!((stream.peer_addr().unwrap(), silent), (good, Vec::new()));
        let error = first_of(vec![closed]).await.unwrap_err();
        assert!(matches!(error, ClientError::Closed { .. }), "{error}");
    }

    #[tokio::test]
    async fn what_is_silent_is_told() {
        // A listener whose queue of connections is full ignores further ones.
        let full =
            socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
        full.bind(&SocketAddr::from(([127, 0, 0, 1], 0)).into()).unwrap();
        full.listen(0).unwrap();
        let silent = full.local_addr().unwrap().as_socket().unwrap();
        let _first = TcpStream::connect(silent).await.unwrap();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let good = listener.local_addr().unwrap();
        let (stream, passed_over) = first_of(vec![silent, good]).await.unwrap();
        assert_eq!((stream.peer_addr().unwrap(), passed_over), (good, vec![silent]));
    }
}
