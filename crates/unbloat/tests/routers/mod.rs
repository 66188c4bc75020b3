use sandbox::isolate;

use crate::harness::{self, Test};

mod followed;
mod serving;
mod watched;
mod without_udp;

/// The program.
const PROGRAM: &str = env!("CARGO_BIN_EXE_unbloat");

const TESTS: &[Test] = &[
    (
        "connections_that_pass_an_interface_are_told",
        followed::connections_that_pass_an_interface_are_told,
    ),
    (
        "handshakes_tell_the_delay_where_udp_is_blocked",
        without_udp::handshakes_tell_the_delay_where_udp_is_blocked,
    ),
    (
        "a_watch_tests_at_its_time_and_when_answers_are_late",
        watched::a_watch_tests_at_its_time_and_when_answers_are_late,
    ),
];

pub(crate) fn main() -> ! {
    harness::run(TESTS, &isolate(), |_, _| None)
}
