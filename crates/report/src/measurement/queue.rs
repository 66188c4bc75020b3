//! The remarks about one direction's queue: its delay, its kind, its size and its place.

use observation::Heading;
use results::{
    Buffer, Claim, Finding, FindingKind, Grade, LoadedDirection, QueueFinding, QueueKind, Remark,
    Ungraded,
};

use super::evidence::evidence;
use super::findings;
use super::words::{CERTAIN, SURE, doing, place, rate, size};
use crate::grade::{self, MANY_DROPS};
use crate::number::{count, duration, share};
use crate::text::printable;

/// The remarks about a direction: first the limit, if it was not the line, then the delay.
///
/// `is_least` is true if the path was never seen without a queue, so that the delay may be longer.
///
/// There is no remark about the kind of the queue of a direction that was not filled, because it
/// was not tested. `server` is the hop of the server, if that is known.
pub(super) fn queue(
    heading: Heading,
    direction: &LoadedDirection,
    is_least: bool,
    server: Option<u8>,
) -> Vec<Remark> {
    let mut said: Vec<Remark> = findings::remarks(heading, direction).collect();
    if remedy::is_limited_elsewhere(direction) {
        said.extend(reached(heading, direction));
        return said;
    }
    let Some(p95) = direction.added_p95_ms() else {
        let why = match direction.added_delay_ms.p50 {
            Some(_) => {
                "Too few probes came through the {} to know the 95th percentile of the time that \
                 others wait."
            }
            None => "Too few probes came through the {} to measure how long others wait.",
        };
        said.push(no_delay(heading, why));
        said.extend(unfilled(heading, direction));
        return said;
    };
    let is_long = direction.saturated && !is_healthy(Grade::of(p95));
    let delay = || match unknown(direction) {
        Some(why) if !is_least => no_delay(heading, why),
        _ => added(heading, direction, p95, is_least),
    };
    // There is another remark that probes bypass the queue.
    let is_told = !remedy::has(direction, FindingKind::ProbesFavoured);
    let mut known: Vec<Remark> = is_told.then(delay).into_iter().collect();
    if direction.saturated {
        known.extend(kind(heading, direction));
        known.extend(load_waits(heading, direction));
    } else {
        known.extend(reached(heading, direction));
        known.extend(full(heading, direction, 0.0).or_else(|| unfilled(heading, direction)));
    }
    if is_long {
        known.extend(buffer(heading, direction));
        known.extend(full(heading, direction, p95));
        known.extend(place_of(heading, direction, server));
    }
    known.extend(lost(heading, direction));
    known.append(&mut said);
    known
}

/// The remark that no delay is known, and `why`, where `{}` stands for the direction's name. The
/// load's own delay is not used instead, because its round trips are smoothed, and lag behind.
fn no_delay(heading: Heading, why: &str) -> Remark {
    Remark::of(Claim::NoDelay, heading, why.replace("{}", heading.in_words()))
}

/// The reason why the probes' delay is not that of others while the direction is full; `None` if it
/// is.
pub(super) fn unknown(direction: &LoadedDirection) -> Option<&'static str> {
    let is_favoured = |finding: &Finding| finding.kind == FindingKind::ProbesFavoured;
    if direction.findings.iter().any(is_favoured) {
        return Some(
            "Small packets may bypass the queue of the {}, so how long others wait there is not \
             known.",
        );
    }
    let is_open = direction.grade.is_none() && direction.grade_reason != Some(Ungraded::NotFilled);
    is_open.then_some(
        "Whether the test filled the {} is not known, nor how long others wait when it is full.",
    )
}

/// The remark on the rate that the direction carried, which may be less than it can carry; `None`
/// if the rate is not known.
fn reached(heading: Heading, direction: &LoadedDirection) -> Option<Remark> {
    let mbit = direction.rate_mbit.filter(|mbit| mbit.is_finite())?;
    let text = format!("The {} reached {}.", heading.in_words(), rate(mbit));
    Some(Remark { rate_mbit: Some(mbit), ..Remark::of(Claim::Reached, heading, text) })
}

/// The remark on the added delay: `Uploading adds up to 1.05 s of delay: bufferbloat, grade F.`
///
/// A queue that drops many packets is not called healthy, however short its delay is.
fn added(heading: Heading, direction: &LoadedDirection, p95: f64, is_least: bool) -> Remark {
    let words = match direction.grade {
        Some(grade) if is_short_by_drops(direction) => format!(", grade {grade}"),
        Some(grade) => format!(": {}, grade {grade}", grade::words(grade).to_lowercase()),
        None => String::new(),
    };
    let (doing, adds) = (doing(heading), duration(p95));
    let text = match is_least {
        true => format!("{doing} adds {adds} of delay or more{words}."),
        false => format!("{doing} adds up to {adds} of delay{words}."),
    };
    let (delay_ms, grade) = (Some(p95), direction.grade);
    Remark { delay_ms, grade, ..Remark::of(Claim::AddedDelay, heading, text) }
}

/// The remark on the kind of the queue, worded by its confidence; `None` if the kind is not known.
fn kind(heading: Heading, direction: &LoadedDirection) -> Option<Remark> {
    let queue = direction.queue?;
    if queue.kind == QueueKind::Policer && queue.confidence >= SURE {
        return Some(policer(heading, direction));
    }
    let text = kind_sentence(queue, heading.in_words())?;
    let (kind, confidence) = (Some(queue.kind), Some(queue.confidence));
    Some(Remark { kind, confidence, ..Remark::of(Claim::Kind, heading, text) })
}

/// The kind of the queue of a direction with this name; `None` if it is not known.
pub(crate) fn kind_sentence(queue: QueueFinding, name: &str) -> Option<String> {
    let is = match queue.confidence {
        CERTAIN.. => "is",
        SURE.. => "is probably",
        _ => "may be",
    };
    Some(match queue.kind {
        QueueKind::Policer => format!("The {name} {is} limited by a policer."),
        QueueKind::ByteFifo => format!("The queue {is} a plain FIFO, limited in bytes."),
        QueueKind::PacketFifo => format!("The queue {is} a plain FIFO, limited in packets."),
        QueueKind::Fifo => format!("The queue {is} a plain FIFO."),
        QueueKind::Aqm => format!("The queue {is} kept short by an AQM."),
        QueueKind::FairQueueing => {
            format!("The queue {is} a fair queue: each connection has its own queue.")
        }
        QueueKind::VariableRate => {
            format!(
                "The rate of the {name} {is} variable: the line is sometimes faster, sometimes \
                 slower."
            )
        }
        QueueKind::None | QueueKind::Unknown => return None,
    })
}

fn policer(heading: Heading, direction: &LoadedDirection) -> Remark {
    // Probes may pass where segments are dropped.
    let part = direction.loss.into_iter().chain(direction.retransmitted).reduce(f64::max);
    let dropped = match part {
        Some(part) => format!("{} of the packets are dropped", share(part)),
        None => "packets above its rate are dropped".into(),
    };
    let name = heading.in_words();
    // The sentence does not name the policer's rate: others' part of it is not known.
    let got = direction.rate_mbit.map(|mbit| format!(" The test got {} through.", rate(mbit)));
    let got = got.unwrap_or_default();
    let text = format!("A policer limits the {name}: {dropped} instead of waiting.{got}");
    Remark {
        part,
        rate_mbit: direction.rate_mbit,
        kind: Some(QueueKind::Policer),
        confidence: direction.queue.map(|queue| queue.confidence),
        ..Remark::of(Claim::Policer, heading, text)
    }
}

/// The remark on the size of the buffer: `The buffer holds 256 KiB.` `None` if the size is not
/// known.
fn buffer(heading: Heading, direction: &LoadedDirection) -> Option<Remark> {
    let buffer = direction.buffer?;
    let size = capacity(buffer)?;
    let (claim, least) = match buffer.at_least {
        true => (Claim::BufferAtLeast, "at least "),
        false => (Claim::Buffer, ""),
    };
    Some(Remark {
        bytes: buffer.bytes,
        packets: buffer.packets,
        confidence: Some(buffer.confidence),
        ..Remark::of(claim, heading, format!("The buffer holds {least}{size}."))
    })
}

/// True if the delay of the full line is short because its queue drops many packets.
pub(super) fn is_short_by_drops(direction: &LoadedDirection) -> bool {
    let is_short = direction.grade.is_some_and(is_healthy);
    is_short && drops_many(direction) && !remedy::has(direction, FindingKind::RandomLoss)
}

/// True if many packets are lost or retransmitted.
pub(super) fn drops_many(direction: &LoadedDirection) -> bool {
    let mut lost = direction.loss.into_iter().chain(direction.retransmitted);
    lost.any(|part| part >= MANY_DROPS)
}

/// The remark on the delay of the full buffer, if it is clearly longer than `p95`; `None`
/// otherwise, or if the buffer's size is not known or only a lower bound.
fn full(heading: Heading, direction: &LoadedDirection, p95: f64) -> Option<Remark> {
    let is_known = |buffer: &Buffer| !buffer.at_least && capacity(*buffer).is_some();
    let delay_ms = direction.buffer.filter(is_known)?.full_ms;
    let full_ms = delay_ms.filter(|full_ms| full_ms.is_finite() && *full_ms > 1.15 * p95)?;
    let text = format!(
        "The buffer was not full most of the time: when it is full, it adds {} of delay.",
        duration(full_ms)
    );
    Some(Remark { delay_ms, ..Remark::of(Claim::FullBuffer, heading, text) })
}

/// The remark on the place of the queue, or on the reason why the place is not known; `None` if it
/// was not sought.
fn place_of(heading: Heading, direction: &LoadedDirection, server: Option<u8>) -> Option<Remark> {
    let offender = direction.offender.as_ref()?;
    Some(match place(offender, server) {
        Some(place) => Remark {
            hop: offender.hop,
            last_hop: offender.last_hop,
            confidence: Some(offender.confidence),
            ..Remark::of(Claim::Place, heading, format!("The queue is {place}."))
        },
        None => {
            let why = match bare(&evidence(offender)).as_str() {
                "" => String::new(),
                why => format!(": {}", uncapitalised(why)),
            };
            let text = format!("The place of the queue is not known{why}.");
            Remark::of(Claim::PlaceUnknown, heading, text)
        }
    })
}

/// The remark on the load's own delay, if flows have separate queues; `None` otherwise.
fn load_waits(heading: Heading, direction: &LoadedDirection) -> Option<Remark> {
    found(direction).filter(|kind| *kind == QueueKind::FairQueueing)?;
    let own = direction.flow_delay_ms.p50.filter(|own| own.is_finite())?;
    let text = format!("The load waits {} in its own queues.", duration(own));
    Some(Remark { delay_ms: Some(own), ..Remark::of(Claim::LoadWaits, heading, text) })
}

/// The remarks on the loss of the probes and on the load's retransmissions, each if it is large.
/// They may differ: small packets fit in where large ones do not, or are dropped as a separate
/// flow. Empty for a policer, whose own remark states the loss.
fn lost(heading: Heading, direction: &LoadedDirection) -> Vec<Remark> {
    if found(direction) == Some(QueueKind::Policer) {
        return Vec::new();
    }
    let name = heading.in_words();
    let remark = |claim, part: f64, text| Remark {
        part: Some(part),
        ..Remark::of(claim, heading, format!("While the {name} was loaded, {text}."))
    };
    let is_much = |part: &f64| *part >= MANY_DROPS;
    let probes = direction.loss.filter(is_much).map(|part| {
        let [least, most] = direction.certainty.loss.unwrap_or([part; 2]);
        let part = if least < most { to(share(least), share(most)) } else { share(part) };
        let text = format!("{part} of the small packets beside it were lost");
        Remark { part_most: Some(most), ..remark(Claim::Loss, least, text) }
    });
    let why = match is_short_by_drops(direction) {
        true => {
            ": the queue keeps the delay short by dropping packets, and what it drops must be \
             sent again"
        }
        false => "",
    };
    let load = direction.retransmitted.filter(is_much).map(|part| {
        remark(
            Claim::SentAgain,
            part,
            format!("{} of its own packets were sent again{why}", share(part)),
        )
    });
    probes.into_iter().chain(load).collect()
}

fn to(least: String, most: String) -> String {
    if least == most { most } else { format!("{least} to {most}") }
}

/// The remark that the direction was not filled. `None` if it was filled, or if too little is known
/// to say so.
fn unfilled(heading: Heading, direction: &LoadedDirection) -> Option<Remark> {
    found(direction).filter(|_| direction.grade_reason == Some(Ungraded::NotFilled))?;
    let name = heading.in_words();
    let text = format!(
        "The test did not fill the {name}: its rate and delay are those of the load, and a full \
         line may add more delay."
    );
    Some(Remark::of(Claim::NotFilled, heading, text))
}

/// The size of a buffer, in words; `None` if it is not known.
fn capacity(buffer: Buffer) -> Option<String> {
    let packets = buffer.packets.filter(|packets| packets.is_finite() && *packets >= 0.0);
    Some(match (packets, buffer.bytes.filter(|bytes| bytes.is_finite())) {
        (Some(packets), _) => format!("about {} packets", count(packets.round() as u64)),
        (None, bytes) => size(bytes?),
    })
}

/// True if there is nothing to fix.
pub(super) fn is_healthy(grade: Grade) -> bool {
    grade <= Grade::A
}

/// The kind of the queue; `None` if it is not known.
pub(super) fn found(direction: &LoadedDirection) -> Option<QueueKind> {
    let QueueFinding { kind, .. } = direction.queue?;
    (kind != QueueKind::Unknown).then_some(kind)
}

/// A sentence with a small first letter, as the continuation of another one.
fn uncapitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

/// A sentence without its full stop, fit for a terminal.
pub(super) fn bare(sentence: &str) -> String {
    printable(sentence.trim().trim_end_matches('.'))
}
