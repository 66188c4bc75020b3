//! An episode: a run, and the task of the agent in it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use ::scenario::Scenario;
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use sim::{Setup, Simulation};
use units::{Span, Time};

use super::aqm::Aqm;
use super::autorate::Autorate;
use super::congestion::Congestion;
use super::threads::{Threads, Work};
use crate::claim::{Claim, Claimed};
use crate::errors::{BusyError, run_error};
use crate::run::{Recorded, Records, Run};

/// The virtual time from one look at Python to the next.
const LOOK_EACH: Span = Span::from_millis(100);

/// A run whose parts an agent sets.
pub(super) type Running = Simulation<Arc<Scenario>>;

/// What an agent does and sees in a run.
pub(super) trait Task: Send {
    /// Does what the action says, before a step.
    fn act(&mut self, run: &mut Running, action: f64);

    /// The length of a step.
    fn step(&self) -> Span;

    /// Notes what is seen after a step that took so many seconds.
    fn see(&mut self, run: &mut Running, seconds: f64, seen: &mut Seen);
}

/// Observation, reward and further figures of a step.
#[derive(Default)]
pub(super) struct Seen {
    pub(super) observation: Vec<f32>,
    pub(super) reward: f64,
    /// Further figures for people, in the order that the environment knows; NaN for one that is not there.
    pub(super) told: Vec<f64>,
}

/// The task of an agent with its run, at the beginning.
pub(super) struct Begun {
    pub(super) task: Box<dyn Task>,
    pub(super) setup: Setup,
    pub(super) observation: Vec<f32>,
}

/// An episode of an environment.
#[pyclass(frozen, module = "unbloat._unbloat")]
pub(crate) struct Episode {
    state: Shared,
    /// The claim of the step that is under way, until its observation is read.
    step: Claim,
}

/// The state of an episode; `None` once it has its result.
type Shared = Arc<Mutex<Option<State>>>;

struct State {
    run: Running,
    task: Box<dyn Task>,
    seen: Seen,
}

#[pymethods]
impl Episode {
    /// The window of a sender is set, or only watched.
    #[staticmethod]
    fn congestion(scenario: &crate::scenario::Scenario, task: Congestion) -> PyResult<Self> {
        Self::begin(scenario.checked(), |scenario| task.begun(scenario))
    }

    /// The probability is set with which a queue drops arrivals.
    #[staticmethod]
    fn aqm(scenario: &crate::scenario::Scenario, task: Aqm) -> PyResult<Self> {
        Self::begin(scenario.checked(), |scenario| task.begun(scenario))
    }

    /// The rate of a shaper is set before a line that varies.
    #[staticmethod]
    fn autorate(scenario: &crate::scenario::Scenario, task: Autorate) -> PyResult<Self> {
        Self::begin(scenario.checked(), |scenario| task.begun(scenario))
    }

    /// Observation of the present.
    fn observation(&self, py: Python<'_>) -> PyResult<Vec<f32>> {
        let state = self.lock(py)?;
        Ok(state.as_ref().ok_or_else(ended)?.seen.observation.clone())
    }

    /// True at the end of the run.
    #[getter]
    fn is_over(&self, py: Python<'_>) -> PyResult<bool> {
        let state = self.lock(py)?;
        Ok(state.as_ref().ok_or_else(ended)?.is_over())
    }

    /// The result up to now, with which the episode ends.
    fn finish(&self, py: Python<'_>) -> PyResult<Run> {
        let state = self.lock(py)?.take().ok_or_else(ended)?;
        let document = state.run.finish().map_err(run_error)?;
        Run::of(py, document, Recorded::new(Records::default()), true)
    }
}

impl Episode {
    fn begin(
        scenario: &Arc<Scenario>,
        begun: impl FnOnce(&Scenario) -> PyResult<Begun>,
    ) -> PyResult<Self> {
        let Begun { task, setup, observation } = begun(scenario)?;
        let setup = Setup { timeline: Some(sim::timeline_step(scenario)), ..setup };
        let run = Simulation::new(Arc::clone(scenario), setup).map_err(run_error)?;
        let seen = Seen { observation, ..Seen::default() };
        let state = Arc::new(Mutex::new(Some(State { run, task, seen })));
        Ok(Self { state, step: Claim::default() })
    }

    /// The step, which has one owner from its beginning to its end.
    fn claimed(&self) -> PyResult<Claimed<'_>> {
        self.step.claimed().ok_or_else(busy)
    }

    /// The episode between two steps.
    fn lock(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, Option<State>>> {
        if self.step.is_claimed() { Err(busy()) } else { Ok(self.waited(py)) }
    }

    /// The episode, after those who look at it now.
    fn waited(&self, py: Python<'_>) -> MutexGuard<'_, Option<State>> {
        self.state.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }
}

fn busy() -> PyErr {
    BusyError::new_err("another thread steps through the episode")
}

fn ended() -> PyErr {
    PyRuntimeError::new_err("the episode has ended with its result")
}

impl State {
    fn is_over(&self) -> bool {
        self.run.now() >= Time::ZERO + self.run.scenario().duration
    }

    /// Runs for a step with this action. Between two parts of it, `goes_on` says whether to go on.
    fn step(&mut self, action: f64, goes_on: &dyn Fn() -> bool) -> Result<(), sim::Error> {
        let Self { run, task, seen } = self;
        task.act(run, action);
        let (began, end) = (run.now(), Time::ZERO + run.scenario().duration);
        let until = (began + task.step()).min(end);
        while run.now() < until && goes_on() {
            run.advance(until.min(run.now() + LOOK_EACH))?;
        }
        task.see(run, run.now().since(began).as_secs_f64(), seen);
        Ok(())
    }
}

/// Steps through different episodes, each with its action, on these threads or else on the caller's alone.
/// Writes a row each of observations, and of the reward with the further figures. Returns which episodes are
/// over. Does nothing and raises `BusyError` if another thread steps through one of them.
#[pyfunction]
#[pyo3(signature = (episodes, actions, observations, numbers, threads = None))]
pub(crate) fn step_episodes(
    py: Python<'_>,
    episodes: Vec<Py<Episode>>,
    actions: Vec<f64>,
    observations: PyBuffer<f32>,
    numbers: PyBuffer<f64>,
    threads: Option<Py<Threads>>,
) -> PyResult<Vec<bool>> {
    let claims = episodes.iter().map(|episode| episode.get().claimed());
    let _claims = claims.collect::<PyResult<Vec<_>>>()?;
    let parts = episodes.iter().map(|episode| Arc::clone(&episode.get().state)).zip(actions);
    let steps = Arc::new(Steps::of(parts.collect()));
    let work: Arc<dyn Work> = Arc::<Steps>::clone(&steps);
    py.detach(|| Threads::work(threads.as_ref().map(Py::get), &work, episodes.len()));
    if let Some(error) = locked(&steps.failure).take() {
        return Err(error);
    }
    let (mut seen, mut told, mut over) = (Vec::new(), Vec::new(), Vec::new());
    for episode in &episodes {
        let guard = episode.get().waited(py);
        let state = guard.as_ref().ok_or_else(ended)?;
        seen.extend_from_slice(&state.seen.observation);
        told.push(state.seen.reward);
        told.extend_from_slice(&state.seen.told);
        over.push(state.is_over());
    }
    observations.copy_from_slice(py, &seen)?;
    numbers.copy_from_slice(py, &told)?;
    Ok(over)
}

/// A step of several episodes.
struct Steps {
    /// The episodes with their actions.
    parts: Vec<(Shared, f64)>,
    next: AtomicUsize,
    /// The number of episodes whose step is not done, and its end.
    left: Mutex<usize>,
    done: Condvar,
    is_stopped: AtomicBool,
    failure: Mutex<Option<PyErr>>,
}

impl Steps {
    fn of(parts: Vec<(Shared, f64)>) -> Self {
        Self {
            left: Mutex::new(parts.len()),
            parts,
            next: AtomicUsize::new(0),
            done: Condvar::new(),
            is_stopped: AtomicBool::new(false),
            failure: Mutex::default(),
        }
    }

    fn note(&self, error: PyErr) {
        self.is_stopped.store(true, Ordering::Relaxed);
        locked(&self.failure).get_or_insert(error);
    }

    fn step(&self, (episode, action): &(Shared, f64), is_callers: bool) {
        let goes_on = || {
            // Python tells its signals to its main thread alone, which waits for the others.
            if is_callers && let Err(error) = Python::attach(|py| py.check_signals()) {
                self.note(error);
            }
            !self.is_stopped.load(Ordering::Relaxed)
        };
        let mut state = locked(episode);
        // Whoever waits for this step would wait for ever after a panic.
        let step = AssertUnwindSafe(|| state.as_mut().map(|it| it.step(*action, &goes_on)));
        match catch_unwind(step) {
            Ok(Some(Ok(()))) => {}
            Ok(Some(Err(error))) => self.note(run_error(error)),
            Ok(None) => self.note(ended()),
            Err(_) => self.note(run_error("the simulator panicked")),
        }
    }
}

impl Work for Steps {
    fn take_parts(&self, is_callers: bool) {
        while let Some(part) = self.parts.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            self.step(part, is_callers);
            let mut left = locked(&self.left);
            *left -= 1;
            if *left == 0 {
                self.done.notify_all();
            }
        }
    }

    fn wait(&self) {
        let left = locked(&self.left);
        drop(self.done.wait_while(left, |left| *left > 0));
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
