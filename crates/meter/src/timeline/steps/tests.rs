use results::{DirectionTimeline, Extremes};
use units::{Bytes, Way};

use super::*;

const STEP: Span = Span::from_millis(10);
const FORWARD: DirectionId = DirectionId::new(0, Way::Forward);

fn recorder(most_steps: usize) -> Steps {
    let options = TimelineOptions { step: STEP, most_steps };
    Steps::new(Time::ZERO, options, vec!["uplink".into()], vec!["backup".into()])
}

fn forward(timeline: &Timeline) -> &DirectionTimeline {
    &timeline.links["uplink"].forward
}

/// A list of this many steps, in which only one has a value.
fn one_of(steps: usize, index: usize, value: f64) -> Vec<Option<f64>> {
    (0..steps).map(|step| (step == index).then_some(value)).collect()
}

#[test]
fn a_peak_is_in_its_step_and_in_no_other() {
    let mut recorder = recorder(100);
    recorder.advance(Time::from_nanos(39_999_999));
    recorder.direction(FORWARD).departed(Span::from_millis(500));
    recorder.advance(Time::from_millis(60));
    recorder.direction(FORWARD.opposite()).departed(Span::from_micros(1500));
    recorder.direction(FORWARD.opposite()).departed(Span::from_nanos(2_499_501));
    let timeline = recorder.finish(Time::from_millis(100));
    assert_eq!(timeline.step_s, 0.01);
    assert_eq!(forward(&timeline).sojourn_ms.low, one_of(10, 3, 500.0));
    assert_eq!(forward(&timeline).sojourn_ms.high, one_of(10, 3, 500.0));
    // An event at the end of a step belongs to the next step.
    let back = &timeline.links["uplink"].reverse.sojourn_ms;
    assert_eq!((&back.low, &back.high), (&one_of(10, 6, 1.5), &one_of(10, 6, 2.5)));
}

#[test]
fn a_backlog_lasts_and_its_shortest_peak_counts() {
    let mut recorder = recorder(100);
    for (millis, packets) in [(12, 7), (12, 3), (35, 4)] {
        recorder.advance(Time::from_millis(millis));
        recorder.direction(FORWARD).waits(packets);
    }
    let timeline = recorder.finish(Time::from_millis(50));
    let backlog = &forward(&timeline).backlog_packets;
    assert_eq!(backlog.low, [0.0, 0.0, 3.0, 3.0, 4.0].map(Some));
    assert_eq!(backlog.high, [0.0, 7.0, 3.0, 4.0, 4.0].map(Some));
}

#[test]
fn a_window_lasts_from_when_there_is_one() {
    let mut recorder = recorder(100);
    recorder.advance(Time::from_millis(15));
    recorder.flow(0).window(10);
    recorder.flow(0).window(20);
    recorder.advance(Time::from_millis(31));
    recorder.flow(0).window(14);
    recorder.flow(0).round_trip(Span::from_micros(20_020));
    let timeline = recorder.finish(Time::from_millis(50));
    let flow = &timeline.flows["backup"];
    let with_none = |values: [f64; 4]| [[None].as_slice(), &values.map(Some)].concat();
    assert_eq!(flow.cwnd_segments.low, with_none([10.0, 20.0, 14.0, 14.0]));
    assert_eq!(flow.cwnd_segments.high, with_none([20.0, 20.0, 20.0, 14.0]));
    assert_eq!(flow.rtt_ms.low, one_of(5, 3, 20.02));
}

#[test]
fn sums_are_those_of_their_step() {
    let mut recorder = recorder(100);
    for millis in [0, 5, 10, 29] {
        recorder.advance(Time::from_millis(millis));
        let direction = recorder.direction(FORWARD);
        direction.delivered(Bytes(1500));
        direction.dropped(2);
        direction.marked(1);
        recorder.flow(0).delivered(Bytes(millis));
    }
    let timeline = recorder.finish(Time::from_millis(30));
    assert_eq!(forward(&timeline).delivered_bytes, [3000, 1500, 1500]);
    assert_eq!(forward(&timeline).drops, [4, 2, 2]);
    assert_eq!(forward(&timeline).marks, [2, 1, 1]);
    assert_eq!(timeline.flows["backup"].delivered_bytes, [5, 10, 29]);
}

#[test]
fn there_are_as_many_steps_as_have_begun() {
    for (micros, steps) in [(0, 0), (1, 1), (10_000, 1), (10_001, 2), (999_999, 100)] {
        let timeline = recorder(100).finish(Time::ZERO + Span::from_micros(micros));
        assert_eq!(lengths(&timeline), [steps; 12], "{micros} us");
        assert_eq!(timeline.step_s, 0.01);
    }
}

/// The lengths of all lists of one direction and one flow.
fn lengths(timeline: &Timeline) -> [usize; 12] {
    let (direction, flow) = (forward(timeline), &timeline.flows["backup"]);
    let both = |extremes: &Extremes| [extremes.low.len(), extremes.high.len()];
    let [a, b] = both(&direction.sojourn_ms);
    let [c, d] = both(&direction.backlog_packets);
    let [e, f] = both(&flow.cwnd_segments);
    let [g, h] = both(&flow.rtt_ms);
    let sums = [&direction.delivered_bytes, &direction.drops, &direction.marks];
    let [i, j, k] = sums.map(Vec::len);
    [a, b, c, d, e, f, g, h, i, j, k, flow.delivered_bytes.len()]
}

/// However long the run is, memory does not grow, and nothing is lost.
#[test]
fn steps_become_longer_where_there_are_too_many() {
    for events in [8, 9, 16, 17, 1000] {
        let mut recorder = recorder(8);
        for event in 0..events {
            recorder.advance(Time::from_millis(10 * event + 3));
            let direction = recorder.direction(FORWARD);
            direction.delivered(Bytes(1));
            direction.departed(Span::from_millis(event));
        }
        let end = Time::from_millis(10 * events - 1);
        let timeline = recorder.finish(end);
        let direction = forward(&timeline);
        let steps = direction.delivered_bytes.len();
        assert!((4..=8).contains(&steps), "{steps} steps");
        assert_eq!(steps, (end.as_secs_f64() / timeline.step_s).ceil() as usize);
        assert_eq!(direction.delivered_bytes.iter().sum::<u64>(), events);
        // Step by step: the first and the last event in it.
        let each = (timeline.step_s * 100.0).round() as u64;
        for (step, (low, high)) in
            (0..).zip(direction.sojourn_ms.low.iter().zip(&direction.sojourn_ms.high))
        {
            let last = (each * (step + 1)).min(events) - 1;
            assert_eq!((*low, *high), (Some((each * step) as f64), Some(last as f64)));
        }
    }
}

#[test]
fn time_may_leap() {
    let mut recorder = recorder(8);
    recorder.direction(FORWARD).departed(Span::from_millis(1));
    recorder.advance(Time::from_secs(1_000_000_000));
    recorder.direction(FORWARD).departed(Span::from_millis(2));
    let timeline = recorder.finish(Time::MAX);
    let sojourn = &forward(&timeline).sojourn_ms;
    assert_eq!(sojourn.low.iter().flatten().copied().reduce(f64::min), Some(1.0));
    assert_eq!(sojourn.high.iter().flatten().copied().reduce(f64::max), Some(2.0));
}

/// The steps are counted from the start, whenever that is.
#[test]
fn a_timeline_begins_at_its_start() {
    let start = Time::from_secs(1_000_000);
    let options = TimelineOptions { step: STEP, most_steps: 100 };
    let mut recorder = Steps::new(start, options, vec!["uplink".into()], vec![]);
    recorder.advance(start + Span::from_millis(15));
    recorder.direction(FORWARD).departed(Span::from_micros(1500));
    let timeline = recorder.finish(start + Span::from_millis(25));
    assert_eq!(forward(&timeline).sojourn_ms.high, one_of(3, 1, 1.5));
}
