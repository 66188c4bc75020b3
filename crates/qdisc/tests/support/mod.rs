//! Code that the oracles share.

use qdisc::Ecn;
use qdisc::history::{Fates, Operation, Probe};
use units::{Bytes, Rng, Span, Time};

/// A literal transcription of an algorithm and its queue.
pub(crate) trait Literal: Sized {
    /// A packet arrives.
    fn arrive(&mut self, packet: Probe, now: Time);

    /// The link is free; returns true if it got a packet.
    fn depart(&mut self, now: Time) -> bool;

    /// The fates of all packets.
    fn outcome(self) -> Fates;

    /// Runs the history, and then empties the queue.
    fn run(mut self, history: &[Operation]) -> Fates {
        let (mut now, mut id) = (Time::ZERO, 0);
        for operation in history {
            match *operation {
                Operation::Pass(span) => now += span,
                Operation::Arrive { len, flow, ecn, packets } => {
                    self.arrive(Probe { id, flow, len, ecn, packets, wrongly_marked: false }, now);
                    id += 1;
                }
                Operation::Depart => drop(self.depart(now)),
            }
        }
        while self.depart(now) {
            now += Span::from_micros(100);
        }
        self.outcome()
    }
}

/// Phases of overload and of relief, so that the drop state is entered, left and entered again.
pub(crate) fn phases(seed: u64) -> Vec<Operation> {
    let mut rng = Rng::new(seed);
    let mut history = vec![];
    for _ in 0..3 + rng.below(8) {
        let arrivals = 1 + rng.below(60);
        let capable = rng.below(101);
        for _ in 0..rng.below(4_000) {
            history.push(match rng.below(100) {
                0..35 => Operation::Pass(Span::from_nanos(rng.below(1_500_000))),
                n if n < 35 + arrivals => Operation::Arrive {
                    len: Bytes(40 + rng.below(1461)),
                    flow: 0,
                    ecn: if rng.below(100) < capable { Ecn::Ect0 } else { Ecn::NotEct },
                    packets: 1,
                },
                _ => Operation::Depart,
            });
        }
        if rng.below(3) == 0 {
            history.push(Operation::Pass(Span::from_millis(rng.below(3_000))));
        }
    }
    history
}
