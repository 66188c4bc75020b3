//! The quality of a simulated call for a listener.

use results::{FlowResult, e_model};
use scenario::Codec;
use stats::Histogram;
use units::Span;

/// The result of a flow, with its score if the flow is a call with this codec. `delays` are the
/// one-way delays of its packets, in nanoseconds.
pub(crate) fn judge_call(flow: FlowResult, codec: Option<Codec>, delays: &Histogram) -> FlowResult {
    match codec {
        Some(codec) => {
            FlowResult { mos: score(codec, flow.lost_packets.unwrap_or(0), delays), ..flow }
        }
        None => flow,
    }
}

/// The score of a call with `lost` packets and these delays of the others. `None` if there were no
/// packets.
fn score(codec: Codec, lost: u64, delays: &Histogram) -> Option<f64> {
    let sent = delays.count() + lost;
    // A frame is complete before it is sent, so its length is part of the delay.
    let heard = |part| Some(codec.frame() + Span::from_nanos(delays.quantile(part)?));
    (sent > 0).then(|| e_model::score(lost as f64 / sent as f64, heard))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_near(value: f64, expected: f64) -> bool {
        (value - expected).abs() < 0.0006
    }

    /// The score of a call whose packets all have this delay from mouth to ear.
    fn steady(millis: u64) -> f64 {
        e_model::score(0.0, |_| Some(Span::from_millis(millis)))
    }

    fn delays(milliseconds: &[(u64, u64)]) -> Histogram {
        let mut delays = Histogram::new();
        for (millis, times) in milliseconds {
            delays.record_many(millis * 1_000_000, *times);
        }
        delays
    }

    /// One packet in a hundred is a second late: it is better to lose it than to wait for it.
    #[test]
    fn the_playout_buffer_chooses() {
        let even = score(Codec::G711, 0, &delays(&[(30, 100)])).unwrap();
        assert!(is_near(even, steady(50)), "{even}");
        let late = score(Codec::G711, 0, &delays(&[(30, 99), (1_000, 1)])).unwrap();
        let lost = score(Codec::G711, 1, &delays(&[(30, 99)])).unwrap();
        assert!(is_near(late, lost) && lost < even, "{late} {lost} {even}");
        // Half of the packets are 20 ms late: it is better to wait for them.
        let waits = score(Codec::G711, 0, &delays(&[(30, 50), (50, 50)])).unwrap();
        assert!(is_near(waits, steady(70)), "{waits}");
    }

    #[test]
    fn nothing_heard_and_nothing_said() {
        assert_eq!(score(Codec::Cbr64, 10, &Histogram::new()), Some(1.0));
        assert_eq!(score(Codec::Cbr64, 0, &Histogram::new()), None);
        let hopeless = score(Codec::Cbr64, 0, &delays(&[(10_000, 5)]));
        assert_eq!(hopeless, Some(1.0));
    }
}
