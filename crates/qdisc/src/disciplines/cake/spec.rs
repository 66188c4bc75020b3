//! `cake` in the words of tc.

use alloc::boxed::Box;
use alloc::string::String;
use core::fmt;
use core::ops::RangeInclusive;

use units::{Bytes, Rate, Rng, Span, Time};

use super::ack_filter::AckFilter;
use super::diffserv::Diffserv;
use super::framing::{Cells, Framing};
use super::isolation::Isolation;
use super::stats::CakeStats;
use super::{Cake, link_layers};
use crate::Headers;
use crate::spec::{Discipline, LinkInfo, SpecError, Syntax, TcRate, TcSize, Word, Words};

/// The settings of `cake`, as in tc-cake(8): `cake [bandwidth RATE|unlimited] [autorate-ingress]
/// [rtt TIME|PRESET] [besteffort|precedence|diffserv3|diffserv4|diffserv8] [ISOLATION] [nat]
/// [wash] [ingress] [ack-filter|ack-filter-aggressive] [no-split-gso] [memlimit SIZE]
/// [fwmark MASK] [overhead N] [mpu N] [atm|ptm|noatm] [LINK LAYER]`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CakeSpec {
    /// The rate at which packets are sent; `None`, the default, for no limit.
    pub bandwidth: Option<Rate>,
    /// True to let the rate follow that at which packets come; off.
    pub autorate_ingress: bool,
    /// The division of packets into tins; `diffserv3`.
    pub diffserv: Diffserv,
    /// The isolation of flows from each other; `triple-isolate`.
    pub isolation: Isolation,
    /// True to take the hosts and ports from before address translation; off.
    pub nat: bool,
    /// True to clear the code point of packets once they have found their tin; off.
    pub wash: bool,
    /// True for a shaper behind the bottleneck, which is charged for what it drops; off.
    pub ingress: bool,
    /// The acknowledgements that are dropped; none.
    pub ack_filter: AckFilter,
    /// True to divide super-packets into packets; on.
    pub split_gso: bool,
    /// About the longest round trip of the flows, in whole microseconds; 100 ms.
    pub rtt: Span,
    /// The framing of the link.
    pub framing: Framing,
    /// The most memory for packets; `None`, the default, for what four round trips need, at least
    /// 4 MiB and at most 10,240 packets of full length.
    pub memlimit: Option<Bytes>,
    /// The bits of the firewall mark that name a tin, from 1; 0, the default, for none.
    pub fwmark: u32,
}

impl Default for CakeSpec {
    fn default() -> Self {
        Self {
            bandwidth: None,
            autorate_ingress: false,
            diffserv: Diffserv::default(),
            isolation: Isolation::default(),
            nat: false,
            wash: false,
            ingress: false,
            ack_filter: AckFilter::default(),
            split_gso: true,
            rtt: Span::from_millis(100),
            framing: Framing::default(),
            memlimit: None,
            fwmark: 0,
        }
    }
}

impl CakeSpec {
    /// The acceptable sojourn on a fast link: a twentieth of `rtt` in whole microseconds, as tc
    /// computes it.
    pub fn target(&self) -> Span {
        Span::from_micros((self.rtt.as_nanos() / 1000 / 20).max(1))
    }
}

impl Discipline for CakeSpec {
    const KIND: &'static str = "cake";
    const EXAMPLES: &'static [&'static str] = &[
        "cake bandwidth 8mbit rtt 2ms besteffort",
        "cake bandwidth 8mbit rtt 2ms diffserv4 ingress flowblind memlimit 30kb",
        "cake bandwidth 6mbit rtt 1ms docsis ack-filter dual-srchost nat wash",
        "cake rtt 2ms autorate-ingress precedence atm overhead -4 mpu 96",
    ];
    type Queue<P: Headers> = Box<Cake<P>>;
    type Stats = CakeStats;

    fn build<P: Headers>(&self, link: LinkInfo, rng: Rng) -> Box<Cake<P>> {
        Box::new(Cake::new(self.clone(), link, rng))
    }

    fn stats<P: Headers>(queue: &Box<Cake<P>>, _now: Time) -> CakeStats {
        CakeStats::of(queue)
    }
}

/// The settings while the words are read.
#[derive(Default)]
pub(crate) struct Draft {
    spec: CakeSpec,
    /// The bytes that a packet is longer on the link, of all words until now; `None` if no word
    /// says.
    overhead: Option<i64>,
    /// True after `raw`.
    raw: bool,
}

impl Syntax for CakeSpec {
    type Draft = Draft;
    const OPTIONS: &'static str = "bandwidth, unlimited, autorate-ingress, rtt, datacentre, lan, \
         metro, regional, internet, oceanic, satellite, interplanetary, besteffort, precedence, \
         diffserv3, diffserv4, diffserv8, flowblind, srchost, dsthost, hosts, flows, dual-srchost, \
         dual-dsthost, triple-isolate, nat, nonat, wash, nowash, ingress, egress, ack-filter, \
         ack-filter-aggressive, no-ack-filter, split-gso, no-split-gso, memlimit, fwmark, raw, \
         overhead, mpu, atm, ptm, noatm, conservative, ethernet, ether-vlan, docsis, pppoe-ptm, \
         bridged-ptm, pppoe-vcmux, pppoe-llcsnap, pppoa-vcmux, pppoa-llc, bridged-vcmux, \
         bridged-llcsnap, ipoa-vcmux, ipoa-llcsnap";

    fn draft(&self) -> Draft {
        Draft { spec: self.clone(), overhead: None, raw: false }
    }

    fn option(
        draft: &mut Draft,
        option: Word<'_>,
        words: &mut Words<'_>,
    ) -> Result<bool, SpecError> {
        let spec = &mut draft.spec;
        match option.text {
            "bandwidth" if words.peek().is_some_and(|word| word.text == "unlimited") => {
                words.next();
                (spec.bandwidth, spec.autorate_ingress) = (None, false);
            }
            "bandwidth" => {
                (spec.bandwidth, spec.autorate_ingress) = (Some(words.tc_rate(option)?), false);
            }
            "unlimited" => (spec.bandwidth, spec.autorate_ingress) = (None, false),
            "autorate-ingress" => spec.autorate_ingress = true,
            "rtt" => spec.rtt = words.micros(option)?,
            "diffserv" => spec.diffserv = Diffserv::Diffserv4,
            "nat" => spec.nat = true,
            "nonat" => spec.nat = false,
            "wash" => spec.wash = true,
            "nowash" => spec.wash = false,
            "ingress" => spec.ingress = true,
            "egress" => spec.ingress = false,
            "split-gso" => spec.split_gso = true,
            "no-split-gso" => spec.split_gso = false,
            "memlimit" => spec.memlimit = words.optional_size(option)?.or(spec.memlimit),
            "fwmark" => spec.fwmark = words.mask(option)?,
            _ => return Ok(draft.word(option) || draft.framing(option, words)?),
        }
        Ok(true)
    }

    fn finish(draft: Draft) -> Result<Self, String> {
        let Draft { mut spec, overhead, raw } = draft;
        if let Some(overhead) = overhead {
            spec.framing.overhead = i16::try_from(overhead).map_err(|_| {
                alloc::format!("the overhead is {overhead} bytes in all; Linux holds up to 32767")
            })?;
            spec.framing.raw = raw;
        }
        Ok(spec)
    }
}

/// The overheads that tc takes as a number. It does not limit the sum of several words.
const OVERHEADS: RangeInclusive<i16> = -64..=256;

/// The overhead of `ether-vlan`.
const VLAN: u16 = 4;

impl Draft {
    /// Takes a word that is a setting by itself. Returns false if this is none.
    fn word(&mut self, option: Word<'_>) -> bool {
        let Self { spec, .. } = self;
        set(&mut spec.diffserv, &Diffserv::NAMES, option)
            || set(&mut spec.isolation, &Isolation::NAMES, option)
            || set(&mut spec.ack_filter, &AckFilter::NAMES, option)
            || set(&mut spec.rtt, &link_layers::PRESETS, option)
            || set(&mut spec.framing.cells, &Cells::NAMES, option)
    }

    /// Takes a word of the link's framing. Returns false if this is none.
    fn framing(&mut self, option: Word<'_>, words: &mut Words<'_>) -> Result<bool, SpecError> {
        let framing = &mut self.spec.framing;
        match option.text {
            "overhead" => self.overhead = Some(words.integer(option, OVERHEADS)?.into()),
            "mpu" => framing.mpu = words.count(option, 0..=256)? as u16,
            "raw" => {
                framing.cells = Cells::None;
                (self.overhead, self.raw) = (Some(0), true);
            }
            "conservative" => {
                framing.cells = Cells::Atm;
                self.overhead = Some(48);
            }
            // tc accepts and ignores it: the queue knows what the interface adds.
            "via-ethernet" => {}
            name => {
                let Some(layer) = link_layers::named(name) else { return Ok(false) };
                framing.cells = layer.cells.unwrap_or(framing.cells);
                framing.mpu = layer.mpu.unwrap_or(framing.mpu);
                self.overhead = Some(self.overhead.unwrap_or(0) + layer.overhead);
            }
        }
        Ok(true)
    }
}

/// Sets the value that this word names. Returns false if it names none.
fn set<T: Copy>(value: &mut T, names: &[(&'static str, T)], option: Word<'_>) -> bool {
    let named = names.iter().find(|(name, _)| *name == option.text);
    if let Some((_, named)) = named {
        *value = *named;
    }
    named.is_some()
}

impl fmt::Display for CakeSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let either = |is: bool, yes, no| if is { yes } else { no };
        match self.bandwidth {
            Some(rate) => write!(f, "cake bandwidth {}", TcRate(rate))?,
            // tc shows `bandwidth unlimited`, which it does not take.
            None => f.write_str("cake unlimited")?,
        }
        f.write_str(either(self.autorate_ingress, " autorate-ingress", ""))?;
        write!(f, " {} {}", self.diffserv.name(), self.isolation.name())?;
        f.write_str(either(self.nat, " nat", " nonat"))?;
        f.write_str(either(self.wash, " wash", " nowash"))?;
        f.write_str(either(self.ingress, " ingress", ""))?;
        write!(f, " {}", self.ack_filter.name())?;
        f.write_str(either(self.split_gso, " split-gso", " no-split-gso"))?;
        write!(f, " rtt {}", self.rtt)?;
        let Framing { raw, overhead, mpu, cells } = self.framing;
        f.write_str(either(raw, " raw", ""))?;
        if !raw || cells != Cells::None {
            write!(f, " {}", cells.name())?;
        }
        // tc shows any overhead as a number, and takes a larger one only as a sum.
        let vlans = (overhead - OVERHEADS.end()).max(0).unsigned_abs().div_ceil(VLAN);
        write!(f, " overhead {}", overhead - (vlans * VLAN) as i16)?;
        (0..vlans).try_for_each(|_| f.write_str(" ether-vlan"))?;
        if mpu > 0 {
            write!(f, " mpu {mpu}")?;
        }
        if let Some(memlimit) = self.memlimit {
            write!(f, " memlimit {}", TcSize(memlimit))?;
        }
        if self.fwmark > 0 {
            write!(f, " fwmark {:#x}", self.fwmark)?;
        }
        Ok(())
    }
}
