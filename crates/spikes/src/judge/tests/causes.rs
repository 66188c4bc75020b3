//! Causes that are close to each other: own loads and those of others, the router and the line, near and far targets.

use super::*;

/// A load that begins and ends with one of somebody else has any rate, and one that fills the line has the line's.
#[test]
fn only_loads_of_the_same_rate_show_the_rate_of_the_line() {
    let mut world = World::new();
    for (mbit, confidence) in [(5.0, 0.75), (2.0, 0.75), (7.0, 0.75), (6.5, 0.95), (4.0, 0.95)] {
        world.pass(12, Second { up_mbit: mbit, ..late_from(2, 200.0) });
        let spike = world.spike().spike;
        let told = (spike.cause, spike.confidence);
        // A load much smaller than what the line carries does not fill it.
        let expected = match mbit {
            2.0 => (SpikeCause::Line, confidence),
            _ => (SpikeCause::OwnUpload, confidence),
        };
        assert_eq!(told, expected, "{mbit}");
    }
}

/// BBR fills a queue when it begins, and empties it then.
#[test]
fn beside_a_load_that_stays_the_line_is_less_sure() {
    let mut world = World::new();
    world.pass(6, Second { up_mbit: 20.0, ..late_from(2, 200.0) });
    world.pass(20, Second { up_mbit: 20.0, ..CALM });
    let spike = world.spike().spike;
    assert_eq!((spike.cause, spike.confidence), (SpikeCause::Line, 0.75));
}

#[test]
fn a_copy_within_the_local_network_fills_no_line() {
    let mut world = World::new();
    world.pass(12, Second { local_mbit: 400.0, ..late_from(2, 200.0) });
    let spike = world.spike().spike;
    assert_eq!((spike.cause, spike.confidence), (SpikeCause::Line, 0.95));
    // Nor does a faster one before hide what an upload fills.
    world.pass(12, Second { up_mbit: 5.0, ..late_from(2, 200.0) });
    assert_eq!(world.cause(), SpikeCause::OwnUpload);
}

/// If the first hop is late too, the queue before it is full: that of the Wi-Fi, or of this machine.
#[test]
fn a_copy_within_the_local_network_may_fill_the_way_to_the_first_hop() {
    let mut world = World::new();
    for is_first in [true, false] {
        world.pass(12, Second { local_mbit: 95.0, ..late_from(1, 200.0) });
        let spike = world.spike().spike;
        assert_eq!(spike.cause, SpikeCause::OwnUpload);
        let SpikeEvidence::Load { is_local, is_first: told, .. } = spike.evidence[0] else {
            panic!("{spike:?}")
        };
        assert_eq!((is_local, told), (true, is_first));
    }
}

/// A router that answers each fifth ping late by itself was not late with the line.
#[test]
fn a_router_that_is_late_at_times_is_not_late_with_the_line() {
    let mut world = World::new();
    for n in 0..180 {
        world.one(if n % 5 == 0 { late_at(&[1], 60.0) } else { CALM });
    }
    world.spikes.clear();
    for n in 0..20 {
        let mut second = late_from(2, 100.0);
        second.added[1] = if n % 5 == 0 { 60.0 } else { 0.0 };
        world.one(second);
    }
    assert_eq!(world.cause(), SpikeCause::Line);
}

/// What is late enough for a near target may not be for a far one, whose usual round trip is longer.
#[test]
fn a_delay_that_strikes_one_target_is_the_line_if_the_others_share_it() {
    let mut world = World::new();
    let mut second = late_from(2, 12.0);
    second.added[5] = 9.0;
    world.pass(12, second);
    let spike = world.spike().spike;
    assert_eq!((spike.targets.len(), spike.cause), (1, SpikeCause::Line));
}
