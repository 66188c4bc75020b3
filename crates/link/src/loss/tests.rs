use alloc::string::ToString;

use super::*;

const PACKETS: usize = 2_000_000;

fn model(p: f64, r: f64, good: f64, bad: f64) -> GilbertElliott {
    let [good_to_bad, bad_to_good, loss_in_good, loss_in_bad] =
        [p, r, good, bad].map(Prob::clamped);
    GilbertElliott { good_to_bad, bad_to_good, loss_in_good, loss_in_bad }
}

/// The share of packets lost and the mean number lost in a row, over many packets.
fn measured(loss: Loss) -> (f64, f64) {
    let mut process = LossProcess::new(loss, Rng::new(3));
    let (mut lost, mut bursts, mut before) = (0, 0, false);
    for _ in 0..PACKETS {
        let now = process.next_is_lost();
        lost += u32::from(now);
        bursts += u32::from(now && !before);
        before = now;
    }
    (f64::from(lost) / PACKETS as f64, f64::from(lost) / f64::from(bursts))
}

fn assert_near(ours: f64, exact: f64, tolerance: f64) {
    assert!((ours / exact - 1.0).abs() < tolerance, "{ours}, exactly {exact}");
}

#[test]
fn gilbert_elliott_loses_as_its_closed_form_says() {
    for (p, r, good, bad) in [
        (0.01, 0.2, 0.0, 1.0),
        (0.02, 0.1, 0.001, 0.5),
        (0.3, 0.4, 0.05, 0.9),
        (1.0, 1.0, 0.0, 1.0),
    ] {
        let model = model(p, r, good, bad);
        let (share, burst) = measured(Loss::Bursty(model));
        assert_near(share, model.mean_loss(), 0.02);
        assert_near(burst, model.mean_burst().unwrap(), 0.02);
    }
}

/// If all packets of the bad state are lost and none of the good one, the loss is p / (p + r), and
/// the mean burst 1 / r.
#[test]
fn gilbert_model_has_its_textbook_means() {
    let gilbert = model(0.01, 0.19, 0.0, 1.0);
    assert_near(gilbert.mean_loss(), 0.05, 1e-12);
    assert_near(gilbert.mean_burst().unwrap(), 1.0 / 0.19, 1e-12);
    let (share, burst) = measured(Loss::Bursty(gilbert));
    assert_near(share, 0.05, 0.02);
    assert_near(burst, 1.0 / 0.19, 0.02);
}

#[test]
fn bursts_have_the_wanted_rate_and_length() {
    for (rate, length) in [(0.01, 1.0), (0.02, 5.0), (0.5, 3.0), (0.5, 1.0)] {
        let model = GilbertElliott::bursts(Prob::clamped(rate), length).unwrap();
        assert_near(model.mean_loss(), rate, 1e-12);
        assert_near(model.mean_burst().unwrap(), length, 1e-12);
        let (share, burst) = measured(Loss::Bursty(model));
        assert_near(share, rate, 0.03);
        assert_near(burst, length, 0.03);
    }
}

#[test]
fn refuses_impossible_bursts() {
    for (rate, length, words) in [
        (0.1, 0.5, "at least 1"),
        (0.1, f64::NAN, "at least 1"),
        (0.1, f64::INFINITY, "at least 1"),
        (0.9, 2.0, "at most 0.667"),
        (1.0, 10.0, "at most 0.909"),
    ] {
        let error = GilbertElliott::bursts(Prob::clamped(rate), length).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    }
    assert_eq!(GilbertElliott::bursts(Prob::ZERO, 3.0).unwrap().mean_loss(), 0.0);
}

#[test]
fn degenerate_chains() {
    assert_eq!(model(0.0, 0.0, 0.25, 1.0).mean_loss(), 0.25);
    assert_eq!(model(0.0, 0.5, 0.0, 1.0).mean_burst(), None);
    assert_eq!(model(0.5, 0.0, 0.0, 1.0).mean_burst(), None);
}

#[test]
fn random_loss_is_independent() {
    let (share, burst) = measured(Loss::Random(Prob::clamped(0.1)));
    assert_near(share, 0.1, 0.01);
    assert_near(burst, 1.0 / 0.9, 0.01);
    let mut none = LossProcess::new(Loss::None, Rng::new(3));
    assert!((0..1000).all(|_| !none.next_is_lost()));
    let mut all = LossProcess::new(Loss::Random(Prob::ONE), Rng::new(3));
    assert!((0..1000).all(|_| all.next_is_lost()));
}
