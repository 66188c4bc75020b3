//! What a capture tells of a queue, in sentences.

use results::{CapturedEnd, CapturedQueue, FindingKind, LossPattern, QueueOwner, SenderLimit};

use super::sender::Sender;
use crate::measurement::{SURE, finding_sentence, kind_sentence};
use crate::number::{duration, share, significant, things};

/// Whose queue it is; `None` if there is none.
pub(super) fn whose(queue: &CapturedQueue) -> Option<String> {
    Some(match queue.whose {
        QueueOwner::None => return None,
        QueueOwner::Own => {
            let rate = queue.rate_mbit.map(|rate| {
                format!(
                    " The line carries {} Mbit/s of its data, and up to {} kB of it wait in the queue.",
                    significant(rate),
                    significant(queue.most_bytes.unwrap_or(0) as f64 / 1e3)
                )
            });
            let told =
                "Its own data fills the queue: the round trips grow with the data in flight.";
            format!("{told}{}", rate.unwrap_or_default())
        }
        QueueOwner::Other => {
            "The queue is not its own: the round trips grow, and the data in flight does \
                              not. Others fill the queue, or the line gets slower."
                .into()
        }
        QueueOwner::Unknown => "The capture does not tell whose data fills the queue.".into(),
    })
}

/// How much of the delay is between the places of the capture; `None` for less than a half of it.
pub(super) fn between(end: &CapturedEnd) -> Option<String> {
    let between = end.waits_between?.p95_ms?;
    let added = end.queue.as_ref()?.added_p95_ms?;
    (between > added / 2.0).then(|| {
        format!(
            "The queue is where the capture was made: its packets need {} at the 95th percentile of time from one \
             place of the capture to the other.",
            duration(between)
        )
    })
}

/// What the losses tell; `None` if they tell nothing.
pub(super) fn losses(queue: &CapturedQueue) -> Option<String> {
    Some(match queue.losses {
        LossPattern::None => "Nothing was sent again.".into(),
        LossPattern::FullQueue => {
            "Packets were lost while the queue was full: the queue drops what has no room.".into()
        }
        LossPattern::ShortQueue => {
            "Packets were lost while the queue was short: by a queue that drops \
                                    early, by a policer, or on the way."
                .into()
        }
        LossPattern::Policer => {
            let rate = (queue.policed_mbit)
                .map(|mbit| format!(" It passes about {} Mbit/s of the data.", significant(mbit)));
            let told = "Packets are lost above a certain rate, and nothing waits: a policer drops \
                        the excess.";
            format!("{told}{}", rate.unwrap_or_default())
        }
        LossPattern::Unknown => return None,
    })
}

/// What a mark tells; `None` if there was none.
pub(super) fn marks(queue: &CapturedQueue) -> Option<String> {
    (queue.marks > 0).then(|| {
        format!(
            "A queue has marked {} in place of dropping, so the senders slow down without a loss.",
            things(queue.marks, "packet")
        )
    })
}

/// The kind of the queue, and the findings that are sure enough, as in a test; or that the kind is not told, where the
/// data fills the queue.
pub(super) fn findings(queue: &CapturedQueue) -> Vec<String> {
    let kind = queue.kind.and_then(|kind| kind_sentence(kind, "line"));
    let unknown = (queue.whose == QueueOwner::Own && kind.is_none())
        .then(|| "The capture does not tell what kind of queue it is.".to_owned());
    // Which end it was is told by another sentence.
    let sure = queue.findings.iter().filter(|one| one.confidence >= SURE);
    let others = sure.filter(|one| one.kind != FindingKind::EndLimits);
    let others = others.map(|one| finding_sentence(one, "line", "capture"));
    kind.into_iter().chain(unknown).chain(others).collect()
}

/// The end that kept the sender from sending more; `None` if it was the path, or if it is not told.
pub(super) fn limit(sender: &Sender<'_>) -> Option<String> {
    let limited = sender.this.limited?;
    let total = limited.application_s + limited.receiver_s + limited.path_s;
    let part = |secs: f64| share(if total > 0.0 { secs / total } else { 0.0 });
    let [from, to] = sender.names();
    Some(match limited.held_back_by? {
        SenderLimit::Receiver => format!(
            "In {} of the time the window of {to} had no room for more data.",
            part(limited.receiver_s)
        ),
        SenderLimit::Program => format!(
            "In {} of the time the program at {from} had no more data to send.",
            part(limited.application_s)
        ),
    })
}
