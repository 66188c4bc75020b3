//! Round trips a minute, as the IETF's responsiveness counts them.
//!
//! New connections beside the load (the *foreign* probes) show how soon a new client is answered:
//! by their TCP handshake, and by a small request with its answer. The loading connections show how
//! soon they themselves would be. Each gives a rate, and the responsiveness is the mean of the two
//! rates.
//!
//! Specification: draft-ietf-ippm-responsiveness-09, "Measuring Responsiveness", for TCP without TLS.
//! The round trip that the TCP stack estimates replaces a request within the load, as in the draft
//! where requests cannot be multiplexed into the load.
//!
//! Deviations: a stage is shorter than the draft's four intervals of 5 s, so its settled part
//! replaces them; and the connections are started as the rest of the test needs them, not one each
//! interval. `unbloat test --responsiveness` follows the draft.

use observation::{Heading, Observations};
use results::{LoadedDirection, Measurement};

/// The samples of a hundred that count: the worst 5 % are left out (TMP).
const KEPT: usize = 95;
const MILLIS_PER_MINUTE: f64 = 60_000.0;

/// Fills in the responsiveness of each load, and that of the path: the lower of the two that the
/// draft has for directions that are loaded one after the other.
pub(crate) fn fill(observations: &Observations, measurement: &mut Measurement) {
    let samples = Samples::of(observations, measurement);
    for (heading, direction) in measurement.loaded_mut() {
        direction.responsiveness_rpm = samples.responsiveness(heading, direction);
    }
    measurement.responsiveness_rpm = measurement
        .judged()
        .filter_map(|(_, direction)| direction.responsiveness_rpm)
        .reduce(f64::min);
}

/// The samples for the computation; times are in seconds from the beginning, as in the document.
#[derive(Default)]
struct Samples {
    /// New connections: beginning in seconds, handshake and exchange in milliseconds.
    foreign: Vec<(f64, f64, f64)>,
    /// Round trips of loading connections: direction, time in seconds, round trip in milliseconds.
    loaded: Vec<(Heading, f64, f64)>,
}

impl Samples {
    fn of(observations: &Observations, measurement: &Measurement) -> Self {
        let Some(series) = &measurement.series else { return Self::default() };
        let starts = || observations.stages.iter().zip(&series.stages);
        // A stage with both times shows the beginning of the document's time.
        let Some((stage, drawn)) = starts().next() else { return Self::default() };
        let beginning_s = stage.start.as_secs_f64() - drawn.start_s;
        let foreign = observations.foreign.iter().map(|probe| {
            let at = probe.at.as_secs_f64() - beginning_s;
            (at, probe.connect.as_millis_f64(), probe.exchange.as_millis_f64())
        });
        let loaded = series.flows.iter().flat_map(|flow| {
            let samples = flow.at_s.iter().zip(&flow.srtt_ms);
            samples.filter_map(move |(at, srtt)| Some((flow.heading, *at, (*srtt)?)))
        });
        Self { foreign: foreign.collect(), loaded: loaded.collect() }
    }

    /// The responsiveness under a load, in round trips a minute; `None` without samples.
    fn responsiveness(&self, heading: Heading, direction: &LoadedDirection) -> Option<f64> {
        let [from, to] = direction.window_s;
        let foreign = || self.foreign.iter().filter(|(at, ..)| (from..=to).contains(at));
        let tcp_f = trimmed_mean(foreign().map(|(_, connect, _)| *connect))?;
        let http_f = trimmed_mean(foreign().map(|(.., exchange)| *exchange))?;
        let own =
            self.loaded.iter().filter(|(of, at, _)| *of == heading && (from..=to).contains(at));
        let http_l = trimmed_mean(own.map(|(.., srtt)| *srtt))?;
        // "For the TCP-Only Case".
        let foreign_responsiveness = MILLIS_PER_MINUTE / ((tcp_f + http_f) / 2.0);
        let loaded_responsiveness = MILLIS_PER_MINUTE / http_l;
        stats::finite((foreign_responsiveness + loaded_responsiveness) / 2.0)
    }
}

/// The trimmed mean of the values that are valid times; `None` if there are none.
fn trimmed_mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let times: Vec<f64> = values.filter(|value| value.is_finite() && *value > 0.0).collect();
    stats::trimmed_mean(&times, KEPT)
}

#[cfg(test)]
mod tests;
