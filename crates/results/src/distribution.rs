//! Distributions of delays, from which cumulative curves are drawn.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::short::{self, milliseconds};
use stats::Histogram;
use units::PerWay;

/// Quantiles of the delays at each queue and in each flow, since the statistics began.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Distributions {
    /// The quantiles that the lists give, from 0 (the least delay) to 1 (the greatest), the denser
    /// the nearer to 1.
    #[serde(serialize_with = "short::list")]
    pub quantiles: Vec<f64>,
    /// Sojourns at each link, by the link's name.
    pub links: IndexMap<String, LinkDistributions>,
    /// Delays of each flow that has a timeline, by the flow's name: round trips, or one-way delays
    /// of datagrams. In milliseconds, one value a quantile; empty if there were none.
    #[serde(serialize_with = "short::lists")]
    pub flows: IndexMap<String, Vec<f64>>,
}

/// Sojourns of the packets that left the queue, in both directions of a link, in milliseconds: one
/// value a quantile, empty if there were none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LinkDistributions {
    /// The direction from `from` to `to`.
    #[serde(serialize_with = "short::list")]
    pub forward: Vec<f64>,
    /// The direction from `to` to `from`.
    #[serde(serialize_with = "short::list")]
    pub reverse: Vec<f64>,
}

impl Distributions {
    /// The list of quantiles, without any link or flow yet.
    pub fn new() -> Self {
        Self { quantiles: quantiles(), ..Self::default() }
    }

    /// Adds a link with the sojourns of each direction, in nanoseconds.
    pub fn add_link(&mut self, name: String, sojourns: PerWay<&Histogram>) {
        let PerWay { forward, reverse } = sojourns.map(|sojourns| self.values(sojourns));
        self.links.insert(name, LinkDistributions { forward, reverse });
    }

    /// Adds a flow with its delays, in nanoseconds.
    pub fn add_flow(&mut self, name: String, delays: &Histogram) {
        let delays = self.values(delays);
        self.flows.insert(name, delays);
    }

    fn values(&self, nanos: &Histogram) -> Vec<f64> {
        let quantiles = self.quantiles.iter();
        quantiles.filter_map(|q| nanos.quantile(*q)).map(milliseconds).collect()
    }
}

/// Every hundredth, then every thousandth of the last hundredth, and so on.
fn quantiles() -> Vec<f64> {
    let ten_thousandths = (0..9900)
        .step_by(100)
        .chain([10, 50, 9950])
        .chain((9900..9990).step_by(10))
        .chain(9990..=10_000);
    let mut quantiles: Vec<u32> = ten_thousandths.collect();
    quantiles.sort_unstable();
    quantiles.dedup();
    quantiles.into_iter().map(|part| f64::from(part) / 1e4).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_finer_towards_one() {
        let quantiles = quantiles();
        assert!(quantiles.len() <= 130 && quantiles.is_sorted_by(|one, other| one < other));
        for part in [0.0, 0.001, 0.005, 0.01, 0.5, 0.99, 0.995, 0.999, 0.9999, 1.0] {
            assert!(quantiles.contains(&part), "{part}");
        }
        let gap = |from: f64| {
            let next = quantiles.iter().find(|part| **part > from).unwrap();
            next - from
        };
        assert!(gap(0.5) > 9.0 * gap(0.995) && gap(0.995) > 9.0 * gap(0.9995));
    }

    #[test]
    fn curves_rise_from_the_least_to_the_greatest() {
        let mut sojourns = Histogram::new();
        (1..=1000).for_each(|micros| sojourns.record(micros * 1_234));
        let mut distributions = Distributions::new();
        let none = Histogram::new();
        let both = PerWay { forward: &sojourns, reverse: &none };
        distributions.add_link("uplink".into(), both);
        distributions.add_flow("ping".into(), &sojourns);
        let LinkDistributions { forward, reverse } = &distributions.links["uplink"];
        assert_eq!(forward.len(), distributions.quantiles.len());
        assert!(forward.is_sorted() && reverse.is_empty());
        assert_eq!((forward[0], *forward.last().unwrap()), (0.001234, 1.234));
        assert_eq!(distributions.flows["ping"], *forward);
        let median = distributions.quantiles.iter().position(|part| *part == 0.5).unwrap();
        assert!((forward[median] / 0.617 - 1.0).abs() < 0.004, "{}", forward[median]);
    }

    #[test]
    fn is_read_as_it_was_written() {
        let mut distributions = Distributions::new();
        let mut delays = Histogram::new();
        delays.record(20_000_000);
        distributions.add_flow("call".into(), &delays);
        distributions.add_link("uplink".into(), PerWay::new(|_| &delays));
        let text = serde_json::to_string(&distributions).unwrap();
        assert!(text.contains(r#""flows":{"call":[20,20,"#), "{text}");
        assert_eq!(serde_json::from_str::<Distributions>(&text).unwrap(), distributions);
    }
}
