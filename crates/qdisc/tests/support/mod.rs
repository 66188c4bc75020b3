//! What the oracles share.

use qdisc::Ecn;
use qdisc::history::Operation;
use units::{Bytes, Rng, Span};

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
