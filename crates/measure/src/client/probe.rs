//! Probes, sent by a thread of their own: each leaves at its time, whatever the load does, and the
//! kernel stamps its departure and the reception of its answer.

mod probe_log;

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};

use kernel::{
    Clock, next_departure, receive_stamped, set_dscp, stamp_departures, stamp_receptions,
};
use observation::ProbeStream;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::thread::set_current_timer_slack;
use units::{Bytes, Span, Time};

pub(super) use probe_log::Seen;

use super::error::{ClientError, own};
use crate::datagram::{BYTES, VOICE_BYTES};
use probe_log::ProbeLog;

/// The target of the probes.
pub(super) struct Target {
    pub(super) server: SocketAddr,
    /// The test's key in probes.
    pub(super) test: u64,
    /// The code points of the streams, one stream each.
    pub(super) streams: Vec<u8>,
    /// The code point of a call beside the streams, `None` without a call.
    pub(super) voice: Option<u8>,
}

/// The handle of the thread.
pub(super) struct Prober {
    shared: Arc<Shared>,
    seen: Receiver<Seen>,
    thread: JoinHandle<Probed>,
    local: SocketAddr,
}

/// The thread's result.
#[derive(Debug, Default)]
pub(super) struct Probed {
    /// The streams; the call's frames come last, if there is a call.
    pub(super) streams: Vec<ProbeStream>,
    pub(super) voice: bool,
    pub(super) rebinds: Vec<Time>,
}

struct Shared {
    /// The time between two probes of a stream, in nanoseconds.
    interval: AtomicU64,
    /// The worst lateness of a probe since the last query, in nanoseconds.
    lateness: AtomicU64,
    /// True to send no more, and only receive.
    quiet: AtomicBool,
    stop: AtomicBool,
}

/// RFC 3551 section 4.2: a packet of audio holds 20 ms unless something else was agreed on.
const FRAME: Span = Span::from_millis(20);

/// The longest wait of the thread before it looks at its flags.
const LONGEST_WAIT: Span = Span::from_millis(50);

/// The most bytes before a datagram in a packet as the driver gets it: Ethernet with two tags,
/// IPv6, UDP, and as much again.
const HEADERS: usize = 140;

impl Prober {
    /// Starts the thread.
    pub(super) fn start(target: Target, interval: Span, clock: Clock) -> Result<Self, ClientError> {
        let turns = target.streams.len();
        let codes: Vec<u8> = target.streams.iter().copied().chain(target.voice).collect();
        let opened = codes.iter().map(|dscp| open(target.server, *dscp));
        let sockets: io::Result<Vec<UdpSocket>> = opened.collect();
        let sockets = sockets.map_err(own("cannot open a socket for probes"))?;
        let local = sockets[0].local_addr().map_err(own("cannot ask for our own address"))?;
        let shared = Arc::new(Shared {
            interval: AtomicU64::new(interval.as_nanos()),
            lateness: AtomicU64::new(0),
            quiet: AtomicBool::new(false),
            stop: AtomicBool::new(false),
        });
        let (sender, seen) = channel();
        let logs = codes.iter().zip(0..);
        let logs = logs.map(|(dscp, n)| ProbeLog::new(target.test, n, *dscp)).collect();
        let work = Work { sockets, logs, turns, clock, shared: Arc::clone(&shared), seen: sender };
        let headers = header_bytes(target.server);
        let thread = thread::Builder::new().name("probes".into());
        let thread = thread.spawn(move || work.run(&codes, headers));
        let thread = thread.map_err(own("cannot start a thread for probes"))?;
        Ok(Self { shared, seen, thread, local })
    }

    /// The answers since the last call.
    pub(super) fn seen(&self) -> impl Iterator<Item = Seen> {
        self.seen.try_iter()
    }

    /// Sets the time between two probes of a stream.
    pub(super) fn set_interval(&self, interval: Span) {
        self.shared.interval.store(interval.as_nanos(), Ordering::Relaxed);
    }

    /// The worst lateness of a probe since the last call.
    pub(super) fn lateness(&self) -> Span {
        Span::from_nanos(self.shared.lateness.swap(0, Ordering::Relaxed))
    }

    /// The local address of the probes.
    pub(super) fn local(&self) -> SocketAddr {
        self.local
    }

    /// Stops sending; answers are still received.
    pub(super) fn stop_sending(&self) {
        self.shared.quiet.store(true, Ordering::Relaxed);
    }

    /// Stops the thread, and returns its result.
    pub(super) fn stop(self) -> Probed {
        self.shared.stop.store(true, Ordering::Relaxed);
        self.thread.join().unwrap_or_default()
    }
}

/// The local address that now leads to the server; `None` if none does.
pub(super) fn source(server: SocketAddr) -> Option<IpAddr> {
    open(server, 0).and_then(|socket| socket.local_addr()).ok().map(|local| local.ip())
}

/// A socket of one stream: the kernel stamps the departures of its probes and the receptions of
/// answers.
fn open(server: SocketAddr, dscp: u8) -> io::Result<UdpSocket> {
    let any: SocketAddr = match server {
        SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
        SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
    };
    let socket = UdpSocket::bind(any)?;
    socket.set_nonblocking(true)?;
    stamp_receptions(&socket)?;
    // Where the kernel has no departure stamps, a test runs without them.
    let _ = stamp_departures(&socket);
    set_dscp(&socket, dscp)?;
    socket.connect(server)?;
    Ok(socket)
}

/// The bytes of headers before the payload: 8 of UDP (RFC 768), 20 of IPv4 (RFC 791), 40 of IPv6
/// (RFC 8200).
fn header_bytes(server: SocketAddr) -> usize {
    8 + if server.is_ipv4() { 20 } else { 40 }
}

/// The thread's state.
struct Work {
    sockets: Vec<UdpSocket>,
    /// Logs, one for each socket.
    logs: Vec<ProbeLog>,
    /// The number of streams; one socket more belongs to a call.
    turns: usize,
    clock: Clock,
    shared: Arc<Shared>,
    seen: Sender<Seen>,
}

impl Work {
    fn run(mut self, codes: &[u8], headers: usize) -> Probed {
        // By default the kernel may wake a thread 0.05 ms late. If it refuses, the default remains.
        let _ = set_current_timer_slack(NonZeroU64::new(1));
        let (mut due, mut turn) = (self.clock.now(), 0);
        let mut frame = (self.sockets.len() > self.turns).then_some(due);
        while !self.shared.stop.load(Ordering::Relaxed) {
            if self.is_due(due) {
                self.send(turn);
                // Streams take turns, so that none waits behind the other.
                turn = (turn + 1) % self.turns;
                due = self.after(due, self.interval());
            }
            // A call has a schedule of its own.
            if let Some(at) = frame.filter(|at| self.is_due(*at)) {
                self.send(self.turns);
                frame = Some(self.after(at, FRAME));
            }
            self.wait(frame.map_or(due, |frame| frame.min(due)));
            self.take_departures();
            self.receive();
        }
        let (turns, voice) = (self.turns, codes.len() > self.turns);
        let closed = self.logs.into_iter().map(ProbeLog::close);
        let mut probed = Probed { voice, ..Probed::default() };
        for (index, ((probes, rebinds), dscp)) in closed.zip(codes).enumerate() {
            let payload = if index < turns { BYTES } else { VOICE_BYTES };
            let bytes = Bytes((payload + headers) as u64);
            probed.streams.push(ProbeStream { dscp: *dscp, bytes, probes });
            probed.rebinds.extend(rebinds);
        }
        probed.rebinds.sort_unstable();
        probed
    }

    /// True if a probe is due now. Its lateness is then noted.
    fn is_due(&self, due: Time) -> bool {
        let now = self.clock.now();
        let is_due = now >= due && !self.shared.quiet.load(Ordering::Relaxed);
        if is_due {
            self.shared.lateness.fetch_max(now.since(due).as_nanos(), Ordering::Relaxed);
        }
        is_due
    }

    /// The time from one probe to that of the next stream.
    fn interval(&self) -> Span {
        Span::from_nanos(self.shared.interval.load(Ordering::Relaxed)) / self.turns as u64
    }

    /// The time of the next probe. Probes missed because the thread slept are skipped.
    fn after(&self, due: Time, interval: Span) -> Time {
        (due + interval).max(self.clock.now())
    }

    fn send(&mut self, stream: usize) {
        let now = self.clock.now();
        let (socket, log) = (&self.sockets[stream], &mut self.logs[stream]);
        let datagram = log.next(now).encode_voice();
        let len = if stream < self.turns { BYTES } else { VOICE_BYTES };
        // The error may be that of an earlier datagram (an ICMP message has come): then this one
        // was not sent.
        if socket.send(&datagram[..len]).is_err() {
            log.take_back();
        }
    }

    /// Waits for an answer, until the next probe is due.
    fn wait(&self, due: Time) {
        let span = due.since(self.clock.now()).min(LONGEST_WAIT).as_nanos();
        let span = match self.shared.quiet.load(Ordering::Relaxed) {
            true => LONGEST_WAIT.as_nanos(),
            false => span,
        };
        let span = Timespec {
            tv_sec: (span / 1_000_000_000) as i64,
            tv_nsec: (span % 1_000_000_000) as _,
        };
        let mut waited: Vec<PollFd<'_>> =
            self.sockets.iter().map(|socket| PollFd::new(socket, PollFlags::IN)).collect();
        // An interrupted wait is merely shorter.
        let _ = poll(&mut waited, Some(&span));
    }

    /// Takes all stamps of departed probes from the kernel.
    fn take_departures(&mut self) {
        let mut packet = [0; VOICE_BYTES + HEADERS];
        for (socket, log) in self.sockets.iter().zip(&mut self.logs) {
            for _ in 0..64 {
                let Ok(left) = next_departure(socket, &mut packet) else { break };
                let at = self.clock.now() - left.age;
                packet.get(..left.len).inspect(|packet| log.note_departure(packet, at));
            }
        }
    }

    /// Receives all answers that have been received.
    fn receive(&mut self) {
        let mut bytes = [0; VOICE_BYTES + 1];
        for (socket, log) in self.sockets.iter().zip(&mut self.logs) {
            // An error other than `WouldBlock` concerns one datagram: those after it may be good.
            for _ in 0..64 {
                let (len, age) = match receive_stamped(socket, &mut bytes) {
                    Ok(received) => received,
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                    Err(_) => continue,
                };
                let at = self.clock.now() - age.unwrap_or(Span::ZERO);
                let seen = bytes.get(..len).and_then(|bytes| log.take(bytes, at));
                // It fails if the receiver is gone: then the thread is about to be stopped.
                seen.map(|seen| self.seen.send(seen));
            }
        }
    }
}
