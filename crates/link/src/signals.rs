//! The events that a link reports.

use qdisc::{Packet, Signals};
use units::{Span, Time};

/// A receiver of the packets that leave the queue of a link, and of the queue's own signals.
/// Statistics are one implementation; `()` ignores everything.
pub trait LinkSignals<P: Packet>: Signals<P> {
    /// Takes notice that the packet has left the queue, in which it waited for `sojourn`, and that
    /// its first bit goes onto the wire `now`.
    fn departed(&mut self, packet: &P, sojourn: Span, now: Time);

    /// Receives a packet that the wire loses. Called right after [`departed`], since losses are
    /// decided then; the packet occupies the wire like any other.
    ///
    /// [`departed`]: Self::departed
    fn lost(&mut self, packet: P, now: Time);
}

impl<P: Packet<Store = ()>> LinkSignals<P> for () {
    fn departed(&mut self, _: &P, _: Span, _: Time) {}
    fn lost(&mut self, _: P, _: Time) {}
}
