//! `bench virtual`: a test's statements about random paths in virtual time, judged against the
//! paths' parameters.
//!
//! The bounds and weights of the diagnosis are set on paths of odd seeds; those of even seeds are
//! only reported.

mod judge;
mod tally;

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use observed::Drawn;

use judge::{Statement, statements};
use tally::Tally;

/// The options of `bench virtual`.
#[derive(clap::Args)]
pub(crate) struct Settings {
    /// Number of paths.
    #[arg(long, default_value_t = 1000)]
    paths: u64,
    /// Seed of the first path; the others have the seeds that follow.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only odd seeds, on which bounds are set, or only even ones, which are only reported.
    #[arg(long, value_parser = ["odd", "even"])]
    half: Option<String>,
    /// Number of paths at once.
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Print the statements about every path, and not only the false ones.
    #[arg(long)]
    all: bool,
}

/// Prints the false statements with their paths, and the tables.
pub(crate) fn run(settings: &Settings) -> Result<(), String> {
    let end = settings.seed + settings.paths;
    let next = AtomicU64::new(settings.seed);
    let tallies = Mutex::new([Tally::default(), Tally::default()]);
    let work = || loop {
        let seed = next.fetch_add(1, Ordering::Relaxed);
        if seed >= end {
            return;
        }
        let wanted = settings.half.as_deref().is_none_or(|half| (half == "odd") == (seed % 2 == 1));
        if wanted {
            let (path, found) = judged(seed);
            let mut tallies = tallies.lock().expect("nobody panics with it");
            print(settings, &path, &found);
            tallies[(seed % 2) as usize].add(&found);
        }
    };
    thread::scope(|scope| {
        for _ in 0..settings.threads.max(1) {
            scope.spawn(work);
        }
    });
    let tallies = tallies.into_inner().map_err(|error| error.to_string())?;
    for (tally, name) in tallies.iter().zip(["even seeds: only reported", "odd seeds: set on them"])
    {
        if tally.paths > 0 {
            println!("\n{} paths of {name}\n{tally}", tally.paths);
        }
    }
    Ok(())
}

/// The path of this seed, and the statements about it.
fn judged(seed: u64) -> (Drawn, Vec<Statement>) {
    let drawn = Drawn::new(seed);
    let measured = drawn.path.measure();
    let found = diagnose::diagnose(&measured.observations);
    let statements = statements(&drawn, &measured, &found);
    (drawn, statements)
}

fn print(settings: &Settings, path: &Drawn, found: &[Statement]) {
    let told: Vec<&Statement> =
        found.iter().filter(|one| settings.all || one.right == Some(false)).collect();
    if !told.is_empty() {
        println!("{path}");
        told.iter().for_each(|one| println!("    {one}"));
    }
}
