//! A sentence on the client's Wi-Fi while a direction was loaded.

use observation::{Heading, Observations, Stage};
use units::Rate;

/// The sentence, after a space; empty if the rate is not known.
pub(super) fn words(observations: &Observations, heading: Heading) -> String {
    let is_within = |stage: &Stage, at| stage.start <= at && at < stage.end;
    let is_loaded =
        |at| observations.stages.iter().any(|it| it.load.loads(heading) && is_within(it, at));
    let samples = observations.host.iter().filter(|it| is_loaded(it.at));
    let samples: Vec<_> = samples.filter_map(|sample| sample.wireless).collect();
    let (verb, rates): (_, Vec<Rate>) = match heading {
        Heading::Up => ("sent", samples.iter().filter_map(|it| it.sends).collect()),
        Heading::Down => ("received", samples.iter().filter_map(|it| it.receives).collect()),
    };
    let Some(rate) = middle(rates) else { return String::new() };
    let signal = middle(samples.iter().filter_map(|it| it.signal).collect());
    let signal = signal.map_or(String::new(), |dbm| format!(", with a signal of {dbm} dBm"));
    format!(
        " Your Wi-Fi {verb} at {:.0} Mbit/s as the radio counts, of which TCP gets about half{signal}.",
        rate.as_mbit_f64()
    )
}

fn middle<T: Ord + Copy>(mut values: Vec<T>) -> Option<T> {
    values.sort_unstable();
    stats::quantile(&values, 0.5)
}
