//! The place of the step: the probability of each place, given the share of the path's added delay
//! that each witness has seen.
//!
//! - A witness before the step sees a share of 0, one behind it a share of 1, within its noise.
//! - A single answer may be late for reasons of its own, and so may all answers of a router.
//! - Each place is equally likely beforehand. That two queues share the delay is possible too.
//! - The probability of each place follows by Bayes. The verdict is the shortest row of
//!   neighbouring places that together are likely enough, so that a witness that is of no use makes
//!   it wider and not wrong.
//!
//! Specification: none; it is our own, and its tests show how often it is right.

use libm::{exp, log};

/// The part of answers that are late because the router was busy.
const LATE: f64 = 0.1;

/// The part of answers that met a shorter queue than the probes around them.
const LUCKY: f64 = 0.05;

/// The part of routers that usually answer late.
const SLOW: f64 = 0.2;

/// The number of answers at which their agreement by chance still weighs a half.
const CHANCE: f64 = 2.0;

/// The probability, before any observation, that two queues share the delay.
const TWO_QUEUES: f64 = 0.05;
/// The shares of the delay that the nearer of two queues may hold.
const NEARER: [f64; 3] = [0.25, 0.5, 0.75];

/// The probability that is enough for a verdict.
const SURE: f64 = 0.95;

/// The share of the path's added delay that an answer had.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Share {
    /// Part of the path's added delay: 0 is none of it, 1 is all. It is never negative, and more
    /// than 1 if the answer was late.
    pub(super) value: f64,
    /// The possible error of the share.
    pub(super) noise: f64,
}

/// The place of the step: before the witness `last`, and behind the one before `first`. The number
/// of witnesses stands for the place behind them all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) first: usize,
    pub(super) last: usize,
}

/// The result of a judgement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct StepVerdict {
    /// The step; `None` if no single one explains the shares.
    pub(super) step: Option<Step>,
    /// The probability of the step, 0 to 1; without a step, the probability that there is one at
    /// all.
    pub(super) probability: f64,
}

/// Judges the shares of witnesses, a few of each, in the order of the witnesses along the path.
pub(super) fn find_step(witnesses: &[Vec<Share>]) -> StepVerdict {
    let places = witnesses.len() + 1;
    let one = log((1.0 - TWO_QUEUES) / places as f64);
    let steps: Vec<f64> = (0..places).map(|at| one + likelihood(witnesses, at, at, 0.0)).collect();
    let pairs = (0..places).flat_map(|near| (near + 1..places).map(move |far| (near, far)));
    let two = log(TWO_QUEUES / (places * places.saturating_sub(1) / 2 * NEARER.len()) as f64);
    let pairs = pairs
        .flat_map(|(near, far)| NEARER.map(|part| two + likelihood(witnesses, near, far, part)));
    let pairs: Vec<f64> = pairs.collect();
    let best = steps.iter().chain(&pairs).copied().fold(f64::NEG_INFINITY, f64::max);
    let weight = |log: &f64| exp(log - best);
    let sum: f64 = steps.iter().chain(&pairs).map(weight).sum();
    let steps: Vec<f64> = steps.iter().map(|log| weight(log) / sum).collect();
    let row = |first: usize, last: usize| -> f64 { steps[first..=last].iter().sum() };
    let rows = (0..places).flat_map(|len| (0..places - len).map(move |at| (at, at + len)));
    let sure = rows.map(|(first, last)| (Step { first, last }, row(first, last)));
    // The shortest rows come first.
    let found = sure.filter(|it| it.1 >= SURE).reduce(|best, other| {
        let is_better = len(other.0) == len(best.0) && other.1 > best.1;
        if is_better { other } else { best }
    });
    let probability = found.map_or(row(0, places - 1), |found| found.1);
    StepVerdict { step: found.map(|found| found.0), probability }
}

fn len(step: Step) -> usize {
    step.last - step.first
}

/// The logarithm of the likelihood of all shares, if there are queues before the witnesses `near`
/// and `far`, and the nearer queue holds `part` of the delay.
fn likelihood(witnesses: &[Vec<Share>], near: usize, far: usize, part: f64) -> f64 {
    let expected = |index| match index {
        index if index < near => 0.0,
        index if index < far => part,
        _ => 1.0,
    };
    witnesses.iter().enumerate().map(|(index, shares)| of_one(shares, expected(index))).sum()
}

/// The logarithm of the likelihood of a witness's shares, at an expected share.
fn of_one(shares: &[Share], expected: f64) -> f64 {
    let usual: f64 = shares.iter().map(|share| log(usual(*share, expected))).sum();
    let slow: f64 = shares.iter().map(|share| log(late(share.value, expected))).sum();
    // A few late answers may agree by chance. The result is the sum of two numbers, given by their
    // logarithms.
    let is_slow = SLOW + (1.0 - SLOW) * CHANCE / (CHANCE + shares.len() as f64);
    let (usual, slow) = (usual + log(1.0 - is_slow), slow + log(is_slow));
    let greater = usual.max(slow);
    greater + log(exp(usual - greater) + exp(slow - greater))
}

/// The density of an answer's share if its router usually answers in time.
fn usual(share: Share, expected: f64) -> f64 {
    let Share { value, noise } = share;
    // The wait beyond the least is never negative: the density has no part below 0.
    let around = exp(-(value - expected).abs() / noise) / noise / (2.0 - exp(-expected / noise));
    (1.0 - LATE - LUCKY) * around + LATE * late(value, expected)
}

/// The density of an answer's share if it was late, by any amount: the expected share says nothing
/// about the lateness. An answer cannot be early, unless the queue was shorter than was known.
fn late(value: f64, expected: f64) -> f64 {
    if value < expected { LUCKY } else { 1.0 / ((1.0 + value) * (1.0 + value)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Witnesses that saw these shares.
    fn judged(witnesses: &[&[f64]]) -> StepVerdict {
        let shares = |values: &&[f64]| {
            values.iter().map(|value| Share { value: *value, noise: 0.1 }).collect()
        };
        find_step(&witnesses.iter().map(shares).collect::<Vec<_>>())
    }

    fn step(verdict: StepVerdict) -> Option<usize> {
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
        // Late by just as much as the path's wait: those behind it are in time.
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
        let verdict = find_step(&[clear(0.0), noisy.clone(), clear(1.0)]);
        assert_eq!(verdict.step, Some(Step { first: 1, last: 2 }));
        assert_eq!(find_step(&[noisy.clone(), noisy]).step, Some(Step { first: 0, last: 2 }));
    }
}
