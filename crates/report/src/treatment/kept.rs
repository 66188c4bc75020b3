//! What a kept change cost, and what it left, in sentences.

use observation::Heading;
use results::{Grade, LoadedDirection, PlannedDirection, Treatment, Ungraded, Untreated};

use super::{CURED, direction, shaped};
use crate::measurement::rate_in_words;
use crate::number::duration;
use crate::plan::untreated_in_words;

/// What a grade lacks, the cost in goodput, and what to do about a direction that was not shaped.
pub(super) fn sentences(treatment: &Treatment) -> Vec<String> {
    let bounds = shaped(treatment).filter_map(|heading| bound(treatment, heading));
    let costs = shaped(treatment).filter_map(|heading| cost(treatment, heading));
    bounds.chain(costs).chain(advice(treatment)).collect()
}

/// Why a direction is kept without a grade: only a bound of its delay is known. `None` if it has a grade.
fn bound(treatment: &Treatment, heading: Heading) -> Option<String> {
    let after = direction(treatment.after.as_ref()?, heading)?;
    let is_open = after.grade_reason == Some(Ungraded::NotMeasured);
    let most_ms = after.added_p95_at_most_ms().filter(|_| is_open)?;
    Some(format!(
        "In the {}, no probe waited more than {}, but there were too few probes for a grade.",
        heading.in_words(),
        duration(most_ms)
    ))
}

/// The direction that was not shaped and in which others still wait, with the 95th percentile in
/// milliseconds; `None` if there is none.
pub(super) fn waits(treatment: &Treatment) -> Option<(Heading, f64)> {
    let (heading, _) = left(treatment)?;
    let after = direction(treatment.after.as_ref()?, heading)?;
    let p95 = LoadedDirection::added_p95_at_most_ms(after)?;
    (Grade::of(p95) > CURED).then_some((heading, p95))
}

/// The direction that was not shaped, and why; `None` if both were.
fn left(treatment: &Treatment) -> Option<(Heading, Untreated)> {
    let rates = &treatment.plan.rates;
    let both = [(Heading::Up, rates.upload), (Heading::Down, rates.download)];
    both.into_iter().find_map(|(heading, planned)| match planned {
        PlannedDirection::Left(why) => Some((heading, why)),
        PlannedDirection::Shaped(_) => None,
    })
}

/// What the shaper of a direction costs; `None` if that is nothing, or not known.
fn cost(treatment: &Treatment, heading: Heading) -> Option<String> {
    let goodput = |measurement| direction(measurement, heading)?.goodput_mbit;
    let before = goodput(&treatment.before)?;
    let after = goodput(treatment.after.as_ref()?)?;
    let [before_words, after_words] = [before, after].map(rate_in_words);
    (after < before && before_words != after_words).then(|| {
        format!(
            "The goodput of the {} is {after_words}; before the change it was {before_words}.",
            heading.in_words()
        )
    })
}

/// What to do about a direction that still waits.
fn advice(treatment: &Treatment) -> Option<String> {
    let (heading, _) = waits(treatment)?;
    let (_, why) = left(treatment)?;
    let name = heading.in_words();
    let why = untreated_in_words(why);
    Some(format!("The {name} was not shaped: {why}. Plan again after another test."))
}
