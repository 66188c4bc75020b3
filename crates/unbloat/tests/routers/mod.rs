use sandbox::isolate;

use crate::harness::{self, Test};

mod followed;
mod without_udp;

const TESTS: &[Test] = &[
    (
        "connections_that_pass_an_interface_are_told",
        followed::connections_that_pass_an_interface_are_told,
    ),
    (
        "handshakes_tell_the_delay_where_udp_is_blocked",
        without_udp::handshakes_tell_the_delay_where_udp_is_blocked,
    ),
];

pub(crate) fn main() -> ! {
    harness::run(TESTS, &isolate(), |_, _| None)
}
