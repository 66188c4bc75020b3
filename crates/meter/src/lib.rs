//! Statistics of links and flows, in simulated time and in real time.
//!
//! A driver with a clock reports the events of each direction to a [`Meter`] and, where wanted, to
//! a [`FateRecorder`], a [`SeriesRecorder`] and a [`Timekeeper`]. Their results are in the terms of
//! [`results`]. So a simulated run and a run in real time count the same things in the same way,
//! and can be compared.
//!
//! Directions are numbered in the order of the links: `2 n` is link `n` forward, `2 n + 1` its way
//! back. Flows are numbered in the order of
//! [`Scenario::flow_names`](scenario::Scenario::flow_names).

mod calls;
mod counters;
mod fates;
mod gauges;
mod hop_counts;
mod meter;
mod others;
mod outcome;
mod series;
mod timeline;

pub use calls::judge_calls;
pub use counters::Counters;
pub use fates::{FateRecorder, Passage, fate_of_departed, fate_of_dropped};
pub use gauges::Gauges;
pub use hop_counts::{HopCounts, Shares, charge, fairness};
pub use meter::Meter;
pub use others::{Others, Sample};
pub use outcome::{carried, distributions};
pub use series::{SeriesOptions, SeriesRecorder};
pub use timeline::{
    DirectionRecorder, FlowRecorder, Timekeeper, TimelineRecorder, kept_flows, timeline_step,
};
