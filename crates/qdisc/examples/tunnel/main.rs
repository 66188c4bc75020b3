//! The send queue of a tunnel in user space, for the author of a VPN to copy.
//!
//! Packets come from the TUN device, wait in FQ-CoDel, and leave through a UDP socket no faster
//! than the uplink takes them. So they wait here, where the queue is managed, and not in a modem. A
//! bulk upload of 14 Mbit/s and a call share an uplink of 10 Mbit/s; at the end the statistics and
//! the longest wait of each are printed.
//!
//! - The clock is read here and nowhere else. The queue is told the time at every call; that time
//!   never runs backwards, because the clock is read while the queue is locked.
//! - A packet belongs to the queue from `enqueue` on, until `dequeue` returns it or
//!   [`Signals::dropped`] receives it. Either way its buffer is used again.
//!
//! A UDP socket on the loopback device stands for the TUN device, and nothing is encrypted.

mod ipv4;

use std::collections::BTreeMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use ipv4::Datagram;
use qdisc::disciplines::fq_codel::{FqCoDel, FqCoDelSpec};
use qdisc::{
    Backlog, Cause, Dequeued, Discipline, Ecn, LinkInfo, Packet, Qdisc, Signals, Statistics, Tally,
};
use units::{Bytes, Rate, Rng, Serializer, Span, Time};

/// The longest packet on the uplink, headers of the tunnel included.
const MTU: Bytes = Bytes(1460);
/// The lateness of a timer that costs no rate: packets that were due meanwhile follow at once.
const LATENESS: Span = Span::from_millis(1);

/// The queue before the uplink, and the time until which the uplink is busy.
struct SendQueue {
    queue: FqCoDel<Datagram>,
    uplink: Serializer,
    busy_until: Time,
    driver: Driver,
}

impl SendQueue {
    /// An empty queue before an uplink of this rate. The seed keys the hash of flows; take a random
    /// one, so that nobody can aim flows at the queue of another.
    fn new(rate: Rate, seed: u64) -> Self {
        let link = LinkInfo::new(rate, MTU);
        Self {
            queue: FqCoDelSpec::default().build(link, Rng::new(seed)),
            uplink: Serializer::new(rate),
            busy_until: Time::ZERO,
            driver: Driver::default(),
        }
    }

    fn enqueue(&mut self, packet: Datagram, now: Time) {
        self.queue.enqueue(packet, now, &mut self.driver);
    }

    /// The next packet if the uplink is free; otherwise the time at which to ask again.
    fn dequeue(&mut self, now: Time) -> Dequeued<Datagram> {
        if now < self.busy_until && self.queue.backlog() != Backlog::default() {
            return Dequeued::NotBefore(self.busy_until);
        }
        let dequeued = self.queue.dequeue(now, &mut self.driver);
        if let Dequeued::Packet { packet, .. } = &dequeued {
            let start = self.busy_until.max(now - LATENESS);
            self.busy_until = start + self.uplink.span(packet.len());
        }
        dequeued
    }
}

/// The driver of the queue: the counts of packets, and the buffers that are free.
#[derive(Default)]
struct Driver {
    tally: Tally,
    buffers: Vec<Vec<u8>>,
}

impl Signals<Datagram> for Driver {
    fn dropped(&mut self, packet: Datagram, cause: Cause, _now: Time) {
        self.tally.count_dropped(&packet, cause);
        self.buffers.push(packet.0);
    }

    fn marked(&mut self, packet: &Datagram, cause: Cause, _now: Time) {
        self.tally.count_marked(packet, cause);
    }

    fn store(&self) -> &() {
        &()
    }
}

/// The time since the start.
#[derive(Clone, Copy)]
struct Clock(Instant);

impl Clock {
    #[expect(clippy::disallowed_methods, reason = "the edge, where time comes from")]
    fn start() -> Self {
        Self(Instant::now())
    }

    fn now(self) -> Time {
        // A `u64` of nanoseconds suffices for 584 years.
        Time::ZERO + Span::try_from(self.0.elapsed()).unwrap_or(Span::MAX)
    }
}

/// The queue, shared by the thread that reads packets and the one that sends them.
#[derive(Clone)]
struct Shared(Arc<(Mutex<SendQueue>, Condvar)>);

impl Shared {
    /// Reads the packets of the TUN device, and queues them.
    fn read(&self, tun: &UdpSocket, clock: Clock) -> io::Result<()> {
        let (queue, arrived) = &*self.0;
        let mut buffer = vec![0; 65_535];
        loop {
            let len = tun.recv(&mut buffer)?;
            let mut queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
            let mut packet = queue.driver.buffers.pop().unwrap_or_default();
            packet.clear();
            packet.extend_from_slice(&buffer[..len]);
            queue.enqueue(Datagram(packet), clock.now());
            arrived.notify_one();
        }
    }

    /// Sends packets until `end`. Returns the longest wait of the packets to each port.
    fn send(&self, socket: &UdpSocket, clock: Clock, end: Time) -> io::Result<BTreeMap<u16, Span>> {
        let (queue, arrived) = &*self.0;
        let mut longest = BTreeMap::new();
        let mut queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let now = clock.now();
            if now >= end {
                return Ok(longest);
            }
            let next = match queue.dequeue(now) {
                Dequeued::Packet { packet, sojourn } => {
                    socket.send(&packet.0)?; // seal it first
                    queue.driver.tally.count_sent(&packet);
                    let wait = longest.entry(packet.destination_port().unwrap_or(0)).or_default();
                    *wait = sojourn.max(*wait);
                    queue.driver.buffers.push(packet.0);
                    continue;
                }
                Dequeued::NotBefore(time) => time.min(end),
                Dequeued::Empty => end,
            };
            let timeout = Duration::from(next.since(now));
            queue = arrived.wait_timeout(queue, timeout).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// Sends IPv4 packets of this length to this port of the far end, one in each interval.
#[expect(clippy::disallowed_methods, reason = "a load on the real clock")]
fn load(tun: SocketAddr, port: u16, ecn: Ecn, len: u16, interval: Duration) -> io::Result<()> {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    loop {
        let packet = Datagram::udp(Vec::new(), [40_000, port], ecn, len);
        socket.send_to(&packet.0, tun)?;
        thread::sleep(interval);
    }
}

fn main() -> io::Result<()> {
    let tun = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    let tun_address = tun.local_addr()?;
    let far_end = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    socket.connect(far_end.local_addr()?)?;

    let clock = Clock::start();
    let queue = SendQueue::new(Rate::from_mbit(10), 1);
    let shared = Shared(Arc::new((Mutex::new(queue), Condvar::new())));
    let reader = shared.clone();
    thread::spawn(move || reader.read(&tun, clock));
    let (upload, call) = (Duration::from_micros(740), Duration::from_millis(20));
    thread::spawn(move || load(tun_address, 443, Ecn::Ect0, 1400, upload));
    thread::spawn(move || load(tun_address, 3478, Ecn::NotEct, 200, call));

    let longest = shared.send(&socket, clock, Time::from_secs(5))?;
    let queue = shared.0.0.lock().unwrap_or_else(PoisonError::into_inner);
    let stats = FqCoDelSpec::stats(&queue.queue, clock.now());
    let (tally, backlog) = (queue.driver.tally, queue.queue.backlog());
    println!("{}\n{:#?}", FqCoDelSpec::default(), Statistics { tally, backlog, stats });
    for (port, wait) in longest {
        println!("longest wait of port {port}: {wait}");
    }
    Ok(())
}
