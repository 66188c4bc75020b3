//! The result document of a race.

use autorate::{Both, Heading, Rules};
use results::{Race, RaceComparison, RaceCurve, RaceCurves, RaceRatio, RacedLine, RacedRules};
use units::Time;

use crate::LineKind;
use crate::cost::{cost, lost_percent};
use crate::request::{Finish, Request, Start, line};
use crate::truth::CURVE_STEP;

/// A part by which ours may cost more than others before it is told.
const DEARER: f64 = 1.1;

/// The samples of the truth in a second.
const SAMPLES_PER_S: f64 = 100.0;

/// The document of these runs, in which those of one line stand side by side, the oracle first.
pub(crate) fn race(request: &Request, runs: &[(Start, Finish)]) -> Race {
    let together = |one: &(Start, Finish), next: &(Start, Finish)| one.0.kind == next.0.kind;
    let lines: Vec<RacedLine> =
        runs.chunk_by(together).map(|runs| raced_line(request, runs)).collect();
    Race {
        seed: request.seed,
        seeds: request.seeds,
        time_s: request.time.as_secs_f64(),
        rules: request.rules.iter().map(|rules| rules.name().into()).collect(),
        comparison: comparison(&lines),
        lines,
        ..Race::default()
    }
}

fn raced_line(request: &Request, runs: &[(Start, Finish)]) -> RacedLine {
    let kind = runs.first().and_then(|(start, _)| start.kind);
    let of = |rules: Option<Rules>| raced_rules(request, runs, rules);
    RacedLine {
        kind: kind.map_or("trace", LineKind::name).into(),
        oracle: of(None),
        entries: request.rules.iter().map(|rules| of(Some(*rules))).collect(),
        curves: curves(request, runs),
    }
}

/// The means over the seeds of one set of rules, or of the oracle.
fn raced_rules(request: &Request, runs: &[(Start, Finish)], rules: Option<Rules>) -> RacedRules {
    let seeds: Vec<OfSeed> = runs
        .chunk_by(|one, next| one.0.seed == next.0.seed)
        .filter_map(|runs| OfSeed::new(runs, rules))
        .collect();
    let mean = |figure: &dyn Fn(&OfSeed) -> f64| {
        seeds.iter().map(figure).sum::<f64>() / seeds.len().max(1) as f64
    };
    let lost = |heading: Heading| {
        let known: Vec<f64> = seeds.iter().filter_map(|seed| seed.lost[heading]).collect();
        (!known.is_empty()).then(|| rounded(known.iter().sum::<f64>() / known.len() as f64))
    };
    let seconds = request.time.as_secs_f64();
    RacedRules {
        rules: rules.map_or("oracle", Rules::name).into(),
        cost: rounded(mean(&|seed| seed.cost)),
        beyond_ms: rounded(mean(&|seed| seed.finish.truth.beyond_ms())),
        lost_up_percent: lost(Heading::Up),
        lost_down_percent: lost(Heading::Down),
        costs: seeds.iter().map(|seed| rounded(seed.cost)).collect(),
        silent_s: rounded(mean(&|seed| seed.finish.truth.silent() as f64 / SAMPLES_PER_S)),
        told_s: rounded(mean(&|seed| seed.finish.truth.told() as f64 / SAMPLES_PER_S)),
        blind_s: rounded(mean(&|seed| seed.finish.truth.blind() as f64 / SAMPLES_PER_S)),
        requests_per_s: rounded(mean(&|seed| seed.finish.requests as f64 / seconds)),
    }
}

/// One seed of a set of rules.
struct OfSeed<'a> {
    finish: &'a Finish,
    lost: Both<Option<f64>>,
    cost: f64,
}

impl<'a> OfSeed<'a> {
    /// The seed that these runs are of; `None` if one of them is missing.
    fn new(runs: &'a [(Start, Finish)], rules: Option<Rules>) -> Option<Self> {
        let of = |wanted| runs.iter().find(|(start, _)| start.rules == wanted);
        let ((_, oracle), (_, finish)) = (of(None)?, of(rules)?);
        let lost = lost_percent(finish.goodput, oracle.goodput);
        Some(Self { finish, lost, cost: cost(finish.truth.beyond_ms(), lost) })
    }
}

/// The first seed over time.
fn curves(request: &Request, runs: &[(Start, Finish)]) -> RaceCurves {
    let Some((first, _)) = runs.first() else { return RaceCurves::default() };
    let runs = runs.iter().take_while(|(start, _)| start.seed == first.seed);
    let line = line(request, first);
    let points = (request.time.as_nanos() / CURVE_STEP.as_nanos()) as usize;
    let at = |index: usize| Time::ZERO + CURVE_STEP * (index as u64 + 1);
    let capacity = |heading: Heading| {
        let mean = |index: usize| line.courses[heading].mean(at(index), CURVE_STEP) / 1e6;
        (0..points).map(mean).map(rounded).collect()
    };
    let curve = |(start, finish): &(Start, Finish)| {
        let all = |values: &[f64]| values.iter().copied().map(rounded).collect();
        let curves = &finish.truth.curves;
        Some(RaceCurve {
            rules: start.rules?.name().into(),
            up_mbit: all(&curves.rates.up),
            down_mbit: all(&curves.rates.down),
            delay_ms: all(&curves.delay_ms),
            blind: curves.blind.clone(),
        })
    };
    RaceCurves {
        time_s: (0..points).map(|index| at(index).as_secs_f64()).collect(),
        capacity_up_mbit: capacity(Heading::Up),
        capacity_down_mbit: capacity(Heading::Down),
        rules: runs.filter_map(curve).collect(),
    }
}

fn comparison(lines: &[RacedLine]) -> Option<RaceComparison> {
    let ratios: Vec<RaceRatio> = lines.iter().filter_map(best_ratio).collect();
    let mut sorted: Vec<f64> = ratios.iter().map(|ratio| ratio.ratio).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let median_ratio = *sorted.get(sorted.len() / 2)?;
    let dearer = lines.iter().flat_map(all_ratios).filter(|it| it.ratio > DEARER).collect();
    Some(RaceComparison { ratios, median_ratio, dearer })
}

/// Our cost divided by that of each of the others.
fn all_ratios(line: &RacedLine) -> Vec<RaceRatio> {
    let is_ours = |entry: &&RacedRules| entry.rules == Rules::Ours.name();
    let Some(ours) = line.entries.iter().find(is_ours) else { return Vec::new() };
    let others = line.entries.iter().filter(|entry| !is_ours(entry));
    let ratio = |entry: &RacedRules| RaceRatio {
        kind: line.kind.clone(),
        than: entry.rules.clone(),
        ratio: rounded(ours.cost / entry.cost.max(LEAST_COST)),
    };
    others.map(ratio).collect()
}

/// The least cost that is compared.
const LEAST_COST: f64 = 0.01;

/// Our cost divided by that of the best of the others; `None` without ours or without others.
fn best_ratio(line: &RacedLine) -> Option<RaceRatio> {
    all_ratios(line).into_iter().max_by(|one, other| one.ratio.total_cmp(&other.ratio))
}

/// The value with three decimals.
fn rounded(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}
