use units::Bytes;

use super::arrivals::white;
use super::*;

const DRAWS: usize = 200_000;

/// Draws from many crowds: with so long a memory, the mean of a single one is off for very long.
fn pooled<T>(mut crowd: impl FnMut(Rng) -> T, mut draw: impl FnMut(&mut T) -> f64) -> Vec<f64> {
    const CROWDS: usize = 500;
    let crowds = (0..CROWDS as u64).map(|seed| crowd(Rng::new(seed)));
    let draws = crowds
        .flat_map(|mut crowd| (0..DRAWS / CROWDS).map(|_| draw(&mut crowd)).collect::<Vec<_>>());
    sorted(draws.collect())
}

fn sorted(mut draws: Vec<f64>) -> Vec<f64> {
    draws.sort_by(f64::total_cmp);
    draws
}

fn quantile(sorted: &[f64], q: f64) -> f64 {
    sorted[(q * (sorted.len() - 1) as f64) as usize]
}

fn mean(draws: &[f64]) -> f64 {
    draws.iter().sum::<f64>() / draws.len() as f64
}

#[track_caller]
fn assert_near(value: f64, expected: f64, part: f64, what: &str) {
    assert!((value / expected - 1.0).abs() < part, "{what}: {value} instead of {expected}");
}

/// The values of the model's curves for some rates.
#[test]
fn gaps_have_the_parameters_of_their_rate() {
    for (rate, shape, scale, part) in [
        (1.0, 0.5871, 0.64569, 0.5825),
        (2.0, 0.677, 0.382_179, 0.6785),
        (5.0, 0.7778, 0.172_892, 0.7849),
        (10.0, 0.8377, 0.091_066, 0.8466),
        (20.0, 0.8838, 0.04704, 0.893),
        (40.0, 0.9181, 0.024_014, 0.9266),
        (80.0, 0.9429, 0.01217, 0.9503),
    ] {
        let arrivals = Arrivals::new(rate, Rng::new(1));
        assert_near(arrivals.shape, shape, 1e-4, "shape");
        assert_near(arrivals.scale, scale, 2e-4, "scale");
        assert_near(white(rate), part, 1e-4, "white");
    }
}

#[test]
fn gaps_are_those_of_a_weibull_distribution() {
    for rate in [2.0, 20.0] {
        let gaps = pooled(|rng| Arrivals::new(rate, rng), Arrivals::gap);
        let arrivals = Arrivals::new(rate, Rng::new(1));
        assert_near(mean(&gaps), 1.0 / rate, 0.03, "mean gap");
        for q in [0.1, 0.25, 0.5, 0.75, 0.9, 0.99] {
            let expected = draws::weibull_above(1.0 - q, arrivals.shape, arrivals.scale);
            assert_near(quantile(&gaps, q), expected, 0.04, "gap");
        }
    }
}

#[test]
fn requests_weigh_what_they_should() {
    let sizes = pooled(|rng| Requests::new(5.0, rng), |requests| requests.size() as f64);
    let quantiles = [
        (0.05, 217.0),
        (0.125, 292.0),
        (0.25, 350.0),
        (0.5, 422.0),
        (0.75, 514.0),
        (0.95, 1_062.0),
        (0.995, 4_900.0),
    ];
    for (q, expected) in quantiles {
        assert_near(quantile(&sizes, q), expected, 0.06, &format!("request {q}"));
    }
    assert!(sizes[0] >= 51.0);
    let tail = libm::log10(quantile(&sizes, 0.999) / quantile(&sizes, 0.99));
    assert_near(1.0 / tail, 1.484, 0.1, "index of the tail");
}

#[test]
fn responses_weigh_what_they_should() {
    let not_modified =
        [(0.01, 22.7), (0.1, 75.0), (0.25, 119.0), (0.5, 141.0), (0.75, 196.0), (0.9, 249.0)];
    for (q, expected) in not_modified {
        assert_near(responses::bytes(false, 1.0 - q) as f64, expected, 0.035, "not modified");
    }
    let downloads =
        [(0.5, 2_260.0), (0.75, 8_900.0), (0.9, 20_300.0), (0.99, 93_000.0), (0.9999, 3.92e6)];
    for (q, expected) in downloads {
        assert_near(responses::bytes(true, 1.0 - q) as f64, expected, 0.025, "download");
    }
    assert_eq!((responses::bytes(false, 1e-9), responses::bytes(true, 1.0)), (272, 275));
}

/// The mean of a Weibull distribution rounded up: the sum of the parts above 0, 1, 2, ...
fn mean_run(shape: f64, scale: f64) -> f64 {
    (0..1_000).map(|length| libm::exp(-libm::pow(f64::from(length) / scale, shape))).sum()
}

#[test]
fn runs_take_turns() {
    let rate = 10.0;
    let mut responses = Responses::new(rate, Rng::new(5));
    let sizes: Vec<u64> = (0..DRAWS).map(|_| responses.size()).collect();
    let downloads = sizes.iter().filter(|size| **size > 272).count() as f64;
    let runs = 1 + sizes.windows(2).filter(|pair| pair[0] <= 272 && pair[1] > 272).count();
    let none = mean_run(logistic(0.718, 0.357, rate), 0.775);
    let some = mean_run(logistic(1.293, 0.316, rate), 3.11);
    assert_near(downloads / runs as f64, some, 0.02, "downloads in a run");
    assert_near(downloads / DRAWS as f64, some / (some + none), 0.02, "downloads");
}

/// All visits of a crowd with the number of their requests, how many pages those make, and gaps.
fn visits(count: usize) -> Vec<(Visit, u64)> {
    let mut load = WebLoad::new(5.0, &Rng::new(6));
    let requests = |visit: &Visit| {
        let mut visit = visit.clone();
        1 + std::iter::from_fn(|| visit.advance()).count() as u64
    };
    let visits = (0..count).map(|_| load.visit());
    visits.map(|visit| (visit.clone(), requests(&visit))).collect()
}

#[test]
fn one_connection_in_eleven_stays_open() {
    let visits = visits(DRAWS);
    let open: Vec<&(Visit, u64)> = visits.iter().filter(|(visit, _)| !visit.is_last()).collect();
    assert_near(open.len() as f64 / DRAWS as f64, 0.09, 0.02, "persistent");
    assert!(visits.iter().all(|(visit, requests)| visit.is_last() == (*requests == 1)));
    let single = open.iter().filter(|(visit, _)| visit.pages == 1).count();
    assert_near(single as f64 / open.len() as f64, 0.82, 0.02, "single page");
    // Exponential, rounded up: two pages with probability 1 - e^(-1 / mean).
    let two = open.iter().filter(|(visit, _)| visit.pages == 2).count() as f64;
    let several = (open.len() - single) as f64;
    assert_near(two / several, 1.0 - libm::exp(-1.0 / 0.417), 0.02, "two pages");
    let objects = open.iter().filter(|(visit, _)| visit.pages == 1 && visit.objects == 2).count();
    let expected = 1.0 - libm::exp(-1.0 / 1.578);
    assert_near(objects as f64 / single as f64, expected, 0.03, "two objects");
}

#[test]
fn people_read_and_browsers_go_on() {
    let (mut reading, mut looking) = (Vec::new(), Vec::new());
    for (mut visit, _) in visits(DRAWS) {
        loop {
            let pages = visit.pages;
            let Some(gap) = visit.advance() else { break };
            let gaps = if visit.pages < pages { &mut reading } else { &mut looking };
            gaps.push(libm::log2(gap.as_secs_f64().max(1e-9)));
        }
    }
    let (reading, looking) = (sorted(reading), sorted(looking));
    assert!((quantile(&reading, 0.5) - 3.22).abs() < 0.08, "{}", quantile(&reading, 0.5));
    assert!((quantile(&looking, 0.5) + 4.15).abs() < 0.08, "{}", quantile(&looking, 0.5));
    // The variance of location and noise together is the sum; the scale's mean is 1.
    let variance = |draws: &[f64]| {
        let mean = mean(draws);
        draws.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / draws.len() as f64
    };
    assert_near(variance(&reading), 0.73 + 1.21, 0.08, "reading");
    assert_near(variance(&looking), 3.12 + 1.57, 0.08, "looking");
}

#[test]
fn further_objects_of_a_connection() {
    let (mut weights, mut unmodified) = (Vec::new(), 0);
    for (mut visit, _) in visits(DRAWS) {
        let first = visit.response();
        while visit.advance().is_some() {
            match first {
                Bytes(..=275) => {
                    assert_eq!(visit.response(), first, "nothing is downloaded after it either");
                    unmodified += 1;
                }
                _ => weights.push(libm::log2(visit.response().0 as f64)),
            }
        }
    }
    assert!(unmodified > 1_000);
    let median = quantile(&sorted(weights), 0.5);
    assert!((median - 10.62).abs() < 0.05, "{median}");
}

#[test]
fn servers_answer_soon() {
    let mut visit = visits(1).remove(0).0;
    let delays = sorted((0..DRAWS).map(|_| visit.server_delay().as_secs_f64()).collect());
    // 1 / (305 (ln 2)^(1 / 0.63)).
    assert_near(quantile(&delays, 0.5), 0.005_866, 0.02, "server delay");
    assert_near(mean(&delays), 0.02195, 0.02, "mean server delay");
    assert_eq!(delays.last(), Some(&0.1));
}

#[test]
fn the_same_seed_gives_the_same_crowd() {
    let crowd = |seed| {
        let mut load = WebLoad::new(5.0, &Rng::new(seed));
        let mut one = || (load.gap(), load.visit().request(), load.visit().response());
        (0..1_000).map(|_| one()).collect::<Vec<_>>()
    };
    assert_eq!(crowd(1), crowd(1));
    assert_ne!(crowd(1), crowd(2));
}
