//! Measurements beside the load, as RRUL asks for them: a call, a page that is loaded again and
//! again, and the processor load of both machines meanwhile.

use serde::{Deserialize, Serialize};

use crate::{DelaySpread, short};

/// A call while the path was loaded: a frame of G.711 each 20 ms, there and back.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Call {
    /// Class of the call's packets: `EF`.
    pub class: String,
    /// The direction from the server to us.
    pub download: CallDirection,
    /// The direction from us to the server.
    pub upload: CallDirection,
}

/// A direction of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CallDirection {
    /// Delay from one end to the other, in milliseconds: half of the path's least round trip, plus
    /// the frames' delay beyond the least.
    pub delay_ms: DelaySpread,
    /// Interarrival jitter, in milliseconds: see [`Jitter`](stats::Jitter).
    pub jitter_ms: DelaySpread,
    /// Part of the frames that were never delivered, 0 to 1; `None` if it is not known.
    pub loss: Option<f64>,
    /// Mean opinion score, 1 to 4.5: see [`e_model`](crate::e_model). `None` if no frame was
    /// delivered.
    pub mos: Option<f64>,
}

/// A page that was loaded again and again, one at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PageLoads {
    /// Number of the page's parts, which are loaded one after the other, each over a new
    /// connection.
    pub objects: u32,
    /// Bytes of each part.
    pub object_bytes: u64,
    /// Median time to load the page on the idle path, in seconds; `None` if half of the loads
    /// failed.
    pub idle_s: Option<f64>,
    /// Median time to load the page while the path was loaded, in seconds; `None` if half of the
    /// loads failed.
    pub p50_s: Option<f64>,
    /// 95th percentile of that time, in seconds; `None` if more than 5 of 100 loads failed.
    pub p95_s: Option<f64>,
    /// Number of times that loading the page began while the path was loaded.
    pub loads: u32,
    /// Number of those times at which the page was never delivered in full.
    pub failed: u32,
}

/// The processor load of both machines while the path was loaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Processors {
    /// Processor load of our machine.
    pub client: ProcessorLoad,
    /// Processor load of the server's machine; all `None` if the server does not report it.
    pub server: ProcessorLoad,
}

/// Processor load of a machine; `None` where it is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProcessorLoad {
    /// Busy part of the busiest processor, 0 to 1: the 90th percentile of the samples.
    pub busiest: Option<f64>,
    /// Processor time that the test itself took, on average, as a part of one processor: more than
    /// 1 if it took several.
    pub own: Option<f64>,
}

/// Loads of a page over time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PageSeries {
    /// Start of each load, in seconds from the beginning of the test.
    #[serde(serialize_with = "short::list")]
    pub at_s: Vec<f64>,
    /// Time that each load took, in seconds; `None` if it never ended.
    #[serde(serialize_with = "short::list_or_missing")]
    pub took_s: Vec<Option<f64>>,
}
