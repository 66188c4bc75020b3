//! ICMP echo requests to the server, which Flent's tests send beside their probes, and which show
//! whether a queue treats ICMP differently. Without permission a test runs without them.
//!
//! On Linux a socket for echo requests alone needs no privilege, if the process's group is in the
//! range of `net.ipv4.ping_group_range`, which is for both versions. The kernel fills in identifier
//! and checksum, and delivers only answers to this socket. Specification: RFC 792, RFC 4443 section
//! 4.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use kernel::{Clock, receive_stamped, stamp_receptions};
use observation::Ping;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use socket2::{Domain, Protocol, Socket, Type};
use units::{Span, Time};

/// The longest wait of the thread before it looks at its flag.
const LONGEST_WAIT: Span = Span::from_millis(50);

/// The bytes that ping(8) sends: a header of 8, and 56.
const BYTES: usize = 64;

/// The handle of the thread.
pub(super) struct Pinger {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Vec<Ping>>>,
}

impl Pinger {
    /// Starts the thread; `interval` is the time between two requests.
    pub(super) fn start(server: SocketAddr, interval: Span, clock: Clock) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&stop);
        let work = move || match Work::new(server.ip().to_canonical(), clock) {
            Ok(work) => work.run(interval, &told),
            Err(_) => Vec::new(),
        };
        let thread = thread::Builder::new().name("ping".into()).spawn(work).ok();
        Self { stop, thread }
    }

    /// Stops the thread. Returns the requests; empty if they were not allowed.
    pub(super) fn stop(self) -> Vec<Ping> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.and_then(|thread| thread.join().ok()).unwrap_or_default()
    }
}

struct Work {
    socket: Socket,
    /// The ICMP types of a request and of its answer.
    types: [u8; 2],
    clock: Clock,
    /// The requests by sequence number.
    pings: Vec<Ping>,
}

impl Work {
    fn new(server: IpAddr, clock: Clock) -> io::Result<Self> {
        let (domain, protocol, types) = match server {
            IpAddr::V4(_) => (Domain::IPV4, Protocol::ICMPV4, [8, 0]),
            IpAddr::V6(_) => (Domain::IPV6, Protocol::ICMPV6, [128, 129]),
        };
        let socket = Socket::new(domain, Type::DGRAM, Some(protocol))?;
        socket.set_nonblocking(true)?;
        stamp_receptions(&socket)?;
        socket.connect(&SocketAddr::from((server, 0)).into())?;
        Ok(Self { socket, types, clock, pings: Vec::new() })
    }

    fn run(mut self, interval: Span, stop: &AtomicBool) -> Vec<Ping> {
        let mut due = self.clock.now();
        while !stop.load(Ordering::Relaxed) {
            if self.clock.now() >= due {
                self.send();
                due = (due + interval).max(self.clock.now());
            }
            self.wait(due);
            self.receive();
        }
        self.pings
    }

    fn send(&mut self) {
        // The sequence numbers are enough for the time of a test; requests beyond them are not
        // sent.
        let Ok(seq) = u16::try_from(self.pings.len()) else { return };
        let mut request = [0; BYTES];
        request[0] = self.types[0];
        request[6..8].copy_from_slice(&seq.to_be_bytes());
        let sent = self.clock.now();
        if self.socket.send(&request).is_ok() {
            self.pings.push(Ping { sent, returned: None });
        }
    }

    fn wait(&self, due: Time) {
        let span = due.since(self.clock.now()).min(LONGEST_WAIT).as_nanos();
        let span = Timespec { tv_sec: 0, tv_nsec: span as _ };
        // An interrupted wait is merely shorter.
        let _ = poll(&mut [PollFd::new(&self.socket, PollFlags::IN)], Some(&span));
    }

    fn receive(&mut self) {
        let mut answer = [0; BYTES];
        while let Ok((len, age)) = receive_stamped(&self.socket, &mut answer) {
            let at = self.clock.now() - age.unwrap_or(Span::ZERO);
            let header: Option<&[u8; 8]> = answer[..len.min(BYTES)].first_chunk();
            let Some([kind, _, _, _, _, _, high, low]) = header else { continue };
            let ping = self.pings.get_mut(usize::from(u16::from_be_bytes([*high, *low])));
            if let Some(ping) =
                ping.filter(|ping| *kind == self.types[1] && ping.returned.is_none())
            {
                ping.returned = Some(at);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, Ipv6Addr};

    use super::*;

    /// Tests only where the system allows it.
    #[test]
    fn our_own_machine_answers() {
        for address in [IpAddr::from(Ipv4Addr::LOCALHOST), IpAddr::from(Ipv6Addr::LOCALHOST)] {
            let Ok(mut work) = Work::new(address, Clock::start()) else { continue };
            for _ in 0..3 {
                work.send();
                work.wait(work.clock.now() + LONGEST_WAIT);
                work.receive();
            }
            let answered = work.pings.iter().filter(|ping| ping.returned > Some(ping.sent)).count();
            assert_eq!((work.pings.len(), answered), (3, 3), "{address}: {:?}", work.pings);
        }
    }
}
