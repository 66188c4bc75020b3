//! FQ-CoDel: a queue for each flow, and CoDel in each queue. See [`FlowQueue`] and
//! [`codel`](super::codel).
//!
//! Specification: RFC 8290.

use alloc::string::String;
use core::fmt;

use units::{Bytes, Rng, Time};

use super::codel::{CoDel, CoDelParameters, CoDelSpec};
use crate::spec::{Discipline, LinkInfo, SpecError, Syntax, Word, Words};
use crate::stats::DisciplineStats;
use crate::{FlowQueue, FlowQueueParameters, Headers, Overflow};

/// Fair queueing with CoDel in each queue (RFC 8290).
pub type FqCoDel<P> = FlowQueue<P, CoDel>;

/// The settings of `fq_codel`: `fq_codel [limit PACKETS] [flows N] [quantum BYTES] [memory_limit
/// SIZE] [drop_batch N] [overflow rfc8290|linux]` and the options of `codel`, with `ecn` on by
/// default.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FqCoDelSpec {
    /// The parameters of fair queueing.
    pub queues: FlowQueueParameters,
    /// The settings of the controller of each queue; `limit` is not used.
    pub codel: CoDelSpec,
}

impl Default for FqCoDelSpec {
    fn default() -> Self {
        Self {
            queues: FlowQueueParameters::default(),
            codel: CoDelSpec { ecn: true, ..CoDelSpec::default() },
        }
    }
}

impl Discipline for FqCoDelSpec {
    const KIND: &'static str = "fq_codel";
    const EXAMPLES: &'static [&'static str] = &[
        "fq_codel target 100us interval 2ms limit 30",
        "fq_codel target 100us interval 2ms limit 30 flows 4 quantum 256 noecn",
        "fq_codel target 100us interval 2ms limit 60 flows 2 overflow linux variant linux",
        "fq_codel target 100us interval 2ms memory_limit 12000b flows 1 drop_batch 1",
    ];
    type Queue<P: Headers> = FqCoDel<P>;
    type Stats = FqCoDelStats;

    fn build<P: Headers>(&self, link: LinkInfo, rng: Rng) -> FqCoDel<P> {
        let codel = CoDel::new(CoDelParameters {
            count_overflow: self.queues.overflow == Overflow::Linux,
            ..self.codel.parameters(link)
        });
        FqCoDel::new(self.queues, codel, rng)
    }

    fn stats<P: Headers>(queue: &FqCoDel<P>, _now: Time) -> FqCoDelStats {
        let (new_flows_len, old_flows_len) = queue.listed();
        FqCoDelStats {
            maxpacket: queue.aqm().largest_packet(),
            new_flow_count: queue.new_flow_count(),
            new_flows_len,
            old_flows_len,
        }
    }
}

impl Syntax for FqCoDelSpec {
    type Draft = Self;
    const OPTIONS: &'static str = "limit, flows, quantum, target, interval, mtu, ecn, noecn, \
                                   ce_threshold, memory_limit, drop_batch, overflow, variant";
    const UNMODELLED: &'static [&'static str] = &["ce_threshold_selector"];

    fn draft(&self) -> Self {
        self.clone()
    }

    fn option(
        draft: &mut Self,
        option: Word<'_>,
        words: &mut Words<'_>,
    ) -> Result<bool, SpecError> {
        Ok(draft.queues.option(option, words)?
            || CoDelSpec::option(&mut draft.codel, option, words)?)
    }

    fn finish(draft: Self) -> Result<Self, String> {
        Ok(draft)
    }
}

impl fmt::Display for FqCoDelSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("fq_codel")?;
        self.queues.write_options(f, |f| self.codel.write_options(f))
    }
}

/// The statistics of FQ-CoDel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct FqCoDelStats {
    /// The length of the longest packet that left.
    pub maxpacket: Bytes,
    /// The number of times that an idle queue got a packet.
    pub new_flow_count: u64,
    /// The number of queues on the list of new ones.
    pub new_flows_len: u32,
    /// The number of queues on the list of old ones.
    pub old_flows_len: u32,
}

impl DisciplineStats for FqCoDelStats {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disciplines::tests::every_option_has_an_effect;

    #[test]
    fn options() {
        every_option_has_an_effect::<FqCoDelSpec>(&[
            ("fq_codel", &["target 20ms", "interval 20ms", "limit 20"]),
            ("fq_codel", &["noecn", "ce_threshold 1ms", "mtu 8kb", "variant linux"]),
            ("fq_codel", &["quantum 300", "flows 1", "memory_limit 20000b"]),
            ("fq_codel limit 20", &["drop_batch 1", "overflow linux"]),
        ]);
    }
}
