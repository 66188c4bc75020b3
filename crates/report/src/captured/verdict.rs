//! What is said of a capture: its worst directions, and what others of them lost.

use results::{Capture, CaptureAnomaly, CapturedConnection, LossPattern, QueueOwner, Unmeasured};

use super::sender::Sender;
use super::sentences::{
    beside_udp, between, findings, limit, loss_limit, losses, marks, sent_again,
    sent_again_by_others, told_missing, unmeasured, whose,
};
use crate::grade;
use crate::number::duration;
use crate::style::Tone;

/// What is said of a capture with these directions, which are in order of their waits: all of the direction that leads,
/// how long packets of another one wait, and what was lost elsewhere.
pub(super) fn verdict(capture: &Capture, senders: &[Sender<'_>]) -> Vec<String> {
    let Some(leading) = leading(senders) else { return vec![no_data(capture).into()] };
    let second = second(senders, leading).and_then(|sender| told(sender).into_iter().next());
    let rest = senders.iter().filter(|it| it.place != leading.place);
    told(leading).into_iter().chain(second).chain(sent_again_by_others(rest)).collect()
}

/// The direction of the verdict: the one whose packets wait longest, unless it has no grade and another one has a grade
/// that is not good. `None` if there is no direction.
pub(super) fn leading<'a, 'b>(senders: &'a [Sender<'b>]) -> Option<&'a Sender<'b>> {
    let is_bad = |it: &&Sender<'_>| it.grade().is_some_and(|it| grade::tone(it) != Tone::Good);
    graded(senders).filter(is_bad).or(senders.first())
}

/// The direction of which the verdict also tells how long its packets wait: the graded one, or, where that leads, the one
/// whose packets wait longest. `None` if the leading one is both, or if none has a grade.
fn second<'a, 'b>(senders: &'a [Sender<'b>], leading: &Sender<'b>) -> Option<&'a Sender<'b>> {
    let is_other = |it: &&Sender<'_>| it.place != leading.place;
    let graded = graded(senders)?;
    Some(graded).filter(is_other).or(senders.first()).filter(is_other)
}

/// The direction with the worst grade, which is the first one with a grade; `None` if none has one.
fn graded<'a, 'b>(senders: &'a [Sender<'b>]) -> Option<&'a Sender<'b>> {
    senders.iter().find(|it| it.grade().is_some())
}

/// What is said of a direction.
fn told(sender: &Sender<'_>) -> Vec<String> {
    let [from, to] = sender.names();
    let Some((added, queue)) = sender.added().zip(sender.this.queue.as_ref()) else {
        let reason = sender.this.queue.as_ref().and_then(|queue| queue.added_reason);
        let reason = unmeasured(sender, reason.unwrap_or(Unmeasured::FewRoundTrips));
        let told = [Some(reason), sent_again(sender), told_missing(sender), limit(sender)];
        return told.into_iter().flatten().collect();
    };
    if queue.whose == QueueOwner::None {
        /// The wait in milliseconds that two digits show.
        const SHOWN: f64 = 0.005;
        let waits = match added < SHOWN {
            true => "No queue: packets did not wait in 95 % of the time.".to_owned(),
            false => format!(
                "No queue: packets waited {} or less beyond the shortest round trip in 95 % of the time.",
                duration(added)
            ),
        };
        let told =
            std::iter::once(waits).chain(sent_again(sender)).chain(loss_limit(sender, queue));
        let policer = losses(queue).filter(|_| queue.losses == LossPattern::Policer);
        let told = told.chain(policer).chain(marks(queue, sender)).chain(findings(queue));
        return told.chain(limit(sender)).collect();
    }
    let waits = format!(
        "packets from {from} to {to} wait {} in a queue at the 95th percentile of time, and {} at most, \
         beyond the shortest round trip of {}.",
        duration(added),
        duration(queue.added_most_ms.unwrap_or(added)),
        duration(queue.waits.least_ms.unwrap_or(0.0))
    );
    let first = match (queue.grade, queue.whose) {
        (Some(grade), _) => format!("{}, grade {grade}: {waits}", grade::words(grade)),
        (None, QueueOwner::Own) => format!(
            "No grade: {waits} How long others wait is not known: a queue that holds only this \
             connection's packets would not delay them."
        ),
        (None, _) => format!("No grade: {waits} Whether the line was full is not known."),
    };
    let again = sent_again(sender);
    let told = [
        Some(first),
        between(sender.this),
        whose(queue),
        beside_udp(queue),
        again,
        losses(queue),
        marks(queue, sender),
    ];
    told.into_iter().flatten().chain(findings(queue)).chain(limit(sender)).collect()
}

/// What is said of a capture without data: whether its headers are cut off, or each of its connections has packets of one
/// end only.
fn no_data(capture: &Capture) -> &'static str {
    let is_cut = |it: &CaptureAnomaly| {
        matches!(it, CaptureAnomaly::CutHeaders { .. } | CaptureAnomaly::CutIpHeaders { .. })
    };
    if capture.anomalies.iter().any(is_cut) {
        return "The capture does not show whether a TCP connection has carried data: headers are cut off. Capture \
                108 bytes of each packet or more (tcpdump -s 108).";
    }
    let is_half = |one: &CapturedConnection| one.ends.iter().any(|end| end.counts.packets == 0);
    match !capture.connections.is_empty() && capture.connections.iter().all(is_half) {
        true => {
            "No TCP connection has carried data in this capture, which has only one direction of each. \
             Capture both directions."
        }
        false => "No TCP connection has carried data.",
    }
}

#[cfg(test)]
mod tests;
