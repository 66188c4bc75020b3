//! Queues with parts in Python, each in place of one of the scenario.

use ::scenario::Scenario;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use sim::ForeignQueue;

use crate::directions::{direction_named, give, random, randomness};
use crate::raised::Raised;
use crate::{aqm, discipline};

/// A queue in Python and its place, as the package passes them.
#[derive(FromPyObject)]
pub(crate) struct Attached {
    direction: String,
    name: String,
    queue: Py<PyAny>,
    methods: Methods,
}

#[derive(FromPyObject)]
enum Methods {
    Aqm(aqm::Methods),
    Discipline(discipline::Methods),
}

impl Attached {
    fn queue(self, py: Python<'_>, scenario: &Scenario, raised: &Raised) -> PyResult<ForeignQueue> {
        let Self { direction, name, queue, methods } = self;
        let direction = direction_named(scenario, "queues", &direction)?;
        let (queue, link) = (queue.bind(py), scenario.direction(direction).link_info());
        give(queue, "random", || random(py, randomness(scenario, direction)))?;
        let (own_name, raised) = (name.clone(), raised.clone());
        let kind = match methods {
            Methods::Aqm(methods) => methods.kind(py, own_name, link, raised)?,
            Methods::Discipline(methods) => {
                give(queue, "mtu", || Ok(link.mtu.0))?;
                methods.kind(py, own_name, &scenario.flow_names(), raised)
            }
        };
        Ok(ForeignQueue { direction, name, kind })
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
