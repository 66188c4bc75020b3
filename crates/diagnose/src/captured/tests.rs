use observation::{CapturedFlow, CapturedRoundTrip, Heading, LoadFlow};
use results::{Grade, LossPattern};
use units::{Bytes, Rate, Span, Time};

use super::*;

/// The shortest round trip in milliseconds.
const LEAST: u64 = 20;

/// Twenty seconds of 8 Mbit/s whose packets waited so many milliseconds, and lost one at each of these waits, a
/// second apart.
fn flow(wait: impl Fn(u64) -> u64, lost: &[u64]) -> CapturedFlow {
    let round_trips = (0..1000).map(|index| {
        let millis = 20 * index;
        let span = Span::from_millis(LEAST + wait(millis));
        CapturedRoundTrip { at: Time::from_millis(millis), span }
    });
    let round_trips: Vec<_> = round_trips.collect();
    let all = stats::ascending(round_trips.iter().map(|one| one.span.as_secs_f64()));
    let [long, longest] =
        [0.95, 1.0].map(|part| Span::from_secs_f64(stats::quantile(&all, part).unwrap()));
    let sample = |step: u64| SenderSample {
        at: Time::from_millis(50 * step),
        min_rtt: Some(Span::from_millis(LEAST)),
        mss: 1448,
        acknowledged: Bytes(50_000 * step),
        delivered: 50_000 * step / 1448,
        sent: 50_000 * step / 1448,
        retransmitted: (step / 20).min(lost.len() as u64),
        busy: Span::from_millis(50 * step),
        ..SenderSample::default()
    };
    CapturedFlow {
        rest: Span::ZERO,
        way_back: Span::ZERO,
        may_be_acks: false,
        ipv6: false,
        has_both: true,
        is_ahead: true,
        stamps: Stamps::Captured,
        least: Some(Span::from_millis(LEAST)),
        count: 1000,
        known: 1.0,
        long,
        longest: Some(longest),
        round_trips,
        packet_time: Span::from_micros(1448),
        correlation: Some(0.9),
        in_flight_over_round_trips: Rate::from_bits_per_sec(8_000_000),
        by_acknowledgements: None,
        segments: 13_812,
        is_lossy: !lost.is_empty(),
        at_losses: lost.iter().map(|wait| Span::from_millis(LEAST + wait)).collect(),
        marks: 0,
        passing: Vec::new(),
        flow: LoadFlow {
            heading: Heading::Up,
            dscp: 0,
            congestion: String::new(),
            start: Time::ZERO,
            stop: Time::from_secs(20),
            received: Vec::new(),
            sender: (0..=400).map(sample).collect(),
        },
    }
}

/// From 150 to 300 ms in each second, as a sawtooth.
const fn tooth(millis: u64) -> u64 {
    150 + millis % 1000 * 150 / 1000
}

/// A buffer that the connection fills, and in which it loses a packet whenever it is full.
fn full() -> CapturedFlow {
    flow(tooth, &[299; 19])
}

fn kind_of(queue: &CapturedQueue) -> QueueKind {
    queue.kind.expect("it was judged").kind
}

#[test]
fn a_queue_that_drops_when_it_is_full_is_a_fifo_and_others_wait_in_it_alike() {
    let queue = captured(&full());
    assert_eq!((queue.whose, queue.losses), (QueueOwner::Own, LossPattern::FullQueue));
    assert_eq!(kind_of(&queue), QueueKind::Fifo);
    assert_eq!((queue.grade, queue.grade_reason), (Some(Grade::D), None));
    assert_eq!(queue.rate_mbit, Some(8.0));
    // 299 ms at a megabyte a second.
    assert_eq!(queue.most_bytes, Some(297_000));
}

/// CAKE keeps 8 ms whatever the load, and drops there; a full buffer of 8 ms looks the same.
#[test]
fn a_short_queue_that_always_waits_alike_is_not_called_full() {
    let queue = captured(&flow(|_| 8, &[8; 19]));
    assert_eq!(queue.losses, LossPattern::Unknown);
}

/// Where a packet takes 12 ms, CAKE's queue of one connection has some of them.
#[test]
fn a_queue_of_some_packets_is_not_called_full() {
    let queue =
        |packet_time| captured(&CapturedFlow { packet_time, ..flow(|_| 57, &[57; 19]) }).losses;
    assert_eq!(queue(Span::from_millis(12)), LossPattern::Unknown);
    assert_eq!(queue(Span::from_millis(1)), LossPattern::FullQueue);
}

/// A pause of the machine makes a round trip that no queue makes.
#[test]
fn a_pause_does_not_hide_that_the_queue_was_full() {
    let longest = Some(Span::from_millis(900));
    let queue = captured(&CapturedFlow { longest, ..full() });
    assert_eq!(queue.losses, LossPattern::FullQueue);
}

/// 691 packets a second, at 20 ms: one loss in 128 packets brings TCP there. Fewer of them would let it send more.
#[test]
fn losses_that_explain_the_rate_are_told_as_the_limit() {
    let limit = |losses: usize| captured(&flow(|_| 0, &vec![0; losses])).loss_limited_mbit;
    assert!(limit(108).is_some_and(|mbit| (mbit - 8.0).abs() < 0.1), "{:?}", limit(108));
    assert_eq!((limit(40), limit(2)), (None, None));
    assert_eq!(captured(&full()).loss_limited_mbit, None, "a queue is the limit");
    // A half of the way is on the other side of the capture: at twice the round trip, a quarter of the losses does it.
    for is_ahead in [true, false] {
        let rest = Span::from_millis(20);
        let within = CapturedFlow { is_ahead, rest, ..flow(|_| 0, &[0; 27]) };
        assert!(captured(&within).loss_limited_mbit.is_some_and(|mbit| (mbit - 8.0).abs() < 0.1));
    }
    // The losses are those of the whole connection, and the samples of the sender those of its first minute.
    let longer = CapturedFlow { segments: 138_120, ..flow(|_| 0, &vec![0; 1080]) };
    assert!(captured(&longer).loss_limited_mbit.is_some_and(|mbit| (mbit - 8.0).abs() < 0.1));
    let endless = CapturedFlow { segments: 600_000, ..flow(|_| 0, &vec![0; 4096]) };
    assert_eq!(captured(&endless).loss_limited_mbit, None, "not all losses are known");
}

/// A queue that marks is managed; whether it is this connection's own is not told, and so neither is the grade.
#[test]
fn a_queue_that_marks_is_managed_and_has_no_grade() {
    let queue = captured(&CapturedFlow { marks: 9, ..full() });
    assert_eq!((kind_of(&queue), queue.marks), (QueueKind::Aqm, 9));
    assert_eq!(queue.grade_reason, Some(Ungraded::NotMeasured));
}

#[test]
fn in_the_queue_of_others_the_packets_are_what_others_wait() {
    let (correlation, by_acknowledgements) = (Some(0.1), Some(0.1));
    let apart = CapturedFlow { correlation, by_acknowledgements, ..full() };
    let queue = captured(&apart);
    assert_eq!((queue.whose, queue.kind), (QueueOwner::Other, None));
    assert_eq!((queue.grade, queue.losses), (Some(Grade::D), LossPattern::Unknown));
    assert_eq!((queue.rate_mbit, queue.findings), (None, Vec::new()));
}

/// A queue for each flow, among many flows: the share of each becomes smaller, and its wait longer.
#[test]
fn of_a_greedy_sender_with_a_smaller_share_it_is_not_told_who_fills_the_queue() {
    let share = CapturedFlow { correlation: Some(0.1), ..flow(tooth, &[]) };
    assert_eq!(captured(&share).whose, QueueOwner::Unknown);
}

#[test]
fn another_connection_that_fills_the_queue_is_a_finding() {
    let queue = beside(&captured(&CapturedFlow { correlation: Some(0.5), ..full() }), 7.5);
    let [others] = queue.findings[..] else { panic!("{queue:?}") };
    assert_eq!((others.kind, others.amount), (FindingKind::OtherTraffic, Some(7.5)));
    assert_eq!((queue.whose, queue.grade), (QueueOwner::Other, Some(Grade::D)));
    assert_eq!((queue.kind, queue.losses), (None, LossPattern::Unknown));
}

/// Each second begins with an empty queue. What is lost then is lost by no queue.
#[test]
fn what_is_lost_while_nothing_waits_is_lost_by_a_wire() {
    let wait = |millis: u64| (millis % 1000).saturating_sub(500) / 5;
    let told = |lost: &[u64]| {
        let findings = captured(&flow(wait, lost)).findings;
        FindingKind::RandomLoss.is_in(&findings)
    };
    assert!(told(&[0; 9]) && !told(&[0; 2]), "fewer may be chance");
    assert!(!told(&[99; 19]), "while packets waited");
}

/// Without a queue it may be a policer as well.
#[test]
fn a_wire_and_a_policer_look_alike() {
    let queue = captured(&flow(|_| 0, &[0; 19]));
    assert_eq!((kind_of(&queue), queue.findings.len()), (QueueKind::Unknown, 0));
    assert_eq!((queue.whose, queue.grade_reason), (QueueOwner::None, Some(Ungraded::NotFilled)));
}

#[test]
fn a_program_that_sends_little_is_the_limit_and_not_the_line() {
    let mut seen = flow(|_| 0, &[]);
    for sample in &mut seen.flow.sender {
        sample.program_limited = sample.busy / 2;
    }
    let queue = captured(&seen);
    let [end] = queue.findings[..] else { panic!("{queue:?}") };
    assert_eq!((end.kind, end.amount), (FindingKind::EndLimits, Some(0.5)));
    assert_eq!((queue.losses, queue.grade_reason), (LossPattern::None, Some(Ungraded::NotFilled)));
    assert_eq!(held_back(seen.flow.sender.last().unwrap()), Some(SenderLimit::Program));
}

/// The rate of what arrives goes up and down with the pauses of the program.
#[test]
fn of_a_program_that_pauses_the_rate_does_not_tell_that_of_the_line() {
    let changes = |limited: u64| {
        let mut seen = full();
        for sample in &mut seen.flow.sender {
            let early = sample.at.min(Time::from_secs(10)).since(Time::ZERO);
            let late = sample.at.since(Time::from_secs(10));
            let bytes = early.as_nanos() / 1_000 + late.as_nanos() / 2_500;
            (sample.acknowledged, sample.delivered) = (Bytes(bytes), bytes / 1448);
            sample.program_limited = sample.busy / 4 * limited;
        }
        FindingKind::RateChanged.is_in(&captured(&seen).findings)
    };
    assert!(changes(0));
    assert!(!changes(1));
}

/// One flow in a managed queue goes up and down with it, so that the highest delays look like an edge.
#[test]
fn of_a_short_queue_the_kind_is_not_told() {
    let short = |millis: u64| tooth(millis) / 15;
    let queue = captured(&flow(short, &[19; 19]));
    assert_eq!((kind_of(&queue), queue.grade), (QueueKind::Unknown, None));
}

/// While a sender begins, PIE has hardly dropped, and a queue has not been full.
#[test]
fn of_a_brief_connection_the_wait_is_told_and_not_the_kind() {
    let mut seen = full();
    seen.flow.stop = Time::from_secs(4);
    let queue = captured(&seen);
    assert!(queue.added_p95_ms.is_some());
    assert_eq!((queue.kind, queue.grade, queue.rate_mbit), (None, None, None));
    assert_eq!(queue.losses, LossPattern::Unknown);
}

/// What others of the same host take is no change of the line.
#[test]
fn beside_others_of_the_host_a_changing_rate_is_not_told() {
    let kind = Some(QueueFinding { kind: QueueKind::VariableRate, confidence: 0.85 });
    let changed = Finding { kind: FindingKind::RateChanged, amount: Some(2.0), confidence: 0.9 };
    let alone = CapturedQueue { kind, findings: vec![changed], ..captured(&full()) };
    assert!(is_changing(&alone));
    let queue = shared(&alone);
    assert_eq!((kind_of(&queue), queue.grade), (QueueKind::Unknown, None));
    assert!(!is_changing(&queue));
}

/// Acknowledgements that wait come in bursts, by which data seems to arrive at a rate that changes, and to be in flight
/// without waiting.
#[test]
fn while_acknowledgements_wait_neither_a_changing_rate_nor_others_are_told() {
    let seen =
        CapturedFlow { correlation: Some(0.1), by_acknowledgements: Some(0.2), ..flow(tooth, &[]) };
    assert_eq!(captured(&seen).whose, QueueOwner::Other);
    let waiting = CapturedFlow { way_back: Span::from_millis(30), ..seen };
    assert_eq!(captured(&waiting).whose, QueueOwner::Unknown);
    let mut changing = full();
    for (step, sample) in changing.flow.sender.iter_mut().enumerate() {
        let step = step as u64;
        // Twice the rate, and then hardly any, each for half a second.
        let sent = 100_000 * (step / 20 * 10 + (step % 20).min(10)) + 2_000 * step;
        (sample.acknowledged, sample.delivered) = (Bytes(sent), sent / 1448);
    }
    assert_eq!(kind_of(&captured(&changing)), QueueKind::VariableRate);
    changing.way_back = Span::from_millis(30);
    assert_eq!(kind_of(&captured(&changing)), QueueKind::Unknown);
}

#[test]
fn where_acknowledgements_may_have_waited_nothing_is_told() {
    let queue = captured(&CapturedFlow { may_be_acks: true, ..full() });
    assert_eq!((queue.added_p95_ms, queue.added_reason), (None, Some(Unmeasured::WayBack)));
    assert_eq!((queue.grade, queue.rate_mbit), (None, None));
}

#[test]
fn of_few_round_trips_nothing_is_told() {
    let queue = captured(&CapturedFlow { count: 19, ..full() });
    assert_eq!((queue.whose, queue.kind), (QueueOwner::Unknown, None));
    assert_eq!((queue.added_p95_ms, queue.grade_reason), (None, Some(Ungraded::NotMeasured)));
    assert_eq!(captured(&CapturedFlow { known: 0.2, ..full() }).added_p95_ms, None);
    let silent = CapturedFlow {
        least: None,
        flow: LoadFlow { sender: Vec::new(), ..full().flow },
        ..full()
    };
    assert_eq!(captured(&silent).grade_reason, Some(Ungraded::NotMeasured));
}
