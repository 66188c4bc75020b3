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
fn beside_a_load_that_stays_nobody_can_tell() {
    let mut world = World::new();
    world.pass(6, Second { up_mbit: 20.0, ..late_from(2, 200.0) });
    world.pass(20, Second { up_mbit: 20.0, ..CALM });
    let spike = world.spike().spike;
    assert_eq!((spike.cause, spike.confidence), (SpikeCause::Unknown, 0.0));
}

/// BBR keeps the line full without a queue. Whoever sends more then makes one.
#[test]
fn on_a_line_that_an_own_load_fills_nobody_can_tell() {
    for (mbit, cause) in [(20.0, SpikeCause::Unknown), (5.0, SpikeCause::Line)] {
        let mut world = World::new();
        // Two loads show the rate of the line.
        for _ in 0..2 {
            world.pass(12, Second { up_mbit: 20.0, ..late_from(2, 200.0) });
            assert_eq!(world.cause(), SpikeCause::OwnUpload);
        }
        world.pass(20, Second { up_mbit: mbit, ..CALM });
        world.pass(12, Second { up_mbit: mbit, ..late_from(2, 200.0) });
        world.pass(20, Second { up_mbit: mbit, ..CALM });
        assert_eq!(world.cause(), cause, "{mbit}");
        // Nobody fills a line so that nothing passes it.
        world.pass(20, Second { up_mbit: mbit, ..CALM });
        world.pass(12, Second { up_mbit: mbit, ..late_from(2, f64::INFINITY) });
        world.pass(80, CALM);
        assert_eq!(world.cause(), SpikeCause::Line);
    }
}

/// The machine stands still for a third of a second, and only what is far away is on its way meanwhile.
#[test]
fn pauses_of_this_machine_are_its_own() {
    let pause = Second { lateness: Span::from_millis(300), ..late_from(4, 300.0) };
    let mut world = World::new();
    for n in 0..12 {
        world.one(if n % 4 == 0 { pause } else { CALM });
    }
    assert_eq!(world.cause(), SpikeCause::OwnMachine);
    // Before and after it, the line was late: none of both explains the spike alone.
    world.pass(60, CALM);
    for n in 0..12 {
        world.one(if n % 3 == 0 { pause } else { late_from(2, 150.0) });
    }
    assert_eq!(world.cause(), SpikeCause::Unknown);
    world.pass(60, CALM);
    for n in 0..12 {
        world.one(if n % 6 == 0 { pause } else { late_from(2, 150.0) });
    }
    assert_eq!(world.cause(), SpikeCause::Line);
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

/// Pings and connections to one server are late together.
#[test]
fn two_targets_of_one_host_are_no_line() {
    for outage in [f64::INFINITY, 300.0] {
        let host = |n: usize| if n == 5 { 4 } else { n };
        let mut world = World::with(|n| Watched {
            name: n.to_string(),
            host: host(n).to_string(),
            place: place(n),
        });
        world.pass(12, late_at(&[4, 5], outage));
        world.pass(80, CALM);
        let spike = world.spike().spike;
        assert_eq!((spike.cause, spike.confidence), (SpikeCause::Target, 0.95), "{spike:?}");
    }
}

/// The line is late, then an upload of this machine fills it. One target is late all the time.
#[test]
fn a_slow_target_does_not_join_two_spikes() {
    let mut world = World::new();
    let with_slow = |mut second: Second| {
        second.added[5] = 400.0;
        second
    };
    world.pass(12, with_slow(late_from(2, 200.0)));
    world.pass(40, with_slow(CALM));
    world.pass(12, with_slow(Second { up_mbit: 5.0, ..late_from(2, 200.0) }));
    world.pass(20, with_slow(CALM));
    world.pass(30, CALM);
    let told = world.spikes.iter().map(|it| {
        (
            it.start.as_secs_f64() as u64,
            it.end.as_secs_f64() as u64,
            it.spike.targets.len(),
            it.spike.cause,
        )
    });
    assert_eq!(
        told.collect::<Vec<_>>(),
        [
            (200, 211, 3, SpikeCause::Line),
            (252, 263, 2, SpikeCause::OwnUpload),
            (212, 283, 1, SpikeCause::Target),
        ]
    );
}

/// A port at the router is slower than what this machine has sent before: to another computer, or by another port.
#[test]
fn a_slower_queue_before_the_first_hop_is_known_after_two_loads_of_its_rate() {
    let mut world = World::new();
    world.pass(4, Second { down_mbit: 900.0, ..CALM });
    world.pass(40, CALM);
    let load = Second { down_mbit: 10.0, ..late_from(1, 200.0) };
    let mut told = Vec::new();
    for _ in 0..2 {
        world.pass(12, load);
        let spike = world.spike().spike;
        told.push((spike.cause, spike.confidence));
    }
    assert_eq!(told, [(SpikeCause::Unknown, 0.0), (SpikeCause::OwnDownload, 0.95)]);
    // Without a load, and beside one of another rate, which comes and goes by itself.
    world.pass(12, late_from(1, 200.0));
    assert_eq!(world.cause(), SpikeCause::Router);
    world.pass(12, Second { down_mbit: 3.0, ..late_from(1, 200.0) });
    assert_eq!(world.cause(), SpikeCause::Unknown);
}

/// The link of this machine has become slower, or has another queue.
#[test]
fn a_load_is_large_for_a_link_that_has_become_slower() {
    let mut world = World::new();
    world.pass(15, Second { up_mbit: 900.0, ..CALM });
    world.judge.forget_rates(Time::from_secs(world.second));
    world.pass(40, CALM);
    world.pass(12, Second { up_mbit: 95.0, ..late_from(1, 20.0) });
    let spike = world.spike().spike;
    assert_eq!((spike.cause, spike.confidence), (SpikeCause::OwnUpload, 0.75));
}

/// A server that hangs receives probes, and answers them later. It tells for how long it kept them.
#[test]
fn a_server_that_keeps_probes_is_a_late_target() {
    // The same with nobody beside it to compare with, and with the others late by the line.
    for others_ms in [0.0, 150.0] {
        let mut world = World::new();
        let keep = |world: &mut World, kept_ms: f64| {
            let sent = Time::from_secs(world.second) + Span::from_millis(500);
            let kept = (kept_ms > 0.0).then(|| Span::from_secs_f64(kept_ms / 1e3));
            let round_trip = Span::from_millis(20) + kept.unwrap_or_default();
            let outcome = ProbeOutcome::Answered { round_trip, up: Some(10_000_000), kept };
            world.judge.take_probe(4, WatchedProbe { sent, is_extra: false, outcome });
            let mut second = late_at(&[5, 6], if kept_ms > 0.0 { others_ms } else { 0.0 });
            // The other probe of this second.
            second.added[4] = f64::NAN;
            world.one(second);
        };
        (0..60).for_each(|_| keep(&mut world, 0.0));
        [3000.0, 2000.0, 1900.0, 900.0, 300.0].iter().for_each(|it| keep(&mut world, *it));
        let spike = world.spike().spike;
        if others_ms > 0.0 {
            assert_ne!(spike.cause, SpikeCause::Target, "{spike:?}");
            // What the server has kept is no delay of the line.
            assert!(spike.added_most_ms.unwrap() <= 2.0 * others_ms, "{spike:?}");
            continue;
        }
        assert_eq!((spike.cause, spike.confidence), (SpikeCause::Target, 0.95));
        assert_eq!(spike.evidence[0], SpikeEvidence::Kept { most_ms: 3000.0 });
        assert_eq!((spike.targets, spike.direction), (vec!["4".to_owned()], None));
    }
}
