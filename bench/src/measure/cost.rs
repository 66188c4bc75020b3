//! The cost of a test, and the load that it can make.

use std::net::Ipv4Addr;
use std::path::Path;

use lab::Namespace;
use results::{LoadedDirection, Measurement};
use serde::{Deserialize, Serialize};

use super::run_case::{Cost, children, serve, test};

/// The results over the loopback of an otherwise idle machine.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Loopback {
    pub(super) download: Loaded,
    pub(super) upload: Loaded,
    /// The cost of the test, all stages together.
    pub(super) client: Cost,
    pub(super) duration_s: f64,
}

/// The results of one direction.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Loaded {
    pub(super) goodput_mbit: Option<f64>,
    /// The delays of the probes meanwhile, where no queue should exist.
    pub(super) p50_ms: Option<f64>,
    pub(super) p99_ms: Option<f64>,
}

/// Tests the loopback of a new namespace. It needs a process of its own with one thread.
pub(super) fn run(unbloat: &Path, more: &[String]) -> Result<Loopback, String> {
    lab::isolate().map_err(|error| error.to_string())?;
    let alone = Namespace::new().map_err(|error| error.to_string())?;
    let serving = serve(None, &alone, unbloat)?;
    let tested = test(&alone, Ipv4Addr::LOCALHOST, unbloat, more);
    let client = children();
    drop(serving);
    let measurement: Measurement =
        serde_json::from_slice(&tested?).map_err(|error| error.to_string())?;
    let loaded = |direction: Option<&LoadedDirection>| {
        direction.map_or_else(Loaded::default, |direction| Loaded {
            goodput_mbit: direction.goodput_mbit,
            p50_ms: direction.added_delay_ms.p50,
            p99_ms: direction.added_delay_ms.p99,
        })
    };
    Ok(Loopback {
        download: loaded(measurement.download.as_ref()),
        upload: loaded(measurement.upload.as_ref()),
        client,
        duration_s: measurement.duration_s,
    })
}
