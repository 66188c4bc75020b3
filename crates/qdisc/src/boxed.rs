//! A queue in a box, so that an enum of queues is not as large as the largest of them.

use alloc::boxed::Box;

use units::{Bytes, Rate, Span, Time};

use crate::{Backlog, ChangeError, Dequeued, Limit, Packet, Qdisc, Shaping, Signals};

impl<P: Packet, Q: Qdisc<P>> Qdisc<P> for Box<Q> {
    #[inline]
    fn enqueue(&mut self, packet: P, now: Time, out: &mut dyn Signals<P>) {
        (**self).enqueue(packet, now, out);
    }

    #[inline]
    fn dequeue(&mut self, now: Time, out: &mut dyn Signals<P>) -> Dequeued<P> {
        (**self).dequeue(now, out)
    }

    #[inline]
    fn bypass(&self) -> Limit {
        (**self).bypass()
    }

    fn is_tail_drop_fifo(&self) -> bool {
        (**self).is_tail_drop_fifo()
    }

    fn change(
        &mut self,
        like: Self,
        now: Time,
        out: &mut dyn Signals<P>,
    ) -> Result<(), ChangeError> {
        (**self).change(*like, now, out)
    }

    fn change_rate(&mut self, rate: Rate) -> bool {
        (**self).change_rate(rate)
    }

    fn backlog(&self) -> Backlog {
        (**self).backlog()
    }

    fn ahead_of_new_flow(&self) -> Bytes {
        (**self).ahead_of_new_flow()
    }

    fn shaping(&self) -> Option<Shaping> {
        (**self).shaping()
    }

    fn hold_of_new_flow(&self, now: Time) -> Span {
        (**self).hold_of_new_flow(now)
    }

    fn observes_idle(&self) -> bool {
        (**self).observes_idle()
    }
}
