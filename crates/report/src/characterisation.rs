//! The report of a characterisation: queues in the scenarios of RFC 7928, side by side.

mod columns;
mod figures;
mod summary;

use results::{Characterisation, CharacterisedCase, CharacterisedScenario};

use crate::number::{MISSING, figure};
use crate::page::{Page, PageTable};
use crate::text::{printable, wrap, wrap_indented};

/// The explanation of the scenarios' tables.
const TABLE: &str = "One column for each queue. For the queue: how long packets waited in it (half \
                     of them less than p50, 95 of 100 less than p95), how much of the line was \
                     used, and what was lost. For a flow: its goodput, and how long its packets or \
                     its transfers took.";

/// The characterisation as text: the summary in sentences and in one table, then a table for each
/// case, and the scenarios that were not run.
pub fn characterisation_table(document: &Characterisation) -> String {
    let mut text = wrap(&printable(&document.guidelines)) + "\n\n";
    if document.scenarios.is_empty() {
        return text + "Nothing was run.\n";
    }
    for sentence in summary::sentences(document) {
        text += &(wrap(&sentence) + "\n");
    }
    text += &format!("\n{}", columns::render(&summary::table(document)));
    for scenario in &document.scenarios {
        text += &format!("\n{}\n{}\n", heading(scenario), wrap(&printable(&scenario.question)));
        for case in &scenario.cases {
            text += &format!("\n{}", columns::render(&table(case, &document.queues)));
        }
    }
    if !document.left_out.is_empty() {
        text += "\nNot run:\n";
    }
    for note in left_out(document) {
        text += &(wrap_indented(&note, "  ") + "\n");
    }
    text
}

/// The characterisation as a page, with plots: delay against goodput as clouds, one plot a case.
pub fn characterisation_page(document: &Characterisation) -> Page {
    let mut tables = Vec::new();
    if !document.scenarios.is_empty() {
        let table = summary::table(document);
        tables.push(PageTable {
            title: "Summary".into(),
            explanation: summary::TABLE.into(),
            ..table
        });
    }
    for scenario in &document.scenarios {
        for (index, case) in scenario.cases.iter().enumerate() {
            let title = match scenario.cases.len() {
                1 => heading(scenario),
                _ => format!("{}: {}", heading(scenario), printable(&case.name)),
            };
            let question = if index == 0 { printable(&scenario.question) } else { String::new() };
            let explanation =
                if tables.len() == 1 { format!("{question} {TABLE}") } else { question };
            tables.push(PageTable { title, explanation, ..table(case, &document.queues) });
        }
    }
    let repeated = document
        .scenarios
        .iter()
        .flat_map(|scenario| &scenario.cases)
        .map(|case| format!("{}: {}", printable(&case.id), printable(&case.repeat)));
    let notes = left_out(document).map(|note| format!("Not run: {note}")).chain(repeated).collect();
    Page {
        title: printable(&document.guidelines),
        verdict: match document.scenarios.is_empty() {
            true => vec!["Nothing was run.".into()],
            false => summary::sentences(document),
        },
        tables,
        figures: figures::figures(document),
        notes,
        ..Page::default()
    }
}

/// The heading of a scenario: `5.2, aggressive sender (must be considered)`.
fn heading(scenario: &CharacterisedScenario) -> String {
    let weight = summary::weight(scenario.weight);
    format!("{}, {} ({weight})", printable(&scenario.section), printable(&scenario.title))
}

/// The table of a case: one row a figure, one column a queue.
fn table(case: &CharacterisedCase, queues: &[String]) -> PageTable {
    let mut last = "";
    let rows = case.figures.iter().map(|row| {
        // The measured object is named only in its first row.
        let of = if row.of == last { "" } else { row.of.as_str() };
        last = &row.of;
        let metric = match row.unit.as_str() {
            "" => row.metric.clone(),
            unit => format!("{}, {unit}", row.metric),
        };
        let values = row.values.iter().map(|value| value.map_or(MISSING.into(), figure));
        [printable(of), printable(&metric)].into_iter().chain(values).collect()
    });
    let rows = rows.collect();
    let names = [printable(&case.name), String::new()];
    let head = names.into_iter().chain(queues.iter().map(|queue| printable(queue))).collect();
    PageTable { head, rows, ..PageTable::default() }
}

fn left_out(document: &Characterisation) -> impl Iterator<Item = String> {
    document.left_out.iter().map(|left| {
        let [section, title, why] =
            [&left.section, &left.title, &left.why].map(|text| printable(text));
        format!("{section}, {title}: {why}.")
    })
}

#[cfg(test)]
mod tests;
