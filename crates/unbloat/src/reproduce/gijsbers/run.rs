//! Runs the paper's experiments: each is a scenario file of this project and what a row of a table
//! changes in it, so that anyone can repeat a row with `unbloat sim FILE --set ...`.

use std::io::{self, Write};
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use results::Document;
use scenario::{Override, Scenario};
use sim::Options;

use super::Outcome;
use super::watch::Watch;
use crate::failure::Failure;
use crate::interrupt;
use crate::progress::Progress;

/// A scenario file of this project.
#[derive(Clone, Copy)]
pub(super) struct File {
    name: &'static str,
    text: &'static str,
}

macro_rules! file {
    ($name:literal) => {
        File {
            name: concat!("scenarios/papers/gijsbers/", $name),
            text: include_str!(concat!("../../../../../scenarios/papers/gijsbers/", $name)),
        }
    };
}

pub(super) const EXPERIMENT_1: File = file!("experiment-1.toml");
pub(super) const EXPERIMENT_2: File = file!("experiment-2.toml");
pub(super) const EXPERIMENT_3: File = file!("experiment-3.toml");
pub(super) const EXPERIMENTS_4_AND_5: File = file!("experiments-4-and-5.toml");

/// One run.
pub(super) struct Run {
    file: File,
    changes: Vec<Override>,
    /// Is each packet looked at?
    watched: bool,
}

impl Run {
    /// The experiment as its file has it.
    pub(super) fn of(file: File) -> Self {
        Self { file, changes: Vec::new(), watched: false }
    }

    /// Looks at each packet.
    pub(super) fn watched(self) -> Self {
        Self { watched: true, ..self }
    }

    /// With a buffer of so many frames.
    pub(super) fn buffer(self, frames: u32) -> Self {
        self.set("link.bottleneck.queue", format!("pfifo limit {frames}"))
    }

    /// With another rate of the bottleneck.
    pub(super) fn rate(self, rate: units::Rate) -> Self {
        self.set("link.bottleneck.rate", rate.to_string())
    }

    /// With a receive window of so many bytes.
    pub(super) fn window(self, bytes: u32) -> Self {
        self.set("flow.bulk.receive_window", format!("{bytes}B"))
    }

    fn set(mut self, path: &str, value: String) -> Self {
        self.changes.push(Override { path: path.into(), value });
        self
    }

    fn measure(&self, progress: impl FnMut(f64) -> bool) -> Result<Outcome, Failure> {
        let no_trace = |_: &str| Err(io::Error::from(io::ErrorKind::NotFound));
        let scenario = Scenario::parse(self.file.text, self.file.name, &self.changes, &no_trace)?;
        let watch = Watch::default();
        let options = Options {
            packets: self.watched.then(|| Box::new(watch.clone()) as Box<dyn Write>),
            progress: Some(Box::new(progress)),
            ..Options::default()
        };
        let document = sim::run(&scenario, options)
            .map_err(|error| Failure::Run(format!("cannot watch the packets: {error}")))?;
        let whole = document.interrupted_s.is_none();
        Ok(whole.then(|| Measured::of(&document, &watch, scenario.duration.as_secs_f64())))
    }
}

/// What one run gives.
#[derive(Clone)]
pub(super) struct Measured {
    /// Payload of the bulk flow, bytes a second.
    pub(super) bulk: Option<f64>,
    /// The same of the light flow.
    pub(super) light: Option<f64>,
    /// Mean of one segment at a time, seconds; of a watched run.
    pub(super) rtt: Option<f64>,
    /// At the bottleneck.
    pub(super) drops: f64,
    /// Mean over the queue's changes, frames; of a watched run.
    pub(super) queue: Option<f64>,
    /// Mean over time, frames.
    pub(super) standing_queue: Option<f64>,
    /// The mean round trip of a ping, seconds.
    pub(super) ping: Option<f64>,
    /// How many pings arrived a second.
    pub(super) pings: Option<f64>,
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
            ping: flow("ping").and_then(|ping| Some(ping.rtt_ms?.mean? / 1e3)),
            pings: flow("ping")
                .and_then(|ping| Some((ping.sent_packets? - ping.lost_packets?) as f64 / seconds)),
        }
    }
}

/// All of these, as many at a time as there are processors, in their order. After an interrupt
/// nothing comes of those that were not complete.
pub(super) fn measure(runs: &[Run], quiet: bool) -> Result<Vec<Outcome>, Failure> {
    let progress = Progress::of(runs.len(), quiet);
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let worker = || {
        while !interrupt::asked() {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(run) = runs.get(index) else { break };
            let result = run.measure(|done| {
                progress.report(index, done);
                !interrupt::asked()
            });
            results.lock().unwrap_or_else(PoisonError::into_inner).push((index, result));
        }
    };
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        for _ in 0..processors.min(runs.len()) {
            scope.spawn(worker);
        }
    });
    let mut measured = vec![None; runs.len()];
    for (index, result) in results.into_inner().unwrap_or_else(PoisonError::into_inner) {
        measured[index] = result?;
    }
    Ok(measured)
}
