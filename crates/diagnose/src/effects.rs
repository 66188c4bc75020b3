//! The effects that people notice while the path is loaded in its worse direction.
//!
//! A call: its packets of 20 ms take half of the idle round trip and the queue's delay; the E-model
//! turns this and the loss into an opinion. A game: an action shows after a round trip; the lag is
//! the one that 95 of 100 do not exceed. A page: ten round trips one after the other, for a name, a
//! connection, its encryption, the page itself, and the same again for what the page refers to on a
//! second server.
//!
//! Specification: ITU-T G.107 and G.113, see [`results::e_model`]; the ten round trips are our own
//! choice: twice a name (1), a TCP and a TLS 1.3 handshake (2; RFC 9293 section 3.5, RFC 8446
//! section 2), and 20 to 40 kB from an initial window of ten segments (2; RFC 6928).

use observation::Heading;
use results::{Effects, LoadedDirection, Measurement, ProbeSeries, e_model};
use units::Span;

use crate::lag::{lag, least_round_trip};

/// The round trips of a page, one after the other.
const ROUND_TRIPS_OF_A_PAGE: f64 = 10.0;
/// The duration of the speech in a frame of a call: usual for G.711 over RTP (RFC 3551 section
/// 4.2).
const FRAME: Span = Span::from_millis(20);

/// The least difference of opinions that means something.
const NOTICED: f64 = 0.3;

/// The effects in the worse direction; the call by the probes that were sent within its window.
/// `None` if there are none.
pub(crate) fn effects(measurement: &Measurement) -> Option<Effects> {
    let (heading, direction) = measurement.worse()?;
    let stream = best_effort(measurement);
    let added = |stream: &ProbeSeries| match heading {
        Heading::Up => within(stream, direction, &stream.up_ms),
        Heading::Down => within(stream, direction, &stream.down_ms),
    };
    let least = least_round_trip(measurement);
    let usual = least.zip(direction.added_delay_ms.p50).map(|(least, added)| least + added);
    let effects = Effects {
        call_mos: call(measurement, direction, &stream.map(added).unwrap_or_default()),
        game_ms: lag(measurement),
        page_s: usual.map(|usual| ROUND_TRIPS_OF_A_PAGE * usual / 1e3),
    };
    (effects != Effects::default()).then_some(effects)
}

/// The stream of the load's class, best effort; the first stream if there is none.
fn best_effort(measurement: &Measurement) -> Option<&ProbeSeries> {
    let streams = &measurement.series.as_ref()?.probes;
    streams.iter().find(|stream| stream.class == "BE").or(streams.first())
}

/// The opinion of a call in this direction; `None` if there are too few probes to know it.
fn call(measurement: &Measurement, direction: &LoadedDirection, added: &[f64]) -> Option<f64> {
    let base = least_round_trip(measurement)? / 2.0;
    let lost = direction.loss.filter(|loss| (0.0..=1.0).contains(loss)).unwrap_or(0.0);
    let heard =
        |part| Some(FRAME + Span::from_secs_f64((base + stats::quantile(added, part)?) / 1e3));
    let score = |lost| e_model::score(lost, heard);
    // Losses come in clusters, which are fewer than probes.
    let [least, most] = direction.certainty.loss?;
    let is_known = !added.is_empty() && score(least) - score(most) <= 2.0 * NOTICED;
    is_known.then(|| score(lost))
}

/// The `values` of probes sent within the window, ascending.
fn within(stream: &ProbeSeries, direction: &LoadedDirection, values: &[Option<f64>]) -> Vec<f64> {
    let [from, to] = direction.window_s;
    let sent = stream.at_s.iter().zip(values).filter(|(at, _)| (from..=to).contains(*at));
    let mut values: Vec<f64> =
        sent.filter_map(|(_, value)| *value).filter(|value| value.is_finite()).collect();
    values.sort_by(f64::total_cmp);
    values
}

#[cfg(test)]
mod tests {
    use results::{Certainty, DelaySpread, MeasuredSeries};

    use super::*;
    use crate::conclusions::tests::direction;

    /// An upload that adds `added` ms to a round trip of 20 ms, and loses a part of its probes.
    fn loaded(added: f64, loss: f64) -> Measurement {
        let at_s: Vec<f64> = (0..400).map(|probe| f64::from(probe) / 50.0).collect();
        let busy = |at: &f64| if *at >= 2.0 && *at <= 6.0 { added } else { 0.0 };
        let up_ms: Vec<Option<f64>> = at_s.iter().map(|at| Some(busy(at))).collect();
        let round_trip_ms = up_ms.iter().map(|up| up.map(|up| up + 20.0)).collect();
        let down_ms = vec![Some(0.0); at_s.len()];
        let stream = ProbeSeries { class: "BE".into(), at_s, up_ms, down_ms, round_trip_ms };
        Measurement {
            download: Some(direction(1.0)),
            upload: Some(LoadedDirection {
                loss: Some(loss),
                certainty: Certainty { loss: Some([loss; 2]), ..Certainty::default() },
                added_delay_ms: DelaySpread {
                    p50: Some(added),
                    p95: Some(added),
                    ..DelaySpread::default()
                },
                ..direction(added)
            }),
            series: Some(MeasuredSeries { probes: vec![stream], ..MeasuredSeries::default() }),
            ..Measurement::default()
        }
    }

    fn near(value: Option<f64>, expected: f64) -> bool {
        value.is_some_and(|value| (value - expected).abs() < 1e-3 * expected)
    }

    /// 20 ms for the frame and 10 ms for the way itself: 30 ms without a queue.
    #[test]
    fn a_call_a_game_and_a_page() {
        let of = |lost, millis| e_model::score(lost, |_| Some(Span::from_millis(millis)));
        let quick = effects(&loaded(2.0, 0.0)).unwrap();
        assert!(near(quick.call_mos, of(0.0, 32)));
        assert!(near(quick.game_ms, 22.0) && near(quick.page_s, 0.22), "{quick:?}");
        let slow = effects(&loaded(1048.0, 0.0)).unwrap();
        assert_eq!(slow.call_mos, Some(1.0));
        assert!(near(slow.game_ms, 1068.0) && near(slow.page_s, 10.68), "{slow:?}");
        let lossy = effects(&loaded(2.0, 0.05)).unwrap();
        assert!(near(lossy.call_mos, of(0.05, 32)));
    }

    /// A call has an opinion only where chance hardly changes it.
    #[test]
    fn what_few_probes_leave_open_is_no_opinion() {
        let told = |bounds| {
            let mut measurement = loaded(2.0, 0.05);
            measurement.upload.as_mut().unwrap().certainty.loss = bounds;
            effects(&measurement).unwrap().call_mos.is_some()
        };
        assert!(told(Some([0.03, 0.08])));
        assert!(!told(Some([0.01, 0.2])) && !told(None));
    }

    #[test]
    fn without_probes_there_is_no_call() {
        let mut measurement = loaded(2.0, 0.0);
        measurement.upload.as_mut().unwrap().window_s = [100.0, 200.0];
        assert_eq!(effects(&measurement).and_then(|effects| effects.call_mos), None);
        measurement.series = None;
        assert_eq!(effects(&measurement), None);
    }
}
