//! Random lines of homes, with their true properties.

use std::fmt;

use link::{Cells, Framing};
use observation::Heading;
use observed::{Bottleneck, DrawnQueue, Neighbour, Path, between, one_of};
use remedy::LinkKind;
use results::WireCells;
use units::{Bytes, Rng};

/// A line, and its true properties.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// The kind of the line.
    pub(super) link: &'static LinkKind,
    /// The line with all that is beyond it.
    pub(super) path: Path,
    /// The queues of the line's ends, up and down.
    pub(super) queues: [DrawnQueue; 2],
    /// What is unusual about the line.
    pub(super) trouble: Trouble,
}

/// What is unusual about a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Trouble {
    /// Nothing.
    Nothing,
    /// A managed queue is there already.
    Managed,
    /// A policer drops the excess.
    Policer,
    /// The rate varies.
    Varying,
    /// Others at home use the line meanwhile.
    Others,
    /// A slower queue follows, beyond the line.
    Beyond,
    /// The line loses packets at random.
    Loss,
}

impl Trouble {
    pub(super) const ALL: [Self; 7] = [
        Self::Nothing,
        Self::Managed,
        Self::Policer,
        Self::Varying,
        Self::Others,
        Self::Beyond,
        Self::Loss,
    ];

    /// The trouble in words.
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::Nothing => "a plain buffer",
            Self::Managed => "CoDel, PIE, RED or a fair queue there already",
            Self::Policer => "a policer",
            Self::Varying => "a rate that varies",
            Self::Others => "others use the line during the test",
            Self::Beyond => "a slower queue beyond the line",
            Self::Loss => "random loss",
        }
    }
}

/// The largest buffer in bytes: a larger one takes minutes to fill.
const MOST: f64 = 4e6;

/// The bytes of a full packet.
const FULL: f64 = 1500.0;

/// Gentle RED, for some hundred kilobytes.
const RED: &str = "red limit 300kB min 30kB max 90kB avpkt 1000 burst 50 probability 0.1";

impl Line {
    /// The line of this seed.
    pub(super) fn new(seed: u64) -> Self {
        let mut random = Rng::new(seed).fork("line");
        let (link, [up, down]) = kind(&mut random);
        let mut path = Path {
            round_trip: 1e-3 * between(&mut random, 2.0, 150.0),
            framing: framing(link),
            ahead: |at| 20e-6 * at,
            noise: between(&mut random, 0.05e-3, 1e-3),
            congestion: ["cubic", one_of(&mut random, &["cubic", "cubic", "reno"])],
            offload: random.next_f64() < 0.5,
            // About as long as a load of `unbloat test`, and shorter where packets are many.
            filling: if up.max(down) > 150.0 { 5.0 } else { 8.0 },
            ..Path::new(seed)
        };
        let trouble = trouble(&mut random);
        let queues = [up, down].map(|mbit| queue(&mut random, trouble, mbit));
        let is_shaper = random.next_f64() < 0.3;
        path.up = queues[0].way(up, is_shaper);
        path.down = queues[1].way(down, is_shaper);
        let mut line = Self { link, path, queues, trouble };
        line.add_trouble(&mut random);
        line
    }

    fn add_trouble(&mut self, random: &mut Rng) {
        let path = &mut self.path;
        let rates = [path.up.mbit, path.down.mbit];
        match self.trouble {
            Trouble::Others => path.neighbours = vec![neighbour(random, rates)],
            Trouble::Beyond => {
                let part = between(random, 0.4, 0.9);
                path.beyond =
                    Some(rates.map(|mbit| fifo(random, part * mbit).way(part * mbit, false)));
            }
            Trouble::Loss => {
                let loss = format!("\nloss = {}", between(random, 1e-4, 0.01));
                path.up.more += &loss;
                path.down.more += &loss;
            }
            _ => {}
        }
    }

    /// The time that a full packet takes in the slower direction, in milliseconds.
    pub(super) fn packet_ms(&self) -> f64 {
        let mbit = self.path.up.mbit.min(self.path.down.mbit);
        self.path.framing.frame(Bytes(1500)).0 as f64 * 8e-3 / mbit
    }

    /// The line's own bottleneck of a direction.
    pub(super) fn way(&self, heading: Heading) -> &Bottleneck {
        match heading {
            Heading::Up => &self.path.up,
            Heading::Down => &self.path.down,
        }
    }
}

/// A kind of line, and its rates up and down in Mbit/s, cells and headers included.
fn kind(random: &mut Rng) -> (&'static LinkKind, [f64; 2]) {
    let family = one_of(random, &["adsl", "vdsl2", "docsis", "ethernet"]);
    let down = match family {
        "adsl" => between(random, 1.0, 24.0),
        "vdsl2" => rate(random, 10.0, 250.0),
        "docsis" => rate(random, 10.0, 1000.0),
        _ => rate(random, 0.5, 1000.0),
    };
    let up = match family {
        "adsl" => between(random, 0.5, (down / 2.0).min(3.0)),
        "vdsl2" => down / between(random, 2.5, 10.0),
        "docsis" => down / between(random, 5.0, 30.0),
        _ => down / between(random, 1.0, 20.0),
    };
    let up = up.max(0.5);
    let kinds: Vec<&LinkKind> =
        LinkKind::ALL.iter().filter(|kind| kind.name.starts_with(family)).collect();
    (one_of(random, &kinds), [up, down])
}

/// A rate between these bounds. The logarithm of half of all rates is in the lower 35 % of the range: slow
/// lines are the hard ones, and fast ones have so many packets.
fn rate(random: &mut Rng, slowest: f64, fastest: f64) -> f64 {
    let part = random.next_f64();
    slowest * libm::pow(fastest / slowest, part * part.sqrt())
}

/// The framing of a kind. No packet of a run is as short as the kind's smallest, so that a link needs
/// no such bound.
fn framing(link: &LinkKind) -> Framing {
    let cells = match link.cells {
        WireCells::None => Cells::None,
        WireCells::Atm => Cells::Atm,
        WireCells::Ptm => Cells::Ptm,
    };
    Framing { overhead: Bytes(link.overhead.into()), cells }
}

/// What is unusual about a line: nothing with three of five.
fn trouble(random: &mut Rng) -> Trouble {
    match random.next_f64() {
        ..0.06 => Trouble::Managed,
        ..0.10 => Trouble::Policer,
        ..0.16 => Trouble::Varying,
        ..0.26 => Trouble::Others,
        ..0.32 => Trouble::Beyond,
        ..0.40 => Trouble::Loss,
        _ => Trouble::Nothing,
    }
}

fn queue(random: &mut Rng, trouble: Trouble, mbit: f64) -> DrawnQueue {
    match trouble {
        Trouble::Managed => match random.next_f64() {
            ..0.6 => DrawnQueue::Managed(one_of(random, &["codel", "pie", RED])),
            _ => DrawnQueue::Fair(one_of(random, &["fq_codel", "fq_cobalt"])),
        },
        Trouble::Policer => DrawnQueue::Policer,
        Trouble::Varying => DrawnQueue::Varying(between(random, 0.05, 0.5) * mbit * 1e6 / 8.0),
        _ => fifo(random, mbit),
    }
}

/// A FIFO of 5 ms to 3 s, counted in bytes or in packets.
fn fifo(random: &mut Rng, mbit: f64) -> DrawnQueue {
    let bytes = (between(random, 0.005, 3.0) * mbit * 1e6 / 8.0).clamp(3.0 * FULL, MOST);
    match random.next_f64() < 0.5 {
        true => DrawnQueue::Bytes(bytes.round()),
        false => DrawnQueue::Packets((bytes / FULL).round()),
    }
}

/// Somebody else at home, who uses the line all the time or for a part of the test.
fn neighbour(random: &mut Rng, [up, down]: [f64; 2]) -> Neighbour {
    let heading = one_of(random, &[Heading::Up, Heading::Down]);
    let rate = if heading == Heading::Up { up } else { down };
    let mbit = (random.next_f64() < 0.5).then(|| rate * (0.1 + 0.5 * random.next_f64()));
    let flows = if mbit.is_some() { 1 } else { 1 + (random.next_f64() * 3.0) as u32 };
    let from = 0.5 * random.next_f64();
    let during = if random.next_f64() < 0.6 { [0.0, 1.0] } else { [from, from + 0.3] };
    Neighbour { heading, mbit, flows, during }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Path { up, down, round_trip, neighbours, beyond, .. } = &self.path;
        write!(f, "{}, up {:.2} Mbit/s {:.0?}, ", self.link.name, up.mbit, self.queues[0])?;
        write!(f, "down {:.2} Mbit/s {:.0?}, ", down.mbit, self.queues[1])?;
        write!(f, "{:.0} ms, {}", round_trip * 1e3, self.trouble.words())?;
        for Neighbour { heading, mbit, flows, during } in neighbours {
            let what = mbit.map_or("TCP".to_owned(), |mbit| format!("{mbit:.2} Mbit/s UDP"));
            write!(f, " ({heading:?} {flows} {what} {during:.2?})")?;
        }
        if let Some([up, down]) = beyond {
            write!(f, " ({:.2} {} / {:.2} {})", up.mbit, up.queue, down.mbit, down.queue)?;
        }
        Ok(())
    }
}
