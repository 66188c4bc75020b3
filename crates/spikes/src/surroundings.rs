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

/// The bytes that passed the interface since the report before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// The end of the time in which they passed.
    pub at: Time,
    /// The time in which they passed.
    pub during: Span,
    /// Bytes that left.
    pub up: Bytes,
    /// Bytes that came in.
    pub down: Bytes,
}

impl Load {
    const fn bytes(&self, heading: Heading) -> u64 {
        match heading {
            Heading::Up => self.up.0,
            Heading::Down => self.down.0,
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
    up: Carried,
    down: Carried,
}

/// The rates that one direction carried, in bytes a second.
#[derive(Clone, Debug, Default)]
struct Carried {
    calm: [Histogram; 2],
    greatest: f64,
    /// The greatest rate of a load that filled the line, as far as could be seen.
    filled: f64,
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
            for heading in Heading::BOTH {
                let Some(rate) = self.rate(heading, from, to) else { continue };
                let sustained = self.sustained(heading, to);
                let carried = self.carried(heading);
                carried.greatest = carried.greatest.max(sustained);
                if is_calm(to) {
                    carried.count(rate as u64);
                }
            }
            self.counted = to;
        }
    }

    /// The mean rate in bytes a second from one time to another; `None` if no report lies in it.
    pub(crate) fn rate(&self, heading: Heading, from: Time, to: Time) -> Option<f64> {
        let (bytes, during) = self.passed(heading, from, to);
        (!during.is_zero()).then(|| bytes as f64 / during.as_secs_f64())
    }

    /// The bytes that passed from one time to another, and the time of which that is known.
    fn passed(&self, heading: Heading, from: Time, to: Time) -> (u64, Span) {
        let first = self.loads.partition_point(|it| it.at <= from);
        let loads = self.loads.range(first..).take_while(|it| it.at <= to);
        loads.fold((0, Span::ZERO), |(bytes, during), it| {
            (bytes + it.bytes(heading), during + it.during)
        })
    }

    /// The rate that was sustained until a time, in bytes a second.
    fn sustained(&self, heading: Heading, to: Time) -> f64 {
        let time = sustained(heading);
        self.passed(heading, to - time, to).0 as f64 / time.as_secs_f64()
    }

    /// The rates of whole seconds, the last one ending at `to` or later, in bytes a second.
    pub(crate) fn rates(&self, heading: Heading, from: Time, to: Time) -> Vec<f64> {
        let seconds = to.since(from).as_secs_f64().ceil().max(1.0) as u64;
        let second = |n| from + Span::from_secs(1) * n;
        (0..seconds).filter_map(|n| self.rate(heading, second(n), second(n + 1))).collect()
    }

    /// The rate that the line carries without a queue, in bytes a second; `None` if too little was seen.
    pub(crate) fn calm_rate(&self, heading: Heading) -> Option<f64> {
        let [young, old] = &self.direction(heading).calm;
        let mut all = young.clone();
        all.merge(old);
        (all.count() >= LEAST_CALM).then(|| all.quantile(CALM_QUANTILE))?.map(|it| it as f64)
    }

    /// The greatest sustained rate that was ever seen, in bytes a second.
    pub(crate) fn greatest_rate(&self, heading: Heading) -> f64 {
        self.direction(heading).greatest
    }

    /// The greatest rate from one time to another, in bytes a second: sustained, or the mean of a shorter time.
    pub(crate) fn greatest_within(&self, heading: Heading, from: Time, to: Time) -> f64 {
        let (length, least) = (to.since(from), sustained(heading));
        if length < least {
            return self.rate(heading, from, to).unwrap_or(0.0);
        }
        let seconds = (length - least).as_secs_f64() as u64;
        let ends = (0..=seconds).map(|n| to - Span::from_secs(1) * n);
        ends.map(|end| self.sustained(heading, end)).fold(0.0, f64::max)
    }

    /// Notes that a load of this rate in bytes a second filled the line.
    pub(crate) fn note_filled(&mut self, heading: Heading, rate: f64) {
        let carried = self.carried(heading);
        carried.filled = carried.filled.max(rate);
    }

    /// The greatest rate in bytes a second of a load that filled the line; 0 if none was seen.
    pub(crate) fn filled_rate(&self, heading: Heading) -> f64 {
        self.direction(heading).filled
    }

    /// The seconds that ended from one time to another.
    pub(crate) fn seconds(&self, from: Time, to: Time) -> impl Iterator<Item = &WatchedSecond> {
        let first = self.seconds.partition_point(|it| it.at < from);
        self.seconds.range(first..).take_while(move |it| it.at <= to)
    }

    const fn direction(&self, heading: Heading) -> &Carried {
        match heading {
            Heading::Up => &self.up,
            Heading::Down => &self.down,
        }
    }

    const fn carried(&mut self, heading: Heading) -> &mut Carried {
        match heading {
            Heading::Up => &mut self.up,
            Heading::Down => &mut self.down,
        }
    }
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
