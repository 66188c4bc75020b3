//! `fq_codel`.

use alloc::string::String;
use core::fmt;

use units::Rng;

use super::codel::CodelSpec;
use super::draft::Draft;
use super::words::{Word, Words};
use super::{LinkInfo, SpecError, flow_queue};
use crate::aqm::{CoDel, CoDelParameters};
use crate::{Flow, FlowQueueParameters, FqCoDel, Overflow};

/// `fq_codel [limit PACKETS] [flows N] [quantum BYTES] [memory_limit SIZE] [drop_batch N]
/// [overflow rfc8290|linux]` and the options of `codel`, with `ecn` on by default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FqCodelSpec {
    /// The parameters of fair queueing.
    pub queues: FlowQueueParameters,
    /// The controller of each queue; its `limit` is not used.
    pub codel: CodelSpec,
}

impl Default for FqCodelSpec {
    fn default() -> Self {
        Self {
            queues: FlowQueueParameters::default(),
            codel: CodelSpec { ecn: true, ..CodelSpec::default() },
        }
    }
}

impl FqCodelSpec {
    pub(super) fn build<P: Flow>(&self, link: LinkInfo, rng: Rng) -> FqCoDel<P> {
        let codel = CoDel::new(CoDelParameters {
            count_overflow: self.queues.overflow == Overflow::Linux,
            ..self.codel.parameters(link)
        });
        FqCoDel::new(self.queues, codel, rng)
    }
}

impl Draft for FqCodelSpec {
    type Spec = Self;
    const OPTIONS: &'static str = "limit, flows, quantum, target, interval, mtu, ecn, noecn, \
                                   ce_threshold, memory_limit, drop_batch, overflow, variant";
    const UNMODELLED: &'static [&'static str] = &["ce_threshold_selector"];

    fn option(&mut self, option: Word<'_>, words: &mut Words<'_>) -> Result<bool, SpecError> {
        Ok(flow_queue::option(&mut self.queues, option, words)?
            || self.codel.option(option, words)?)
    }

    fn finish(self) -> Result<Self, String> {
        Ok(self)
    }
}

impl fmt::Display for FqCodelSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("fq_codel")?;
        flow_queue::write(f, &self.queues, |f| self.codel.write_options(f))
    }
}
