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
    /// The highest rate of the shaper, in Mbit/s, that kept others within the target; `None` if none did.
    #[serde(default)]
    pub found_mbit: Option<f64>,
    /// The lowest higher one, in Mbit/s, that did not, or of which it is not known: the bound of what was
    /// found. `None` if none was higher.
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
    /// The delay was long at a quarter of the line's rate too: the queue is somewhere else.
    NeverShort,
    /// The direction was not measured.
    NotMeasured,
    /// The search was interrupted, or the change failed.
    Interrupted,
}

impl TunedDirection {
    /// A search with these tests for a delay of at most `target_ms`.
    pub fn of(trials: Vec<Trial>, stopped: Stop, target_ms: f64) -> Self {
        let mut this = Self { trials, stopped, found_mbit: None, too_high_mbit: None };
        this.found_mbit = this.highest_short(target_ms).map(|trial| trial.bandwidth_mbit);
        this.too_high_mbit = this.lowest_long(target_ms).map(|trial| trial.bandwidth_mbit);
        this
    }

    /// The test with the highest rate that kept others within `target_ms`; `None` if none did.
    pub fn highest_short(&self, target_ms: f64) -> Option<&Trial> {
        let is_short = |trial: &&Trial| trial.added_p95_ms.is_some_and(|p95| p95 <= target_ms);
        self.trials.iter().filter(is_short).max_by(|one, other| by_bandwidth(one, other))
    }

    /// The test with the lowest rate above that one which did not, or of which it is not known;
    /// `None` if none was higher.
    pub fn lowest_long(&self, target_ms: f64) -> Option<&Trial> {
        let short = self.highest_short(target_ms).map_or(0.0, |trial| trial.bandwidth_mbit);
        let is_long = |trial: &&Trial| {
            trial.bandwidth_mbit > short && trial.added_p95_ms.is_none_or(|p95| p95 > target_ms)
        };
        self.trials.iter().filter(is_long).min_by(|one, other| by_bandwidth(one, other))
    }
}

fn by_bandwidth(one: &Trial, other: &Trial) -> std::cmp::Ordering {
    one.bandwidth_mbit.total_cmp(&other.bandwidth_mbit)
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
        let trials = vec![trial(2.4, 400.0), trial(1.9, 8.0), trial(2.1, 300.0), trial(2.0, 29.0)];
        let tuned = TunedDirection::of(trials, Stop::Close, 30.0);
        assert_eq!([tuned.found_mbit, tuned.too_high_mbit], [Some(2.0), Some(2.1)]);
        let bounds = [tuned.highest_short(30.0), tuned.lowest_long(30.0)];
        assert_eq!(bounds.map(|trial| trial.unwrap().bandwidth_mbit), [2.0, 2.1]);
        assert_eq!(tuned.highest_short(5.0), None);
        assert_eq!(tuned.lowest_long(5.0).unwrap().bandwidth_mbit, 1.9);
        assert_eq!(tuned.lowest_long(500.0), None);
    }
}
