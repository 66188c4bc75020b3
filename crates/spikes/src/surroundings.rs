//! What was seen beside the probes: the load of the interface, the wake-ups of this machine, its Wi-Fi.

use std::collections::VecDeque;

use observation::{Heading, WatchedSecond};
use stats::Histogram;
use units::{Bytes, Span, Time};

/// The time for which loads and seconds are remembered: the longest spike, and what was before it.
const REMEMBERED: Span = Span::from_secs(900);
/// The delay after which a calm second counts: a queue that is about to fill strikes no probe yet.
const SETTLED: Span = Span::from_secs(10);
/// The calm seconds after which the older half of what they carried is forgotten: half a day.
const GENERATION: u64 = 43_200;
/// The calm seconds without which it is not known what the line carries calmly.
const LEAST_CALM: u64 = 60;
/// The time over which a greatest rate up counts. A queue behind the interface takes a burst that the line does not carry:
/// one of two seconds adds a fifth over this time.
const SUSTAINED_UP: Span = Span::from_secs(10);
/// That down: what came in has passed the line, and only a Wi-Fi may have held it up.
const SUSTAINED_DOWN: Span = Span::from_secs(2);
/// The quantile of the rates of calm seconds that stands for what the line carries without a queue.
const CALM_QUANTILE: f64 = 0.98;

/// The part of a rate from which another one is about it, and from which it is the same.
const ABOUT: f64 = 0.5;
const SAME: f64 = 0.8;

/// The bytes that passed the interface since the report before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// The end of the time in which they passed.
    pub at: Time,
    /// The time in which they passed.
    pub during: Span,
    /// The bytes that may have passed the line.
    pub line: Traffic,
    /// The bytes to and from hosts on the interface's own link, which did not reach the line.
    pub local: Traffic,
}

/// Bytes of both directions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Bytes that left.
    pub up: Bytes,
    /// Bytes that came in.
    pub down: Bytes,
}

/// The network that a load is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    Line,
    Local,
}

/// A direction of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Flow {
    pub(crate) scope: Scope,
    pub(crate) heading: Heading,
}

impl Flow {
    const ALL: [Self; 4] = [
        Self { scope: Scope::Line, heading: Heading::Up },
        Self { scope: Scope::Line, heading: Heading::Down },
        Self { scope: Scope::Local, heading: Heading::Up },
        Self { scope: Scope::Local, heading: Heading::Down },
    ];

    pub(crate) const fn opposite(self) -> Self {
        Self { heading: self.heading.opposite(), ..self }
    }

    const fn index(self) -> usize {
        2 * self.scope as usize + self.heading as usize
    }
}

impl Load {
    const fn bytes(&self, flow: Flow) -> u64 {
        let traffic = match flow.scope {
            Scope::Line => self.line,
            Scope::Local => self.local,
        };
        match flow.heading {
            Heading::Up => traffic.up.0,
            Heading::Down => traffic.down.0,
        }
    }
}

/// The surroundings of the last minutes, and what the line carried calmly.
#[derive(Clone, Debug, Default)]
pub(crate) struct Surroundings {
    loads: VecDeque<Load>,
    seconds: VecDeque<WatchedSecond>,
    /// The end of the last second whose load was counted as calm, or not.
    counted: Time,
    /// By [`Flow::index`].
    carried: [Carried; 4],
}

/// The rates that a flow carried, in bytes a second.
#[derive(Clone, Debug, Default)]
struct Carried {
    calm: [Histogram; 2],
    greatest: f64,
    /// The greatest rate of a load that is known to have filled the line.
    filled: f64,
    /// The rate of the last load that may have filled it, before any was known to.
    supposed: f64,
    /// The rate of the last load that may have filled a slower queue before the first hop.
    supposed_near: f64,
}

impl Surroundings {
    pub(crate) fn take_load(&mut self, load: Load) {
        self.loads.push_back(load);
        let old = self.loads.partition_point(|it| it.at < load.at - REMEMBERED);
        self.loads.drain(..old);
    }

    pub(crate) fn take_second(&mut self, second: WatchedSecond) {
        self.seconds.push_back(second);
        let old = self.seconds.partition_point(|it| it.at < second.at - REMEMBERED);
        self.seconds.drain(..old);
    }

    /// Counts the loads of seconds that have passed; `is_calm` says whether nothing was struck at a time.
    pub(crate) fn count_calm(&mut self, now: Time, is_calm: impl Fn(Time) -> bool) {
        self.counted = self.counted.max(now - REMEMBERED);
        while self.counted + SETTLED + Span::from_secs(1) < now {
            let (from, to) = (self.counted, self.counted + Span::from_secs(1));
            for flow in Flow::ALL {
                let Some(rate) = self.rate(flow, from, to) else { continue };
                let sustained = self.sustained(flow, to);
                let carried = &mut self.carried[flow.index()];
                carried.greatest = carried.greatest.max(sustained);
                if is_calm(to) {
                    carried.count(rate as u64);
                }
            }
            self.counted = to;
        }
    }

    /// The mean rate in bytes a second from one time to another; `None` if no report lies in it.
    pub(crate) fn rate(&self, flow: Flow, from: Time, to: Time) -> Option<f64> {
        let (bytes, during) = self.passed(flow, from, to);
        (!during.is_zero()).then(|| bytes as f64 / during.as_secs_f64())
    }

    /// The bytes that passed from one time to another, and the time of which that is known.
    fn passed(&self, flow: Flow, from: Time, to: Time) -> (u64, Span) {
        let first = self.loads.partition_point(|it| it.at <= from);
        let loads = self.loads.range(first..).take_while(|it| it.at <= to);
        loads.fold((0, Span::ZERO), |(bytes, during), it| {
            (bytes + it.bytes(flow), during + it.during)
        })
    }

    /// The rate that was sustained until a time, in bytes a second.
    fn sustained(&self, flow: Flow, to: Time) -> f64 {
        let time = sustained(flow.heading);
        self.passed(flow, to - time, to).0 as f64 / time.as_secs_f64()
    }

    /// The rates of whole seconds, the last one ending at `to` or later, in bytes a second.
    pub(crate) fn rates(&self, flow: Flow, from: Time, to: Time) -> Vec<f64> {
        let seconds = to.since(from).as_secs_f64().ceil().max(1.0) as u64;
        let second = |n| from + Span::from_secs(1) * n;
        (0..seconds).filter_map(|n| self.rate(flow, second(n), second(n + 1))).collect()
    }

    /// The rate that the line carries without a queue, in bytes a second; `None` if too little was seen.
    pub(crate) fn calm_rate(&self, flow: Flow) -> Option<f64> {
        let [young, old] = &self.carried[flow.index()].calm;
        let mut all = young.clone();
        all.merge(old);
        (all.count() >= LEAST_CALM).then(|| all.quantile(CALM_QUANTILE))?.map(|it| it as f64)
    }

    /// The greatest sustained rate that was ever seen, in bytes a second.
    pub(crate) fn greatest_rate(&self, flow: Flow) -> f64 {
        self.carried[flow.index()].greatest
    }

    /// The greatest rate from one time to another, in bytes a second: sustained, or the mean of a shorter time.
    pub(crate) fn greatest_within(&self, flow: Flow, from: Time, to: Time) -> f64 {
        let (length, least) = (to.since(from), sustained(flow.heading));
        if length < least {
            return self.rate(flow, from, to).unwrap_or(0.0);
        }
        let seconds = (length - least).as_secs_f64() as u64;
        let ends = (0..=seconds).map(|n| to - Span::from_secs(1) * n);
        ends.map(|end| self.sustained(flow, end)).fold(0.0, f64::max)
    }

    /// Notes that a load of this rate in bytes a second filled the line.
    pub(crate) fn note_filled(&mut self, flow: Flow, rate: f64) {
        let carried = &mut self.carried[flow.index()];
        carried.filled = carried.filled.max(rate);
    }

    /// Notes that a load of this rate in bytes a second may have filled the line.
    pub(crate) fn suppose_filled(&mut self, flow: Flow, rate: f64) {
        self.carried[flow.index()].supposed = rate;
    }

    /// Notes that a load of this rate in bytes a second may have filled a queue before the first hop that is slower than
    /// what the interface has carried.
    pub(crate) fn suppose_near(&mut self, flow: Flow, rate: f64) {
        self.carried[flow.index()].supposed_near = rate;
    }

    /// True if the last load that may have filled such a queue had the same rate.
    pub(crate) fn has_filled_near(&self, flow: Flow, rate: f64) -> bool {
        is_same(rate, self.carried[flow.index()].supposed_near)
    }

    /// Forgets what the line has carried until now.
    pub(crate) fn forget_rates(&mut self, now: Time) {
        self.carried = Default::default();
        // The time over which a rate is sustained would reach back.
        self.counted = now + SUSTAINED_UP.max(SUSTAINED_DOWN);
    }

    /// True if a load of about this rate in bytes a second, or of more, has filled the line before. Two loads that may
    /// have filled it show its rate if they had the same: loads that only began and ended with those of others
    /// have any rate.
    pub(crate) fn has_filled(&self, flow: Flow, rate: f64) -> bool {
        let Carried { filled, supposed, .. } = &self.carried[flow.index()];
        *filled >= ABOUT * rate || is_same(rate, *supposed)
    }

    /// The seconds that ended from one time to another.
    pub(crate) fn seconds(&self, from: Time, to: Time) -> impl Iterator<Item = &WatchedSecond> {
        let first = self.seconds.partition_point(|it| it.at < from);
        self.seconds.range(first..).take_while(move |it| it.at <= to)
    }
}

/// True if two rates are the same, as far as the rates of loads are.
fn is_same(one: f64, other: f64) -> bool {
    one.min(other) >= SAME * one.max(other)
}

/// The time over which a greatest rate counts.
const fn sustained(heading: Heading) -> Span {
    match heading {
        Heading::Up => SUSTAINED_UP,
        Heading::Down => SUSTAINED_DOWN,
    }
}

impl Carried {
    fn count(&mut self, rate: u64) {
        self.calm[0].record(rate);
        if self.calm[0].count() >= GENERATION {
            self.calm[1] = std::mem::take(&mut self.calm[0]);
        }
    }
}
