//! The figures of one run, with their names.

use indexmap::IndexMap;

use crate::{DirectionResult, Document, FlowDelay, FlowKind, FlowResult};
use stats::ratio;
use stats::{ascending, median};
use units::Way;

/// One direction of a link, by the names that documents have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkDirection<'a> {
    /// The name of the link.
    pub link: &'a str,
    /// The way through it.
    pub way: Way,
}

/// The figures of one run, by name, in a fixed order. `bottleneck` is the direction to which names
/// without a link refer: `sojourn_ms.p50`, `utilisation`. The same figures of the other
/// directions are called `link.NAME.forward.…`. All bulk flows together have a `goodput_mbit`; each
/// flow of the file has its own, `flow.NAME.goodput_mbit`, in which the members of a `count` are
/// taken together. A figure that the run does not have is `None`.
pub fn figures_of(
    document: &Document,
    bottleneck: LinkDirection<'_>,
) -> Vec<(String, Option<f64>)> {
    let mut figures = Figures(Vec::new());
    if let Some(link) = document.links.get(bottleneck.link) {
        let way = if bottleneck.way == Way::Forward { &link.forward } else { &link.reverse };
        figures.direction("", way);
    }
    let bulk = document.flows.values().filter(|flow| flow.kind == FlowKind::Bulk);
    figures.put("", "goodput_mbit", sum(bulk.map(|flow| flow.goodput_mbit)));
    for (name, members) in flows(document) {
        figures.flow(&format!("flow.{name}."), &members);
    }
    for (name, link) in &document.links {
        for (way, direction) in [(Way::Forward, &link.forward), (Way::Reverse, &link.reverse)] {
            if (LinkDirection { link: name, way }) != bottleneck {
                figures.direction(&format!("link.{name}.{}.", way.name()), direction);
            }
        }
    }
    figures.0
}

struct Figures(Vec<(String, Option<f64>)>);

impl Figures {
    fn put(&mut self, prefix: &str, name: &str, value: Option<f64>) {
        self.0.push(([prefix, name].concat(), value));
    }

    fn direction(&mut self, prefix: &str, direction: &DirectionResult) {
        let sojourn = &direction.sojourn_ms;
        let drops = &direction.drops;
        let offered = direction.delivered_packets.saturating_add(drops.total());
        let dropped = drops.without_ack_filter() as f64;
        let figures = [
            ("sojourn_ms.mean", sojourn.mean),
            ("sojourn_ms.p25", sojourn.p25),
            ("sojourn_ms.p50", sojourn.p50),
            ("sojourn_ms.p75", sojourn.p75),
            ("sojourn_ms.p90", sojourn.p90),
            ("sojourn_ms.p95", sojourn.p95),
            ("sojourn_ms.p99", sojourn.p99),
            ("sojourn_ms.max", sojourn.max),
            ("utilisation", direction.utilisation),
            ("rate_mbit", direction.rate_mbit),
            ("drops.full", Some(drops.full as f64)),
            ("drops.aqm", Some(drops.aqm as f64)),
            ("drops.loss", Some(drops.loss as f64)),
            ("drops.total", Some(dropped)),
            ("drops.share", ratio(dropped, offered as f64)),
            ("marks", Some(direction.marks as f64)),
            ("backlog_packets.mean", direction.backlog_packets.mean),
            ("backlog_packets.max", direction.backlog_packets.max.map(|packets| packets as f64)),
            ("jain_goodput", direction.jain_goodput),
            ("jain_drops", direction.jain_drops),
        ];
        figures.into_iter().for_each(|(name, value)| self.put(prefix, name, value));
    }

    fn flow(&mut self, prefix: &str, members: &[&FlowResult]) {
        let each = |figure: fn(&FlowResult) -> Option<f64>| members.iter().map(move |m| figure(m));
        let lost = sum(each(|flow| flow.lost_packets.map(|packets| packets as f64)));
        let sent = sum(each(|flow| flow.sent_packets.map(|packets| packets as f64)));
        let figures = [
            ("goodput_mbit", sum(each(|flow| flow.goodput_mbit))),
            ("delivered_bytes", sum(each(|flow| flow.delivered_bytes.map(|bytes| bytes as f64)))),
            ("rtt_ms.p50", middle(each(|flow| spread(&flow.rtt_ms, |rtt| rtt.p50)))),
            ("rtt_ms.p95", largest(each(|flow| spread(&flow.rtt_ms, |rtt| rtt.p95)))),
            ("rtt_ms.max", largest(each(|flow| spread(&flow.rtt_ms, |rtt| rtt.max)))),
            ("delay_ms.p50", middle(each(|flow| spread(&flow.delay_ms, |delay| delay.p50)))),
            ("delay_ms.p95", largest(each(|flow| spread(&flow.delay_ms, |delay| delay.p95)))),
            ("delay_ms.p99", largest(each(|flow| spread(&flow.delay_ms, |delay| delay.p99)))),
            ("delay_ms.max", largest(each(|flow| spread(&flow.delay_ms, |delay| delay.max)))),
            ("lost_share", lost.zip(sent).and_then(|(lost, sent)| ratio(lost, sent))),
            ("timeouts", sum(each(|flow| flow.timeouts.map(|timeouts| timeouts as f64)))),
            ("mos", smallest(each(|flow| flow.mos))),
            ("connections", sum(each(|flow| flow.connections.map(|count| count as f64)))),
            ("completion_s.count", sum(each(|flow| Some(flow.completion_s?.count as f64)))),
            ("completion_s.p50", middle(each(|flow| flow.completion_s?.p50))),
            ("completion_s.p95", largest(each(|flow| flow.completion_s?.p95))),
            ("completion_s.max", largest(each(|flow| flow.completion_s?.max))),
        ];
        figures.into_iter().for_each(|(name, value)| self.put(prefix, name, value));
    }
}

fn spread(spread: &Option<FlowDelay>, part: fn(&FlowDelay) -> Option<f64>) -> Option<f64> {
    spread.as_ref().and_then(part)
}

/// The flows under their names in the scenario file, each with its members, which are `name[0]`,
/// `name[1]`, ...
fn flows(document: &Document) -> IndexMap<&str, Vec<&FlowResult>> {
    let mut flows: IndexMap<&str, Vec<&FlowResult>> = IndexMap::new();
    for (name, flow) in &document.flows {
        let name = name.split_once('[').map_or(name.as_str(), |(name, _)| name);
        flows.entry(name).or_default().push(flow);
    }
    flows
}

fn sum(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    values.flatten().reduce(|sum, value| sum + value)
}

fn smallest(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    values.flatten().reduce(f64::min)
}

fn largest(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    values.flatten().reduce(f64::max)
}

/// The median of the values that are known, one a flow; `None` if none is.
fn middle(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    median(&ascending(values.flatten()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Completion, Drops, LinkResult, Sojourn};

    const UP: LinkDirection<'_> = LinkDirection { link: "up", way: Way::Forward };

    fn bulk(goodput: f64, rtt: f64) -> FlowResult {
        FlowResult {
            kind: FlowKind::Bulk,
            goodput_mbit: Some(goodput),
            rtt_ms: Some(FlowDelay {
                p50: Some(rtt),
                p95: Some(2.0 * rtt),
                ..FlowDelay::default()
            }),
            sent_packets: Some(100),
            lost_packets: Some(10),
            ..FlowResult::default()
        }
    }

    fn example() -> Document {
        let mut document = Document::default();
        let drops = Drops { full: 1, aqm: 2, loss: 2, ..Drops::default() };
        let sojourn_ms = Sojourn { p50: Some(4.0), ..Sojourn::default() };
        let forward = DirectionResult {
            delivered_packets: 95,
            drops,
            sojourn_ms,
            ..DirectionResult::default()
        };
        document.links.insert("up".into(), LinkResult { forward, ..LinkResult::default() });
        document.links.insert("down".into(), LinkResult::default());
        for (member, rtt) in [30.0, 10.0, 20.0].into_iter().enumerate() {
            document.flows.insert(format!("ftp[{member}]"), bulk(1.5, rtt));
        }
        let completion_s = Some(Completion { count: 1, p50: Some(2.0), ..Completion::default() });
        let kind = FlowKind::Transfer;
        let file = FlowResult { kind, completion_s, ..FlowResult::default() };
        document.flows.insert("file".into(), file);
        document
    }

    #[test]
    fn figures_are_found_by_name() {
        let figures = figures_of(&example(), UP);
        let of = |name: &str| {
            let found = figures.iter().find(|(at, _)| at == name);
            found.unwrap_or_else(|| panic!("no {name} in {figures:?}")).1
        };
        assert_eq!((of("sojourn_ms.p50"), of("sojourn_ms.mean")), (Some(4.0), None));
        assert_eq!((of("drops.total"), of("drops.share")), (Some(5.0), Some(0.05)));
        assert_eq!(of("goodput_mbit"), Some(4.5), "of bulk flows only");
        assert_eq!(of("flow.ftp.goodput_mbit"), Some(4.5));
        assert_eq!(of("flow.ftp.rtt_ms.p50"), Some(20.0), "the median");
        assert_eq!(of("flow.ftp.rtt_ms.p95"), Some(60.0), "the largest");
        assert_eq!(of("flow.ftp.lost_share"), Some(0.1));
        assert_eq!(of("flow.file.completion_s.p50"), Some(2.0));
        assert_eq!(of("flow.file.rtt_ms.p50"), None);
        assert_eq!(of("link.up.reverse.drops.total"), Some(0.0));
        assert_eq!(of("link.down.forward.drops.share"), None, "of nothing there is no share");
    }

    #[test]
    fn names_are_unique_and_do_not_depend_on_what_happened() {
        let names = |document: &Document| -> Vec<String> {
            figures_of(document, UP).into_iter().map(|(name, _)| name).collect()
        };
        let document = example();
        let mut other = document.clone();
        other.links.values_mut().for_each(|link| *link = LinkResult::default());
        other.flows.values_mut().for_each(|flow| *flow = FlowResult::default());
        assert_eq!(names(&document), names(&other));
        let mut sorted = names(&document);
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), names(&document).len());
    }
}
