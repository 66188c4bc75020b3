//! Statistics of links and flows, in simulated time and in real time.
//!
//! A driver with a clock reports what happens at each direction of a link to the [`Tap`] of its
//! [`Instruments`], lets them [tick](Instruments::tick) in time, and gets the result
//! [document](Instruments::document) from them. So a simulated run, a run in real time and a replay
//! count the same things in the same way, and can be compared. What is particular to a driver stays
//! there: where the bytes of a [`Capture`] come from, and how flows know their [`Gauges`].
//!
//! In all names, a packet is *offered* to a queue, which may *drop* or *mark* it; it *departs* onto
//! the wire, which may *lose* it; otherwise it is *delivered* at the far end.
//!
//! Flows are numbered in the order of
//! [`Scenario::flow_names`](scenario::Scenario::flow_names).

mod calls;
mod capture;
mod counters;
mod fates;
mod gauges;
mod hop_counts;
mod hop_table;
mod instruments;
mod link_state;
mod meter;
mod network;
mod others;
mod queue_state;
mod series;
mod stays;
mod tag;
mod timeline;

pub use capture::{Capture, CaptureOptions};
pub use counters::Counters;
use fates::{FateRecorder, Passage};
pub use fates::{fate_of_departed, fate_of_dropped};
pub use gauges::Gauges;
use hop_counts::HopCounts;
pub use instruments::{FlowReport, InstrumentOptions, Instruments, Run, Tap};
pub use link_state::LinkState;
use meter::Meter;
pub use network::{Network, NetworkFlow, Paths};
pub use queue_state::QueueState;
use series::SeriesRecorder;
pub use series::{BeginSeries, SeriesOptions, check_series_step};
pub use stays::{StayOptions, StayRecorder};
pub use tag::Tag;
use timeline::DirectionRecorder;
pub use timeline::{FlowRecorder, TimelineOptions, timeline_step};
