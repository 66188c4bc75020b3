//! Traffic beside the test, such as that of a neighbour behind the first router, which shares the
//! bottleneck. Its threads end with this process.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::thread;
use std::time::Duration;

use live::{Clock, Namespace};
use observation::Heading;

use super::network::Network;
use super::path::{Neighbour, Path};
use super::probes::pause;

/// The destination port of the neighbour's TCP and UDP.
const PORT: u16 = 9;
/// The bytes of a datagram.
const DATAGRAM: usize = 1200;

/// The longest wait for an answer, which never comes if the path is cut.
const PATIENCE: Duration = Duration::from_secs(5);

/// The end of traffic, in seconds of the clock.
#[derive(Clone, Copy)]
pub(crate) struct Until {
    pub(crate) clock: Clock,
    pub(crate) second: f64,
}

impl Until {
    fn is_over(self) -> bool {
        self.clock.now().as_secs_f64() >= self.second
    }
}

/// Starts the neighbour's traffic.
pub(crate) fn start(
    path: &Path,
    network: &Network,
    neighbour: &Neighbour,
    until: Until,
) -> Result<(), String> {
    let Some(here) = &network.neighbour else { return Ok(()) };
    let there = network.nodes.last().ok_or("a path has two ends")?;
    let heading = neighbour.heading();
    let way = path.way(heading);
    let to = (network.server, PORT).into();
    let started = match neighbour.connections {
        0 => {
            let mbit = way.mbit().unwrap_or(100.0) * neighbour.part;
            datagrams(here, there, to, heading, mbit, until)
        }
        count => connections(here, there, to, heading, count, until),
    };
    started.map_err(|error| format!("a neighbour: {error}"))
}

/// Starts TCP connections between two stacks, whose data go in one direction.
///
/// # Errors
/// If nobody can listen, or if a connection cannot be made.
pub(crate) fn connections(
    here: &Namespace,
    there: &Namespace,
    to: SocketAddr,
    heading: Heading,
    count: usize,
    until: Until,
) -> std::io::Result<()> {
    let listener = there.run(|| TcpListener::bind(to))??;
    thread::Builder::new().spawn(move || {
        for stream in listener.incoming().take(count).flatten() {
            thread::spawn(move || match heading {
                Heading::Up => drain(stream),
                Heading::Down => fill(stream, until),
            });
        }
    })?;
    for _ in 0..count {
        let stream = here.run(|| TcpStream::connect_timeout(&to, PATIENCE))??;
        thread::Builder::new().spawn(move || match heading {
            Heading::Up => fill(stream, until),
            Heading::Down => drain(stream),
        })?;
    }
    Ok(())
}

fn fill(mut stream: TcpStream, until: Until) {
    while !until.is_over() && stream.write_all(&[0; 16 << 10]).is_ok() {}
    let _ = stream.shutdown(std::net::Shutdown::Both);
}

fn drain(mut stream: TcpStream) {
    let mut buffer = vec![0; 64 << 10];
    while matches!(stream.read(&mut buffer), Ok(1..)) {}
}

fn datagrams(
    here: &Namespace,
    there: &Namespace,
    to: SocketAddr,
    heading: Heading,
    mbit: f64,
    until: Until,
) -> std::io::Result<()> {
    let any: SocketAddr = match to {
        SocketAddr::V4(_) => ([0; 4], 0).into(),
        SocketAddr::V6(_) => ([0_u16; 8], 0).into(),
    };
    let near = here.run(|| UdpSocket::bind(any))??;
    let far = there.run(|| UdpSocket::bind(to))??;
    near.connect(to)?;
    // The first datagram shows the address to answer, after any translation.
    near.send(&[0])?;
    far.set_read_timeout(Some(PATIENCE))?;
    let (_, peer) = far.recv_from(&mut [0])?;
    far.connect(peer)?;
    let sender = match heading {
        Heading::Up => near,
        Heading::Down => far,
    };
    let bits = (DATAGRAM + 42) as f64 * 8.0;
    thread::Builder::new().spawn(move || {
        let begun = until.clock.now().as_secs_f64();
        let mut sent = 0.0;
        while !until.is_over() {
            let due = (until.clock.now().as_secs_f64() - begun) * mbit * 1e6 / bits;
            while sent < due {
                // A missing receiver does not stop the traffic.
                let _ = sender.send(&[0; DATAGRAM]);
                sent += 1.0;
            }
            pause(Duration::from_micros(500));
        }
    })?;
    Ok(())
}
