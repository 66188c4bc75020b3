//! Queues written as `tc qdisc` writes them: `fq_codel limit 10240p quantum 1514 ecn`.
//!
//! The output of `tc qdisc show` is accepted as it stands, and so are the arguments of `tc qdisc
//! add|replace ...`; the words that say where a queue is attached are discarded. An option or a
//! queue of tc that is not modelled here is an error that says so.
//!
//! Sizes: tc's own forms `b`, `Kb`, `Mb`, `Gb` (and `k`, `m`, `g`) are bytes and powers of 1024 as
//! in tc; `kB`, `MB`, `GB` are powers of 1000 and `KiB`, `MiB`, `GiB` powers of 1024; a bare number
//! is bytes. Times need a unit.
//!
//! The options of a discipline, those beyond tc among them, are described at its settings: see the
//! variants of [`QdiscSpec`](crate::QdiscSpec).

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use units::{Bytes, Rate, Rng, Time, nearest};

use crate::stats::DisciplineStats;
use crate::{Headers, Qdisc};

mod number;
mod prefix;
mod rate;
mod size;
mod syntax;
mod time;
mod words;

pub(crate) use rate::TcRate;
pub(crate) use size::TcSize;
pub(crate) use syntax::Syntax;
pub(crate) use words::{Word, Words, name_of};

/// The properties of the link that a queue feeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LinkInfo {
    /// The link's rate, from which RED derives its settings and COBALT its guard.
    pub rate: Rate,
    /// The longest packet as the queue counts it, for the guards of CoDel, COBALT and PIE.
    pub mtu: Bytes,
}

impl LinkInfo {
    /// A link of this rate, whose longest packet has this length.
    pub const fn new(rate: Rate, mtu: Bytes) -> Self {
        Self { rate, mtu }
    }
}

/// The settings of one kind of queue discipline, and how to build it. [`Display`](fmt::Display)
/// writes all settings, defaults included, in the words of tc; the text reads back as the same
/// value.
pub trait Discipline: Clone + fmt::Debug + Default + fmt::Display + PartialEq {
    /// The name of this kind of queue: tc's where tc has it.
    const KIND: &'static str;
    /// The shortest text that describes a queue of this kind; its settings are the default ones.
    const SHORTEST: &'static str = Self::KIND;
    /// Further texts, for tests: limits and times are so small that some hundred packets reach
    /// every state, and each of these queues drops or marks before it overflows if it has a
    /// controller.
    const EXAMPLES: &'static [&'static str];
    /// The queue itself.
    type Queue<P: Headers>: Qdisc<P>;
    /// The statistics of the queue.
    type Stats: DisciplineStats;

    /// Creates an empty queue with these settings. All its randomness comes from `rng`.
    fn build<P: Headers>(&self, link: LinkInfo, rng: Rng) -> Self::Queue<P>;

    /// The state of the queue at `now`, as `tc -s` shows it.
    fn stats<P: Headers>(queue: &Self::Queue<P>, now: Time) -> Self::Stats;
}

/// The properties of a discipline that are known before a queue of it is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DisciplineKind {
    /// The name, as in [`Discipline::KIND`].
    pub name: &'static str,
    /// The shortest text that describes such a queue, as in [`Discipline::SHORTEST`].
    pub shortest: &'static str,
    /// Texts for tests, as in [`Discipline::EXAMPLES`].
    pub examples: &'static [&'static str],
}

impl DisciplineKind {
    /// The properties of this discipline.
    pub(crate) const fn of<D: Discipline>() -> Self {
        Self { name: D::KIND, shortest: D::SHORTEST, examples: D::EXAMPLES }
    }
}

/// Code that runs once for each kind of discipline, with the type known at compile time.
pub trait Visitor {
    /// Runs for the discipline `D`.
    fn visit<D: Discipline>(&mut self);
}

/// The reason why a text does not describe a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SpecError {
    /// The place of the error, in bytes from the beginning of the text.
    pub offset: usize,
    /// The mistake, and what would be right.
    pub message: String,
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl core::error::Error for SpecError {}

/// The name of the queue that a text describes, and the words of its options.
pub(crate) fn kind_and_options(text: &str) -> Result<(Word<'_>, Words<'_>), SpecError> {
    let mut words = Words::new(text);
    let kind = prefix::kind(&mut words)?;
    Ok((kind, words))
}

/// The error that `name` is the name of none of these disciplines.
pub(crate) fn unknown_kind(name: Word<'_>, kinds: &[DisciplineKind]) -> SpecError {
    let known: Vec<&str> = kinds.iter().map(|kind| kind.name).collect();
    let names = known.join(", ");
    if TC_KINDS.contains(&name.text) {
        return name
            .error(format_args!("`{}` of tc is not modelled; there are {names}", name.text));
    }
    let quoted = name.quoted();
    if name.text == "fifo" {
        return name.error(
            "`fifo` is not a queue; write `pfifo` for a limit in packets, or `bfifo` for one in \
             bytes",
        );
    }
    name.error(match nearest(name.text, &known) {
        Some(near) => format!("{quoted} is not a queue; did you mean `{near}`? There are {names}"),
        None => format!("{quoted} is not a queue; there are {names}"),
    })
}

/// The names of tc's queue disciplines, both those that are modelled here and those that are not.
const TC_KINDS: &[&str] = &[
    "bfifo",
    "cake",
    "cbq",
    "cbs",
    "choke",
    "clsact",
    "codel",
    "drr",
    "dualpi2",
    "etf",
    "ets",
    "fq",
    "fq_codel",
    "fq_pie",
    "gred",
    "hfsc",
    "hhf",
    "htb",
    "ingress",
    "mq",
    "mqprio",
    "multiq",
    "netem",
    "noqueue",
    "pfifo",
    "pfifo_fast",
    "pfifo_head_drop",
    "pie",
    "plug",
    "prio",
    "qfq",
    "red",
    "sfb",
    "sfq",
    "skbprio",
    "taprio",
    "tbf",
    "teql",
];

#[cfg(test)]
mod tests {
    use super::*;

    /// tc's sizes and ours.
    #[test]
    fn sizes() {
        for (text, bytes) in [
            ("1514", 1514),
            ("600000b", 600_000),
            ("32Mb", 32 << 20),
            ("1.5Kb", 1536),
            ("64k", 64 << 10),
            ("256kB", 256_000),
            ("256KiB", 262_144),
            ("1MB", 1_000_000),
            ("1e3", 1000),
            ("1e6b", 1_000_000),
            ("1.5e1Kb", 15 << 10),
            ("8Kbit", 1024),
        ] {
            assert_eq!(size::parse(text).unwrap(), Bytes(bytes), "{text}");
        }
        for text in ["", "b", "-1", "1p", "1 b", "0x10", "1e3kB", "1e", "1e30", "99999999999999g"] {
            assert!(size::parse(text).is_err(), "{text}");
        }
    }
}
