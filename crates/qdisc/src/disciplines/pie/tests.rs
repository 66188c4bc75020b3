//! The check values of PIE: its update, its burst allowance, and missed updates.

use super::*;
use crate::disciplines::tests::every_option_has_an_effect;

fn controller(parameters: PieParameters) -> (Pie, PieState) {
    (Pie::new(parameters, Rng::new(1)), PieState::default())
}

const BUSY: Backlog = Backlog { packets: 30, bytes: Bytes(30_000) };

fn arrival(backlog: Backlog, now: Time) -> Arrival {
    Arrival { len: Bytes(1000), packets: 1, ecn_capable: false, backlog, full: false, now }
}

fn departure(sojourn: Span, now: Time) -> Departure {
    let (len, ecn_capable, backlog) = (Bytes(1000), false, BUSY);
    Departure { len, packets: 1, ecn_capable, sojourn, backlog, shared: backlog, now }
}

/// RFC 8033 section 4.2: the updates at a constant delay of 30 ms, computed apart from this code,
/// as far as update 372.
#[test]
fn update_series_at_constant_30_ms() {
    let (pie, mut q) = controller(PieParameters::default());
    q.current_qdelay = Span::from_millis(30);
    let mut crossed = [(1e-4, 0), (1e-3, 0), (0.01, 0), (0.1, 0), (0.5, 0)];
    let first = [1.9226e-5, 3.3875e-5, 4.8523e-5, 6.3171e-5, 7.7820e-5, 9.2468e-5];
    for update in 1..=372_usize {
        pie.update(&mut q, BUSY);
        if let Some(expected) = first.get(update - 1) {
            assert!((q.probability() - expected).abs() < 1e-9, "{update}: {}", q.probability());
        }
        for (level, at) in crossed.iter_mut().filter(|(_, at)| *at == 0) {
            if q.probability() >= *level {
                *at = update;
            }
        }
    }
    assert_eq!(crossed.map(|(_, at)| at), [7, 23, 62, 158, 372]);
}

/// The same series by the clock: the k-th update falls due k update intervals after the start.
#[test]
fn updates_fall_due_by_the_clock() {
    for (millis, updates) in [(15, 1), (29, 1), (30, 2), (157 * 15, 157), (158 * 15, 158)] {
        let (mut pie, mut q) = controller(PieParameters::default());
        let (stepped, mut reference) = controller(PieParameters::default());
        pie.on_enqueue(&mut q, &arrival(BUSY, Time::ZERO));
        pie.on_dequeue(&mut q, &departure(Span::from_millis(30), Time::ZERO));
        pie.on_dequeue(&mut q, &departure(Span::from_millis(30), Time::from_millis(millis)));
        reference.current_qdelay = Span::from_millis(30);
        (0..updates).for_each(|_| stepped.update(&mut reference, BUSY));
        assert_eq!(q.probability(), reference.probability(), "{millis} ms");
    }
}

/// After any silence a call makes a bounded number of updates, and an idle queue ends where it
/// would have without the bound.
#[test]
fn silence_is_caught_up_with() {
    for variant in [PieVariant::Rfc8033, PieVariant::Linux] {
        let (mut pie, mut q) = controller(PieParameters { variant, ..PieParameters::default() });
        pie.on_enqueue(&mut q, &arrival(BUSY, Time::ZERO));
        q.drop_prob = 1.0;
        pie.on_empty(&mut q, Time::from_secs(1));
        assert!((0.05..0.7).contains(&q.probability()), "{}", q.probability());
        pie.on_enqueue(&mut q, &arrival(Backlog::default(), Time::from_secs(3_600_000)));
        assert_eq!(q.probability(), 0.0);
        assert_eq!(q.burst_allowance, Span::from_millis(150));
        assert!(q.next_update.unwrap() > Time::from_secs(3_600_000));
        pie.on_enqueue(&mut q, &arrival(BUSY, Time::MAX));
    }
}

/// RFC 8033 section 4.4: nothing is dropped in the first 150 ms, whatever the probability.
#[test]
fn a_first_burst_passes() {
    let (mut pie, mut q) = controller(PieParameters::default());
    let mut passes = |millis| {
        let now = Time::from_millis(millis);
        (0..200).all(|_| {
            let verdict = pie.on_enqueue(&mut q, &arrival(BUSY, now));
            q.drop_prob = 0.5;
            q.qdelay_old = Span::from_millis(30);
            q.current_qdelay = Span::from_millis(30);
            verdict == Verdict::Pass
        })
    };
    assert!(passes(0) && passes(149));
    assert!(!passes(150));
}

/// RFC 8033 section 5.4: at p = 0.1 the gaps are at least 8 packets, and none is above 85.
#[test]
fn drops_are_spaced() {
    let (mut pie, mut q) = controller(PieParameters::default());
    pie.on_enqueue(&mut q, &arrival(BUSY, Time::ZERO));
    (q.burst_allowance, q.qdelay_old) = (Span::ZERO, Span::from_millis(30));
    q.drop_prob = 0.1;
    let drops: alloc::vec::Vec<usize> = (0..50_000)
        .filter(|_| pie.on_enqueue(&mut q, &arrival(BUSY, Time::ZERO)) != Verdict::Pass)
        .collect();
    let gaps = || drops.windows(2).map(|pair| pair[1] - pair[0]);
    assert!(gaps().all(|gap| (9..=85).contains(&gap)), "{:?}", gaps().min());
    let mean = gaps().sum::<usize>() as f64 / (drops.len() - 1) as f64;
    // 8 accumulate in vain, then a lottery of 1 in 10.
    assert!((mean - 18.0).abs() < 0.5, "{mean}");
}

/// RFC 8033 section 4.1: a short queue, or a short wait at a low probability, drops nothing.
#[test]
fn safeguards() {
    let two = Backlog { packets: 2, bytes: Bytes(3028) };
    for (backlog, delay_ms, probability, drops) in
        [(two, 30, 0.9, false), (BUSY, 7, 0.19, false), (BUSY, 7, 0.2, true), (BUSY, 8, 0.19, true)]
    {
        let (mut pie, mut q) = controller(PieParameters::default());
        pie.on_enqueue(&mut q, &arrival(backlog, Time::ZERO));
        (q.burst_allowance, q.drop_prob) = (Span::ZERO, probability);
        q.qdelay_old = Span::from_millis(delay_ms);
        let arrival = arrival(backlog, Time::ZERO);
        let any = (0..100).any(|_| pie.on_enqueue(&mut q, &arrival) != Verdict::Pass);
        assert_eq!(any, drops, "{backlog:?} {delay_ms} {probability}");
    }
}

/// RFC 8033 section 5.1: marks below 10 %, drops from there on.
#[test]
fn marks_only_at_low_probabilities() {
    for (probability, expected) in [(0.09, Verdict::Signal), (0.11, Verdict::Drop)] {
        let (mut pie, mut q) = controller(PieParameters { ecn: true, ..PieParameters::default() });
        pie.on_enqueue(&mut q, &arrival(BUSY, Time::ZERO));
        (q.burst_allowance, q.qdelay_old) = (Span::ZERO, Span::from_millis(30));
        q.drop_prob = probability;
        let arrival = arrival(BUSY, Time::ZERO);
        let verdicts = (0..200).map(|_| pie.on_enqueue(&mut q, &arrival));
        assert!(verdicts.into_iter().all(|verdict| [expected, Verdict::Pass].contains(&verdict)));
    }
}

/// RFC 8033 section 5.2: at 1 MB/s DQ_THRESHOLD bytes take 16.384 ms.
#[test]
fn the_dequeue_rate_is_measured() {
    let delay = PieDelay::DequeueRate;
    let (mut pie, mut q) = controller(PieParameters { delay, ..PieParameters::default() });
    pie.on_enqueue(&mut q, &arrival(BUSY, Time::ZERO));
    for millis in 1..100 {
        pie.on_dequeue(&mut q, &departure(Span::ZERO, Time::from_millis(millis)));
    }
    // 17 packets of 1000 bytes, counted as 16384, in 17 ms.
    assert_eq!(q.dequeue_rate(), 16_384_000 / 17);
    pie.update(&mut q, BUSY);
    assert_eq!(q.delay(), Span::from_nanos(31_127_930));
}

/// RFC 8033 section 5.3: it sleeps until a third of the buffer is full, and again when idle.
#[test]
fn it_sleeps_if_told_to() {
    let parameters = PieParameters {
        activation: Some(Bytes(30_000)),
        delay: PieDelay::DequeueRate,
        ..PieParameters::default()
    };
    let (mut pie, mut q) = controller(parameters);
    let short = Backlog { packets: 28, bytes: Bytes(28_000) };
    pie.on_enqueue(&mut q, &arrival(short, Time::ZERO));
    assert!(!q.active);
    pie.on_enqueue(&mut q, &arrival(BUSY, Time::from_millis(1)));
    assert!(q.active && q.burst_allowance == Span::from_millis(150));
    pie.on_empty(&mut q, Time::from_secs(10));
    assert!(!q.active);
}

/// The decay once the delay is gone: RFC 8033 appendix B by 2 %, Linux by 1/64 and only when the
/// queue is empty.
#[test]
fn probability_decays() {
    use PieVariant::{Linux, Rfc8033};
    let stepped = 0.5 - 0.125 * 0.015;
    for (variant, backlog, decay) in
        [(Rfc8033, BUSY, 0.98), (Linux, Backlog::default(), 1.0 - 1.0 / 64.0), (Linux, BUSY, 1.0)]
    {
        let (pie, mut q) = controller(PieParameters { variant, ..PieParameters::default() });
        q.drop_prob = 0.5;
        pie.update(&mut q, backlog);
        assert!((q.probability() - stepped * decay).abs() < 1e-12, "{variant:?} {backlog:?}");
    }
}

/// sch_pie.c: 2 % more when the delay is above 250 ms; the timer runs before the first packet.
#[test]
fn linux_differs() {
    let (mut pie, mut q) =
        controller(PieParameters { variant: PieVariant::Linux, ..PieParameters::default() });
    pie.on_enqueue(&mut q, &arrival(BUSY, Time::ZERO));
    pie.on_dequeue(&mut q, &departure(Span::from_millis(251), Time::ZERO));
    pie.on_enqueue(&mut q, &arrival(BUSY, Time::from_millis(14)));
    assert_eq!(q.probability(), 0.0);
    pie.on_enqueue(&mut q, &arrival(BUSY, Time::from_millis(15)));
    let ordinary = (0.125 * 0.236 + 1.25 * 0.251) / 2048.0;
    assert!((q.probability() - 0.02 - ordinary).abs() < 1e-12);
    // The allowance burns with the time between departures.
    let left = q.burst_allowance;
    pie.on_dequeue(&mut q, &departure(Span::from_millis(251), Time::from_millis(40)));
    assert_eq!(left - q.burst_allowance, Span::from_millis(40));
}

/// RFC 8033 appendix B: the probability decays while both delays are below half the target, not at
/// it. A step is alpha times the distance from the target, 0.125/s x 7.5 ms.
#[test]
fn the_probability_decays_below_half_the_target_only() {
    let half = Span::from_micros(7_500);
    let less = half - Span::from_nanos(1);
    let step = 0.125 * 0.0075;
    for (current, old, expected) in [
        (half, half, 0.5 - step),
        (half, less, 0.5 - step),
        (less, half, 0.5 - step),
        (less, less, (0.5 - step) * 0.98),
    ] {
        let (pie, mut q) = controller(PieParameters::default());
        (q.drop_prob, q.current_qdelay, q.qdelay_old) = (0.5, current, old);
        pie.update(&mut q, BUSY);
        let p = q.probability();
        assert!((p - expected).abs() < 1e-8, "{current} after {old}: {p}, not {expected}");
    }
}

/// The longest queue is remembered for ever, as `maxq` of `tc -s`, and not only since the
/// controller was switched on last.
#[test]
fn the_longest_queue_outlasts_a_reset() {
    let activation = Some(Bytes(20_000));
    let (mut pie, mut q) = controller(PieParameters { activation, ..PieParameters::default() });
    let queue = |packets| Backlog { packets, bytes: Bytes(packets * 1000) };
    pie.on_enqueue(&mut q, &arrival(queue(29), Time::ZERO));
    let longest = q.most_packets();
    assert_eq!(longest, 29);
    q = PieState { active: false, ..q };
    pie.on_enqueue(&mut q, &arrival(queue(20), Time::from_secs(1)));
    assert!(q.active);
    assert_eq!(q.most_packets(), longest);
}

/// Linux, net/sched/sch_pie.c, `pie_qdisc_enqueue`: `maxq` is what a packet finds that is let in,
/// marked or not.
#[test]
fn only_a_packet_that_joins_the_queue_counts_it() {
    let found = |full, ecn_capable, drop_prob| {
        let parameters = PieParameters { ecn: true, activation: None, ..PieParameters::default() };
        let (mut pie, mut q) = controller(parameters);
        // So much accumulated that the lottery is lost if there is one.
        let qdelay_old = Span::from_secs(1);
        q = PieState { active: true, drop_prob, accu_prob: 9.0, qdelay_old, ..q };
        let backlog = Backlog { packets: 29, bytes: Bytes(29_000) };
        let arrival = Arrival { full, ecn_capable, ..arrival(backlog, Time::ZERO) };
        (pie.on_enqueue(&mut q, &arrival), q.most_packets())
    };
    assert_eq!(found(false, false, 0.0), (Verdict::Pass, 29));
    assert_eq!(found(true, false, 0.0), (Verdict::Pass, 0), "it does not fit");
    assert_eq!(found(false, true, 0.09), (Verdict::Signal, 29), "it is marked");
    assert_eq!(found(false, false, 0.09), (Verdict::Signal, 0), "it is dropped");
    assert_eq!(found(false, true, 0.5), (Verdict::Drop, 0));
}

#[test]
fn options() {
    every_option_has_an_effect::<PieSpec>(&[
        ("pie", &["limit 20", "target 50ms", "tupdate 100ms", "alpha 8", "beta 2", "ecn"]),
        ("pie", &["bytemode", "dq_rate_estimator", "variant linux"]),
    ]);
}
