//! Any of the named disciplines in one type, chosen at run time and dispatched without a pointer.

use units::{Bytes, Time};

use crate::aqm::{Blue, CoDel, Cobalt, Pie, Red, TailDrop};
use crate::{Backlog, Dequeued, Fifo, Flow, FqCoDel, FqCobalt, Qdisc, Sfb, Signals, Stats};

macro_rules! disciplines {
    ($($(#[$doc:meta])* $name:ident($discipline:ty),)*) => {
        /// Any of the named disciplines. It is made by
        /// [`QdiscSpec::build`](crate::spec::QdiscSpec::build), or converted from a discipline.
        #[derive(Clone, Debug)]
        pub enum AnyQdisc<P> {
            $($(#[$doc])* $name($discipline),)*
        }

        impl<P: Flow> Qdisc<P> for AnyQdisc<P> {
            fn enqueue(&mut self, packet: P, now: Time, out: &mut dyn Signals<P>) {
                match self {
                    $(Self::$name(queue) => queue.enqueue(packet, now, out),)*
                }
            }

            fn dequeue(&mut self, now: Time, out: &mut dyn Signals<P>) -> Dequeued<P> {
                match self {
                    $(Self::$name(queue) => queue.dequeue(now, out),)*
                }
            }

            #[inline]
            fn lets_by(&self, packet: &P) -> bool {
                match self {
                    $(Self::$name(queue) => queue.lets_by(packet),)*
                }
            }

            fn backlog(&self) -> Backlog {
                match self {
                    $(Self::$name(queue) => Qdisc::backlog(queue),)*
                }
            }

            fn ahead_of_new_flow(&self) -> Bytes {
                match self {
                    $(Self::$name(queue) => queue.ahead_of_new_flow(),)*
                }
            }

            fn observes_idle(&self) -> bool {
                match self {
                    $(Self::$name(queue) => queue.observes_idle(),)*
                }
            }
        }

        impl<P: Flow> AnyQdisc<P> {
            /// The state of the controller at `now`, as `tc -s` shows it.
            pub fn stats(&self, now: Time) -> Stats {
                match self {
                    $(Self::$name(queue) => queue.stats(now),)*
                }
            }
        }

        $(impl<P> From<$discipline> for AnyQdisc<P> {
            fn from(queue: $discipline) -> Self {
                Self::$name(queue)
            }
        })*
    };
}

disciplines! {
    /// `pfifo` and `bfifo`, dropping from the tail or the head.
    Fifo(Fifo<P, TailDrop>),
    /// `red`.
    Red(Fifo<P, Red>),
    /// `blue`.
    Blue(Fifo<P, Blue>),
    /// `codel`.
    CoDel(Fifo<P, CoDel>),
    /// `fq_codel`.
    FqCoDel(FqCoDel<P>),
    /// `cobalt`.
    Cobalt(Fifo<P, Cobalt>),
    /// `fq_cobalt`.
    FqCobalt(FqCobalt<P>),
    /// `pie`.
    Pie(Fifo<P, Pie>),
    /// `sfb`.
    Sfb(Sfb<P>),
}
