//! Random paths, with their true properties.

use std::fmt;

use observation::Heading;
use units::Rng;

use crate::path::{Bottleneck, Neighbour, Path};

/// The queue in front of a bottleneck.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DrawnQueue {
    /// A FIFO of this many bytes.
    Bytes(f64),
    /// A FIFO of this many packets.
    Packets(f64),
    /// One managed queue, in the syntax of `tc`.
    Managed(&'static str),
    /// A queue for each flow, in the syntax of `tc`.
    Fair(&'static str),
    /// A policer, which drops the excess.
    Policer,
    /// A FIFO of this many bytes in front of a rate that varies.
    Varying(f64),
    /// No queue: the ends are slower than the link.
    Nothing,
}

/// A path and its true properties.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// The path.
    pub path: Path,
    /// The bottlenecks, up and down.
    pub kinds: [DrawnQueue; 2],
    /// The part of packets that the wire loses, in each direction.
    pub loss: f64,
}

/// Gentle RED, for some hundred kilobytes.
const RED: &str = "red limit 300kB min 30kB max 90kB avpkt 1000 burst 50 probability 0.1";

/// The bytes of a full packet.
const FULL: f64 = 1500.0;

/// The largest buffer, in bytes: a larger one takes minutes to fill.
const MOST: f64 = 2e6;

impl Drawn {
    /// The path of this seed.
    pub fn new(seed: u64) -> Self {
        let mut random = Rng::new(seed).fork("path");
        let down = between(&mut random, 0.5, 100.0);
        let up = (down / between(&mut random, 1.0, 40.0)).max(0.5);
        let round_trip = 0.08 * random.next_f64();
        let mut path = Path {
            round_trip,
            ahead: |at| 20e-6 * at,
            noise: between(&mut random, 0.05e-3, 1e-3),
            congestion: ["cubic", one_of(&mut random, &["cubic", "cubic", "reno"])],
            offload: random.next_f64() < 0.5,
            ..Path::new(seed)
        };
        (path.up.mbit, path.down.mbit) = (up, down);
        let mut drawn = Self { path, kinds: [DrawnQueue::Nothing; 2], loss: 0.0 };
        drawn.kinds = [up, down].map(|mbit| fifo(&mut random, mbit));
        drawn.special(&mut random);
        let is_shaper = random.next_f64() < 0.5;
        for (index, kind) in drawn.kinds.into_iter().enumerate() {
            let way = if index == 0 { &mut drawn.path.up } else { &mut drawn.path.down };
            let faster = if kind == DrawnQueue::Nothing { 4.0 } else { 1.0 };
            *way = kind.way(faster * way.mbit, is_shaper);
            if drawn.loss > 0.0 {
                way.more += &format!("\nloss = {}", drawn.loss);
            }
        }
        drawn
    }

    /// Gives half of all paths a peculiarity.
    fn special(&mut self, random: &mut Rng) {
        let of = random.next_f64();
        let [up, down] = [self.path.up.mbit, self.path.down.mbit];
        match of {
            ..0.07 => {
                self.kinds = [DrawnQueue::Managed(one_of(random, &["codel", "pie", RED])); 2];
            }
            ..0.14 => {
                self.kinds = [DrawnQueue::Fair(one_of(random, &["fq_codel", "fq_cobalt"])); 2];
            }
            ..0.18 => self.kinds = [DrawnQueue::Policer; 2],
            ..0.22 => {
                self.kinds = [up, down].map(|mbit| DrawnQueue::Varying(0.3 * mbit * 1e6 / 8.0));
            }
            ..0.25 => {
                self.kinds = [DrawnQueue::Nothing; 2];
                self.path.most = Some(up.min(down));
            }
            ..0.36 => self.path.neighbours = vec![neighbour(random, [up, down])],
            ..0.41 => self.path.favours_probes = true,
            ..0.46 => {
                let factor = between(random, 1.05, 3.0);
                let beyond = [up, down].map(|mbit| {
                    let kind = fifo(random, mbit * factor);
                    kind.way(mbit * factor, false)
                });
                self.path.beyond = Some(beyond);
            }
            ..0.51 => self.loss = between(random, 0.002, 0.03),
            ..0.54 => self.path.starved = Some(between(random, 5e-3, 0.1)),
            _ => {}
        }
    }

    /// The bottleneck of a direction.
    pub fn kind(&self, heading: Heading) -> DrawnQueue {
        self.kinds[usize::from(heading == Heading::Down)]
    }

    /// The rate of a direction's bottleneck, in Mbit/s.
    pub fn mbit(&self, heading: Heading) -> f64 {
        match heading {
            Heading::Up => self.path.up.mbit,
            Heading::Down => self.path.down.mbit,
        }
    }
}

impl DrawnQueue {
    /// The bottleneck of this rate in Mbit/s with this queue. With `is_shaper` a token bucket keeps the
    /// rate, and not a wire.
    pub fn way(self, mbit: f64, is_shaper: bool) -> Bottleneck {
        let seconds = |bytes: f64| bytes * 8e-6 / mbit;
        let (queue, longest) = match self {
            Self::Bytes(bytes) => (format!("bfifo limit {bytes:.0}B"), seconds(bytes)),
            Self::Packets(packets) => {
                (format!("pfifo limit {packets:.0}p"), seconds(packets * FULL))
            }
            Self::Managed(queue) | Self::Fair(queue) => (queue.to_owned(), 0.3),
            Self::Policer => ("pfifo limit 1p".to_owned(), 0.05),
            Self::Varying(bytes) => (format!("bfifo limit {bytes:.0}B"), 2.0 * seconds(bytes)),
            Self::Nothing => ("pfifo limit 1000p".to_owned(), 0.05),
        };
        let rate = match self {
            Self::Varying(_) => varying(mbit * 1e3),
            _ => format!("\"{}kbit\"", mbit * 1e3),
        };
        // A token bucket, with room for a single waiting packet.
        let more = match self {
            Self::Policer if mbit > 2.0 => "shaper = true\nburst = \"30kB\"",
            Self::Policer => "shaper = true\nburst = \"6kB\"",
            _ if is_shaper => "shaper = true\nburst = \"1600B\"",
            _ => "",
        };
        Bottleneck { rate, mbit, queue, more: more.to_owned(), longest }
    }
}

impl fmt::Display for Drawn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Path { up, down, round_trip, neighbours, beyond, .. } = &self.path;
        let [of_up, of_down] = self.kinds;
        write!(f, "seed {}: up {:.2} Mbit/s {of_up:.0?}, ", self.path.seed, up.mbit)?;
        write!(f, "down {:.2} Mbit/s {of_down:.0?}, ", down.mbit)?;
        write!(f, "{:.0} ms, {}", round_trip * 1e3, self.path.congestion[1])?;
        for Neighbour { heading, mbit, flows, during } in neighbours {
            let what = mbit.map_or("TCP".to_owned(), |mbit| format!("{mbit:.2} Mbit/s UDP"));
            write!(f, ", neighbour {heading:?} {flows} {what} {during:.2?}")?;
        }
        if let Some([up, down]) = beyond {
            write!(f, ", beyond {:.1} {} / {:.1} {}", up.mbit, up.queue, down.mbit, down.queue)?;
        }
        let said = [
            (self.path.favours_probes, ", probes favoured"),
            (self.path.most.is_some(), ", ends limit"),
            (self.path.starved.is_some(), ", machine starved"),
            (self.loss > 0.0, ", random loss"),
        ];
        said.iter().filter(|(is, _)| *is).try_for_each(|(_, words)| f.write_str(words))
    }
}

/// A random value between these bounds, uniform in its logarithm.
pub fn between(random: &mut Rng, low: f64, high: f64) -> f64 {
    low * libm::pow(high / low, random.next_f64())
}

/// One of these, each as likely as the others.
pub fn one_of<T: Copy>(random: &mut Rng, these: &[T]) -> T {
    these[(random.next_f64() * these.len() as f64) as usize]
}

/// A FIFO of five packets to eight seconds, counted in bytes or in packets.
fn fifo(random: &mut Rng, mbit: f64) -> DrawnQueue {
    let least = 5.0 * FULL;
    let most = (8.0 * mbit * 1e6 / 8.0).clamp(least, MOST);
    let bytes = between(random, least, most).round();
    match random.next_f64() < 0.5 {
        true => DrawnQueue::Bytes(bytes),
        false => DrawnQueue::Packets((bytes / FULL).round().max(5.0)),
    }
}

fn neighbour(random: &mut Rng, [up, down]: [f64; 2]) -> Neighbour {
    let heading = if random.next_f64() < 0.5 { Heading::Up } else { Heading::Down };
    let rate = if heading == Heading::Up { up } else { down };
    let is_udp = random.next_f64() < 0.5;
    let mbit = is_udp.then(|| rate * (0.2 + 0.5 * random.next_f64()));
    let flows = if is_udp { 1 } else { 1 + (random.next_f64() * 3.0) as u32 };
    let during = match random.next_f64() < 0.6 {
        true => [0.0, 1.0],
        false => {
            let from = 0.1 + 0.5 * random.next_f64();
            [from, from + 0.15]
        }
    };
    Neighbour { heading, mbit, flows, during }
}

/// A schedule that sets the rate every 150 ms to a value between a third and all of it.
fn varying(kbit: f64) -> String {
    const PARTS: [f64; 8] = [1.0, 0.5, 0.8, 0.3, 0.9, 0.6, 0.35, 0.75];
    let row = |index: usize| {
        let (at, part) = (index as f64 * 0.15, PARTS[index * 3 % PARTS.len()]);
        format!("[\"{at:.2}s\", \"{}kbit\"]", kbit * part)
    };
    format!("[{}]", (0..3000).map(row).collect::<Vec<_>>().join(", "))
}
