//! The wait of packets that are not part of the load: regular samples of the time that a packet of
//! a new flow would have waited.
//!
//! Each direction is sampled a hundred times a second, so that percentiles are shares of the time
//! and not of the packets. Only the seconds in which the direction was filled count, since every queue
//! is short while its link is idle.

use diagnose::grade::{Grounds, grade};
use link::Looks;
use results::{DelaySpread, DirectionResult, Drops, Grade, Ungraded};
use stats::Histogram;
use units::{Span, Time};

/// The time between samples at the beginning.
const STEP: Span = Span::from_millis(10);
/// The number of samples in a window, at the beginning: those of a second. Shorter windows would
/// take the load of a page for a filled link.
const WINDOW: usize = 100;
/// The part of a window's samples with a busy link from which on the window counts as filled.
const FILLED: f64 = 0.9;
/// The least filled time of a direction that gets a grade; half of the run's time, if that is less.
const LEAST: Span = Span::from_secs(1);

/// A sample of a direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct WaitSample {
    /// The time that a packet of a new flow would wait; `None` if that is not known.
    pub(crate) wait: Option<Span>,
    /// True if a packet waits or is being sent.
    pub(crate) is_busy: bool,
}

/// Regular samples of all directions.
#[derive(Clone, Debug)]
pub(crate) struct Others {
    from: Time,
    /// The times of the samples.
    looks: Looks,
    directions: Vec<Waits>,
}

/// The waits of one direction.
#[derive(Clone, Debug)]
struct Waits {
    /// The waits in the current window, and the number of its samples with a busy link.
    window: Vec<Option<Span>>,
    busy: usize,
    /// The number of first steps in all filled windows.
    filled: u64,
    /// The known waits in these windows, in nanoseconds.
    waits: Histogram,
}

impl Others {
    /// No samples yet of this number of directions. The statistics begin at `from`.
    pub(crate) fn new(directions: usize, from: Time) -> Self {
        let waits = || Waits {
            window: Vec::with_capacity(WINDOW),
            busy: 0,
            filled: 0,
            waits: Histogram::new(),
        };
        let directions = std::iter::repeat_with(waits).take(directions).collect();
        Self { from, looks: Looks::new(from, STEP), directions }
    }

    /// Forgets all samples. The statistics begin at `from`, the end of a warm-up.
    pub(crate) fn restart(&mut self, from: Time) {
        *self = Self::new(self.directions.len(), from);
    }

    /// The times of the samples, from the next on.
    pub(crate) const fn looks(&self) -> &Looks {
        &self.looks
    }

    /// Adds a sample of each direction, taken now.
    pub(crate) fn add_samples(&mut self, samples: impl IntoIterator<Item = WaitSample>) {
        let weight = self.weight();
        let looks = self.window();
        for (waits, sample) in self.directions.iter_mut().zip(samples) {
            waits.add(sample);
            if waits.window.len() >= looks {
                waits.end_window(looks, weight);
            }
        }
        self.looks.advance();
    }

    /// Skips the samples until this time, before which no packet waits or is sent in any direction.
    /// Does nothing if that is less than a window.
    pub(crate) fn skip_until(&mut self, until: Time) {
        let (looks, weight) = (self.window(), self.weight());
        if until.since(self.looks.due()) < self.looks.step() * looks as u64 {
            return;
        }
        self.directions.iter_mut().for_each(|waits| waits.end_window(looks, weight));
        self.looks = self.looks.from(until);
    }

    /// The number of first steps that a sample stands for.
    fn weight(&self) -> u64 {
        self.looks.step().as_nanos() / STEP.as_nanos()
    }

    /// The number of samples in a window.
    fn window(&self) -> usize {
        (WINDOW / self.weight() as usize).max(1)
    }

    /// The direction with the waits of others until `now`, and with its grade.
    #[must_use]
    pub(crate) fn with_grade(
        &self,
        index: usize,
        direction: DirectionResult,
        now: Time,
    ) -> DirectionResult {
        let mut waits = self.directions[index].clone();
        waits.end_window(waits.window.len(), self.weight());
        let filled = STEP * waits.filled;
        let others_wait_ms = DelaySpread::of(&waits.waits);
        let is_filled = filled >= LEAST.min(now.since(self.from) / 2) && !filled.is_zero();
        let grade = direction_grade(&direction, is_filled, others_wait_ms.p95);
        DirectionResult {
            others_wait_ms,
            filled_s: Some(filled.as_secs_f64()),
            grade: grade.ok(),
            grade_reason: grade.err(),
            ..direction
        }
    }
}

/// The grade of a direction, or the reason why it has none.
fn direction_grade(
    direction: &DirectionResult,
    is_filled: bool,
    p95: Option<f64>,
) -> Result<Grade, Ungraded> {
    match (direction.delivered_packets, direction.drops) {
        (0, drops) if drops == Drops::default() => Err(Ungraded::Unused),
        (0, _) => Err(Ungraded::Dead),
        _ if !is_filled => Err(Ungraded::NotFilled),
        _ => grade(&Grounds { others_p95_ms: p95, is_filled, ..Grounds::default() }),
    }
}

impl Waits {
    #[inline]
    fn add(&mut self, sample: WaitSample) {
        self.window.push(sample.wait);
        self.busy += usize::from(sample.is_busy);
    }

    /// Ends the window of `looks` samples of this weight, which counts if it was filled.
    fn end_window(&mut self, looks: usize, weight: u64) {
        if self.busy > 0 && self.busy as f64 >= FILLED * looks as f64 {
            self.filled += self.window.len() as u64 * weight;
            let known = self.window.iter().flatten();
            known.for_each(|wait| self.waits.record_many(wait.as_nanos(), weight));
        }
        self.window.clear();
        self.busy = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL: WaitSample = WaitSample { wait: Some(Span::from_millis(70)), is_busy: true };
    const IDLE: WaitSample = WaitSample { wait: Some(Span::ZERO), is_busy: false };
    const UNKNOWN: WaitSample = WaitSample { wait: None, is_busy: true };

    /// The result of a direction with these samples.
    fn judged(samples: impl IntoIterator<Item = WaitSample>) -> DirectionResult {
        let mut others = Others::new(1, Time::from_secs(5));
        let mut now = Time::ZERO;
        for sample in samples {
            now = others.looks().due();
            others.add_samples([sample]);
        }
        let direction = DirectionResult { delivered_packets: 1, ..DirectionResult::default() };
        others.with_grade(0, direction, now)
    }

    #[test]
    fn a_warm_up_is_forgotten() {
        let mut others = Others::new(1, Time::ZERO);
        (0..200).for_each(|_| others.add_samples([FULL]));
        others.restart(Time::from_secs(2));
        assert_eq!(others.looks().due(), Time::from_secs(2));
        let direction = DirectionResult { delivered_packets: 1, ..DirectionResult::default() };
        let direction = others.with_grade(0, direction, Time::from_secs(4));
        assert_eq!(direction.grade_reason, Some(Ungraded::NotFilled));
    }

    /// An hour of idleness and twenty seconds of load: the queue was bad during all of the load.
    #[test]
    fn only_seconds_that_were_filled_count() {
        let direction = judged([IDLE].repeat(9000).into_iter().chain([FULL].repeat(2000)));
        assert_eq!((direction.grade, direction.filled_s), (Some(Grade::C), Some(20.0)));
        assert_eq!(direction.others_wait_ms.max, Some(70.0));
    }

    #[test]
    fn a_direction_that_was_never_filled_has_a_reason() {
        let bursts = [FULL, IDLE].repeat(5000);
        let direction = judged(bursts);
        assert_eq!((direction.grade, direction.filled_s), (None, Some(0.0)));
        assert_eq!(direction.grade_reason, Some(Ungraded::NotFilled));
        assert_eq!(direction.others_wait_ms, DelaySpread::default());
        // Half a second in a minute is not enough.
        let brief = judged([IDLE].repeat(6000).into_iter().chain([FULL].repeat(50)));
        assert_eq!(brief.grade_reason, Some(Ungraded::NotFilled));
        // No samples are not enough either; but a short run may be filled from beginning to end.
        assert_eq!(judged([]).grade_reason, Some(Ungraded::NotFilled));
        assert_eq!(judged([FULL].repeat(20)).grade, Some(Grade::C));
    }

    #[test]
    fn waits_that_are_not_known_have_no_grade() {
        let direction = judged([UNKNOWN].repeat(2000));
        assert_eq!((direction.grade, direction.filled_s), (None, Some(20.0)));
        assert_eq!(direction.grade_reason, Some(Ungraded::NotMeasured));
        assert_eq!(direction.others_wait_ms, DelaySpread::default());
    }

    #[test]
    fn without_packets_the_reason_is_another() {
        let others = Others::new(1, Time::ZERO);
        let reason = |direction| others.with_grade(0, direction, Time::ZERO).grade_reason;
        assert_eq!(reason(DirectionResult::default()), Some(Ungraded::Unused));
        let drops = Drops { loss: 3, ..Drops::default() };
        let dead = DirectionResult { drops, ..DirectionResult::default() };
        assert_eq!(reason(dead), Some(Ungraded::Dead));
    }

    /// Ten thousand years without a packet take no time.
    #[test]
    fn looks_at_an_idle_path_may_be_left_out() {
        let mut others = Others::new(1, Time::ZERO);
        (0..250).for_each(|_| others.add_samples([FULL]));
        let late = Time::from_secs(18_000_000_000);
        others.skip_until(late);
        assert_eq!(others.looks().due(), late);
        let direction = DirectionResult { delivered_packets: 1, ..DirectionResult::default() };
        // The second that was only half filled does not count.
        assert_eq!(others.with_grade(0, direction, late).filled_s, Some(2.0));
    }

    /// A wire that is busy for a century.
    #[test]
    fn looks_become_rare() {
        let mut others = Others::new(1, Time::ZERO);
        let late = Time::from_secs(3_000_000_000);
        let mut looks = 0;
        while others.looks().due() < late {
            others.add_samples([FULL]);
            looks += 1;
        }
        assert!(looks < 13_000_000, "{looks}");
        let direction = DirectionResult { delivered_packets: 1, ..DirectionResult::default() };
        let filled = others.with_grade(0, direction, late).filled_s.unwrap();
        assert!((filled / 3e9 - 1.0).abs() < 0.001, "{filled}");
    }
}
