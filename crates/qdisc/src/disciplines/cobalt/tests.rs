//! COBALT's schedule, its memory, and its BLUE.

use alloc::vec::Vec;

use units::Bytes;

use super::*;
use crate::Backlog;
use crate::disciplines::tests::every_option_has_an_effect;

const ECN: CobaltParameters = CobaltParameters {
    target: Span::from_millis(5),
    interval: Span::from_millis(100),
    mtu_time: Span::from_micros(1000),
    ecn: true,
};

fn departure(sojourn: Span, now: Time, left: u64) -> Departure {
    let backlog = Backlog { packets: left, bytes: Bytes(1000 * left) };
    Departure {
        len: Bytes(1000),
        packets: 1,
        ecn_capable: false,
        sojourn,
        backlog,
        shared: backlog,
        now,
    }
}

fn ask(cobalt: &mut Cobalt, q: &mut CobaltState, sojourn_ms: u64, at_us: u64) -> Verdict {
    let now = Time::ZERO + Span::from_micros(at_us);
    cobalt.on_dequeue(q, &departure(Span::from_millis(sojourn_ms), now, 9))
}

fn cobalt() -> (Cobalt, CobaltState) {
    (Cobalt::new(CobaltParameters { ecn: false, ..ECN }, Rng::new(1)), CobaltState::default())
}

/// The signals, in ms after the first, when a packet leaves each 10 us from 1 s on, all late.
fn schedule(span_ms: u64) -> Vec<f64> {
    let (mut cobalt, mut q) = cobalt();
    // Earlier traffic, which does not wait.
    let mut calm = (900_000..1_000_000).step_by(10);
    assert!(calm.all(|at| ask(&mut cobalt, &mut q, 1, at) == Verdict::Pass));
    let late = (1_000_000..1_000_000 + span_ms * 1000).step_by(10);
    late.filter(|at| ask(&mut cobalt, &mut q, 20, *at) == Verdict::Signal)
        .map(|at| (at - 1_000_000) as f64 / 1000.0)
        .collect()
}

/// The first signal comes after an interval, and the gaps follow interval/sqrt(count). Where CoDel
/// waits a whole interval again for the second, COBALT has counted already.
#[test]
fn the_gaps_are_interval_over_root_of_count() {
    let (mut expected, mut due) = (Vec::new(), 100.0);
    for count in 2..60 {
        expected.push(due);
        due += 100.0 / libm::sqrt(f64::from(count));
    }
    let signals = schedule(1200);
    assert!(signals.len() > 40);
    for (count, (signal, expected)) in (2..).zip(signals.iter().zip(&expected)) {
        // Beyond 16 the root comes from a step of Newton's method.
        let tolerance = if count <= 16 { 0.011 } else { 0.001 * expected };
        assert!((signal - expected).abs() < tolerance, "{count}: {signal} {expected}");
    }
    assert!((signals[1] - 170.711).abs() < 0.011 && (signals[2] - 228.446).abs() < 0.021);
}

/// Waits up to the target, or up to four packets' time, have no effect.
#[test]
fn short_waits_pass() {
    for (mtu_us, sojourn_ms, passes) in [(1000, 5, true), (1000, 6, false), (3000, 12, true)] {
        let mtu_time = Span::from_micros(mtu_us);
        let parameters = CobaltParameters { mtu_time, ..ECN };
        let (mut cobalt, mut q) = (Cobalt::new(parameters, Rng::new(1)), CobaltState::default());
        let mut times = (1_000_000..1_500_000).step_by(100);
        let all = times.all(|at| ask(&mut cobalt, &mut q, sojourn_ms, at) == Verdict::Pass);
        assert_eq!(all, passes, "{mtu_us} {sojourn_ms}");
    }
}

/// The count falls as it rose, one step per interval/sqrt(count), and not at once.
#[test]
fn forgets_at_the_pace_at_which_it_learned() {
    let (mut cobalt, mut q) = cobalt();
    for at in (1_000_000..2_000_000).step_by(100) {
        ask(&mut cobalt, &mut q, 20, at);
    }
    let learned = q.count();
    assert!(learned > 20, "{learned}");
    let mut forgotten = None;
    for at in (2_000_000..4_000_000).step_by(100) {
        let before = q.count();
        assert_eq!(ask(&mut cobalt, &mut q, 1, at), Verdict::Pass);
        assert!(before - q.count() <= 1);
        if q.count() == 0 {
            forgotten.get_or_insert(at - 2_000_000);
        }
    }
    // Forgetting takes as long as learning did, within the gaps of the first and of the last count.
    let micros = forgotten.unwrap();
    assert!((900_000..1_200_000).contains(&micros), "{micros}");
}

/// A relapse waits for one gap of the count that is left, not for an interval.
#[test]
fn a_relapse_goes_on_where_it_was() {
    let (mut cobalt, mut q) = cobalt();
    for at in (1_000_000..2_000_000).step_by(100) {
        ask(&mut cobalt, &mut q, 20, at);
    }
    for at in (2_000_000..2_050_000).step_by(100) {
        ask(&mut cobalt, &mut q, 1, at);
    }
    let count = q.count();
    let mut late = (2_050_000_u64..).step_by(100);
    let relapse = late.find(|at| ask(&mut cobalt, &mut q, 20, *at) == Verdict::Signal).unwrap();
    let gap = 100_000.0 / libm::sqrt(f64::from(count));
    assert!((relapse - 2_050_000) as f64 <= gap + 200.0 && q.count() >= count, "{relapse}");
}

/// BLUE: up by 1/256 at an overflow, down by 1/4096 when empty, neither twice within `target`.
#[test]
fn overflows_and_empty_queues_move_blue() {
    let (mut cobalt, mut q) = cobalt();
    for (millis, p_drop) in [(0, 1.0), (5, 1.0), (6, 2.0), (7, 2.0), (20, 3.0)] {
        cobalt.on_overflow(&mut q, 1, Time::from_millis(millis));
        assert_eq!(q.p_drop(), p_drop / 256.0, "{millis}");
        assert!(q.is_dropping() && q.count() == 1 && q.drop_next() == Time::from_millis(millis));
    }
    for (millis, steps) in [(22, 0.0), (26, 1.0), (27, 1.0), (500, 2.0)] {
        cobalt.on_empty(&mut q, Time::from_millis(millis));
        assert_eq!(q.p_drop(), 3.0 / 256.0 - steps / 4096.0, "{millis}");
        assert!(!q.is_dropping());
    }
    (0..300).for_each(|i| cobalt.on_overflow(&mut q, 1, Time::from_secs(1 + i)));
    assert!(q.p_drop() > 0.999_999_999 && q.p_drop() < 1.0);
    (0..5000).for_each(|i| cobalt.on_empty(&mut q, Time::from_secs(1000 + i)));
    assert_eq!(q.p_drop(), 0.0);
}

/// BLUE drops its share of packets, ECN-capable or not.
#[test]
fn blue_spares_nobody() {
    let (mut cobalt, mut q) = (Cobalt::new(ECN, Rng::new(5)), CobaltState::default());
    (0..64).for_each(|i| cobalt.on_overflow(&mut q, 1, Time::from_secs(i)));
    assert_eq!(q.p_drop(), 0.25);
    let packet = |at: u64| Departure {
        ecn_capable: true,
        ..departure(Span::ZERO, Time::from_secs(100) + Span::from_micros(at), 9)
    };
    let drops = (0..40_000).filter(|at| cobalt.on_dequeue(&mut q, &packet(*at)) == Verdict::Drop);
    // Five standard deviations of a binomial count.
    assert!(drops.count().abs_diff(10_000) < 433);
}

/// The last packet of a queue is never dropped, but may be marked.
#[test]
fn the_last_packet_stays() {
    for (ecn_capable, verdict) in [(false, Verdict::Pass), (true, Verdict::Signal)] {
        let (mut cobalt, mut q) = (Cobalt::new(ECN, Rng::new(1)), CobaltState::default());
        // Certain to be dropped by both halves.
        (0..300).for_each(|i| cobalt.on_overflow(&mut q, 1, Time::from_secs(i)));
        let (sojourn, now) = (Span::from_secs(1), Time::from_secs(400));
        let last = Departure { ecn_capable, ..departure(sojourn, now, 0) };
        assert_eq!(cobalt.on_dequeue(&mut q, &last), verdict);
        let not_last = Departure { now: Time::from_secs(401), ..departure(sojourn, now, 1) };
        assert_eq!(cobalt.on_dequeue(&mut q, &not_last), Verdict::Drop);
    }
}

#[test]
fn options() {
    every_option_has_an_effect::<CobaltSpec>(&[
        // The target is four packets at least, which take 48 ms here.
        ("cobalt", &["target 100ms", "interval 20ms", "limit 20"]),
        ("cobalt", &["ecn", "mtu 4kb"]),
    ]);
}
