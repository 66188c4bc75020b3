//! The simulator's deviation from a Linux kernel, case by case.

mod case;
mod compare;
mod figures;
#[cfg(target_os = "linux")]
pub(crate) mod lab;
mod network;

use std::fs;
use std::path::Path;

use serde::Serialize;

use crate::table::{Format, Table, print_json};
use case::Case;
use compare::Comparison;

const REFERENCE: &str = include_str!("../reference/linux-6.1-qdiscs.csv");
/// Runs of the first seconds of the same cases.
const START_UP: &str = include_str!("../reference/linux-6.1-start-up.csv");

/// A case with its comparison.
#[derive(Serialize)]
struct CaseResult {
    case: String,
    /// The queue's parameters on Linux.
    params: String,
    /// The queue in the syntax of a scenario.
    queue: String,
    /// True if our senders sent super-packets. Those of the reference did not.
    offload: bool,
    comparisons: Vec<Comparison>,
}

/// Simulates the cases in `csv` whose name contains `wanted`, and prints our figures beside
/// Linux's.
pub(crate) fn run(
    csv: Option<&Path>,
    wanted: &str,
    seeds: u64,
    format: Format,
) -> Result<(), String> {
    let (mut outcomes, mut left_out) = (Vec::new(), Vec::new());
    for case in cases(csv)?.into_iter().filter(|case| case.name.contains(wanted)) {
        match network::missing(&case) {
            Some(what) => left_out.push((case.name, what)),
            None => outcomes.extend([outcome(&case, false, seeds)?, outcome(&case, true, seeds)?]),
        }
    }
    match format {
        Format::Json => print_json(&outcomes)?,
        _ => print(&outcomes, &left_out, seeds, format),
    }
    Ok(())
}

/// The cases of the reference, with the runs of their first seconds, or those of a file.
fn cases(csv: Option<&Path>) -> Result<Vec<Case>, String> {
    let Some(path) = csv else {
        let mut cases = case::read(REFERENCE)?;
        case::add_start_up(&mut cases, START_UP)?;
        return Ok(cases);
    };
    case::read(&fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?)
}

fn outcome(case: &Case, offload: bool, seeds: u64) -> Result<CaseResult, String> {
    let mut comparisons = Vec::new();
    for part in case.parts() {
        let ours = network::measure(&part, offload, seeds)?;
        comparisons.extend(compare::compare(&part, &ours));
    }
    Ok(CaseResult {
        case: case.name.clone(),
        params: case.params.clone(),
        queue: network::queue(case),
        offload,
        comparisons,
    })
}

/// The figures outside their tolerance, and a sentence on how many of the judged figures are
/// inside.
fn outside(outcomes: &[&CaseResult]) -> (Table, String) {
    let mut table = compare::head(&["case"]);
    let (mut inside, mut judged) = (0, 0);
    for CaseResult { case, comparisons, .. } in outcomes {
        for comparison in comparisons {
            judged += usize::from(comparison.inside.is_some());
            inside += usize::from(comparison.inside == Some(true));
            if comparison.inside == Some(false) {
                comparison.row(&mut table, &[case]);
            }
        }
    }
    (table, format!("{inside} of {judged} figures that have a tolerance are inside it."))
}

fn print(outcomes: &[CaseResult], left_out: &[(String, String)], seeds: u64, format: Format) {
    if format == Format::Text {
        println!(
            "Ours beside Linux 6.1, the median of {seeds} seeds and in brackets their range. \
             `outside` is beyond\nthe tolerance of bench/reference; a dash has none. The reference \
             was taken without super-packets,\nand so are ours here.\n"
        );
    }
    let (with, without): (Vec<&CaseResult>, Vec<&CaseResult>) =
        outcomes.iter().partition(|outcome| outcome.offload);
    for outcome in &without {
        match format {
            Format::Markdown => println!("### {}\n\n`{}`\n", outcome.case, outcome.queue),
            _ => println!("{}: {}", outcome.case, outcome.queue),
        }
        println!("{}", compare::table(&outcome.comparisons).render(format));
    }
    let (table, count) = outside(&without);
    println!("Outside:\n\n{}", table.render(format));
    for (case, what) in left_out {
        println!("{case}: not compared, {what}.");
    }
    println!("\n{count}\n");
    let (table, count) = outside(&with);
    println!(
        "Once more with super-packets (`offload = true`), outside:\n\n{}",
        table.render(format)
    );
    println!("{count}");
}
