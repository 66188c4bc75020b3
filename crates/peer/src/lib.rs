//! The peer: small services at the far end of the link, for users that have no other server.
//!
//! Specification: RFC 862 (echo), RFC 863 (discard), RFC 864 (chargen); `http` has its own.

mod body;
mod http;
mod request;

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Weak};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use rustix::net::sockopt;

/// The TCP ports with a service of the peer; DNS goes to a resolver instead.
pub const TCP_PORTS: [u16; 4] = [ECHO, DISCARD, CHARGEN, HTTP];
/// Sends back what it gets, over UDP too.
pub const ECHO: u16 = 7;
const DISCARD: u16 = 9;
const CHARGEN: u16 = 19;
const HTTP: u16 = 80;

/// The most clients that are served at a time.
const MOST_CLIENTS: usize = 256;

/// The longest time for which a client may send nothing, or take nothing.
const PATIENCE: Duration = Duration::from_secs(120);

/// Serves each client on a thread of its own.
#[derive(Debug, Default)]
pub struct Peer {
    /// Each client's connection, which its thread owns and closes, and the thread.
    clients: Vec<(Weak<TcpStream>, JoinHandle<()>)>,
}

impl Peer {
    /// Serves a client that has dialled this port. The number of clients is bounded.
    ///
    /// # Errors
    /// If the client was rejected.
    pub fn serve(&mut self, stream: TcpStream, port: u16) -> io::Result<()> {
        self.clients.retain(|(_, thread)| !thread.is_finished());
        let stream = Arc::new(stream);
        let client = Arc::clone(&stream);
        let begun = match self.clients.len() < MOST_CLIENTS {
            true => Builder::new().name("peer".into()).spawn(move || {
                // A client that leaves in the middle is not an error.
                let _ = attend(&client, port);
            }),
            false => Err(io::Error::from(io::ErrorKind::ResourceBusy)),
        };
        match begun {
            Ok(thread) => self.clients.push((Arc::downgrade(&stream), thread)),
            Err(error) => {
                sockopt::set_socket_linger(&*stream, Some(Duration::ZERO))?;
                return Err(error);
            }
        }
        Ok(())
    }
}

impl Drop for Peer {
    /// Closes all connections, and waits for their threads.
    fn drop(&mut self) {
        for stream in self.clients.iter().filter_map(|(stream, _)| stream.upgrade()) {
            // The client may have gone already.
            let _ = stream.shutdown(Shutdown::Both);
        }
        for (_, thread) in self.clients.drain(..) {
            // A panic in a client's thread does not affect others.
            let _ = thread.join();
        }
    }
}

fn attend(stream: &TcpStream, port: u16) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.set_nodelay(true)?;
    let served = match port {
        ECHO => echo(stream),
        DISCARD => discard(stream),
        CHARGEN => chargen(stream),
        _ => http::serve(stream),
    };
    // Closing with unread bytes would send a reset: RFC 9112 section 9.6.
    stream.shutdown(Shutdown::Write)?;
    stream.set_read_timeout(Some(Duration::from_secs(2)))?;
    io::copy(&mut stream.take(1 << 20), &mut io::sink())?;
    served
}

fn echo(mut stream: &TcpStream) -> io::Result<()> {
    let mut buffer = vec![0; 64 << 10];
    loop {
        match stream.read(&mut buffer)? {
            0 => return Ok(()),
            length => stream.write_all(&buffer[..length])?,
        }
    }
}

fn discard(mut stream: &TcpStream) -> io::Result<()> {
    let mut buffer = vec![0; 64 << 10];
    while stream.read(&mut buffer)? > 0 {}
    Ok(())
}

/// RFC 864: lines of 72 printable characters, each beginning one character later.
fn chargen(mut stream: &TcpStream) -> io::Result<()> {
    let lines: Vec<u8> = (0..95).flat_map(line_of_characters).collect();
    loop {
        stream.write_all(&lines)?;
    }
}

fn line_of_characters(first: u8) -> impl Iterator<Item = u8> {
    (0..72).map(move |place| b' ' + (first + place) % 95).chain(*b"\r\n")
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    fn client(peer: &mut Peer, port: u16) -> TcpStream {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        peer.serve(listener.accept().unwrap().0, port).unwrap();
        client
    }

    #[test]
    fn small_services_do_what_their_standards_say() {
        let mut peer = Peer::default();
        let mut echo = client(&mut peer, ECHO);
        echo.write_all(b"hello").unwrap();
        let mut heard = [0; 5];
        echo.read_exact(&mut heard).unwrap();
        assert_eq!(&heard, b"hello");
        let mut chargen = client(&mut peer, CHARGEN);
        let mut lines = [0; 2 * 74];
        chargen.read_exact(&mut lines).unwrap();
        assert!(lines.starts_with(b" !\"#$%&'()*") && lines[72..].starts_with(b"\r\n!\"#"));
        let mut discard = client(&mut peer, DISCARD);
        discard.write_all(&[0; 100_000]).unwrap();
        discard.shutdown(Shutdown::Write).unwrap();
        assert_eq!(discard.read(&mut heard).unwrap(), 0);
    }

    #[test]
    fn a_connection_that_is_over_is_closed() {
        let mut peer = Peer::default();
        let client = client(&mut peer, ECHO);
        client.shutdown(Shutdown::Write).unwrap();
        while !peer.clients[0].1.is_finished() {
            thread::yield_now();
        }
        assert!(peer.clients[0].0.upgrade().is_none());
    }

    #[test]
    fn nobody_is_waited_for() {
        let mut peer = Peer::default();
        let silent = client(&mut peer, HTTP);
        drop(peer);
        assert_eq!((&silent).read(&mut [0; 1]).unwrap_or(0), 0);
    }

    #[test]
    fn clients_beyond_the_bound_are_sent_away() {
        let mut peer = Peer::default();
        let clients: Vec<_> = (0..MOST_CLIENTS).map(|_| client(&mut peer, ECHO)).collect();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let one_more = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        assert!(peer.serve(listener.accept().unwrap().0, ECHO).is_err());
        assert!((&one_more).read(&mut [0; 1]).is_err());
        drop((peer, clients));
    }
}
