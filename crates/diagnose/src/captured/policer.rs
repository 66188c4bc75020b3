//! Whether losses are those of a policer: a bucket of tokens, which drops what finds too few of them
//! (RFC 2697, RFC 2698), while nothing waits.
//!
//! A bucket is empty at each loss and at no other time (T. Flach and others, "An Internet-Wide
//! Analysis of Traffic Policing", SIGCOMM 2016). There the rate is that of the data between the first
//! loss and the last. Here rate and size are sought, since a bucket that was full for a while has
//! passed less than its rate; and each loss begins anew, so that an error of the rate does not grow.
//!
//! A bucket drops what a FIFO of the same rate and size has no room for. It is a policer's if packets
//! do not wait as in such a queue.

use observation::CapturedPassing;
use units::{Rate, Span};

use crate::by_chance::at_least;
use crate::noise::NO_DELAY;

/// The fewest losses, at most one a round trip, that show a bucket.
const FEWEST: usize = 6;

/// The rates that are tried: from a little below that of the data on, in steps of this factor.
const LEAST_RATE: f64 = 0.95;
const STEP: f64 = 1.01;
const RATES: i32 = 130;

/// The sizes that are tried: of those that explain a loss, these parts are not above them.
const SIZES: [f64; 5] = [0.3, 0.5, 0.7, 0.9, 1.0];

/// What may be left in a bucket at a loss: this part of its size, or this number of packets.
const LEFT: f64 = 0.1;
const PACKETS: f64 = 1.5;

/// The part of the losses that must find the bucket empty.
const MOST_LOSSES: f64 = 0.8;

/// The chance that losses at random times find the bucket empty as often, at one of the rates and
/// sizes, up to which they are a policer's.
const CHANCE: f64 = 1e-3;

/// The part of the wait in a real queue of that size and rate up to which nothing waits.
const NO_WAIT: f64 = 0.2;

/// The data of a packet in bytes.
const PACKET: f64 = 1448.0;

/// A policer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Policer {
    /// The rate of the data that passes, without headers; `None` if the bucket was full again between
    /// any two losses: nothing tells how fast it filled.
    pub(super) rate: Option<Rate>,
}

/// The policer whose losses these are, if `least` is the shortest round trip and `long` the delay beyond the
/// least at the 95th percentile; `None` if they are not, or may not be, those of a policer.
pub(super) fn policer(passing: &[CapturedPassing], least: Span, long: Span) -> Option<Policer> {
    let steps = steps(passing)?;
    let [first, .., last] = &steps[..] else { return None };
    let passed: f64 = steps.iter().map(|step| step.passed).sum();
    let mean = passed / (last.at - first.at);
    // Where packets wait, the work is in vain.
    if long.as_secs_f64() > nothing(mean * LEAST_RATE) {
        return None;
    }
    let rates = (0..RATES).map(|step| mean * LEAST_RATE * libm::pow(STEP, step.into()));
    let buckets = rates.flat_map(|rate| buckets(&steps, rate));
    let fits = buckets.filter_map(|bucket| Fit::of(&steps, bucket, least.as_secs_f64()));
    let best = fits.min_by(|one, other| one.chance.total_cmp(&other.chance))?;
    let Bucket { rate, size } = best.bucket;
    let nothing = nothing(rate).min(NO_WAIT * size / rate);
    let tried = f64::from(RATES) * SIZES.len() as f64;
    let is_policer = best.chance * tried < CHANCE && long.as_secs_f64() <= nothing;
    is_policer.then(|| Policer { rate: best.bucket.sustained(&steps) })
}

/// The wait in seconds up to which nothing waits before a bucket of this rate.
fn nothing(rate: f64) -> f64 {
    NO_DELAY.max(PACKETS * PACKET / rate)
}

/// The data that passed and that was lost in a step; seconds and bytes.
#[derive(Clone, Copy, Debug)]
struct Step {
    at: f64,
    passed: f64,
    lost: f64,
}

/// The steps from the first loss to the last; `None` if there is at most one.
fn steps(passing: &[CapturedPassing]) -> Option<Vec<Step>> {
    let is_loss = |step: &CapturedPassing| step.lost.0 > 0;
    let first = passing.iter().position(is_loss)?;
    let last = passing.iter().rposition(is_loss).filter(|last| *last > first)?;
    let start = passing[first].at;
    let step = |one: &CapturedPassing| Step {
        at: one.at.since(start).as_secs_f64(),
        passed: one.passed.0 as f64,
        lost: one.lost.0 as f64,
    };
    Some(passing[first..=last].iter().map(step).collect())
}

/// A bucket of tokens: bytes a second, and bytes.
#[derive(Clone, Copy, Debug)]
struct Bucket {
    rate: f64,
    size: f64,
}

/// The buckets of this rate that may explain the losses: a bucket that was full since the loss before
/// has the size of what it has passed since, beyond its rate.
fn buckets(steps: &[Step], rate: f64) -> impl Iterator<Item = Bucket> {
    let empty = Bucket { rate, size: 0.0 };
    let used = steps.iter().zip(empty.used(steps));
    let sizes = stats::ascending(used.filter(|(step, _)| step.lost > 0.0).map(|(_, used)| used));
    SIZES.into_iter().filter_map(move |part| {
        let size = stats::quantile(&sizes, part)?;
        (size > 0.0).then_some(Bucket { rate, size })
    })
}

impl Bucket {
    /// The rate of the data between those losses between which the bucket was never full; `None` if
    /// there are none.
    fn sustained(self, steps: &[Step]) -> Option<Rate> {
        let (mut bytes, mut secs) = (0.0, 0.0);
        let mut since = 0.0;
        for between in steps.split_inclusive(|step| step.lost > 0.0) {
            let Some(last) = between.last() else { continue };
            let moved = between.iter().map(|step| Step { at: step.at - since, ..*step });
            if self.is_never_full(moved) {
                bytes += between.iter().map(|step| step.passed).sum::<f64>();
                secs += last.at - since;
            }
            since = last.at;
        }
        (secs > 0.0).then(|| Rate::from_bits_per_sec((8.0 * bytes / secs) as u64)).flatten()
    }

    /// True if the bucket, empty at zero, is never full again in these steps.
    fn is_never_full(self, mut steps: impl Iterator<Item = Step>) -> bool {
        let (mut at, mut used) = (0.0, self.size);
        steps.all(|step| {
            used -= self.rate * (step.at - at);
            let is_full = used < 0.0;
            used += step.passed;
            at = step.at;
            !is_full
        })
    }

    /// The tokens that are missing in the bucket at the end of each step, in bytes: all after a loss.
    fn used(self, steps: &[Step]) -> Vec<f64> {
        let (mut at, mut used) = (0.0, self.size);
        let step = |step: &Step| {
            let missing = f64::max(used - self.rate * (step.at - at), 0.0) + step.passed;
            at = step.at;
            used = if step.lost > 0.0 { self.size } else { missing };
            missing
        };
        steps.iter().map(step).collect()
    }
}

/// How well a bucket explains the losses.
#[derive(Clone, Copy, Debug)]
struct Fit {
    bucket: Bucket,
    /// The chance that losses at random times find it empty as often.
    chance: f64,
}

impl Fit {
    /// The fit of a bucket; `None` if there are too few losses, or if too many of them found tokens. Those within a
    /// round trip count as one.
    fn of(steps: &[Step], bucket: Bucket, round_trip: f64) -> Option<Self> {
        let left = (LEFT * bucket.size).max(PACKETS * PACKET)
            + bucket.rate * CapturedPassing::LENGTH.as_secs_f64();
        let is_empty = |used: f64| (used - bucket.size).abs() <= left;
        let used = bucket.used(steps);
        let mut latest = 0.0;
        let mut losses = [0, 0];
        let [mut all_bytes, mut empty_bytes] = [0.0, 0.0];
        for (step, used) in steps.iter().zip(&used) {
            all_bytes += step.passed;
            empty_bytes += if is_empty(*used) { step.passed } else { 0.0 };
            if step.lost > 0.0 && step.at - latest >= round_trip {
                latest = step.at;
                losses[usize::from(is_empty(*used))] += 1;
            }
        }
        let all = losses[0] + losses[1];
        let is_fit = all >= FEWEST && losses[1] as f64 >= MOST_LOSSES * all as f64;
        is_fit.then(|| Self { bucket, chance: at_least(losses[1], all, empty_bytes / all_bytes) })
    }
}

#[cfg(test)]
mod tests {
    use units::{Bytes, Rng, Time};

    use super::*;

    /// The bucket: a megabyte a second, and 30 kB at once.
    const BUCKET: Bucket = Bucket { rate: 1e6, size: 30e3 };

    /// A sender that takes more and more until it loses something, and this part of it then: 20 s, in steps of 10 ms.
    /// `is_lost` tells of a step with so much data whether something of it is lost.
    fn passing(part: f64, mut is_lost: impl FnMut(f64) -> bool) -> Vec<CapturedPassing> {
        let mut rate = 0.5e6;
        let step = |number: u64| {
            let sent = rate * 0.01;
            let lost = if is_lost(sent) { 1448 } else { 0 };
            rate = if lost > 0 { (rate * part).max(0.2e6) } else { rate + 6e3 };
            CapturedPassing {
                at: Time::from_millis(10 * number),
                passed: Bytes(sent as u64 - lost),
                lost: Bytes(lost),
            }
        };
        (0..2000).map(step).collect()
    }

    /// Data of which a bucket drops a part.
    fn policed(part: f64) -> Vec<CapturedPassing> {
        let mut tokens = BUCKET.size;
        passing(part, |sent| {
            tokens = (tokens + BUCKET.rate * 0.01).min(BUCKET.size) - sent;
            let is_lost = tokens < 0.0;
            tokens = tokens.max(0.0);
            is_lost
        })
    }

    fn told(passing: &[CapturedPassing], long_ms: u64) -> Option<Policer> {
        policer(passing, Span::from_millis(20), Span::from_millis(long_ms))
    }

    #[test]
    fn what_finds_a_bucket_empty_was_dropped_by_a_policer() {
        let passing = policed(0.8);
        let rate = told(&passing, 1).unwrap().rate.unwrap().bits_per_sec() as f64 / 8.0;
        assert!((rate / BUCKET.rate - 1.0).abs() < 0.05, "{rate}");
        assert_eq!(told(&passing, 6), None, "packets wait as in a queue of that size and rate");
        // The bucket is full again before each loss: nothing tells how fast it became so.
        assert_eq!(told(&policed(0.5), 1), Some(Policer { rate: None }));
    }

    #[test]
    fn what_a_wire_loses_by_chance_is_no_policers() {
        let falsely = (0..50).filter(|seed| {
            let mut random = Rng::new(*seed);
            told(&passing(0.5, |_| random.next_f64() < 0.01), 1).is_some()
        });
        assert_eq!(falsely.count(), 0);
    }

    #[test]
    fn few_losses_tell_nothing() {
        let passing = policed(0.5);
        let losses = passing.iter().enumerate().filter(|(_, step)| step.lost.0 > 0);
        let ends: Vec<usize> = losses.map(|(index, _)| index).collect();
        assert_eq!(told(&passing[..=ends[FEWEST - 1]], 1), None);
        assert_eq!(told(&[], 1), None);
    }
}
