//! New connections beside the load, which show how long a user waits who opens a page meanwhile.

use std::io;
use std::net::SocketAddr;

use kernel::Clock;
use observation::ForeignProbe;
use tokio::io::BufReader;
use tokio::net::TcpStream;

use super::line;
use crate::protocol::{Answer, Request};

/// Connects, and asks for the smallest answer.
pub(super) async fn foreign(
    server: SocketAddr,
    test: String,
    clock: Clock,
) -> io::Result<ForeignProbe> {
    let at = clock.now();
    let mut stream = TcpStream::connect(server).await?;
    let connected = clock.now();
    let took = connected.since(at);
    let connect = kernel::handshake(&stream, took).unwrap_or(took);
    stream.set_nodelay(true)?;
    line::send(&mut stream, &Request::Echo { test }).await?;
    let answer = line::answer(&mut BufReader::new(&mut stream), &mut Vec::new()).await?;
    let exchange = clock.now().since(connected);
    match answer {
        Answer::Echo => Ok(ForeignProbe { at, connect, exchange }),
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}
