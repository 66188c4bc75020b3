//! Runs the stages of a plan: starts and stops the load, watches the path, and decides when a stage
//! is over.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use kernel::Clock;
use observation::{Ended, ForeignProbe, Heading, Incomplete, Load, Stage};
use tokio::task::JoinSet;
use tokio::time::{Interval, MissedTickBehavior, interval};
use units::{Rate, Span, Time};

use super::control::Control;
use super::flow::Common;
use super::foreign::foreign;
use super::host::Host;
use super::live_stats::{LiveStats, Window};
use super::loading::{Loading, headings};
use super::page::Pages;
use super::plan::{Plan, Planned, Rule};
use super::probe::Prober;
use super::probe_budget::{SMALLEST, blind_interval, packets, probe_interval, small_segment};
use super::progress::{Progress, Side, Watch};
use super::record::Record;
use super::stage_end::{is_delayed, is_drained, is_growing};
use super::watchdog::{Trouble, Watchdog};

/// The time between two looks at the state of the test.
const TICK: Duration = Duration::from_millis(50);

/// The time between two reports of progress, and between two looks at this machine.
const REPORT_INTERVAL: Span = Span::from_millis(100);

/// The time of load after which a direction's rate is known.
const A_WHILE: Span = Span::from_millis(500);

/// The length of the past that a report of progress covers.
const RECENT: Span = Span::from_millis(300);

/// The most delay that counts as noise of an idle path. More is a queue, from the load of others.
const NOISIEST: Span = Span::from_millis(10);

/// The time to wait for the server's notes when the path seems lost.
const NOTES_PATIENCE: Span = Span::from_secs(2);

/// The time after which, without any answer, probes count as never answered.
const BLIND: Span = Span::from_secs(1);

pub(super) struct Engine<'a, 'w> {
    pub(super) plan: &'a Plan,
    pub(super) common: Arc<Common>,
    pub(super) clock: Clock,
    pub(super) control: Control,
    pub(super) prober: Prober,
    pub(super) watch: &'a mut Watch<'w>,
    pub(super) watchdog: Watchdog,
    pub(super) host: Host,
    pub(super) live: LiveStats,
    pub(super) record: Record,
    pub(super) foreign: JoinSet<io::Result<ForeignProbe>>,
    pub(super) pages: Pages,
    /// The delay that an idle path adds.
    pub(super) noise: Span,
    pub(super) told: Time,
    pub(super) asked: Time,
}

impl Engine<'_, '_> {
    /// Runs all stages, until one ends the test early.
    pub(super) async fn run(&mut self) {
        let mut tick = interval(TICK);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        for (index, planned) in self.plan.stages.iter().enumerate() {
            if self.is_needless(planned) {
                continue;
            }
            let later = self.plan.stages[index + 1..].iter().map(Planned::least).sum();
            let ended = self.stage(planned, later, &mut tick).await;
            if is_early(ended) {
                break;
            }
            self.learn(planned.load);
        }
        self.finish(&mut tick).await;
    }

    /// Runs one stage. `later` is the time that later stages need.
    async fn stage(&mut self, planned: &Planned, later: Span, tick: &mut Interval) -> Ended {
        let start = self.clock.now();
        if planned.load == Load::Drain {
            self.control.ask(start).await;
        }
        let (load, segment) = (planned.load, self.segment(planned.load).unwrap_or(SMALLEST));
        let mut loading = Loading::start(&self.common, load, &self.plan.flows, segment, start);
        let before = [Heading::Up, Heading::Down].map(|heading| self.live.bytes(heading));
        let mut until = Time::MAX;
        let ended = loop {
            let waiting = self.clock.now();
            tick.tick().await;
            let now = self.clock.now();
            self.watchdog.note_lateness(now.since(waiting));
            self.look(&loading, before, now);
            let paged = self.plan.pages && load != Load::Drain;
            self.pages.look(&self.common, paged, now);
            self.adapt_probes(load, segment, start, now);
            if now.since(self.told) >= REPORT_INTERVAL && !self.tell(planned, start, later, now) {
                self.record.trouble = Some(Incomplete::Interrupted);
                break Ended::Interrupted;
            }
            if let Some(trouble) = self.trouble(&loading, now) {
                self.record.trouble = Some(trouble.why);
                until = trouble.until;
                break trouble.ended;
            }
            if let Some(ended) = self.ended(planned, start, later, now) {
                break ended;
            }
            if planned.rule != Rule::Exact {
                loading.fill(&self.live, now, self.noise);
            }
        };
        let stage = Stage { load: planned.load, start, end: self.clock.now(), ended };
        self.record.end(stage, until);
        for flow in loading.end().await {
            match flow {
                Ok(loaded) => self.record.flows.push(loaded),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => self.watchdog.note_failed(&error),
            }
        }
        ended
    }

    /// Takes what has been received, and starts the connections beside the load.
    fn look(&mut self, loading: &Loading, before: [u64; 2], now: Time) {
        self.live.take_all(self.prober.seen());
        for (heading, before) in [Heading::Up, Heading::Down].into_iter().zip(before) {
            self.live.count(heading, now, before + loading.bytes(heading));
        }
        self.take_foreign();
        // Where no probe is answered, only these connections show delays, and keep the test alive
        // at the server.
        let is_blind = self.is_blind(now);
        let is_due = now.since(self.asked) >= self.foreign_interval(is_blind);
        if is_due && (is_blind || !loading.is_idle()) {
            self.asked = now;
            let Common { server, test, .. } = &*self.common;
            self.foreign.spawn(foreign(*server, test.clone(), self.clock));
        }
    }

    /// The time between two connections beside the load: shorter where they replace probes.
    fn foreign_interval(&self, is_blind: bool) -> Span {
        let rates = [Heading::Up, Heading::Down].map(|heading| self.rate(heading));
        let slower = rates.into_iter().flatten().min();
        if is_blind { blind_interval(self.plan, slower) } else { self.plan.foreign_interval }
    }

    /// Takes the results of connections beside the load; those that failed show nothing.
    fn take_foreign(&mut self) {
        while let Some(ended) = self.foreign.try_join_next() {
            self.record.foreign.extend(ended.ok().and_then(Result::ok));
        }
    }

    /// Reports the progress. Returns true if the test is to go on.
    fn tell(&mut self, planned: &Planned, start: Time, later: Span, now: Time) -> bool {
        self.told = now;
        let lateness = self.prober.lateness();
        self.watchdog.note_lateness(lateness);
        self.record.host.push(self.host.sample(lateness));
        let recent = Window::before(now, RECENT);
        let added = self.live.added(recent);
        let side = |heading, added: Option<Span>| {
            let loaded = headings(planned.load).contains(&heading);
            let rate = loaded.then(|| self.live.rate(heading, recent)).flatten();
            Side { rate, added }
        };
        let left = self.least(planned).saturating_sub(now.since(start));
        let elapsed = now.since(Time::ZERO);
        let progress = Progress {
            elapsed,
            expected: elapsed + left + later,
            load: Some(planned.load),
            longer: self.is_longer(planned, start, now),
            up: side(Heading::Up, added.map(|added| added.up)),
            down: side(Heading::Down, added.map(|added| added.down)),
        };
        (self.watch)(&progress)
    }

    /// The most delay that queues have added to a round trip so far.
    fn queues(&self, now: Time) -> Span {
        self.live.peak(Window { from: Time::ZERO, to: now })
    }

    /// The trouble that makes it useless to go on; `None` if there is none.
    fn trouble(&mut self, loading: &Loading, now: Time) -> Option<Trouble> {
        self.control.is_collecting(now, self.queues(now));
        let mtu = self.host.interface().and_then(|interface| interface.mtu);
        self.watchdog.look(&self.live, loading, self.control.gone(), mtu, now)
    }

    /// The way in which the stage has ended; `None` if it goes on.
    fn ended(&mut self, planned: &Planned, start: Time, later: Span, now: Time) -> Option<Ended> {
        let is_all = now + later >= Time::ZERO + self.plan.most;
        let least = if is_all { planned.time } else { self.least(planned) };
        let is_due = now.since(start) >= least;
        match planned.rule {
            Rule::Exact => is_due.then_some(Ended::Planned),
            Rule::UntilDrained => {
                // By then all packets are gone that waited when the load stopped.
                let most = self.live.peak(Window::before(start, Span::from_secs(1)));
                let is_due =
                    now.since(start) >= planned.time.min(most * 3 / 2 + Span::from_secs(1));
                let is_drained = is_drained(&self.live, start, now, self.noise);
                let is_over = is_due || is_drained;
                (is_over && !self.control.is_collecting(now, self.queues(now)))
                    .then_some(Ended::Planned)
            }
            _ if !is_due => None,
            _ if !is_growing(&self.live, headings(planned.load), start, now) => {
                let is_longer = self.is_longer(planned, start, now);
                Some(if is_longer { Ended::Settled } else { Ended::Planned })
            }
            _ => is_all.then_some(Ended::StillGrowing),
        }
    }

    /// The least time of a stage: twice as long where no probe is answered, since the connections
    /// that replace probes are few, and a short queue drops many of them.
    fn least(&self, planned: &Planned) -> Span {
        let is_seen = matches!((planned.rule, planned.load), (Rule::UntilSettled, Load::One(_)));
        let is_coarse = is_seen && self.is_blind(self.clock.now());
        if is_coarse { planned.time * 2 } else { planned.least() }
    }

    /// True if a stage that began at `start` lasts longer than planned, by more than the time that
    /// noticing the end takes.
    fn is_longer(&self, planned: &Planned, start: Time, now: Time) -> bool {
        let may_be = matches!(planned.rule, Rule::UntilSettled | Rule::IfDelayed);
        may_be && now.since(start) > self.least(planned) + REPORT_INTERVAL
    }

    /// True if no probe was answered so far.
    fn is_blind(&self, now: Time) -> bool {
        self.live.last().is_none() && now >= Time::ZERO + BLIND
    }

    /// True if a stage would show nothing more than those before it.
    fn is_needless(&self, planned: &Planned) -> bool {
        let last = self.record.stages.last().map(|stage| stage.load);
        match (planned.rule, planned.load) {
            (Rule::UntilDrained, _) => last == Some(Load::Drain),
            (Rule::IfDelayed, Load::Small(heading)) => {
                let large =
                    self.record.stages.iter().find(|stage| stage.load == Load::One(heading));
                let is_delayed = |stage: &Stage| {
                    let window = Window::before(stage.end, Span::from_secs(1));
                    is_delayed(&self.live, window, self.noise)
                };
                !large.is_some_and(is_delayed) || self.segment(planned.load).is_none()
            }
            _ => false,
        }
    }

    /// The payload of a small segment, in bytes; `None` if the acknowledgements of even the largest
    /// small segments would fill the opposite direction.
    fn segment(&self, load: Load) -> Option<u32> {
        let Load::Small(heading) = load else { return Some(SMALLEST) };
        small_segment(self.rate(heading), self.rate(heading.opposite()))
    }

    /// Learns from the last stage what later ones need.
    fn learn(&mut self, load: Load) {
        let Some(stage) = self.record.stages.last() else { return };
        let all = Window { from: stage.start, to: stage.end };
        if load == Load::Idle {
            self.noise = self.live.round_trip(all, 0.9).unwrap_or_default().min(NOISIEST);
        }
    }

    /// Sets the probes' interval so that the rates allow it, also if only this stage shows a rate.
    fn adapt_probes(&self, load: Load, segment: u32, start: Time, now: Time) {
        let recent = Window { from: start.max(now - Span::from_secs(1)), to: now };
        let is_telling = |heading| load.loads(heading) && now.since(start) >= A_WHILE;
        let rates = [Heading::Up, Heading::Down].map(|heading| {
            let current = is_telling(heading).then(|| self.live.rate(heading, recent)).flatten();
            self.rate(heading).or(current)
        });
        let interval = probe_interval(self.plan, rates, load, packets(load, segment));
        self.prober.set_interval(interval);
    }

    /// The rate of a direction at the end of the stage in which this direction alone was loaded;
    /// `None` if it is not known.
    fn rate(&self, heading: Heading) -> Option<Rate> {
        let stage = self.record.stages.iter().find(|stage| stage.load == Load::One(heading))?;
        let second = Span::from_secs(1).min(stage.end.since(stage.start));
        self.live.rate(heading, Window::before(stage.end, second))
    }

    /// Waits for data that are still on the path, and for the server's notes.
    async fn finish(&mut self, tick: &mut Interval) {
        let end = self.clock.now();
        let recent = Window::before(end, Span::from_secs(2));
        let wait = self.live.peak(recent) * 3 / 2 + Span::from_millis(200);
        let is_lost = self.record.stages.last().is_some_and(|stage| stage.ended == Ended::Lost);
        self.prober.stop_sending();
        if self.control.gone().is_none() {
            self.control.ask(end).await;
        }
        loop {
            tick.tick().await;
            let now = self.clock.now();
            self.take_foreign();
            self.pages.look(&self.common, false, now);
            let is_collecting = self.control.is_collecting(now, self.queues(now));
            // Nothing more arrives over a path that is lost.
            let is_hopeless =
                self.control.gone().is_some() || is_lost && now.since(end) > NOTES_PATIENCE;
            if is_hopeless || !is_collecting && now.since(end) >= wait {
                break;
            }
        }
        self.record.foreign.sort_unstable_by_key(|foreign| foreign.at);
        self.record.pages = std::mem::take(&mut self.pages).end(self.clock.now());
        self.live.take_all(self.prober.seen());
    }
}

/// True if this end of a stage ends the test.
fn is_early(ended: Ended) -> bool {
    use Ended::{Interrupted, LargeLost, Lost, StoodStill};
    matches!(ended, Interrupted | Lost | LargeLost | StoodStill)
}
