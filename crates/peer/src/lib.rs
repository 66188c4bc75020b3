//! The peer: small services at the far end of a link, for users that have no other server.
//!
//! Specification: RFC 862 (echo), RFC 863 (discard), RFC 864 (chargen); `http` has its own.

mod content;
mod http;

use std::io;
use std::net;
use std::sync::Arc;
use std::time::Duration;

use rustix::net::sockopt;
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy, sink};
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// The TCP ports with a service of the peer.
pub const TCP_PORTS: [u16; 4] = [ECHO, DISCARD, CHARGEN, HTTP];
/// The port of the service that sends back what it gets, over UDP too.
pub const ECHO: u16 = 7;
const DISCARD: u16 = 9;
const CHARGEN: u16 = 19;
const HTTP: u16 = 80;

/// The most clients that are served at a time.
const MOST_CLIENTS: usize = 256;

/// The longest time for which a client may send nothing, or take nothing.
const PATIENCE: Duration = Duration::from_secs(120);

/// The longest time for which the rest of a client's data is read once the client is served.
const LINGER: Duration = Duration::from_secs(2);

/// The size of the buffer of a connection, in bytes.
const BUFFER: usize = 64 << 10;

/// The services, which one thread provides to all clients. The thread has the rights of the thread
/// that served the first client. Dropping this closes all connections.
#[derive(Debug)]
pub struct Peer {
    /// The thread; `None` before the first client.
    runtime: Option<Runtime>,
    /// A permit for each further client.
    permits: Arc<Semaphore>,
}

impl Default for Peer {
    fn default() -> Self {
        Self { runtime: None, permits: Arc::new(Semaphore::new(MOST_CLIENTS)) }
    }
}

impl Peer {
    /// Serves a client that has dialled this port. The number of clients is bounded.
    ///
    /// # Errors
    /// If the client was rejected.
    pub fn serve(&mut self, stream: net::TcpStream, port: u16) -> io::Result<()> {
        let (runtime, permit) = self.begin().inspect_err(|_| {
            // Closing sends a reset. A socket that is gone does not need it.
            let _ = sockopt::set_socket_linger(&stream, Some(Duration::ZERO));
        })?;
        runtime.spawn(async move {
            // An error of a client that leaves early does not matter.
            let _ = attend(stream, port).await;
            drop(permit);
        });
        Ok(())
    }

    fn begin(&mut self) -> io::Result<(&Runtime, OwnedSemaphorePermit)> {
        let permit = Arc::clone(&self.permits).try_acquire_owned();
        let permit = permit.map_err(|_| io::ErrorKind::ResourceBusy)?;
        let runtime = match self.runtime.take() {
            Some(runtime) => runtime,
            None => one_thread()?,
        };
        Ok((self.runtime.insert(runtime), permit))
    }
}

fn one_thread() -> io::Result<Runtime> {
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(1).thread_name("peer").enable_io().enable_time().build()
}

async fn attend(stream: net::TcpStream, port: u16) -> io::Result<()> {
    stream.set_nonblocking(true)?;
    stream.set_nodelay(true)?;
    // RFC 5482 section 3: also ends a connection whose client keeps its window closed.
    sockopt::set_tcp_user_timeout(&stream, PATIENCE.as_millis() as u32)?;
    let mut stream = TcpStream::from_std(stream)?;
    let served = match port {
        ECHO => echo(&mut stream).await,
        DISCARD => discard(&mut stream).await,
        CHARGEN => chargen(&mut stream).await,
        _ => http::serve(&mut stream).await.map_err(io::Error::other),
    };
    // Closing with unread bytes would send a reset: RFC 9112 section 9.6.
    stream.shutdown().await?;
    let mut rest = stream.take(1 << 20);
    timeout(LINGER, copy(&mut rest, &mut sink())).await??;
    served
}

async fn echo(stream: &mut TcpStream) -> io::Result<()> {
    let mut buffer = vec![0; BUFFER];
    loop {
        match read(stream, &mut buffer).await? {
            0 => return Ok(()),
            length => stream.write_all(&buffer[..length]).await?,
        }
    }
}

async fn discard(stream: &mut TcpStream) -> io::Result<()> {
    let mut buffer = vec![0; BUFFER];
    while read(stream, &mut buffer).await? > 0 {}
    Ok(())
}

/// Sends lines of 72 printable characters, each beginning one character later (RFC 864).
async fn chargen(stream: &mut TcpStream) -> io::Result<()> {
    let lines: Vec<u8> = (0..95).flat_map(line_of_characters).collect();
    loop {
        stream.write_all(&lines).await?;
    }
}

fn line_of_characters(first: u8) -> impl Iterator<Item = u8> {
    (0..72).map(move |place| b' ' + (first + place) % 95).chain(*b"\r\n")
}

/// Reads bytes, and returns their number.
///
/// # Errors
/// If the client is silent for too long.
async fn read(stream: &mut TcpStream, buffer: &mut [u8]) -> io::Result<usize> {
    timeout(PATIENCE, stream.read(buffer)).await?
}

#[cfg(test)]
mod tests;
