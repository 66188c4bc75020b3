//! The simulator's deviation from a Linux kernel, case by case.

mod case;
mod compare;
mod figures;
mod flow_spec;
#[cfg(target_os = "linux")]
pub(crate) mod lab;
mod network;
mod parts;
mod scenario_file;
mod settings;

use std::fs;
use std::path::Path;

use serde::Serialize;

use crate::table::{Format, Table, print_json};
use case::Case;
use compare::Comparison;

const REFERENCE: &str = include_str!("../reference/linux-6.1-qdiscs.csv");
/// CAKE, with what the columns of the first table lack.
const CAKE: &str = include_str!("../reference/linux-6.1-cake.csv");
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
    /// True for a second run, with super-packets where the reference had none.
    #[serde(skip)]
    once_more: bool,
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
    let cases = cases(csv)?.into_iter().filter(|case| case.name.contains(wanted));
    let (cake, others): (Vec<Case>, Vec<Case>) = cases.partition(|case| case.qdisc == "cake");
    let mut documents = Vec::new();
    for cases in [others, cake].iter().filter(|cases| !cases.is_empty()) {
        let (ours, left_out): (Vec<&Case>, Vec<&Case>) =
            cases.iter().partition(|case| network::missing(case).is_none());
        let outcomes = outcomes(&ours, seeds)?;
        match format {
            Format::Json => documents.extend(outcomes),
            _ => print(&outcomes, &left_out, seeds, format),
        }
    }
    match format {
        Format::Json => print_json(&documents),
        _ => Ok(()),
    }
}

/// The comparisons of all cases: with senders as in the reference, and those in front of other
/// queues than CAKE, which divides super-packets, once more with super-packets.
fn outcomes(cases: &[&Case], seeds: u64) -> Result<Vec<CaseResult>, String> {
    let mut outcomes = Vec::new();
    for case in cases {
        outcomes.push(outcome(case, case.offload(), seeds)?);
        if case.qdisc != "cake" {
            outcomes.push(CaseResult { once_more: true, ..outcome(case, true, seeds)? });
        }
    }
    Ok(outcomes)
}

/// The cases of the reference, with the runs of their first seconds, or those of a file.
fn cases(csv: Option<&Path>) -> Result<Vec<Case>, String> {
    let Some(path) = csv else {
        let mut cases = case::read(REFERENCE)?;
        case::add_start_up(&mut cases, START_UP)?;
        cases.extend(case::read(CAKE)?);
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
        queue: scenario_file::queue(case),
        offload,
        once_more: false,
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

/// The judged figures of one kind.
#[derive(Default)]
struct Judged {
    inside: usize,
    all: usize,
    /// Those that are zero on both sides.
    zero: usize,
}

/// How many of the judged figures of each kind are inside.
fn by_kind(outcomes: &[&CaseResult]) -> Table {
    let mut kinds: Vec<(&str, Judged)> = Vec::new();
    for comparison in outcomes.iter().flat_map(|outcome| &outcome.comparisons) {
        let Some(inside) = comparison.inside else { continue };
        let place = kinds.iter().position(|(kind, _)| *kind == comparison.kind);
        let place = place.unwrap_or_else(|| {
            kinds.push((&comparison.kind, Judged::default()));
            kinds.len() - 1
        });
        let judged = &mut kinds[place].1;
        judged.inside += usize::from(inside);
        judged.all += 1;
        judged.zero += usize::from(comparison.is_zero());
    }
    let mut table = Table::new(1, &["kind of figure", "inside", "of", "zero on both sides"]);
    for (kind, Judged { inside, all, zero }) in kinds {
        table.row([kind.to_owned(), inside.to_string(), all.to_string(), zero.to_string()].into());
    }
    table
}

fn print(outcomes: &[CaseResult], left_out: &[&Case], seeds: u64, format: Format) {
    if format == Format::Text {
        println!(
            "Ours beside Linux 6.1, the median of {seeds} seeds and in brackets their range. \
             `outside` is beyond\nthe tolerance of bench/reference; a dash has none. The reference \
             was taken without super-packets,\nand so are ours here.\n"
        );
    }
    let (again, first): (Vec<&CaseResult>, Vec<&CaseResult>) =
        outcomes.iter().partition(|outcome| outcome.once_more);
    for outcome in &first {
        match format {
            Format::Markdown => println!("### {}\n\n`{}`\n", outcome.case, outcome.queue),
            _ => println!("{}: {}", outcome.case, outcome.queue),
        }
        println!("{}", compare::table(&outcome.comparisons).render(format));
    }
    let (table, count) = outside(&first);
    println!("Outside:\n\n{}", table.render(format));
    for case in left_out {
        println!("{}: not compared, {}.", case.name, network::missing(case).unwrap_or_default());
    }
    println!("\n{}", by_kind(&first).render(format));
    println!("{count}\n");
    if !again.is_empty() {
        let (table, count) = outside(&again);
        println!(
            "Once more with super-packets (`offload = true`), outside:\n\n{}",
            table.render(format)
        );
        println!("{count}\n");
    }
}
