//! The scenarios of the line, and CAKE's settings.

use units::Span;

use super::paper;
use crate::run::{File, Run, paper_file};

/// Flent's test RRUL: four downloads and four uploads, a class each, and pings.
const RRUL: File = paper_file!("apnic/rrul.toml");
/// Flent's test `tcp_4down`: four downloads, or uploads, of one class, and a ping.
const FOUR: File = paper_file!("apnic/four.toml");

/// The step of the timelines, in which at most one answer to a ping comes back: Flent sends five a
/// second.
const STEP: Span = Span::from_millis(50);

/// The rates of CAKE's shapers in the router, in Mbit/s.
pub(super) const SHAPED: paper::BothWays = paper::BothWays { download: 280.0, upload: 45.0 };
/// The `rtt` that the author chose, in milliseconds.
pub(super) const RTT_MS: u32 = 70;

/// The classes of RRUL's streams: the ends of flows' names, and their names in plots.
pub(super) const CLASSES: [(&str, &str); 4] =
    [("be", "BE"), ("bk", "BK"), ("cs5", "CS5"), ("ef", "EF")];

/// RRUL over the line.
pub(super) fn rrul() -> Run {
    Run::of(RRUL).over_time(STEP)
}

/// RRUL over the line, with a field of each upload changed.
pub(super) fn with_uploads(run: Run, key: &str, value: &str) -> Run {
    let flow =
        |run: Run, (class, _): &(&str, &str)| run.set(&format!("flow.upload-{class}.{key}"), value);
    CLASSES.iter().fold(run, flow)
}

/// Four downloads alone.
pub(super) fn downloads() -> Run {
    Run::of(FOUR).over_time(STEP)
}

/// Four uploads alone.
pub(super) fn uploads() -> Run {
    downloads().set("flow.stream.from", "laptop").set("flow.stream.to", "server")
}

/// The run with CAKE in the router, in both directions, with this `rtt` in milliseconds and these
/// further options.
///
/// The article's router runs VyOS, whose CAKE has `bandwidth`, `rtt`, the isolation and `nat`, and
/// stands in front of the home's network for the downlink, as a queue of an `ifb` device.
pub(super) fn shaped(run: Run, rtt_ms: u32, options: &str) -> Run {
    let queue = |rate: f64, hosts: &str| {
        format!("cake bandwidth {rate}mbit rtt {rtt_ms}ms {hosts} nat{options}")
    };
    run.set("link.router.queue", queue(SHAPED.upload, "dual-srchost"))
        .set("link.router.reverse.queue", queue(SHAPED.download, "dual-dsthost"))
}

/// The article's CAKE.
pub(super) fn articles(run: Run) -> Run {
    shaped(run, RTT_MS, "")
}

/// The run with a round trip of `rtt_ms` milliseconds to the server.
pub(super) fn far(run: Run, rtt_ms: u32) -> Run {
    /// The part of the round trip that is not the internet's, in milliseconds.
    const LINE_MS: f64 = 10.2;
    run.set("link.internet.delay", format!("{}ms", (f64::from(rtt_ms) - LINE_MS) / 2.0))
}
