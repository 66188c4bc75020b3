//! Where the step is: the probability of each place, given how much of the path's added delay each
//! witness has seen.
//!
//! - A witness before the step sees a share of 0, one behind it a share of 1, give or take its noise.
//! - A single answer may be late for reasons of its own, and so may all answers of a router.
//! - Each place is as likely as any other beforehand. That two queues share the delay is possible too.
//! - Bayes: the probability of each place follows. The verdict is the shortest row of neighbours that
//!   together are sure enough, so that a witness that is of no use makes it wider and not wrong.
//!
//! Specification: none; it is our own, and the tests beside say how often it is right.

use libm::{exp, log};

/// Of all answers, those that are late because the router had something else to do.
const LATE: f64 = 0.1;

/// Of all answers, those that met a shorter queue than the probes around them.
const LUCKY: f64 = 0.05;

/// Of all routers, those that answer late as a rule.
const SLOW: f64 = 0.2;

/// So many answers are needed until one no longer thinks of chance.
const CHANCE: f64 = 2.0;

/// How likely it is beforehand that two queues share the delay, and what the nearer one may hold of it.
const TWO_QUEUES: f64 = 0.05;
const NEARER: [f64; 3] = [0.25, 0.5, 0.75];

/// So sure is sure enough.
const SURE: f64 = 0.95;

/// How much of the path's added delay an answer had.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Share {
    /// 0 is nothing, 1 all of it; never negative, and more than 1 if the answer was late.
    pub(super) value: f64,
    /// By how much it may be wrong.
    pub(super) noise: f64,
}

/// Where the step is: before the witness `last`, and not before the one that stands before `first`. As
/// many as there are witnesses is behind them all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) first: usize,
    pub(super) last: usize,
}

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Verdict {
    /// Nothing if no single step explains what was seen.
    pub(super) step: Option<Step>,
    /// How likely that is, 0 to 1; if there is none, how likely there is one at all.
    pub(super) probability: f64,
}

/// Judges what witnesses have seen, each a few times, in the order in which they stand along the path.
pub(super) fn judge(witnesses: &[Vec<Share>]) -> Verdict {
    let places = witnesses.len() + 1;
    let one = log((1.0 - TWO_QUEUES) / places as f64);
    let steps: Vec<f64> =
        (0..places).map(|at| one + likelihood(witnesses, (at, at), 0.0)).collect();
    let pairs = (0..places).flat_map(|near| (near + 1..places).map(move |far| (near, far)));
    let two = log(TWO_QUEUES / (places * places.saturating_sub(1) / 2 * NEARER.len()) as f64);
    let pairs = pairs.flat_map(|pair| NEARER.map(|part| two + likelihood(witnesses, pair, part)));
    let pairs: Vec<f64> = pairs.collect();
    let best = steps.iter().chain(&pairs).copied().fold(f64::NEG_INFINITY, f64::max);
    let weight = |log: &f64| exp(log - best);
    let sum: f64 = steps.iter().chain(&pairs).map(weight).sum();
    let steps: Vec<f64> = steps.iter().map(|log| weight(log) / sum).collect();
    let row = |first: usize, last: usize| -> f64 { steps[first..=last].iter().sum() };
    let rows = (0..places).flat_map(|len| (0..places - len).map(move |at| (at, at + len)));
    let sure = rows.map(|(first, last)| (Step { first, last }, row(first, last)));
    // The shortest come first.
    let found = sure.filter(|it| it.1 >= SURE).reduce(|best, other| {
        let is_better = len(other.0) == len(best.0) && other.1 > best.1;
        if is_better { other } else { best }
    });
    let probability = found.map_or(row(0, places - 1), |found| found.1);
    Verdict { step: found.map(|found| found.0), probability }
}

fn len(step: Step) -> usize {
    step.last - step.first
}

/// The logarithm of how likely all see what they saw, if there are queues before these two witnesses,
/// and the nearer one holds this part.
fn likelihood(witnesses: &[Vec<Share>], (near, far): (usize, usize), part: f64) -> f64 {
    let expected = |index| match index {
        index if index < near => 0.0,
        index if index < far => part,
        _ => 1.0,
    };
    witnesses.iter().enumerate().map(|(index, shares)| of_one(shares, expected(index))).sum()
}

/// The logarithm of how likely a witness sees these shares where one expects so much.
fn of_one(shares: &[Share], expected: f64) -> f64 {
    let usual: f64 = shares.iter().map(|share| log(usual(*share, expected))).sum();
    let slow: f64 = shares.iter().map(|share| log(late(share.value, expected))).sum();
    // The sum of two numbers that are known by their logarithms.
    // A few late answers may be alike by chance.
    let is_slow = SLOW + (1.0 - SLOW) * CHANCE / (CHANCE + shares.len() as f64);
    let (usual, slow) = (usual + log(1.0 - is_slow), slow + log(is_slow));
    let greater = usual.max(slow);
    greater + log(exp(usual - greater) + exp(slow - greater))
}

/// The density of an answer's share if its router answers in time as a rule.
fn usual(share: Share, expected: f64) -> f64 {
    let Share { value, noise } = share;
    // What is added to the least is never negative: nothing lies on the other side of 0.
    let around = exp(-(value - expected).abs() / noise) / noise / (2.0 - exp(-expected / noise));
    (1.0 - LATE - LUCKY) * around + LATE * late(value, expected)
}

/// The density of an answer's share if it was late, by anything: that it was later than one expects
/// says nothing of how late one expects it to be. Never can it be early, unless the queue was shorter
/// than was known.
fn late(value: f64, expected: f64) -> f64 {
    if value < expected { LUCKY } else { 1.0 / ((1.0 + value) * (1.0 + value)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Witnesses that saw these shares.
    fn judged(witnesses: &[&[f64]]) -> Verdict {
        let shares = |values: &&[f64]| {
            values.iter().map(|value| Share { value: *value, noise: 0.1 }).collect()
        };
        judge(&witnesses.iter().map(shares).collect::<Vec<_>>())
    }

    fn step(verdict: Verdict) -> Option<usize> {
        verdict.step.filter(|step| step.first == step.last).map(|step| step.first)
    }

    #[test]
    fn a_clear_step_is_found_wherever_it_is() {
        let (none, all) = ([0.01, 0.05, 0.02], [0.97, 1.04, 1.1]);
        assert_eq!(step(judged(&[&all, &all, &all])), Some(0));
        assert_eq!(step(judged(&[&none, &all, &all])), Some(1));
        assert_eq!(step(judged(&[&none, &none, &all])), Some(2));
        assert_eq!(step(judged(&[&none, &none, &none])), Some(3));
    }

    #[test]
    fn a_router_that_is_late_for_its_own_reasons_is_not_blamed() {
        let (none, all, late) = ([0.0, 0.03, 0.02], [0.95, 1.0, 1.02], [0.4, 1.3, 2.7]);
        assert_eq!(step(judged(&[&none, &late, &none, &all])), Some(3));
        assert_eq!(step(judged(&[&late, &none, &all])), Some(2));
        // Even by just as much as the path waits: those behind it are in time.
        assert_eq!(step(judged(&[&none, &all, &none, &all])), Some(3));
    }

    #[test]
    fn where_answers_contradict_each_other_nothing_is_said() {
        let (some, all) = ([0.45, 0.5, 0.55], [1.0, 0.98, 1.05]);
        assert_eq!(step(judged(&[&some, &some, &some, &all])), None, "two queues");
        assert_eq!(step(judged(&[&[0.5]])), None);
        assert_eq!(step(judged(&[])), Some(0), "without witnesses there is one place only");
    }

    #[test]
    fn a_witness_of_no_use_makes_the_verdict_wider() {
        let noisy = vec![Share { value: 2.0, noise: 3.0 }; 3];
        let clear = |value| vec![Share { value, noise: 0.1 }; 3];
        let verdict = judge(&[clear(0.0), noisy.clone(), clear(1.0)]);
        assert_eq!(verdict.step, Some(Step { first: 1, last: 2 }));
        assert_eq!(judge(&[noisy.clone(), noisy]).step, Some(Step { first: 0, last: 2 }));
    }
}
