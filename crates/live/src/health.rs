//! How well the loop kept time.

use results::Histogram;
use units::Span;

/// What the loop says of itself. A loop that comes late reads late and delivers late; the wire keeps
/// its rate all the same, except for what it stood idle for while a packet waited to be read.
#[derive(Clone, Debug, Default)]
pub struct Health {
    /// How long after its time each packet was delivered, in nanoseconds.
    pub lateness: Histogram,
    /// How long packets may have waited to be read, in nanoseconds: of each first one after its
    /// port was empty. It cannot have been longer, unless the kernel does not tell how long the
    /// loop waited for the processor (`/proc/thread-self/schedstat`).
    pub reading: Histogram,
    /// How far a wire fell behind one that gets each packet when it comes: how long it stood idle,
    /// having run dry while a packet may have waited to be read, less what it stood idle later
    /// because nothing came. At worst, and of the worst wire; those without a limit do not count.
    pub lost_credit: Span,
    /// Packets that were lost between the stack and us: some that it sent before we could read
    /// them, others that it refused at the far end.
    pub device_drops: u64,
    /// Packets that we could read but had no memory for.
    pub no_memory: u64,
    /// What came out of a port and was no sound packet: what contradicts itself, what is longer than
    /// any packet, and what the kernel could not hand over.
    pub malformed: u64,
    /// Processor time of the loop.
    pub cpu: Span,
    /// How long it ran.
    pub elapsed: Span,
}
