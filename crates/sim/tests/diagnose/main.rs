//! The diagnosis against the simulator, where the truth is known.

mod path;

use path::{Measured, Path, Waited, Way};
use results::observation::Heading;
use results::{LoadedDirection, Measurement, QueueKind};

/// A kind of queue before a link of this rate, and what shall be found.
#[derive(Clone, Copy, Debug)]
enum Queue {
    /// Seconds that it holds, counted in bytes.
    Bytes(f64),
    /// Seconds that it holds of full packets, counted in packets.
    Packets(f64),
    /// As tc writes it.
    Aqm(&'static str),
    Fair(&'static str),
    /// Drops what is too much.
    Policer,
    /// A FIFO of so many seconds before a rate that goes up and down.
    Varying(f64),
}

impl Queue {
    fn way(self, mbit: f64) -> Way {
        let full = mbit * 1e6 / 8.0;
        let way = |queue: String, longest| Way {
            rate: format!("\"{}kbit\"", mbit * 1e3),
            mbit,
            queue,
            more: "",
            longest,
        };
        match self {
            Self::Bytes(seconds) => {
                way(format!("bfifo limit {}B", (full * seconds).round()), seconds)
            }
            Self::Packets(seconds) => {
                way(format!("pfifo limit {}p", (full * seconds / 1500.0).round()), seconds)
            }
            Self::Aqm(queue) | Self::Fair(queue) => way(queue.to_owned(), 0.3),
            Self::Policer => {
                let burst = (full * 0.02).max(6000.0);
                let more = if burst > 6000.0 {
                    "shaper = true\nburst = \"30kB\""
                } else {
                    "shaper = true\nburst = \"6kB\""
                };
                Way { more, ..way("pfifo limit 1p".to_owned(), 0.05) }
            }
            Self::Varying(seconds) => {
                let rates = [1.0, 0.5, 0.8, 0.3, 0.9, 0.6, 0.35, 0.75];
                let rows = (0..600).map(|index| {
                    let at = f64::from(index) * 0.15;
                    format!(
                        "[\"{at:.2}s\", \"{}kbit\"]",
                        mbit * 1e3 * rates[index as usize * 3 % 8]
                    )
                });
                let rate = format!("[{}]", rows.collect::<Vec<_>>().join(", "));
                let queue = format!("bfifo limit {}B", (full * seconds).round());
                Way { rate, ..way(queue, 2.0 * seconds) }
            }
        }
    }

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
}

/// How far a direction was missed.
struct Miss {
    /// Beyond 2 % or 2 ms, of the median and the 99th percentile; in milliseconds and as a part.
    p50: (f64, f64),
    p99: (f64, f64),
    /// Part of the buffer, where it has a size.
    buffer: Option<f64>,
    phantom_ms: f64,
    kind: (QueueKind, f64, bool),
}

fn judge(found: &LoadedDirection, waits: &[Waited], queue: Queue, mbit: f64) -> Miss {
    let [from, to] = found.window_s;
    let is_fair = matches!(queue, Queue::Fair(_));
    let within: Vec<(f64, f64)> = waits
        .iter()
        .filter(|one| one.at >= from && one.at < to && (!is_fair || one.is_probe))
        .map(|one| (one.at, one.wait * 1e3))
        .collect();
    let miss = |part: f64, found: Option<f64>| {
        let truth = over_time(&within, from, to, part);
        let found = found.unwrap_or(f64::INFINITY);
        (found - truth, (found - truth) / truth)
    };
    let full = mbit * 1e6 / 8.0;
    let size = match queue {
        Queue::Bytes(seconds) => Some((full * seconds).round()),
        Queue::Packets(seconds) => Some((full * seconds / 1500.0).round()),
        _ => None,
    };
    let buffer = found.buffer.unwrap_or_default();
    let buffer = match queue {
        Queue::Packets(_) => buffer.packets,
        _ => buffer.bytes,
    };
    let kind =
        found.queue.map_or((QueueKind::Unknown, 0.0), |queue| (queue.kind, queue.confidence));
    Miss {
        p50: miss(0.5, found.added_delay_ms.p50),
        p99: miss(0.99, found.added_delay_ms.p99),
        buffer: size.map(|size| buffer.unwrap_or(0.0) / size - 1.0),
        phantom_ms: found.opposite_delay_ms.p99.unwrap_or(f64::INFINITY),
        kind: (kind.0, kind.1, kind.0 == queue.kind()),
    }
}

/// The value that so much of the time is not exceeded by the packet that came last.
fn over_time(samples: &[(f64, f64)], from: f64, to: f64, part: f64) -> f64 {
    let next = samples.iter().skip(1).map(|sample| sample.0).chain([to]);
    let mut weighted: Vec<(f64, f64)> =
        samples.iter().zip(next).map(|(sample, next)| (sample.1, next - sample.0)).collect();
    weighted.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut left = (to - from) * part;
    for (value, weight) in weighted {
        left -= weight;
        if left <= 0.0 {
            return value;
        }
    }
    f64::NAN
}

#[test]
#[ignore = "a table for those who work on the diagnosis; takes minutes"]
fn matrix() {
    let filter = std::option_env!("NEVER").unwrap_or("");
    let _ = filter;
    let mut right = 0;
    let mut all = 0;
    for (mbit, round_trip) in [(2.0, 0.02), (1.0, 0.1), (10.0, 0.001), (20.0, 0.04), (50.0, 0.01)] {
        for queue in QUEUES {
            let path = path(queue, queue, mbit, mbit, round_trip);
            let Measured { observations, waits } = path.measure();
            let found = diagnose::diagnose(&observations);
            for heading in [Heading::Up, Heading::Down] {
                let (is_right, line) = line(&found, &waits, queue, mbit, heading);
                all += 1;
                right += u32::from(is_right);
                println!("{mbit:>5} {:>4.0}ms {line}", round_trip * 1e3);
            }
        }
    }
    println!("{right} of {all} kinds right");
}

fn line(
    found: &Measurement,
    waits: &[Vec<Waited>; 2],
    queue: Queue,
    mbit: f64,
    heading: Heading,
) -> (bool, String) {
    let (direction, waits) = match heading {
        Heading::Up => (&found.upload, &waits[0]),
        Heading::Down => (&found.download, &waits[1]),
    };
    let direction = direction.clone().unwrap_or_default();
    let miss = judge(&direction, waits, queue, mbit);
    let name = format!("{queue:?}");
    let (kind, confidence, right) = miss.kind;
    let text = format!(
        "{heading:?} {name:<34.34} rate {:6.2}/{mbit} p50 {:8.2} ({:+6.2}ms {:+5.1}%) p99 {:8.2} ({:+6.2}ms {:+5.1}%) flow {:7.2} phantom {:5.2} loss {:.4} again {:.4} buffer {} {:?} {:.2}{}",
        direction.rate_mbit.unwrap_or(0.0),
        direction.added_delay_ms.p50.unwrap_or(0.0),
        miss.p50.0,
        miss.p50.1 * 100.0,
        direction.added_delay_ms.p99.unwrap_or(0.0),
        miss.p99.0,
        miss.p99.1 * 100.0,
        direction.flow_delay_ms.p50.unwrap_or(0.0),
        miss.phantom_ms,
        direction.loss.unwrap_or(0.0),
        direction.retransmitted.unwrap_or(0.0),
        miss.buffer.map_or("-".to_owned(), |part| format!("{:+.1}%", part * 100.0)),
        kind,
        confidence,
        if right { "" } else { " <----" },
    );
    (right, text)
}

const QUEUES: [Queue; 11] = [
    Queue::Bytes(0.2),
    Queue::Bytes(1.0),
    Queue::Bytes(0.03),
    Queue::Packets(0.5),
    Queue::Aqm("codel"),
    Queue::Aqm("pie"),
    Queue::Aqm("red limit 300kB min 30kB max 90kB avpkt 1000 burst 50 probability 0.1"),
    Queue::Fair("fq_codel"),
    Queue::Fair("fq_cobalt"),
    Queue::Policer,
    Queue::Varying(0.3),
];

fn path(up: Queue, down: Queue, up_mbit: f64, down_mbit: f64, round_trip: f64) -> Path {
    Path {
        up: up.way(up_mbit),
        down: down.way(down_mbit),
        round_trip,
        ahead: |_| 0.0,
        flows: 4,
        small: true,
        seed: 1,
    }
}
