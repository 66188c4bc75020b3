//! The search for a rate, in sentences.

use observation::Heading;
use results::{Stop, Trial, TunedDirection, Tuning};

use crate::measurement::rate_in_words;
use crate::number::{count, duration};

/// A sentence or two about each direction.
pub(super) fn sentences(tuning: &Tuning) -> Vec<String> {
    let directions = [(Heading::Down, &tuning.download), (Heading::Up, &tuning.upload)];
    let told = directions
        .into_iter()
        .filter_map(|(heading, tuned)| Some(direction(heading, tuned.as_ref()?, tuning.target_ms)));
    told.collect()
}

fn direction(heading: Heading, tuned: &TunedDirection, target_ms: f64) -> String {
    let name = heading.in_words();
    let target = duration(target_ms);
    let wait = |trial: &Trial| match trial.added_p95_ms {
        Some(p95) => format!("they wait {}", duration(p95)),
        None => "the delay could not be measured".to_owned(),
    };
    let rate = |trial: &Trial| rate_in_words(trial.bandwidth_mbit);
    let found = match (tuned.found(), tuned.too_high()) {
        (Some(short), Some(long)) => format!(
            "The {name} keeps others within {target} at {} ({}) and not at {} ({}).",
            rate(short),
            wait(short),
            rate(long),
            wait(long)
        ),
        (Some(short), None) => format!(
            "The {name} keeps others within {target} at {} ({}), the highest rate that was tested.",
            rate(short),
            wait(short)
        ),
        (None, _) => format!("The {name} kept others within {target} at no rate that was tested."),
    };
    let tests = match tuned.trials.len() {
        1 => "1 test".to_owned(),
        many => format!("{} tests", count(many as u64)),
    };
    format!("{found} The search ended after {tests}: {}.", why(tuned.stopped))
}

const fn why(stop: Stop) -> &'static str {
    match stop {
        Stop::Close => "the two rates are close",
        Stop::Tests => "that is the most",
        Stop::NeverShort => {
            "the delay was long at a quarter of the line's rate too, so the queue is somewhere else, or no \
             shaper has such a short delay there"
        }
        Stop::NotMeasured => "the delay of others could not be measured",
        Stop::Interrupted => "the search was stopped",
    }
}
