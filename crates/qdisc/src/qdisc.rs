//! The contract between a queue discipline and whoever drives it.

use core::ops::{AddAssign, SubAssign};

use units::{Bytes, Span, Time};

use crate::Packet;

/// A queue discipline: packets go in, packets come out, and every call is told the time, which
/// must not run backwards.
pub trait Qdisc<P: Packet> {
    /// Takes the packet. It will either come out of [`dequeue`](Self::dequeue) once, or be handed
    /// to [`Signals::dropped`] once, perhaps during this very call.
    fn enqueue(&mut self, packet: P, now: Time, out: &mut dyn Signals<P>);

    /// The next packet to send, if one may be sent now.
    fn dequeue(&mut self, now: Time, out: &mut dyn Signals<P>) -> Dequeued<P>;

    /// Would this packet, if it met the empty queue and a free link, be sent at once and leave no
    /// trace here? Then the driver may pass the queue by. Most packets on most links are so.
    #[inline]
    fn lets_by(&self, _packet: &P) -> bool {
        false
    }

    /// What waits now.
    fn backlog(&self) -> Backlog;

    /// How many bytes would be sent before a packet that arrived now and belonged to a flow that
    /// has no packet here. What arrives later and overtakes it is not foreseen, nor what a
    /// controller drops from the head before its turn. A discipline that serves all packets in the
    /// order of their arrival answers with its whole backlog.
    fn ahead_of_new_flow(&self) -> Bytes {
        self.backlog().bytes
    }

    /// Does a [`dequeue`](Self::dequeue) that finds nothing change anything? If not, a driver may
    /// leave it out.
    fn heeds_idleness(&self) -> bool {
        true
    }
}

/// The answer of [`Qdisc::dequeue`]; an exhaustive match cannot forget the timer.
#[must_use]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dequeued<P> {
    /// Send this.
    Packet {
        /// The packet.
        packet: P,
        /// How long it waited.
        sojourn: Span,
    },
    /// Something waits but may not be sent before this time, which lies in the future.
    NotBefore(Time),
    /// Nothing waits.
    Empty,
}

/// Told of every packet that does not simply come out again. Statistics are one implementation,
/// `()` is the one that does not care.
pub trait Signals<P> {
    /// The packet will not come out; here it is back.
    fn dropped(&mut self, packet: P, cause: Cause, now: Time);

    /// The packet has been marked with congestion experienced, and waits or comes out as usual.
    fn marked(&mut self, packet: &P, cause: Cause, now: Time);
}

impl<P> Signals<P> for () {
    fn dropped(&mut self, _: P, _: Cause, _: Time) {}
    fn marked(&mut self, _: &P, _: Cause, _: Time) {}
}

/// Why a packet was dropped or marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Cause {
    /// A limit of the queue was reached.
    Overflow,
    /// The algorithm signalled congestion.
    Congestion,
    /// The sojourn exceeded a marking threshold (`ce_threshold`).
    Threshold,
}

/// What waits in a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backlog {
    /// Number of packets.
    pub packets: u64,
    /// Sum of their lengths.
    pub bytes: Bytes,
}

impl Backlog {
    /// What this packet adds to a queue that it joins.
    #[inline]
    pub fn of<P: Packet>(packet: &P) -> Self {
        Self { packets: packet.packets(), bytes: packet.len() }
    }
}

impl AddAssign for Backlog {
    /// So much more.
    fn add_assign(&mut self, other: Self) {
        self.packets += other.packets;
        self.bytes += other.bytes;
    }
}

impl SubAssign for Backlog {
    /// So much less.
    fn sub_assign(&mut self, other: Self) {
        self.packets -= other.packets;
        self.bytes -= other.bytes;
    }
}
