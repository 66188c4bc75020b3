//! What is said of one direction's queue: how long it is, of which kind, how large, where.

use results::observation::Heading;
use results::{Buffer, Claim, Grade, LoadedDirection, QueueFinding, QueueKind, Remark};

use super::words::{SURE, delay, doing, heading, place, rate, size};
use crate::grade::{self, MANY_DROPS};
use crate::number::{count, share};
use crate::text::printable;

/// What there is to say, the delay first.
pub(super) fn queue(heading: Heading, direction: &LoadedDirection) -> Vec<Remark> {
    let name = self::heading(heading);
    let Some(p95) = direction.added_p95_ms() else {
        let text = format!("The {name} was loaded, but no delay could be measured.");
        return vec![Remark::of(Claim::NoDelay, heading, text)];
    };
    let is_long = !is_healthy(Grade::of(p95));
    let known = [
        Some(added(heading, direction, p95)),
        kind(heading, direction),
        buffer(heading, direction).filter(|_| is_long),
        full(heading, direction, p95).filter(|_| is_long),
        place_of(heading, direction).filter(|_| is_long),
        load_waits(heading, direction),
        lost(heading, direction),
        (!direction.saturated).then(|| not_filled(heading)),
    ];
    known.into_iter().flatten().collect()
}

/// `Uploading adds up to 1.05 s of delay: bufferbloat, grade F.`
fn added(heading: Heading, direction: &LoadedDirection, p95: f64) -> Remark {
    let words = match direction.grade {
        Some(grade) => format!(": {}, grade {grade}", grade::words(grade).to_lowercase()),
        None => String::new(),
    };
    let text = format!("{} adds up to {} of delay{words}.", doing(heading), delay(p95));
    let (delay_ms, grade) = (Some(p95), direction.grade);
    Remark { delay_ms, grade, ..Remark::of(Claim::AddedDelay, heading, text) }
}

/// Of which kind it is, if that is at all likely.
fn kind(heading: Heading, direction: &LoadedDirection) -> Option<Remark> {
    let kind = found(direction)?;
    let confidence = direction.queue.map(|queue| queue.confidence);
    let is_sure = confidence.is_some_and(|confidence| confidence >= SURE);
    let sure = if is_sure { "" } else { "probably " };
    let name = self::heading(heading);
    let text = match kind {
        QueueKind::Policer => return Some(policer(heading, direction)),
        QueueKind::ByteFifo => format!("The queue is {sure}a plain FIFO, limited in bytes."),
        QueueKind::PacketFifo => format!("The queue is {sure}a plain FIFO, limited in packets."),
        QueueKind::Fifo => format!("The queue is {sure}a plain FIFO."),
        QueueKind::Aqm => format!("The queue is {sure}managed (AQM)."),
        QueueKind::FairQueueing => {
            format!("Each connection {sure}has a queue of its own (fair queueing).")
        }
        QueueKind::VariableRate => {
            format!(
                "The rate of the {name} {sure}varies, as that of Wi-Fi and mobile networks does."
            )
        }
        QueueKind::None => format!("The load {sure}made no queue."),
        QueueKind::Unknown => return None,
    };
    let kind = Some(kind);
    Some(Remark { kind, confidence, ..Remark::of(Claim::Kind, heading, text) })
}

fn policer(heading: Heading, direction: &LoadedDirection) -> Remark {
    let at = direction.rate_mbit.map(|mbit| format!(" to {}", rate(mbit))).unwrap_or_default();
    // Probes slip through where segments do not.
    let part = direction.loss.into_iter().chain(direction.retransmitted).reduce(f64::max);
    let dropped = match part {
        Some(part) => format!("{} of the packets are dropped", share(part)),
        None => "what is too much is dropped".into(),
    };
    let name = self::heading(heading);
    let text = format!("A policer limits the {name}{at}: {dropped} instead of waiting.");
    Remark {
        part,
        rate_mbit: direction.rate_mbit,
        kind: Some(QueueKind::Policer),
        confidence: direction.queue.map(|queue| queue.confidence),
        ..Remark::of(Claim::Policer, heading, text)
    }
}

/// `The buffer holds 256 KiB.`
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

/// How long one would wait if the buffer were full, where that is clearly longer.
fn full(heading: Heading, direction: &LoadedDirection, p95: f64) -> Option<Remark> {
    let delay_ms = direction.buffer?.full_ms;
    let full_ms = delay_ms.filter(|full_ms| full_ms.is_finite() && *full_ms > 1.15 * p95)?;
    let text = format!(
        "It was not full most of the time: when it is full, it adds {} of delay.",
        delay(full_ms)
    );
    Some(Remark { delay_ms, ..Remark::of(Claim::FullBuffer, heading, text) })
}

/// Where it is, or why that cannot be told.
fn place_of(heading: Heading, direction: &LoadedDirection) -> Option<Remark> {
    let offender = direction.offender.as_ref()?;
    Some(match place(offender) {
        Some(place) => Remark {
            hop: offender.hop,
            last_hop: offender.last_hop,
            confidence: Some(offender.confidence),
            ..Remark::of(Claim::Place, heading, format!("The queue is {place}."))
        },
        None => {
            let why = match bare(&offender.evidence).as_str() {
                "" => String::new(),
                why => format!(": {}", uncapitalised(why)),
            };
            let text = format!("Where the queue is cannot be told{why}.");
            Remark::of(Claim::PlaceUnknown, heading, text)
        }
    })
}

/// What the load does to itself where flows have queues of their own.
fn load_waits(heading: Heading, direction: &LoadedDirection) -> Option<Remark> {
    found(direction).filter(|kind| *kind == QueueKind::FairQueueing)?;
    let own = direction.flow_delay_ms.p50.filter(|own| own.is_finite())?;
    let text = format!("The load waits {} in its own queues.", delay(own));
    Some(Remark { delay_ms: Some(own), ..Remark::of(Claim::LoadWaits, heading, text) })
}

/// Unless that is what a policer is about.
fn lost(heading: Heading, direction: &LoadedDirection) -> Option<Remark> {
    let loss = direction.loss.filter(|loss| *loss >= MANY_DROPS)?;
    let text = format!("{} of the packets are lost.", share(loss));
    let is_policed = found(direction) == Some(QueueKind::Policer);
    let remark = Remark { part: Some(loss), ..Remark::of(Claim::Loss, heading, text) };
    (!is_policed).then_some(remark)
}

fn not_filled(heading: Heading) -> Remark {
    let name = self::heading(heading);
    let text = format!("The test did not fill the {name}, so a full one may be worse.");
    Remark::of(Claim::NotFilled, heading, text)
}

/// How large a buffer is, in words.
fn capacity(buffer: Buffer) -> Option<String> {
    let packets = buffer.packets.filter(|packets| packets.is_finite() && *packets >= 0.0);
    Some(match (packets, buffer.bytes.filter(|bytes| bytes.is_finite())) {
        (Some(packets), _) => format!("about {} packets", count(packets.round() as u64)),
        (None, bytes) => size(bytes?),
    })
}

/// Nothing to mend.
pub(super) fn is_healthy(grade: Grade) -> bool {
    grade <= Grade::A
}

/// The kind of queue, if that is known.
pub(super) fn found(direction: &LoadedDirection) -> Option<QueueKind> {
    let QueueFinding { kind, .. } = direction.queue?;
    (kind != QueueKind::Unknown).then_some(kind)
}

/// A sentence that goes on from another one.
fn uncapitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

/// A sentence without its end, fit for a terminal.
pub(super) fn bare(sentence: &str) -> String {
    printable(sentence.trim().trim_end_matches('.'))
}
