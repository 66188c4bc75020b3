//! Goodput over time.

use results::FlowTimeline;

use super::bins::{Bin, Counts, Stretch, total};
use super::{left_out, time};
use crate::congestion::{Place, places};
use crate::figure::{Axis, Curve, Figure, Mark};
use crate::labels::short;
use crate::scene::{FlowGroup, MOST, QueueSeries, Run, Scene, crowds};
use crate::setting::{Capacity, capacity};

/// The goodput of each flow of one run.
pub(super) fn figure(scene: &Scene<'_>) -> Option<Figure> {
    if scene.is_comparison() {
        return throughput(scene, |run| run.place, "goodput");
    }
    let delivers = |flow: &FlowTimeline| flow.delivered_bytes.iter().any(|&bytes| bytes > 0);
    let mut lanes: Vec<Lane<'_>> = scene.flows(false, delivers).into_iter().map(Lane::of).collect();
    let more = left_out(&mut lanes, MOST);
    let crowd = |lane: &Lane<'_>| lane.series.len();
    let crowds = crowds(lanes.iter().map(|lane| (lane.name.as_str(), crowd(lane))), "their mean");
    let plan = Plan {
        id: "goodput",
        title: "Goodput".into(),
        whose: "each flow received".into(),
        peaks: " Data that had to wait for a lost packet arrives all at once and makes short peaks.",
        rest: format!("{crowds}{more}{}", scene.warmup()),
    };
    draw(plan, &lanes, |end_s| rate(scene, |run| run.place, end_s))
}

/// What the direction opposite to the one that matters delivered in each of several runs; `None` for one
/// run, and if that direction is hardly used.
pub(super) fn opposite(scene: &Scene<'_>) -> Option<Figure> {
    /// The utilisation from which a direction carries more than answers to the other one.
    const USED: f64 = 0.1;
    let used = |run: &Run<'_>| opposite_of(run).map_or(0.0, |place| place.utilisation());
    let is_used =
        scene.is_comparison() && scene.alike && scene.runs.iter().any(|run| used(run) >= USED);
    is_used.then(|| throughput(scene, opposite_of, "goodput-opposite")).flatten()
}

/// The direction opposite to the one that matters; `None` if it carried no packet.
fn opposite_of<'a>(run: &Run<'a>) -> Option<Place<'a>> {
    let here = run.place?;
    places(run.document).find(|place| place.link == here.link && place.way != here.way)
}

/// What one direction delivered in each run, beside the rate of that direction.
fn throughput<'a>(
    scene: &Scene<'a>,
    place: impl Fn(&Run<'a>) -> Option<Place<'a>> + Copy,
    id: &str,
) -> Option<Figure> {
    let queue = |run: &Run<'a>| run.queue_at(place(run)?, run.label.clone());
    let mut lanes: Vec<Lane<'_>> = scene.runs.iter().filter_map(queue).map(Lane::through).collect();
    let more = left_out(&mut lanes, MOST);
    let (title, whose) = match scene.runs.iter().find_map(place).filter(|_| scene.alike) {
        Some(place) => {
            let words = place.words();
            (format!("Throughput of {words}"), format!("{words} delivered, headers included"))
        }
        None => {
            ("Throughput".into(), "the direction that matters delivered, headers included".into())
        }
    };
    let plan = Plan { id, title, whose, peaks: "", rest: format!("{more}{}", scene.warmup()) };
    draw(plan, &lanes, |end_s| rate(scene, place, end_s))
}

/// The words of a figure.
struct Plan<'a> {
    id: &'a str,
    title: String,
    whose: String,
    peaks: &'a str,
    rest: String,
}

/// The figure of these lanes, beside the rate of the link until `end_s`; `None` without values.
fn draw(
    plan: Plan<'_>,
    lanes: &[Lane<'_>],
    rate: impl FnOnce(f64) -> Option<Curve>,
) -> Option<Figure> {
    let stretch = stretch(lanes);
    let mut curves: Vec<Curve> =
        lanes.iter().flat_map(|lane| lane.curves(stretch.length_s)).collect();
    curves.retain(|curve| !curve.x.is_empty());
    let peak =
        curves.iter().flat_map(|curve| curve.y.iter().flatten()).copied().reduce(f64::max)?;
    let end_s = curves.iter().filter_map(|curve| curve.x.last()).copied().fold(0.0, f64::max);
    let area = rate(end_s).filter(|area| is_near(area, peak));
    if let Some(area) = &area {
        curves.iter_mut().for_each(|curve| cut(curve, area, stretch.length_s));
    }
    let ground = area.as_ref().map_or("", |_| " The dotted line is what the link can carry.");
    curves.extend(area);
    let Plan { id, title, whose, peaks, rest } = plan;
    let what = title.split(' ').next().unwrap_or_default();
    Some(Figure {
        id: id.into(),
        explanation: format!(
            "How much {whose}, as the mean over each {stretch}. High and steady is good; a fall to \
             zero is a stall.{peaks}{ground}{rest}"
        ),
        x: time(),
        y: Axis::linear(what, "Mbit/s"),
        title,
        curves,
    })
}

/// Cuts values that are above a constant rate only since a packet counts as a whole in the stretch in which
/// it ends.
fn cut(curve: &mut Curve, area: &Curve, length_s: f64) {
    /// The packet that counts as a whole: with the framing of any line.
    const PACKET_MBIT: f64 = 1800.0 * 8e-6;
    let mut rates = area.y.iter().flatten().copied();
    let Some(rate) = rates.next().filter(|first| rates.all(|other| other == *first)) else {
        return;
    };
    for value in curve.y.iter_mut().chain(&mut curve.low).flatten() {
        if *value > rate && (*value - rate) * length_s <= PACKET_MBIT {
            *value = rate;
        }
    }
}

/// Bytes over time for one curve; for several series the curve is their mean and range.
struct Lane<'a> {
    name: String,
    series: Vec<Counts<'a>>,
}

impl<'a> Lane<'a> {
    fn of(group: FlowGroup<'a>) -> Self {
        let (step_s, end_s) = (group.step_s, group.end_s);
        let series = group.members.iter().map(|(_, flow)| Counts {
            values: &flow.delivered_bytes,
            step_s,
            end_s,
        });
        Self { series: series.collect(), name: group.name }
    }

    fn through(queue: QueueSeries<'a>) -> Self {
        let (step_s, end_s) = (queue.step_s, queue.end_s);
        let counts = Counts { values: &queue.timeline.delivered_bytes, step_s, end_s };
        Self { name: queue.name, series: vec![counts] }
    }

    /// Mean rate of one series, in Mbit/s.
    fn mean(&self) -> f64 {
        let bytes = self.series.iter().flat_map(|counts| counts.values).map(|&b| b as f64);
        bytes.sum::<f64>() * 8e-6 / total(&self.series) / self.series.len().max(1) as f64
    }

    fn curves(&self, length_s: f64) -> Vec<Curve> {
        let bins: Vec<Vec<Bin>> = self.series.iter().map(|counts| counts.bins(length_s)).collect();
        let Some(longest) = bins.iter().max_by_key(|bins| bins.len()) else { return Vec::new() };
        let middle = |bin: &Bin| bin.from_s + bin.length_s / 2.0;
        let x: Vec<f64> = longest.iter().map(middle).collect();
        let at = |index: usize| bins.iter().filter_map(move |bins| bins.get(index)).map(Bin::mbit);
        let line = |value: &dyn Fn(usize) -> f64, mark| Curve {
            name: self.name.clone(),
            mark,
            x: x.clone(),
            y: (0..x.len()).map(|index| Some(value(index)).filter(|y| y.is_finite())).collect(),
            ..Curve::default()
        };
        let sum = |index| at(index).sum::<f64>();
        if self.series.len() == 1 {
            return vec![line(&sum, Mark::Line)];
        }
        let mean = |index| sum(index) / at(index).count() as f64;
        let highest = |index| at(index).fold(0.0, f64::max);
        let lowest = |index| at(index).fold(f64::INFINITY, f64::min);
        let mut band = Curve { low: line(&lowest, Mark::Band).y, ..line(&highest, Mark::Band) };
        for (low, high) in band.low.iter_mut().zip(&mut band.y) {
            if low.is_none() || high.is_none() {
                (*low, *high) = (None, None);
            }
        }
        vec![band, line(&mean, Mark::Line)]
    }
}

impl Bin {
    /// A sum of bytes as a rate, in Mbit/s.
    fn mbit(&self) -> f64 {
        self.sum * 8e-6 / self.length_s
    }
}

/// Stretches that are long enough for one full packet not to change the fastest flow's rate much.
fn stretch(lanes: &[Lane<'_>]) -> Stretch {
    const PACKETS_MBIT: f64 = 16.0 * 1500.0 * 8e-6;
    const LEAST: f64 = 0.1;
    const STRETCHES: f64 = 150.0;
    let all: Vec<Counts<'_>> = lanes.iter().flat_map(|lane| &lane.series).copied().collect();
    let fastest = lanes.iter().map(Lane::mean).fold(0.0, f64::max);
    let some_packets = if fastest > 0.0 { PACKETS_MBIT / fastest } else { LEAST };
    // A flow that hardly sends must not flatten all others.
    Stretch::of(&all, STRETCHES, some_packets.min(total(&all) / 20.0).max(LEAST))
}

/// The rate of this place as a line for comparison; `None` unless it is the same in all runs.
fn rate<'a>(
    scene: &Scene<'a>,
    place: impl Fn(&Run<'a>) -> Option<Place<'a>>,
    end_s: f64,
) -> Option<Curve> {
    const MOST_STEPS: usize = 2000;
    let of = |run: &Run<'a>| capacity(run.document, &place(run)?);
    let first = scene.runs.first()?;
    let rate = of(first)?;
    let shared = scene.alike && scene.runs.iter().all(|run| of(run).as_ref() == Some(&rate));
    let mut steps = match rate {
        Capacity::Constant(rate) => vec![(0.0, rate)],
        Capacity::Schedule(steps) => steps,
    };
    steps.retain(|&(time, _)| time <= end_s);
    steps.truncate(MOST_STEPS);
    let last = steps.last()?.1;
    steps.push((end_s, last));
    let name = short(&format!("rate of {}", place(first)?.words()));
    let mut area = Curve { name, mark: Mark::Guide, ..Curve::default() };
    let mut before = None;
    for (time, rate) in steps {
        // Each rate lasts until the next one starts.
        for y in before.into_iter().chain([rate]) {
            area.x.push(time);
            area.y.push(Some(y));
        }
        before = Some(rate);
    }
    shared.then_some(area)
}

/// True if the line fits into the plot: next to a much faster link all curves would be flat at the
/// bottom.
fn is_near(area: &Curve, peak: f64) -> bool {
    const NEAR: f64 = 4.0;
    area.y.iter().flatten().all(|&rate| rate.is_finite())
        && area.y.iter().flatten().copied().fold(0.0, f64::max) <= peak * NEAR
}
