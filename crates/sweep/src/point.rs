//! A run of a sweep, with or without success.

use std::any::Any;
use std::io;
use std::panic::{self, AssertUnwindSafe};

use results::{Document, LinkDirection, figures_of};
use scenario::{Scenario, ScenarioError, Sweep};

use crate::row::Row;

/// A function that runs a scenario. It calls the given function with the share of the run that is
/// done, from 0 to 1, and goes on as long as that returns true.
pub type Simulate<'a> =
    dyn Fn(&Scenario, &mut dyn FnMut(f64) -> bool) -> io::Result<Document> + Sync + 'a;

/// The runs of a sweep, which can be done in any order.
#[derive(Clone, Copy)]
pub struct Points<'a> {
    /// The sweep.
    pub sweep: &'a Sweep,
    /// The direction to which figures without a link refer.
    pub bottleneck: LinkDirection<'a>,
    /// The function that runs a scenario.
    pub simulate: &'a Simulate<'a>,
}

impl Points<'_> {
    /// Does a run. A failure also gives a row, and so does a panic where the program unwinds;
    /// `None` if the run was interrupted.
    pub fn row(&self, run: u64, go_on: &mut dyn FnMut(f64) -> bool) -> Option<Row> {
        let values = self.sweep.values(run);
        let failed = |error: String| {
            Some(Row { run, values: values.clone(), error: Some(error), figures: Vec::new() })
        };
        let scenario = match self.sweep.scenario(run) {
            Ok(scenario) => scenario,
            Err(error) => return failed(in_one_line(&error)),
        };
        // All state that a panic may leave broken is dropped with the run.
        let work = AssertUnwindSafe(|| (self.simulate)(&scenario, go_on));
        match panic::catch_unwind(work) {
            Ok(Ok(document)) if document.interrupted_s.is_some() => None,
            Ok(Ok(document)) => {
                let finite = |(name, value): (String, Option<f64>)| {
                    (name, value.filter(|value| value.is_finite()))
                };
                let figures = figures_of(&document, self.bottleneck);
                let figures = figures.into_iter().map(finite).collect();
                Some(Row { run, values, error: None, figures })
            }
            Ok(Err(error)) => failed(error.to_string()),
            Err(panic) => failed(format!("the simulator panicked: {}", message(&*panic))),
        }
    }
}

fn in_one_line(error: &ScenarioError) -> String {
    let field = if error.field.is_empty() { "" } else { ": " };
    format!("{}{field}{}", error.field, error.message)
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a word")
}
