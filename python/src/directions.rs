//! The directions of a scenario, where parts in Python have their places.

use ::scenario::Scenario;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use units::{DirectionId, Rng};

/// The direction with this name, which `owner` names.
pub(crate) fn direction_named(
    scenario: &Scenario,
    owner: &str,
    name: &str,
) -> PyResult<DirectionId> {
    scenario.named_direction(name).ok_or_else(|| {
        let names = scenario.direction_names().join(", ");
        PyValueError::new_err(format!(
            "{owner} names {name:?}, which is no direction of a link; there are {names}"
        ))
    })
}

/// The random stream of a direction's queue: a function of the seed and of the direction's name.
pub(crate) fn randomness(scenario: &Scenario, direction: DirectionId) -> Rng {
    let mut directions = scenario.directions();
    let (_, randomness) =
        directions.nth(direction.index()).expect("the scenario has the direction");
    randomness.queue
}

/// Gives an object an attribute, unless it has one of this name.
pub(crate) fn give<'py, T: IntoPyObject<'py>>(
    object: &Bound<'py, PyAny>,
    name: &str,
    value: impl FnOnce() -> PyResult<T>,
) -> PyResult<()> {
    if object.hasattr(name)? {
        return Ok(());
    }
    // A frozen dataclass refuses its own `__setattr__`.
    let base = object.py().get_type::<PyAny>();
    base.call_method1("__setattr__", (object, name, value()?)).map(drop)
}

/// The numbers of a random stream as Python has them: a `random.Random`.
pub(crate) fn random(py: Python<'_>, mut rng: Rng) -> PyResult<Bound<'_, PyAny>> {
    py.import("random")?.getattr("Random")?.call1((rng.next_u64(),))
}
