//! Runs the paper's experiments. Each is a scenario file of this project with the changes of one
//! row of a table, so that anyone can repeat a row with `unbloat sim FILE --set ...`.

use results::{Document, Extremes};
use units::Span;

use super::watch::Watch;
use crate::error::Error;
use crate::run::{self, File, Ran, paper_file};

pub(super) const EXPERIMENT_1: File = paper_file!("gijsbers/experiment-1.toml");
pub(super) const EXPERIMENT_2: File = paper_file!("gijsbers/experiment-2.toml");
pub(super) const EXPERIMENT_3: File = paper_file!("gijsbers/experiment-3.toml");
pub(super) const EXPERIMENTS_4_AND_5: File = paper_file!("gijsbers/experiments-4-and-5.toml");

/// A run of an experiment.
pub(super) struct Run {
    run: run::Run,
    /// True if each packet is observed.
    watched: bool,
}

impl Run {
    /// The experiment of this file, unchanged.
    pub(super) fn of(file: File) -> Self {
        Self { run: run::Run::of(file), watched: false }
    }

    /// The run with each packet observed.
    pub(super) fn watched(self) -> Self {
        Self { watched: true, ..self }
    }

    /// The run with a timeline of this step.
    pub(super) fn over_time(self, step: Span) -> Self {
        Self { run: self.run.over_time(step), ..self }
    }

    /// The run with a buffer of this many frames.
    pub(super) fn buffer(self, frames: u32) -> Self {
        self.set("link.bottleneck.queue", format!("pfifo limit {frames}"))
    }

    /// The run with this rate of the bottleneck.
    pub(super) fn rate(self, rate: units::Rate) -> Self {
        self.set("link.bottleneck.rate", rate.to_string())
    }

    /// The run with a receive window of this many bytes.
    pub(super) fn window(self, bytes: u32) -> Self {
        self.set("flow.bulk.receive_window", format!("{bytes}B"))
    }

    fn set(self, path: &str, value: String) -> Self {
        Self { run: self.run.set(path, value), ..self }
    }

    /// Simulates the run, and measures the quantities that the paper measured; `None` if `progress`
    /// ended the run.
    pub(super) fn measure(
        &self,
        progress: &mut dyn FnMut(f64) -> bool,
    ) -> Result<Option<Measured>, Error> {
        let watch = Watch::default();
        let packets = self.watched.then(|| watch.sink());
        let ran = self.run.simulate(packets, progress)?;
        Ok(ran.map(|Ran { document, seconds }| Measured::of(&document, &watch, seconds)))
    }
}

/// The results of one run.
#[derive(Clone)]
pub(super) struct Measured {
    /// The bulk flow's goodput, payload bytes a second.
    pub(super) bulk: Option<f64>,
    /// The light flow's goodput, payload bytes a second.
    pub(super) light: Option<f64>,
    /// The mean round trip of one segment at a time, in seconds; `None` unless the run is watched.
    pub(super) rtt: Option<f64>,
    /// The drops at the bottleneck.
    pub(super) drops: f64,
    /// The mean queue over its changes, in frames; `None` unless the run is watched.
    pub(super) queue: Option<f64>,
    /// The mean queue over time, in frames.
    pub(super) standing_queue: Option<f64>,
    /// The longest round trip of a segment, seconds.
    pub(super) longest: Option<f64>,
    /// The mean round trip of a ping, seconds.
    pub(super) ping: Option<f64>,
    /// The longest round trip of a ping, in seconds.
    pub(super) longest_ping: Option<f64>,
    /// The pings that were delivered, per second.
    pub(super) pings: Option<f64>,
    /// The round trips of pings in milliseconds, in steps of the given seconds; `None` without a
    /// timeline.
    pub(super) ping_over_time: Option<(f64, Extremes)>,
    /// The backlog at the bottleneck in frames, in steps of the given seconds; `None` without a
    /// timeline.
    pub(super) queue_over_time: Option<(f64, Extremes)>,
}

impl Measured {
    fn of(document: &Document, watch: &Watch, seconds: f64) -> Self {
        let flow = |name: &str| document.flows.get(name);
        let goodput = |name: &str| Some(flow(name)?.delivered_bytes? as f64 / seconds);
        let bottleneck = document.links.get("bottleneck").map(|link| &link.forward);
        Self {
            bulk: goodput("bulk"),
            light: goodput("light"),
            rtt: watch.mean_rtt(),
            drops: bottleneck.map_or(0.0, |link| link.drops.total() as f64),
            queue: watch.mean_queue(),
            standing_queue: bottleneck.and_then(|link| link.backlog_packets.mean),
            longest: flow("bulk").and_then(|bulk| Some(bulk.rtt_ms?.max? / 1e3)),
            ping: flow("ping").and_then(|ping| Some(ping.rtt_ms?.mean? / 1e3)),
            longest_ping: flow("ping").and_then(|ping| Some(ping.rtt_ms?.max? / 1e3)),
            pings: flow("ping")
                .and_then(|ping| Some((ping.sent_packets? - ping.lost_packets?) as f64 / seconds)),
            ping_over_time: document.timeline.as_ref().and_then(|timeline| {
                Some((timeline.step_s, timeline.flows.get("ping")?.rtt_ms.clone()))
            }),
            queue_over_time: document.timeline.as_ref().and_then(|timeline| {
                let bottleneck = &timeline.links.get("bottleneck")?.forward;
                Some((timeline.step_s, bottleneck.backlog_packets.clone()))
            }),
        }
    }
}
