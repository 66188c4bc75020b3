//! The interface between a queue discipline and its driver.

use core::fmt;

use units::{Bytes, Rate, Span, Time};

use crate::{Backlog, Limit, Packet};

/// A queue discipline: packets go in, packets come out, and every call passes the time, which must
/// not run backwards.
pub trait Qdisc<P: Packet> {
    /// Takes the packet. The packet either comes out of [`dequeue`](Self::dequeue) once, or is
    /// handed to [`Signals::dropped`] once, perhaps during this very call.
    fn enqueue(&mut self, packet: P, now: Time, out: &mut dyn Signals<P>);

    /// Takes the next packet out of the queue, if one may be sent now.
    fn dequeue(&mut self, now: Time, out: &mut dyn Signals<P>) -> Dequeued<P>;

    /// The packets that may skip the queue: within this limit, a packet that finds the queue empty and
    /// the link free would be sent at once, without a change of the queue's state. It is the same until
    /// the queue's settings [change](Self::change). Default: none.
    #[inline]
    fn bypass(&self) -> Limit {
        Limit::NONE
    }

    /// True if packets leave in the order in which they came, none is marked, and those alone are
    /// dropped that come and do not fit within [`bypass`](Self::bypass). Default: false.
    #[inline]
    fn is_tail_drop_fifo(&self) -> bool {
        false
    }

    /// Takes over the settings of `like`, an empty queue, while packets wait, as `tc qdisc change`
    /// does. The state of the controller, its random numbers and the packets stay, except for those
    /// that Linux discards: see the discipline. Packets that are discarded go to `out` as
    /// [`Discarded`](Cause::Discarded). A change to the settings that the queue has already changes
    /// nothing.
    ///
    /// # Errors
    /// If a setting differs that cannot change while the queue runs. Then no setting has changed.
    fn change(
        &mut self,
        _like: Self,
        _now: Time,
        _out: &mut dyn Signals<P>,
    ) -> Result<(), ChangeError>
    where
        Self: Sized,
    {
        Err(ChangeError::Fixed)
    }

    /// Changes the rate of the queue's own shaper, as [`change`](Self::change) to such settings does, but
    /// without an empty queue of them. Returns false if the queue has no shaper.
    fn change_rate(&mut self, _rate: Rate) -> bool {
        false
    }

    /// The packets and bytes that wait now.
    fn backlog(&self) -> Backlog;

    /// The bytes that would be sent before a packet that arrives now and belongs to a flow without
    /// packets here. Later arrivals that overtake that packet are not foreseen, nor are drops from
    /// the head by a controller. A discipline that serves all packets in the order of arrival
    /// returns its whole backlog.
    fn ahead_of_new_flow(&self) -> Bytes {
        self.backlog().bytes
    }

    /// The shaper in the queue itself; `None` if the queue holds no packet back while the link is
    /// free.
    fn shaping(&self) -> Option<Shaping> {
        None
    }

    /// The time for which the queue itself would hold back a packet that arrives now and belongs to
    /// a flow without packets here; zero without a shaper.
    fn hold_of_new_flow(&self, _now: Time) -> Span {
        Span::ZERO
    }

    /// True if a [`dequeue`](Self::dequeue) that finds no packet changes the queue's state. If
    /// false, a driver may skip that call.
    fn observes_idle(&self) -> bool {
        true
    }
}

/// The result of [`Qdisc::dequeue`]. An exhaustive match cannot forget the timer.
#[must_use]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dequeued<P> {
    /// A packet to send.
    Packet {
        /// The packet.
        packet: P,
        /// The time for which the packet waited.
        sojourn: Span,
    },
    /// A packet waits, but none may be sent before this time, which lies in the future.
    NotBefore(Time),
    /// No packet waits.
    Empty,
}

/// The shaper in a queue.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Shaping {
    /// The rate at which the queue lets packets go, with what the shaper adds to each.
    pub rate: Rate,
    /// The bytes of packets as the queue counts them over the bytes that the shaper charged for
    /// them, of the packets sent until now; 1 before the first.
    pub share: f64,
}

/// The driver of a queue, as the queue sees it: it receives drops and marks, and knows where the
/// headers of packets are. [`Tally`](crate::Tally) counts drops and marks; `()` ignores them.
pub trait Signals<P: Packet> {
    /// Receives a packet that was dropped and will not come out of the queue.
    fn dropped(&mut self, packet: P, cause: Cause, now: Time);

    /// Takes notice that a packet was marked with congestion experienced. The packet waits or comes
    /// out as usual.
    fn marked(&mut self, packet: &P, cause: Cause, now: Time);

    /// The place where the driver keeps the headers of packets, for
    /// [`Headers`](crate::Headers).
    fn store(&self) -> &P::Store;
}

impl<P: Packet<Store = ()>> Signals<P> for () {
    fn dropped(&mut self, _: P, _: Cause, _: Time) {}
    fn marked(&mut self, _: &P, _: Cause, _: Time) {}
    fn store(&self) -> &() {
        self
    }
}

/// The reason why a packet was dropped or marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Cause {
    /// A limit of the queue was reached.
    Overflow,
    /// A change of the queue's settings discarded the packet.
    Discarded,
    /// The algorithm signalled congestion.
    Congestion,
    /// The sojourn exceeded a marking threshold (`ce_threshold`).
    Threshold,
    /// An acknowledgement was dropped since a later one says all that it says.
    Superseded,
}

/// The reason why a running queue cannot take over some settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ChangeError {
    /// The settings are those of another kind of queue.
    Kind,
    /// The settings have another number of queues that flows are hashed to.
    Flows,
    /// The settings have another variant of the algorithm.
    Variant,
    /// The settings drop packets from the other end of the queue.
    DropFrom,
    /// This queue has no settings that can change.
    Fixed,
}

impl fmt::Display for ChangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Kind => "the kind of a queue",
            Self::Flows => "`flows`, the number of queues that flows are hashed to,",
            Self::Variant => "the variant of an algorithm",
            Self::DropFrom => "the end from which a queue drops",
            Self::Fixed => "this queue",
        })?;
        f.write_str(" cannot change while it runs")
    }
}

impl core::error::Error for ChangeError {}
