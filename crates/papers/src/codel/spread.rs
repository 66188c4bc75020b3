//! Statistics over many runs: medians of medians, and box plots.

use report::{Axis, Figure};
use stats::{ascending, median};

use super::experiment::Seen;
use super::point::Point;
use super::queues::Queue;

/// A quantity of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measure {
    /// The median delay in the queue, ms.
    Delay,
    /// The share of the capacity that was used.
    Utilisation,
    /// Jain's index of the flows' drops per packet.
    Fairness,
}

impl Measure {
    pub(super) fn of(self, seen: &Seen) -> Option<f64> {
        match self {
            Self::Delay => seen.forward.sojourn_ms.p50,
            Self::Utilisation => seen.forward.utilisation,
            Self::Fairness => seen.forward.jain_drops,
        }
    }

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Delay => "delay",
            Self::Utilisation => "utilisation",
            Self::Fairness => "fairness",
        }
    }

    /// The measure's part of a title.
    fn of_runs(self) -> &'static str {
        match self {
            Self::Delay => ": each run's median delay",
            Self::Utilisation => ": each run's utilisation",
            Self::Fairness => "",
        }
    }

    pub(super) fn axis(self) -> Axis {
        match self {
            Self::Delay => Axis::log("Median delay in the queue", "ms"),
            Self::Utilisation => Axis::linear("Utilisation", ""),
            Self::Fairness => Axis::linear("Jain's index of drops", ""),
        }
    }
}

/// The runs with their results.
#[derive(Clone, Copy)]
pub(super) struct Runs<'a> {
    points: &'a [Point],
    seen: &'a [Option<&'a Seen>],
}

impl<'a> Runs<'a> {
    pub(super) fn new(points: &'a [Point], seen: &'a [Option<&'a Seen>]) -> Self {
        Self { points, seen }
    }

    /// The complete runs with their results.
    pub(super) fn complete(self) -> impl Iterator<Item = (&'a Point, &'a Seen)> {
        self.points.iter().zip(self.seen).filter_map(|(point, seen)| Some((point, (*seen)?)))
    }

    /// The values of the wanted runs that are complete.
    pub(super) fn values(self, measure: Measure, wanted: impl Fn(&Point) -> bool) -> Vec<f64> {
        let wanted = self.complete().filter(|(point, _)| wanted(point));
        wanted.filter_map(|(_, seen)| measure.of(seen)).collect()
    }

    /// The wanted runs; `None` unless all of them are complete. Runs are done in the order of their
    /// settings, so that some of them do not represent the whole.
    pub(super) fn all(self, wanted: impl Fn(&Point) -> bool) -> Option<Vec<(&'a Point, &'a Seen)>> {
        let wanted = self.points.iter().zip(self.seen).filter(|(point, _)| wanted(point));
        wanted.map(|(point, seen)| Some((point, (*seen)?))).collect()
    }

    /// The values of the wanted runs; `None` unless all of them are complete.
    pub(super) fn all_values(
        self,
        measure: Measure,
        wanted: impl Fn(&Point) -> bool,
    ) -> Option<Vec<f64>> {
        Some(self.all(wanted)?.into_iter().filter_map(|(_, seen)| measure.of(seen)).collect())
    }

    /// The median of the wanted runs' values; `None` unless all of them are complete.
    pub(super) fn middle(self, measure: Measure, wanted: impl Fn(&Point) -> bool) -> Option<f64> {
        median(&ascending(self.all_values(measure, wanted)?))
    }

    /// True if no run is complete.
    pub(super) fn is_empty(self) -> bool {
        self.complete().next().is_none()
    }
}

/// Box plots: the x axis has the setting by which runs are grouped, and each queue has a colour.
pub(super) struct Boxes<'a> {
    /// The figure's id, to which the measure's word is added.
    pub(super) id: &'a str,
    pub(super) title: &'a str,
    pub(super) explanation: &'a str,
    /// The label of the setting by which runs are grouped, and the setting of a run.
    pub(super) by: (&'a str, fn(&Point) -> u64),
    pub(super) places: Vec<(u64, String)>,
    pub(super) queues: Vec<Queue>,
    /// The runs to draw.
    pub(super) wanted: fn(&Point) -> bool,
}

impl Boxes<'_> {
    /// One figure for each measure; empty without runs.
    pub(super) fn draw(&self, runs: Runs<'_>, measures: &[Measure]) -> Vec<Figure> {
        if runs.is_empty() {
            return Vec::new();
        }
        measures.iter().map(|measure| self.figure(runs, *measure)).collect()
    }

    fn figure(&self, runs: Runs<'_>, measure: Measure) -> Figure {
        let (label, key) = self.by;
        let curve = |queue: &Queue| {
            let at = |place: u64| {
                runs.values(measure, |point| {
                    key(point) == place && point.queue.name == queue.name && (self.wanted)(point)
                })
            };
            let places = (0..).zip(&self.places);
            let boxes = places.map(|(index, (place, _))| (f64::from(index), at(*place)));
            report::boxes(queue.name, boxes.collect::<Vec<_>>())
        };
        Figure {
            id: format!("{}-{}", self.id, measure.word()),
            title: format!("{}{}", self.title, measure.of_runs()),
            explanation: self.explanation.into(),
            x: Axis::named(label, self.places.iter().map(|(_, name)| name.as_str())),
            y: measure.axis(),
            curves: self.queues.iter().map(curve).collect(),
        }
    }
}

/// The rate with its unit, such as `100 Mbit/s`.
pub(super) fn rate(kbit: u64) -> String {
    match kbit {
        0..1000 => format!("{kbit} kbit/s"),
        _ => format!("{} Mbit/s", kbit as f64 / 1000.0),
    }
}
