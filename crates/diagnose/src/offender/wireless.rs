//! The rate and signal of the client's Wi-Fi while a direction was loaded.

use observation::{Heading, Observations, Stage};
use results::WirelessRate;
use units::Rate;

/// The medians of rate and signal while this direction was loaded; `None` if the rate is not known.
pub(super) fn rate(observations: &Observations, heading: Heading) -> Option<WirelessRate> {
    let is_within = |stage: &Stage, at| stage.start <= at && at < stage.end;
    let is_loaded =
        |at| observations.stages.iter().any(|it| it.load.loads(heading) && is_within(it, at));
    let samples = observations.host.iter().filter(|it| is_loaded(it.at));
    let samples: Vec<_> = samples.filter_map(|sample| sample.wireless).collect();
    let rates: Vec<Rate> = match heading {
        Heading::Up => samples.iter().filter_map(|it| it.sends).collect(),
        Heading::Down => samples.iter().filter_map(|it| it.receives).collect(),
    };
    Some(WirelessRate {
        rate_mbit: middle(rates)?.as_mbit_f64(),
        signal_dbm: middle(samples.iter().filter_map(|it| it.signal).collect()),
    })
}

fn middle<T: Ord + Copy>(mut values: Vec<T>) -> Option<T> {
    values.sort_unstable();
    stats::quantile(&values, 0.5)
}
