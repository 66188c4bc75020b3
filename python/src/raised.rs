//! The exception that ends a run.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;

/// The place of the exception that ends a run: the first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Raised(Arc<Mutex<Option<PyErr>>>);

impl Raised {
    pub(crate) fn note(&self, error: PyErr) {
        self.get().get_or_insert(error);
    }

    pub(crate) fn is_some(&self) -> bool {
        self.get().is_some()
    }

    /// Looks whether somebody has pressed Ctrl-C; false if what runs is to end.
    pub(crate) fn goes_on(&self) -> bool {
        if let Err(error) = Python::attach(|py| py.check_signals()) {
            self.note(error);
        }
        !self.is_some()
    }

    pub(crate) fn take(&self) -> Option<PyErr> {
        self.get().take()
    }

    fn get(&self) -> MutexGuard<'_, Option<PyErr>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
