//! Does the missing runs on several threads.

use std::num::NonZero;
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::error::Error;
use crate::point::Points;
use crate::row::Row;
use crate::store::Store;

/// An observer of the progress, which may end the work.
pub trait Watch: Sync {
    /// Takes the share, from 0 to 1, that is done of the run on this thread. Returns true to go on.
    fn goes_on(&self, thread: usize, done: f64) -> bool;

    /// Notes that the run on this thread is done and kept. `row` is without its figures.
    fn is_done(&self, thread: usize, row: &Row);
}

/// Does all the missing runs, or as many as `watch` allows.
///
/// # Errors
/// If the disk fails; runs that were kept before are not lost.
pub fn run(
    store: &mut Store,
    points: &Points<'_>,
    threads: NonZero<usize>,
    watch: &dyn Watch,
) -> Result<(), Error> {
    let missing = usize::try_from(store.missing()).unwrap_or(usize::MAX);
    let work = Work { store: Mutex::new(store), failure: Mutex::new(None), points, watch };
    thread::scope(|scope| {
        for number in 0..threads.get().min(missing) {
            let work = &work;
            let begin = thread::Builder::new();
            if begin.spawn_scoped(scope, move || work.one_after_the_other(number)).is_err() {
                // The system has no more threads: this one does what the others leave.
                return work.one_after_the_other(number);
            }
        }
    });
    let failure = work.failure.into_inner().unwrap_or_else(PoisonError::into_inner);
    failure.map_or(Ok(()), Err)
}

struct Work<'a> {
    store: Mutex<&'a mut Store>,
    failure: Mutex<Option<Error>>,
    points: &'a Points<'a>,
    watch: &'a dyn Watch,
}

impl Work<'_> {
    fn one_after_the_other(&self, thread: usize) {
        while self.goes_on(thread, 0.0) {
            let taken = self.store.lock().unwrap_or_else(PoisonError::into_inner).take();
            let Some(run) = taken else { return };
            let mut go_on = |done| self.goes_on(thread, done);
            let Some(row) = self.points.row(run, &mut go_on) else { return };
            let shown = Row { figures: Vec::new(), ..row.clone() };
            let kept = self.store.lock().unwrap_or_else(PoisonError::into_inner).keep(row);
            match kept {
                Ok(()) => self.watch.is_done(thread, &shown),
                Err(error) => {
                    let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
                    failure.get_or_insert(error);
                }
            }
        }
    }

    fn goes_on(&self, thread: usize, done: f64) -> bool {
        let failed = self.failure.lock().unwrap_or_else(PoisonError::into_inner).is_some();
        !failed && self.watch.goes_on(thread, done)
    }
}
