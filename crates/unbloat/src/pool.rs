//! Many runs, as many at a time as there are processors.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::interrupt;
use crate::progress::Progress;

/// Does the work of each run; answers come in the order of the runs. The work says how much of it
/// is done, from 0 to 1, and is told whether to go on. An interrupt leaves out those that have not
/// begun, which are the last ones.
pub(crate) fn each<R: Sync, T: Send>(
    runs: &[R],
    quiet: bool,
    work: impl Fn(&R, &mut dyn FnMut(f64) -> bool) -> T + Sync,
) -> Vec<Option<T>> {
    let progress = Progress::of(runs.len(), quiet);
    let next = AtomicUsize::new(0);
    let answers = Mutex::new(runs.iter().map(|_| None).collect::<Vec<_>>());
    let worker = || {
        while !interrupt::asked() {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(run) = runs.get(index) else { break };
            let answer = work(run, &mut going_on(&progress, index));
            answers.lock().unwrap_or_else(PoisonError::into_inner)[index] = Some(answer);
        }
    };
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        for _ in 0..processors.min(runs.len()) {
            scope.spawn(worker);
        }
    });
    answers.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Shows how much of this run is done, and says whether to go on: until an interrupt.
pub(crate) fn going_on(progress: &Progress, run: usize) -> impl FnMut(f64) -> bool {
    move |done| {
        progress.report(run, done);
        !interrupt::asked()
    }
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;

    use super::*;

    #[test]
    fn answers_come_in_the_order_of_the_runs() {
        // The first one takes longest.
        let runs: Vec<u64> = (0..20).collect();
        let answers = each(&runs, true, |run, go_on| {
            let work = if *run == 0 { 3_000_000 } else { 1 };
            assert_eq!((0..work).map(black_box).count(), work);
            assert!(go_on(0.5), "nobody interrupts");
            run * run
        });
        let expected: Vec<_> = runs.iter().map(|run| Some(run * run)).collect();
        assert_eq!(answers, expected);
        assert!(each(&[], true, |run: &u64, _| *run).is_empty());
    }
}
