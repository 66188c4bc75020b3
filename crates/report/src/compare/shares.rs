//! The flow for which the choice of the queue matters most.

use crate::families::{Family, families};
use crate::number::significant;
use crate::scene::Run;
use crate::text::printable;

/// The ratio of goodputs below which a flow gets about the same with all queues. Our own
/// definition.
const ALIKE: f64 = 1.5;
/// The part of all goodput below which a difference is too small to mention. Our own definition.
const LITTLE: f64 = 0.05;

/// The goodput that a flow, or a family of flows, gets in the run where it gets most, and in the
/// one where it gets least.
struct Contrast<'a> {
    family: &'a Family,
    most: (&'a str, f64),
    least: (&'a str, f64),
}

impl Contrast<'_> {
    fn difference(&self) -> f64 {
        self.most.1 - self.least.1
    }

    /// Infinite for a flow that gets nothing in one run.
    fn ratio(&self) -> f64 {
        self.most.1 / self.least.1
    }
}

/// The sentence about the flow, or the family of flows, whose goodput differs most between the
/// runs, by its ratio; `None` if none differs much.
pub(super) fn sentence(runs: &[Run<'_>]) -> Option<String> {
    let shares: Vec<(&str, Vec<Family>)> =
        runs.iter().map(|run| (run.label.as_str(), families(run.document))).collect();
    let total = |(_, families): &(&str, Vec<Family>)| {
        families.iter().map(|family| family.goodput_mbit).sum::<f64>()
    };
    let all = shares.iter().map(total).max_by(f64::total_cmp)?;
    let (_, first) = shares.first()?;
    let matters = |contrast: &Contrast<'_>| {
        let ((_, most), (_, least)) = (contrast.most, contrast.least);
        most > 0.0 && most >= least * ALIKE && contrast.difference() >= all * LITTLE
    };
    let contrasts = first.iter().filter_map(|family| contrast(family, &shares)).filter(matters);
    // `max_by` takes the last of equals; the reversed order makes it the first.
    let contrasts: Vec<Contrast<'_>> = contrasts.collect();
    let by_ratio = |a: &&Contrast<'_>, b: &&Contrast<'_>| a.ratio().total_cmp(&b.ratio());
    contrasts.iter().rev().max_by(by_ratio).map(in_words)
}

/// What this family gets in each run; `None` if it is not known for all of them.
fn contrast<'a>(family: &'a Family, shares: &'a [(&str, Vec<Family>)]) -> Option<Contrast<'a>> {
    let goodput = |(label, families): &'a (&str, Vec<Family>)| {
        let same = families.iter().find(|other| other.name == family.name)?;
        Some((*label, same.goodput_mbit))
    };
    let goodputs: Vec<(&str, f64)> = shares.iter().map(goodput).collect::<Option<_>>()?;
    let by_goodput = |(_, a): &&(&str, f64), (_, b): &&(&str, f64)| a.total_cmp(b);
    let most = *goodputs.iter().rev().max_by(by_goodput)?;
    let least = *goodputs.iter().min_by(by_goodput)?;
    Some(Contrast { family, most, least })
}

fn in_words(contrast: &Contrast<'_>) -> String {
    let Contrast { family, most, least } = contrast;
    let verb = if family.members > 1 { "get" } else { "gets" };
    format!(
        "{} {verb} {} Mbit/s with {}, and {} with {}.",
        printable(&family.name),
        significant(most.1),
        printable(most.0),
        significant(least.1),
        printable(least.0),
    )
}
