//! Makes a result document from a replay.

use std::io::Read;

use results::Document;
use serde_json::{Value, json};
use units::{Bytes, Time};

use crate::recorder::Recorder;
use crate::{Arrival, Arrivals, Setting};

/// The arrivals as a whole.
#[derive(Debug)]
pub(crate) struct Summary {
    pub(crate) packets: u64,
    pub(crate) bytes: u64,
    /// The times of the first arrival and of the last.
    pub(crate) first: Time,
    pub(crate) last: Time,
    /// The time at which the last bit of the last packet was sent.
    pub(crate) end: Time,
    /// True if all arrivals were replayed.
    pub(crate) is_whole: bool,
}

impl Summary {
    pub(crate) const fn new(first: Time) -> Self {
        Self { packets: 0, bytes: 0, first, last: first, end: first, is_whole: true }
    }

    #[inline]
    pub(crate) fn offered(&mut self, arrival: &Arrival) {
        self.packets += 1;
        self.bytes += u64::from(arrival.bytes);
        self.last = arrival.time;
    }
}

/// Makes the result document of a replay. `capacity` is the most that the wire could have carried.
pub(crate) fn document<R: Read>(
    setting: &Setting,
    arrivals: &Arrivals<R>,
    summary: &Summary,
    recorder: Recorder,
    capacity: Option<Bytes>,
) -> Document {
    let mut document = Document::new(scenario(setting, arrivals, summary));
    let period = summary.end.since(summary.first);
    document.interrupted_s = (!summary.is_whole).then(|| period.as_secs_f64());
    let mut document =
        recorder.document(document, setting.queue.to_string(), summary.end, capacity);
    document.cost.events = summary.packets + document.cost.packets;
    document
}

/// The setting with all defaults spelled out, and the arrivals as a whole.
fn scenario<R: Read>(setting: &Setting, arrivals: &Arrivals<R>, summary: &Summary) -> Value {
    let Setting { name, queue, rate, framing, seed } = setting;
    let over = summary.last.since(summary.first);
    let seconds = over.as_secs_f64();
    let offered = (seconds > 0.0).then(|| summary.bytes as f64 * 8e-6 / seconds);
    json!({
        "title": format!("Replay of {name}"),
        "duration": summary.end.since(summary.first).to_string(),
        "seed": seed,
        "replay": {
            "file": name,
            "format": arrivals.format(),
            "queue": queue.to_string(),
            "rate": rate.to_string(),
            "rate_mbit": rate.as_mbit_f64(),
            "mtu": framing.mtu,
            "overhead": framing.overhead,
            "arrivals": {
                "packets": summary.packets,
                "bytes": summary.bytes,
                "first_s": summary.first.as_secs_f64(),
                "last_s": summary.last.as_secs_f64(),
                "offered_mbit": offered,
            },
            "anomalies": arrivals.anomalies(),
        },
    })
}
