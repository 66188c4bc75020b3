//! One TCP connection that loads the path, at the server's end.

use std::io;
use std::sync::Mutex;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use kernel::{TcpInfo, tcp_info};
use tokio::io::Interest;
use tokio::net::TcpStream;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until};
use units::{Bytes, Rate, Span};

use super::congestion::Congestion;
use super::conversation::FlowWish;
use super::lock;
use super::notes::Notes;
use super::test::Member;
use crate::clock::ServerClock;
use crate::protocol::{Sample, Way};

/// What was noted of a flow.
pub(super) struct FlowLog {
    /// Which flow of its test.
    pub(super) number: u32,
    /// Bytes that got through, as of the latest note.
    pub(super) bytes: AtomicU64,
    pub(super) received: Mutex<Notes<(u64, u64, Option<u64>)>>,
    pub(super) sender: Mutex<Notes<Sample>>,
}

/// A flow that runs.
pub(super) struct Flow<'a> {
    pub(super) stream: TcpStream,
    pub(super) member: Member,
    pub(super) clock: ServerClock,
    /// What is sent: nothing that a box on the way could make smaller.
    pub(super) noise: &'a [u8],
}

/// How far apart notes are.
const SAMPLE: Duration = Duration::from_millis(50);

/// So much waits unsent in the kernel at most: enough to keep it busy for as long as we may sleep,
/// and little to be thrown away at the end.
const UNSENT: u32 = 128 * 1024;

/// What is read or written at once.
const CHUNK: usize = 256 * 1024;

impl FlowLog {
    pub(super) fn new(number: u32) -> Self {
        let (received, sender) = (Mutex::new(Notes::new()), Mutex::new(Notes::new()));
        Self { number, bytes: AtomicU64::new(0), received, sender }
    }
}

/// Makes a connection what a flow is to be like. Answers with its congestion control.
///
/// # Errors
/// If the connection is gone.
pub(super) fn prepare(
    stream: &TcpStream,
    wish: &FlowWish,
    congestion: &Congestion,
) -> io::Result<String> {
    congestion.prepare(stream, &wish.congestion)?;
    kernel::set_dscp(stream, wish.dscp)?;
    kernel::set_unsent_low_water(stream, UNSENT)?;
    stream.set_nodelay(true)?;
    kernel::congestion_control(stream)
}

impl Flow<'_> {
    /// Loads, until the client closes or the test is over.
    pub(super) async fn run(self, way: Way, segment: Option<usize>) {
        let already = tcp_info(&self.stream).map_or(0, |info| info.received);
        let mut pace = None;
        self.hold_back(way, &mut pace);
        let load = async {
            match way {
                Way::Up => self.receive().await,
                Way::Down => {
                    tokio::select! {
                        biased;
                        closed = self.closed() => closed,
                        sent = self.send(segment) => sent,
                    }
                }
            }
        };
        tokio::select! {
            // Load that never waits takes all the turns that a task has: so it comes last.
            biased;
            () = self.member.guest.test.over() => {}
            () = self.observe(way, already, &mut pace) => {}
            // Why it broke is nothing to a server: it ends.
            _ = load => {}
        }
        if let Ok(info) = tcp_info(&self.stream) {
            self.note(way, already, &info, Notes::push_always, Notes::push_always);
        }
        // RFC 9293 section 3.10.5: an abort throws away what waits; a close would still send it, into
        // whatever is measured next.
        let _ = self.stream.set_zero_linger();
    }

    /// Sends for as long as it can.
    async fn send(&self, segment: Option<usize>) -> io::Result<()> {
        let part = &self.noise[..segment.unwrap_or(CHUNK).min(self.noise.len())];
        loop {
            self.stream.ready(Interest::WRITABLE).await?;
            let sent = match segment {
                // TCP_MAXSEG has no effect on a connection that is made: each small segment is a
                // record of its own.
                Some(_) => self
                    .stream
                    .try_io(Interest::WRITABLE, || kernel::send_record(&self.stream, part)),
                None => self.stream.try_write(part),
            };
            passing(sent)?;
        }
    }

    /// Waits for the client to close. It has nothing to say: if it does, that is the end too.
    async fn closed(&self) -> io::Result<()> {
        loop {
            self.stream.ready(Interest::READABLE).await?;
            if passing(self.discard(CHUNK))?.is_some() {
                return Ok(());
            }
        }
    }

    /// Takes what comes, no faster than it may.
    async fn receive(&self) -> io::Result<()> {
        let mut next = Instant::now();
        loop {
            self.stream.ready(Interest::READABLE).await?;
            // With a limit, no more at once than in some milliseconds.
            let share = self.member.guest.share();
            let chunk = share.map_or(CHUNK, |rate| {
                let bytes = rate * Span::from_millis(10);
                (bytes.0 as usize).clamp(1_500, CHUNK)
            });
            let taken = match passing(self.discard(chunk))? {
                Some(0) => return Ok(()),
                Some(taken) => taken,
                None => continue,
            };
            if let Some(rate) = share {
                let span = Bytes(taken as u64) / rate;
                next = next.max(Instant::now()) + Duration::from_nanos(span.as_nanos());
                sleep_until(next).await;
            }
        }
    }

    fn discard(&self, most: usize) -> io::Result<usize> {
        self.stream.try_io(Interest::READABLE, || kernel::discard(&self.stream, most))
    }

    /// Notes how it goes, and holds the sender to its share, until the connection is gone.
    async fn observe(&self, way: Way, already: u64, pace: &mut Option<Rate>) {
        let mut tick = interval(SAMPLE);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tick.tick().await;
            self.hold_back(way, pace);
            let Ok(info) = tcp_info(&self.stream) else { return };
            self.note(way, already, &info, Notes::push, Notes::push);
        }
    }

    /// Holds a sender to its share of the test's rate, which changes as flows come and go.
    fn hold_back(&self, way: Way, pace: &mut Option<Rate>) {
        let share = self.member.guest.share().filter(|_| way == Way::Down);
        if let Some(rate) = share.filter(|rate| *pace != Some(*rate)) {
            *pace = share;
            // A kernel that cannot is older than all that we run on.
            let _ = kernel::set_max_pace(&self.stream, rate);
        }
    }

    /// Notes what the kernel says.
    fn note(
        &self,
        way: Way,
        already: u64,
        info: &TcpInfo,
        receipt: impl Fn(&mut Notes<(u64, u64, Option<u64>)>, (u64, u64, Option<u64>)),
        sample: impl Fn(&mut Notes<Sample>, Sample),
    ) {
        let now = self.clock.now();
        let at = now.as_nanos();
        let log = &self.member.log;
        match way {
            Way::Up => {
                let bytes = info.received.saturating_sub(already);
                self.member.count(bytes, now);
                receipt(&mut lock(&log.received), (at, bytes, Some(info.segments_received)));
            }
            Way::Down => {
                self.member.count(info.acknowledged, now);
                sample(&mut lock(&log.sender), of(at, info));
            }
        }
    }
}

/// Nothing, if there is nothing to be had now.
fn passing(done: io::Result<usize>) -> io::Result<Option<usize>> {
    match done {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
        Err(error) => Err(error),
    }
}

/// As the protocol has it.
fn of(at: u64, info: &TcpInfo) -> Sample {
    let micros = |span: Span| span.as_nanos() / 1_000;
    let round_trip =
        |span: Option<Span>| span.map_or(0, |span| u32::try_from(micros(span)).unwrap_or(u32::MAX));
    Sample {
        at,
        srtt: round_trip(info.srtt),
        min: round_trip(info.min_rtt),
        cwnd: info.cwnd,
        mss: info.mss,
        acked: info.acknowledged,
        sent: info.segments_sent,
        again: info.retransmitted,
        heard: info.heard,
        delivered: info.delivered,
        busy: micros(info.busy),
        window: micros(info.receiver_limited),
        buffer: micros(info.buffer_limited),
        rate: info.delivery_rate.map_or(0, |rate| rate.bits_per_sec() / 8),
    }
}
