//! What was done beside the load, as RRUL wants it: a call, and a page again and again; and how busy
//! both machines were meanwhile.

use serde::{Deserialize, Serialize};

use crate::{DelaySpread, short};

/// A call while the path was loaded: a frame of G.711 each 20 ms, there and back.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// Its class: `EF`.
    pub class: String,
    /// From the server to us.
    pub download: CallDirection,
    /// From us to the server.
    pub upload: CallDirection,
}

/// One direction of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CallDirection {
    /// From one end to the other: half of the path's least round trip, and what frames waited beyond
    /// it; milliseconds.
    pub delay_ms: DelaySpread,
    /// Interarrival jitter, milliseconds: see [`Jitter`](crate::Jitter).
    pub jitter_ms: DelaySpread,
    /// Part of the frames that never arrived, 0 to 1.
    pub loss: Option<f64>,
    /// Mean opinion score, 1 to 4.5: see [`e_model`](crate::e_model).
    pub mos: Option<f64>,
}

/// A page that was loaded again and again, one at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PageLoads {
    /// Its parts, each over a new connection, one after the other.
    pub objects: u32,
    /// Bytes of each part.
    pub object_bytes: u64,
    /// Median time to load it while nothing was loaded, in seconds.
    pub idle_s: Option<f64>,
    /// Median time while the path was loaded, in seconds; `None` if half of them never came.
    pub p50_s: Option<f64>,
    /// 95th percentile of that; `None` if more than 5 of 100 never came.
    pub p95_s: Option<f64>,
    /// How often it was begun while the path was loaded.
    pub loads: u32,
    /// How often it never came.
    pub failed: u32,
}

/// How busy both machines were while the path was loaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Processors {
    /// Ours.
    pub client: Busy,
    /// The server's; all `None` if it does not tell.
    pub server: Busy,
}

/// How busy a machine was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Busy {
    /// Which part of its busiest processor was busy, 0 to 1: 9 of 10 samples were no more.
    pub busiest: Option<f64>,
    /// Which part of one processor the test itself took, on average; more than 1 if it took several.
    pub own: Option<f64>,
}

/// Pages over time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PageSeries {
    /// Begun at, in seconds from the beginning.
    #[serde(serialize_with = "short::list")]
    pub at_s: Vec<f64>,
    /// How long it took, in seconds; `None` if it never came.
    #[serde(serialize_with = "short::list_or_missing")]
    pub took_s: Vec<Option<f64>>,
}
