use super::super::tests::ack;
use super::*;

/// The delay of the path without a queue, between two clocks with different start times.
const BASE: u32 = u32::MAX - 20;
const TARGET: Span = Span::from_millis(100);
const ROUND_TRIP: Span = Span::from_millis(100);

fn content(now: Time, queueing: u32) -> Acked {
    let one_way = Some(BASE.wrapping_add(queueing));
    Acked { one_way, srtt: ROUND_TRIP, ..ack(now, 1) }
}

fn at(cwnd: u32) -> Window {
    Window { cwnd, ssthresh: u32::MAX }
}

/// A LEDBAT that measured the path without a queue more than a minute ago.
fn informed(gain: f64) -> Ledbat {
    let mut ledbat = Ledbat::new(TARGET, gain);
    let unused = Acked { may_grow: false, ..content(Time::ZERO, 0) };
    ledbat.on_ack(&mut at(10), &unused);
    ledbat
}

/// The window after `round_trips` round trips with this queue, with one acknowledgement for each
/// segment.
fn after(ledbat: &mut Ledbat, mut window: Window, queueing: u32, round_trips: u64) -> u32 {
    let begin = Time::from_secs(100);
    for round_trip in 0..round_trips {
        let segments = u64::from(window.cwnd);
        for segment in 0..segments {
            let now = begin + ROUND_TRIP * round_trip + ROUND_TRIP * segment / segments;
            ledbat.on_ack(&mut window, &content(now, queueing));
        }
    }
    window.cwnd
}

/// RFC 6817 section 2.5: with a gain of 1 the window grows no faster than Reno's, by a segment each
/// round trip; by less near the target, not at all on it, and it falls as much as far above it.
#[test]
fn changes_by_how_far_it_is_off_the_target() {
    for (gain, queueing, expected) in [
        (1.0, 0, 60),
        (1.0, 50, 55),
        (1.0, 100, 50),
        (1.0, 150, 44),
        (1.0, 200, 39),
        (0.5, 0, 55),
        (10.0, 100, 50),
    ] {
        let cwnd = after(&mut informed(gain), at(50), queueing, 10);
        // What is left of a segment at the end may be missing.
        assert!((expected - 1..=expected).contains(&cwnd), "{gain} {queueing} {cwnd}");
    }
}

#[test]
fn never_below_two_segments_and_never_in_slow_start() {
    let mut ledbat = informed(10.0);
    assert_eq!(after(&mut ledbat, at(50), 2000, 20), MINIMUM_CWND);
    let mut window = at(10);
    ledbat.on_ack(&mut window, &content(Time::from_secs(200), 0));
    assert!(!window.in_slow_start());
    // After a timeout.
    let mut window = at(1);
    ledbat.on_ack(&mut window, &content(Time::from_secs(201), 2000));
    assert_eq!(window.cwnd, MINIMUM_CWND);
}

#[test]
fn does_not_grow_unused_but_gives_way_all_the_same() {
    let mut ledbat = informed(1.0);
    let unused = |queueing| Acked { may_grow: false, ..content(Time::from_secs(100), queueing) };
    let mut window = at(10);
    (0..20).for_each(|_| ledbat.on_ack(&mut window, &unused(0)));
    assert_eq!(window.cwnd, 10);
    let mut ledbat = informed(1.0);
    (0..20).for_each(|_| ledbat.on_ack(&mut window, &unused(200)));
    assert!(window.cwnd < 10);
    let before = window;
    ledbat.on_ack(&mut window, &Acked { falling: true, ..content(Time::from_secs(100), 900) });
    assert_eq!(window, before);
}

/// RFC 6817 section 2.4.2, on data loss.
#[test]
fn halves_on_a_loss_and_on_a_mark() {
    for (cwnd, expected) in [(100, 50), (5, 2), (3, 2), (2, 2), (1, 1)] {
        for cause in [Reduction::Loss, Reduction::Ecn] {
            assert_eq!(informed(1.0).reduce(&at(cwnd), cause, Time::ZERO), expected);
        }
    }
}

/// RFC 6817 section 2.5: a shorter path counts at once, a longer one after ten minutes.
#[test]
fn the_path_is_the_least_of_ten_minutes() {
    let mut base = BaseDelays::default();
    assert_eq!(base.least(), None);
    base.take(40, Time::from_secs(30));
    base.take(30, Time::from_secs(40));
    base.take(50, Time::from_secs(59));
    assert_eq!(base.least(), Some(30));
    for minute in 1..10 {
        base.take(60, Time::from_secs(60 * minute));
        base.take(45, Time::from_secs(60 * minute + 30));
        assert_eq!(base.least(), Some(30), "{minute}");
    }
    base.take(60, Time::from_secs(600));
    assert_eq!(base.least(), Some(45));
    base.take(20, Time::from_secs(601));
    assert_eq!(base.least(), Some(20));
}

/// Acknowledgements that waited at the receiver show nothing about the queue, nor do old ones.
#[test]
fn the_present_is_the_least_of_four_in_a_round_trip() {
    let millis = Time::from_millis;
    let mut current = CurrentDelays::default();
    assert_eq!(current.filtered(ROUND_TRIP, millis(0)), None);
    for (now, delay, expected) in
        [(0, 10, 10), (10, 50, 10), (20, 51, 10), (30, 52, 10), (40, 53, 50), (500, 99, 99)]
    {
        current.take(delay, millis(now));
        assert_eq!(current.filtered(ROUND_TRIP, millis(now)), Some(expected), "{now}");
    }
    assert_eq!(current.filtered(ROUND_TRIP, millis(900)), Some(99));
}

/// Alone on a line it fills it, and keeps its target in the queue: RFC 6817 section 3.3.
#[test]
fn settles_on_its_target() {
    for (target, gain) in [(100, 1.0), (25, 1.0), (5, 1.0), (5, 10.0)] {
        let mut ledbat = Ledbat::new(Span::from_millis(target), gain);
        let (mut window, mut now) = (at(2), Time::ZERO);
        // 83 segments fill the path, each further one waits 1.2 ms.
        let mut waits = Vec::new();
        while now < Time::from_secs(120) {
            let wait = 1.2 * (f64::from(window.cwnd) - 83.0).max(0.0);
            let round_trip = ROUND_TRIP + Span::from_secs_f64(wait / 1e3);
            now += round_trip / u64::from(window.cwnd);
            let ack = Acked { srtt: round_trip, ..content(now, wait as u32) };
            ledbat.on_ack(&mut window, &ack);
            if now > Time::from_secs(60) {
                waits.push(wait);
            }
        }
        let mean = waits.iter().sum::<f64>() / waits.len() as f64;
        // The clock has whole milliseconds, the window whole segments.
        assert!((mean - target as f64).abs() < 1.5, "{target} {gain}: {mean}");
    }
}
