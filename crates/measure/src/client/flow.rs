//! A TCP connection that loads a direction until it is told to stop.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use kernel::{Clock, TcpInfo, discard, set_dscp, set_max_segment, set_unsent_low_water, tcp_info};
use observation::{Heading, LoadFlow, Receipt, SenderSample};
use tokio::io::{BufReader, Interest};
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{MissedTickBehavior, interval};
use units::{Bytes, Span, Time};

use super::line;
use super::socket::{congestion, set_congestion};
use crate::protocol::{Answer, Request};

/// Data that all flows of a test share.
pub(super) struct Common {
    pub(super) server: std::net::SocketAddr,
    pub(super) test: String,
    pub(super) clock: Clock,
    /// The bytes to send, which nothing on the path can compress.
    pub(super) noise: Vec<u8>,
}

/// The properties of a flow.
#[derive(Clone, Debug)]
pub(super) struct FlowProperties {
    pub(super) heading: Heading,
    pub(super) dscp: u8,
    /// Congestion controls of the sender, the preferred one first.
    pub(super) congestion: Vec<String>,
    /// The largest payload of a segment in bytes, if smaller than usual; `None` leaves it to the
    /// kernel.
    pub(super) segment: Option<u32>,
}

/// A running flow.
pub(super) struct Flow {
    pub(super) heading: Heading,
    /// Bytes that the receiver has, as far as the client knows.
    bytes: Arc<AtomicU64>,
    ready: Arc<AtomicBool>,
    task: JoinHandle<io::Result<Loaded>>,
}

/// A flow that has ended.
pub(super) struct Loaded {
    /// The flow's number in the server's notes.
    pub(super) number: u32,
    pub(super) flow: LoadFlow,
}

/// The time between two samples of `TCP_INFO`.
const SAMPLE: Duration = Duration::from_millis(50);

/// The most unsent bytes in the kernel: enough to keep the connection busy while this task sleeps,
/// and few that are sent for nothing at the end.
const UNSENT: u32 = 128 * 1024;

/// RFC 7323 appendix A: the bytes that time stamps take of each segment.
const TIMESTAMPS: u32 = 12;

/// The most bytes that are received at once.
const CHUNK: usize = 1 << 20;

impl Flow {
    /// Begins a flow, which ends when `stop` becomes true.
    pub(super) fn start(
        common: Arc<Common>,
        kind: FlowProperties,
        stop: watch::Receiver<bool>,
    ) -> Self {
        let (bytes, ready) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        let heading = kind.heading;
        let (counted, begun) = (Arc::clone(&bytes), Arc::clone(&ready));
        let task = tokio::spawn(async move {
            let work = Work { common, kind, bytes: counted, ready: begun };
            work.run(stop).await
        });
        Self { heading, bytes, ready, task }
    }

    /// Bytes that the receiver has, as far as the client knows.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// True if the server has said that it is ready.
    pub(super) fn is_ready(&self) -> bool {
        self.ready.load(Ordering::Relaxed)
    }

    /// True if the flow has ended, whether it was told to or not.
    pub(super) fn is_over(&self) -> bool {
        self.task.is_finished()
    }

    /// Waits for the end of a flow that was told to stop, and returns its record; an error if the
    /// flow never began.
    pub(super) async fn end(self) -> io::Result<Loaded> {
        self.task.await.unwrap_or_else(|error| Err(io::Error::other(error)))
    }
}

struct Work {
    common: Arc<Common>,
    kind: FlowProperties,
    bytes: Arc<AtomicU64>,
    ready: Arc<AtomicBool>,
}

impl Work {
    async fn run(self, mut stop: watch::Receiver<bool>) -> io::Result<Loaded> {
        let begun = tokio::select! {
            begun = self.begin() => begun?,
            _ = stop.wait_for(|stop| *stop) => return Err(io::ErrorKind::Interrupted.into()),
        };
        let (stream, mut loaded) = begun;
        self.ready.store(true, Ordering::Relaxed);
        // Observations from before a connection broke still count.
        let _ = match self.kind.heading {
            Heading::Up => self.send(&stream, &mut loaded.flow, stop).await,
            Heading::Down => self.receive(&stream, &mut loaded.flow, stop).await,
        };
        loaded.flow.stop = self.common.clock.now();
        // RFC 9293 section 3.6: a close would deliver unsent data; an abort discards it.
        let _ = stream.set_zero_linger();
        Ok(loaded)
    }

    /// Connects, requests the flow, and waits for the server to agree.
    async fn begin(&self) -> io::Result<(TcpStream, Loaded)> {
        let mut stream = self.connect().await?;
        let start = self.common.clock.now();
        let request = Request::Flow {
            test: self.common.test.clone(),
            heading: self.kind.heading,
            congestion: self.kind.congestion.clone(),
            dscp: self.kind.dscp,
            segment: self.kind.segment,
        };
        line::send(&mut stream, &request).await?;
        // One byte at a time: the bytes after the line are load, and must be counted.
        let mut reader = BufReader::with_capacity(1, &mut stream);
        let (number, theirs) = match line::answer(&mut reader, &mut Vec::new()).await? {
            Answer::Ready { flow, congestion } => (flow, congestion),
            Answer::Refused { message, .. } => return Err(io::Error::other(message)),
            _ => return Err(io::ErrorKind::InvalidData.into()),
        };
        let congestion = match self.kind.heading {
            Heading::Up => congestion(&stream),
            Heading::Down => theirs,
        };
        let flow = LoadFlow {
            heading: self.kind.heading,
            dscp: self.kind.dscp,
            congestion,
            start,
            stop: start,
            received: Vec::new(),
            sender: Vec::new(),
        };
        Ok((stream, Loaded { number, flow }))
    }

    async fn connect(&self) -> io::Result<TcpStream> {
        let (server, FlowProperties { congestion, .. }) = (&self.common.server, &self.kind);
        let socket = if server.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
        set_dscp(&socket, self.kind.dscp)?;
        if let Some(segment) = self.kind.segment {
            set_max_segment(&socket, segment + TIMESTAMPS)?;
        }
        set_congestion(&socket, congestion);
        let stream = socket.connect(*server).await?;
        // Again: a route may have a congestion control of its own, which a connection takes.
        set_congestion(&stream, congestion);
        set_unsent_low_water(&stream, UNSENT)?;
        Ok(stream)
    }

    /// Sends until the flow is told to stop.
    async fn send(
        &self,
        stream: &TcpStream,
        flow: &mut LoadFlow,
        mut stop: watch::Receiver<bool>,
    ) -> io::Result<()> {
        let mut tick = interval(SAMPLE);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (noise, mut from) = (&self.common.noise, 0);
        loop {
            tokio::select! {
                biased;
                _ = stop.wait_for(|stop| *stop) => break,
                _ = tick.tick() => self.sample(stream, flow),
                ready = stream.ready(Interest::WRITABLE) => {
                    ready?;
                    again(|| {
                        from = (from + stream.try_write(&noise[from..])?) % noise.len();
                        Ok(())
                    })?;
                }
            }
        }
        self.sample(stream, flow);
        Ok(())
    }

    /// Receives until the flow is told to stop.
    async fn receive(
        &self,
        stream: &TcpStream,
        flow: &mut LoadFlow,
        mut stop: watch::Receiver<bool>,
    ) -> io::Result<()> {
        let mut tick = interval(SAMPLE);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut bytes = 0;
        loop {
            tokio::select! {
                biased;
                _ = stop.wait_for(|stop| *stop) => break,
                _ = tick.tick() => flow.received.push(self.receipt(stream, bytes)),
                ready = stream.ready(Interest::READABLE) => {
                    ready?;
                    let take = || discard(stream, CHUNK);
                    again(|| match stream.try_io(Interest::READABLE, take)? {
                        0 => Err(io::ErrorKind::UnexpectedEof.into()),
                        len => {
                            bytes += len as u64;
                            Ok(())
                        }
                    })?;
                    self.bytes.store(bytes, Ordering::Relaxed);
                }
            }
        }
        flow.received.push(self.receipt(stream, bytes));
        Ok(())
    }

    fn sample(&self, stream: &TcpStream, flow: &mut LoadFlow) {
        let at = self.common.clock.now();
        if let Ok(info) = tcp_info(stream) {
            self.bytes.store(info.acknowledged, Ordering::Relaxed);
            flow.sender.push(sample(at, &info));
        }
    }

    fn receipt(&self, stream: &TcpStream, bytes: u64) -> Receipt {
        let at = self.common.clock.now();
        let segments = tcp_info(stream).ok().map(|info| info.segments_received);
        Receipt { at, bytes: Bytes(bytes), segments }
    }
}

/// Does `work` several times in a row, but few enough that a sample is never late. That `work`
/// would block is no error.
fn again(mut work: impl FnMut() -> io::Result<()>) -> io::Result<()> {
    for _ in 0..8 {
        match work() {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn sample(at: Time, info: &TcpInfo) -> SenderSample {
    SenderSample {
        at,
        srtt: info.srtt,
        min_rtt: info.min_rtt,
        cwnd: info.cwnd,
        mss: info.mss,
        acknowledged: Bytes(info.acknowledged),
        sent: info.segments_sent,
        retransmitted: info.retransmitted,
        heard: info.all_segments_received,
        delivered: info.delivered,
        busy: info.busy,
        receiver_limited: info.receiver_limited,
        buffer_limited: info.buffer_limited,
        // The kernel counts no such time as busy.
        program_limited: Span::ZERO,
        delivery_rate: info.delivery_rate,
    }
}
