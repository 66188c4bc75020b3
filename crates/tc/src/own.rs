//! The queues of this project as tc would print them.

use qdisc::{AnyStats, Backlog, DisciplineStats, QdiscSpec, Statistics, Tally};
use serde_json::json;

use crate::kinds::{cake, codel, fq_codel, pie, red, sfb};
use crate::listed::Unknown;
use crate::{Fields, ListedQdisc};

/// A queue of this project, and the place that tc would show for it.
#[derive(Clone, Debug)]
pub struct Own<'a> {
    /// The name of the link that the queue feeds, where tc has a device.
    pub dev: &'a str,
    /// The place of the queue in the listing, from 0.
    pub index: usize,
    /// The settings as they are now.
    pub spec: &'a QdiscSpec,
    /// The state and the counts since the beginning.
    pub statistics: &'a Statistics<AnyStats>,
}

impl Own<'_> {
    /// The queue as tc would print it. A kind that tc does not know (`blue`, `cobalt`, `fq_cobalt`)
    /// has the counters that all queues have, and in text the options in the words of this project.
    pub fn listed(&self) -> ListedQdisc {
        let Parts { options, stats, unknown } = self.parts();
        let Statistics { tally, backlog, stats: state } = self.statistics;
        let (sent, drops) = self.sent_and_drops();
        let (overlimits, backlog) = (state.overlimits(tally), *backlog);
        let counts = Counts { sent, drops, overlimits, backlog };
        let mut fields = head(self.kind(), self.dev, self.index, options, counts);
        fields.extend(stats);
        ListedQdisc::new(fields, unknown)
    }

    fn kind(&self) -> &'static str {
        match self.spec {
            QdiscSpec::Pfifo(spec) if spec.head_drop => "pfifo_head_drop",
            spec => spec.kind(),
        }
    }

    /// The packets that Linux would count as sent, and the number of those that it would count as
    /// dropped. They differ in the packets that a change of the settings discards:
    /// `fq_codel_change` takes them out as if they were sent, `cake_clear_tin` counts them nowhere,
    /// and all others count them as dropped (`rtnl_qdisc_drop`, `qdisc_tree_reduce_backlog`).
    fn sent_and_drops(&self) -> (Backlog, u64) {
        let tally = &self.statistics.tally;
        let (mut sent, mut drops) = (tally.sent, tally.dropped());
        match self.spec {
            QdiscSpec::FqCoDel(_) => {
                sent += tally.discarded;
                drops -= tally.discarded.packets;
            }
            QdiscSpec::Cake(_) => drops -= tally.discarded.packets,
            _ => {}
        }
        (sent, drops)
    }

    /// The parts that depend on the kind.
    fn parts(&self) -> Parts {
        let Statistics { tally, backlog, stats } = self.statistics;
        let (options, stats) = match (self.spec, stats) {
            (QdiscSpec::Cake(spec), AnyStats::Cake(stats)) => {
                (cake::options(spec, stats), cake::stats(stats))
            }
            (QdiscSpec::CoDel(spec), AnyStats::CoDel(stats)) => {
                (codel::options(spec), codel::stats(stats, tally))
            }
            (QdiscSpec::FqCoDel(spec), AnyStats::FqCoDel(stats)) => {
                (fq_codel::options(spec), fq_codel::stats(stats, tally))
            }
            (QdiscSpec::Pie(spec), AnyStats::Pie(stats)) => {
                (pie::options(spec), pie::stats(stats, tally, *backlog))
            }
            (QdiscSpec::Red(spec), _) => (red::options(spec), red::stats(tally)),
            (QdiscSpec::Sfb(spec), AnyStats::Sfb(stats)) => {
                (sfb::options(spec), sfb::stats(stats, tally))
            }
            (QdiscSpec::Pfifo(spec), _) => (limit(spec.limit), Fields::new()),
            (QdiscSpec::Bfifo(spec), _) => (limit(spec.limit.0), Fields::new()),
            (spec, _) => return Parts { unknown: words(spec), ..Parts::default() },
        };
        Parts { options, stats, unknown: Unknown::default() }
    }
}

/// A queue from outside this project, with the counters that all queues have.
#[derive(Clone, Copy, Debug)]
pub struct Other<'a> {
    /// The kind of the queue, without white space.
    pub kind: &'a str,
    /// The name of the link that the queue feeds.
    pub dev: &'a str,
    /// The place of the queue in the listing, from 0.
    pub index: usize,
    /// The counts since the beginning.
    pub tally: &'a Tally,
    /// The packets and bytes that wait.
    pub backlog: Backlog,
}

impl Other<'_> {
    /// The queue as tc would print a kind that it does not know.
    pub fn listed(&self) -> ListedQdisc {
        let Self { kind, dev, index, tally, backlog } = *self;
        let (sent, drops) = (tally.sent, tally.dropped());
        let counts = Counts { sent, drops, overlimits: 0, backlog };
        ListedQdisc::new(head(kind, dev, index, Fields::new(), counts), Unknown::default())
    }
}

/// The counters that tc shows of every queue.
#[derive(Clone, Copy, Debug)]
struct Counts {
    sent: Backlog,
    drops: u64,
    overlimits: u64,
    backlog: Backlog,
}

/// The fields that every queue has.
fn head(kind: &str, dev: &str, index: usize, options: Fields, counts: Counts) -> Fields {
    let Counts { sent, drops, overlimits, backlog } = counts;
    let head = json!({
        "kind": kind,
        // The handles that a kernel gives to queues that were given none.
        "handle": format!("{:x}:", 0x8001 + index),
        "dev": dev,
        "root": true,
        "refcnt": 2,
        "options": options,
        "bytes": sent.bytes.0,
        "packets": sent.packets,
        "drops": drops,
        "overlimits": overlimits,
        "requeues": 0,
        "backlog": backlog.bytes.0,
        "qlen": backlog.packets,
    });
    head.as_object().cloned().unwrap_or_default()
}

/// The parts of a listed queue that depend on its kind.
#[derive(Default)]
struct Parts {
    options: Fields,
    stats: Fields,
    unknown: Unknown,
}

fn limit(limit: u64) -> Fields {
    Fields::from_iter([("limit".to_owned(), limit.into())])
}

/// The options of a kind that tc does not know.
fn words(spec: &QdiscSpec) -> Unknown {
    let text = spec.to_string();
    let (_, options) = text.split_once(' ').unwrap_or_default();
    Unknown { options: options.to_owned(), stats: String::new() }
}
