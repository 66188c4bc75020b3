use sandbox::isolate;

use crate::harness::{self, Test};

mod chain;
mod faults;
mod hops;
mod spoofed;
mod whole;

const TESTS: &[Test] = &[
    ("each_hop_answers_and_the_server_ends_it", hops::each_hop_answers_and_the_server_ends_it),
    ("a_router_may_be_silent", hops::a_router_may_be_silent),
    ("nobody_at_home_is_the_end_too", hops::nobody_at_home_is_the_end_too),
    ("the_interface_is_known", hops::the_interface_is_known),
    ("what_waits_in_our_own_queue_is_seen", whole::what_waits_in_our_own_queue_is_seen),
    ("nobody_is_flooded_in_anothers_name", spoofed::nobody_is_flooded_in_anothers_name),
    ("a_link_that_is_cut_is_told", faults::a_link_that_is_cut_is_told),
    ("a_cable_that_is_pulled_is_told", faults::a_cable_that_is_pulled_is_told),
    (
        "a_router_that_swallows_large_packets_is_told",
        faults::a_router_that_swallows_large_packets_is_told,
    ),
];

pub(crate) fn main() -> ! {
    harness::run(TESTS, &isolate(), |_, _| None)
}
