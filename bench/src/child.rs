//! Runs in child processes, so that each run's memory is measured alone.

use std::io;
use std::process::Command;

use results::Document;

use crate::machine;

/// Repeats a run of this program, with arguments that make it print a result document, and returns
/// the document of the run with the least processor time.
pub(crate) fn cheapest(arguments: &[&str], repeats: u32) -> Result<Document, String> {
    let runs: Vec<Document> = (0..repeats).map(|_| run(arguments)).collect::<Result<_, _>>()?;
    let cheaper = |one: &Document, other: &Document| cpu_s(one).total_cmp(&cpu_s(other));
    runs.into_iter().min_by(cheaper).ok_or_else(|| "nothing was run".into())
}

/// The processor seconds of a run; infinite if they were not measured.
pub(crate) fn cpu_s(run: &Document) -> f64 {
    run.cost.cpu_s.unwrap_or(f64::INFINITY)
}

/// Prints the document of a run in this process. `started` is the [`machine::cpu_s`] at its start;
/// `None` if time is not measured.
pub(crate) fn print(mut document: Document, started: Option<f64>) -> Result<(), String> {
    let cpu_s = started.map(|started| machine::cpu_s() - started);
    document.cost = document.cost.measured(cpu_s, machine::peak_rss_mb());
    serde_json::to_writer(io::stdout().lock(), &document).map_err(|error| error.to_string())
}

/// Runs this program with these arguments, and reads the document that it prints.
pub(crate) fn run(arguments: &[&str]) -> Result<Document, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new(program).args(arguments).output();
    let output = output.map_err(|error| error.to_string())?;
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{}: {complaint}", arguments.join(" ")));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())
}
