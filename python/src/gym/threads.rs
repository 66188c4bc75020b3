//! The threads that step through episodes at the same time.

use std::process;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Some threads, the caller's among them.
#[pyclass(frozen, module = "unbloat._unbloat")]
pub(crate) struct Threads {
    others: usize,
    pool: Mutex<Pool>,
}

/// The other threads, and the process that has them: none of them is in a fork of it.
type Pool = Option<(u32, Arc<ThreadPool>)>;

#[pymethods]
impl Threads {
    /// This number of threads, at least one.
    #[new]
    fn new(number: usize) -> Self {
        Self { others: number.saturating_sub(1), pool: Mutex::new(None) }
    }
}

impl Threads {
    /// Does each part of the work once, on the caller's thread and on others. The work is told whether it is
    /// on the caller's.
    pub(super) fn each<T: Send>(
        threads: Option<&Self>,
        parts: &mut [T],
        work: &(dyn Fn(&mut T, bool) + Sync),
    ) {
        let others = threads.filter(|_| parts.len() > 1).and_then(Self::pool);
        let left = Mutex::new(parts.iter_mut());
        let next = || left.lock().unwrap_or_else(PoisonError::into_inner).next();
        let do_all = |is_callers: bool| {
            while let Some(part) = next() {
                work(part, is_callers);
            }
        };
        let Some(others) = others else { return do_all(true) };
        let do_all = &do_all;
        others.in_place_scope(|scope| {
            for _ in 0..others.current_num_threads() {
                scope.spawn(|_| do_all(false));
            }
            do_all(true);
        });
    }

    /// The other threads; `None` if there are none, or if the system gives none.
    fn pool(&self) -> Option<Arc<ThreadPool>> {
        let mut pool = self.pool.lock().unwrap_or_else(PoisonError::into_inner);
        let ours = process::id();
        if self.others > 0 && pool.as_ref().is_none_or(|(process, _)| *process != ours) {
            let made = ThreadPoolBuilder::new().num_threads(self.others).build().ok()?;
            // To end the threads of another process would wait for them for ever.
            std::mem::forget(pool.replace((ours, Arc::new(made))));
        }
        pool.as_ref().map(|(_, pool)| Arc::clone(pool))
    }
}
