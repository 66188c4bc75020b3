//! Paths of this kernel, taken from those of `bench truth`, on each of which TCP is the only load. The program
//! that is judged watches the server and the last router, ten times a second.

mod case;
mod play;

use std::path::{Path as File, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use results::{Spike, WatchEvent, WatchEventKind};

use super::Settings;
use super::matrix::{Matrix, Told};
use crate::table::{Format, print_json};
use crate::truth;
use case::{Case, Load};

/// The cases at a time: most of their time they wait.
const AT_A_TIME: usize = 8;
/// The longest time of a case in seconds.
const PATIENCE: u32 = 180;
/// The seconds for which a queue stood that should have been told.
const LEAST_S: usize = 3;
/// The seconds around a load within which a spike is of it: queues fill before, and empty after.
const BEFORE: f64 = 3.0;
const AFTER: f64 = 12.0;

/// The options of the process of one case.
#[derive(clap::Args)]
pub(crate) struct ChildSettings {
    /// Seed of the case.
    seed: u64,
    /// Program that watches.
    unbloat: PathBuf,
}

/// What was told of a case.
#[derive(serde::Serialize, serde::Deserialize)]
struct Watched {
    /// When the load began and ended, in seconds since 1970.
    began_s: f64,
    ended_s: f64,
    /// The seconds of the load in which a queue stood.
    stood_s: usize,
    events: Vec<WatchEvent>,
}

/// Runs one case and prints what was told, for [`run`].
pub(crate) fn child(settings: &ChildSettings) -> Result<(), String> {
    print_json(&play::play(&Case::draw(settings.seed), &settings.unbloat)?)
}

/// Runs all cases, and prints the tables.
pub(super) fn run(settings: &Settings) -> Result<(), String> {
    let program = truth::program(settings.unbloat.as_deref())?;
    let next = AtomicU64::new(settings.seed);
    let end = settings.seed + settings.cases;
    let done = Mutex::new(Vec::new());
    let worker = || {
        while let Some(seed) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|it| *it < end) {
            let outcome = in_child(seed, &program);
            if let Ok(mut done) = done.lock() {
                done.push((seed, outcome));
            }
        }
    };
    thread::scope(|scope| (0..AT_A_TIME).for_each(|_| _ = scope.spawn(worker)));
    let mut done = done.into_inner().map_err(|error| error.to_string())?;
    done.sort_by_key(|(seed, _)| *seed);
    let mut matrix = Matrix::new();
    let (mut invented, mut failed) = (0, 0);
    for (seed, outcome) in done {
        let case = Case::draw(seed);
        match outcome {
            Ok(watched) => invented += judge(settings, &case, &watched, &mut matrix),
            Err(why) => {
                failed += 1;
                eprintln!("seed {seed}: {why}");
            }
        }
    }
    matrix.print(Format::asked(false, settings.markdown));
    println!(
        "\n{invented} spikes were told where there was no load; {failed} cases came to nothing."
    );
    Ok(())
}

fn in_child(seed: u64, unbloat: &File) -> Result<Watched, String> {
    let mut command = truth::isolated("watch-child", PATIENCE)?;
    command.arg(seed.to_string()).arg(unbloat);
    let output = Command::output(&mut command).map_err(|error| format!("setpriv: {error}"))?;
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{}: {}", output.status, complaint.trim()));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())
}

/// Counts what was told of a case. Returns the number of spikes outside the load.
fn judge(settings: &Settings, case: &Case, watched: &Watched, matrix: &mut Matrix<Load>) -> usize {
    let spikes = watched.events.iter().filter_map(|event| match &event.what {
        WatchEventKind::Spike(spike) => Some((event, spike)),
        _ => None,
    });
    let is_of_load = |event: &WatchEvent| {
        case.load != Load::Nothing
            && event.start_s < watched.ended_s + AFTER
            && event.start_s + event.duration_s > watched.began_s - BEFORE
    };
    let (of_load, others): (Vec<_>, Vec<_>) = spikes.partition(|(event, _)| is_of_load(event));
    let longest = of_load.iter().map(|(_, spike)| *spike).max_by_key(|it: &&Spike| it.sent);
    let told = match longest {
        Some(spike) => Told::Cause(spike.cause),
        None if watched.stood_s >= LEAST_S => Told::Missed,
        None => Told::TooSmall,
    };
    let is_odd = told.is_false(case.load) || told == Told::Missed || !others.is_empty();
    if settings.differences && is_odd {
        println!("seed {}: {told:?}; {case}\n  {:#?}", case.seed, watched.events);
    }
    for (_, spike) in of_load.iter().chain(&others) {
        matrix.claim(case.load, spike);
    }
    matrix.count(case.load, told);
    others.len()
}
