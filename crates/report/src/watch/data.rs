//! What the scripts of the page of a watch read, and how much of it a page has room for.

use results::{
    SpikeCause, WatchEvent, WatchEventKind, WatchLayer, WatchReport, WatchedDay, WatchedSteps,
    WatchedTarget,
};
use serde::Serialize;

use super::event::watch_event;
use super::overview::Overview;
use super::room::{EVENTS_SIZE, LAYERS_SIZE, WORDLESS_SIZE, fitting, rounded, size};

/// The layers that are never left out: of the whole time, a week, a day and an hour.
const LEAST_LAYERS: usize = 4;

/// The data.
#[derive(Serialize)]
pub(super) struct Data<'a> {
    from_s: f64,
    to_s: f64,
    pub(super) drawn: Vec<Named<'a>>,
    layers: Vec<Layer>,
    pub(super) overview: Overview<'a>,
    events: Vec<Told<'a>>,
    days: Vec<Day<'a>>,
}

/// The answer to a question for more.
#[derive(Serialize)]
struct Part<'a> {
    to_s: f64,
    layer: Option<Layer>,
    events: Vec<Told<'a>>,
}

/// A target that is drawn.
#[derive(Serialize)]
pub(super) struct Named<'a> {
    /// Its place among all targets.
    pub(super) id: u32,
    pub(super) name: &'a str,
}

#[derive(Serialize)]
struct Layer {
    from_s: f64,
    step_s: f64,
    targets: Vec<Steps>,
    up_mbit: Vec<Option<f64>>,
    down_mbit: Vec<Option<f64>>,
}

/// The steps of a target, with three digits each: percentiles are not known better.
#[derive(Serialize)]
struct Steps {
    sent: Vec<u64>,
    /// Empty if it is always 0.
    late: Vec<u64>,
    /// Empty if it is always 0.
    lost: Vec<u64>,
    /// Empty if it is always 0, as are the counts of extra probes below.
    extra: Vec<u64>,
    extra_late: Vec<u64>,
    extra_lost: Vec<u64>,
    min_ms: Vec<Option<f64>>,
    p10_ms: Vec<Option<f64>>,
    p25_ms: Vec<Option<f64>>,
    p50_ms: Vec<Option<f64>>,
    p75_ms: Vec<Option<f64>>,
    p90_ms: Vec<Option<f64>>,
    max_ms: Vec<Option<f64>>,
}

/// An event with its sentences.
#[derive(Serialize)]
struct Told<'a> {
    start_s: f64,
    duration_s: f64,
    event: &'static str,
    cause: Option<&'a SpikeCause>,
    /// Empty for an old one for whose words there is no room.
    text: String,
}

#[derive(Serialize)]
struct Day<'a> {
    day: &'a str,
    hours_added_ms: Vec<Option<f64>>,
}

impl<'a> Data<'a> {
    /// What a page has room for: of the layers the coarser ones and those of who suffered most, of the events
    /// the latest.
    pub(super) fn of(report: &'a WatchReport) -> Self {
        let named = |id: &u32| {
            let target: &WatchedTarget = report.targets.get(*id as usize)?;
            Some(Named { id: *id, name: &target.name })
        };
        let mut drawn: Vec<_> = report.drawn.iter().filter_map(named).collect();
        let mut layers: Vec<_> = report.layers.iter().map(Layer::of).collect();
        drawn.truncate(fit(&mut layers));
        let day =
            |it: &'a WatchedDay| Day { day: &it.day, hours_added_ms: rounded(&it.hours_added_ms) };
        Self {
            from_s: report.from_s,
            to_s: report.to_s,
            drawn,
            layers,
            overview: Overview::of(report),
            events: told(report),
            days: report.days.iter().map(day).collect(),
        }
    }

    /// The number of events that it has.
    pub(super) fn event_count(&self) -> usize {
        self.events.len()
    }
}

/// Leaves layers out until there is room for the others, the last one first, and then targets. Returns the
/// number of targets that are left.
fn fit(layers: &mut Vec<Layer>) -> usize {
    let sizes = |it: &Layer| {
        let rates = size(&it.up_mbit) + size(&it.down_mbit);
        (rates, it.targets.iter().map(size).collect::<Vec<_>>())
    };
    let sizes: Vec<_> = layers.iter().map(sizes).collect();
    let total = |layers: usize, targets: usize| -> usize {
        let of = |(rates, of): &(usize, Vec<usize>)| rates + of.iter().take(targets).sum::<usize>();
        sizes[..layers].iter().map(of).sum()
    };
    let mut targets = layers.first().map_or(0, |it| it.targets.len());
    while layers.len() > LEAST_LAYERS && total(layers.len(), targets) > LAYERS_SIZE {
        layers.pop();
    }
    while targets > 0 && total(layers.len(), targets) > LAYERS_SIZE {
        targets -= 1;
    }
    layers.iter_mut().for_each(|it| it.targets.truncate(targets));
    targets
}

/// The answer to a question of a live page: one layer, and the events.
pub fn watch_part(report: &WatchReport) -> String {
    let layer = report.layers.last().map(Layer::of);
    let part = Part { to_s: report.to_s, layer, events: told(report) };
    serde_json::to_string(&part).unwrap_or_default()
}

impl Layer {
    fn of(layer: &WatchLayer) -> Self {
        Self {
            from_s: layer.from_s,
            step_s: layer.step_s,
            targets: layer.targets.iter().map(Steps::of).collect(),
            up_mbit: rounded(&layer.up_mbit),
            down_mbit: rounded(&layer.down_mbit),
        }
    }
}

impl Steps {
    fn of(steps: &WatchedSteps) -> Self {
        let unless_none = |counts: &[u64]| match counts.iter().all(|it| *it == 0) {
            true => Vec::new(),
            false => counts.to_vec(),
        };
        Self {
            sent: steps.sent.clone(),
            late: unless_none(&steps.late),
            lost: unless_none(&steps.lost),
            extra: unless_none(&steps.extra),
            extra_late: unless_none(&steps.extra_late),
            extra_lost: unless_none(&steps.extra_lost),
            min_ms: rounded(&steps.min_ms),
            p10_ms: rounded(&steps.p10_ms),
            p25_ms: rounded(&steps.p25_ms),
            p50_ms: rounded(&steps.p50_ms),
            p75_ms: rounded(&steps.p75_ms),
            p90_ms: rounded(&steps.p90_ms),
            max_ms: rounded(&steps.max_ms),
        }
    }
}

/// The events, in their order; the latest, if there are too many.
fn told(report: &WatchReport) -> Vec<Told<'_>> {
    let latest = || report.events.iter().rev();
    let mut told =
        fitting(latest().map(|it| Told { text: watch_event(it), ..Told::of(it) }), EVENTS_SIZE);
    told.extend(fitting(latest().skip(told.len()).map(Told::of), WORDLESS_SIZE));
    told.reverse();
    told
}

impl<'a> Told<'a> {
    /// The event without its words.
    fn of(event: &'a WatchEvent) -> Self {
        let (name, cause) = match &event.what {
            WatchEventKind::Spike(spike) => ("spike", Some(&spike.cause)),
            WatchEventKind::Gap { .. } => ("gap", None),
            WatchEventKind::Change(_) => ("change", None),
            WatchEventKind::Test(_) => ("test", None),
        };
        let (start_s, duration_s) = (event.start_s, event.duration_s);
        Self { start_s, duration_s, event: name, cause, text: String::new() }
    }
}
