//! FQ-COBALT: a queue for each flow, and COBALT in each queue, which is half of CAKE. See
//! [`FlowQueue`] and [`cobalt`](super::cobalt).
//!
//! Specification: RFC 8290 for the queues; Linux, net/sched/sch_cake.c, for the controller.

use alloc::string::String;
use core::fmt;

use units::{Rng, Time};

use super::cobalt::{Cobalt, CobaltSpec};
use crate::spec::{Discipline, LinkInfo, SpecError, Syntax, Word, Words};
use crate::stats::DisciplineStats;
use crate::{FlowQueue, FlowQueueParameters, Headers};

/// Fair queueing with COBALT in each queue, as in CAKE.
pub type FqCobalt<P> = FlowQueue<P, Cobalt>;

/// The settings of `fq_cobalt`, which tc does not have: `fq_cobalt [limit PACKETS] [flows N]
/// [quantum BYTES] [memory_limit SIZE] [drop_batch N] [overflow rfc8290|linux]` and the options of
/// `cobalt`, with `ecn` on by default.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FqCobaltSpec {
    /// The parameters of fair queueing.
    pub queues: FlowQueueParameters,
    /// The settings of the controller of each queue; `limit` is not used.
    pub cobalt: CobaltSpec,
}

impl Default for FqCobaltSpec {
    fn default() -> Self {
        let cobalt = CobaltSpec { ecn: true, ..CobaltSpec::default() };
        Self { queues: FlowQueueParameters::default(), cobalt }
    }
}

impl Discipline for FqCobaltSpec {
    const KIND: &'static str = "fq_cobalt";
    const EXAMPLES: &'static [&'static str] = &[
        "fq_cobalt limit 30 target 100us interval 2ms ecn",
        "fq_cobalt limit 30 target 100us interval 2ms flows 4 quantum 256 noecn",
    ];
    type Queue<P: Headers> = FqCobalt<P>;
    type Stats = FqCobaltStats;

    fn build<P: Headers>(&self, link: LinkInfo, rng: Rng) -> FqCobalt<P> {
        let cobalt = self.cobalt.controller(link, rng.fork("cobalt"));
        FqCobalt::new(self.queues, cobalt, rng)
    }

    fn stats<P: Headers>(queue: &FqCobalt<P>, _now: Time) -> FqCobaltStats {
        let (new_flows_len, old_flows_len) = queue.listed();
        let new_flow_count = queue.new_flow_count();
        FqCobaltStats { new_flow_count, new_flows_len, old_flows_len }
    }
}

impl Syntax for FqCobaltSpec {
    type Draft = Self;
    const OPTIONS: &'static str = "limit, flows, quantum, target, interval, mtu, ecn, noecn, \
                                   memory_limit, drop_batch, overflow";

    fn draft(&self) -> Self {
        self.clone()
    }

    fn option(
        draft: &mut Self,
        option: Word<'_>,
        words: &mut Words<'_>,
    ) -> Result<bool, SpecError> {
        Ok(draft.queues.option(option, words)?
            || CobaltSpec::option(&mut draft.cobalt, option, words)?)
    }

    fn finish(draft: Self) -> Result<Self, String> {
        Ok(draft)
    }
}

impl fmt::Display for FqCobaltSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("fq_cobalt")?;
        self.queues.write_options(f, |f| self.cobalt.write_options(f))
    }
}

/// The statistics of FQ-COBALT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct FqCobaltStats {
    /// The number of times that an idle queue got a packet.
    pub new_flow_count: u64,
    /// The number of queues on the list of new ones.
    pub new_flows_len: u32,
    /// The number of queues on the list of old ones.
    pub old_flows_len: u32,
}

impl DisciplineStats for FqCobaltStats {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disciplines::tests::every_option_has_an_effect;

    #[test]
    fn options() {
        every_option_has_an_effect::<FqCobaltSpec>(&[
            // The target is four packets at least, which take 48 ms here.
            ("fq_cobalt", &["target 100ms", "interval 20ms", "limit 20"]),
            ("fq_cobalt", &["noecn", "mtu 4kb"]),
            ("fq_cobalt", &["quantum 300", "flows 1", "memory_limit 20000b"]),
            ("fq_cobalt limit 20", &["drop_batch 1", "overflow linux"]),
        ]);
    }
}
