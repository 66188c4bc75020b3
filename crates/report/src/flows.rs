//! The table of flows: one row for each flow, and one line for the rest of a crowd.

use results::{Document, FlowResult};

use crate::grid::{Cell, Column, Grid};
use crate::number::{count, millis, significant};
use crate::style::Style;

/// Largest number of flows of a group that has a row for each.
pub(crate) const CROWD: usize = 6;
/// Number of rows of a larger group, above a line about its other flows.
const SHOWN: usize = 3;

const COLUMNS: [Column; 14] = [
    Column::name("flow"),
    Column::name("kind"),
    Column::optional("goodput", "Mbit/s"),
    Column::optional("round trip ms", "p50"),
    Column::optional("round trip ms", "p95"),
    Column::optional("round trip ms", "max"),
    Column::optional("packets", "lost"),
    Column::optional("packets", "sent again"),
    Column::optional("packets", "marked"),
    Column::optional("completion s", "done"),
    Column::optional("completion s", "p50"),
    Column::optional("completion s", "max"),
    Column::optional("connections", "opened"),
    Column::optional("voice", "MOS"),
];

pub(crate) fn table(document: &Document, style: Style) -> String {
    if document.flows.is_empty() {
        return "There were no flows.\n".into();
    }
    grid(document).render(style)
}

/// The table: one row for each flow, and a note for the rest of a crowd.
pub(crate) fn grid(document: &Document) -> Grid {
    let flows: Vec<(&str, &FlowResult)> =
        document.flows.iter().map(|(name, flow)| (name.as_str(), flow)).collect();
    let mut grid = Grid::new(&COLUMNS);
    for group in flows.chunk_by(|(a, _), (b, _)| family(a).is_some() && family(a) == family(b)) {
        let shown = if group.len() > CROWD { SHOWN } else { group.len() };
        let (shown, rest) = group.split_at(shown);
        shown.iter().for_each(|(name, flow)| grid.row(row(name, flow)));
        if !rest.is_empty() {
            grid.note(crowd(rest));
        }
    }
    grid
}

/// The common name of the members of a `count`: `web` for `web[12]`; `None` for other names.
pub(crate) fn family(name: &str) -> Option<&str> {
    let (family, index) = name.strip_suffix(']')?.rsplit_once('[')?;
    (!index.is_empty() && index.bytes().all(|b| b.is_ascii_digit())).then_some(family)
}

fn row(name: &str, flow: &FlowResult) -> Vec<Cell> {
    // A flow has either round trips or one-way delays; its kind tells which.
    let (kind, delay) = match (flow.rtt_ms, flow.delay_ms) {
        (None, Some(delay)) => (format!("{} (one way)", flow.kind), delay),
        (rtt, _) => (flow.kind.to_string(), rtt.unwrap_or_default()),
    };
    let completion = flow.completion_s.unwrap_or_default();
    vec![
        Cell::text(name),
        Cell::text(&kind),
        Cell::number(flow.goodput_mbit, significant),
        Cell::number(delay.p50, millis),
        Cell::number(delay.p95, millis),
        Cell::number(delay.max, millis),
        Cell::number(flow.lost_packets, count),
        Cell::number(flow.retransmitted_packets, count),
        // Most flows have no ECN and need no column of zeros.
        Cell::number(flow.marks.filter(|&marks| marks > 0), count),
        Cell::number(flow.completion_s.map(|completion| completion.count), count),
        Cell::number(completion.p50, significant),
        Cell::number(completion.max, significant),
        Cell::number(flow.connections, count),
        Cell::number(flow.mos, significant),
    ]
}

/// A line about the flows that have no row.
fn crowd(flows: &[(&str, &FlowResult)]) -> String {
    let goodputs: Vec<f64> = flows.iter().filter_map(|(_, flow)| flow.goodput_mbit).collect();
    let others = format!("… and {} more", count(flows.len() as u64));
    if goodputs.is_empty() {
        return others;
    }
    let mean = goodputs.iter().sum::<f64>() / goodputs.len() as f64;
    let least = goodputs.iter().copied().fold(f64::INFINITY, f64::min);
    let most = goodputs.iter().copied().fold(0.0, f64::max);
    let [mean, least, most] = [mean, least, most].map(significant);
    format!("{others}: mean goodput {mean} Mbit/s, from {least} to {most}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_of_a_count_are_told_by_their_index() {
        for (name, expected) in [
            ("web[12]", Some("web")),
            ("a[b][0]", Some("a[b]")),
            ("web", None),
            ("web[]", None),
            ("web[x]", None),
            ("[1]", Some("")),
        ] {
            assert_eq!(family(name), expected, "{name}");
        }
    }

    #[test]
    fn a_crowd_without_goodput_is_only_counted() {
        let flow = FlowResult::default();
        assert_eq!(crowd(&vec![("a", &flow); 1234]), "… and 1,234 more");
    }
}
