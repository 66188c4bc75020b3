//! What a search for the rate of a shaper found: the part `tuning` of the treatment document.

use serde::{Deserialize, Serialize};

/// A search for the highest rates that keep the queues short.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tuning {
    /// The delay of others up to which a rate is short, in milliseconds.
    pub target_ms: f64,
    /// The search in the direction from the provider; `None` if it is not shaped.
    pub download: Option<TunedDirection>,
    /// The search in the direction to the provider; `None` if it is not shaped.
    pub upload: Option<TunedDirection>,
}

/// The search in one direction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TunedDirection {
    /// The tests, in their order.
    pub trials: Vec<Trial>,
    /// The reason why the search ended.
    pub stopped: Stop,
    /// The highest rate of the shaper, in Mbit/s, that kept others within the target in each of its tests;
    /// `None` if none did.
    #[serde(default)]
    pub found_mbit: Option<f64>,
    /// The lowest rate, in Mbit/s, that did not: the bound of what was found. `None` if all did.
    #[serde(default)]
    pub too_high_mbit: Option<f64>,
}

/// A test with one rate of the shaper.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Trial {
    /// The rate of the shaper, in Mbit/s, in packets as long as they are on the line.
    pub bandwidth_mbit: f64,
    /// The added delay of others, in milliseconds: the most that its 95th percentile can be; `None` if
    /// it could not be told.
    pub added_p95_ms: Option<f64>,
    /// The rate of IP packets, in Mbit/s; `None` if it was not measured.
    pub rate_mbit: Option<f64>,
    /// True if others used the line during the test.
    pub shared: bool,
}

/// The reason why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// The highest short rate and the lowest long one are close together.
    Close,
    /// There were enough tests.
    Tests,
    /// The delay was long at a quarter of the line's rate too: the queue is somewhere else, or no shaper has
    /// such a short delay there.
    NeverShort,
    /// The direction was not measured, or the delay of others could not be told in two tests with one rate.
    NotMeasured,
    /// The search was interrupted, or the change failed.
    Interrupted,
}

impl TunedDirection {
    /// The last test with the rate that was found; `None` if no rate was short.
    pub fn found(&self) -> Option<&Trial> {
        self.last(self.found_mbit?)
    }

    /// The last test with the rate that is too high; `None` if none was long.
    pub fn too_high(&self) -> Option<&Trial> {
        self.last(self.too_high_mbit?)
    }

    fn last(&self, bandwidth_mbit: f64) -> Option<&Trial> {
        self.trials.iter().rev().find(|trial| trial.bandwidth_mbit == bandwidth_mbit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_lies_between_two_tests() {
        let trial = |bandwidth_mbit, p95: f64| Trial {
            bandwidth_mbit,
            added_p95_ms: Some(p95),
            ..Trial::default()
        };
        let trials = vec![trial(1.9, 8.0), trial(2.0, 7.0), trial(2.1, 300.0), trial(2.0, 29.0)];
        let (found_mbit, too_high_mbit) = (Some(2.0), Some(2.1));
        let tuned = TunedDirection { trials, stopped: Stop::Close, found_mbit, too_high_mbit };
        let delays = [tuned.found(), tuned.too_high()].map(|trial| trial.unwrap().added_p95_ms);
        assert_eq!(delays, [Some(29.0), Some(300.0)]);
        let none = TunedDirection { found_mbit: None, ..tuned };
        assert_eq!(none.found(), None);
    }
}
