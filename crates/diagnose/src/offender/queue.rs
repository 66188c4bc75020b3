//! How long the queue of one direction was at each time, as the probes of the whole path saw it.

use results::observation::{Heading, Load, Stage};
use units::{Span, Time};

use super::Delays;

/// Probes that were sent so much before or after belong to the same time.
const AROUND: Span = Span::from_millis(150);

/// Loaded is a queue of at least this part of what is typical of the stage ...
const LOADED: f64 = 0.5;

/// ... while the other direction waits for at most this part of it.
const OTHER: f64 = 0.25;

/// The delays of one direction.
#[derive(Clone, Debug)]
pub(super) struct Queue<'a> {
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

/// How long it was, and how far the probes around that time differ, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Level {
    pub(super) delay: f64,
    pub(super) spread: f64,
}

impl<'a> Queue<'a> {
    /// Nothing if no delay is known in these stages. What is typical is that of the stage which made
    /// packets wait the longest: acknowledgements of small packets may fill the other direction, and
    /// hold up the load.
    pub(super) fn new(delays: &'a [Delays], stages: &[&Stage], heading: Heading) -> Option<Self> {
        let loaded = |stage: &&Stage| {
            let within = between(delays, stage.start, stage.end).iter();
            let typical = median(within.map(|it| it.heading(heading).as_secs_f64()).collect())?;
            Some(Loaded { start: stage.start, end: stage.end, typical })
        };
        let stages: Vec<Loaded> = stages.iter().filter_map(loaded).collect();
        let typical = stages.iter().map(|stage| stage.typical).reduce(f64::max)?;
        Some(Self { delays, stages, heading, typical })
    }

    /// Its median in that stage of this direction alone in which it was the longest.
    pub(super) fn typical(&self) -> f64 {
        self.typical
    }

    /// What nine of ten probes do not exceed while nothing is loaded.
    pub(super) fn noise(&self, stages: &[Stage]) -> f64 {
        let idle = stages.iter().filter(|stage| stage.load == Load::Idle);
        let within = idle.flat_map(|stage| between(self.delays, stage.start, stage.end));
        let mut delays: Vec<f64> =
            within.map(|it| it.heading(self.heading).as_secs_f64()).collect();
        delays.sort_by(f64::total_cmp);
        delays.get(delays.len() * 9 / 10).copied().unwrap_or(0.0)
    }

    /// How long a packet waits that is sent now, in both directions together.
    pub(super) fn total(&self, at: Time) -> Option<f64> {
        let around = between(self.delays, at - AROUND, at + AROUND).iter();
        median(around.map(|it| (it.up + it.down).as_secs_f64()).collect())
    }

    /// How long a packet waits that is sent now; nothing unless this direction is loaded, and it alone.
    pub(super) fn load(&self, at: Time) -> Option<Level> {
        let stage = self.stages.iter().find(|stage| stage.start <= at && at < stage.end)?;
        let around = between(self.delays, at - AROUND, at + AROUND);
        let all = |of: fn(&Delays) -> Span| around.iter().map(of).map(Span::as_secs_f64).collect();
        let (this, other): (Vec<f64>, Vec<f64>) = match self.heading {
            Heading::Up => (all(|it| it.up), all(|it| it.down)),
            Heading::Down => (all(|it| it.down), all(|it| it.up)),
        };
        let (delay, other) = (median(this.clone())?, median(other)?);
        let spread = median(this.iter().map(|it| (it - delay).abs()).collect())?;
        let is_loaded = delay >= LOADED * stage.typical && other <= OTHER * delay;
        is_loaded.then_some(Level { delay, spread })
    }
}

/// Those that were sent from `from` to before `to`.
fn between(delays: &[Delays], from: Time, to: Time) -> &[Delays] {
    let start = delays.partition_point(|it| it.at < from);
    let end = delays.partition_point(|it| it.at < to);
    delays.get(start..end).unwrap_or_default()
}

/// Of an even number the lower of the two in the middle.
pub(crate) fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len().checked_sub(1)? / 2).copied()
}
