//! The choice of what is drawn: which queues and which flows of which runs.

use results::{DirectionTimeline, Document, FlowKind, FlowTimeline, Timeline};
use units::Way;

use crate::congestion::{Place, bottleneck, same_place};
use crate::flows::{CROWD, family};
use crate::labels::{distinct, short};
use crate::number::figure as number;
use crate::setting;

/// Largest number of curves: more than that cannot be distinguished.
pub(crate) const MOST: usize = 8;

/// Results, and the choice of what is drawn of them.
pub(crate) struct Scene<'a> {
    pub(crate) runs: Vec<Run<'a>>,
    /// True if the queue that matters is the same in all runs.
    pub(crate) alike: bool,
}

/// A result, with its label.
pub(crate) struct Run<'a> {
    /// Label of the run, which no other run has.
    pub(crate) label: String,
    pub(crate) document: &'a Document,
    /// The queue that matters; `None` if no link carried a packet.
    pub(crate) place: Option<Place<'a>>,
}

/// A queue over time.
pub(crate) struct QueueSeries<'a> {
    pub(crate) name: String,
    pub(crate) step_s: f64,
    /// End of the run, in seconds.
    pub(crate) end_s: f64,
    pub(crate) timeline: &'a DirectionTimeline,
}

/// A flow over time, or the many members of a `count`.
pub(crate) struct FlowGroup<'a> {
    pub(crate) name: String,
    pub(crate) step_s: f64,
    /// End of the run, in seconds.
    pub(crate) end_s: f64,
    pub(crate) members: Vec<(&'a str, &'a FlowTimeline)>,
}

impl<'a> Scene<'a> {
    pub(crate) fn of(runs: &'a [(String, Document)]) -> Self {
        let documents = || runs.iter().map(|(_, document)| document);
        let same_links = setting::have_same_links(documents());
        let worst = bottleneck(documents()).filter(|_| same_links);
        let shared = |document| worst.and_then(|worst| same_place(document, &worst));
        let compared = same_links && documents().all(|document| shared(document).is_some());
        let labels: Vec<&str> = runs.iter().map(|(label, _)| label.as_str()).collect();
        let run = |(label, document): (String, &'a Document)| {
            let place =
                if compared { shared(document) } else { bottleneck([document].into_iter()) };
            Run { label, document, place }
        };
        let runs: Vec<Run<'a>> = distinct(&labels).into_iter().zip(documents()).map(run).collect();
        let name = |run: &Run<'a>| run.place.map(|place| (place.link, place.way));
        let alike = runs.iter().all(|run| run.place.is_some() && name(run) == name(&runs[0]));
        Self { runs, alike }
    }

    pub(crate) fn is_comparison(&self) -> bool {
        self.runs.len() > 1
    }

    /// The queues to be drawn: for one run, each direction that is worth drawing; for several, the
    /// queue that matters in each.
    pub(crate) fn queues(&self) -> Vec<QueueSeries<'a>> {
        match &self.runs[..] {
            [run] => run.queues(),
            runs => runs.iter().filter_map(|run| run.queue(run.label.clone())).collect(),
        }
    }

    /// The flows to be drawn: for one run, all for which `shown` is true; for several, the first
    /// such flow of each, a ping if `ping_first`.
    pub(crate) fn flows(
        &self,
        ping_first: bool,
        shown: impl Fn(&FlowTimeline) -> bool,
    ) -> Vec<FlowGroup<'a>> {
        match &self.runs[..] {
            [run] => run.groups().into_iter().filter(|group| group.any(&shown)).collect(),
            runs => runs.iter().filter_map(|run| run.first(ping_first, &shown)).collect(),
        }
    }

    /// A sentence about the warm-up; empty unless all runs have the same.
    pub(crate) fn warmup(&self) -> String {
        let mut warmups = self.runs.iter().map(|run| setting::warmup(run.document));
        let first = warmups.next().flatten();
        match first.filter(|&first| warmups.all(|other| other == Some(first))) {
            Some(first) => format!(" The first {} s are warm-up.", number(first)),
            None => String::new(),
        }
    }
}

impl FlowGroup<'_> {
    /// The name of the group, and its number of flows.
    pub(crate) fn crowd(&self) -> (&str, usize) {
        (&self.name, self.members.len())
    }
}

impl<'a> Run<'a> {
    /// The timeline; `None` if there is none, or if its steps are not positive.
    pub(crate) fn timeline(&self) -> Option<&'a Timeline> {
        let timeline = self.document.timeline.as_ref();
        timeline.filter(|timeline| timeline.step_s.is_finite() && timeline.step_s > 0.0)
    }

    fn end_s(&self) -> f64 {
        setting::end(self.document).unwrap_or(f64::INFINITY)
    }

    /// The queue that matters, under this name; `None` without a timeline, or if no queue matters.
    pub(crate) fn queue(&self, name: String) -> Option<QueueSeries<'a>> {
        self.queue_at(self.place?, name)
    }

    /// The queue of this place, under this name; `None` without a timeline.
    pub(crate) fn queue_at(&self, place: Place<'_>, name: String) -> Option<QueueSeries<'a>> {
        let timeline = self.timeline()?;
        let link = timeline.links.get(place.link)?;
        let direction = match place.way {
            Way::Forward => &link.forward,
            Way::Reverse => &link.reverse,
        };
        Some(QueueSeries {
            name,
            step_s: timeline.step_s,
            end_s: self.end_s(),
            timeline: direction,
        })
    }

    /// The queues in which packets waited noticeably, or were dropped or marked; the worst ones if
    /// there are too many, and the queue that matters if there are none.
    fn queues(&self) -> Vec<QueueSeries<'a>> {
        const NOTICEABLE_MS: f64 = 1.0;
        let Some(timeline) = self.timeline() else { return Vec::new() };
        let (step_s, end_s) = (timeline.step_s, self.end_s());
        let queue = |(name, timeline)| QueueSeries { name, step_s, end_s, timeline };
        let ways = timeline.links.iter().flat_map(|(link, both)| {
            let name = |arrow| short(&format!("{link} {arrow}"));
            [(name("→"), &both.forward), (name("←"), &both.reverse)]
        });
        let mut queues: Vec<QueueSeries<'a>> =
            ways.map(queue).filter(QueueSeries::is_used).collect();
        queues.retain(|queue| queue.peak() >= NOTICEABLE_MS || queue.signals());
        let mut peaks: Vec<f64> = queues.iter().map(QueueSeries::peak).collect();
        peaks.sort_by(|a, b| b.total_cmp(a));
        if let Some(&least) = peaks.get(MOST - 1) {
            queues.retain(|queue| queue.peak() >= least);
            queues.truncate(MOST);
        }
        if queues.is_empty() {
            let name = self.place.map(|place| short(&place.label())).unwrap_or_default();
            queues.extend(self.queue(name));
        }
        queues
    }

    /// All flows in their order, those of a crowd as one group.
    pub(crate) fn groups(&self) -> Vec<FlowGroup<'a>> {
        let Some(timeline) = self.timeline() else { return Vec::new() };
        let (step_s, end_s) = (timeline.step_s, self.end_s());
        let flows: Vec<(&str, &FlowTimeline)> =
            timeline.flows.iter().map(|(name, flow)| (name.as_str(), flow)).collect();
        let kin =
            |(a, _): &(&str, _), (b, _): &(&str, _)| family(a).is_some() && family(a) == family(b);
        let mut groups = Vec::new();
        for kin in flows.chunk_by(kin) {
            let crowd = if kin.len() > CROWD { kin.len() } else { 1 };
            groups.extend(kin.chunks(crowd).map(|members| FlowGroup {
                name: crowd_name(members),
                step_s,
                end_s,
                members: members.to_vec(),
            }));
        }
        groups
    }

    /// The first flow for which `shown` is true, under the run's label; a ping first if `ping`.
    fn first(&self, ping: bool, shown: impl Fn(&FlowTimeline) -> bool) -> Option<FlowGroup<'a>> {
        let timeline = self.timeline()?;
        let is_ping =
            |name: &str| self.document.flows.get(name).is_some_and(|f| f.kind == FlowKind::Ping);
        let shown = || timeline.flows.iter().filter(|(_, flow)| shown(flow));
        let first_ping = shown().find(|(name, _)| ping && is_ping(name));
        let (name, flow) = first_ping.or_else(|| shown().next())?;
        Some(FlowGroup {
            name: self.label.clone(),
            step_s: timeline.step_s,
            end_s: self.end_s(),
            members: vec![(name.as_str(), flow)],
        })
    }
}

/// A sentence about curves that stand for several flows; empty if there are none. `names` are names
/// with numbers of flows; `line` names the quantity that the curves' lines show.
pub(crate) fn crowds<'n>(names: impl IntoIterator<Item = (&'n str, usize)>, line: &str) -> String {
    let crowd = names.into_iter().find(|(_, flows)| *flows > 1);
    crowd.map_or_else(String::new, |(name, _)| {
        format!(
            " {name} are one curve: its line is {line}, its shade reaches from the least to the \
             most."
        )
    })
}

impl QueueSeries<'_> {
    fn is_used(&self) -> bool {
        self.timeline.sojourn_ms.high.iter().any(Option::is_some) || self.signals()
    }

    fn signals(&self) -> bool {
        self.timeline.drops.iter().chain(&self.timeline.marks).any(|&number| number > 0)
    }

    /// The longest wait, in milliseconds.
    fn peak(&self) -> f64 {
        self.timeline.sojourn_ms.high.iter().flatten().copied().fold(0.0, f64::max)
    }
}

impl FlowGroup<'_> {
    fn any(&self, shown: &impl Fn(&FlowTimeline) -> bool) -> bool {
        self.members.iter().any(|(_, flow)| shown(flow))
    }
}

/// The name of a group: `web[7]`, or `web[0] … web[49]`.
pub(crate) fn crowd_name<T>(members: &[(&str, T)]) -> String {
    match members {
        [] => String::new(),
        [(only, _)] => short(only),
        [(first, _), .., (last, _)] => short(&format!("{first} … {last}")),
    }
}
