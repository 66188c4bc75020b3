//! BLUE raises the probability on loss, lowers it when idle, and does neither twice within a freeze
//! time.

use super::*;
use crate::Backlog;
use crate::disciplines::tests::every_option_has_an_effect;

fn near(value: Prob, expected: f64) {
    assert!((value.get() - expected).abs() < 1e-12, "{value} is not {expected}");
}

fn arrival(bytes: u64, millis: u64) -> Arrival {
    let (len, ecn_capable, full) = (Bytes(1000), false, false);
    let backlog = Backlog { packets: bytes / 1000, bytes: Bytes(bytes) };
    Arrival { len, packets: 1, ecn_capable, backlog, full, now: Time::from_millis(millis) }
}

#[test]
fn loss_raises_once_per_freeze_time() {
    let (mut blue, mut q) =
        (Blue::new(BlueParameters::default(), Rng::new(1)), BlueState::default());
    for (millis, probability) in [(0, 0.02), (99, 0.02), (100, 0.04), (150, 0.04), (900, 0.06)] {
        blue.on_overflow(&mut q, 1, Time::from_millis(millis));
        near(q.probability(), probability);
    }
}

#[test]
fn idleness_lowers_once_per_freeze_time() {
    let (mut blue, mut q) =
        (Blue::new(BlueParameters::default(), Rng::new(1)), BlueState::default());
    for millis in [0, 100, 200] {
        blue.on_overflow(&mut q, 1, Time::from_millis(millis));
    }
    blue.on_empty(&mut q, Time::from_millis(250));
    near(q.probability(), 0.06);
    blue.on_enqueue(&mut q, &arrival(0, 260));
    near(q.probability(), 0.06);
    // Busy until 10 s: one step, whatever the time since the last.
    blue.on_empty(&mut q, Time::from_secs(10));
    near(q.probability(), 0.058);
    // Idle until 10.55 s: five more.
    blue.on_empty(&mut q, Time::from_millis(10_300));
    blue.on_enqueue(&mut q, &arrival(0, 10_550));
    near(q.probability(), 0.048);
    blue.on_empty(&mut q, Time::from_secs(11));
    blue.on_enqueue(&mut q, &arrival(0, 1_000_000_000));
    near(q.probability(), 0.0);
}

#[test]
fn a_long_queue_is_a_loss() {
    let parameters = BlueParameters { threshold: Some(Bytes(5000)), ..BlueParameters::default() };
    let (mut blue, mut q) = (Blue::new(parameters, Rng::new(1)), BlueState::default());
    blue.on_enqueue(&mut q, &arrival(5000, 0));
    near(q.probability(), 0.0);
    blue.on_enqueue(&mut q, &arrival(6000, 0));
    near(q.probability(), 0.02);
}

#[test]
fn options() {
    every_option_has_an_effect::<BlueSpec>(&[
        (
            "blue limit 50",
            &["limit 20", "increment 0.2", "decrement 0.02", "freeze_time 10ms", "ecn"],
        ),
        ("blue limit 50", &["threshold 10000"]),
    ]);
}
