//! Our figures beside Linux's, against the tolerances of the reference.

use results::Tolerance;
use serde::Serialize;
use stats::{ascending, median};

use super::case::Case;
use super::figures::Figures;
use super::parts::{Part, PartKind};
use crate::table::{Table, decimals};

/// A figure that is compared.
struct Metric {
    name: &'static str,
    decimals: usize,
    tolerance: Option<Tolerance>,
    of: fn(&Figures) -> Option<f64>,
}

/// A tolerance of this amount, or of this part of Linux's figure.
const fn within(amount: f64, part: f64) -> Option<Tolerance> {
    Some(Tolerance { part, amount })
}

const PING_MEDIAN: Option<Tolerance> = within(1.0, 0.05);
const PING_P95: Option<Tolerance> = within(2.0, 0.10);
/// The tolerance of counts of drops and marks.
const EVENTS: Option<Tolerance> = within(5.0, 0.15);

/// The compared figures, with the tolerances of the reference: a run on Linux is a random draw.
const METRICS: [Metric; 22] = [
    metric("goodput Mbit/s", 3, within(0.0, 0.01), |f| f.goodput_mbit),
    metric("link Mbit/s", 3, None, |f| f.link_mbit),
    metric("Jain's index", 4, None, |f| f.jain),
    metric("ping median ms", 1, PING_MEDIAN, |f| f.ping_median_ms),
    metric("ping p95 ms", 1, PING_P95, |f| f.ping_p95_ms),
    metric("ping max ms", 1, None, |f| f.ping_max_ms),
    metric("pings lost", 0, None, |f| f.ping_lost),
    metric("drops", 0, EVENTS, |f| f.drops),
    metric("marks", 0, EVENTS, |f| f.marks),
    metric("drops, first 5 s", 0, EVENTS, |f| f.start_up_drops),
    metric("marks, first 5 s", 0, EVENTS, |f| f.start_up_marks),
    metric("drops, steady", 0, EVENTS, |f| f.drops_steady),
    metric("marks, steady", 0, EVENTS, |f| f.marks_steady),
    metric("ACKs dropped", 0, EVENTS, |f| f.ack_drops),
    metric("ACKs dropped, steady", 0, EVENTS, |f| f.ack_drops_steady),
    metric("code points in their tin", 0, within(0.0, 0.0), |f| f.code_points),
    metric("sent again", 0, None, |f| f.retrans),
    metric("backlog median packets", 1, within(1.0, 0.10), |f| f.backlog_pkts_median),
    metric("backlog p95 packets", 1, None, |f| f.backlog_pkts_p95),
    metric("flow RTT median ms", 1, None, |f| f.ss_rtt_ms_median),
    metric("flow RTT p95 ms", 1, None, |f| f.ss_rtt_ms_p95),
    metric("cwnd median", 1, None, |f| f.ss_cwnd_median),
];

const fn metric(
    name: &'static str,
    decimals: usize,
    tolerance: Option<Tolerance>,
    of: fn(&Figures) -> Option<f64>,
) -> Metric {
    Metric { name, decimals, tolerance, of }
}

/// One figure, ours and Linux's.
#[derive(Debug, Serialize)]
pub(crate) struct Comparison {
    /// The part of the case, and the name of the figure.
    metric: String,
    /// The name of the figure, which is that of its tolerance.
    pub(crate) kind: String,
    /// The median of Linux's runs.
    linux: f64,
    /// The least and the greatest of Linux's runs.
    linux_range: [f64; 2],
    /// The median of our seeds.
    ours: f64,
    /// The least and the greatest of our seeds.
    range: [f64; 2],
    /// The deviation relative to Linux's figure; `None` if that is zero.
    deviation: Option<f64>,
    /// True if our figure is inside the tolerance; `None` without a tolerance.
    pub(crate) inside: Option<bool>,
    #[serde(skip)]
    decimals: usize,
}

/// Compares all figures that both sides have.
pub(crate) fn compare(case: &Case, ours: &[Figures]) -> Vec<Comparison> {
    let figures = METRICS.iter().filter_map(|metric| metric.compare(case, ours));
    let kinds = [PartKind::Goodput, PartKind::PingMedian, PartKind::PingP95];
    figures.chain(kinds.iter().flat_map(|kind| parts(*kind, case, ours))).collect()
}

/// Compares the figures of this kind, of all parts that Linux has.
fn parts(kind: PartKind, case: &Case, ours: &[Figures]) -> Vec<Comparison> {
    let (name, decimals, tolerance) = match kind {
        PartKind::Goodput => ("goodput of a part Mbit/s", 3, within(0.0, 0.03)),
        PartKind::PingMedian => ("ping median ms", 1, PING_MEDIAN),
        PartKind::PingP95 => ("ping p95 ms", 1, PING_P95),
    };
    let values = |figures: &[Figures], of: &str| -> Vec<f64> {
        let parts = figures.iter().flat_map(|run| &run.parts);
        parts.filter(|part| part.kind == kind && part.of == of).map(|part| part.value).collect()
    };
    let Some(first) = case.linux.first() else { return Vec::new() };
    let named = first.parts.iter().filter(|part| part.kind == kind);
    let compared = named.filter_map(|Part { of, .. }| {
        let (linux, ours) = (values(&case.linux, of), values(ours, of));
        let comparison = Comparison::of(name.into(), &linux, &ours, tolerance, decimals)?;
        Some(Comparison {
            metric: format!("{of}: {}", name.replace(" of a part", "")),
            ..comparison
        })
    });
    compared.collect()
}

impl Metric {
    fn compare(&self, case: &Case, ours: &[Figures]) -> Option<Comparison> {
        let linux: Vec<f64> = case.linux.iter().filter_map(self.of).collect();
        let values: Vec<f64> = ours.iter().filter_map(self.of).collect();
        let phase = if case.name.ends_with(" s") { format!("{}: ", case.name) } else { "".into() };
        let name = self.name.to_owned();
        let comparison = Comparison::of(name, &linux, &values, self.tolerance, self.decimals)?;
        Some(Comparison { metric: format!("{phase}{}", self.name), ..comparison })
    }
}

/// The figures of one case.
pub(crate) fn table(comparisons: &[Comparison]) -> Table {
    let mut table = head(&[]);
    comparisons.iter().for_each(|comparison| comparison.row(&mut table, &[]));
    table
}

/// An empty table of comparisons, with these columns before them.
pub(crate) fn head(before: &[&str]) -> Table {
    let headings = ["figure", "Linux", "ours", "range", "deviation", "verdict"];
    Table::new(before.len() + 1, &[before, &headings].concat())
}

impl Comparison {
    /// The comparison of the medians; `None` if either side has no figure.
    pub(crate) fn of(
        kind: String,
        linux: &[f64],
        ours: &[f64],
        tolerance: Option<Tolerance>,
        decimals: usize,
    ) -> Option<Self> {
        let (linux_range, linux) = (range(linux)?, median(&ascending(linux.iter().copied()))?);
        let middle = median(&ascending(ours.iter().copied()))?;
        Some(Self {
            metric: kind.clone(),
            kind,
            linux,
            linux_range,
            ours: middle,
            range: range(ours)?,
            deviation: (linux != 0.0).then(|| middle / linux - 1.0),
            inside: tolerance.map(|tolerance| tolerance.holds(linux, middle)),
            decimals,
        })
    }

    /// True if neither side has anything to compare.
    pub(crate) fn is_zero(&self) -> bool {
        self.linux_range == [0.0; 2] && self.range == [0.0; 2]
    }

    /// Adds the comparison to a table, after these cells.
    pub(crate) fn row(&self, table: &mut Table, before: &[&String]) {
        let Self { linux, linux_range, ours, range, decimals: d, .. } = *self;
        let spread = |[least, greatest]: [f64; 2]| {
            if least == greatest { String::new() } else { format!("[{least:.d$}, {greatest:.d$}]") }
        };
        let figures = [
            self.metric.clone(),
            format!("{} {}", decimals(Some(linux), d), spread(linux_range)).trim_end().into(),
            decimals(Some(ours), d),
            spread(range),
            self.deviation.map_or("-".into(), |part| format!("{:+.1} %", 100.0 * part)),
            match self.inside {
                None => "-".into(),
                Some(true) => "inside".into(),
                Some(false) => "outside".into(),
            },
        ];
        table.row(before.iter().map(|cell| String::from(*cell)).chain(figures).collect());
    }
}

fn range(values: &[f64]) -> Option<[f64; 2]> {
    let values = ascending(values.iter().copied());
    Some([*values.first()?, *values.last()?])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fidelity::{REFERENCE, case};

    #[test]
    fn the_tolerances_are_those_of_the_reference() {
        let cases = case::read(REFERENCE).unwrap();
        let codel = cases.iter().find(|case| case.name == "codel_10_20_cubic_1").unwrap();
        let inside = |change: fn(&mut Figures), metric: &str| {
            let mut ours = codel.linux[0].clone();
            change(&mut ours);
            let comparisons = compare(codel, &[ours]);
            comparisons.iter().find(|c| c.metric == metric).unwrap().inside.unwrap()
        };
        assert!(inside(|f| f.goodput_mbit = Some(9.485 * 1.0099), "goodput Mbit/s"));
        assert!(!inside(|f| f.goodput_mbit = Some(9.485 * 0.9899), "goodput Mbit/s"));
        assert!(inside(|f| f.ping_median_ms = Some(25.3), "ping median ms"));
        assert!(!inside(|f| f.ping_median_ms = Some(25.4), "ping median ms"));
        assert!(inside(|f| f.drops = Some(133.0), "drops"));
        assert!(!inside(|f| f.drops = Some(134.0), "drops"));
        assert!(inside(|f| f.marks = Some(5.0), "marks"));
        assert!(inside(|f| f.backlog_pkts_median = Some(4.0), "backlog median packets"));
        assert!(!inside(|f| f.backlog_pkts_median = Some(4.1), "backlog median packets"));
    }

    #[test]
    fn the_middle_seed_counts() {
        let cases = case::read(REFERENCE).unwrap();
        let ours =
            [1.0, 100.0, 3.0].map(|drops| Figures { drops: Some(drops), ..Figures::default() });
        let comparisons = compare(&cases[0], &ours);
        assert_eq!((comparisons[0].ours, comparisons[0].range), (3.0, [1.0, 100.0]));
        assert_eq!(comparisons.len(), 1);
    }
}
