//! The library behind `import unbloat`.
//!
//! What is here is small: a scenario that can be run, and the run with its result. The package in
//! `python/unbloat` makes of it what users meet, with its types and its documentation.

mod aqm;
mod claim;
mod column;
mod columns;
mod compare;
mod congestion;
mod directions;
mod discipline;
mod errors;
mod gym;
mod measurement;
mod plain;
mod queues;
mod raised;
mod recordings;
mod reproduce;
mod run;
mod runs;
mod scenario;
mod shown;
mod stepped;
mod sweep;
mod table;

use pyo3::prelude::*;

/// The module `unbloat._unbloat`. It needs no global lock: all classes are frozen, and their parts that
/// change are atomic or behind locks.
#[pymodule(gil_used = false)]
mod _unbloat {
    #[pymodule_export]
    use crate::aqm::{Packet, Queue};
    #[pymodule_export]
    use crate::column::Column;
    #[pymodule_export]
    use crate::compare::{compare_html, compare_json, compare_text};
    #[pymodule_export]
    use crate::congestion::{Ack, Window};
    #[pymodule_export]
    use crate::discipline::QueuedPacket;
    #[pymodule_export]
    use crate::errors::{BusyError, RunError};
    #[pymodule_export]
    use crate::gym::{Episode, Threads, step_episodes};
    #[pymodule_export]
    use crate::measurement::{diagnose, read_measurement};
    #[pymodule_export]
    use crate::recordings::{capture, replay};
    #[pymodule_export]
    use crate::reproduce::{papers, reproduce};
    #[pymodule_export]
    use crate::run::Run;
    #[pymodule_export]
    use crate::runs::{check_runs, read_runs, runs_html, runs_json, runs_text};
    #[pymodule_export]
    use crate::scenario::{Scenario, schema};
    #[pymodule_export]
    use crate::shown::Shown;
    #[pymodule_export]
    use crate::stepped::{FlowState, LinkState, Simulation};
    #[pymodule_export]
    use crate::sweep::{Plan, Store};
    #[pymodule_export]
    use crate::table::Table;

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__build__", crate::sweep::BUILD)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
