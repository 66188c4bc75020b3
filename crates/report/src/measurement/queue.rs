//! What is said of one direction's queue: how long it is, where, of which kind, how bad.

use results::observation::Heading;
use results::{Buffer, Grade, LoadedDirection, QueueFinding, QueueKind};

use super::words::{SURE, delay, heading, place, rate, size};
use crate::grade::{self, MANY_DROPS};
use crate::number::{count, share};
use crate::text::printable;

/// A sentence or two.
pub(super) fn queue(heading: Heading, direction: &LoadedDirection) -> String {
    let name = self::heading(heading);
    let Some(p95) = direction.added_p95_ms() else {
        return format!("The {name} was loaded, but no delay could be measured.");
    };
    let lossy = direction.loss.filter(|loss| *loss >= MANY_DROPS);
    let sentence = match (found(direction), Grade::of(p95)) {
        (Some(QueueKind::Policer), _) => policer(name, direction, p95),
        (kind, grade) if is_healthy(grade) => short_queue(name, direction, kind, p95),
        (kind, _) => long_queue(name, direction, kind, p95),
    };
    let lost = match (found(direction), lossy) {
        (Some(QueueKind::Policer), _) | (_, None) => String::new(),
        (_, Some(loss)) => format!(" {} of the packets are lost.", share(loss)),
    };
    let unfilled = match direction.saturated {
        true => String::new(),
        false => format!(" The test did not fill the {name}, so it may be worse than that."),
    };
    sentence + &lost + &unfilled
}

fn policer(name: &str, direction: &LoadedDirection, p95: f64) -> String {
    let at = direction.rate_mbit.map(|mbit| format!(" at {}", rate(mbit))).unwrap_or_default();
    // Probes slip through where segments do not.
    let lost = direction.loss.into_iter().chain(direction.retransmitted).reduce(f64::max);
    let lost = match lost {
        Some(lost) => format!("{} of its packets are dropped", share(lost)),
        None => "what is too much is dropped".into(),
    };
    format!(
        "Your {name} is cut off{at} by a policer: {lost}, and little waits ({}{}).",
        delay(p95),
        graded(direction)
    )
}

fn short_queue(
    name: &str,
    direction: &LoadedDirection,
    kind: Option<QueueKind>,
    p95: f64,
) -> String {
    let (wait, graded) = (delay(p95), graded(direction));
    match kind {
        Some(QueueKind::FairQueueing) => {
            let own = direction.flow_delay_ms.p50.filter(|own| own.is_finite());
            let own = own.map(|own| format!(", for {},", delay(own))).unwrap_or_default();
            format!(
                "Your {name} has fair queueing: the load waits{own} in queues of its own, and others \
                 for no more than {wait}{graded}."
            )
        }
        Some(QueueKind::Aqm) => format!(
            "Your {name} queue is managed (AQM) and stays short: {wait} while it is full{graded}."
        ),
        Some(QueueKind::None) => {
            format!("The load made no queue in your {name}: {wait} of added delay{graded}.")
        }
        _ => format!("Your {name} queue is short: it holds {wait} while it is full{graded}."),
    }
}

fn long_queue(
    name: &str,
    direction: &LoadedDirection,
    kind: Option<QueueKind>,
    p95: f64,
) -> String {
    let offender = direction.offender.as_ref();
    let at = offender.and_then(place).map(|place| format!(", {place},")).unwrap_or_default();
    let holds = match kind {
        Some(QueueKind::VariableRate) => {
            let wait = delay(p95);
            format!("up to {wait} while its rate varies, as that of Wi-Fi and mobile does")
        }
        _ => amount(direction, p95),
    };
    let words = match direction.grade {
        Some(grade) => format!(": {}, grade {grade}", grade::words(grade).to_lowercase()),
        None => String::new(),
    };
    let mut sentence = format!("Your {name} queue{at} holds {holds}{words}.");
    if let (true, Some(offender)) = (at.is_empty(), offender) {
        let why = match uncapitalised(&bare(&offender.evidence)).as_str() {
            "" => String::new(),
            why => format!(": {why}"),
        };
        sentence += &format!(" Where that queue is cannot be told{why}.");
    }
    sentence
}

/// `1.05 s = 256 KiB in a byte FIFO`; where the buffer was not full most of the time, how much it
/// could hold.
fn amount(direction: &LoadedDirection, p95: f64) -> String {
    let kind = direction.queue.filter(|queue| queue.confidence >= SURE).map(|queue| queue.kind);
    let kind = match kind {
        Some(fifo @ (QueueKind::ByteFifo | QueueKind::PacketFifo)) => {
            format!(" in a {}", fifo.words())
        }
        _ => String::new(),
    };
    let Some((buffer, size)) =
        direction.buffer.and_then(|buffer| Some((buffer, capacity(buffer)?)))
    else {
        return delay(p95) + &kind;
    };
    match buffer.full_ms.filter(|full_ms| full_ms.is_finite() && *full_ms > 1.15 * p95) {
        Some(full_ms) => {
            format!(
                "{}, and would hold {} = {size}{kind} if it were full",
                delay(p95),
                delay(full_ms)
            )
        }
        None => format!("{} = {size}{kind}", delay(p95)),
    }
}

/// How large a buffer is, in words.
fn capacity(buffer: Buffer) -> Option<String> {
    let least = if buffer.at_least { "at least " } else { "" };
    let packets = buffer.packets.filter(|packets| packets.is_finite() && *packets >= 0.0);
    let size = match (packets, buffer.bytes.filter(|bytes| bytes.is_finite())) {
        (Some(packets), _) => format!("{} packets", count(packets.round() as u64)),
        (None, bytes) => size(bytes?),
    };
    Some(format!("{least}{size}"))
}

/// `, grade A+`.
fn graded(direction: &LoadedDirection) -> String {
    direction.grade.map(|grade| format!(", grade {grade}")).unwrap_or_default()
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
