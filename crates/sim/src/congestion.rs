//! The congestion controls of the caller.

use scenario::Scenario;
use transport::cc::Factory;

/// A congestion control of the caller for the connections of a flow, in place of the one that the
/// scenario names.
pub struct ForeignCongestion {
    /// The index of the flow in [`Scenario::flows`]; all members of a `count` have the same factory.
    pub flow: usize,
    /// The maker of the congestion controls: one for each end of each connection.
    pub factory: Factory,
}

impl ForeignCongestion {
    /// Checks that the scenario has the flow, and that the flow has connections.
    ///
    /// # Errors
    /// What is wrong, in a sentence.
    pub(crate) fn check(&self, scenario: &Scenario) -> Result<(), String> {
        let flow = scenario.flows.get(self.flow);
        let flow = flow.ok_or_else(|| format!("the scenario has no flow {}", self.flow))?;
        if flow.traffic.is_tcp() {
            return Ok(());
        }
        Err(format!("the flow {} has no TCP, and no congestion control to replace", flow.name))
    }
}
