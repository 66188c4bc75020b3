//! Queues with parts in Python, each in place of one of the scenario.

use ::scenario::Scenario;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use sim::ForeignQueue;

use crate::raised::Raised;
use crate::{aqm, discipline};

/// A part in Python and its place, as the package passes them.
#[derive(FromPyObject)]
pub(crate) enum Attached {
    Aqm(aqm::Attached),
    Discipline(discipline::Attached),
}

impl Attached {
    fn queue(self, py: Python<'_>, scenario: &Scenario, raised: &Raised) -> PyResult<ForeignQueue> {
        match self {
            Self::Aqm(aqm) => aqm.queue(py, scenario, raised),
            Self::Discipline(discipline) => discipline.queue(py, scenario, raised),
        }
    }
}

/// The queues of the simulator for these parts. The first exception of one goes to `raised`.
///
/// # Errors
/// If the scenario has no such direction, or a direction has two queues.
pub(crate) fn queues(
    py: Python<'_>,
    attached: Vec<Attached>,
    scenario: &Scenario,
    raised: &Raised,
) -> PyResult<Vec<ForeignQueue>> {
    let mut queues: Vec<ForeignQueue> = Vec::new();
    for one in attached {
        let queue = one.queue(py, scenario, raised)?;
        if queues.iter().any(|other| other.direction == queue.direction) {
            let name = scenario.direction_name(queue.direction);
            return Err(PyValueError::new_err(format!("queues names {name} twice")));
        }
        queues.push(queue);
    }
    Ok(queues)
}
