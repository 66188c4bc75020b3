//! Steps of their clock: somebody set it, or one of us slept.
//!
//! A step moves both ways of a probe, one up and the other down, by the same amount, at once, and for
//! good. Queues move one way, or both by different amounts, or for a while.

/// A probe that came back, in seconds of each clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exchange {
    pub(super) sent: f64,
    pub(super) reached: f64,
    pub(super) answered: f64,
    pub(super) returned: f64,
}

/// Their clock was set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Step {
    /// By how many seconds: forward if more than 0.
    pub(crate) by: f64,
    /// The last that was seen of their clock before.
    before: f64,
    /// The first that was seen of it then.
    after: f64,
    /// By our clock: the probe that saw it was sent.
    pub(crate) at: f64,
}

/// Less than this is noise of whoever takes the stamps, and harms nobody.
const LEAST: f64 = 0.5e-3;

/// So many probes on each side say what was usual there.
const NEIGHBOURS: usize = 8;

/// Fewer on a side than this cannot show that it stayed.
const FEWEST: usize = 5;

/// Seconds by which a queue grows in a second: slow start sends two segments for each that has left, and
/// each of some flows starts when it likes.
const SLOW_START: f64 = 2.0;

/// More are no clock.
const MOST: usize = 16;

/// All steps that can be told, in the order of time. `exchanges` are in the order of sending.
pub(super) fn steps(exchanges: &[Exchange]) -> Vec<Step> {
    let up: Vec<f64> = exchanges.iter().map(|one| one.reached - one.sent).collect();
    let down: Vec<f64> = exchanges.iter().map(|one| one.returned - one.answered).collect();
    let mut found = Vec::new();
    let mut at = FEWEST;
    while at + FEWEST <= exchanges.len() && found.len() < MOST {
        let passed = exchanges[at].sent - exchanges[at - 1].sent;
        match step_before(&up, &down, at, passed) {
            Some(by) => {
                found.push(Step {
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

/// The step of their clock between this probe and the one `passed` seconds before it, if there is one.
fn step_before(up: &[f64], down: &[f64], at: usize, passed: f64) -> Option<f64> {
    let [here, there] = [Around::new(up, at), Around::new(down, at)];
    // The quieter way says by how much, and that it stays.
    let (quiet, other, sign) =
        if here.noise <= there.noise { (here, there, 1.0) } else { (there, here, -1.0) };
    let by = quiet.shift;
    let is_sudden = (quiet.change - by).abs() <= by.abs() / 2.0;
    if by.abs() < LEAST || !is_sudden || quiet.noise > by.abs() / 6.0 {
        return None;
    }
    // The other way jumped as far, in the opposite direction. If a queue that fills or drains there
    // hides whether it did, the quieter way has to be very quiet.
    let grown = SLOW_START * passed;
    let jumped = other.explains(-by, by.abs() / 4.0, grown);
    let may_not_have = other.explains(0.0, by.abs() / 4.0, grown);
    (jumped && (!may_not_have || quiet.noise <= by.abs() / 20.0)).then_some(by * sign)
}

/// How the delays of one way changed at a probe.
struct Around {
    /// From the probe before it.
    change: f64,
    /// From the median of its neighbours before to that of those after.
    shift: f64,
    /// How far neighbours are from their median: the median of that on the noisier side.
    noise: f64,
    /// From probe to probe before and after it: the least change, and the greatest.
    usual: (f64, f64),
}

impl Around {
    fn new(delays: &[f64], at: usize) -> Self {
        let (before, after) = (before(delays, at), after(delays, at));
        let middles = [median(before.to_vec()), median(after.to_vec())];
        let noise = |side: &[f64], middle: f64| {
            median(side.iter().map(|delay| (delay - middle).abs()).collect())
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

    /// Is the change such a jump and else what the queue does about there, or has it `grown`?
    fn explains(&self, jump: f64, tolerance: f64, grown: f64) -> bool {
        let rest = self.change - jump;
        rest >= self.usual.0 - tolerance && rest <= self.usual.1.max(grown) + tolerance
    }
}

fn before(delays: &[f64], at: usize) -> &[f64] {
    &delays[at.saturating_sub(NEIGHBOURS)..at]
}

fn after(delays: &[f64], at: usize) -> &[f64] {
    &delays[at..delays.len().min(at + NEIGHBOURS)]
}

/// The middle one, of two the lower one: delays are too long now and then, and never too short; 0 of nothing.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len().saturating_sub(1) / 2).copied().unwrap_or(0.0)
}

/// Takes steps out of their times, which come in the order in which they were taken.
#[derive(Clone, Debug)]
pub(crate) struct Walk<'a> {
    /// Those still to come.
    steps: &'a [Step],
    /// All that came, in seconds.
    passed: f64,
    /// The time before.
    last: f64,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(steps: &'a [Step]) -> Self {
        Self { steps, passed: 0.0, last: f64::NEG_INFINITY }
    }

    /// The same time had nobody set the clock.
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

    /// Forward, the clock leaves out what lies between. Backward, it goes there twice: what falls behind
    /// by half of that is of the second pass (packets that overtake others fall behind by less), as is
    /// what is as much later than the first pass ever got.
    fn is_past(&self, step: &Step, time: f64) -> bool {
        if step.after > step.before {
            time > (step.before + step.after) / 2.0
        } else {
            let half = (step.before - step.after) / 2.0;
            time > step.before + half || self.last - time > half
        }
    }
}
