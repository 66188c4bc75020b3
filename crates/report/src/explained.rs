//! The queues of a device in sentences: what each is, whether it is busy, how long packets wait in
//! it, and what it does about that.
//!
//! A queue is read twice, and what its counters grew by in between is what it does now. Each
//! sentence is of a number that the kernel tells, and a judgement of one has its threshold beside
//! it, as a constant with its reason.
//!
//! Specification: Linux `net/sched/sch_cake.c` (`cake_enqueue`, `cake_dequeue`, `cake_dump_stats`),
//! `sch_codel.c`, `sch_fq_codel.c`, `sch_pie.c` and `include/uapi/linux/gen_stats.h`; tc-cake(8).

mod cake;
mod compared;
mod other;
mod quantity;

use serde::Serialize;
use serde_json::Value;
use tc::ListedQdisc;
use units::Span;

use crate::style::{Style, Tone};
use crate::text::{printable, room, wrap_within};
use compared::Compared;

/// The queues of a device between two readings, in words.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// `unbloat.explanation`.
    pub schema: &'static str,
    /// The version of this form.
    pub version: u32,
    /// The name of the device.
    pub dev: String,
    /// The time between the two readings.
    pub span_s: f64,
    /// The queues of the device, each before those below it.
    pub queues: Vec<ExplainedQueue>,
}

/// A queue in words.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExplainedQueue {
    /// What everybody wants to know of it.
    pub headline: String,
    /// The sentences, each under its topic.
    pub sentences: Vec<Sentence>,
    /// What the queue did between the readings.
    pub activity: Activity,
    /// What the kernel told at the second reading, as `tc -s -j` prints it.
    pub statistics: ListedQdisc,
}

/// A sentence, or a few, about one topic.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Sentence {
    /// The topic, in a word: `waits`.
    pub topic: &'static str,
    /// The words.
    pub text: String,
}

/// What a queue did between two readings.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Activity {
    /// The rate of what left, with the headers that the kernel counts.
    pub sent_mbit: f64,
    /// The packets that left in a second.
    pub sent_packets_per_s: f64,
    /// The packets that were dropped in a second, acknowledgements aside that a filter dropped.
    pub drops_per_s: f64,
    /// The packets that were marked in a second; absent where the queue does not tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub marks_per_s: Option<f64>,
    /// The acknowledgements that CAKE's filter dropped in a second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ack_drops_per_s: Option<f64>,
    /// The part of CAKE's bandwidth that was used, counted as CAKE does; a lower bound where that
    /// depends on the length of each packet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load: Option<f64>,
}

/// The queues of a device in words, from two readings with this span between them.
///
/// A queue that the first reading lacks began after it, so that its counters count from there.
pub fn explanation(
    dev: &str,
    earlier: &[ListedQdisc],
    now: Vec<ListedQdisc>,
    span: Span,
) -> Explanation {
    let queue = |queue: ListedQdisc| {
        let before = earlier.iter().find(|it| place(it) == place(&queue));
        explained(before, queue, span)
    };
    Explanation {
        schema: "unbloat.explanation",
        version: 1,
        dev: dev.to_owned(),
        span_s: span.as_secs_f64(),
        queues: now.into_iter().map(queue).collect(),
    }
}

/// The explanation as text: a headline for each queue, and below it a paragraph for each topic.
pub fn explanation_text(explanation: &Explanation, style: Style) -> String {
    text_of(explanation, style, room(), &[])
}

/// The topics in the order in which they are left out where there is little room.
const LEFT_OUT: [&str; 13] = [
    "lumps", "memory", "queues", "framing", "sharing", "queue", "shaper", "flows", "tin",
    "signals", "backlog", "waits", "load",
];

/// The explanation as text of at most so many columns and lines: topics are left out, of all queues
/// alike, until it fits. Headlines stay in any case.
pub fn explanation_within(
    explanation: &Explanation,
    style: Style,
    columns: usize,
    lines: usize,
) -> String {
    let columns = columns.min(room());
    let texts =
        (0..=LEFT_OUT.len()).map(|out| text_of(explanation, style, columns, &LEFT_OUT[..out]));
    let mut shortest = String::new();
    for text in texts {
        shortest = text;
        if shortest.lines().count() <= lines {
            break;
        }
    }
    shortest
}

/// The explanation as text, without these topics.
fn text_of(explanation: &Explanation, style: Style, columns: usize, without: &[&str]) -> String {
    let paragraph = |Sentence { topic, text }: &Sentence| {
        wrap_within(&printable(text), &format!("  {topic:<9}"), columns) + "\n"
    };
    let queue = |queue: &ExplainedQueue| {
        let headline = wrap_within(&printable(&queue.headline), "", columns);
        let headline = style.paint(&headline, Tone::Title);
        let told = queue.sentences.iter().filter(|sentence| !without.contains(&sentence.topic));
        format!("{headline}\n{}", told.map(paragraph).collect::<String>())
    };
    explanation.queues.iter().map(queue).collect::<Vec<_>>().join("\n")
}

impl ExplainedQueue {
    /// Says how long packets wait, by somebody who measures it, if the kind of queue does not tell.
    pub fn tell_waits(&mut self, told: &str) {
        let of_waits = |sentence: &&mut Sentence| sentence.text == other::NO_WAIT;
        if let Some(sentence) = self.sentences.iter_mut().find(of_waits) {
            told.clone_into(&mut sentence.text);
        }
    }
}

/// What tells a queue from the others of its device, also after it was replaced.
fn place(queue: &ListedQdisc) -> [Option<&Value>; 3] {
    ["kind", "handle", "parent"].map(|key| queue.fields().get(key))
}

fn explained(earlier: Option<&ListedQdisc>, now: ListedQdisc, span: Span) -> ExplainedQueue {
    let (headline, sentences, activity) = match now.kind() {
        "cake" | "cake_mq" => cake::explained(&Compared::of(earlier, &now, span)),
        _ => other::explained(&Compared::of(earlier, &now, span)),
    };
    ExplainedQueue { headline, sentences, activity, statistics: now }
}

#[cfg(test)]
mod tests;
