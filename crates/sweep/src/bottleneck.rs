//! The direction to which figures without a link refer.

use scenario::{Scenario, ScenarioError, Sweep};
use units::{DirectionId, Way};

/// The bottleneck of most runs, by its name, since its index may differ from run to run.
///
/// # Errors
/// If the first run is no valid scenario.
pub fn bottleneck(sweep: &Sweep) -> Result<(String, Way), ScenarioError> {
    /// The most points that are looked at, spread over the whole sweep.
    const LOOKS: u64 = 256;
    let first = sweep.scenario(0)?;
    let stride = sweep.len().div_ceil(LOOKS);
    let scenarios =
        (0..sweep.len()).step_by(stride as usize).filter_map(|at| sweep.scenario(at).ok());
    let mut votes: Vec<((String, Way), u32)> = Vec::new();
    for scenario in scenarios {
        let place = place(&scenario, scenario.bottleneck());
        match votes.iter_mut().find(|(known, _)| *known == place) {
            Some((_, votes)) => *votes += 1,
            None => votes.push((place, 1)),
        }
    }
    // Among equals the first one, hence `rev`.
    let most = votes.into_iter().rev().max_by_key(|(_, votes)| *votes);
    Ok(most.map_or_else(|| place(&first, first.bottleneck()), |(place, _)| place))
}

/// The name of a direction's link, and its way.
pub fn place(scenario: &Scenario, direction: DirectionId) -> (String, Way) {
    (scenario.links[direction.link()].name.clone(), direction.way())
}
