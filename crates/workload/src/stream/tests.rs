use scenario::Writing;
use units::Rate;

use super::*;

fn millis(n: u64) -> Time {
    Time::from_millis(n)
}

fn stream(batch: Batch, writing: Writing, stop: Time) -> Stream {
    let active = ActivePeriod { start: millis(100), stop };
    Stream::new(batch, Writer::new(writing, Bytes(1_000)), active, Rng::new(1))
}

fn transfer(bytes: u64) -> Batch {
    Batch { kind: FlowKind::Transfer, bytes: Some(Bytes(bytes)), next: None }
}

fn periodic(bytes: u64, next: Recurrence) -> Batch {
    Batch { kind: FlowKind::Periodic, bytes: Some(Bytes(bytes)), next: Some(next) }
}

const ENDLESS: Batch = Batch { kind: FlowKind::Bulk, bytes: None, next: None };
const OPEN: Request = Request::Open { connection: 0 };
const CLOSE: Request = Request::Close { connection: 0, at: End::Source };
const ABANDON: Request = Request::Abandon { connection: 0, at: End::Source };

fn write(bytes: u64) -> Request {
    Request::Write { connection: 0, at: End::Source, bytes }
}

/// The requests when the application is woken at `at`.
fn at(stream: &mut Stream, at: u64) -> Vec<Request> {
    stream.on_time(millis(at));
    std::iter::from_fn(|| stream.next_request()).collect()
}

fn deliver(stream: &mut Stream, bytes: u64, at: u64) {
    stream.on_received(Received { connection: 0, at: End::Sink, bytes }, millis(at));
}

fn completions(stream: &Stream) -> Completion {
    stream.result(&(Time::ZERO..millis(10_000))).completion_s.unwrap()
}

#[test]
fn a_transfer_is_written_at_once_and_both_ends_close() {
    let mut stream = stream(transfer(5_000), Writing::default(), Time::MAX);
    assert_eq!((stream.next_action(), stream.stops()), (Some(millis(100)), None));
    assert_eq!(at(&mut stream, 99), []);
    assert_eq!(at(&mut stream, 100), [OPEN, write(5_000), CLOSE]);
    assert_eq!((stream.next_action(), at(&mut stream, 150)), (None, vec![]));
    deliver(&mut stream, 4_999, 200);
    assert_eq!(completions(&stream).count, 0);
    deliver(&mut stream, 1, 300);
    assert_eq!((completions(&stream).count, completions(&stream).max), (1, Some(0.2)));
    stream.on_peer_closed(0, End::Sink);
    assert_eq!(stream.next_request(), Some(Request::Close { connection: 0, at: End::Sink }));
    // 5000 bytes in the 200 ms until the last one.
    assert_eq!(stream.result(&(Time::ZERO..millis(10_000))).goodput_mbit, Some(0.2));
}

#[test]
fn a_slow_application_writes_segment_by_segment() {
    let rate = Rate::from_bits_per_sec(8_000_000);
    let writing = Writing { rate, greeting: None };
    let mut stream = stream(transfer(2_500), writing, Time::MAX);
    assert_eq!(at(&mut stream, 100), [OPEN, write(1_000)]);
    assert_eq!(stream.next_action(), Some(millis(101)));
    // An application that wakes late catches up.
    assert_eq!(at(&mut stream, 150), [write(1_500), CLOSE]);
    assert_eq!(stream.next_action(), None);
}

#[test]
fn periods_do_not_drift_and_end_before_the_stop() {
    let every = Recurrence::Every(Span::from_millis(50));
    let mut stream = stream(periodic(10, every), Writing::default(), millis(200));
    assert_eq!(at(&mut stream, 120), [OPEN, write(10)]);
    assert_eq!((stream.next_action(), stream.stops()), (Some(millis(150)), Some(millis(200))));
    assert_eq!(at(&mut stream, 199), [write(10)]);
    deliver(&mut stream, 10, 160);
    assert_eq!(completions(&stream).max, Some(0.06), "since the beginning of its period");
    assert_eq!(at(&mut stream, 200), [ABANDON]);
    assert_eq!((stream.next_action(), stream.stops(), at(&mut stream, 250)), (None, None, vec![]));
    let ended = |stream: &Stream| stream.result(&(Time::ZERO..millis(10_000))).goodput_mbit;
    // Until the stop while a period has not been delivered, and until the last byte when all have.
    assert_eq!(ended(&stream), Some(80.0 / 0.1 / 1e6));
    deliver(&mut stream, 10, 300);
    assert_eq!(ended(&stream), Some(160.0 / 0.2 / 1e6));
}

#[test]
fn an_idle_time_begins_when_everything_is_delivered() {
    let (least, most) = (Span::from_millis(5), Span::from_millis(15));
    let idle = Recurrence::Idle { least, most };
    let mut stream = stream(periodic(1_000, idle), Writing::default(), millis(100_000));
    let (mut now, mut pauses) = (millis(100), Vec::new());
    for _ in 0..200 {
        stream.on_time(now);
        assert_eq!(std::iter::from_fn(|| stream.next_request()).last(), Some(write(1_000)));
        stream.on_received(Received { connection: 0, at: End::Sink, bytes: 999 }, now);
        assert_eq!(stream.next_action(), None, "a byte is missing");
        now += Span::from_millis(20);
        stream.on_received(Received { connection: 0, at: End::Sink, bytes: 1 }, now);
        let next = stream.next_action().unwrap();
        pauses.push(next.since(now));
        now = next;
    }
    pauses.sort_unstable();
    assert!(pauses[0] >= least && pauses[199] <= most, "{pauses:?}");
    assert!(pauses[199] - pauses[0] > Span::from_millis(9), "{pauses:?}");
    assert_eq!((completions(&stream).count, completions(&stream).max), (200, Some(0.02)));
}

#[test]
fn nothing_is_written_before_the_greeting_is_answered() {
    let writing = Writing { rate: None, greeting: Some(Bytes(37)) };
    let mut stream = stream(transfer(1_000), writing, Time::MAX);
    assert_eq!(at(&mut stream, 100), [OPEN, write(37)]);
    stream.on_answer(millis(120));
    assert_eq!(
        (stream.next_action(), at(&mut stream, 120)),
        (None, vec![]),
        "nothing was delivered"
    );
    deliver(&mut stream, 37, 130);
    stream.on_answer(millis(150));
    assert_eq!(stream.next_action(), Some(millis(150)));
    assert_eq!(at(&mut stream, 150), [write(963), CLOSE]);
}

#[test]
fn what_has_no_end_is_written_until_it_stops() {
    let mut stream = stream(ENDLESS, Writing::default(), millis(200));
    assert_eq!(at(&mut stream, 100), [OPEN, write(u64::MAX)]);
    deliver(&mut stream, 1 << 30, 150);
    assert_eq!(stream.next_action(), None);
    assert_eq!(at(&mut stream, 200), [ABANDON]);
    let result = stream.result(&(Time::ZERO..millis(300)));
    assert_eq!((result.completion_s, result.delivered_bytes), (None, Some(1 << 30)));
}
