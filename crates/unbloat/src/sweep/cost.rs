//! The cost of a sweep, estimated from a trial of a few runs.

use std::num::NonZero;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use ::sweep::{Points, Row, Store};

use super::bar::{length, now};
use crate::interrupt;

/// The most runs of a sweep that begins without `--yes`, where nobody knows how long they take.
const MANY_RUNS: u64 = 10_000;
/// The longest estimated time of a sweep that begins without `--yes`.
const LONG: Duration = Duration::from_secs(3600);
/// The time limit of the trial.
const TRIAL: Duration = Duration::from_secs(2);
/// The most runs in the trial.
const MOST_TRIED: usize = 64;

/// Tries some runs from all over the sweep, and returns those that were finished.
///
/// # Errors
/// If the sweep is too large or would take too long, and `yes` is false.
pub(super) fn try_some(
    store: &Store,
    points: &Points<'_>,
    threads: NonZero<usize>,
    yes: bool,
) -> Result<Vec<Row>, String> {
    if yes || store.missing() == 0 {
        return Ok(Vec::new());
    }
    let Trial { rows, seconds, .. } = Trial::of(store, points, threads);
    let left = store.missing() - rows.len() as u64;
    let mean = (!seconds.is_empty()).then(|| seconds.iter().sum::<f64>() / seconds.len() as f64);
    let total = mean.map(|mean| mean * left as f64 / threads.get() as f64);
    if interrupt::asked() || !is_too_much(store.missing(), total) {
        return Ok(rows);
    }
    let time = total.map_or("an unknown time".into(), |total| format!("about {}", length(total)));
    let (runs, threads) = (store.missing(), threads.get());
    Err(format!(
        "{runs} runs would take {time} on {threads} of this machine's threads, estimated from some \
         of them; write --yes to begin, or --shard I/N to do a part of them here"
    ))
}

fn is_too_much(runs: u64, seconds: Option<f64>) -> bool {
    seconds.map_or(runs > MANY_RUNS, |seconds| seconds > LONG.as_secs_f64())
}

struct Trial {
    /// The runs that are left to try.
    runs: Vec<u64>,
    /// The runs that were finished.
    rows: Vec<Row>,
    /// The seconds that each run would take, finished or not.
    seconds: Vec<f64>,
}

impl Trial {
    fn of(store: &Store, points: &Points<'_>, threads: NonZero<usize>) -> Self {
        let mut runs = store.sample(MOST_TRIED);
        // The threads take runs from the end.
        runs.reverse();
        let trial = Mutex::new(Self { runs, rows: Vec::new(), seconds: Vec::new() });
        let end = now() + TRIAL;
        thread::scope(|scope| {
            for _ in 0..threads.get().min(MOST_TRIED) {
                scope.spawn(|| one_after_the_other(&trial, points, end));
            }
        });
        trial.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

fn one_after_the_other(trial: &Mutex<Trial>, points: &Points<'_>, end: Instant) {
    let lock = || trial.lock().unwrap_or_else(PoisonError::into_inner);
    while now() < end && !interrupt::asked() {
        let taken = lock().runs.pop();
        let Some(run) = taken else { return };
        let (begun, mut part) = (now(), 0.0);
        let row = points.row(run, &mut |done| {
            part = done;
            now() < end && !interrupt::asked()
        });
        let spent = begun.elapsed().as_secs_f64();
        let mut trial = lock();
        match row {
            Some(row) => {
                trial.rows.push(row);
                trial.seconds.push(spent);
            }
            None if part > 0.0 => trial.seconds.push(spent / part),
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_much() {
        assert!(!is_too_much(20_000, Some(3600.0)));
        assert!(!is_too_much(10_000, None));
        assert!(is_too_much(10_001, None));
        assert!(is_too_much(2, Some(3601.0)));
    }
}
