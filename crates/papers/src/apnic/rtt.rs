//! CAKE's `rtt`, the time in which it expects senders to answer a signal: what each setting does to
//! a server nearby, and to one far away.

use report::{Axis, Curve, Figure, Mark};
use results::ReproductionRow;

use super::flent::curve;
use super::seen::{SETTLED, Seen};
use super::{Claim, Found, Panel, paper, setup};
use crate::judge::Place;
use crate::run::Run;
use crate::tolerance::FigureKind;

/// The settings of `rtt`, in milliseconds.
const SETTINGS: [u32; 4] = [30, 70, paper::DEFAULT_RTT_MS, 200];
/// The round trips to servers, in milliseconds.
const PATHS: [u32; 4] = [paper::NEAR_MS, 100, paper::FAR_MS, paper::DEFAULT_GOOD_TO_MS];
/// A setting for the longest of the paths, CAKE's `oceanic`, in milliseconds.
const OCEANIC_MS: u32 = 300;

/// All pairs of a setting and a path, and last the longest path with a setting for it.
fn pairs() -> Vec<Pair> {
    let with = |setting: u32| PATHS.iter().map(move |&path| Pair { setting, path });
    let mut pairs: Vec<Pair> = SETTINGS.into_iter().flat_map(with).collect();
    pairs.push(Pair { setting: OCEANIC_MS, path: paper::DEFAULT_GOOD_TO_MS });
    pairs
}

/// A setting of `rtt` and the round trip of a path, in milliseconds.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Pair {
    setting: u32,
    path: u32,
}

impl Pair {
    /// Four downloads, longer than a test of Flent's: on a long path a stream takes tens of seconds
    /// from one loss to the next.
    fn run(self) -> Run {
        let run = setup::downloads().set("duration", "105s").set("flow.stream.stop", "100s");
        setup::shaped(setup::far(run, self.path), self.setting, "")
            .set("warmup", format!("{SETTLED}s"))
    }
}

pub(super) fn claim() -> Claim {
    Claim { runs: pairs().into_iter().map(Pair::run).collect(), judge }
}

fn judge(seen: &[Option<Seen>]) -> Found {
    let runs = Runs { pairs: pairs(), seen };
    let mut found = Found::default();
    found.rows.extend(good_to(&runs));
    for setting in SETTINGS {
        for (name, path) in [("near", paper::NEAR_MS), ("far", paper::FAR_MS)] {
            let seen = runs.of(Pair { setting, path });
            found.rows.extend(seen.iter().flat_map(|seen| beyond(setting, name, seen)));
        }
    }
    if let Some(all) = seen.iter().map(Option::as_ref).collect::<Option<Vec<_>>>() {
        let complete = all.iter().all(|seen| seen.total("stream").is_some());
        found.figures.extend(complete.then(|| [goodput(&runs), wait(&runs)]).into_iter().flatten());
    }
    found
}

const TABLE: &str = "CAKE's rtt: a server at 30 ms, and one at 200 ms";

/// The runs of all pairs.
struct Runs<'a> {
    pairs: Vec<Pair>,
    seen: &'a [Option<Seen>],
}

impl Runs<'_> {
    /// The run of this pair; `None` if it is not complete.
    fn of(&self, pair: Pair) -> Option<&Seen> {
        let place = self.pairs.iter().position(|known| *known == pair)?;
        self.seen.get(place)?.as_ref()
    }
}

/// The row on how far the default is good.
fn good_to(runs: &Runs<'_>) -> Option<ReproductionRow> {
    let path = paper::DEFAULT_GOOD_TO_MS;
    let default = runs.of(Pair { setting: paper::DEFAULT_RTT_MS, path })?;
    let fitting = runs.of(Pair { setting: OCEANIC_MS, path })?;
    let ratio = || Some(default.total("stream")? / fitting.total("stream")?);
    let figure = Place { table: TABLE, row: "rtt 100 ms, 280 ms away" }.figure(
        "goodput over that at 300 ms",
        "",
        1.0,
        ratio(),
    );
    let note = "the default is good to 280 ms: as good as a setting for such a path";
    Some(figure.noted(FigureKind::Similar, note))
}

fn beyond(setting: u32, name: &str, seen: &Seen) -> [ReproductionRow; 3] {
    let row = format!("rtt {setting} ms, {name}");
    let place = Place { table: TABLE, row: &row };
    let waits = waits(seen);
    [
        place.figure("goodput", "Mbit/s", None, seen.total("stream")).beyond(),
        place.figure("wait, 95th percentile", "ms", None, waits).beyond(),
        place.figure("added to a ping", "ms", None, seen.added()).beyond(),
    ]
}

/// The 95th percentile of what the downloads' packets wait in CAKE, in milliseconds.
fn waits(seen: &Seen) -> Option<f64> {
    seen.downlink()?.sojourn_ms.p95
}

fn goodput(runs: &Runs<'_>) -> (Panel, Figure) {
    let figure = Figure {
        id: "apnic-rtt-goodput".into(),
        title: "What CAKE's rtt leaves of the goodput".into(),
        explanation: "Four downloads at 280 Mbit/s from servers at several distances. A setting far \
                      below the path's round trip drops before a sender can answer, and the line is \
                      not filled; high is good."
            .into(),
        x: Axis::linear("Round trip to the server", "ms"),
        y: Axis::linear("Goodput", "Mbit/s"),
        curves: curves(runs, |seen| seen.total("stream")),
    };
    (Panel::Summary, figure)
}

fn wait(runs: &Runs<'_>) -> (Panel, Figure) {
    let figure = Figure {
        id: "apnic-rtt-wait".into(),
        title: "What CAKE's rtt lets a download wait".into(),
        explanation: "The wait in CAKE's queue that 95 of 100 packets of the same downloads stay \
                      below. Low is good. A ping has a queue of its own and does not wait for \
                      these packets."
            .into(),
        x: Axis::linear("Round trip to the server", "ms"),
        y: Axis::linear("Wait, 95th percentile", "ms"),
        curves: curves(runs, waits),
    };
    (Panel::Summary, figure)
}

/// A curve for each setting, over the paths.
fn curves(runs: &Runs<'_>, figure: impl Fn(&Seen) -> Option<f64>) -> Vec<Curve> {
    let of_setting = |setting: u32| {
        let at = |path: u32| Some((f64::from(path), figure(runs.of(Pair { setting, path })?)?));
        let points = PATHS.into_iter().filter_map(at);
        Curve { mark: Mark::LinePoints, ..curve(&format!("rtt {setting} ms"), points) }
    };
    SETTINGS.into_iter().map(of_setting).collect()
}
