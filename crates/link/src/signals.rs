//! What a link reports while it works.

use qdisc::Signals;
use units::{Span, Time};

/// Told of every packet that leaves the queue of a link, besides what the queue itself signals.
/// Statistics are one implementation, `()` is the one that does not care.
pub trait LinkSignals<P>: Signals<P> {
    /// The packet has left the queue, in which it waited for `sojourn`, and its first bit goes onto
    /// the wire `now`.
    fn departed(&mut self, packet: &P, sojourn: Span, now: Time);

    /// The wire loses the packet; here it is back. Called right after [`departed`], since its fate
    /// is drawn then; it occupies the wire like any other.
    ///
    /// [`departed`]: Self::departed
    fn lost(&mut self, packet: P, now: Time);
}

impl<P> LinkSignals<P> for () {
    fn departed(&mut self, _: &P, _: Span, _: Time) {}
    fn lost(&mut self, _: P, _: Time) {}
}
