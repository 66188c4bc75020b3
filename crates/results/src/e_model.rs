//! The E-model: how good a call sounds to a listener.
//!
//! Delay and loss are each subtracted from a rating R, which is 93.2 for a perfect line. R is
//! converted to a mean opinion score: 4.4 is as good as a telephone can be, below 3.6 many
//! listeners are dissatisfied, 1 is a useless call.
//!
//! Specification: ITU-T G.107 (the sum, the loss term, and the score), with the delay term as Cole and
//! Rosenbluth ("Voice over IP performance monitoring", 2001) fitted it, and G.711 with packet loss
//! concealment as ITU-T G.113 appendix I has it.
//!
//! Deviations: losses are assumed to be random (BurstR = 1). The playout buffer is ideal: its delay
//! is constant and the one that gives the best score. A real one has to guess.

use units::Span;

/// R of a line without delay and loss: G.107's default values.
const PERFECT: f64 = 93.2;
/// Ie of G.711 (G.113 appendix I).
const IMPAIRMENT: f64 = 0.0;
/// Bpl of G.711 with packet loss concealment (G.113 appendix I), in percent.
const ROBUSTNESS: f64 = 25.1;
/// Parts of the packets, 0 to 1, that the playout buffer may give up as too late, so that the
/// others are played sooner.
const TOO_LATE: [f64; 15] =
    [0.0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5];

/// The mean opinion score of a call, 1 to 4.5. `lost` is the part of the packets that are never
/// delivered, 0 to 1. `delay` gives the time from mouth to ear within which a given part (0 to 1)
/// of the others is delivered; if it is `None` for all parts, nothing was delivered, and the score
/// is 1.
///
/// ```
/// use results::e_model::score;
/// use units::Span;
///
/// let steady = |millis| move |_| Some(Span::from_millis(millis));
/// assert_eq!((score(0.0, steady(50)) * 100.0).round(), 438.0);
/// assert_eq!((score(0.0, steady(500)) * 100.0).round(), 235.0);
/// assert_eq!(score(0.0, |_| None), 1.0);
/// ```
pub fn score(lost: f64, delay: impl Fn(f64) -> Option<Span>) -> f64 {
    let heard = TOO_LATE.iter().filter_map(|late| {
        let loss = lost + (1.0 - lost) * late;
        Some(rating(delay(1.0 - late)?, loss))
    });
    opinion(heard.fold(0.0, f64::max))
}

/// R for this delay from mouth to ear and this part of the packets not heard, 0 to 1.
fn rating(delay: Span, loss: f64) -> f64 {
    PERFECT - delay_impairment(delay.as_millis_f64()) - loss_impairment(100.0 * loss)
}

/// Id, the impairment by delay: above 177.3 ms people begin to interrupt each other.
fn delay_impairment(millis: f64) -> f64 {
    0.024 * millis + 0.11 * (millis - 177.3).max(0.0)
}

/// Ie-eff (G.107 section 3.5), the impairment by a loss in percent.
fn loss_impairment(percent: f64) -> f64 {
    IMPAIRMENT + (95.0 - IMPAIRMENT) * percent / (percent + ROBUSTNESS)
}

/// The mean opinion score for R, from 1 to 4.5 (G.107 annex B).
fn opinion(rating: f64) -> f64 {
    let rating = rating.clamp(0.0, 100.0);
    let score = 1.0 + 0.035 * rating + rating * (rating - 60.0) * (100.0 - rating) * 7e-6;
    // For R below 6.5 the polynomial is a little less than 1, the worst score.
    score.max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_near(value: f64, expected: f64) -> bool {
        (value - expected).abs() < 0.0006
    }

    #[test]
    fn a_perfect_line() {
        assert!(is_near(opinion(93.2), 4.4093), "{}", opinion(93.2));
        assert_eq!((opinion(-5.0), opinion(3.0), opinion(100.0)), (1.0, 1.0, 4.5));
    }

    #[test]
    fn delay_alone() {
        let points = [
            (150, 89.6, 4.329),
            (200, 85.9, 4.226),
            (250, 79.2, 3.994),
            (300, 72.5, 3.712),
            (400, 59.1, 3.053),
            (500, 45.7, 2.351),
        ];
        for (delay, expected, mos) in points {
            let rating = rating(Span::from_millis(delay), 0.0);
            assert!((rating - expected).abs() < 0.06, "{delay} ms: R {rating}");
            assert!(is_near(opinion(rating), mos), "{delay} ms: {}", opinion(rating));
        }
    }

    #[test]
    fn loss_alone() {
        for (percent, expected, mos) in
            [(1.0, 3.640, 4.328), (5.0, 15.781, 3.923), (10.0, 27.066, 3.411)]
        {
            let impairment = loss_impairment(percent);
            assert!(is_near(impairment, expected), "{percent} %: {impairment}");
            assert!(is_near(opinion(PERFECT - impairment), mos), "{percent} %");
        }
    }
}
