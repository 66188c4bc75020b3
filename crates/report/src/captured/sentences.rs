//! What a capture tells of a queue, in sentences.

use results::{
    CapturedEnd, CapturedQueue, FindingKind, LossPattern, QueueOwner, SenderLimit, Unmeasured,
};

use super::sender::Sender;
use crate::measurement::{SURE, finding_sentence, kind_sentence};
use crate::number::{count, duration, share, significant, things};

/// The reason why it is not known how long the data waited.
pub(super) fn unmeasured(sender: &Sender<'_>, reason: Unmeasured) -> String {
    let [from, to] = sender.names();
    let near_receiver = |missing: &str| {
        format!(
            "The capture does not show how long packets from {from} waited. It was made near {to}, where only \
             timestamps of TCP show this wait, and {missing}"
        )
    };
    match reason {
        Unmeasured::OneDirection if sender.is_unseen() => format!(
            "The capture has only the acknowledgements from {to} to {from}: it does not show how long the \
             data waited, nor how much of it was sent again. Capture both directions."
        ),
        Unmeasured::OneDirection => format!(
            "The capture has only the packets from {from} to {to}: it does not show how long they waited, nor \
             when the data arrived. The goodput is the rate at which new data passed the place of the capture. \
             Capture both directions."
        ),
        Unmeasured::CutOptions => near_receiver(
            "the options of TCP are cut off. Capture 108 bytes of each packet or more (tcpdump -s 108), or capture at \
             the sender.",
        ),
        Unmeasured::NoTimestamps => {
            near_receiver("this connection has none. Capture at the sender.")
        }
        Unmeasured::WayBack => format!(
            "It is not known how long the data from {from} waited: the acknowledgements to {from} may have waited \
             in its place."
        ),
        Unmeasured::FewRoundTrips => {
            "No connection has enough round trips to show how long its packets waited.".into()
        }
        Unmeasured::Gaps => {
            "Round trips are known for less than half of the time, because of losses or pauses: the capture does not \
             show how long packets waited."
                .into()
        }
    }
}

/// What the acknowledgements tell of missing data, where the data itself was not captured; `None` if they tell nothing.
pub(super) fn told_missing(sender: &Sender<'_>) -> Option<String> {
    let counts = &sender.other.counts;
    (sender.is_unseen() && counts.sacks > 0).then(|| {
        format!(
            "{} of {} told {} that data was missing (SACK).",
            count(counts.sacks),
            things(counts.acks, "acknowledgement"),
            sender.names()[0]
        )
    })
}

/// Whose queue it is; `None` if there is none.
pub(super) fn whose(queue: &CapturedQueue) -> Option<String> {
    Some(match queue.whose {
        QueueOwner::None => return None,
        QueueOwner::Own => {
            let rate = queue.rate_mbit.map_or(String::new(), |rate| {
                format!(" The line carries {} Mbit/s of this data.", significant(rate))
            });
            let most = queue.most_bytes.map_or(String::new(), |bytes| {
                format!(" Up to {} kB of it wait in the queue.", significant(bytes as f64 / 1e3))
            });
            let told = "The connection's own data fills the queue: the round trips grow with the data in \
                 flight.";
            format!("{told}{rate}{most}")
        }
        QueueOwner::Other => {
            "Other traffic fills the queue, or the line gets slower: the round trips grow, and the \
                              connection's data in flight does not."
                .into()
        }
        QueueOwner::Unknown => "The capture does not show whose data fills the queue.".into(),
    })
}

/// The rate of UDP that passed beside data that waits; `None` if it was not higher than that of the data.
pub(super) fn beside_udp(queue: &CapturedQueue) -> Option<String> {
    let may_fill = match queue.whose {
        QueueOwner::Own => "",
        QueueOwner::None | QueueOwner::Other | QueueOwner::Unknown => {
            ", and may be what fills the queue"
        }
    };
    let rate = significant(queue.udp_mbit?);
    Some(format!(
        "UDP of the same hosts took {rate} Mbit/s on average meanwhile, more than this connection{may_fill}."
    ))
}

/// How much of the delay is between the places of the capture; `None` for less than a half of it.
pub(super) fn between(end: &CapturedEnd) -> Option<String> {
    let between = end.waits_between?.p95_ms?;
    let added = end.queue.as_ref()?.added_p95_ms?;
    (between > added / 2.0).then(|| {
        format!(
            "The queue is in the device that was captured: packets take {} from one interface of \
             the capture to the other, at the 95th percentile of time.",
            duration(between)
        )
    })
}

/// The part of the data from which it is said that it was sent again.
const NOTABLE: f64 = 0.01;

/// How much was sent again; `None` for less than a hundredth of the data.
pub(super) fn sent_again(sender: &Sender<'_>) -> Option<String> {
    let part = sender.sent_again()?;
    (part >= NOTABLE)
        .then(|| format!("{} of the data from {} was sent again.", share(part), sender.names()[0]))
}

/// How much was sent again in these directions; `None` if that is less than a hundredth of the data in each of them.
pub(super) fn sent_again_by_others<'a>(
    others: impl Iterator<Item = &'a Sender<'a>>,
) -> Option<String> {
    /// The fewest segments of which a part is told.
    const FEWEST: u64 = 20;
    let known = others.filter(|it| it.this.counts.data_packets >= FEWEST);
    let known = known.filter_map(|it| Some((it.sent_again()?, it)));
    let lossy: Vec<_> = known.filter(|(part, _)| *part >= NOTABLE).collect();
    let (part, worst) = lossy.iter().max_by(|one, other| one.0.total_cmp(&other.0))?;
    let ([from, to], part) = (worst.names(), share(*part));
    if lossy.len() == 1 {
        return Some(format!("{part} of the data from {from} to {to} was sent again."));
    }
    let data = |it: &Sender<'_>| it.this.counts.data_bytes as f64;
    let all: f64 = lossy.iter().map(|(_, it)| data(it)).sum();
    let again: f64 = lossy.iter().map(|(part, it)| part * data(it)).sum();
    Some(format!(
        "{} other senders sent 1 % or more of their data again: {} in all, and {part} from {from} to {to}.",
        count(lossy.len() as u64),
        share(again / all)
    ))
}

/// What the losses tell; `None` if they tell nothing.
pub(super) fn losses(queue: &CapturedQueue) -> Option<String> {
    Some(match queue.losses {
        LossPattern::None => "Nothing was sent again.".into(),
        LossPattern::FullQueue => {
            "Packets were lost while the queue was full: the queue drops packets for which it has \
             no room."
                .into()
        }
        LossPattern::ShortQueue => {
            "Packets were lost while the queue was short: a queue drops early, a policer drops \
                                    them, or a link loses them."
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

/// What the losses of a direction without a queue do to the rate; `None` if there are few, or if something else limits it.
pub(super) fn loss_limit(sender: &Sender<'_>, queue: &CapturedQueue) -> Option<String> {
    let by_losses = queue.loss_limited_mbit.map(|mbit| {
        let (verb, unless) = match sender.this.limited {
            Some(_) => ("limit", ""),
            None => (
                "may limit",
                " Whether the program or the receiver's window limits it, only a capture at the sender shows.",
            ),
        };
        format!(
            "The losses {verb} the rate: with so many of them, TCP reaches about {} Mbit/s at this round \
             trip. A link that loses packets, a policer or a very short buffer can cause them; the \
             capture does not show which.{unless}",
            significant(mbit)
        )
    });
    let is_policed = queue.losses == LossPattern::Policer;
    let is_open = !is_policed && limit(sender).is_none() && sent_again(sender).is_some();
    let unknown = "The capture does not show whether these losses limit the rate.";
    by_losses.or(is_open.then(|| unknown.to_owned()))
}

/// What a mark tells; `None` if there was none. Before the queue, the capture shows only that the end has heard of
/// marks, once a round trip.
pub(super) fn marks(queue: &CapturedQueue, sender: &Sender<'_>) -> Option<String> {
    let more = if queue.marks > sender.this.counts.congestion_marks { " or more" } else { "" };
    (queue.marks > 0).then(|| {
        format!(
            "A queue marked {}{more} instead of dropping, so senders slow down without loss.",
            things(queue.marks, "packet")
        )
    })
}

/// The kind of the queue, and the findings that are sure enough, as in a test; or that the kind is not told, where the
/// data fills the queue.
pub(super) fn findings(queue: &CapturedQueue) -> Vec<String> {
    let kind = queue.kind.and_then(|kind| kind_sentence(kind, "line"));
    let unknown = (queue.whose == QueueOwner::Own && kind.is_none())
        .then(|| "The capture does not show what kind of queue it is.".to_owned());
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
            "For {} of the time, the window of {to} had no room for more data.",
            part(limited.receiver_s)
        ),
        SenderLimit::Program => format!(
            "For {} of the time, the program at {from} had no data to send.",
            part(limited.application_s)
        ),
    })
}
