//! The queues besides CAKE in sentences.

use serde::Deserialize;

use super::compared::Compared;
use super::quantity::{each_second, micros, rate, size, span};
use super::{Activity, Sentence};
use crate::number::{count, duration, percent, things};

/// The statistics of a queue, as tc's JSON has them. What a kind does not tell is `None`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Queue {
    kind: String,
    dev: String,
    parent: Option<String>,
    options: Options,
    bytes: u64,
    packets: u64,
    drops: u64,
    backlog: u64,
    qlen: u64,
    maxpacket: Option<u64>,
    ecn_mark: Option<u64>,
    drop_overlimit: Option<u64>,
    memory_used: Option<u64>,
    /// CoDel: the wait of the last packet in microseconds.
    ldelay: Option<u64>,
    dropping: bool,
    /// PIE: the estimated wait in microseconds, and the probability of a drop.
    delay: Option<u64>,
    prob: Option<f64>,
    /// FQ-CoDel: the flows in its two lists.
    new_flows_len: Option<u64>,
    old_flows_len: Option<u64>,
}

/// The settings that several kinds have; times are in microseconds.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Options {
    limit: Option<u64>,
    target: Option<u64>,
    interval: Option<u64>,
    memory_limit: Option<u64>,
    ecn: bool,
}

/// The kinds whose packets wait in queues below them, or nowhere.
const HOLDERS: [&str; 9] =
    ["clsact", "drr", "hfsc", "htb", "ingress", "mq", "mqprio", "prio", "tbf"];

/// What is said of the waits where the kind of queue has no figure of them.
pub(super) const NO_WAIT: &str = "This kind of queue does not report how long packets wait.";

/// The headline, the sentences, and what the queue did.
pub(super) fn explained(queue: &Compared<Queue>) -> (String, Vec<Sentence>, Activity) {
    let marks = |queue: &Queue| queue.ecn_mark.unwrap_or_default();
    let activity = Activity {
        sent_mbit: queue.per_second(|queue| queue.bytes) * 8.0 / 1e6,
        sent_packets_per_s: queue.per_second(|queue| queue.packets),
        drops_per_s: queue.per_second(|queue| queue.drops),
        marks_per_s: queue.now.ecn_mark.map(|_| queue.per_second(marks)),
        ..Activity::default()
    };
    if queue.now.kind == "noqueue" {
        let sentence = "This device has no queue: packets leave at once, or wait in another \
                        device.";
        let sentences = vec![Sentence { topic: "queue", text: sentence.to_owned() }];
        return (format!("{}: no queue.", queue.now.dev), sentences, activity);
    }
    let sentences = [
        ("queue", Some(kind(&queue.now))),
        ("load", Some(load(queue))),
        ("waits", waits(queue)),
        ("backlog", Some(backlog(queue))),
        ("signals", Some(signals(queue))),
        ("flows", flows(&queue.now)),
        ("memory", memory(&queue.now)),
        ("lumps", lumps(&queue.now)),
    ];
    let sentences = sentences
        .into_iter()
        .filter_map(|(topic, text)| Some(Sentence { topic, text: text? }))
        .collect();
    (headline(queue), sentences, activity)
}

/// The most that leaves, and what it leaves behind.
fn headline(queue: &Compared<Queue>) -> String {
    let Queue { dev, kind, qlen, .. } = &queue.now;
    let place = queue.now.parent.as_ref().map_or(String::new(), |class| format!(" at {class}"));
    let state = match (queue.growth(|queue| queue.packets), qlen) {
        (0, 0) => "idle".to_owned(),
        (_, 0) => "nothing waits".to_owned(),
        (_, waiting) => format!("{} waiting", things(*waiting, "packet")),
    };
    format!("{dev}, {kind}{place}: {state}.")
}

/// What the queue is, and what it can do about delay.
fn kind(queue: &Queue) -> String {
    let Options { limit, target, interval, ecn, .. } = &queue.options;
    let does = match queue.kind.as_str() {
        "htb" | "hfsc" | "tbf" => "shapes; packets wait in the queues below it",
        "prio" | "drr" => {
            "decides which of the queues below it may send; packets wait in those queues"
        }
        "fq_codel" => "gives each flow a queue, and drops packets from queues that stay long",
        "fq_pie" => "gives each flow a queue, and drops packets from queues that grow long",
        "codel" => "is one queue for all packets, and drops some while packets wait for long",
        "pie" => "is one queue for all packets, and drops at random: more, if packets wait longer",
        "fq" => "gives each flow of this host a queue, and paces it; it does not act on long waits",
        "sfq" => "gives each flow a queue, and does not act on long waits",
        "pfifo_fast" => "is one queue for each of three classes, and drops only when it is full",
        "pfifo" | "bfifo" => "is one queue for all packets, and drops only when it is full",
        "mq" | "mqprio" => "gives each hardware queue of the device a queue of its own",
        "ingress" | "clsact" => {
            "holds no packets; its rules may send incoming packets through the queue of another \
             device, such as an ifb"
        }
        _ => "is a kind of queue that this program does not explain",
    };
    let settings = [
        limit.map(|limit| match queue.kind.as_str() {
            "bfifo" => format!("limit {}", size(limit)),
            _ => format!("limit {}", things(limit, "packet")),
        }),
        target.map(|target| format!("target {}", micros(target))),
        interval.map(|interval| format!("interval {}", micros(interval))),
        ecn.then(|| "ecn".to_owned()),
    ];
    let settings: Vec<_> = settings.into_iter().flatten().collect();
    let settings = match settings.is_empty() {
        true => String::new(),
        false => format!(" ({})", settings.join(", ")),
    };
    format!("{} {does}{settings}.", queue.kind)
}

fn load(queue: &Compared<Queue>) -> String {
    match queue.growth(|queue| queue.packets) {
        0 => {
            let total = things(queue.now.packets, "packet");
            format!("No packet left in the last {}; {total} in all.", span(queue.span))
        }
        _ => format!(
            "{} left in the last {}, as packets {}.",
            rate(queue.per_second(|queue| queue.bytes)),
            span(queue.span),
            each_second(queue.per_second(|queue| queue.packets))
        ),
    }
}

/// How long packets wait, if the kind tells.
fn waits(queue: &Compared<Queue>) -> Option<String> {
    let Queue { ldelay, delay, prob, dropping, .. } = &queue.now;
    if let Some(ldelay) = ldelay {
        let state = if *dropping { ", and it is dropping" } else { "" };
        return Some(format!("The last packet waited {} (ldelay){state}.", micros(*ldelay)));
    }
    let Some((delay, prob)) = delay.zip(*prob) else {
        return (!HOLDERS.contains(&queue.now.kind.as_str())).then(|| NO_WAIT.to_owned());
    };
    Some(format!(
        "It estimates the wait at {} (delay), and drops {} % of arriving packets (prob).",
        micros(delay),
        percent(prob)
    ))
}

/// What waits, and the time that it takes to leave at the rate of late.
fn backlog(queue: &Compared<Queue>) -> String {
    let Queue { qlen, backlog, .. } = queue.now;
    if qlen == 0 {
        return "Nothing waits at this moment.".to_owned();
    }
    let waiting = format!("Waiting: {}, {}", things(qlen, "packet"), size(backlog));
    match queue.per_second(|queue| queue.bytes) {
        0.0 => waiting + ", and none left.",
        rate => {
            let wait = duration(backlog as f64 / rate * 1e3);
            format!("{waiting}: {wait} at the rate at which packets left.")
        }
    }
}

fn signals(queue: &Compared<Queue>) -> String {
    let drops = queue.growth(|queue| queue.drops);
    let now = match drops {
        0 => format!("Nothing was dropped in the last {}", span(queue.span)),
        _ => format!("Dropped: {}", each_second(queue.per_second(|queue| queue.drops))),
    };
    let marked = match queue.now.ecn_mark {
        None => String::new(),
        Some(total) => {
            let marks = queue.per_second(|queue| queue.ecn_mark.unwrap_or_default());
            format!("; marked (ECN): {}, {} in all", each_second(marks), things(total, "mark"))
        }
    };
    let full = match queue.now.drop_overlimit {
        None | Some(0) => String::new(),
        Some(full) => format!(", {full} of them because it was full"),
    };
    format!("{now}; {} in all{full}{marked}.", things(queue.now.drops, "drop"))
}

fn flows(queue: &Queue) -> Option<String> {
    let (new, old) = queue.new_flows_len.zip(queue.old_flows_len)?;
    Some(format!(
        "New flows, which go first: {} (new_flows_len). Other flows, which take turns: {} \
         (old_flows_len).",
        count(new),
        count(old)
    ))
}

fn memory(queue: &Queue) -> Option<String> {
    let (used, limit) = queue.memory_used.zip(queue.options.memory_limit)?;
    Some(format!("Waiting packets take {} of {} of memory.", size(used), size(limit)))
}

/// The longest packet, if it is longer than any frame without GSO.
fn lumps(queue: &Queue) -> Option<String> {
    /// Longer than a jumbo frame of 9,000 bytes with its headers.
    const LUMP: u64 = 9_100;
    let longest = queue.maxpacket.filter(|longest| *longest > LUMP)?;
    Some(format!(
        "Packets come in super-packets of up to {} (GSO, GRO), and this queue does not split them: \
        other packets wait for a whole one.",
        size(longest)
    ))
}
