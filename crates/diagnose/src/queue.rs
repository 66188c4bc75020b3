//! The kind of a queue, and the confidence in it.
//!
//! 1. Nothing waits, and nothing is lost: there was *no queue*.
//! 2. The flows' own packets wait, and probes among them do not, nor are probes lost as those packets
//!    are: *fair queueing*.
//! 3. Packets are lost, and nothing waits: a *policer*.
//! 4. The rate goes up and down while packets wait: *variable rate*.
//! 5. Otherwise it is a queue in which packets wait: a first-in-first-out queue that counts bytes,
//!    one that counts packets, active queue management for all, or for each flow. Each sign is
//!    weighed by how much likelier it is with one kind than with the others:
//!    - *which packets wait.* In one queue for all, flows wait as long as probes do.
//!    - *which packets are lost.* In a buffer that counts bytes, a small packet fits in where a
//!      large one does not: probes get through while segments are dropped. They do too where each
//!      flow has its own queue. Otherwise they are lost as segments are.
//!    - *at which delay packets are dropped.* A FIFO drops when it is full, that is at its longest
//!      delay; a queue that drops to keep the delay short does so at any.
//!    - *how long the delay gets.* A FIFO's has a hard upper edge, at which it stays; that of a
//!      managed queue has a tail.
//!    - *with smaller packets* the longest delay of a FIFO that counts packets shrinks as they do.
//!
//!    Slow start is a part of it: it may be the only time in which the queue was full.
//!
//! The weights are this project's own, and were set on simulated paths whose queues are known
//! (crates/observed); so were the bounds.

use results::{Finding, FindingKind, QueueFinding, QueueKind};

use crate::drops::Drops;
use crate::noise::NO_DELAY;
use crate::signs::{FEW, FILLS, OF_MACHINES, Shown, Signs};

/// The fewest probes that show a kind.
const FEWEST_PROBES: f64 = 10.0;

/// The fewest marks that are those of the queue in which packets wait.
const FEWEST_MARKS: f64 = 3.0;

/// The ratio of the fastest rate to the slowest from which the rate varies.
const VARIES: f64 = 1.3;

/// The longest delay with small packets, relative to that with large ones.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Smaller {
    /// The measured ratio.
    pub(crate) measured: f64,
    /// The ratio if the queue counts packets.
    pub(crate) by_packets: f64,
    /// The ratio if the queue counts bytes.
    pub(crate) by_bytes: f64,
}

/// The kind of queue that these signs and findings show.
pub(crate) fn kind(signs: &Signs, findings: &[Finding], smaller: Option<Smaller>) -> QueueFinding {
    let is_open = findings.iter().any(|one| one.kind.forbids_kind());
    // Where probes bypass the queue, their delay does not show the kind of the queue.
    let is_passed = FindingKind::ProbesFavoured.is_in(findings);
    if is_open || is_passed || signs.settled.probes < FEWEST_PROBES {
        return UNKNOWN;
    }
    // Nothing but a queue that wants senders to slow down marks packets.
    if signs.marks >= FEWEST_MARKS {
        return found(QueueKind::Aqm, 0.99);
    }
    let is_shared = FindingKind::OtherTraffic.is_in(findings);
    let loses = FindingKind::RandomLoss.is_in(findings);
    let apart = apart(signs);
    let [_, _, shared, fair] = who_is_lost(&signs.stage, false);
    let odds = beyond(apart) + fair - shared;
    if !signs.is_by_load() && apart > 1.0 && odds > 0.0 {
        return told(found(QueueKind::FairQueueing, likely(odds).min(surest_of_fair(signs))));
    }
    if is_bare(signs) {
        return if is_shared || loses { UNKNOWN } else { told(policer(signs)) };
    }
    // A queue that filled only during slow start, and dropped, has shown its kind.
    let waited = signs.stage.p95 > signs.no_delay();
    let is_filled = signs.is_filled(findings);
    if !waited || !(is_filled || signs.stage.drops()) {
        return match (signs.settled.drops(), is_shared || loses) {
            (true, false) if !waited => told(policer(signs)),
            (false, _) if !waited => {
                // The limit of the load is not known.
                let waits_much = signs.settled.median / (NO_DELAY + signs.noise);
                found(QueueKind::None, sure(1.0 / waits_much.max(0.1)).min(MAY_BE))
            }
            _ => UNKNOWN,
        };
    }
    match signs.busy.variation {
        // If the load does not fill the queue, the rate is the load's own; on a line that others
        // use too, it is the load's share.
        Some(variation) if variation > VARIES && is_filled && !is_shared && waits_always(signs) => {
            let most = if swings(signs) { 0.99 } else { MAY_BE };
            told(found(QueueKind::VariableRate, sure(1.0 + (variation - VARIES) * 3.0).min(most)))
        }
        _ => standing(signs, findings, smaller),
    }
}

/// True if packets are known to wait all the time, so that the rate is the line's. The load's own packets
/// do not show the times in which it sends none.
fn waits_always(signs: &Signs) -> bool {
    !signs.is_by_load() || signs.settled.p10 > signs.no_delay()
}

/// True if the rate goes up and down. A change or two may be traffic of others that begins or ends.
pub(crate) fn swings(signs: &Signs) -> bool {
    signs.busy.swings >= SWINGS && signs.longest() > COARSE * signs.packet
}

/// The finding where the kind is not known.
pub(crate) const UNKNOWN: QueueFinding = QueueFinding { kind: QueueKind::Unknown, confidence: 0.0 };

/// The highest confidence in a kind that these observations cannot tell from another.
pub(crate) const MAY_BE: f64 = 0.65;

/// The confidence from which a kind is probable.
pub(crate) const PROBABLE: f64 = 0.7;

fn found(kind: QueueKind, confidence: f64) -> QueueFinding {
    QueueFinding { kind, confidence }
}

/// The highest confidence in fair queueing. Flows are separated if new connections beside the load
/// wait as probes do, and not as flows do. Otherwise, or without such connections, protocols may be
/// separated; and a flow that waits for a few packets, or for pieces of several, may wait for its
/// own packets.
fn surest_of_fair(signs: &Signs) -> f64 {
    let is_quick = |[connect, probe]: [f64; 2]| connect - probe < 0.5 * (signs.flows - probe);
    let few = if signs.in_pieces { COARSE } else { FEW };
    let is_long = signs.flows > few * signs.packet;
    // A flow with a queue of its own usually waits only for the packet on the wire.
    let is_first = signs.settled.median <= signs.packet + signs.noise + OF_MACHINES;
    let is_clear = is_long && is_first && signs.handshakes.is_some_and(is_quick);
    if is_clear { 0.99 } else { MAY_BE }
}

/// More than 1 if flows wait clearly longer than twice the probes' wait. Flows send packets in runs,
/// of which half a packet beyond their own may be the time until the acknowledgement.
fn apart(signs: &Signs) -> f64 {
    const CLEARLY: f64 = 1e-3;
    let waited = signs.flows - 0.5 * signs.packet - signs.noise - CLEARLY;
    stats::ratio(waited, 2.0 * signs.settled.median + CLEARLY / 2.0).unwrap_or(0.0)
}

/// True if a load that is always nearly as fast as at its fastest has drops, while half of the time
/// not one packet waits. A queue so full that it drops would not be empty that often.
fn is_bare(signs: &Signs) -> bool {
    let is_steady = signs.carried >= FILLS * signs.busy.fastest;
    let waits = signs.settled.median > signs.noise + 0.5 * signs.packet + OF_MACHINES;
    signs.settled.drops() && is_steady && !waits
}

/// The finding of a policer: nothing waits because all excess is dropped. It may be a queue of a
/// few packets, if the waits exceed noise; or a wire that loses, if too few probes were sent beside
/// the load to exclude it.
fn policer(signs: &Signs) -> QueueFinding {
    let again = signs.settled.again.max(signs.settled.loss());
    // The load's own packets tell nothing of how long a queue was that is not there.
    let is_wire = signs.is_by_load() || signs.may_be_wire();
    let is_queue = signs.stage.p95 > signs.noise + 0.5 * signs.packet + OF_MACHINES;
    // A queue of so few packets would be hidden by noise.
    let is_hidden = FEW * signs.packet < signs.noise + OF_MACHINES;
    let most = if is_wire || is_queue || is_hidden { MAY_BE } else { 0.95 };
    found(QueueKind::Policer, sure(0.8 + again * 100.0).min(most))
}

/// The confidence for a ratio to a threshold: 0.5 at 1, and towards 1 beyond it.
pub(crate) fn sure(part: f64) -> f64 {
    likely(beyond(part))
}

/// The logarithm of the odds that a threshold of 1 was passed, for this ratio to it.
fn beyond(part: f64) -> f64 {
    3.0 * (part - 1.0)
}

/// The probability for these odds as a logarithm: 0.5 or more.
fn likely(odds: f64) -> f64 {
    (1.0 / (1.0 + libm::exp(-odds.clamp(-5.0, 5.0)))).clamp(0.5, 0.99)
}

/// The kind of a queue in which packets wait.
fn standing(signs: &Signs, findings: &[Finding], smaller: Option<Smaller>) -> QueueFinding {
    let mut weights = [0.0; 4];
    // Losses on the wire happen whatever the queue does.
    let is_told = !FindingKind::RandomLoss.is_in(findings);
    if signs.is_by_load() {
        // Its own packets do not tell whether a flow has a managed queue of its own.
        weights[3] = f64::NEG_INFINITY;
    } else {
        add(&mut weights, who_waits(signs));
    }
    if is_told && !signs.is_by_load() {
        add(&mut weights, who_is_lost(&signs.stage, signs.settled.is_always_full()));
    }
    // A queue of a few packets has no edge, and is full and empty from one packet to the next.
    let is_coarse = signs.longest() < COARSE * signs.packet;
    if is_told && !is_coarse {
        add(&mut weights, when_dropped(signs.drops));
    }
    if !is_coarse {
        add(&mut weights, edge(signs));
    }
    if let Some(smaller) = smaller {
        add(&mut weights, with_smaller(smaller));
    }
    let most = weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let odds = weights.map(|weight| libm::exp(weight - most));
    let all: f64 = odds.iter().sum();
    let [bytes, packets, managed, fair] = odds.map(|one| (one / all).min(0.99));
    // A queue that holds fewer than a handful of packets is no certain FIFO, nor is one of a few
    // packets of which nothing else is known.
    let is_tiny = signs.longest() < FEW * signs.packet || is_coarse && smaller.is_none();
    let most = if is_told && !is_tiny { 0.99 } else { MAY_BE };
    if managed.max(fair) > bytes + packets {
        let (kind, most) = match fair > managed {
            true => (QueueKind::FairQueueing, most.min(surest_of_fair(signs))),
            false if !is_managed(signs, findings) => return UNKNOWN,
            false => (QueueKind::Aqm, most),
        };
        told(found(kind, managed.max(fair).min(most)))
    } else if most <= MAY_BE || bytes.max(packets) < TOLD_APART * (bytes + packets) {
        found(QueueKind::Fifo, (bytes + packets).min(most))
    } else if bytes > packets {
        found(QueueKind::ByteFifo, bytes.min(most))
    } else {
        found(QueueKind::PacketFifo, packets.min(most))
    }
}

/// The part of the odds that tells a byte FIFO from a packet FIFO, which differ only a little.
const TOLD_APART: f64 = 0.95;

/// The kind, or `UNKNOWN` if the confidence is too low to tell.
fn told(found: QueueFinding) -> QueueFinding {
    if found.confidence > MAY_BE { found } else { UNKNOWN }
}

/// True if it is certain that no limit causes the drops. A limit drops at the same delay later as
/// in slow start, but for the part of small packets between the large ones, and for super-packets,
/// which take one place each. So the queue is certainly managed if packets are dropped while the
/// queue is half as long as it was, and is kept short. Packets of others, and a wire that loses,
/// also cause losses at any delay.
fn is_managed(signs: &Signs, findings: &[Finding]) -> bool {
    const HALF: f64 = 0.5;
    const EARLY: f64 = 0.3;
    let is_kept = signs.settled.p90 < KEPT + 3.0 * signs.packet;
    let is_shared = FindingKind::OtherTraffic.is_in(findings);
    let was_long = signs.stage.longest > COARSE * signs.packet;
    let is_short = signs.settled.drops() && signs.settled.longest < HALF * signs.stage.longest;
    // Where no wire causes the load's losses, drops before the queue is full are no limit's either.
    let is_early = signs.is_by_load() && signs.drops.near < EARLY * signs.drops.times;
    // A wire does not lose that much, if enough probes were sent beside the load to show it.
    let is_told = !is_shared && !signs.may_be_wire() && !signs.in_pieces;
    is_told && was_long && (is_short || is_early) && is_kept
}

/// The delay in seconds, beside a few packets, below which a managed queue keeps itself nearly all the time.
/// Targets are 5 to 20 ms (RFC 8289 section 3.2, RFC 8033 section 4.2), and sawteeth go beyond them.
pub(crate) const KEPT: f64 = 30e-3;

/// The fewest swings of a rate that goes up and down in a test.
const SWINGS: u32 = 4;

/// The packets below which a queue is coarse.
const COARSE: f64 = 12.0;

/// The logarithms of a sign's likelihood for each kind: a FIFO by bytes, a FIFO by packets, a
/// managed queue for all flows, and a managed queue for each.
type Weights = [f64; 4];

fn add(sum: &mut Weights, sign: Weights) {
    for (sum, sign) in sum.iter_mut().zip(sign) {
        *sum += sign;
    }
}

/// The most that a sign may weigh, since models are sometimes wrong.
const MOST: f64 = 4.0;

/// The weights of the waits: flows wait as long as probes (half of a clear difference counts as
/// such), or longer.
fn who_waits(signs: &Signs) -> Weights {
    const WIDTH: f64 = 0.2;
    let short = (1.0 - apart(signs)) / WIDTH;
    [0.0, 0.0, 0.0, (-0.5 * short * short).max(-MOST)]
}

/// A probe's size as a part of a full packet, roughly: the free room of a full byte queue is
/// anything below a packet.
const FITS_SELDOM: f64 = 0.08;

/// The weights of the losses: probes are lost as segments are, or much more rarely.
fn who_is_lost(stage: &Shown, is_always_full: bool) -> Weights {
    let expected = stage.again * (stage.probes + stage.lost);
    // The Poisson likelihood at the best rate within a range, since the rate is known only roughly.
    let chance = |low: f64, high: f64| {
        let rate = stage.lost.clamp(low, high).max(0.1);
        stage.lost * libm::log(rate) - rate
    };
    // In a byte queue that is always full, the free room is now and then less than a probe, however
    // few segments are dropped.
    let fits = if is_always_full { FITS_SELDOM * (stage.probes + stage.lost) } else { 0.0 };
    let rarely = (0.2 * expected).max(fits);
    let (rarely, alike) = (chance(0.0, rarely), chance(0.3 * expected, 3.0 * expected));
    let best = rarely.max(alike);
    let weight = |chance: f64| (chance - best).max(-MOST);
    [weight(rarely), weight(alike), weight(alike), weight(rarely)]
}

/// The weights of the delay at which packets are dropped: the longest, or any.
fn when_dropped(drops: Drops) -> Weights {
    const OF_A_FIFO: f64 = 0.95;
    let usual = drops.usual.clamp(0.05, OF_A_FIFO);
    let elsewhere = drops.times - drops.near;
    let chance = |part: f64| drops.near * libm::log(part) + elsewhere * libm::log(1.0 - part);
    let difference = (chance(OF_A_FIFO) - chance(usual)).clamp(-MOST, MOST);
    [difference, difference, 0.0, 0.0]
}

/// The weights of a hard edge or a tail. A queue that has not dropped has no edge yet, but lets the
/// delay get long; one that was full only at the beginning has shown no edge since.
fn edge(signs: &Signs) -> Weights {
    const MIDDLE: f64 = 0.08;
    const WIDTH: f64 = 0.03;
    const LONG: f64 = 0.05;
    let settled = &signs.settled;
    let difference = if settled.drops() {
        let tail = stats::ratio(settled.longest - settled.p90, settled.longest);
        ((MIDDLE - tail.unwrap_or(MIDDLE)) / WIDTH).clamp(-MOST, 2.0)
    } else if signs.stage.drops() {
        0.0
    } else {
        (settled.longest / LONG).clamp(0.5, 3.0)
    };
    [difference, difference, 0.0, 0.0]
}

/// The weights of the longest delay with small packets: it stays, or shrinks as the packets do. The
/// test tries this on purpose, so that it may count for more.
fn with_smaller(smaller: Smaller) -> Weights {
    const WIDTH: f64 = 0.12;
    // A managed queue may do anything, within a factor of three either way; and so may any queue
    // that small packets did not fill, which happens in one of four.
    const ANYTHING: f64 = 1.0;
    const NOT_FULL: f64 = 0.25;
    let anything = libm::log(WIDTH / ANYTHING);
    let off = |expected: f64| {
        let ratio = stats::ratio(smaller.measured, expected).filter(|ratio| *ratio > 0.0);
        let off = ratio.map_or(f64::INFINITY, |ratio| libm::log(ratio) / WIDTH);
        (-0.5 * off * off).max(anything + libm::log(NOT_FULL))
    };
    [off(smaller.by_bytes), off(smaller.by_packets), anything, anything]
}

#[cfg(test)]
mod tests;
