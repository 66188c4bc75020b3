//! An episode: a run, and the task of the agent in it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ::scenario::Scenario;
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use sim::{Setup, Simulation};
use units::{Span, Time};

use super::aqm::Aqm;
use super::autorate::Autorate;
use super::congestion::Congestion;
use super::threads::Threads;
use crate::errors::run_error;
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

/// What an agent sees.
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
pub(crate) struct Episode(Mutex<Option<State>>);

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

    /// What is seen now.
    fn observation(&self) -> PyResult<Vec<f32>> {
        let state = self.lock()?;
        Ok(state.as_ref().ok_or_else(ended)?.seen.observation.clone())
    }

    /// True at the end of the run.
    #[getter]
    fn is_over(&self) -> PyResult<bool> {
        let state = self.lock()?;
        Ok(state.as_ref().ok_or_else(ended)?.is_over())
    }

    /// The result up to now, with which the episode ends.
    fn finish(&self, py: Python<'_>) -> PyResult<Run> {
        let state = self.lock()?.take().ok_or_else(ended)?;
        let document = state.run.finish().map_err(run_error)?;
        Run::of(py, document, Recorded::new(Records::default()))
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
        Ok(Self(Mutex::new(Some(State { run, task, seen }))))
    }

    /// The episode, unless another thread has it.
    fn lock(&self) -> PyResult<MutexGuard<'_, Option<State>>> {
        let wrong = |_| PyRuntimeError::new_err("another thread steps through the episode");
        self.0.try_lock().map_err(wrong)
    }
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
/// over.
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
    let guards = episodes.iter().map(|episode| episode.get().lock());
    let mut guards = guards.collect::<PyResult<Vec<_>>>()?;
    let states = guards.iter_mut().map(|guard| guard.as_mut().ok_or_else(ended));
    let mut steps: Vec<_> =
        states.zip(actions).map(|(state, action)| Ok((state?, action))).collect::<PyResult<_>>()?;
    let (stopped, failure) = (AtomicBool::new(false), Mutex::new(None));
    let note = |error: PyErr| {
        stopped.store(true, Ordering::Relaxed);
        failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    };
    let work = |(state, action): &mut (&mut State, f64), hears: bool| {
        let goes_on = || {
            // Python tells its signals to its main thread alone, which waits for the others.
            if hears && let Err(error) = Python::attach(|py| py.check_signals()) {
                note(error);
            }
            !stopped.load(Ordering::Relaxed)
        };
        state.step(*action, &goes_on).unwrap_or_else(|error| note(run_error(error)));
    };
    py.detach(|| Threads::each(threads.as_ref().map(Py::get), &mut steps, &work));
    if let Some(error) = failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    let seen = || steps.iter().map(|(state, _)| &state.seen);
    let seen_all: Vec<f32> = seen().flat_map(|seen| &seen.observation).copied().collect();
    let told_all =
        seen().flat_map(|seen| [seen.reward].into_iter().chain(seen.told.iter().copied()));
    observations.copy_from_slice(py, &seen_all)?;
    numbers.copy_from_slice(py, &told_all.collect::<Vec<f64>>())?;
    Ok(steps.iter().map(|(state, _)| state.is_over()).collect())
}
