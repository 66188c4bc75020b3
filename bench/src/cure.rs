//! `bench cure`: random lines are measured in virtual time as `unbloat test` measures, the plans of
//! `unbloat fix` are applied to them, and what comes of it is held beside the best queue there could be.
//!
//! The rules of the plans are set on other seeds than those that are reported in `docs/fix.md`.

mod home;
mod judge;
mod line;
mod tally;
mod words;

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use judge::{Judged, judged};

use crate::table::Format;

/// The options of `bench cure`.
#[derive(clap::Args)]
pub(crate) struct Settings {
    /// Number of lines.
    #[arg(long, default_value_t = 200)]
    lines: u64,
    /// Seed of the first line; the others have the seeds that follow.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of lines at once.
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Number of the worst directions to print, with their lines.
    #[arg(long, default_value_t = 20)]
    worst: usize,
    /// Write the tables of docs/fix.md.
    #[arg(long)]
    markdown: bool,
}

/// Prints the tables, and the worst lines.
pub(crate) fn run(settings: &Settings) -> Result<(), String> {
    let all = all(settings, &|done| {
        if done.is_multiple_of(100) {
            eprintln!("{done} of {} lines", settings.lines);
        }
    })?;
    tally::print(&all, settings.worst, Format::asked(false, settings.markdown));
    Ok(())
}

/// The lines by their seeds, whichever thread had which. `progress` is told how many are done.
fn all(settings: &Settings, progress: &(dyn Fn(u64) + Sync)) -> Result<Vec<Judged>, String> {
    let end = settings.seed + settings.lines;
    let next = AtomicU64::new(settings.seed);
    let found = Mutex::new(Vec::new());
    let work = || loop {
        let seed = next.fetch_add(1, Ordering::Relaxed);
        if seed >= end {
            return;
        }
        let judged = judged(seed);
        let mut found = found.lock().expect("nobody panics with it");
        found.push(judged);
        progress(found.len() as u64);
    };
    thread::scope(|scope| {
        for _ in 0..settings.threads.max(1) {
            scope.spawn(work);
        }
    });
    let mut found = found.into_inner().map_err(|error| error.to_string())?;
    found.sort_by_key(|judged| judged.line.path.seed);
    Ok(found)
}

#[cfg(test)]
mod tests;
