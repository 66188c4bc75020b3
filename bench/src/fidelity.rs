//! How close the simulator is to a Linux kernel, case by case.

mod case;
mod compare;
mod figures;
#[cfg(target_os = "linux")]
pub(crate) mod lab;
mod network;

use std::fs;
use std::path::Path;

use serde::Serialize;

use crate::table::{Format, Table};
use case::Case;
use compare::Comparison;

const REFERENCE: &str = include_str!("../reference/linux-6.1-qdiscs.csv");

/// A case and how it was met.
#[derive(Serialize)]
struct Outcome {
    case: String,
    /// Linux's words.
    params: String,
    /// Ours.
    queue: String,
    comparisons: Vec<Comparison>,
}

/// Simulates the cases in `csv` whose name contains `wanted`, and prints ours beside Linux's.
pub(crate) fn run(
    csv: Option<&Path>,
    wanted: &str,
    seeds: u64,
    format: Format,
) -> Result<(), String> {
    let text = match csv {
        None => REFERENCE.into(),
        Some(path) => fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?,
    };
    let (mut outcomes, mut left_out) = (Vec::new(), Vec::new());
    for case in case::read(&text)?.into_iter().filter(|case| case.name.contains(wanted)) {
        match network::missing(&case) {
            Some(what) => left_out.push((case.name, what)),
            None => outcomes.push(outcome(&case, seeds)?),
        }
    }
    match format {
        Format::Json => {
            let json = serde_json::to_string_pretty(&outcomes);
            println!("{}", json.map_err(|error| error.to_string())?);
        }
        _ => print(&outcomes, &left_out, seeds, format),
    }
    Ok(())
}

fn outcome(case: &Case, seeds: u64) -> Result<Outcome, String> {
    let mut comparisons = Vec::new();
    for part in case.parts() {
        let ours = network::measure(&part, seeds)?;
        comparisons.extend(compare::compare(&part, &ours));
    }
    Ok(Outcome {
        case: case.name.clone(),
        params: case.params.clone(),
        queue: network::queue(case),
        comparisons,
    })
}

/// The figures that are outside their tolerance.
fn outside(outcomes: &[Outcome]) -> Table {
    let mut table = compare::head(&["case"]);
    for Outcome { case, comparisons, .. } in outcomes {
        let outside = comparisons.iter().filter(|comparison| comparison.inside == Some(false));
        outside.for_each(|comparison| comparison.row(&mut table, &[case]));
    }
    table
}

fn print(outcomes: &[Outcome], left_out: &[(String, String)], seeds: u64, format: Format) {
    if format == Format::Text {
        println!(
            "Ours beside Linux 6.1, the median of {seeds} seeds and in brackets their range. \
             `outside` is beyond\nthe tolerance of bench/reference; a dash has none.\n"
        );
    }
    for outcome in outcomes {
        match format {
            Format::Markdown => println!("#### {}\n\n`{}`\n", outcome.case, outcome.queue),
            _ => println!("{}: {}", outcome.case, outcome.queue),
        }
        println!("{}", compare::table(&outcome.comparisons).render(format));
    }
    println!("Outside:\n\n{}", outside(outcomes).render(format));
    for (case, what) in left_out {
        println!("{case}: not compared, {what}.");
    }
    let judged = outcomes.iter().flat_map(|outcome| &outcome.comparisons);
    let judged: Vec<bool> = judged.filter_map(|comparison| comparison.inside).collect();
    let inside = judged.iter().filter(|inside| **inside).count();
    println!("\n{inside} of {} figures that have a tolerance are inside it.", judged.len());
}
