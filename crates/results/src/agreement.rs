//! The agreement of two runs of one scenario: one by the kernels of this machine, one by the
//! simulator.

use serde::{Deserialize, Serialize};

use crate::{DirectionResult, Document, Drops, FlowResult, Tolerance, Version};
use stats::ratio;

/// The output of `unbloat lab --against sim --json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Agreement {
    /// `"unbloat.agreement"`; reading anything else is an error.
    pub schema: AgreementSchema,
    /// `1`; reading anything else is an error.
    pub version: Version<1>,
    /// The compared figures: of each direction of each link, then of each flow.
    pub rows: Vec<AgreementRow>,
    /// The lab's run, by the real clock.
    pub lab: Document,
    /// The simulator's run, in virtual time.
    pub sim: Document,
}

/// The name of the format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum AgreementSchema {
    /// The only value.
    #[default]
    #[serde(rename = "unbloat.agreement")]
    Agreement,
}

/// A figure of both runs, side by side.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgreementRow {
    /// A direction of a link, `uplink.forward`, or the name of a flow.
    pub place: String,
    /// The measured quantity: `goodput`.
    pub metric: String,
    /// The unit: `Mbit/s`; empty for a count.
    pub unit: String,
    /// The lab's figure; `None` if the lab has none.
    pub lab: Option<f64>,
    /// The simulator's figure; `None` if the simulator has none.
    pub sim: Option<f64>,
    /// `sim / lab - 1`; `None` if the lab's figure is zero or one of the two is missing.
    pub deviation: Option<f64>,
    /// True if the two are within their tolerance; `None` for figures that are shown but not
    /// judged.
    pub agrees: Option<bool>,
}

impl Agreement {
    /// Compares two runs of one scenario. Figures that neither run has, and events that happened in
    /// neither, are left out.
    pub fn of(lab: Document, sim: Document) -> Self {
        let mut rows = Vec::new();
        for (name, link) in &lab.links {
            let other = sim.links.get(name).cloned().unwrap_or_default();
            let forward = (&link.forward, &other.forward);
            let reverse = (&link.reverse, &other.reverse);
            for (way, (ours, other)) in [("forward", forward), ("reverse", reverse)] {
                rows.extend(direction(&format!("{name}.{way}"), ours, other));
            }
        }
        for (name, ours) in &lab.flows {
            let other = sim.flows.get(name).cloned().unwrap_or_default();
            rows.extend(flow(name, ours, &other));
        }
        Self { rows, lab, sim, ..Self::default() }
    }

    /// The number of judged rows that agree, and of those that do not.
    pub fn tally(&self) -> (usize, usize) {
        let number = |verdict| self.rows.iter().filter(|row| row.agrees == Some(verdict)).count();
        (number(true), number(false))
    }
}

/// The results of a place, a direction of a link or a flow, in both runs.
struct Metric<'a, T> {
    place: &'a str,
    lab: &'a T,
    sim: &'a T,
}

impl<T> Metric<'_, T> {
    /// The row of a figure; `None` if neither run has it.
    fn row(
        &self,
        metric: &str,
        unit: &str,
        figure: impl Fn(&T) -> Option<f64>,
        tolerance: Option<Tolerance>,
    ) -> Option<AgreementRow> {
        let (lab, sim) = (figure(self.lab), figure(self.sim));
        lab.or(sim)?;
        let both = lab.zip(sim);
        Some(AgreementRow {
            place: self.place.into(),
            metric: metric.into(),
            unit: unit.into(),
            lab,
            sim,
            deviation: both.and_then(|(lab, sim)| ratio(sim - lab, lab)),
            agrees: tolerance.map(|within| both.is_some_and(|(lab, sim)| within.holds(lab, sim))),
        })
    }

    /// The row of a number of events; `None` if there were none in either run.
    fn events(&self, metric: &str, number: impl Fn(&T) -> Option<u64>) -> Option<AgreementRow> {
        let row =
            self.row(metric, "", |of| number(of).map(|n| n as f64), Some(Tolerance::EVENTS))?;
        let happened = |number: Option<f64>| number.is_some_and(|number| number > 0.0);
        (happened(row.lab) || happened(row.sim)).then_some(row)
    }
}

fn direction(place: &str, lab: &DirectionResult, sim: &DirectionResult) -> Vec<AgreementRow> {
    let used = |of: &DirectionResult| of.delivered_packets > 0 || of.drops != Drops::default();
    if !used(lab) && !used(sim) {
        return Vec::new();
    }
    let metric = Metric { place, lab, sim };
    let rows = [
        metric.row("rate", "Mbit/s", |of| of.rate_mbit, Some(Tolerance::THROUGHPUT)),
        metric.row("sojourn p50", "ms", |of| of.sojourn_ms.p50, Some(Tolerance::WAIT)),
        metric.row("sojourn p95", "ms", |of| of.sojourn_ms.p95, None),
        metric.events("drops", |of| Some(of.drops.without_ack_filter())),
        metric.events("marks", |of| Some(of.marks)),
    ];
    rows.into_iter().flatten().collect()
}

fn flow(place: &str, lab: &FlowResult, sim: &FlowResult) -> Vec<AgreementRow> {
    let metric = Metric { place, lab, sim };
    let rows = [
        metric.row("goodput", "Mbit/s", |of| of.goodput_mbit, Some(Tolerance::THROUGHPUT)),
        metric.row("round trip p50", "ms", |of| of.rtt_ms?.p50, Some(Tolerance::WAIT)),
        metric.row("round trip p95", "ms", |of| of.rtt_ms?.p95, None),
        metric.row("one way p50", "ms", |of| of.delay_ms?.p50, Some(Tolerance::WAIT)),
        metric.row("one way p95", "ms", |of| of.delay_ms?.p95, None),
        metric.row("completion p50", "s", |of| of.completion_s?.p50, None),
        metric.events("sent again", |of| of.retransmitted_packets),
    ];
    rows.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FlowKind;
    use crate::{FlowDelay, LinkResult, Sojourn};

    /// A link with a queue, and a flow over it.
    fn document(rate: f64, p50: f64, drops: u64) -> Document {
        let forward = DirectionResult {
            delivered_packets: 100,
            rate_mbit: Some(rate),
            sojourn_ms: Sojourn { p50: Some(p50), p95: Some(2.0 * p50), ..Sojourn::default() },
            drops: Drops { full: drops, ..Drops::default() },
            ..DirectionResult::default()
        };
        let flow = FlowResult {
            kind: FlowKind::Bulk,
            goodput_mbit: Some(rate * 0.95),
            rtt_ms: Some(FlowDelay { p50: Some(p50 + 20.0), ..FlowDelay::default() }),
            retransmitted_packets: Some(drops),
            ..FlowResult::default()
        };
        let mut document = Document::default();
        document.links.insert("uplink".into(), LinkResult { forward, ..LinkResult::default() });
        document.flows.insert("backup".into(), flow);
        document
    }

    fn agrees(lab: Document, sim: Document) -> Vec<(String, Option<bool>)> {
        let agreement = Agreement::of(lab, sim);
        let row = |row: AgreementRow| (format!("{} {}", row.place, row.metric), row.agrees);
        agreement.rows.into_iter().map(row).collect()
    }

    #[test]
    fn the_same_agrees_and_what_is_idle_is_left_out() {
        let expected = [
            ("uplink.forward rate", Some(true)),
            ("uplink.forward sojourn p50", Some(true)),
            ("uplink.forward sojourn p95", None),
            ("backup goodput", Some(true)),
            ("backup round trip p50", Some(true)),
        ];
        let expected = expected.map(|(row, agrees)| (row.to_owned(), agrees));
        assert_eq!(agrees(document(2.0, 10.0, 0), document(2.0, 10.0, 0)), expected);
    }

    #[test]
    fn tolerances_are_a_part_or_an_amount() {
        let verdict = |lab, sim, row: &str| {
            let rows = agrees(lab, sim);
            rows.into_iter().find(|(name, _)| name == row).expect("such a row").1
        };
        for (rate, p50, drops, row, expected) in [
            (10.4, 10.0, 100, "backup goodput", true),
            (10.6, 10.0, 100, "backup goodput", false),
            (9.4, 10.0, 100, "uplink.forward rate", false),
            (10.0, 10.99, 100, "uplink.forward sojourn p50", true),
            (10.0, 11.1, 100, "uplink.forward sojourn p50", false),
            (10.0, 10.0, 114, "uplink.forward drops", true),
            (10.0, 10.0, 116, "uplink.forward drops", false),
            (10.0, 10.0, 84, "backup sent again", false),
        ] {
            let found = verdict(document(10.0, 10.0, 100), document(rate, p50, drops), row);
            assert_eq!(found, Some(expected), "{rate} {p50} {drops}: {row}");
        }
        // Five events are nothing, and neither is a millisecond.
        let small = |p50, drops| (document(1.0, 0.5, 1), document(1.0, p50, drops));
        let ((lab, sim), (far, further)) = (small(1.4, 6), small(1.6, 7));
        assert_eq!(verdict(lab.clone(), sim.clone(), "uplink.forward sojourn p50"), Some(true));
        assert_eq!(verdict(lab, sim, "uplink.forward drops"), Some(true));
        assert_eq!(
            verdict(far.clone(), further.clone(), "uplink.forward sojourn p50"),
            Some(false)
        );
        assert_eq!(verdict(far, further, "uplink.forward drops"), Some(false));
    }

    #[test]
    fn filtered_acknowledgements_are_no_drops() {
        let mut lab = document(2.0, 10.0, 0);
        lab.links["uplink"].forward.drops.ack_filter = 1_000;
        let rows = agrees(lab, document(2.0, 10.0, 0));
        assert!(rows.iter().all(|(row, _)| row != "uplink.forward drops"), "{rows:?}");
    }

    #[test]
    fn what_only_one_of_them_has_does_not_agree() {
        let mut sim = document(2.0, 10.0, 0);
        sim.flows.clear();
        let agreement = Agreement::of(document(2.0, 10.0, 0), sim);
        let row = agreement.rows.iter().find(|row| row.metric == "goodput").unwrap();
        assert_eq!((row.sim, row.deviation, row.agrees), (None, None, Some(false)));
        assert_eq!(agreement.tally(), (2, 2));
    }

    /// The contract: exactly these names, in this order.
    #[test]
    fn names_and_shapes() {
        let mut agreement = Agreement::of(document(2.0, 10.0, 0), document(1.5, 10.0, 0));
        agreement.rows.truncate(1);
        let text = serde_json::to_string(&agreement).unwrap();
        let expected = r#"{"schema":"unbloat.agreement","version":1,"rows":[{"#.to_owned()
            + r#""place":"uplink.forward","metric":"rate","unit":"Mbit/s","lab":2.0,"sim":1.5,"#
            + r#""deviation":-0.25,"agrees":false}],"lab":{"schema":"unbloat.result","#;
        assert!(text.starts_with(&expected), "{text}");
        assert_eq!(serde_json::from_str::<Agreement>(&text).unwrap(), agreement);
        let other = text.replace("unbloat.agreement", "unbloat.comparison");
        assert!(serde_json::from_str::<Agreement>(&other).is_err());
    }
}
