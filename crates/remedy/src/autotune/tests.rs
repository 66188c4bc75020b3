use results::{DelaySpread, Finding, FindingKind};
use units::Rate;

use super::*;
use crate::Wishes;

/// What a test finds on a line of this rate behind a shaper: a long queue if the shaper is faster.
fn measured(line_mbit: f64, shaper: &Shaper) -> LoadedDirection {
    let rate = shaper.share * shaper.line.as_mbit_f64();
    let p95 = Some(if rate > line_mbit { 400.0 } else { 6.0 });
    let added_delay_ms = DelaySpread { p95, ..DelaySpread::default() };
    let rate_mbit = Some(rate.min(line_mbit));
    LoadedDirection { added_delay_ms, rate_mbit, saturated: true, ..LoadedDirection::default() }
}

/// The plan for lines that carry so many Mbit/s as the user says.
fn plan(up: f64, down: f64) -> Prescription {
    let rate = |mbit: f64| Rate::from_bits_per_sec((mbit * 1e6) as u64);
    Prescription::of(None, [rate(up), rate(down)], &Wishes::default())
}

/// The search on lines of these rates, up and down, and the plan that it found.
fn searched(said: &Prescription, lines: [f64; 2]) -> (Search, Prescription) {
    let mut search = Search::new(said, TARGET);
    while !search.is_over() {
        let plan = search.plan(said);
        let both = [(&plan.up, lines[0]), (&plan.down, lines[1])];
        let tested = both.map(|(shaper, line)| measured(line, shaper.as_ref().unwrap()));
        search.take(&plan, |heading| match heading {
            Heading::Up => Some(&tested[0]),
            Heading::Down => Some(&tested[1]),
        });
    }
    let found = search.plan(said);
    (search, found)
}

/// The part of a line that a shaper uses.
fn part(shaper: &Result<Shaper, results::Untreated>, line: f64) -> f64 {
    let shaper = shaper.as_ref().unwrap();
    shaper.share * shaper.line.as_mbit_f64() / line
}

#[test]
fn the_rate_is_found_where_the_line_has_another_one() {
    for wrong in [0.8, 0.9, 1.0, 1.1, 1.25, 1.6] {
        let (search, found) = searched(&plan(2.0 * wrong, 50.0 * wrong), [2.0, 50.0]);
        for (shaper, line) in [(&found.up, 2.0), (&found.down, 50.0)] {
            let part = part(shaper, line);
            assert!((0.92..=1.0).contains(&part), "{wrong}: {part} of the line");
        }
        assert!(search.found(Heading::Up).unwrap().trials.len() <= MOST);
    }
}

#[test]
fn close_rates_end_the_search_of_their_direction() {
    let (search, _) = searched(&plan(2.0, 20.0), [2.0, 14.0]);
    let (up, down) = (search.found(Heading::Up).unwrap(), search.found(Heading::Down).unwrap());
    assert_eq!((up.stopped, down.stopped), (Stop::Close, Stop::Close));
    // The tests go on for the download, with the upload's rate that was found.
    let found = up.found_mbit.unwrap();
    assert_eq!(up.trials.last().unwrap().bandwidth_mbit, found);
    assert_eq!(down.trials.last().unwrap().added_p95_ms, Some(6.0));
}

/// A rate at the edge is short in one test and long in the next.
#[test]
fn a_rate_that_is_long_in_its_second_test_becomes_lower() {
    let said = plan(2.0, 20.0);
    let mut search = Search::new(&said, TARGET);
    let edge = 0.985;
    while !search.is_over() {
        let plan = search.plan(&said);
        let tested = |shaper: &Result<Shaper, _>, line: f64| {
            let shaper = shaper.as_ref().unwrap();
            // The first test of a share just below the edge is short, and the others are long.
            let is_edge = shaper.heading == Heading::Up && shaper.share > 0.97;
            let was = search.directions.iter().any(|it| it.was_short(shaper.share));
            measured(if is_edge && was { 0.97 * line } else { edge * line }, shaper)
        };
        let [up, down] = [tested(&plan.up, 2.0), tested(&plan.down, 16.0)];
        search.take(&plan, |heading| Some(if heading == Heading::Up { &up } else { &down }));
    }
    let up = search.found(Heading::Up).unwrap();
    let last = up.trials.last().unwrap();
    assert_eq!(last.added_p95_ms, Some(6.0), "{up:?}");
    assert!(search.plan(&said).up.unwrap().share <= 0.97, "{up:?}");
}

#[test]
fn a_queue_elsewhere_is_told() {
    let (search, found) = searched(&plan(2.0, 20.0), [2.0, 1.0]);
    let down = search.found(Heading::Down).unwrap();
    assert_eq!((down.stopped, down.found_mbit), (Stop::NeverShort, None));
    let least = down.trials.iter().map(|trial| trial.bandwidth_mbit).fold(f64::INFINITY, f64::min);
    let part = least / down.trials[0].bandwidth_mbit * plan(2.0, 20.0).down.unwrap().share;
    assert!((0.249..0.251).contains(&part), "{part} is a quarter of the line");
    // No rate helps, so none is given away.
    assert_eq!(found.down.unwrap().share, plan(2.0, 20.0).down.unwrap().share);
    assert_eq!(down.trials.last().unwrap().bandwidth_mbit, down.trials[0].bandwidth_mbit);
}

/// A slow shaper has more delay of its own than a fast one.
#[test]
fn a_target_that_no_shaper_keeps_costs_no_rate() {
    let said = plan(2.0, 20.0);
    let mut search = Search::new(&said, Span::from_millis(4));
    while !search.is_over() {
        let plan = search.plan(&said);
        let tested = [&plan.up, &plan.down].map(|shaper| {
            let shaper = shaper.as_ref().unwrap();
            let p95 = Some(5.0 / shaper.share);
            let added_delay_ms = DelaySpread { p95, ..DelaySpread::default() };
            LoadedDirection { added_delay_ms, ..measured(100.0, shaper) }
        });
        search.take(&plan, |heading| Some(&tested[usize::from(heading == Heading::Down)]));
    }
    let up = search.found(Heading::Up).unwrap();
    assert_eq!((up.found_mbit, up.stopped), (None, Stop::NeverShort));
    assert_eq!(search.plan(&said).up.unwrap().share, said.up.unwrap().share);
}

#[test]
fn what_others_delay_is_tested_again() {
    let said = plan(2.0, 20.0);
    let mut search = Search::new(&said, TARGET);
    let first = search.plan(&said);
    let traffic = Finding { kind: FindingKind::OtherTraffic, confidence: 0.95, amount: None };
    let shared = |line, shaper: &Shaper| LoadedDirection {
        findings: vec![traffic],
        ..measured(line, shaper)
    };
    let (up, down) = (first.up.unwrap(), first.down.unwrap());
    let tested = [shared(1.0, &up), measured(20.0, &down)];
    let take = |search: &mut Search| {
        let plan = search.plan(&said);
        search.take(&plan, |heading| Some(&tested[usize::from(heading == Heading::Down)]));
    };
    take(&mut search);
    assert_eq!(search.plan(&said).up.unwrap().share, up.share, "the upload was disturbed");
    assert!(search.plan(&said).down.unwrap().share > down.share);
    take(&mut search);
    assert!(search.plan(&said).up.unwrap().share < up.share, "it is so again");
}

#[test]
fn a_delay_that_cannot_be_told_for_losses_is_long() {
    let said = plan(2.0, 20.0);
    let mut search = Search::new(&said, TARGET);
    let lossy = LoadedDirection { loss: Some(0.06), saturated: true, ..LoadedDirection::default() };
    search.take(&said, |_| Some(&lossy));
    let (before, after) = (said.up.unwrap().share, search.plan(&plan(2.0, 20.0)).up.unwrap().share);
    assert!(after < before, "{after}");
}

#[test]
fn a_delay_that_is_not_known_is_measured_again_and_then_ends_the_search() {
    let said = plan(2.0, 20.0);
    let unknown = LoadedDirection { saturated: true, ..LoadedDirection::default() };
    let mut search = Search::new(&said, TARGET);
    for _ in 0..2 {
        assert!(!search.is_over());
        let plan = search.plan(&said);
        assert_eq!(plan.up.as_ref().unwrap().share, said.up.as_ref().unwrap().share);
        search.take(&plan, |_| Some(&unknown));
    }
    assert!(search.is_over());
    let up = search.found(Heading::Up).unwrap();
    assert_eq!((up.stopped, up.trials.len()), (Stop::NotMeasured, 2));
    assert_eq!((up.found_mbit, up.too_high_mbit), (None, None));
    // A rate that was short before is tested once more, and kept.
    let mut search = Search::new(&said, TARGET);
    let mut tests = 0;
    while !search.is_over() {
        let plan = search.plan(&said);
        let shapers = [plan.up.as_ref().unwrap(), plan.down.as_ref().unwrap()];
        let tested = shapers.map(|shaper| match shaper.share > shaper_share(&said) {
            true => unknown.clone(),
            false => measured(100.0, shaper),
        });
        search.take(&plan, |heading| Some(&tested[usize::from(heading == Heading::Down)]));
        tests += 1;
    }
    assert_eq!((tests, search.found(Heading::Up).unwrap().stopped), (4, Stop::NotMeasured));
    assert_eq!(search.plan(&said).up.unwrap().share, said.up.unwrap().share);
}

/// The share of the upload in a plan.
fn shaper_share(plan: &Prescription) -> f64 {
    plan.up.as_ref().unwrap().share
}

#[test]
fn without_a_measurement_there_is_no_search() {
    let said = plan(2.0, 20.0);
    let mut search = Search::new(&said, TARGET);
    search.take(&said, |_| None);
    assert!(search.is_over());
    assert_eq!(search.found(Heading::Up).unwrap().stopped, Stop::NotMeasured);
}
