//! Experiments of papers, repeated.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use ::papers::{Error, PAPERS, Paper, Request, Runner, Work};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::{run_error, scenario_error};
use crate::raised::Raised;
use crate::shown::Shown;

/// The papers: their names, titles and parts.
#[pyfunction]
pub(crate) fn papers() -> Vec<(&'static str, &'static str, Vec<&'static str>)> {
    PAPERS.iter().map(|paper| (paper.name, paper.title, paper.parts.to_vec())).collect()
}

/// Repeats a paper's experiments on this many threads.
#[pyfunction]
pub(crate) fn reproduce(
    py: Python<'_>,
    name: &str,
    parts: Vec<String>,
    queues: Vec<String>,
    threads: usize,
) -> PyResult<Shown> {
    let failed = |error| match error {
        Error::Request(why) => PyValueError::new_err(why),
        Error::Scenario(error) => scenario_error(&error),
        Error::Run(why) => run_error(why),
    };
    let paper = Paper::named(name).map_err(failed)?;
    let request = Request { parts: &parts, queues: &queues };
    paper.check(&request).map_err(failed)?;
    let pool = Pool { threads, raised: Raised::default() };
    let repeated = py.detach(|| paper.repeat(&request, &pool));
    if let Some(raised) = pool.raised.take() {
        return Err(raised);
    }
    let repeated = repeated.map_err(failed)?;
    Ok(Shown::new(repeated.json, repeated.table, repeated.page))
}

/// Runs on several threads, of which the caller's is one: it alone hears of Ctrl-C.
struct Pool {
    threads: usize,
    raised: Raised,
}

impl Runner for Pool {
    fn each(&self, runs: usize, work: &Work<'_>) {
        let next = AtomicUsize::new(0);
        let worker = || {
            while !self.raised.is_some() {
                let run = next.fetch_add(1, Ordering::Relaxed);
                if run >= runs {
                    break;
                }
                work(run, &mut |_| self.raised.goes_on());
            }
        };
        thread::scope(|scope| {
            for _ in 1..self.threads.min(runs) {
                scope.spawn(worker);
            }
            worker();
        });
    }
}
