//! The measurement of a direction: load until goodput has settled, then until responsiveness has.
//!
//! Every interval adds one load-generating connection. Probes are sent all the while. When the
//! goodput of the last intervals no longer changes the path is full, and from then on the
//! responsiveness must stop changing. A figure that has not settled in its half of the time has a
//! lower confidence.
//!
//! Specification: draft-ietf-ippm-responsiveness-09, "Final Algorithm" and "Confidence of
//! Test-Results".
//! Deviations: none; where it leaves things open,
//! - a moving average exists once MAD intervals are over;
//! - a probe counts in the interval in which it was completed;
//! - each of the two stages has half of the time at most, as in the draft's example.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use observation::Heading;
use results::{Confidence, Finding, ForeignTimes, IncompleteResponsiveness, LoadedResponsiveness};
use tokio::task::JoinSet;
use tokio::time::MissedTickBehavior;
use units::{Rng, Span, Time};

use super::connection::Dialer;
use super::load::Load;
use super::machine::Watch;
use super::probe::{self, Allowance, ProbeKind, ProbeResult};
use crate::configuration::Urls;
use crate::score::{Foreign, Means};
use crate::settling::Settling;
use crate::{Error, Parameters};

/// The most unanswered probes: a path that no longer answers gets no more of them.
const UNANSWERED: usize = 512;

/// The progress of a direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// The direction of the load.
    pub heading: Heading,
    /// The number of finished intervals.
    pub intervals: usize,
    /// True if goodput has settled, or its time is over.
    pub saturated: bool,
    /// The number of load-generating connections.
    pub connections: usize,
    /// The goodput of the last interval, in Mbit/s.
    pub goodput_mbit: f64,
    /// The responsiveness over the last MAD intervals, or fewer at the beginning, in round trips a
    /// minute. `None` without probes.
    pub rpm: Option<f64>,
}

/// The observations of an interval.
#[derive(Default)]
struct Interval {
    span: Span,
    bytes: u64,
    foreign: Vec<Foreign>,
    loaded: Vec<Span>,
}

/// A direction that is being measured.
pub(crate) struct MeasuredDirection {
    heading: Heading,
    parameters: Parameters,
    dialer: Dialer,
    urls: Arc<Urls>,
    random: Rng,
    begun: Time,
    loads: Vec<Load>,
    dialing: JoinSet<Result<Load, Error>>,
    probes: JoinSet<Result<ProbeResult, Error>>,
    allowance: Allowance,
    failed_probes: usize,
    watch: Watch,
    /// The time of a TCP handshake and of an answer on the idle path, in milliseconds.
    idle: [f64; 2],
    /// The total bytes at the end of the previous interval, and its time.
    before: (u64, Time),
    current: Interval,
    /// The last MAD intervals.
    past: VecDeque<Interval>,
    intervals: usize,
    goodput: Settling,
    goodput_settled: bool,
    /// The interval in which the second stage began. `None` before.
    saturated: Option<usize>,
    responsiveness: Settling,
    responsiveness_settled: bool,
}

impl MeasuredDirection {
    /// A direction whose measurement has not begun.
    pub(crate) fn new(
        heading: Heading,
        parameters: Parameters,
        dialer: Dialer,
        urls: Arc<Urls>,
        idle: ForeignTimes,
    ) -> Self {
        let settling = Settling::new(parameters.distance, parameters.tolerance);
        let now = dialer.clock.now();
        Self {
            heading,
            parameters,
            urls,
            random: Rng::new(now.as_nanos()),
            begun: now,
            loads: Vec::new(),
            dialing: JoinSet::new(),
            probes: JoinSet::new(),
            allowance: Allowance::new(&parameters),
            failed_probes: 0,
            watch: Watch::new(dialer.clock),
            idle: [idle.tcp, idle.http].map(Option::unwrap_or_default),
            before: (0, now),
            current: Interval::default(),
            past: VecDeque::new(),
            intervals: 0,
            goodput: settling.clone(),
            goodput_settled: false,
            saturated: None,
            responsiveness: settling,
            responsiveness_settled: false,
            dialer,
        }
    }

    /// Measures until the direction is finished or `stop` returns true: the figures, and the reason
    /// if it ended early.
    pub(crate) async fn run(
        mut self,
        stop: &dyn Fn() -> bool,
        tell: &mut dyn FnMut(Progress),
    ) -> (LoadedResponsiveness, Option<IncompleteResponsiveness>) {
        let period = Duration::from_secs(1) / self.parameters.most_probes.max(1);
        let mut ticks = tokio::time::interval(period);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        self.add_connections(self.parameters.initial_connections);
        let reason = loop {
            let due = ticks.tick().await;
            self.watch.woke(Span::from_nanos(due.elapsed().as_nanos() as u64));
            if stop() {
                break Some(IncompleteResponsiveness::Interrupted);
            }
            if let Err(error) = self.collect().await {
                let error = error.to_string();
                break Some(IncompleteResponsiveness::LoadFailed { error });
            }
            self.probe();
            if self.dialer.clock.now().since(self.before.1) >= self.parameters.interval {
                self.end_interval();
                tell(self.progress());
                if self.responsiveness_settled || self.intervals >= self.parameters.most_intervals {
                    break None;
                }
                self.add_connections(self.parameters.added_connections);
            }
        };
        (self.findings(), reason)
    }

    fn add_connections(&mut self, count: usize) {
        let most = self.parameters.most_connections;
        let room = most.saturating_sub(self.loads.len() + self.dialing.len());
        for _ in 0..count.min(room) {
            let job = Load::start(self.dialer.clone(), self.urls.clone(), self.heading);
            self.dialing.spawn(job);
        }
    }

    /// Collects the results of connections and probes.
    ///
    /// # Errors
    /// If a load-generating connection failed: "the test should be aborted".
    async fn collect(&mut self) -> Result<(), Error> {
        while let Some(load) = self.dialing.try_join_next() {
            self.loads.push(load.map_err(|error| Error::Start(error.to_string()))??);
        }
        for load in &mut self.loads {
            if let Some(error) = load.failure().await {
                return Err(error);
            }
        }
        while let Some(probe) = self.probes.try_join_next() {
            match probe {
                Ok(Ok(ProbeResult::Foreign(times))) => self.current.foreign.push(times),
                Ok(Ok(ProbeResult::Loaded(time))) => self.current.loaded.push(time),
                Ok(Err(_)) | Err(_) => self.failed_probes += 1,
            }
        }
        Ok(())
    }

    fn transferred(&self) -> u64 {
        self.loads.iter().map(Load::transferred).sum()
    }

    /// Sends the next probe, if the allowance permits one.
    fn probe(&mut self) {
        if self.loads.is_empty() || self.probes.len() >= UNANSWERED {
            return;
        }
        let small = self.urls.small.clone();
        match self.allowance.ask(self.transferred()) {
            Some(ProbeKind::Foreign) => {
                self.probes.spawn(probe::foreign(self.dialer.clone(), small));
            }
            Some(ProbeKind::Loaded) => {
                // "uniformly and randomly select from the active load-generating connections"
                let which = self.random.below(self.loads.len() as u64) as usize;
                let connection = self.loads[which].connection.clone();
                self.probes.spawn(probe::loaded(connection, self.dialer.clock, small));
            }
            None => {}
        }
    }

    fn end_interval(&mut self) {
        let (transferred, now) = (self.transferred(), self.dialer.clock.now());
        self.current.bytes = transferred.saturating_sub(self.before.0);
        self.current.span = now.since(self.before.1);
        self.before = (transferred, now);
        self.past.push_back(std::mem::take(&mut self.current));
        if self.past.len() > self.parameters.distance {
            self.past.pop_front();
        }
        self.intervals += 1;
        match self.saturated {
            None => self.judge_goodput(),
            Some(_) => self.judge_responsiveness(),
        }
    }

    fn judge_goodput(&mut self) {
        if self.past.len() == self.parameters.distance {
            self.goodput_settled = self.goodput.add(self.goodput_mbit().unwrap_or(0.0));
        }
        if self.goodput_settled || 2 * self.intervals >= self.parameters.most_intervals {
            self.saturated = Some(self.intervals);
        }
    }

    fn judge_responsiveness(&mut self) {
        if let Some(rpm) = self.means().rpm() {
            self.responsiveness_settled = self.responsiveness.add(rpm);
        }
    }

    /// The moving average of goodput in Mbit/s, over at most MAD intervals. `None` before the
    /// first.
    fn goodput_mbit(&self) -> Option<f64> {
        let bytes: u64 = self.past.iter().map(|interval| interval.bytes).sum();
        let seconds: f64 = self.past.iter().map(|interval| interval.span.as_secs_f64()).sum();
        (seconds > 0.0).then(|| bytes as f64 * 8.0 / seconds / 1e6)
    }

    fn means(&self) -> Means {
        let foreign: Vec<_> =
            self.past.iter().flat_map(|interval| &interval.foreign).copied().collect();
        let loaded: Vec<_> =
            self.past.iter().flat_map(|interval| &interval.loaded).copied().collect();
        Means::of(&foreign, &loaded, self.parameters.kept_percent)
    }

    fn progress(&self) -> Progress {
        let last = self.past.back().map_or(0.0, |interval| {
            interval.bytes as f64 * 8.0 / 1e6 / interval.span.as_secs_f64().max(f64::MIN_POSITIVE)
        });
        Progress {
            heading: self.heading,
            intervals: self.intervals,
            saturated: self.saturated.is_some(),
            connections: self.loads.len(),
            goodput_mbit: last,
            rpm: self.means().rpm(),
        }
    }

    fn findings(&self) -> LoadedResponsiveness {
        let means = self.means();
        let goodput_intervals = self.saturated.unwrap_or(self.intervals);
        let foreign_probes = self.past.iter().map(|interval| interval.foreign.len()).sum();
        let loaded_probes = self.past.iter().map(|interval| interval.loaded.len()).sum();
        let fewest = usize::min(foreign_probes, loaded_probes);
        let limit = self.machine(&means);
        let surest = if limit.is_some() { Confidence::Low } else { Confidence::High };
        LoadedResponsiveness {
            rpm: means.rpm(),
            foreign_rpm: means.foreign_rpm(),
            loaded_rpm: means.loaded_rpm(),
            foreign_ms: ForeignTimes { tcp: means.tcp, tls: means.tls, http: means.http },
            loaded_ms: means.loaded,
            goodput_mbit: self.goodput_mbit(),
            goodput_confidence: self.confidence(self.goodput_settled, goodput_intervals),
            rpm_standard_error: means.rpm_error(),
            rpm_confidence: self
                .confidence(self.responsiveness_settled, self.intervals - goodput_intervals)
                .min(self.parameters.confidence_of(fewest, &means))
                .min(surest),
            congestion: self.congestion(),
            connections: self.loads.len(),
            foreign_probes,
            loaded_probes,
            failed_probes: self.failed_probes,
            duration_s: self.dialer.clock.now().since(self.begun).as_secs_f64(),
            processor: self.watch.busy(),
            late_ms: self.watch.late_ms(),
            findings: limit.into_iter().collect(),
        }
    }

    /// A finding if this machine was the limit; `None` otherwise.
    fn machine(&self, means: &Means) -> Option<Finding> {
        let [handshake, answer] = self.idle;
        self.watch.finding(means.tcp? - handshake, means.loaded? - answer)
    }

    /// The congestion controls of the senders, each name once. `None` if none is known.
    fn congestion(&self) -> Option<String> {
        let mut names: Vec<_> = self.loads.iter().filter_map(Load::congestion).collect();
        names.sort_unstable();
        names.dedup();
        (!names.is_empty()).then(|| names.join(", "))
    }

    /// The confidence in a figure: "Low" for a stage without MAD intervals, "Medium" for one that
    /// did not settle.
    fn confidence(&self, settled: bool, intervals: usize) -> Confidence {
        match (settled, intervals >= self.parameters.distance) {
            (true, _) => Confidence::High,
            (false, true) => Confidence::Medium,
            (false, false) => Confidence::Low,
        }
    }
}
