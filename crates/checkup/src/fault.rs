//! How a finding is written down.

use std::fmt::Display;

use results::{Fact, Fault, FaultName, Severity, Step};

/// A finding at a place, without evidence yet.
pub(crate) fn fault(name: FaultName, severity: Severity, place: impl Into<String>) -> Fault {
    let (evidence, remedy) = (Vec::new(), Step::default());
    Fault { name, severity, place: place.into(), evidence, remedy }
}

/// What is added to a finding.
pub(crate) trait Told: Sized {
    /// With a value that the machine said.
    fn seen(self, what: impl Into<String>, value: impl Display) -> Self;
    /// With what to do, and the commands for it, a line each.
    fn cured(self, text: &str, commands: impl Into<String>) -> Self;
}

impl Told for Fault {
    fn seen(mut self, what: impl Into<String>, value: impl Display) -> Self {
        self.evidence.push(Fact { what: what.into(), value: value.to_string() });
        self
    }

    fn cured(mut self, text: &str, commands: impl Into<String>) -> Self {
        self.remedy = Step::new(text, commands);
        self
    }
}
