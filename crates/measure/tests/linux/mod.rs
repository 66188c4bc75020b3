use live::isolate;

use crate::harness::{self, Test};

mod chain;
mod hops;

const TESTS: &[Test] = &[
    ("each_hop_answers_and_the_server_ends_it", hops::each_hop_answers_and_the_server_ends_it),
    ("a_router_may_be_silent", hops::a_router_may_be_silent),
    ("nobody_at_home_is_the_end_too", hops::nobody_at_home_is_the_end_too),
    ("the_interface_is_known", hops::the_interface_is_known),
];

pub(crate) fn main() -> ! {
    harness::run(TESTS, &isolate(), |_, _| None)
}
