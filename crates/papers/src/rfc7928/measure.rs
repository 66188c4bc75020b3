//! The measurements of one run: RFC 7928 section 2.

use results::{Completion, Document, FlowDelay, FlowKind, FlowResult};
use scenario::{Flow, Scenario};
use stats::{ascending, quantile};

use super::scenario::Case;
use super::watch::{WINDOW, Watch, Window};

/// The measurements of one run.
#[derive(Clone, Debug, Default)]
pub(super) struct Measured {
    pub(super) figures: Vec<Figure>,
    /// The mean delay in the queue in milliseconds, and the goodput of all flows that send over it
    /// in Mbit/s, for each whole window after the warm-up.
    pub(super) windows: Vec<(f64, f64)>,
    /// The windows of the flows of each name that share the queue; empty unless the case asks for
    /// them.
    pub(super) classes: Vec<(String, Vec<(f64, f64)>)>,
    /// The mean delay in each window from the beginning, milliseconds.
    pub(super) over_time: Vec<Option<f64>>,
}

/// A figure of the queue or a flow.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Figure {
    /// The subject: `queue`, or a flow of the file.
    pub(super) of: String,
    pub(super) metric: &'static str,
    pub(super) unit: &'static str,
    pub(super) value: Option<f64>,
}

/// The measurements of a run.
pub(super) fn measured(
    case: &Case,
    scenario: &Scenario,
    document: &Document,
    watch: &Watch,
) -> Measured {
    let mut list = List::default();
    queues(&mut list, scenario, document, watch);
    for flow in &scenario.flows {
        list.of(&flow.name);
        family(&mut list, &members(document, &flow.name), watch, &flow.name);
    }
    if let Some([of, to]) = case.ratio {
        list.of(&format!("{of} / {to}"));
        let [of, to] = [of, to].map(|name| goodput(&members(document, name)));
        list.add("goodput", "", of.zip(to).and_then(|(of, to)| stats::ratio(of, to)));
    }
    let classes = scenario.flows.iter().filter(|flow| case.classes && shares(scenario, flow));
    let class = |flow: &Flow| {
        let belongs = |name: &str| is_member(name, &flow.name);
        let own = watch.class(belongs);
        (flow.name.clone(), windows(scenario, document, &own, belongs))
    };
    Measured {
        figures: list.figures,
        classes: classes.map(class).collect(),
        windows: windows(scenario, document, &watch.windows, |name| {
            shares_the_queue(scenario, name)
        }),
        over_time: watch.windows.iter().map(Window::delay).collect(),
    }
}

#[derive(Default)]
struct List {
    of: String,
    figures: Vec<Figure>,
}

impl List {
    /// Sets the subject of the figures added from now on.
    fn of(&mut self, of: &str) {
        self.of = of.into();
    }

    fn add(&mut self, metric: &'static str, unit: &'static str, value: Option<f64>) {
        self.figures.push(Figure { of: self.of.clone(), metric, unit, value });
    }
}

/// Adds the figures of sections 2.3, 2.4 and 2.6 about the queue. With two queues, it adds those
/// about the first as well.
fn queues(list: &mut List, scenario: &Scenario, document: &Document, watch: &Watch) {
    for (name, of) in [("first", "first queue"), ("bottleneck", "queue")] {
        let Some(link) = document.links.get(name).map(|link| &link.forward) else { continue };
        list.of(of);
        list.add("delay p50", "ms", link.sojourn_ms.p50);
        list.add("delay p95", "ms", link.sojourn_ms.p95);
        list.add("delay p99", "ms", link.sojourn_ms.p99);
        list.add("used", "%", link.utilisation.map(percent));
        let offered = (link.delivered_packets + link.drops.total()) as f64;
        let part = |number: u64| stats::ratio(number as f64, offered).map(percent);
        list.add("loss", "%", part(link.drops.total()));
        list.add("marked", "%", part(link.marks).filter(|part| *part > 0.0));
    }
    let flows = document.flows.iter().filter(|(name, _)| shares_the_queue(scenario, name));
    let flows: Vec<&FlowResult> = flows.map(|(_, flow)| flow).collect();
    // Some flows come later than others, so the goodput is over the whole time.
    let bytes: u64 = flows.iter().filter_map(|flow| flow.delivered_bytes).sum();
    let seconds = scenario.duration.as_secs_f64() - scenario.warmup.as_secs_f64();
    list.add("goodput, all flows", "Mbit/s", stats::ratio(bytes as f64 * 8e-6, seconds));
    list.add("between losses", "s", watch.between_losses());
    list.add("flows in a loss event", "%", watch.synchronisation(|_| true).map(percent));
    // Fairness has no meaning for a single flow.
    let several = flows.iter().filter(|flow| flow.kind == FlowKind::Bulk).count() > 1;
    let link = document.links.get("bottleneck").filter(|_| several);
    list.add("Jain's index, goodput", "", link.and_then(|link| link.forward.jain_goodput));
}

/// Adds the figures of a flow of the file with all its members. A percentile is the median over the
/// members, or the largest where the slowest of a hundred counts.
fn family(list: &mut List, members: &[&FlowResult], watch: &Watch, name: &str) {
    let of = |value: &dyn Fn(&FlowResult) -> Option<f64>| -> Vec<f64> {
        members.iter().filter_map(|flow| value(flow)).collect()
    };
    let completion = |value: fn(&Completion) -> Option<f64>| {
        of(&|flow| flow.completion_s.as_ref().and_then(value))
    };
    let spread =
        |value: fn(&FlowDelay) -> Option<f64>| of(&|flow| flow.delay_ms.as_ref().and_then(value));
    if members.iter().any(|flow| flow.completion_s.is_some()) {
        let startup = of(&|flow| flow.startup_s.as_ref()?.p50);
        list.add("start-up p50", "s", quantile(&ascending(startup), 0.5));
        list.add("completion p50", "s", quantile(&ascending(completion(|done| done.p50)), 0.5));
        list.add("completion p95", "s", largest(completion(|done| done.p95)));
    } else {
        list.add("goodput", "Mbit/s", goodput(members));
    }
    if members.iter().any(|flow| flow.delay_ms.is_some()) {
        list.add("one way p50", "ms", quantile(&ascending(spread(|delay| delay.p50)), 0.5));
        list.add("one way p95", "ms", largest(spread(|delay| delay.p95)));
        // RFC 5481: the packet delay variation is relative to the least delay.
        list.add("PDV p95", "ms", largest(spread(|delay| Some(delay.p95? - delay.min?))));
        list.add("PDV p99", "ms", largest(spread(|delay| Some(delay.p99? - delay.min?))));
        let worst = of(&|flow| flow.mos).into_iter().reduce(f64::min);
        list.add("MOS", "", worst);
    } else {
        list.add("round trip p95", "ms", largest(of(&|flow| flow.rtt_ms?.p95)));
    }
    let belongs = |flow: &str| is_member(flow, name);
    list.add("loss", "%", watch.loss(belongs).map(percent));
}

/// The flow of this name, or its members.
fn members<'a>(document: &'a Document, name: &str) -> Vec<&'a FlowResult> {
    let flows = document.flows.iter().filter(|(flow, _)| is_member(flow, name));
    flows.map(|(_, flow)| flow).collect()
}

fn is_member(flow: &str, name: &str) -> bool {
    flow.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
}

fn goodput(members: &[&FlowResult]) -> Option<f64> {
    members.iter().map(|flow| flow.goodput_mbit).sum()
}

/// Section 2.5: goodput in intervals, without those of the start. Section 2.7: the delay in the
/// same intervals.
fn windows(
    scenario: &Scenario,
    document: &Document,
    delays: &[Window],
    wanted: impl Fn(&str) -> bool,
) -> Vec<(f64, f64)> {
    let Some(timeline) = &document.timeline else { return Vec::new() };
    let flows = timeline.flows.iter().filter(|(name, _)| wanted(name));
    let flows: Vec<_> = flows.map(|(_, flow)| flow).collect();
    let length = WINDOW.as_secs_f64();
    let first = (scenario.warmup.as_secs_f64() / length).ceil() as usize;
    let last = (scenario.duration.as_secs_f64() / length) as usize;
    let window = |at: usize| {
        let bytes: u64 = flows.iter().filter_map(|flow| flow.delivered_bytes.get(at)).sum();
        Some((delays.get(at)?.delay()?, bytes as f64 * 8e-6 / length))
    };
    (first..last).filter_map(window).collect()
}

/// True if this flow's data passes the observed queue; data in the other direction does not.
fn shares_the_queue(scenario: &Scenario, flow: &str) -> bool {
    let mut flows = scenario.flows.iter();
    flows.find(|of| is_member(flow, &of.name)).is_some_and(|flow| shares(scenario, flow))
}

fn shares(scenario: &Scenario, flow: &Flow) -> bool {
    let link = scenario.links.iter().find(|link| link.name == "bottleneck");
    link.is_some_and(|link| flow.to == link.to)
}

fn percent(part: f64) -> f64 {
    100.0 * part
}

fn largest(values: Vec<f64>) -> Option<f64> {
    values.into_iter().reduce(f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_told_by_their_brackets() {
        for (flow, name, is) in [
            ("bulk", "bulk", true),
            ("bulk[12]", "bulk", true),
            ("bulk-2", "bulk", false),
            ("bulk", "bulk[0]", false),
        ] {
            assert_eq!(is_member(flow, name), is, "{flow} {name}");
        }
    }
}
