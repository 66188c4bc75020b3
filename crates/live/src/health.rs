//! The loop's record of its own timing and losses.

use stats::Histogram;
use units::Span;

/// The loop's record of its own timing. A late loop reads late and delivers late. The wire keeps
/// its rate all the same, except for the time that it was idle while a packet waited to be read.
#[derive(Clone, Debug, Default)]
pub struct Health {
    /// The time from when each packet was due to its delivery, in nanoseconds.
    pub lateness: Histogram,
    /// The time that packets may have waited to be read, in nanoseconds: that of each first packet
    /// after its port was empty. The value is an upper bound, unless the kernel does not report how
    /// long the loop waited for the processor (`/proc/thread-self/schedstat`).
    pub reading: Histogram,
    /// The time by which a wire fell behind one that gets each packet as soon as it arrives: the
    /// time that it was idle while a packet may have waited to be read, less the time that it was
    /// idle later because nothing came. This is the largest value over time, and of the worst wire.
    /// Wires without a limit do not count.
    pub lost_credit: Span,
    /// Packets that were lost between the stack and the loop: some before they could be read,
    /// others because the stack at the far end refused them.
    pub device_drops: u64,
    /// Packets that were read, but for which there was no memory.
    pub no_memory: u64,
    /// Malformed packets from a port: packets that contradict themselves, are longer than any
    /// packet may be, or could not be handed over by the kernel.
    pub malformed: u64,
    /// Processor time of the loop.
    pub cpu: Span,
    /// The time for which the loop ran.
    pub elapsed: Span,
}
