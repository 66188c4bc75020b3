//! The length of one direction's queue over time, as the probes of the whole path saw it.

use observation::{Heading, Load, Stage};
use stats::{ascending, quantile};
use units::{Span, Time};

use super::Delays;

/// The distance in time within which probes count as simultaneous.
const AROUND: Span = Span::from_millis(150);

/// The part of the stage's typical delay that a direction's delay must at least have for the
/// direction to count as loaded.
const LOADED: f64 = 0.5;

/// The part of that delay which the other direction's delay may have at most.
const OTHER: f64 = 0.25;

/// The delays of one direction.
#[derive(Clone, Debug)]
pub(super) struct QueueDelays<'a> {
    delays: &'a [Delays],
    stages: Vec<Loaded>,
    heading: Heading,
    typical: f64,
}

/// A stage, and its median delay.
#[derive(Clone, Copy, Debug)]
struct Loaded {
    start: Time,
    end: Time,
    typical: f64,
}

/// The queue's delay, and the spread of the probes around that time, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Level {
    pub(super) delay: f64,
    pub(super) spread: f64,
}

impl<'a> QueueDelays<'a> {
    /// The queue in these stages; `None` if no delay is known. Its typical delay is that of the
    /// stage with the longest median: in stages of small packets acknowledgements may fill the
    /// other direction, and hold up the load.
    pub(super) fn new(delays: &'a [Delays], stages: &[&Stage], heading: Heading) -> Option<Self> {
        let loaded = |stage: &&Stage| {
            let within = between(delays, stage.start, stage.end).iter();
            let typical =
                quantile(&ascending(within.map(|it| it.heading(heading).as_secs_f64())), 0.5)?;
            Some(Loaded { start: stage.start, end: stage.end, typical })
        };
        let stages: Vec<Loaded> = stages.iter().filter_map(loaded).collect();
        let typical = stages.iter().map(|stage| stage.typical).reduce(f64::max)?;
        Some(Self { delays, stages, heading, typical })
    }

    /// The longest of the median delays in stages that load this direction alone, in seconds.
    pub(super) fn typical(&self) -> f64 {
        self.typical
    }

    /// The 90th percentile of the delay while nothing is loaded, in seconds.
    pub(super) fn noise(&self, stages: &[Stage]) -> f64 {
        let idle = stages.iter().filter(|stage| stage.load == Load::Idle);
        let within = idle.flat_map(|stage| between(self.delays, stage.start, stage.end));
        let mut delays: Vec<f64> =
            within.map(|it| it.heading(self.heading).as_secs_f64()).collect();
        delays.sort_by(f64::total_cmp);
        delays.get(delays.len() * 9 / 10).copied().unwrap_or(0.0)
    }

    /// The wait of a packet that is sent at this time, in both directions together, in seconds;
    /// `None` if no probe was near.
    pub(super) fn total(&self, at: Time) -> Option<f64> {
        let around = between(self.delays, at - AROUND, at + AROUND).iter();
        quantile(&ascending(around.map(|it| (it.up + it.down).as_secs_f64())), 0.5)
    }

    /// The wait of a packet that is sent at this time; `None` unless this direction alone is loaded
    /// then.
    pub(super) fn load(&self, at: Time) -> Option<Level> {
        let stage = self.stages.iter().find(|stage| stage.start <= at && at < stage.end)?;
        let around = between(self.delays, at - AROUND, at + AROUND);
        let all = |of: fn(&Delays) -> Span| around.iter().map(of).map(Span::as_secs_f64).collect();
        let (this, other): (Vec<f64>, Vec<f64>) = match self.heading {
            Heading::Up => (all(|it| it.up), all(|it| it.down)),
            Heading::Down => (all(|it| it.down), all(|it| it.up)),
        };
        let (delay, other) =
            (quantile(&ascending(this.iter().copied()), 0.5)?, quantile(&ascending(other), 0.5)?);
        let spread = quantile(&ascending(this.iter().map(|it| (it - delay).abs())), 0.5)?;
        let is_loaded = delay >= LOADED * stage.typical && other <= OTHER * delay;
        is_loaded.then_some(Level { delay, spread })
    }
}

/// The probes sent at or after `from`, and before `to`.
fn between(delays: &[Delays], from: Time, to: Time) -> &[Delays] {
    let start = delays.partition_point(|it| it.at < from);
    let end = delays.partition_point(|it| it.at < to);
    delays.get(start..end).unwrap_or_default()
}
