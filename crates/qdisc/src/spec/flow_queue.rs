//! The options of fair queueing, whatever the controller.

use core::fmt;

use units::Bytes;

use super::SpecError;
use super::size::TcSize;
use super::words::{Word, Words, name_of};
use crate::{FlowQueueParameters, Overflow};

const OVERFLOWS: [(&str, Overflow); 2] =
    [("rfc8290", Overflow::Rfc8290), ("linux", Overflow::Linux)];
/// sch_fq_codel.c raises a smaller quantum to this.
const LEAST_QUANTUM: Bytes = Bytes(256);

/// Reads one option of fair queueing and its value. Returns false if the option is not one of
/// these.
pub(super) fn option(
    queues: &mut FlowQueueParameters,
    option: Word<'_>,
    words: &mut Words<'_>,
) -> Result<bool, SpecError> {
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
        _ => return Ok(false),
    }
    Ok(true)
}

/// Writes the options of fair queueing, around those of the controller.
pub(super) fn write(
    f: &mut fmt::Formatter<'_>,
    queues: &FlowQueueParameters,
    controller: impl FnOnce(&mut fmt::Formatter<'_>) -> fmt::Result,
) -> fmt::Result {
    let FlowQueueParameters { limit, memory_limit, flows, quantum, drop_batch, overflow } = queues;
    write!(f, " limit {limit}p flows {flows} quantum {}", quantum.0)?;
    controller(f)?;
    let overflow = name_of(&OVERFLOWS, overflow);
    let memory_limit = TcSize(*memory_limit);
    write!(f, " memory_limit {memory_limit} drop_batch {drop_batch} overflow {overflow}")
}
