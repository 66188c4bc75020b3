//! Timelines: quantities over time, from which plots are drawn.
//!
//! Time is cut into steps of equal length. For a quantity that is sampled (a sojourn, a window) a
//! step keeps the lowest and the highest value, so that no peak is lost however coarse the steps
//! are. For a quantity that is counted (bytes, drops) it keeps the sum.

#[cfg(feature = "schema")]
use crate::each_way::EachWay;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use units::{PerWay, Span};

use crate::short;

/// Quantities over time, from the beginning of the run, warm-up included.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Timeline {
    /// Length of a step, in seconds. Value `i` of each list covers `i * step_s..(i + 1) * step_s`.
    /// All lists have the same length.
    pub step_s: f64,
    /// Timelines of the links, by name.
    #[cfg_attr(
        feature = "schema",
        schemars(with = "IndexMap<String, EachWay<DirectionTimeline>>")
    )]
    pub links: IndexMap<String, LinkTimeline>,
    /// Timelines of the flows, by name.
    pub flows: IndexMap<String, FlowTimeline>,
    /// Number of further flows, which were not recorded: with hundreds of flows, only some are.
    #[serde(default)]
    pub omitted_flows: usize,
}

impl Timeline {
    /// Number of lists of numbers of a direction of a link.
    pub const LISTS_OF_DIRECTION: usize = 7;
    /// Number of lists of numbers of a flow.
    pub const LISTS_OF_FLOW: usize = 5;
    /// Largest number of steps: few screens have more columns of pixels.
    pub const MOST_STEPS: usize = 2000;

    /// A round step for this time and this number of lists. Such a step gives at most
    /// [`MOST_STEPS`](Self::MOST_STEPS) steps, and fewer, but hundreds still, if the document would
    /// otherwise grow beyond about 1.5 MB.
    pub fn step_for(duration: Span, lists: usize) -> Span {
        /// Largest number of numbers in a document; a number and its comma take about seven
        /// characters.
        const MOST_NUMBERS: usize = 200_000;
        const FEWEST_STEPS: usize = 200;
        const SHORTEST_NANOS: u64 = 1_000_000;
        let steps = (MOST_NUMBERS / lists.max(1)).clamp(FEWEST_STEPS, Self::MOST_STEPS);
        let least = duration.as_nanos().div_ceil(steps as u64);
        let decades = std::iter::successors(Some(SHORTEST_NANOS), |nanos| nanos.checked_mul(10));
        let mut round = decades.flat_map(|nanos| [1, 2, 5].map(|one| nanos.saturating_mul(one)));
        round.find(|nanos| *nanos >= least).map_or(Span::MAX, Span::from_nanos)
    }
}

/// Both directions of a link.
pub type LinkTimeline = PerWay<DirectionTimeline>;

/// A direction of a link over time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DirectionTimeline {
    /// Sojourns of the packets that left the queue, in milliseconds; `None` where none left it.
    pub sojourn_ms: Extremes,
    /// Packets in the queue.
    pub backlog_packets: Extremes,
    /// Bytes that were delivered to the far end.
    pub delivered_bytes: Vec<u64>,
    /// Packets dropped or lost, whatever the cause, without those of a filter of acknowledgements.
    pub drops: Vec<u64>,
    /// Packets marked with congestion experienced (CE).
    pub marks: Vec<u64>,
}

/// A flow over time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FlowTimeline {
    /// Congestion window, in segments; all `None` for a flow that has none, or several.
    pub cwnd_segments: Extremes,
    /// Measured round trips, in milliseconds; `None` where none was measured.
    pub rtt_ms: Extremes,
    /// Application bytes delivered.
    pub delivered_bytes: Vec<u64>,
}

/// The lowest and the highest value of a quantity in each step; `None` where it had none. For a
/// quantity that lasts, such as a backlog, the value at the beginning of a step counts too.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Extremes {
    /// The lowest values.
    #[serde(serialize_with = "short::list_or_missing")]
    pub low: Vec<Option<f64>>,
    /// The highest values.
    #[serde(serialize_with = "short::list_or_missing")]
    pub high: Vec<Option<f64>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round_and_few() {
        let step = |seconds: f64, lists| Timeline::step_for(Span::from_secs_f64(seconds), lists);
        for (seconds, lists, millis) in [
            (0.0, 0, 1),
            (0.5, 20, 1),
            (2.0, 20, 1),
            (10.0, 20, 5),
            (300.0, 20, 200),
            (60.0, 100, 50),
        ] {
            assert_eq!(step(seconds, lists), Span::from_millis(millis), "{seconds} s, {lists}");
        }
        for lists in [1, 38, 148, 1000, 100_000] {
            for seconds in [3.0, 61.7, 86_400.0, 1e9] {
                let steps = seconds / step(seconds, lists).as_secs_f64();
                let most = (200_000.0 / lists as f64).clamp(200.0, 2000.0);
                assert!(steps <= most && steps > most / 2.6, "{steps} of {most}");
            }
        }
        assert_eq!(Timeline::step_for(Span::MAX, 1), Span::from_secs(10_000_000));
    }

    #[test]
    fn numbers_are_short_and_read_as_they_were_written() {
        let steps =
            |first| Extremes { low: vec![Some(first), None], high: vec![Some(first), None] };
        let forward = DirectionTimeline { sojourn_ms: steps(1.5), ..DirectionTimeline::default() };
        let link = LinkTimeline { forward, ..LinkTimeline::default() };
        let flow = FlowTimeline {
            cwnd_segments: steps(10.0),
            delivered_bytes: vec![0, 0],
            ..FlowTimeline::default()
        };
        let timeline = Timeline {
            step_s: 0.01,
            links: [("uplink".into(), link)].into(),
            flows: [("backup".into(), flow)].into(),
            omitted_flows: 0,
        };
        let text = serde_json::to_string(&timeline).unwrap();
        for part in [
            r#"{"step_s":0.01,"#,
            r#""sojourn_ms":{"low":[1.5,null],"high":[1.5,null]},"#,
            r#""cwnd_segments":{"low":[10,null],"high":[10,null]},"#,
            r#""delivered_bytes":[0,0]}"#,
            r#""omitted_flows":0}"#,
        ] {
            assert!(text.contains(part), "{part} is not in {text}");
        }
        assert_eq!(serde_json::from_str::<Timeline>(&text).unwrap(), timeline);
    }
}
