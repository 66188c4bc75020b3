//! `fq_codel`.

use alloc::string::String;
use core::fmt;

use units::{Bytes, Rng};

use super::codel::CodelSpec;
use super::draft::Draft;
use super::size::TcSize;
use super::words::{Word, Words, name_of};
use super::{Environment, SpecError};
use crate::aqm::{CoDel, CoDelParameters};
use crate::{Flow, FlowQueueParameters, FqCoDel, Overflow};

const OVERFLOWS: [(&str, Overflow); 2] =
    [("rfc8290", Overflow::Rfc8290), ("linux", Overflow::Linux)];
/// sch_fq_codel.c raises a smaller quantum to this.
const LEAST_QUANTUM: Bytes = Bytes(256);

/// `fq_codel [limit PACKETS] [flows N] [quantum BYTES] [memory_limit SIZE] [drop_batch N]
/// [overflow rfc8290|linux]` and the options of `codel`, with `ecn` on by default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FqCodelSpec {
    /// How the queues share.
    pub queues: FlowQueueParameters,
    /// The controller of each; `limit` is not used.
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
    pub(super) fn build<P: Flow>(&self, link: Environment, rng: Rng) -> FqCoDel<P> {
        let codel = CoDel::new(CoDelParameters {
            count_overflow: self.queues.overflow == Overflow::Linux,
            ..self.codel.parameters(link.mtu)
        });
        FqCoDel::new(self.queues, codel, rng)
    }
}

impl Draft for FqCodelSpec {
    type Spec = Self;
    const OPTIONS: &'static str = "limit, flows, quantum, target, interval, ecn, noecn, \
                                   ce_threshold, memory_limit, drop_batch, overflow, variant";
    const UNMODELLED: &'static [&'static str] = &["ce_threshold_selector"];

    fn option(&mut self, option: Word<'_>, words: &mut Words<'_>) -> Result<bool, SpecError> {
        let queues = &mut self.queues;
        match option.text {
            "limit" => queues.limit = words.packets(option)?,
            "flows" => queues.flows = words.count(option, 1..=65_536)?,
            "quantum" => {
                let value = words.peek();
                queues.quantum = words.size(option)?;
                if let Some(value) = value.filter(|_| queues.quantum < LEAST_QUANTUM) {
                    return Err(value.error("a quantum is at least 256 bytes, as in Linux"));
                }
            }
            "memory_limit" => queues.memory_limit = words.size(option)?,
            "drop_batch" => queues.drop_batch = words.count(option, 1..=u32::MAX)?.into(),
            "overflow" => queues.overflow = words.choice(option, &OVERFLOWS)?,
            _ => return self.codel.option(option, words),
        }
        Ok(true)
    }

    fn finish(self) -> Result<Self, String> {
        Ok(self)
    }
}

impl fmt::Display for FqCodelSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FlowQueueParameters { limit, memory_limit, flows, quantum, drop_batch, overflow } =
            self.queues;
        write!(f, "fq_codel limit {limit}p flows {flows} quantum {}", quantum.0)?;
        self.codel.write_options(f)?;
        let overflow = name_of(&OVERFLOWS, &overflow);
        let memory_limit = TcSize(memory_limit);
        write!(f, " memory_limit {memory_limit} drop_batch {drop_batch} overflow {overflow}")
    }
}
