//! Queues written as `tc qdisc` writes them: `fq_codel limit 10240p quantum 1514 ecn`.
//!
//! The output of `tc qdisc show` is accepted as it stands, and so are the arguments of `tc qdisc
//! add|replace ...`; the words that say where a queue is attached are discarded. An option or a
//! queue of tc that is not modelled here is an error that says so.
//!
//! Sizes: tc's own forms `b`, `Kb`, `Mb`, `Gb` (and `k`, `m`, `g`) are bytes and powers of 1024 as
//! in tc; `kB`, `MB`, `GB` are powers of 1000 and `KiB`, `MiB`, `GiB` powers of 1024; a bare number
//! is bytes. Times need a unit. `alpha` and `beta` of `pie` are sixteenths.
//!
//! Beyond tc: `codel variant rfc8289|linux|paper2012|draft01`, `fq_codel overflow rfc8290|linux`,
//! `pie variant rfc8033|linux`, `pfifo headdrop`, `red variant 1993|gentle|linux`, `red auto`,
//! `sfb ecn|noecn`, `blue`, `cobalt` and `fq_cobalt`.

use alloc::string::String;
use core::fmt;
use core::str::FromStr;

use units::{Bytes, Rate, Rng};

use crate::{AnyQdisc, Flow};

mod blue;
mod cobalt;
mod codel;
mod draft;
mod fifo;
mod flow_queue;
mod fq_cobalt;
mod fq_codel;
mod pie;
mod prefix;
mod red;
mod sfb;
mod size;
#[cfg(test)]
mod tests;
mod words;

pub use blue::BlueSpec;
pub use cobalt::CobaltSpec;
pub use codel::CodelSpec;
pub use fifo::{BfifoSpec, PfifoSpec};
pub use fq_cobalt::FqCobaltSpec;
pub use fq_codel::FqCodelSpec;
pub use pie::PieSpec;
pub use red::{RedAutomatic, RedSpec, RedThresholds, RedVariant, RedWeight};
pub use sfb::SfbSpec;

use draft::read;
use words::{Word, Words};

/// A queue discipline and its settings, as text or as a value.
///
/// ```
/// use qdisc::spec::QdiscSpec;
///
/// let spec: QdiscSpec = "codel target 10ms ecn".parse()?;
/// assert_eq!(
///     spec.to_string(),
///     "codel limit 1000p target 10ms interval 100ms ecn variant rfc8289"
/// );
/// let error = "codel tarhget 10ms".parse::<QdiscSpec>().unwrap_err();
/// assert_eq!(error.offset, 6);
/// # Ok::<(), qdisc::spec::SpecError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum QdiscSpec {
    /// A FIFO limited in packets.
    Pfifo(PfifoSpec),
    /// A FIFO limited in bytes.
    Bfifo(BfifoSpec),
    /// Random early detection.
    Red(RedSpec),
    /// BLUE.
    Blue(BlueSpec),
    /// Controlled delay.
    Codel(CodelSpec),
    /// Fair queueing with controlled delay.
    FqCodel(FqCodelSpec),
    /// CoDel with BLUE for overload.
    Cobalt(CobaltSpec),
    /// Fair queueing with COBALT.
    FqCobalt(FqCobaltSpec),
    /// Proportional integral controller, enhanced.
    Pie(PieSpec),
    /// Stochastic Fair BLUE.
    Sfb(SfbSpec),
}

/// The properties of the link that a queue feeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkInfo {
    /// The link's rate, from which RED derives its settings and COBALT its guard.
    pub rate: Rate,
    /// The longest packet as the queue counts it, for the guards of CoDel, COBALT and PIE.
    pub mtu: Bytes,
}

/// The reason why a text does not describe a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecError {
    /// The place of the error, in bytes from the beginning of the text.
    pub offset: usize,
    /// The error, and what would be right.
    pub message: String,
}

impl QdiscSpec {
    /// The name of this kind of queue: tc's where tc has it.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Pfifo(_) => "pfifo",
            Self::Bfifo(_) => "bfifo",
            Self::Red(_) => "red",
            Self::Blue(_) => "blue",
            Self::Codel(_) => "codel",
            Self::FqCodel(_) => "fq_codel",
            Self::Cobalt(_) => "cobalt",
            Self::FqCobalt(_) => "fq_cobalt",
            Self::Pie(_) => "pie",
            Self::Sfb(_) => "sfb",
        }
    }

    /// An empty queue of this kind. All its randomness comes from `rng`.
    pub fn build<P: Flow>(&self, link: LinkInfo, rng: Rng) -> AnyQdisc<P> {
        match self {
            Self::Pfifo(spec) => AnyQdisc::Fifo(spec.build()),
            Self::Bfifo(spec) => AnyQdisc::Fifo(spec.build()),
            Self::Red(spec) => AnyQdisc::Red(spec.build(link, rng)),
            Self::Blue(spec) => AnyQdisc::Blue(spec.build(rng)),
            Self::Codel(spec) => AnyQdisc::CoDel(spec.build(link)),
            Self::FqCodel(spec) => AnyQdisc::FqCoDel(spec.build(link, rng)),
            Self::Cobalt(spec) => AnyQdisc::Cobalt(spec.build(link, rng)),
            Self::FqCobalt(spec) => AnyQdisc::FqCobalt(spec.build(link, rng)),
            Self::Pie(spec) => AnyQdisc::Pie(spec.build(link, rng)),
            Self::Sfb(spec) => AnyQdisc::Sfb(spec.build(rng)),
        }
    }
}

/// Queues of tc that are not modelled.
const UNMODELLED: &[&str] = &[
    "cake",
    "cbq",
    "cbs",
    "choke",
    "clsact",
    "drr",
    "dualpi2",
    "etf",
    "ets",
    "fq",
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
    "pfifo_fast",
    "plug",
    "prio",
    "qfq",
    "sfq",
    "skbprio",
    "taprio",
    "tbf",
    "teql",
];

impl FromStr for QdiscSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let mut words = Words::new(text);
        let kind = prefix::kind(&mut words)?;
        match kind.text {
            "pfifo" => read::<PfifoSpec>(kind, words).map(Self::Pfifo),
            "pfifo_head_drop" => read::<PfifoSpec>(kind, words)
                .map(|spec| Self::Pfifo(PfifoSpec { head_drop: true, ..spec })),
            "bfifo" => read::<BfifoSpec>(kind, words).map(Self::Bfifo),
            "red" => read::<red::Draft>(kind, words).map(Self::Red),
            "blue" => read::<BlueSpec>(kind, words).map(Self::Blue),
            "codel" => read::<CodelSpec>(kind, words).map(Self::Codel),
            "fq_codel" => read::<FqCodelSpec>(kind, words).map(Self::FqCodel),
            "cobalt" => read::<CobaltSpec>(kind, words).map(Self::Cobalt),
            "fq_cobalt" => read::<FqCobaltSpec>(kind, words).map(Self::FqCobalt),
            "pie" => read::<PieSpec>(kind, words).map(Self::Pie),
            "sfb" => read::<sfb::Draft>(kind, words).map(Self::Sfb),
            _ => Err(unknown_kind(kind)),
        }
    }
}

fn unknown_kind(kind: Word<'_>) -> SpecError {
    const MODELLED: &str =
        "pfifo, bfifo, red, blue, codel, fq_codel, cobalt, fq_cobalt, pie and sfb are";
    if UNMODELLED.contains(&kind.text) {
        kind.error(format_args!("`{}` of tc is not modelled; {MODELLED}", kind.text))
    } else {
        kind.error(format_args!("{} is not a queue; {MODELLED}", kind.quoted()))
    }
}

impl fmt::Display for QdiscSpec {
    /// Writes all settings, defaults included. The text reads back as the same value.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pfifo(spec) => spec.fmt(f),
            Self::Bfifo(spec) => spec.fmt(f),
            Self::Red(spec) => spec.fmt(f),
            Self::Blue(spec) => spec.fmt(f),
            Self::Codel(spec) => spec.fmt(f),
            Self::FqCodel(spec) => spec.fmt(f),
            Self::Cobalt(spec) => spec.fmt(f),
            Self::FqCobalt(spec) => spec.fmt(f),
            Self::Pie(spec) => spec.fmt(f),
            Self::Sfb(spec) => spec.fmt(f),
        }
    }
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (at byte {})", self.message, self.offset)
    }
}

impl core::error::Error for SpecError {}
