//! What a capture tells of a queue, in sentences.

use results::{CapturedQueue, LossPattern, QueueOwner};

use super::sender::Sender;
use crate::number::{share, significant};

/// The part of the time from which a limit is worth a sentence.
const WORTH: f64 = 0.2;

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
        LossPattern::Unknown => return None,
    })
}

/// What else kept the sender from sending more; `None` if it was the path.
pub(super) fn limit(sender: &Sender<'_>) -> Option<String> {
    let limited = sender.this.limited?;
    let total = limited.application_s + limited.receiver_s + limited.path_s;
    let part = |secs: f64| if total > 0.0 { secs / total } else { 0.0 };
    let [program, receiver] = [limited.application_s, limited.receiver_s].map(part);
    let [from, to] = sender.names();
    if receiver >= WORTH && receiver >= program {
        return Some(format!(
            "In {} of the time the window of {to} had no room for more data.",
            share(receiver)
        ));
    }
    (program >= WORTH).then(|| {
        format!("In {} of the time the program at {from} had no more data to send.", share(program))
    })
}
