//! Steps of the server's clock: it was set, or one of the machines slept.
//!
//! A step moves both ways of a probe, one up and the other down, by the same amount, at once, and
//! for good. Queues move one way, or both by different amounts, or for a while.

use stats::{ascending, quantile};

/// A probe that came back, with its times in seconds of each clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exchange {
    pub(super) sent: f64,
    pub(super) reached: f64,
    pub(super) answered: f64,
    pub(super) returned: f64,
}

/// A step of the server's clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ClockStep {
    /// The size in seconds: positive if the clock was set forward.
    pub(crate) by: f64,
    /// The last observed time of the server's clock before the step.
    before: f64,
    /// The first observed time of the server's clock after the step.
    after: f64,
    /// The time by the client's clock at which the first probe was sent that shows the step.
    pub(crate) at: f64,
}

/// The smallest step: less is noise of the stamps, and does no harm.
const LEAST: f64 = 0.5e-3;

/// The number of probes on each side that show the usual differences there.
const NEIGHBOURS: usize = 8;

/// The fewest probes on a side that can show that the jump stayed.
const FEWEST: usize = 5;

/// Seconds by which a queue may grow in a second: slow start sends two segments for each that has
/// left, and flows may start at any time.
const SLOW_START: f64 = 2.0;

/// The most steps that are believed.
const MOST: usize = 16;

/// All steps that can be recognized, in the order of time. `exchanges` are in the order of sending.
pub(super) fn steps(exchanges: &[Exchange]) -> Vec<ClockStep> {
    let up: Vec<f64> = exchanges.iter().map(|one| one.reached - one.sent).collect();
    let down: Vec<f64> = exchanges.iter().map(|one| one.returned - one.answered).collect();
    let mut found = Vec::new();
    let mut at = FEWEST;
    while at + FEWEST <= exchanges.len() && found.len() < MOST {
        let passed = exchanges[at].sent - exchanges[at - 1].sent;
        match step_before(&up, &down, at, passed) {
            Some(by) => {
                found.push(ClockStep {
                    by,
                    before: exchanges[at - 1].reached.max(exchanges[at - 1].answered),
                    after: exchanges[at].reached.min(exchanges[at].answered),
                    at: exchanges[at].sent,
                });
                at += FEWEST;
            }
            None => at += 1,
        }
    }
    found
}

/// The step of the server's clock between this probe and the one `passed` seconds before it, if
/// there is one.
fn step_before(up: &[f64], down: &[f64], at: usize, passed: f64) -> Option<f64> {
    let [here, there] = [Around::new(up, at), Around::new(down, at)];
    // The quieter way shows the size, and that the jump stays.
    let (quiet, other, sign) =
        if here.noise <= there.noise { (here, there, 1.0) } else { (there, here, -1.0) };
    let by = quiet.shift;
    let is_sudden = (quiet.change - by).abs() <= by.abs() / 2.0;
    if by.abs() < LEAST || !is_sudden || quiet.noise > by.abs() / 6.0 {
        return None;
    }
    // The other way must have jumped as far, in the opposite direction. If a queue that fills or
    // drains there may hide that it did not, the quieter way has to be very quiet.
    let grown = SLOW_START * passed;
    let jumped = other.explains(-by, by.abs() / 4.0, grown);
    let may_not_have = other.explains(0.0, by.abs() / 4.0, grown);
    (jumped && (!may_not_have || quiet.noise <= by.abs() / 20.0)).then_some(by * sign)
}

/// The change of one way's delays at a probe.
struct Around {
    /// The change from the probe before.
    change: f64,
    /// The change from the median of the probes before to the median of the probes after.
    shift: f64,
    /// The noise of the probes around: the median distance from their median, on the noisier side.
    noise: f64,
    /// The least and the greatest change from probe to probe, before and after it.
    usual: (f64, f64),
}

impl Around {
    fn new(delays: &[f64], at: usize) -> Self {
        let (before, after) = (before(delays, at), after(delays, at));
        let middles = [middle(before.iter().copied()), middle(after.iter().copied())];
        let noise = |side: &[f64], middle: f64| {
            self::middle(side.iter().map(|delay| (delay - middle).abs()))
        };
        let changes = [before, after].into_iter().flat_map(|side| side.windows(2));
        let changes = changes.map(|pair| pair[1] - pair[0]);
        let widen = |(low, high): (f64, f64), change: f64| (change.min(low), change.max(high));
        Self {
            change: delays[at] - delays[at - 1],
            shift: middles[1] - middles[0],
            noise: noise(before, middles[0]).max(noise(after, middles[1])),
            usual: changes.fold((0.0, 0.0), widen),
        }
    }

    /// True if this jump, and otherwise the queue's usual changes or growth by `grown`, explain the
    /// change.
    fn explains(&self, jump: f64, tolerance: f64, grown: f64) -> bool {
        let rest = self.change - jump;
        rest >= self.usual.0 - tolerance && rest <= self.usual.1.max(grown) + tolerance
    }
}

/// The delay that at least half of the values do not exceed: of two the lower one, since delays are
/// sometimes too long, and never too short. 0 without values.
fn middle(values: impl IntoIterator<Item = f64>) -> f64 {
    quantile(&ascending(values), 0.5).unwrap_or(0.0)
}

fn before(delays: &[f64], at: usize) -> &[f64] {
    &delays[at.saturating_sub(NEIGHBOURS)..at]
}

fn after(delays: &[f64], at: usize) -> &[f64] {
    &delays[at..delays.len().min(at + NEIGHBOURS)]
}

/// The walk that removes the steps from the server's times, which come in the order in which they
/// were taken.
#[derive(Clone, Debug)]
pub(crate) struct Walk<'a> {
    /// The steps still to come.
    steps: &'a [ClockStep],
    /// The sum of the steps so far, in seconds.
    passed: f64,
    /// The latest time.
    last: f64,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(steps: &'a [ClockStep]) -> Self {
        Self { steps, passed: 0.0, last: f64::NEG_INFINITY }
    }

    /// The time by the clock without its steps.
    pub(crate) fn without_steps(&mut self, time: f64) -> f64 {
        while let [step, rest @ ..] = self.steps
            && self.is_past(step, time)
        {
            self.passed += step.by;
            self.steps = rest;
        }
        self.last = time;
        time - self.passed
    }

    /// True if this time is after the step. Forward, the clock skips the times between. Backward,
    /// it passes them twice: a time that falls back by half of the step is of the second pass
    /// (packets that overtake others fall back by less), as is one as much later than the first
    /// pass ever got.
    fn is_past(&self, step: &ClockStep, time: f64) -> bool {
        if step.after > step.before {
            time > (step.before + step.after) / 2.0
        } else {
            let half = (step.before - step.after) / 2.0;
            time > step.before + half || self.last - time > half
        }
    }
}
