//! The report of an agreement: the kernels of a machine and the simulator, side by side.

use results::{Agreement, AgreementRow, Document, Tolerance};

use crate::contents::page;
use crate::grid::{Cell, Column, Grid};
use crate::number::{count, deviation, figure};
use crate::page::Page;
use crate::style::{Style, Tone};
use crate::summary::{cut, heading};
use crate::text::wrap;
use crate::validity::validity;

const COLUMNS: [Column; 6] = [
    Column::name("where"),
    Column::name("what"),
    Column::number("", "lab"),
    Column::number("", "sim"),
    Column::number("", "off by %"),
    Column::name("verdict"),
];

/// The page's explanation of the table.
const TABLE: &str = "The figures of the lab, which uses this machine's Linux, beside those of the \
                     simulator. The column `off by` shows by how much the simulator's figure is \
                     larger or smaller.";

/// The agreement as text: a row for each figure, the number of figures that agree, and whether the
/// lab's run can be believed.
pub fn agreement_table(agreement: &Agreement, style: Style) -> String {
    let mut text = heading(&agreement.lab, cut(&agreement.lab), style) + "\n";
    if !agreement.rows.is_empty() {
        text += &grid(agreement).render(style);
        text += "\n";
    }
    let judged = (agreement.tally() != (0, 0)).then(tolerances);
    let sentences = std::iter::once(tally(agreement)).chain(judged);
    text += &wrap(&sentences.collect::<Vec<_>>().join(" "));
    text += "\n";
    if let Some(validity) = validity(&agreement.lab) {
        text += &format!("\n{}\n", wrap(&validity));
    }
    text
}

/// The agreement as a page, with plots of both runs: each has one curve of the kernels and one of
/// the simulator.
pub fn agreement_page(agreement: &Agreement) -> Page {
    let both = |name: &str, document: &Document| (name.to_owned(), document.clone());
    let runs = [both("lab", &agreement.lab), both("sim", &agreement.sim)];
    let page = page(&runs);
    let verdict = [Some(tally(agreement)), validity(&agreement.lab)];
    let mut tables = page.tables;
    if !agreement.rows.is_empty() {
        let explanation = format!("{TABLE} {}", tolerances());
        tables.insert(0, grid(agreement).table("Lab and simulator", &explanation));
    }
    Page { verdict: verdict.into_iter().flatten().collect(), tables, ..page }
}

fn grid(agreement: &Agreement) -> Grid {
    let mut grid = Grid::new(&COLUMNS);
    agreement.rows.iter().for_each(|row| grid.row(cells(row)));
    grid
}

fn cells(row: &AgreementRow) -> Vec<Cell> {
    let metric = match row.unit.as_str() {
        "" => row.metric.clone(),
        unit => format!("{}, {unit}", row.metric),
    };
    let verdict = match row.agrees {
        Some(true) => Cell::text("agrees").tone(Tone::Good),
        Some(false) => Cell::text("differs").tone(Tone::Bad),
        None => Cell::default(),
    };
    vec![
        Cell::text(&row.place),
        Cell::text(&metric),
        Cell::number(row.lab, figure),
        Cell::number(row.sim, figure),
        Cell::number(row.deviation, deviation),
        verdict,
    ]
}

fn tally(agreement: &Agreement) -> String {
    let (agree, differ) = agreement.tally();
    let shown = |number: usize| count(number as u64);
    match (agree, differ) {
        (0, 0) => "Nothing to compare: no link carried a packet.".into(),
        (all, 0) => {
            format!("Lab and simulator agree in all {} figures that are judged.", shown(all))
        }
        (agree, differ) => format!(
            "Lab and simulator agree in {} figures and differ in {}.",
            shown(agree),
            shown(differ)
        ),
    }
}

/// The tolerances, in a sentence.
fn tolerances() -> String {
    format!(
        "Figures agree if rates and goodput are within {}, medians of waits and round trips within \
         {} ms, and numbers of packets that were dropped, marked or sent again within {}. Figures \
         without a verdict are not judged.",
        Tolerance::THROUGHPUT,
        Tolerance::WAIT,
        Tolerance::EVENTS
    )
}

#[cfg(test)]
mod tests {
    use results::{Soundness, Validity};

    use super::*;
    use crate::example::home_over_time;

    fn example(sim_wait_ms: f64) -> Agreement {
        let mut lab = home_over_time("pfifo limit 300", 1000.0);
        let reasons = vec!["it woke up late".into()];
        let verdict = Soundness::Starved;
        lab.validity = Some(Validity { verdict, reasons, ..Validity::default() });
        Agreement::of(lab, home_over_time("pfifo limit 300", sim_wait_ms))
    }

    #[test]
    fn a_table_with_verdicts() {
        let text = agreement_table(&example(500.0), Style::Plain);
        for part in [
            "One upload over a bloated uplink\n60s, statistics after 10s, seed 1\n\n",
            "where           what                   lab     sim  off by %  verdict\n",
            "uplink.forward  sojourn p50, ms      1,000     500     -50.0  differs\n",
            "uplink.forward  sojourn p95, ms      1,250     625     -50.0  –\n",
            "uplink.forward  rate, Mbit/s             2       2       0.0  agrees\n",
            "\nLab and simulator agree in ",
            "5 %, medians of waits and round trips within 10 % or 1 ms, and numbers of packets",
            "sent again within 15 % or 5. Figures without a verdict",
            "\nWarning: this computer was too busy to keep time",
        ] {
            assert!(text.contains(part), "no {part:?} in\n{text}");
        }
        let agrees = agreement_table(&example(1000.0), Style::Plain);
        assert!(agrees.contains("agree in all ") && !agrees.contains("differs"), "{agrees}");
    }

    #[test]
    fn nothing_cannot_be_compared() {
        let nothing = Agreement::of(Document::default(), Document::default());
        let text = agreement_table(&nothing, Style::Plain);
        assert!(text.contains("Nothing to compare: no link carried a packet."), "{text}");
        assert_eq!(agreement_page(&nothing).verdict.len(), 1);
    }

    #[test]
    fn a_page_with_both_in_each_plot() {
        let page = agreement_page(&example(500.0));
        assert!(page.verdict[0].starts_with("Lab and simulator agree in "), "{:?}", page.verdict);
        assert!(page.verdict[1].starts_with("Warning"), "{:?}", page.verdict);
        let titles: Vec<&str> = page.tables.iter().map(|table| table.title.as_str()).collect();
        assert_eq!(titles, ["Lab and simulator", "Side by side"]);
        let window = page.figures.iter().find(|figure| figure.id == "window").expect("a window");
        let names: std::collections::BTreeSet<&str> =
            window.curves.iter().map(|curve| curve.name.as_str()).collect();
        assert_eq!(names.into_iter().collect::<Vec<_>>(), ["lab", "sim"]);
    }
}
