//! Many runs of one scenario, and the folder that keeps them.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::io;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use ::scenario::{Scenario, ScenarioError, Sweep, Vary};
use ::sweep::{Format, Manifest, Origin, Points, Row, Watch};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use results::{Document, LinkDirection};
use sim::Options;
use units::Way;

use crate::errors::{run_error, scenario_error};
use crate::raised::Raised;
use crate::scenario::changes;

/// The time from one look at Python to the next while other threads work.
const LOOK: Duration = Duration::from_millis(20);

/// The number of tried values from one look at Python to the next.
const LOOK_AFTER: u32 = 64;

/// The hash of the sources that determine results: runs of builds with different ones are not mixed.
pub(crate) const BUILD: &str = env!("UNBLOAT_BUILD");

/// The runs of a sweep, of which each can be done by itself.
#[pyclass(frozen, module = "unbloat._unbloat")]
pub(crate) struct Plan {
    sweep: Sweep,
    link: String,
    way: Way,
}

#[pymethods]
impl Plan {
    /// Reads a file.
    #[staticmethod]
    fn load(
        py: Python<'_>,
        path: PathBuf,
        overrides: Vec<(String, String)>,
        vary: Vec<(String, String)>,
    ) -> PyResult<Self> {
        let (overrides, vary) = (changes(overrides), varied(vary));
        Self::fit(py, |goes_on| Sweep::load_while(&path, &overrides, &vary, goes_on))
    }

    /// Reads a text, which messages call `name`, with the texts of its traces; others are read from files,
    /// whose paths are relative to `folder`.
    #[staticmethod]
    fn parse(
        py: Python<'_>,
        text: &str,
        name: &str,
        overrides: Vec<(String, String)>,
        vary: Vec<(String, String)>,
        traces: BTreeMap<String, String>,
        folder: PathBuf,
    ) -> PyResult<Self> {
        let (overrides, vary) = (changes(overrides), varied(vary));
        let read_trace = |trace: &str| match traces.get(trace) {
            Some(text) => Ok(text.clone()),
            None => std::fs::read_to_string(folder.join(trace)),
        };
        Self::fit(py, |goes_on| {
            Sweep::parse_while(text, name, &overrides, &vary, &read_trace, goes_on)
        })
    }

    /// The text of the scenario, its name and the texts of its traces: what another machine needs for
    /// the same plan.
    fn sources(&self) -> (String, String, BTreeMap<String, String>) {
        (self.sweep.text().into(), self.sweep.name().into(), self.sweep.traces().clone())
    }

    /// The number of runs.
    fn __len__(&self) -> usize {
        usize::try_from(self.sweep.len()).unwrap_or(usize::MAX)
    }

    /// Does these runs, while other threads of Python go on. Returns their rows for a folder.
    fn rows(&self, py: Python<'_>, runs: Vec<u64>) -> PyResult<String> {
        if let Some(run) = runs.iter().find(|run| **run >= self.sweep.len()) {
            return Err(PyValueError::new_err(format!("there is no run {run}")));
        }
        let watch = Signals::default();
        let rows: Vec<Row> = py.detach(|| {
            let row = |run: u64| self.points().row(run, &mut |_| watch.goes_on(0, 0.0));
            runs.into_iter().map_while(row).collect()
        });
        watch.raised()?;
        Ok(report::json(&rows))
    }
}

impl Plan {
    /// The plan of the sweep, if the simulator has all that it asks for. To try all values may take long, and
    /// Ctrl-C ends it.
    fn fit(
        py: Python<'_>,
        sweep: impl FnOnce(&dyn Fn() -> bool) -> Result<Sweep, ScenarioError> + Send,
    ) -> PyResult<Self> {
        let raised = Raised::default();
        let plan = py.detach(|| {
            let asked = Cell::new(0_u32);
            let goes_on = || {
                asked.set(asked.get().wrapping_add(1));
                !asked.get().is_multiple_of(LOOK_AFTER) || raised.goes_on()
            };
            let sweep = sweep(&goes_on).map_err(Unfit::Scenario)?;
            for point in sweep.tried().into_iter().take_while(|_| goes_on()) {
                let scenario = sweep.scenario(point).map_err(Unfit::Scenario)?;
                sim::fit(&scenario).map_err(Unfit::Simulator)?;
            }
            let (link, way) = ::sweep::bottleneck(&sweep).map_err(Unfit::Scenario)?;
            Ok(Self { sweep, link, way })
        });
        if let Some(raised) = raised.take() {
            return Err(raised);
        }
        plan.map_err(|unfit| match unfit {
            Unfit::Scenario(error) => scenario_error(&error),
            Unfit::Simulator(message) => run_error(message),
        })
    }

    fn bottleneck(&self) -> LinkDirection<'_> {
        LinkDirection { link: &self.link, way: self.way }
    }

    fn points(&self) -> Points<'_> {
        Points { sweep: &self.sweep, bottleneck: self.bottleneck(), simulate: &simulate }
    }
}

/// The reason why a plan cannot be done.
enum Unfit {
    Scenario(ScenarioError),
    Simulator(String),
}

fn simulate(scenario: &Scenario, go_on: &mut dyn FnMut(f64) -> bool) -> io::Result<Document> {
    let progress: Option<Box<dyn FnMut(f64) -> bool>> = Some(Box::new(go_on));
    let options = Options { progress, without_scenario: true, ..Options::default() };
    sim::run(scenario, options).map_err(io::Error::other)
}

fn varied(vary: Vec<(String, String)>) -> Vec<Vary> {
    vary.into_iter().map(|(path, values)| Vary { path, values }).collect()
}

/// A folder of runs, as `unbloat sweep` has them, and the right to add to it.
#[pyclass(frozen, module = "unbloat._unbloat")]
pub(crate) struct Store(Mutex<Option<::sweep::Store>>);

#[pymethods]
impl Store {
    /// Opens the folder, or makes it, and finds the runs in it.
    #[new]
    fn open(py: Python<'_>, folder: PathBuf, plan: &Plan) -> PyResult<Self> {
        let there = ::sweep::manifest_of(&folder).map_err(failed)?;
        let first = plan.sweep.scenario(0).map_err(|error| scenario_error(&error))?;
        let origin = Origin {
            unbloat: env!("CARGO_PKG_VERSION"),
            build: BUILD,
            title: &first.title,
            bottleneck: plan.bottleneck(),
            shards: there.as_ref().map_or(1, |there| there.shards),
            format: there.as_ref().map_or(Format::Parquet, |there| there.format),
        };
        let manifest = Manifest::new(&plan.sweep, &origin);
        let store = py.detach(|| ::sweep::Store::open(&folder, manifest, None)).map_err(failed)?;
        Ok(Self(Mutex::new(Some(store))))
    }

    /// The number of runs that are not done.
    #[getter]
    fn missing(&self) -> PyResult<u64> {
        self.with(|store| Ok(store.missing()))
    }

    /// At most so many of the next missing runs. Each run is returned only once.
    fn take(&self, most: usize) -> PyResult<Vec<u64>> {
        self.with(|store| Ok(std::iter::from_fn(|| store.take()).take(most).collect()))
    }

    /// Adds rows, as `Plan.rows` returns them. Returns their number.
    fn keep(&self, py: Python<'_>, rows: &str) -> PyResult<usize> {
        let rows: Vec<Row> = serde_json::from_str(rows).map_err(run_error)?;
        let count = rows.len();
        py.detach(|| {
            self.with(|store| rows.into_iter().try_for_each(|row| store.keep(row)).map_err(failed))
        })?;
        Ok(count)
    }

    /// Does the missing runs on so many threads. `progress` is called with the number of those that are done.
    fn run(
        &self,
        py: Python<'_>,
        plan: &Plan,
        threads: NonZero<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        let watch = Signals { progress, ..Signals::default() };
        py.detach(|| {
            self.with(|store| {
                let points = plan.points();
                thread::scope(|scope| {
                    let work = scope.spawn(|| ::sweep::run(store, &points, threads, &watch));
                    // Python tells its signals to its main thread alone.
                    while !work.is_finished() {
                        watch.look();
                        thread::park_timeout(LOOK);
                    }
                    work.join().unwrap_or_else(|panic| resume_unwind(panic)).map_err(failed)
                })
            })
        })?;
        watch.raised()
    }

    /// Gives the folder back to others.
    fn close(&self) {
        drop(self.0.lock().map(|mut store| store.take()));
    }
}

impl Store {
    fn with<T>(&self, work: impl FnOnce(&mut ::sweep::Store) -> PyResult<T>) -> PyResult<T> {
        let mut store = self.0.lock().map_err(run_error)?;
        work(store.as_mut().ok_or_else(|| run_error("the folder was closed"))?)
    }
}

/// What runs ask while they go on: whether somebody has pressed Ctrl-C, and the caller's function.
#[derive(Default)]
struct Signals {
    progress: Option<Py<PyAny>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    calls: u32,
    done: u64,
    /// The exception that ends the runs; `None` as long as there was none.
    raised: Option<PyErr>,
}

impl Signals {
    fn raised(self) -> PyResult<()> {
        let state = self.state.into_inner().map_err(run_error)?;
        state.raised.map_or(Ok(()), Err)
    }

    /// Looks whether somebody has pressed Ctrl-C.
    fn look(&self) {
        if let Ok(mut state) = self.state.lock() {
            self.ask(&mut state, |py| py.check_signals());
        }
    }

    /// Lets Python do something, and keeps its exception.
    fn ask(&self, state: &mut State, heard: impl FnOnce(Python<'_>) -> PyResult<()>) {
        if state.raised.is_none() {
            state.raised = Python::attach(heard).err();
        }
    }
}

impl Watch for Signals {
    fn goes_on(&self, _: usize, _: f64) -> bool {
        /// The number of calls, about a millisecond apart, from one look at Python to the next.
        const EACH: u32 = 32;
        let Ok(mut state) = self.state.lock() else { return false };
        state.calls += 1;
        if state.calls.is_multiple_of(EACH) {
            self.ask(&mut state, |py| py.check_signals());
        }
        state.raised.is_none()
    }

    fn is_done(&self, _: usize, _: &Row) {
        let Ok(mut state) = self.state.lock() else { return };
        state.done += 1;
        let done = state.done;
        if let Some(progress) = &self.progress {
            self.ask(&mut state, |py| progress.call1(py, (done,)).map(drop));
        }
    }
}

/// The exception for a folder of runs that cannot be used.
pub(crate) fn failed(error: ::sweep::Error) -> PyErr {
    match error {
        ::sweep::Error::Disk(message) => PyOSError::new_err(message),
        error => PyValueError::new_err(error.to_string()),
    }
}
