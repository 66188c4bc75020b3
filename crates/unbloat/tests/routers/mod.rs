use sandbox::isolate;

use crate::harness::{self, Test};

mod without_udp;

const TESTS: &[Test] = &[(
    "handshakes_tell_the_delay_where_udp_is_blocked",
    without_udp::handshakes_tell_the_delay_where_udp_is_blocked,
)];

pub(crate) fn main() -> ! {
    harness::run(TESTS, &isolate(), |_, _| None)
}
