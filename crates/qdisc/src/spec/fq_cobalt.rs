//! `fq_cobalt`, which tc does not have; it is half of CAKE.

use alloc::string::String;
use core::fmt;

use units::Rng;

use super::cobalt::CobaltSpec;
use super::draft::Draft;
use super::words::{Word, Words};
use super::{LinkInfo, SpecError, flow_queue};
use crate::{Flow, FlowQueueParameters, FqCobalt};

/// `fq_cobalt [limit PACKETS] [flows N] [quantum BYTES] [memory_limit SIZE] [drop_batch N]
/// [overflow rfc8290|linux]` and the options of `cobalt`, with `ecn` on by default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FqCobaltSpec {
    /// The parameters of fair queueing.
    pub queues: FlowQueueParameters,
    /// The controller of each queue; its `limit` is not used.
    pub cobalt: CobaltSpec,
}

impl Default for FqCobaltSpec {
    fn default() -> Self {
        let cobalt = CobaltSpec { ecn: true, ..CobaltSpec::default() };
        Self { queues: FlowQueueParameters::default(), cobalt }
    }
}

impl FqCobaltSpec {
    pub(super) fn build<P: Flow>(&self, link: LinkInfo, rng: Rng) -> FqCobalt<P> {
        let cobalt = self.cobalt.controller(link, rng.fork("cobalt"));
        FqCobalt::new(self.queues, cobalt, rng)
    }
}

impl Draft for FqCobaltSpec {
    type Spec = Self;
    const OPTIONS: &'static str = "limit, flows, quantum, target, interval, mtu, ecn, noecn, \
                                   memory_limit, drop_batch, overflow";

    fn option(&mut self, option: Word<'_>, words: &mut Words<'_>) -> Result<bool, SpecError> {
        Ok(flow_queue::option(&mut self.queues, option, words)?
            || self.cobalt.option(option, words)?)
    }

    fn finish(self) -> Result<Self, String> {
        Ok(self)
    }
}

impl fmt::Display for FqCobaltSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("fq_cobalt")?;
        flow_queue::write(f, &self.queues, |f| self.cobalt.write_options(f))
    }
}
