//! One-way probes of the bench's own: small datagrams between the ends, timed by the one clock that
//! all namespaces share. They use at most a hundredth of the rate.

use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use live::{Clock, Namespace};
use sandbox::use_real_time;
use serde::{Deserialize, Serialize};

use super::names::{TCP_LIKE, UDP_LIKE};
use super::network::Network;
use super::path::Path;

/// The bytes of a probe on the wire: its number and the headers of UDP, IP (at most) and Ethernet.
pub(crate) const BYTES: f64 = (4 + 8 + 40 + 14) as f64;
/// The probes' part of the rate.
const SHARE: f64 = 0.01;
/// The least time between probes, in seconds.
const DENSEST: f64 = 0.01;

/// One direction of one class of probes: the time at which each was sent, in seconds of the clock,
/// and its delay in milliseconds.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Track {
    pub(crate) sent_s: Vec<f64>,
    pub(crate) took_ms: Vec<Option<f64>>,
}

/// All tracks of a path.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Tracks {
    pub(crate) up: Track,
    pub(crate) down: Track,
    /// The probes that are treated like TCP; `None` unless UDP is treated differently.
    pub(crate) tcp_up: Option<Track>,
    pub(crate) tcp_down: Option<Track>,
}

/// The running threads of the probes.
pub(crate) struct Probes {
    stop: Arc<AtomicBool>,
    classes: Vec<Class>,
}

struct Class {
    senders: [JoinHandle<Vec<f64>>; 2],
    receivers: [JoinHandle<Vec<(u32, f64)>>; 2],
}

impl Probes {
    /// Starts sending in both directions.
    pub(crate) fn start(path: &Path, network: &Network, clock: Clock) -> Result<Self, String> {
        let stop = Arc::new(AtomicBool::new(false));
        let ports: &[u16] = if path.favours_udp() { &[UDP_LIKE, TCP_LIKE] } else { &[UDP_LIKE] };
        let gap = |mbit: Option<f64>| {
            let rate = mbit.unwrap_or(f64::INFINITY) * 1e6 * SHARE / ports.len() as f64;
            Duration::from_secs_f64((BYTES * 8.0 / rate).max(DENSEST))
        };
        let gaps = [gap(path.up.mbit()), gap(path.down.mbit())];
        let class = |port: &u16| Class::start(network, *port, gaps, clock, &stop);
        let classes = ports.iter().map(class).collect::<Result<_, _>>();
        Ok(Self { classes: classes.map_err(|error: std::io::Error| error.to_string())?, stop })
    }

    /// Stops sending, waits this long for probes on their way, and returns all tracks.
    pub(crate) fn stop(self, patience: Duration) -> Tracks {
        self.stop.store(true, Ordering::Relaxed);
        pause(patience);
        let mut classes = self.classes.into_iter().map(Class::tracks);
        let [up, down] = classes.next().unwrap_or_default();
        let (tcp_up, tcp_down) = classes.next().map(|[up, down]| (up, down)).unzip();
        Tracks { up, down, tcp_up, tcp_down }
    }
}

impl Class {
    fn start(
        network: &Network,
        port: u16,
        gaps: [Duration; 2],
        clock: Clock,
        stop: &Arc<AtomicBool>,
    ) -> std::io::Result<Self> {
        let [near, .., far] = network.nodes.as_slice() else {
            return Err(std::io::Error::other("a path has two ends"));
        };
        let near = socket(near, network.server, port)?;
        let far = socket(far, network.server, port)?;
        near.connect((network.server, port))?;
        // The client's address as the server sees it: addresses may be translated.
        let peer = Arc::new(Mutex::new(None));
        let receiver = |socket: &UdpSocket, learn: Option<Arc<Mutex<Option<SocketAddr>>>>| {
            let (socket, stop) = (socket.try_clone()?, Arc::clone(stop));
            thread::Builder::new().spawn(move || receive(&socket, clock, &stop, learn.as_deref()))
        };
        let receivers = [receiver(&far, Some(Arc::clone(&peer)))?, receiver(&near, None)?];
        let sender = |socket: UdpSocket, gap, to: Option<Arc<Mutex<Option<SocketAddr>>>>| {
            let stop = Arc::clone(stop);
            thread::Builder::new().spawn(move || send(&socket, gap, clock, &stop, to.as_deref()))
        };
        let senders = [sender(near, gaps[0], None)?, sender(far, gaps[1], Some(peer))?];
        Ok(Self { senders, receivers })
    }

    /// The tracks up and down.
    fn tracks(self) -> [Track; 2] {
        let sent = self.senders.map(|thread| thread.join().unwrap_or_default());
        let received = self.receivers.map(|thread| thread.join().unwrap_or_default());
        let [up, down] = sent;
        let [reached, returned] = received;
        [Track::of(up, &reached), Track::of(down, &returned)]
    }
}

impl Track {
    fn of(sent_s: Vec<f64>, received: &[(u32, f64)]) -> Self {
        let mut took_ms = vec![None; sent_s.len()];
        for (number, at) in received {
            if let (Some(took), Some(sent)) =
                (took_ms.get_mut(*number as usize), sent_s.get(*number as usize))
            {
                *took = Some((at - sent) * 1e3);
            }
        }
        Self { sent_s, took_ms }
    }
}

fn socket(namespace: &Namespace, like: IpAddr, port: u16) -> std::io::Result<UdpSocket> {
    let any: SocketAddr = match like {
        IpAddr::V4(_) => ([0; 4], port).into(),
        IpAddr::V6(_) => ([0_u16; 8], port).into(),
    };
    let socket = namespace.run(|| UdpSocket::bind(any))??;
    // The timeout lets a waiting thread see that it is to stop.
    socket.set_read_timeout(Some(Duration::from_millis(200)))?;
    Ok(socket)
}

fn send(
    socket: &UdpSocket,
    gap: Duration,
    clock: Clock,
    stop: &AtomicBool,
    to: Option<&Mutex<Option<SocketAddr>>>,
) -> Vec<f64> {
    let _ = use_real_time();
    let mut sent = Vec::new();
    while !stop.load(Ordering::Relaxed) {
        let number = (sent.len() as u32).to_be_bytes();
        let now = clock.now().as_secs_f64();
        let done = match to {
            None => socket.send(&number),
            Some(peer) => match *peer.lock().unwrap_or_else(PoisonError::into_inner) {
                Some(peer) => socket.send_to(&number, peer),
                // The address is not known yet.
                None => Ok(0),
            },
        };
        // A full queue of this machine refuses the datagram, which is a loss like any other.
        if !matches!(done, Ok(0)) {
            sent.push(now);
        }
        pause(gap);
    }
    sent
}

fn receive(
    socket: &UdpSocket,
    clock: Clock,
    stop: &AtomicBool,
    learn: Option<&Mutex<Option<SocketAddr>>>,
) -> Vec<(u32, f64)> {
    let _ = use_real_time();
    let mut received = Vec::new();
    let mut number = [0; 4];
    loop {
        match socket.recv_from(&mut number) {
            Ok((4, from)) => {
                received.push((u32::from_be_bytes(number), clock.now().as_secs_f64()));
                if let Some(peer) = learn {
                    *peer.lock().unwrap_or_else(PoisonError::into_inner) = Some(from);
                }
            }
            _ if stop.load(Ordering::Relaxed) => return received,
            _ => {}
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "probes are sent on the real clock")]
pub(crate) fn pause(span: Duration) {
    thread::sleep(span);
}
