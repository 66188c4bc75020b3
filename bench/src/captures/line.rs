//! A random line with a capture, and the truth about it.

use std::fmt;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use observed::{between, one_of};
use results::QueueOwner;
use scenario::Scenario;
use tables::{Fate, FateSink, PacketFate};
use units::{DirectionId, Rng, Way};

/// What happens on the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// The connection fills the buffer alone.
    Own,
    /// The connection is alone in a queue that drops early.
    Managed,
    /// The connection has a queue of its own, beside those of others that send as much as they can.
    Fair,
    /// Others fill the buffer; the connection's program sends less than its share.
    Neighbours,
    /// Others have filled the buffer when the connection begins to send as much as it can.
    Joining,
    /// The connection's program sends less than the line carries, and nobody else sends.
    Quiet,
    /// The connection fills the buffer, and the line loses packets.
    Lossy,
    /// A policer drops what is above its rate.
    Policed,
    /// The connection fills the buffer, and others fill that of the way back, in which its acknowledgements wait.
    Back,
    /// The same, and the connection's program sends less than the line carries.
    QuietBack,
    /// The program sends a file, pauses, and sends the next one, each as fast as it can.
    Pausing,
}

impl Kind {
    const ALL: [Self; 11] = [
        Self::Own,
        Self::Managed,
        Self::Fair,
        Self::Neighbours,
        Self::Joining,
        Self::Quiet,
        Self::Lossy,
        Self::Policed,
        Self::Back,
        Self::QuietBack,
        Self::Pausing,
    ];

    /// True if this is whose queue it is. A connection that joins others fills the queue with them.
    pub(super) const fn is_owner(self, told: QueueOwner) -> bool {
        match self {
            Self::Own | Self::Managed | Self::Fair | Self::Lossy | Self::Back | Self::Pausing => {
                matches!(told, QueueOwner::Own)
            }
            Self::Neighbours => matches!(told, QueueOwner::Other),
            Self::Joining => matches!(told, QueueOwner::Own | QueueOwner::Other),
            Self::Quiet | Self::QuietBack | Self::Policed => matches!(told, QueueOwner::None),
        }
    }
}

impl Kind {
    /// True if others fill the buffer of the way back.
    const fn is_back(self) -> bool {
        matches!(self, Self::Back | Self::QuietBack)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Own => "own data in a buffer",
            Self::Managed => "own data in codel, pie, fq_codel or cake",
            Self::Fair => "own data in fq_codel or cake, beside others",
            Self::Neighbours => "others' data in a buffer",
            Self::Joining => "own data in a buffer that is full of others'",
            Self::Quiet => "hardly any data",
            Self::Lossy => "own data, and a lossy wire",
            Self::Policed => "own data at a policer",
            Self::Back => "own data in a buffer, others' in that of the way back",
            Self::QuietBack => "hardly any data, others' in the buffer of the way back",
            Self::Pausing => "own data in a buffer, with pauses",
        })
    }
}

/// A random line.
#[derive(Clone, Debug)]
pub(super) struct Line {
    seed: u64,
    pub(super) kind: Kind,
    pub(super) mbit: f64,
    /// The time there and back without a queue, in seconds.
    round_trip: f64,
    queue: String,
    congestion: &'static str,
    neighbours: u64,
    loss: f64,
    /// The size of a policer's bucket in bytes.
    burst: f64,
    /// The rate of the way back in Mbit/s, and the time for which its buffer lasts in seconds.
    back: (f64, f64),
    /// True if the connections have timestamps; they always have some while nothing waits on the way back.
    has_timestamps: bool,
    /// True if the connection begins while others have filled the buffer of the way back.
    is_late: bool,
    place: Place,
    /// The part of the way without a queue that is before the place in the middle.
    before: f64,
}

/// Where the capture is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Sender,
    /// Behind the queue, with a part of the way before it and a part behind it.
    Middle,
    Receiver,
}

/// The truth about a line, and its capture.
pub(super) struct Truth {
    pub(super) capture: Vec<u8>,
    /// The port of the connection's sender.
    pub(super) port: u16,
    /// The wait of the connection's packets in the queue, at the 95th percentile of time, in milliseconds.
    pub(super) added_p95_ms: f64,
    /// The longest of these waits.
    pub(super) added_most_ms: f64,
    /// Packets of the connection that were dropped since there was no room, by an algorithm, and on the wire.
    pub(super) drops: [u64; 3],
}

impl Line {
    /// The line of this seed.
    pub(super) fn new(seed: u64) -> Self {
        let mut random = Rng::new(seed).fork("capture");
        let kind = one_of(&mut random, &Kind::ALL);
        let mbit = between(&mut random, 1.0, 100.0);
        let buffer_s = between(&mut random, 0.02, 2.0);
        let bytes = (mbit * 1e6 / 8.0 * buffer_s).clamp(15_000.0, 2e6);
        let cake = format!("cake bandwidth {}kbit", (mbit * 1e3) as u64);
        let managed = one_of(&mut random, &["codel", "pie", "fq_codel", &cake]).to_owned();
        let fair = one_of(&mut random, &["fq_codel", &cake]).to_owned();
        Self {
            seed,
            kind,
            mbit,
            round_trip: between(&mut random, 0.005, 0.15),
            queue: match kind {
                Kind::Managed => managed,
                Kind::Fair => fair,
                // A bucket of tokens, with room for a single waiting packet.
                Kind::Policed => "pfifo limit 1p".into(),
                _ => format!("bfifo limit {bytes:.0}"),
            },
            congestion: one_of(&mut random, &["cubic", "cubic", "reno"]),
            neighbours: match kind {
                Kind::Fair => 1 + (random.next_f64() * 20.0) as u64,
                _ => 1 + (random.next_f64() * 3.0) as u64,
            },
            loss: between(&mut random, 0.0005, 0.02),
            place: match random.next_f64() {
                ..0.5 => Place::Sender,
                ..0.8 => Place::Middle,
                _ => Place::Receiver,
            },
            before: random.next_f64(),
            back: (between(&mut random, 0.5, 20.0).min(mbit), between(&mut random, 0.05, 1.0)),
            has_timestamps: random.next_f64() < 0.7 || !kind.is_back(),
            is_late: kind == Kind::Joining || kind.is_back() && random.next_f64() < 0.5,
            burst: (mbit * 1e6 / 8.0 * between(&mut random, 0.01, 0.5)).max(6e3),
        }
    }

    /// The time that a full packet takes on the line, in milliseconds.
    pub(super) fn packet_ms(&self) -> f64 {
        1514.0 * 8e-3 / self.mbit
    }

    /// True if the line loses packets, or a policer drops them.
    pub(super) const fn loses(&self) -> bool {
        matches!(self.kind, Kind::Lossy | Kind::Policed)
    }

    /// True if each connection has a queue of its own.
    pub(super) fn is_fair(&self) -> bool {
        self.queue == "fq_codel" || self.queue.starts_with("cake")
    }

    /// Simulates the line.
    ///
    /// # Panics
    /// If this is no valid scenario.
    pub(super) fn run(&self) -> Truth {
        let text = self.scenario();
        let scenario = Scenario::parse(&text, "line.toml", &[], &|_| unreachable!("no trace"))
            .unwrap_or_else(|error| panic!("{error}\n{text}"));
        let capture = Bytes::default();
        let fates = Arc::new(Mutex::new(Fates::default()));
        let (link, way) = match self.place {
            Place::Sender => (0, Way::Forward),
            Place::Middle => (1, Way::Forward),
            Place::Receiver => (1, Way::Reverse),
        };
        let options = sim::Options {
            pcap: Some(sim::PcapOptions {
                writer: Box::new(capture.clone()),
                direction: DirectionId::new(link, way),
                snap: 108,
            }),
            packets: Some(Box::new(fates.clone())),
            ..sim::Options::default()
        };
        sim::run(&scenario, options).expect("memory takes all");
        let fates = fates.lock().unwrap_or_else(PoisonError::into_inner);
        Truth {
            capture: std::mem::take(&mut capture.0.lock().unwrap_or_else(PoisonError::into_inner)),
            // The first connection of a scenario.
            port: 32_768,
            added_p95_ms: fates.p95_over_time(),
            added_most_ms: fates.waits.iter().map(|(_, wait)| *wait).fold(0.0, f64::max),
            drops: fates.drops,
        }
    }

    fn scenario(&self) -> String {
        let Self { seed, mbit, queue, congestion, .. } = self;
        let seconds = 20.0 + 4e6 / (mbit * 1e6 / 8.0);
        let delay = self.round_trip / 2.0 * 1e6;
        let [before, behind] = [self.before, 1.0 - self.before].map(|part| delay * part);
        let mut text = format!(
            "title = \"A captured line\"\nduration = \"{seconds:.0}s\"\nseed = {seed}\n[[link]]\nname = \
             \"line\"\nfrom = \"here\"\nto = \"middle\"\nrate = \"{}kbit\"\ndelay = \"{before:.0}us\"\n\
             queue = \"{queue}\"\n",
            (mbit * 1e3) as u64
        );
        if self.kind == Kind::Lossy {
            text += &format!("loss = {:.5}\n", self.loss);
        }
        if self.kind == Kind::Policed {
            text += &format!("shaper = true\nburst = \"{:.0}B\"\n", self.burst);
        }
        text += &self.reverse();
        text += &format!(
            "[[link]]\nname = \"rest\"\nfrom = \"middle\"\nto = \
             \"there\"\nrate = \"100gbit\"\ndelay = \"{behind:.0}us\"\n"
        );
        let part = match self.kind {
            Kind::Neighbours => Some(0.1),
            Kind::Quiet | Kind::QuietBack => Some(0.5),
            _ => None,
        };
        let rate = part.map(|part| format!("rate = \"{}kbit\"\n", (part * mbit * 1e3) as u64));
        let start = if self.is_late { "start = \"8s\"\n" } else { "" };
        let traffic = match self.kind {
            // A file that takes four seconds.
            Kind::Pausing => format!(
                "traffic = \"periodic\"\nbytes = \"{:.0}B\"\nidle = [\"1s\", \"3s\"]\n",
                mbit * 1e6 / 8.0 * 4.0
            ),
            _ => "traffic = \"bulk\"\n".into(),
        } + self.options();
        text += &format!(
            "[[flow]]\nname = \"connection\"\nfrom = \"here\"\nto = \"there\"\n{traffic}congestion = \
             \"{congestion}\"\n{}{start}",
            rate.unwrap_or_default()
        );
        let others = match self.kind {
            Kind::Neighbours | Kind::Joining | Kind::Fair => Some(("here", "there", 0)),
            kind if kind.is_back() => Some(("there", "here", if self.is_late { 0 } else { 3 })),
            _ => None,
        };
        for (number, (from, to, start)) in (0..self.neighbours).zip(others.into_iter().cycle()) {
            text += &format!(
                "[[flow]]\nname = \"other{number}\"\nfrom = \"{from}\"\nto = \"{to}\"\ntraffic = \
                 \"bulk\"\nstart = \"{}s\"\n{}",
                number + start,
                self.options()
            );
        }
        text
    }

    /// The TCP options of all flows.
    const fn options(&self) -> &'static str {
        if self.has_timestamps { "" } else { "timestamps = false\n" }
    }

    /// The way back of the line, which others may fill.
    fn reverse(&self) -> String {
        let (mbit, buffer_s) = self.back;
        match self.kind {
            kind if kind.is_back() => format!(
                "[link.reverse]\nrate = \"{:.0}kbit\"\nqueue = \"bfifo limit {:.0}\"\n",
                mbit * 1e3,
                (mbit * 1e6 / 8.0 * buffer_s).max(15_000.0)
            ),
            _ => "[link.reverse]\nrate = \"1gbit\"\n".into(),
        }
    }
}

/// A file in memory.
#[derive(Clone, Default)]
struct Bytes(Arc<Mutex<Vec<u8>>>);

impl Write for Bytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The fates of the connection's packets on their way to the receiver.
#[derive(Default)]
struct Fates {
    /// Of each delivered packet, when it left the queue in seconds, and its wait in milliseconds.
    waits: Vec<(f64, f64)>,
    /// Packets that were dropped since there was no room, by an algorithm, and on the wire.
    drops: [u64; 3],
}

impl FateSink for Fates {
    fn packet(&mut self, packet: &PacketFate<'_>) -> io::Result<()> {
        if (packet.direction, packet.link, packet.flow) != (Way::Forward, "line", "connection") {
            return Ok(());
        }
        match packet.fate {
            Fate::Delivered { departed } => {
                let wait = departed.since(packet.enqueued);
                self.waits.push((departed.as_secs_f64(), wait.as_millis_f64()));
            }
            Fate::DroppedFull => self.drops[0] += 1,
            Fate::DroppedAqm => self.drops[1] += 1,
            Fate::Lost { .. } => self.drops[2] += 1,
            Fate::Marked { .. } | Fate::DroppedAck => {}
        }
        Ok(())
    }
}

impl Fates {
    /// The wait at the 95th percentile of time, each as long as it was the latest one.
    fn p95_over_time(&self) -> f64 {
        /// The longest time that a wait stands for.
        const LONGEST_S: f64 = 0.2;
        let mut over_time: Vec<(f64, f64)> = self
            .waits
            .windows(2)
            .map(|two| (two[0].1, (two[1].0 - two[0].0).min(LONGEST_S)))
            .collect();
        over_time.sort_by(|one, other| one.0.total_cmp(&other.0));
        let mut left = 0.95 * over_time.iter().map(|(_, time)| time).sum::<f64>();
        let found = over_time.iter().find(|(_, time)| {
            left -= time;
            left <= 0.0
        });
        found.map_or(0.0, |(wait, _)| *wait)
    }
}
