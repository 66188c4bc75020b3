//! The deviation of a diagnosis from the truth.

use std::fmt;

use observation::Heading;
use results::{LoadedDirection, QueueKind};

use observed::{Bottleneck, Path, Waited, over_time};

/// The queue in front of a link.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Queue {
    /// A FIFO of this many seconds, counted in bytes.
    Bytes(f64),
    /// A FIFO of this many seconds of full packets, counted in packets.
    Packets(f64),
    /// One managed queue, in tc's words.
    Aqm(&'static str),
    /// A queue for each flow.
    Fair(&'static str),
    /// A policer, which drops the excess.
    Policer,
    /// A FIFO of this many seconds in front of a rate that varies.
    Varying(f64),
}

impl Queue {
    /// The queue in front of a link of this rate.
    pub(crate) fn way(self, mbit: f64) -> Bottleneck {
        let kbit = mbit * 1e3;
        let (queue, longest) = match self {
            Self::Bytes(seconds) => (format!("bfifo limit {}B", bytes(mbit, seconds)), seconds),
            Self::Packets(seconds) => (format!("pfifo limit {}p", packets(mbit, seconds)), seconds),
            Self::Aqm(queue) | Self::Fair(queue) => (queue.to_owned(), 0.3),
            Self::Policer => ("pfifo limit 1p".to_owned(), 0.05),
            Self::Varying(seconds) => {
                (format!("bfifo limit {}B", bytes(mbit, seconds)), 2.0 * seconds)
            }
        };
        let rate = match self {
            Self::Varying(_) => varying(kbit),
            _ => format!("\"{kbit}kbit\""),
        };
        // A token bucket, with room for a single waiting packet.
        let more = match self {
            Self::Policer if mbit > 2.0 => "shaper = true\nburst = \"30kB\"",
            Self::Policer => "shaper = true\nburst = \"6kB\"",
            _ => "",
        };
        Bottleneck { rate, mbit, queue, more: more.to_owned(), longest }
    }

    /// The kind that the diagnosis should find.
    fn kind(self) -> QueueKind {
        match self {
            Self::Bytes(_) => QueueKind::ByteFifo,
            Self::Packets(_) => QueueKind::PacketFifo,
            Self::Aqm(_) => QueueKind::Aqm,
            Self::Fair(_) => QueueKind::FairQueueing,
            Self::Policer => QueueKind::Policer,
            Self::Varying(_) => QueueKind::VariableRate,
        }
    }

    /// The queue's size in the unit that it counts.
    fn size(self, mbit: f64) -> Option<f64> {
        match self {
            Self::Bytes(seconds) => Some(bytes(mbit, seconds)),
            Self::Packets(seconds) => Some(packets(mbit, seconds)),
            _ => None,
        }
    }
}

fn bytes(mbit: f64, seconds: f64) -> f64 {
    (mbit * 1e6 / 8.0 * seconds).round()
}

fn packets(mbit: f64, seconds: f64) -> f64 {
    (bytes(mbit, seconds) / 1500.0).round()
}

/// A schedule that sets the rate every 150 ms to a value between a third and all of it.
fn varying(kbit: f64) -> String {
    const PARTS: [f64; 8] = [1.0, 0.5, 0.8, 0.3, 0.9, 0.6, 0.35, 0.75];
    let row = |index: usize| {
        let (at, part) = (index as f64 * 0.15, PARTS[index * 3 % PARTS.len()]);
        format!("[\"{at:.2}s\", \"{}kbit\"]", kbit * part)
    };
    format!("[{}]", (0..900).map(row).collect::<Vec<_>>().join(", "))
}

/// A path with the same queue and rate in both directions.
pub(crate) fn path(queue: Queue, mbit: f64, round_trip: f64) -> Path {
    let way = queue.way(mbit);
    Path { up: way.clone(), down: way, round_trip, ahead: |_| 0.0, ..Path::new(1) }
}

/// A direction that was diagnosed, beside the truth.
#[derive(Debug)]
pub(crate) struct Judged {
    heading: Heading,
    queue: Queue,
    mbit: f64,
    found: LoadedDirection,
    /// The true waits in milliseconds: median and 99th percentile.
    truth: [f64; 2],
    /// The excess of the stated 99th percentile in the opposite direction over the true one.
    pub(crate) phantom: f64,
}

impl Judged {
    /// The judgement of a direction with this queue. `waits` are those of this and of the opposite
    /// direction.
    pub(crate) fn new(
        heading: Heading,
        (queue, mbit): (Queue, f64),
        found: LoadedDirection,
        waits: [&[Waited]; 2],
    ) -> Self {
        // Where each flow has a queue, a probe's delay is that in the probe's own queue.
        let is_fair = matches!(queue, Queue::Fair(_));
        let truth = |part| over_time(waits[0], found.window_s, part, is_fair);
        let truth = [truth(0.5), truth(0.99)];
        let opposite = over_time(waits[1], found.window_s, 0.99, true);
        let phantom = found.opposite_delay_ms.p99.unwrap_or(f64::INFINITY) - opposite;
        Self { heading, queue, mbit, found, truth, phantom }
    }

    /// The differences from the truth in milliseconds: median and 99th percentile. `None` where the
    /// diagnosis states no delay.
    fn off(&self) -> [Option<f64>; 2] {
        let found = [self.found.added_delay_ms.p50, self.found.added_delay_ms.p99];
        [0, 1].map(|index| Some(found[index]? - self.truth[index]))
    }

    /// True if the delays are stated and within 2 % or 2 ms.
    pub(crate) fn delays_are_right(&self) -> bool {
        self.off()[1].is_some() && self.stated_delays_are_right()
    }

    /// True if the median is stated and each stated delay is within 2 % or 2 ms.
    pub(crate) fn stated_delays_are_right(&self) -> bool {
        let [p50, p99] = self.off();
        let is_near = |off: f64, truth: f64| off.abs() <= (0.02 * truth).max(2.0);
        p50.is_some_and(|off| is_near(off, self.truth[0]))
            && p99.is_none_or(|off| is_near(off, self.truth[1]))
    }

    /// True if the rate is within 2 % of the line's. Of a full segment of 1500 bytes 1448 are for
    /// the application; up to a twentieth of a slow line goes to what the test sends beside the
    /// load.
    pub(crate) fn rate_is_right(&self) -> bool {
        let rate = self.found.rate_mbit.map(|mbit| mbit / self.mbit);
        let goodput = self.found.goodput_mbit.map(|mbit| mbit / self.mbit * 1500.0 / 1448.0);
        rate.is_some_and(|part| (0.98..1.02).contains(&part))
            && goodput.is_some_and(|part| (0.95..1.0).contains(&part))
    }

    /// True if the kind is stated as definite and not as a possibility.
    pub(crate) fn kind_is_said(&self) -> bool {
        self.found.queue.is_some_and(|queue| queue.confidence >= 0.7)
    }

    /// True if the kind is right. A FIFO without a statement on what it counts is not wrong.
    pub(crate) fn kind_is_right(&self) -> bool {
        let is_fifo = matches!(self.queue, Queue::Bytes(_) | Queue::Packets(_));
        self.found.queue.is_some_and(|queue| {
            queue.kind == self.queue.kind() || is_fifo && queue.kind == QueueKind::Fifo
        })
    }

    /// The part by which the buffer's size was missed, if it has one.
    pub(crate) fn buffer_off(&self) -> Option<f64> {
        let buffer = self.found.buffer.unwrap_or_default();
        let found = match self.queue {
            Queue::Packets(_) => buffer.packets,
            _ => buffer.bytes,
        };
        Some(found.unwrap_or(0.0) / self.queue.size(self.mbit)? - 1.0)
    }
}

impl fmt::Display for Judged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { heading, queue, mbit, found, truth, phantom } = self;
        let [p50, p99] = self.off().map(|off| off.unwrap_or(f64::NAN));
        let rate = found.rate_mbit.unwrap_or(0.0);
        write!(f, "{:<30.30} {heading:<4?} {rate:7.2} of {mbit} Mbit/s", format!("{queue:?}"))?;
        write!(f, "  p50 {:8.2} {p50:+6.2} ms  p99 {:8.2} {p99:+6.2} ms", truth[0], truth[1])?;
        write!(f, "  phantom {phantom:5.2} ms")?;
        let part = |part: Option<f64>| part.unwrap_or(0.0) * 100.0;
        let flows = found.flow_delay_ms.p50.unwrap_or(0.0);
        write!(f, "  flows {flows:7.2} ms, again {:5.2} %", part(found.retransmitted))?;
        write!(f, ", probes lost {:5.2} %", part(found.loss))?;
        let right = if self.kind_is_right() { "" } else { " (wrong)" };
        let kind = found.queue.map(|queue| (queue.kind, (queue.confidence * 100.0).round()));
        write!(f, "  {kind:?}{right}")?;
        let at_least = if found.buffer.is_some_and(|one| one.at_least) { " at least" } else { "" };
        self.buffer_off().map_or(Ok(()), |off| write!(f, "{at_least} {:+.1} %", off * 100.0))
    }
}
