//! Parallel runs, one on each processor.

use std::num::NonZero;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;

use crate::interrupt;
use crate::progress::Progress;

/// Does the work of each run and returns the answers in the order of the runs. The work reports its
/// progress, from 0 to 1, and is told whether to go on. After an interrupt no further run begins;
/// those left out are `None`, and are the last ones. If the work panics, the other runs end early
/// and the panic goes on, since their answers would not be used.
pub(crate) fn each<R: Sync, T: Send>(
    runs: &[R],
    quiet: bool,
    work: impl Fn(&R, &mut dyn FnMut(f64) -> bool) -> T + Sync,
) -> Vec<Option<T>> {
    let progress = Progress::of(runs.len(), quiet);
    let next = AtomicUsize::new(0);
    let answers = Mutex::new(runs.iter().map(|_| None).collect::<Vec<_>>());
    let panicked = OnceLock::new();
    let worker = || {
        while !interrupt::asked() && panicked.get().is_none() {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(run) = runs.get(index) else { break };
            let mut shown = going_on(&progress, index);
            let mut go_on = |done| shown(done) && panicked.get().is_none();
            match panic::catch_unwind(AssertUnwindSafe(|| work(run, &mut go_on))) {
                Ok(answer) => {
                    answers.lock().unwrap_or_else(PoisonError::into_inner)[index] = Some(answer);
                }
                Err(panic) => drop(panicked.set(Mutex::new(panic))),
            }
        }
    };
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        for _ in 0..processors.min(runs.len()) {
            scope.spawn(worker);
        }
    });
    if let Some(panic) = panicked.into_inner() {
        panic::resume_unwind(panic.into_inner().unwrap_or_else(PoisonError::into_inner));
    }
    answers.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// A function that shows the progress of this run and returns true until an interrupt.
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
        // The first run takes longest.
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

    #[test]
    fn a_panic_ends_the_others() {
        let endless = |run: &u64, go_on: &mut dyn FnMut(f64) -> bool| {
            assert_ne!(*run, 0, "an unlucky run");
            while go_on(0.5) {
                thread::yield_now();
            }
        };
        let ended = panic::catch_unwind(|| each(&[0, 1, 1, 1], true, endless));
        let message = ended.unwrap_err().downcast::<String>().unwrap();
        assert!(message.contains("an unlucky run"), "{message}");
    }
}
