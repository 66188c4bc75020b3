//! The nodes of a scenario, which are told apart by their numbers.

use indexmap::IndexSet;
use scenario::Scenario;

/// The nodes in the order in which the links name them.
pub(crate) fn nodes(scenario: &Scenario) -> IndexSet<&str> {
    scenario.links.iter().flat_map(|link| [link.from.as_str(), link.to.as_str()]).collect()
}
