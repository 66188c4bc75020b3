use sandbox::isolate;

use crate::harness::{self, Test};

mod causes;
mod line;
mod observed;

const TESTS: &[Test] = &[
    ("each_kind_of_target_answers", observed::each_kind_of_target_answers),
    ("a_cable_that_is_pulled_is_a_gap", observed::a_cable_that_is_pulled_is_a_gap),
    (
        "what_was_awaited_long_before_a_gap_is_lost",
        observed::what_was_awaited_long_before_a_gap_is_lost,
    ),
    ("the_cause_of_a_spike_is_found", causes::the_cause_of_a_spike_is_found),
];

pub(crate) fn main() -> ! {
    harness::run(TESTS, &isolate(), |_, _| None)
}
