//! The options of fair queueing in the words of tc, whatever the controller.

use core::fmt;

use units::Bytes;

use super::{FlowQueueParameters, Overflow};
use crate::spec::{SpecError, TcSize, Word, Words, name_of};

const OVERFLOWS: [(&str, Overflow); 2] =
    [("rfc8290", Overflow::Rfc8290), ("linux", Overflow::Linux)];
/// The least quantum, to which sch_fq_codel.c raises a smaller one.
const LEAST_QUANTUM: Bytes = Bytes(256);

impl FlowQueueParameters {
    /// Reads one option of fair queueing and its value. Returns false if the option is not one of
    /// these.
    pub(crate) fn option(
        &mut self,
        option: Word<'_>,
        words: &mut Words<'_>,
    ) -> Result<bool, SpecError> {
        match option.text {
            "limit" => self.limit = words.packets(option)?,
            "flows" => self.flows = words.count(option, 1..=65_536)?,
            "quantum" => {
                let value = words.peek();
                self.quantum = words.size(option)?;
                if let Some(value) = value.filter(|_| self.quantum < LEAST_QUANTUM) {
                    return Err(value.error("a quantum is at least 256 bytes, as in Linux"));
                }
            }
            "memory_limit" => self.memory_limit = words.size(option)?,
            "drop_batch" => self.drop_batch = words.count(option, 1..=u32::MAX)?.into(),
            "overflow" => self.overflow = words.choice(option, &OVERFLOWS)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Writes the options of fair queueing, around those of the controller.
    pub(crate) fn write_options(
        &self,
        f: &mut fmt::Formatter<'_>,
        controller: impl FnOnce(&mut fmt::Formatter<'_>) -> fmt::Result,
    ) -> fmt::Result {
        let Self { limit, memory_limit, flows, quantum, drop_batch, overflow } = self;
        write!(f, " limit {limit}p flows {flows} quantum {}", quantum.0)?;
        controller(f)?;
        let overflow = name_of(&OVERFLOWS, overflow);
        let memory_limit = TcSize(*memory_limit);
        write!(f, " memory_limit {memory_limit} drop_batch {drop_batch} overflow {overflow}")
    }
}
