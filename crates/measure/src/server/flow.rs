//! A TCP connection that loads the path, at the server's end.

use std::io;
use std::time::Duration;

use kernel::{TcpInfo, tcp_info};
use observation::Heading;
use tokio::io::Interest;
use tokio::net::TcpStream;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until};
use units::{Bytes, Rate, Span};

use super::congestion::Congestion;
use super::conversation::FlowRequest;
use super::decimating_log::DecimatingLog;
use super::lock;
use super::test::Member;
use crate::clock::ServerClock;
use crate::protocol::SenderReading;

/// A running flow.
pub(super) struct Flow<'a> {
    pub(super) stream: TcpStream,
    pub(super) member: Member,
    pub(super) clock: ServerClock,
    /// The bytes to send, which nothing on the path can compress.
    pub(super) noise: &'a [u8],
}

/// The time between two notes.
const SAMPLE: Duration = Duration::from_millis(50);

/// The most unsent bytes in the kernel: enough to keep the connection busy while this task sleeps,
/// and few to discard at the end.
const UNSENT: u32 = 128 * 1024;

/// The most bytes that are read or written at once.
const CHUNK: usize = 256 * 1024;

/// Sets the options of a flow on its connection. Returns the name of its congestion control.
///
/// # Errors
/// If the connection is gone.
pub(super) fn prepare(
    stream: &TcpStream,
    action: &FlowRequest,
    congestion: &Congestion,
) -> io::Result<String> {
    congestion.prepare(stream, &action.congestion)?;
    kernel::set_dscp(stream, action.dscp)?;
    kernel::set_unsent_low_water(stream, UNSENT)?;
    stream.set_nodelay(true)?;
    kernel::congestion_control(stream)
}

impl Flow<'_> {
    /// Runs the flow until the client closes or the test is over.
    pub(super) async fn run(self, heading: Heading, segment: Option<usize>) {
        let already = tcp_info(&self.stream).map_or(0, |info| info.received);
        let mut pace = None;
        self.hold_back(heading, &mut pace);
        let load = async {
            match heading {
                Heading::Up => self.receive().await,
                Heading::Down => {
                    tokio::select! {
                        biased;
                        closed = self.closed() => closed,
                        sent = self.send(segment) => sent,
                    }
                }
            }
        };
        tokio::select! {
            // Load that never waits takes all the turns of its task, so it is polled last.
            biased;
            () = self.member.guest.test.over() => {}
            () = self.observe(heading, already, &mut pace) => {}
            // The reason of a broken connection does not matter to a server: the flow ends.
            _ = load => {}
        }
        if let Ok(info) = tcp_info(&self.stream) {
            self.note(
                heading,
                already,
                &info,
                DecimatingLog::push_always,
                DecimatingLog::push_always,
            );
        }
        // RFC 9293 section 3.10.5: an abort discards unsent data; a close would still send it, and
        // disturb the next measurement.
        let _ = self.stream.set_zero_linger();
    }

    /// Sends for as long as the connection lasts.
    async fn send(&self, segment: Option<usize>) -> io::Result<()> {
        let part = &self.noise[..segment.unwrap_or(CHUNK).min(self.noise.len())];
        loop {
            self.stream.ready(Interest::WRITABLE).await?;
            let sent = match segment {
                // TCP_MAXSEG has no effect on a connection that is established, so each small
                // segment is a record of its own.
                Some(_) => self
                    .stream
                    .try_io(Interest::WRITABLE, || kernel::send_record(&self.stream, part)),
                None => self.stream.try_write(part),
            };
            passing(sent)?;
        }
    }

    /// Waits for the client to close. The client should send nothing; if it does, the flow ends
    /// too.
    async fn closed(&self) -> io::Result<()> {
        loop {
            self.stream.ready(Interest::READABLE).await?;
            if passing(self.discard(CHUNK))?.is_some() {
                return Ok(());
            }
        }
    }

    /// Receives data, no faster than the flow's share.
    async fn receive(&self) -> io::Result<()> {
        let mut next = Instant::now();
        loop {
            self.stream.ready(Interest::READABLE).await?;
            // With a limit, read at most the bytes of 10 ms at once.
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

    /// Notes the flow's state, and limits the sender to its share, until the connection is gone.
    async fn observe(&self, heading: Heading, already: u64, pace: &mut Option<Rate>) {
        let mut tick = interval(SAMPLE);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tick.tick().await;
            self.hold_back(heading, pace);
            let Ok(info) = tcp_info(&self.stream) else { return };
            self.note(heading, already, &info, DecimatingLog::push, DecimatingLog::push);
        }
    }

    /// Limits a sender to its share of the test's rate, which changes as flows come and go.
    fn hold_back(&self, heading: Heading, pace: &mut Option<Rate>) {
        let share = self.member.guest.share().filter(|_| heading == Heading::Down);
        if let Some(rate) = share.filter(|rate| *pace != Some(*rate)) {
            *pace = share;
            // A kernel that cannot do this is older than all supported ones.
            let _ = kernel::set_max_pace(&self.stream, rate);
        }
    }

    /// Adds the kernel's numbers to the notes.
    fn note(
        &self,
        heading: Heading,
        already: u64,
        info: &TcpInfo,
        receipt: impl Fn(&mut DecimatingLog<(u64, u64, Option<u64>)>, (u64, u64, Option<u64>)),
        sample: impl Fn(&mut DecimatingLog<SenderReading>, SenderReading),
    ) {
        let now = self.clock.now();
        let at = now.as_nanos();
        let log = &self.member.log;
        match heading {
            Heading::Up => {
                let bytes = info.received.saturating_sub(already);
                self.member.count(bytes, now);
                receipt(&mut lock(&log.received), (at, bytes, Some(info.segments_received)));
            }
            Heading::Down => {
                self.member.count(info.acknowledged, now);
                sample(&mut lock(&log.sender), reading(at, info));
            }
        }
    }
}

/// The number of bytes of a call that did not block; `None` if it would have blocked.
fn passing(done: io::Result<usize>) -> io::Result<Option<usize>> {
    match done {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
        Err(error) => Err(error),
    }
}

/// The kernel's numbers, as the protocol has them.
fn reading(at: u64, info: &TcpInfo) -> SenderReading {
    let micros = |span: Span| span.as_nanos() / 1_000;
    let round_trip =
        |span: Option<Span>| span.map_or(0, |span| u32::try_from(micros(span)).unwrap_or(u32::MAX));
    SenderReading {
        at,
        srtt: round_trip(info.srtt),
        min: round_trip(info.min_rtt),
        cwnd: info.cwnd,
        mss: info.mss,
        acked: info.acknowledged,
        sent: info.segments_sent,
        again: info.retransmitted,
        heard: info.all_segments_received,
        delivered: info.delivered,
        busy: micros(info.busy),
        window: micros(info.receiver_limited),
        buffer: micros(info.buffer_limited),
        rate: info.delivery_rate.map_or(0, |rate| rate.bits_per_sec() / 8),
    }
}
