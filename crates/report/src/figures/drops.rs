//! Drops and marks over time.

use super::bins::{Counts, Stretch};
use super::time;
use crate::figure::{Axis, Curve, Figure, Mark};
use crate::number::figure as number;
use crate::scene::{QueueSeries, Scene};

/// Number of stretches at most. Drops are few and regular: with shorter stretches the curve would
/// look like a comb.
const STRETCHES: f64 = 75.0;

pub(super) fn figure(scene: &Scene<'_>) -> Option<Figure> {
    let queues = scene.queues();
    let any =
        |what: What| queues.iter().any(|queue| what.counts(queue).values.iter().any(|&n| n > 0));
    let (dropped, marked) = (any(What::Dropped), any(What::Marked));
    let all: Vec<Counts<'_>> = queues.iter().map(|queue| What::Dropped.counts(queue)).collect();
    let stretch = Stretch::of(&all, STRETCHES, 0.1);
    let length_s = stretch.length_s;
    let shown = [(dropped, What::Dropped), (marked, What::Marked)].into_iter();
    // There is one curve for each queue, also one of zeros: a queue keeps its colour, and zeros are
    // a result.
    let curves = shown.filter(|(any, _)| *any).flat_map(|(_, what)| {
        let named = move |queue| (what.counts(queue), what.name(queue, dropped && marked));
        queues.iter().map(named).filter_map(|(counts, name)| curve(counts, length_s, name))
    });
    let curves: Vec<Curve> = curves.collect();
    (!curves.is_empty()).then(|| Figure {
        id: "drops".into(),
        title: if marked { "Drops and marks".into() } else { "Drops".into() },
        explanation: explanation(marked, stretch) + &scene.warmup(),
        x: time(),
        y: Axis::linear("Packets", &format!("per {} s", number(length_s))),
        curves,
    })
}

fn explanation(marked: bool, stretch: Stretch) -> String {
    let (instead, mark) = match marked {
        true => (
            ", and packets marked instead of dropped,",
            " A mark tells the sender the same without losing a packet.",
        ),
        false => ("", ""),
    };
    format!(
        "Packets that were dropped or lost{instead} in each {stretch}. A queue drops packets to \
         tell senders to slow down. A few drops now and then are good, none while the delay grows \
         is bad, and many at once harm every flow.{mark}"
    )
}

/// The kind of event.
#[derive(Clone, Copy)]
enum What {
    Dropped,
    Marked,
}

impl What {
    fn counts<'a>(self, queue: &QueueSeries<'a>) -> Counts<'a> {
        let values = match self {
            Self::Dropped => &queue.timeline.drops,
            Self::Marked => &queue.timeline.marks,
        };
        Counts { values, step_s: queue.step_s, end_s: queue.end_s }
    }

    /// The curve's name: the queue's name alone unless there are both drops and marks.
    fn name(self, queue: &QueueSeries<'_>, both: bool) -> String {
        match (both, self) {
            (false, _) => queue.name.clone(),
            (true, Self::Dropped) => format!("{}, dropped", queue.name),
            (true, Self::Marked) => format!("{}, marked", queue.name),
        }
    }
}

/// The curve of the number of events in `length_s`, which is level during each stretch; `None`
/// without stretches.
fn curve(counts: Counts<'_>, length_s: f64, name: String) -> Option<Curve> {
    let bins = counts.bins(length_s);
    let last = bins.last()?;
    let end = last.from_s + last.length_s;
    let level = bins.iter().map(|bin| Some(bin.sum / bin.length_s * length_s));
    let y: Vec<Option<f64>> = level.map(|y| y.filter(|y| y.is_finite())).collect();
    let y = y.iter().chain(y.last()).copied().collect();
    let x = bins.iter().map(|bin| bin.from_s).chain([end]).collect();
    Some(Curve { name, mark: Mark::Steps, x, y, ..Curve::default() })
}
