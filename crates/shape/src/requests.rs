//! The answers to those who ask a shaper at work, and the changes of its queues.

use std::sync::PoisonError;

use live::{Adjustment, Change, LinkView};
use units::{DirectionId, PerWay, Rate, Rng, Time, Way};

use crate::control::{Answer, Request};
use crate::work::Work;
use crate::{Factory, QueueSettings};

/// The most requests that are answered in a tick.
const MOST_ANSWERS: usize = 4;

/// The wanted change of a direction.
#[derive(Clone, Debug, Default)]
struct Wish {
    /// The settings, in the words of `tc qdisc change`.
    text: Option<String>,
    /// The rate behind a queue that has none of its own.
    rate: Option<Rate>,
}

impl<F: Factory> Work<F> {
    /// Answers those who ask; not all at once, since packets wait.
    pub(crate) fn answer(&mut self, links: &[LinkView<'_, F::Queue>], now: Time) {
        for _ in 0..MOST_ANSWERS {
            let Some(pending) = self.reach.control.next() else { return };
            let done = pending.request.clone().and_then(|request| match request {
                Request::Status => Ok(()),
                Request::Set { up, down, up_rate, down_rate } => self.set(PerWay {
                    forward: Wish { text: up, rate: up_rate },
                    reverse: Wish { text: down, rate: down_rate },
                }),
            });
            pending.answer(&match done {
                Ok(()) => Answer::Done(Box::new(self.document(links, now))),
                Err(why) => Answer::Refused(why),
            });
        }
    }

    /// Answers those who ask while the interface is not there: with the latest state.
    pub(crate) fn answer_waiting(&mut self) {
        while let Some(pending) = self.reach.control.next() {
            let latest = self.latest().lock().unwrap_or_else(PoisonError::into_inner).clone();
            pending.answer(&match (pending.request.clone(), latest) {
                (Err(why), _) => Answer::Refused(why),
                (Ok(Request::Status), Some(state)) => Answer::Done(Box::new(state)),
                (Ok(_), _) => Answer::Refused(format!(
                    "{} is not there now; the shaper waits for it",
                    self.interface().name
                )),
            });
        }
    }

    /// Prepares changes of the queues; all of them, or none.
    fn set(&mut self, wishes: PerWay<Wish>) -> Result<(), String> {
        let mut changed = Vec::new();
        for way in [Way::Forward, Way::Reverse] {
            let Wish { text, rate } = &wishes[way];
            if text.is_none() && rate.is_none() {
                continue;
            }
            let found = self.directions.iter().position(|it| it.way == way);
            let index = found.ok_or_else(|| format!("the {} is not shaped", in_words(way)))?;
            let mut settings = self.directions[index].settings.clone();
            let option = option(way);
            if let Some(text) = text {
                let changed = settings.changed(text);
                settings = changed.map_err(|why| format!("{option} \"{text}\": {why}"))?;
            }
            if let Some(rate) = rate {
                let changed = settings.with_rate(*rate, option);
                settings = changed.map_err(|why| format!("{option}-rate {rate}: {why}"))?;
            }
            if self.pace.is_some() && settings.limit() != self.directions[index].settings.limit() {
                let what = match rate {
                    Some(_) => format!("{option}-rate"),
                    None => format!("`bandwidth` of {option}"),
                };
                return Err(format!("the rates follow the line here: leave out the {what}"));
            }
            changed.push((index, settings));
        }
        for (index, settings) in changed {
            let is_other = settings.queue != self.directions[index].settings.queue;
            let queue = is_other.then(|| settings.build(Rng::new(0)));
            self.adjust(index, queue, settings);
        }
        Ok(())
    }

    /// Prepares a change of the rate of one direction.
    pub(crate) fn change_limit(&mut self, index: usize, limit: Rate) {
        let settings = self.directions[index].settings.with_limit(limit);
        self.adjust(index, None, settings);
    }

    /// Prepares a change of one direction, which is carried out after the tick. A queue with the new settings
    /// is needed only if more than rates change.
    fn adjust(&mut self, index: usize, queue: Option<F::Queue>, settings: QueueSettings<F>) {
        let change = Change {
            at: Time::ZERO,
            queue,
            rate: settings.rate,
            shaping: settings.queue.rate(),
            most_packets: settings.most_packets(),
        };
        let direction = DirectionId::from_index(index);
        self.adjustments.push(Adjustment { direction, change });
        self.directions[index].settings = settings;
    }
}

/// The option of `unbloat shape` for a direction.
fn option(way: Way) -> &'static str {
    match way {
        Way::Forward => "--up",
        Way::Reverse => "--down",
    }
}

/// A direction of an interface in a sentence.
fn in_words(way: Way) -> &'static str {
    match way {
        Way::Forward => "upload",
        Way::Reverse => "download",
    }
}
