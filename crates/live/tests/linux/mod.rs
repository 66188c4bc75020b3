use sandbox::isolate;

use crate::harness::{self, Test};

mod division;
mod pair;
mod ports;

const TESTS: &[Test] = &[
    ("data_is_delivered_intact", ports::data_is_delivered_intact),
    ("packets_are_no_longer_than_the_mtu", ports::packets_are_no_longer_than_the_mtu),
    (
        "divided_super_packets_carry_the_same_bytes",
        division::divided_super_packets_carry_the_same_bytes,
    ),
    ("super_packets_come_whole", ports::super_packets_come_whole),
    ("drops_are_counted", ports::drops_are_counted),
    ("a_port_does_not_hear_itself", ports::a_port_does_not_hear_itself),
    ("nonsense_is_refused", ports::nonsense_is_refused),
    ("nothing_is_left_behind", ports::nothing_is_left_behind),
    ("a_name_is_used_once", ports::a_name_is_used_once),
    ("any_address_can_be_our_own", ports::any_address_can_be_our_own),
    ("a_route_says_how_tcp_begins", ports::a_route_says_how_tcp_begins),
];

pub(crate) fn main() -> ! {
    harness::run(TESTS, &isolate(), |_, _| None)
}
