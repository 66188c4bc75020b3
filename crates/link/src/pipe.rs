//! Packets in flight.

use alloc::collections::VecDeque;

use units::{Span, Time};

/// The packets that are held for a constant propagation delay. They are delivered in the order in
/// which they were sent, so only the first of them needs a deadline.
#[derive(Clone, Debug)]
pub(crate) struct Pipe<P> {
    delay: Span,
    packets: VecDeque<(Time, P)>,
}

impl<P> Pipe<P> {
    pub(crate) const fn new(delay: Span) -> Self {
        Self { delay, packets: VecDeque::new() }
    }

    pub(crate) const fn delay(&self) -> Span {
        self.delay
    }

    /// Adds a packet that is delivered at `delivery`, which must not be earlier than in the last call.
    #[inline]
    pub(crate) fn push(&mut self, packet: P, delivery: Time) {
        append(&mut self.packets, (delivery, packet));
    }

    /// The time at which the first packet is delivered; `None` if there are no packets.
    #[inline]
    pub(crate) fn next_delivery(&self) -> Option<Time> {
        self.packets.front().map(|(delivery, _)| *delivery)
    }

    /// Removes and returns the first packet, with the time of its delivery; `None` if none is due by
    /// now.
    #[inline]
    pub(crate) fn pop(&mut self, now: Time) -> Option<(Time, P)> {
        self.packets.pop_front_if(|(delivery, _)| *delivery <= now)
    }

    /// Removes and returns the last `count` packets, in order.
    pub(crate) fn take_last(&mut self, count: usize) -> impl Iterator<Item = P> {
        let first = self.packets.len().saturating_sub(count);
        self.packets.split_off(first).into_iter().map(|(_, packet)| packet)
    }

    pub(crate) fn len(&self) -> usize {
        self.packets.len()
    }
}

/// Appends to a queue, which grows by an eighth: doubling the queues of packets would take the most memory
/// of all in a run with many flows.
#[inline]
pub(crate) fn append<T>(queue: &mut VecDeque<T>, last: T) {
    if queue.len() == queue.capacity() {
        grow(queue);
    }
    queue.push_back(last);
}

#[cold]
fn grow<T>(queue: &mut VecDeque<T>) {
    queue.reserve_exact((queue.len() / 8).max(16));
}
