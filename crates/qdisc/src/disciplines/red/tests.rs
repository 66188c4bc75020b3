//! The check values of RED: its average and its automatic settings.

use super::*;
use crate::disciplines::tests::every_option_has_an_effect;
use alloc::vec::Vec;

fn near(value: f64, expected: f64, tolerance: f64) {
    assert!((value - expected).abs() <= tolerance, "{value} is not {expected}");
}

fn packets(packets: u64) -> Backlog {
    Backlog { packets, bytes: Bytes(packets * 1000) }
}

fn red(parameters: RedParameters) -> (Red, RedState) {
    (Red::new(parameters, Rng::new(1)), RedState::default())
}

fn arrival(waiting: u64, now: Time) -> Arrival {
    Arrival {
        len: Bytes(1000),
        packets: 1,
        ecn_capable: false,
        backlog: packets(waiting),
        full: false,
        now,
    }
}

/// 1993 paper, section 6: the average after a burst of L arrivals, which find 1 to L packets, is L
/// + 1 + ((1 - w)^(L + 1) - 1) / w.
#[test]
fn average_after_a_burst_of_50() {
    for (weight, average, tolerance) in [(0.002, 2.4687, 5e-5), (0.0042, 5.005, 5e-4)] {
        let (red, mut q) = red(RedParameters { weight, ..RedParameters::default() });
        (1..=50).for_each(|waiting| red.observe(&mut q, packets(waiting), Time::ZERO));
        near(q.average(), average, tolerance);
    }
}

#[test]
fn average_of_a_constant_queue() {
    let (red, mut q) = red(RedParameters::default());
    for arrivals in 1..=1000 {
        red.observe(&mut q, packets(10), Time::ZERO);
        match arrivals {
            100 => near(q.average(), 1.8143, 5e-5),
            500 => near(q.average(), 6.3249, 5e-5),
            1000 => near(q.average(), 8.6494, 5e-5),
            _ => {}
        }
    }
}

/// 1993 paper, section 4: an idle time lowers the average as much as the packets that could have
/// been sent in it would have.
#[test]
fn average_decays_over_idle_time() {
    let (mut red, mut q) = red(RedParameters::default());
    q.average = 8.0;
    red.on_empty(&mut q, Time::from_millis(10));
    red.on_empty(&mut q, Time::from_millis(20));
    red.observe(&mut q, packets(0), Time::from_millis(10 + 12));
    near(q.average(), 8.0 * libm::pow(0.998, 10.0), 1e-12);
}

/// ns-2's automatic settings at 10 Mbit/s (packets of 500 bytes, short links).
#[test]
fn ns2_automatic_settings() {
    for (kbit, min, max, weight, tolerance) in [
        (1_500, 5.0, 15.0, 2.6631e-3, 5e-8),
        (3_000, 5.0, 15.0, 1.33244e-3, 5e-9),
        (10_000, 6.25, 18.75, 3.9992e-4, 5e-9),
        (45_000, 28.125, 84.375, 8.8885e-5, 5e-10),
        (100_000, 62.5, 187.5, 3.99992e-5, 5e-11),
    ] {
        let rate = Rate::from_bits_per_sec(kbit * 1000).unwrap();
        let auto = RedParameters::automatic(rate, Span::ZERO, Bytes(500));
        near(auto.min / 500.0, min, 1e-9);
        near(auto.max / 500.0, max, 1e-9);
        near(auto.weight, weight, tolerance);
        assert!(auto.gentle && auto.spread == RedSpread::Wait && !auto.adaptive);
        // ns-default.tcl: `linterm_ 10`, and `bytes_ true` with packets of `mean_pktsize_ 500`.
        assert_eq!((auto.unit, auto.mean_packet), (RedUnit::Bytes, Some(Bytes(500))));
        near(auto.max_probability.get(), 0.1, 1e-15);
        // red.cc: an idle time counts in mean packets, and 1/W bounds what is adapted.
        assert_eq!(auto.packet_time.as_nanos(), 500 * 8 * 1_000_000 / kbit);
        near(auto.bottom.get(), (80.0 / kbit as f64).min(0.01), 1e-15);
    }
}

/// red.cc: with longer packets there are fewer of them; a long link has a slower average.
#[test]
fn ns2_automatic_settings_follow_packets_and_delay() {
    let rate = Rate::from_mbit(10);
    let long = RedParameters::automatic(rate, Span::ZERO, Bytes(1500));
    near(long.min, 5.0 * 1500.0, 1e-9);
    near(long.weight, 1.0 - libm::exp(-1.0 / (10_000_000.0 / 12_000.0)), 1e-15);
    let far = RedParameters::automatic(rate, Span::from_millis(100), Bytes(500));
    let rtt = 3.0 * (0.1 + 1.0 / 2500.0);
    near(far.weight, 1.0 - libm::exp(-1.0 / (10.0 * rtt * 2500.0)), 1e-15);
    near(far.min, 3125.0, 1e-9);
}

/// tc-red(8): `bandwidth` is for the average after some idle time, which counts packets of `avpkt`
/// that the link could have sent meanwhile (`tc_red_eval_idle_damping`).
#[test]
fn linux_counts_idle_time_in_average_packets() {
    let (min, max) = (Bytes(5_000), Bytes(15_000));
    let linux = RedParameters::linux(min, max, 5, Bytes(1000), Rate::from_mbit(1));
    assert_eq!((linux.unit, linux.min, linux.max), (RedUnit::Bytes, 5_000.0, 15_000.0));
    assert_eq!((linux.weight, linux.packet_time), (1.0 / 32.0, Span::from_millis(8)));
}

/// Adaptive RED before a fast link may go below 0.01.
#[test]
fn the_bottom_follows_the_rate() {
    let auto = RedParameters::automatic(Rate::from_mbit(100), Span::ZERO, Bytes(500));
    let (red, mut q) = red(RedParameters { adaptive: true, ..auto });
    red.adapt(&mut q, Time::ZERO);
    red.adapt(&mut q, Time::from_secs(1000));
    let floor = red.max_probability(&q).get();
    assert!((0.9 * 0.0008..0.0008).contains(&floor), "{floor}");
}

use units::Rate;

/// The longest bursts that a weight of 2^-L lets through where `min` is 32 packets, as the kernel
/// tabulates them (include/net/red.h); one packet more needs the next weight.
#[test]
fn weight_follows_from_the_burst() {
    let (min, packet) = (Bytes(32_000), Bytes(1000));
    for (log, burst) in [(4, 46), (5, 57), (6, 75), (7, 101)] {
        assert_eq!(weight_for_burst(min, burst, packet), Some(log));
        assert_eq!(weight_for_burst(min, burst + 1, packet), Some(log + 1));
    }
    assert_eq!(weight_for_burst(min, 31, packet), None);
    // The bound itself, at the settings of the reference: 28 packets, min 25000, avpkt 1514.
    let (min, packet) = (Bytes(25_000), Bytes(1514));
    let log = weight_for_burst(min, 28, packet).unwrap();
    let bound = |log: u32| {
        let w = 1.0 / f64::from(1 << log);
        (1.0 - libm::pow(1.0 - w, 28.0)) / w
    };
    let excess = 29.0 - 25_000.0 / 1514.0;
    assert!(bound(log) >= excess && bound(log - 1) < excess, "{log}");
}

/// 1993 paper, section 7: with a constant average the gaps are uniform; as its figure 17 counts the
/// packet at hand, they end one short of 1/p.
#[test]
fn gaps_between_drops_are_even() {
    let (mut red, mut q) = red(RedParameters {
        weight: 0.0,
        max_probability: Prob::clamped(0.1),
        ..RedParameters::default()
    });
    q.average = 10.0; // halfway: p = 0.05, gaps of 1 to 19
    let (mut gaps, mut gap) = (Vec::new(), 0);
    for _ in 0..200_000 {
        gap += 1;
        if red.on_enqueue(&mut q, &arrival(10, Time::ZERO)) == Verdict::Signal {
            gaps.push(core::mem::take(&mut gap));
        }
    }
    let expected = gaps.len() as f64 / 19.0;
    for length in 1..=19 {
        let count = gaps[1..].iter().filter(|gap| **gap == length).count() as f64;
        assert!((count - expected).abs() < 5.0 * expected.sqrt(), "{length}: {count} {expected}");
    }
    assert!(gaps[1..].iter().all(|gap| (1..=19).contains(gap)));
}

/// Linux's gaps are uniform in 1..1/p to the end.
#[test]
fn linux_gaps_are_even() {
    let (mut red, mut q) = red(RedParameters {
        weight: 0.0,
        max_probability: Prob::clamped(0.1),
        spread: RedSpread::OneThrow,
        ..RedParameters::default()
    });
    q.average = 10.0;
    let drops: Vec<usize> = (0..200_000)
        .filter(|_| red.on_enqueue(&mut q, &arrival(10, Time::ZERO)) == Verdict::Signal)
        .collect();
    let mut lengths = [0_u32; 21];
    drops.windows(2).for_each(|pair| lengths[pair[1] - pair[0]] += 1);
    let expected = (drops.len() - 1) as f64 / 20.0;
    for count in &lengths[1..] {
        assert!((f64::from(*count) - expected).abs() < 5.0 * expected.sqrt(), "{lengths:?}");
    }
}

/// red.h, `red_action`: after a forced drop the next packet only draws the random number, however
/// likely its drop is; the one after it counts.
#[test]
fn a_forced_drop_begins_a_gap_anew_as_on_linux() {
    let (mut red, mut q) = red(RedParameters {
        weight: 0.0,
        max_probability: Prob::ONE,
        spread: RedSpread::OneThrow,
        ..RedParameters::default()
    });
    let RedParameters { max, .. } = *red.parameters();
    let mut enqueue = |average: f64| {
        q.average = average;
        (red.on_enqueue(&mut q, &arrival(10, Time::ZERO)), q.throw)
    };
    for _ in 0..100 {
        let (forced, before) = enqueue(max);
        let (first, after) = enqueue(max * 0.999_999);
        let (second, _) = enqueue(max * 0.999_999);
        assert_eq!([forced, first, second], [Verdict::Signal, Verdict::Pass, Verdict::Signal]);
        assert_ne!(before, after, "the dice are thrown");
    }
}

/// ns-2's `wait`: gaps in 1/p..2/p.
#[test]
fn ns2_waits_between_drops() {
    let (mut red, mut q) = red(RedParameters {
        weight: 0.0,
        max_probability: Prob::clamped(0.1),
        spread: RedSpread::Wait,
        ..RedParameters::default()
    });
    q.average = 10.0;
    let drops: Vec<usize> = (0..10_000)
        .filter(|_| red.on_enqueue(&mut q, &arrival(10, Time::ZERO)) == Verdict::Signal)
        .collect();
    assert!(drops.len() > 200);
    assert!(drops.windows(2).all(|pair| (20..=40).contains(&(pair[1] - pair[0]))));
    // Overdue, but the queue is empty.
    q.count = 100;
    assert_eq!(red.on_enqueue(&mut q, &arrival(0, Time::ZERO)), Verdict::Pass);
    assert_eq!(red.on_enqueue(&mut q, &arrival(1, Time::ZERO)), Verdict::Signal);
}

#[test]
fn thresholds_and_gentle_slope() {
    let ends = |gentle, average| {
        let (red, mut q) = red(RedParameters { gentle, ..RedParameters::default() });
        q.average = average;
        red.base_probability(&q, Bytes(1000))
    };
    assert_eq!(ends(false, 5.0), Some(0.0));
    near(ends(false, 10.0).unwrap(), 0.01, 1e-12);
    assert_eq!(ends(false, 15.0), None);
    near(ends(true, 15.0).unwrap(), 0.02, 1e-12);
    near(ends(true, 22.5).unwrap(), 0.51, 1e-12);
    assert_eq!(ends(true, 30.0), None);
}

/// Adaptive RED, section 3: every half second, up by min(0.01, a quarter), down by a tenth.
#[test]
fn adapts_the_probability() {
    let (red, mut q) = red(RedParameters { adaptive: true, ..RedParameters::default() });
    let mut at = |average: f64, millis| {
        q.average = average;
        red.adapt(&mut q, Time::from_millis(millis));
        red.max_probability(&q).get()
    };
    assert_eq!(at(14.0, 0), 0.02);
    assert_eq!(at(14.0, 499), 0.02);
    near(at(14.0, 500), 0.025, 1e-12);
    near(at(14.0, 999), 0.025, 1e-12);
    near(at(10.0, 1000), 0.025, 1e-12);
    near(at(6.0, 1500), 0.0225, 1e-12);
    near(at(6.0, 2500), 0.0225 * 0.81, 1e-12);
    // Nothing to do from 9 to 11, the middle fifth.
    let at_rest = at(10.9, 3000);
    assert_eq!(at(9.1, 3500), at_rest);
    assert!(at(11.1, 4000) > at_rest);
    // After any silence it ends at a bound.
    let floor = at(6.0, 100_000_000);
    assert!((0.009..0.01).contains(&floor), "{floor}");
    let ceiling = at(14.0, 200_000_000);
    assert!((0.5..=0.51).contains(&ceiling), "{ceiling}");
}

#[test]
fn hard_drop_spares_nobody_above_the_upper_threshold() {
    for (hard_drop, verdict) in [(false, Verdict::Signal), (true, Verdict::Drop)] {
        let ecn = RedParameters { ecn: true, hard_drop, weight: 0.0, ..RedParameters::default() };
        let (mut red, mut q) = red(ecn);
        q.average = 20.0;
        assert_eq!(red.on_enqueue(&mut q, &arrival(20, Time::ZERO)), verdict);
    }
}

#[test]
fn options() {
    every_option_has_an_effect::<RedSpec>(&[
        ("red min 5000 max 15000", &["limit 16000", "min 9000", "max 25000", "probability 0.2"]),
        ("red min 5000 max 15000", &["avpkt 300", "burst 30", "ewma 7", "bandwidth 100kbit"]),
        ("red min 5000 max 15000", &["adaptive", "ecn", "variant linux", "variant gentle"]),
        ("red min 5000 max 15000 ecn", &["harddrop"]),
        ("red auto", &["limit 9000", "bandwidth 10mbit", "delay 200ms", "avpkt 800"]),
        // Without it, `max` follows from `min`.
        ("red auto max 9000", &["min 4000"]),
        ("red auto", &["max 9000", "weight 0.1", "probability 0.3", "adaptive", "ecn"]),
        ("red auto adaptive probability 0.5", &["bottom 0.5"]),
    ]);
}
