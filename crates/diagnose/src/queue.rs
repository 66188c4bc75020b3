//! What kind of queue it is, and how sure that is.
//!
//! 1. *Nothing* waits, and nothing is lost: there was no queue.
//! 2. The flows' own packets wait, and probes among them do not: *fair queueing*.
//! 3. Packets are lost, and nothing waits: a *policer*.
//! 4. The rate goes up and down while packets wait: *variable rate*.
//! 5. What is left is one queue for all, and three signs tell a first-in-first-out queue that counts
//!    bytes, one that counts packets, and active queue management apart. Each is weighed by how much
//!    likelier it is with one kind than with the others:
//!    - *who is lost.* Where a byte is a byte, a small packet fits in where a large one does not: probes
//!      get through while segments are dropped. Else they are lost as segments are.
//!    - *when they are lost.* A FIFO drops when it is full, that is at its longest delay; who drops to
//!      keep the delay short does so at any.
//!    - *how long the delay gets.* A FIFO's has a hard upper edge, at which it stays; what is managed
//!      has a tail.
//!    - *with smaller packets* the longest delay of a FIFO that counts packets shrinks as they do.
//!
//! The weights are of this project, and were set on simulated paths whose queues are known
//! (crates/sim/tests/diagnose); so were the bounds.

use results::{QueueFinding, QueueKind};

use crate::signs::Signs;

/// Seconds below which a delay is none, whatever the rate: what machines add.
const NO_DELAY: f64 = 2e-3;

/// Fewer probes say nothing.
const FEWEST_PROBES: f64 = 20.0;

/// The rate varies if its fastest is so much faster than its slowest.
const VARIES: f64 = 1.3;

/// How long the longest delay with small packets is beside that with large ones.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Smaller {
    /// As measured.
    pub(crate) measured: f64,
    /// As it is if packets count.
    pub(crate) by_packets: f64,
    /// As it is if bytes count.
    pub(crate) by_bytes: f64,
}

/// What these signs mean.
pub(crate) fn kind(signs: &Signs, smaller: Option<Smaller>) -> QueueFinding {
    let found = |kind, confidence: f64| QueueFinding { kind, confidence };
    if signs.probes < FEWEST_PROBES {
        return found(QueueKind::Unknown, 0.0);
    }
    let no_delay = NO_DELAY.max(1.5 * signs.packet) + signs.noise;
    let waits_much = signs.median / (NO_DELAY + signs.noise);
    let apart = apart(signs);
    if apart > 1.0 {
        return found(QueueKind::FairQueueing, sure(apart));
    }
    let is_filled = signs.drops() || signs.median > NO_DELAY + signs.noise;
    if signs.p95 <= no_delay || !is_filled {
        return if signs.drops() {
            found(QueueKind::Policer, policed(signs))
        } else {
            found(QueueKind::None, sure(1.0 / waits_much.max(0.1)))
        };
    }
    match signs.busy.variation {
        Some(variation) if variation > VARIES => {
            found(QueueKind::VariableRate, sure(1.0 + (variation - VARIES) * 3.0))
        }
        _ => shared(signs, smaller),
    }
}

/// More than 1 if flows wait clearly longer than twice what probes do. Their packets come in runs, of
/// which half a packet more than their own may be the time that it takes to be acknowledged.
fn apart(signs: &Signs) -> f64 {
    const CLEARLY: f64 = 1e-3;
    let waited = signs.flows - 0.5 * signs.packet - signs.noise - CLEARLY;
    results::ratio(waited, 2.0 * signs.median + CLEARLY / 2.0).unwrap_or(0.0)
}

/// How sure it is that nothing waits because all that is too much is dropped.
fn policed(signs: &Signs) -> f64 {
    sure(0.8 + signs.again.max(signs.loss()) * 100.0).min(0.9)
}

/// 0.5 at the threshold, 1; towards 1 beyond it.
fn sure(beyond: f64) -> f64 {
    let odds = 3.0 * (beyond - 1.0);
    (1.0 / (1.0 + libm::exp(-odds.clamp(-5.0, 5.0)))).clamp(0.5, 0.99)
}

/// One queue for all: of which kind?
fn shared(signs: &Signs, smaller: Option<Smaller>) -> QueueFinding {
    let mut weights = [0.0; 3];
    for sign in [who_is_lost(signs), when_lost(signs), edge(signs), dropped_before(signs)] {
        add(&mut weights, sign);
    }
    if let Some(smaller) = smaller {
        add(&mut weights, with_smaller(smaller));
    }
    let most = weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let odds = weights.map(|weight| libm::exp(weight - most));
    let all: f64 = odds.iter().sum();
    let [bytes, packets, managed] = odds.map(|one| (one / all).min(0.99));
    let (kind, confidence) = if managed > bytes + packets {
        (QueueKind::Aqm, managed)
    } else if bytes.max(packets) < 0.7 * (bytes + packets) {
        (QueueKind::Fifo, (bytes + packets).min(0.99))
    } else if bytes > packets {
        (QueueKind::ByteFifo, bytes)
    } else {
        (QueueKind::PacketFifo, packets)
    };
    QueueFinding { kind, confidence }
}

/// How likely a sign is, as logarithms, with a FIFO by bytes, one by packets, and managed queues.
type Weights = [f64; 3];

fn add(sum: &mut Weights, sign: Weights) {
    for (sum, sign) in sum.iter_mut().zip(sign) {
        *sum += sign;
    }
}

/// No sign may count for more than this: models are wrong now and then.
const MOST: f64 = 4.0;

/// Probes are lost as segments are, or much more rarely.
fn who_is_lost(signs: &Signs) -> Weights {
    let expected = signs.again * (signs.probes + signs.lost);
    // Poisson, whose rate is only known to lie about there: the best within a range.
    let likely = |low: f64, high: f64| {
        let rate = signs.lost.clamp(low * expected, high * expected).max(0.1);
        signs.lost * libm::log(rate) - rate
    };
    let (rarely, alike) = (likely(0.0, 0.2), likely(0.3, 3.0));
    let best = rarely.max(alike);
    let weight = |likely: f64| (likely - best).max(-MOST);
    [weight(rarely), weight(alike), weight(alike)]
}

/// What is lost is lost at the longest delay, or at any.
fn when_lost(signs: &Signs) -> Weights {
    const OF_A_FIFO: f64 = 0.9;
    let near = signs.near_full.clamp(0.05, 0.7);
    let elsewhere = signs.lost - signs.lost_near_full;
    let likely =
        |part: f64| signs.lost_near_full * libm::log(part) + elsewhere * libm::log(1.0 - part);
    let difference = (likely(OF_A_FIFO) - likely(near)).clamp(-MOST, MOST);
    [difference, difference, 0.0]
}

/// A hard edge, or a tail. What does not drop has no edge yet, but lets the delay get long.
fn edge(signs: &Signs) -> Weights {
    const MIDDLE: f64 = 0.08;
    const WIDTH: f64 = 0.03;
    const LONG: f64 = 0.05;
    if !signs.drops() {
        let difference = (signs.full / LONG).clamp(0.5, 3.0);
        return [difference, difference, 0.0];
    }
    let tail = results::ratio(signs.full - signs.p90, signs.full).unwrap_or(MIDDLE);
    let difference = ((MIDDLE - tail) / WIDTH).clamp(-MOST, 2.0);
    [difference, difference, 0.0]
}

/// It once held far more than it holds now, though it drops: so it does not drop because it is full.
fn dropped_before(signs: &Signs) -> Weights {
    let higher = results::ratio(signs.stage_full, signs.full).unwrap_or(1.0);
    let difference = if signs.drops() { -(3.0 * (higher - 1.3)).clamp(0.0, MOST) } else { 0.0 };
    [difference, difference, 0.0]
}

/// With small packets the longest delay is as long, or shrinks as they do. That was tried on purpose, so
/// it may count for more.
fn with_smaller(smaller: Smaller) -> Weights {
    const WIDTH: f64 = 0.12;
    const MOST: f64 = 7.0;
    let off = |expected: f64| {
        let ratio = results::ratio(smaller.measured, expected).filter(|ratio| *ratio > 0.0);
        let off = ratio.map_or(f64::INFINITY, |ratio| libm::log(ratio) / WIDTH);
        (-0.5 * off * off).max(-MOST)
    };
    let (bytes, packets) = (off(smaller.by_bytes), off(smaller.by_packets));
    let best = bytes.max(packets);
    [bytes - best, packets - best, -1.0]
}
