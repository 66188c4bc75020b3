use alloc::vec;
use alloc::vec::Vec;

use proptest::prelude::*;
use units::Rng;

use super::*;

fn rate(bits: u64) -> Rate {
    Rate::from_bits_per_sec(bits).unwrap()
}

/// The amount that can be sent by `to`, in nanobits: the slow and plain integral.
fn integral(steps: &[(Time, Rate)], to: Time) -> u128 {
    let ends = steps.iter().skip(1).map(|(start, _)| *start).chain([Time::MAX]);
    let areas = steps.iter().zip(ends).map(|((start, rate), end)| {
        u128::from(end.min(to).since(*start).as_nanos()) * u128::from(rate.bits_per_sec())
    });
    areas.sum()
}

/// Sends packets back to back. By the integral without rounding, the wire must after each packet
/// have had the time to send them all, and must not have had it a nanosecond earlier.
fn never_drifts(capacity: Capacity, steps: &[(Time, Rate)], lengths: impl Iterator<Item = u64>) {
    let mut wire = Transmitter::new(capacity, None);
    let mut work = 0;
    for len in lengths {
        let sent = wire.send(Bytes(len), wire.free_at());
        work += u128::from(len) * NANOBITS_PER_BYTE;
        assert!(integral(steps, sent) <= work, "{sent:?} is too late");
        assert!(integral(steps, sent + Span::from_nanos(1)) > work, "{sent:?} is too early");
    }
}

fn lengths(count: usize) -> impl Iterator<Item = u64> {
    let mut rng = Rng::new(1);
    (0..count).map(move |_| 40 + rng.below(1475))
}

#[test]
fn constant_rate_never_drifts() {
    for bits in [7, 9_600, 56_001, 3_333_333, 999_999_937, 1_000_000_007, 39_999_999_989] {
        let steps = [(Time::ZERO, rate(bits))];
        never_drifts(Capacity::Constant(rate(bits)), &steps, lengths(100_000));
        let schedule = Schedule::new(steps.to_vec()).unwrap();
        never_drifts(Capacity::Scheduled(schedule), &steps, lengths(20_000));
    }
}

#[test]
fn schedule_never_drifts_however_often_it_changes() {
    // A change every millisecond, mostly in the middle of a packet.
    let mut rng = Rng::new(2);
    let mut steps = vec![(Time::ZERO, rate(10_000_019))];
    for n in 1..100 {
        let at = Time::from_nanos(n * 1_000_003 + rng.below(999));
        steps.push((at, rate(1_000 + rng.below(100_000_000))));
    }
    let schedule = Schedule::new(steps.clone()).unwrap();
    never_drifts(Capacity::Scheduled(schedule), &steps, lengths(100_000));
}

#[test]
fn rate_change_applies_to_the_bits_that_remain() {
    // 1500 bytes at 1 Mbit/s take 12 ms. After 9 ms, 3000 bits are left: 0.3 ms at 10 Mbit/s.
    let steps = vec![(Time::ZERO, Rate::from_mbit(1)), (Time::from_millis(9), Rate::from_mbit(10))];
    let mut wire = Transmitter::new(Capacity::Scheduled(Schedule::new(steps).unwrap()), None);
    assert_eq!(wire.send(Bytes(1500), Time::ZERO), Time::from_nanos(9_300_000));
    assert_eq!(wire.send(Bytes(1500), wire.free_at()), Time::from_nanos(10_500_000));
}

#[test]
fn one_packet_can_outlast_several_steps() {
    let at = |millis, bits| (Time::from_millis(millis), rate(bits));
    let steps = vec![at(0, 1_000), at(1, 2_000), at(2, 3_000), at(3, 1_000_000)];
    let mut wire = Transmitter::new(Capacity::Scheduled(Schedule::new(steps).unwrap()), None);
    // Of 1000 bits 1 + 2 + 3 are sent in 3 ms, and 994 at 1 bit per microsecond.
    assert_eq!(wire.send(Bytes(125), Time::ZERO), Time::from_nanos(3_994_000));
}

#[test]
fn starts_afresh_after_idling() {
    // At 3 bit/s a byte takes 2 2/3 s. Back to back, three bytes take 8 s; with a pause of one
    // nanosecond between them, each is rounded down alone.
    for capacity in [
        Capacity::Constant(rate(3)),
        Capacity::Scheduled(Schedule::new(vec![(Time::ZERO, rate(3))]).unwrap()),
    ] {
        let mut wire = Transmitter::new(capacity, None);
        let times: Vec<_> = (0..3).map(|_| wire.send(Bytes(1), wire.free_at())).collect();
        assert_eq!(times, [2_666_666_666, 5_333_333_333, 8_000_000_000].map(Time::from_nanos));
        for _ in 0..3 {
            let start = wire.free_at() + Span::from_nanos(1);
            assert_eq!(wire.send(Bytes(1), start).since(start), Span::from_nanos(2_666_666_666));
        }
    }
}

#[test]
fn unlimited_takes_no_time() {
    let mut wire = Transmitter::new(Capacity::Unlimited, None);
    for millis in [0, 0, 3] {
        let now = Time::from_millis(millis);
        assert_eq!(wire.ready(now), now);
        assert_eq!(wire.send(Bytes(1_000_000), now), now);
    }
}

#[test]
fn schedule_with_idle_times_skips_steps() {
    let at = |millis, mbit| (Time::from_millis(millis), Rate::from_mbit(mbit));
    let steps = vec![at(0, 1), at(1, 2), at(2, 3), at(100, 12)];
    let mut wire = Transmitter::new(Capacity::Scheduled(Schedule::new(steps).unwrap()), None);
    assert_eq!(wire.send(Bytes(1500), Time::from_millis(200)), Time::from_millis(201));
}

proptest! {
    /// However large the packet, however slow or fast the wire: the end is not before the start.
    #[test]
    fn absurd_values_saturate(
        len in any::<u64>(), bits in 1..u64::MAX, start in any::<u64>(), step in 1..u64::MAX,
    ) {
        let steps = vec![(Time::ZERO, rate(bits)), (Time::from_nanos(step), rate(u64::MAX))];
        let traced = Trace::parse("0\n7\n7\n").unwrap();
        for capacity in [
            Capacity::Constant(rate(bits)),
            Capacity::Scheduled(Schedule::new(steps).unwrap()),
            Capacity::Traced(traced),
        ] {
            let mut wire = Transmitter::new(capacity.clone(), None);
            let start = wire.ready(Time::from_nanos(start));
            let sent = wire.send(Bytes(len), start);
            prop_assert!(sent >= start);
            prop_assert!(wire.ready(sent) >= sent);
            let _ = capacity.between(start, sent);
        }
    }
}

/// As HTB with `burst 1600`: the saved bytes let two full frames go at once, and the debt of the
/// second is paid before the third.
#[test]
fn a_shaper_lets_packets_go_at_once_and_the_next_wait() {
    let rate = Rate::from_mbit(8); // 1 byte a microsecond
    let steps = vec![(Time::ZERO, Rate::from_mbit(80)), (Time::from_millis(5), rate)];
    for capacity in [Capacity::Constant(rate), Capacity::Scheduled(Schedule::new(steps).unwrap())] {
        let mut shaper = Transmitter::new(capacity, Some(Bytes(1600)));
        let now = Time::from_millis(10);
        empties(&mut shaper, now);
        let paid = now + Span::from_micros(2 * 1514 - 1600);
        assert_eq!(shaper.ready(now), paid);
        assert_eq!(shaper.send(Bytes(1514), paid), paid);
        assert_eq!(shaper.ready(paid), paid + Span::from_micros(1514));
    }
}

/// HTB's and TBF's buckets are full when they are made.
#[test]
fn a_shaper_begins_with_a_full_bucket() {
    let mut shaper = Transmitter::new(Capacity::Constant(Rate::from_mbit(8)), Some(Bytes(1600)));
    empties(&mut shaper, Time::ZERO);
    assert_eq!(shaper.ready(Time::ZERO), Time::ZERO + Span::from_micros(2 * 1514 - 1600));
}

/// Sends the two full frames that go at once.
fn empties(shaper: &mut Transmitter, now: Time) {
    for _ in 0..2 {
        assert_eq!(shaper.ready(now), now);
        assert_eq!(shaper.send(Bytes(1514), now), now);
    }
}

/// The times in microseconds at which packets of 1000 bytes can start back to back, before and after
/// the rate changes from 8 to 4 Mbit/s at 2.5 ms.
fn starts_around_a_change(shaper: Option<Bytes>) -> Vec<u64> {
    let mut wire = Transmitter::new(Capacity::Constant(rate(8_000_000)), shaper);
    let (mut now, mut starts, change) = (Time::ZERO, vec![], Time::from_nanos(2_500_000));
    while starts.len() < 7 {
        let next = wire.ready(now);
        if now < change && next > change {
            assert!(wire.change_rate(rate(4_000_000), change));
            now = change;
            continue;
        }
        now = next;
        starts.push(now.as_nanos() / 1000);
        wire.send(Bytes(1000), now);
    }
    starts
}

#[test]
fn a_changed_rate_holds_for_what_is_not_yet_sent() {
    // The packet that is on the wire from 2 to 3 ms keeps its rate.
    assert_eq!(starts_around_a_change(None), [0, 1000, 2000, 3000, 5000, 7000, 9000]);
    // At the change a shaper owes 500 bytes, which take 1 ms at the new rate.
    let zero = Some(Bytes::ZERO);
    assert_eq!(starts_around_a_change(zero), [0, 1000, 2000, 3500, 5500, 7500, 9500]);
    // Two packets are saved up at the beginning: four have gone by 1 ms, and so on.
    let saved = Some(Bytes(2000));
    assert_eq!(starts_around_a_change(saved), [0, 0, 0, 1000, 2000, 3500, 5500]);
}

/// A bucket that has been idle long enough is full, whatever the rate was.
#[test]
fn a_changed_rate_keeps_the_burst() {
    for (before, after) in [(8_000_000, 800_000), (800_000, 8_000_000)] {
        let mut wire = Transmitter::new(Capacity::Constant(rate(before)), Some(Bytes(3000)));
        assert!(wire.change_rate(rate(after), Time::from_millis(1)));
        let now = Time::from_millis(2);
        for _ in 0..4 {
            assert_eq!(wire.ready(now), now, "{before} to {after}");
            wire.send(Bytes(1000), now);
        }
        let gap = Bytes(1000) / rate(after);
        assert_eq!(wire.ready(now), now + gap, "{before} to {after}");
    }
}

#[test]
fn only_a_constant_rate_can_change() {
    let trace = Trace::parse("1\n2\n").unwrap();
    for capacity in [Capacity::Unlimited, Capacity::Traced(trace)] {
        assert!(!Transmitter::new(capacity, None).change_rate(rate(1000), Time::ZERO));
    }
}
