//! `bench watch`: random homes whose targets are watched, one trouble each, and whose fault `spikes` tells,
//! held beside the truth.
//!
//! The delays are those of a fluid model: a queue in each direction of the line, and random delays of the
//! radio, the routers and the targets. Probes are sent, and answers handed over, as `watch` does. With
//! `--kernel`, the program watches random paths of this kernel instead, on which TCP is the load.

mod bbr;
mod home;
#[cfg(target_os = "linux")]
mod kernel;
mod matrix;
mod play;
mod trouble;
mod world;

use units::Rng;

use crate::table::Format;
use home::Home;
#[cfg(target_os = "linux")]
pub(crate) use kernel::{ChildSettings, child};
use matrix::{Matrix, Told};
use play::{Outcome, play};
use trouble::{Kind, Trouble};

/// The options of `bench watch`.
#[derive(clap::Args)]
pub(crate) struct Settings {
    /// Number of homes.
    #[arg(long, default_value_t = 500)]
    cases: u64,
    /// Seed of the first home; the others have the seeds that follow.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Draw the kinds of trouble that are hard to tell: a busy router behind Wi-Fi, and a line that is slow
    /// while an own upload has a fair queue.
    #[arg(long)]
    further: bool,
    /// Print each home of which something false is told.
    #[arg(long)]
    differences: bool,
    /// Write the tables of docs/watch.md.
    #[arg(long)]
    markdown: bool,
    /// Watch paths of this kernel, a few at a time (Linux, root; each takes a minute).
    #[cfg(target_os = "linux")]
    #[arg(long)]
    kernel: bool,
    /// Program that watches paths of this kernel [default: that which was built beside this one]
    #[cfg(target_os = "linux")]
    #[arg(long, value_name = "FILE", requires = "kernel")]
    unbloat: Option<std::path::PathBuf>,
}

/// Prints the tables.
pub(crate) fn run(settings: &Settings) -> Result<(), String> {
    #[cfg(target_os = "linux")]
    if settings.kernel {
        return kernel::run(settings);
    }
    let mut matrix = Matrix::new();
    let (mut invented, mut hours) = (0, 0.0);
    let kinds: &[Kind] = if settings.further { &Kind::FURTHER } else { &Kind::ALL };
    for seed in settings.seed..settings.seed + settings.cases {
        let mut rng = Rng::new(seed).fork("home");
        let home = Home::draw(&mut rng);
        let trouble = Trouble::draw(&mut rng, &home, kinds);
        let outcome = play(&home, &trouble, seed);
        let told = told(&trouble, &outcome);
        let is_odd =
            told.is_false(trouble.kind) || !outcome.invented.is_empty() || told == Told::Missed;
        if settings.differences && is_odd {
            println!("seed {seed}: {told:?} {trouble:?}\n  {home:?}\n  {:#?}", outcome.spikes);
            println!("  invented: {:#?}", outcome.invented);
        }
        // What was invented was claimed, too.
        for spike in outcome.spikes.iter().chain(&outcome.invented) {
            matrix.claim(trouble.kind, spike);
        }
        invented += outcome.invented.len();
        hours += outcome.hours;
        matrix.count(trouble.kind, told);
    }
    matrix.print(Format::asked(false, settings.markdown));
    println!("\n{invented} spikes were told where there was none, in {hours:.1} hours.");
    Ok(())
}

fn told(trouble: &Trouble, outcome: &Outcome) -> Told {
    let longest = outcome.spikes.iter().max_by(|a, b| a.sent.cmp(&b.sent));
    match longest {
        // Slots are told once they have repeated.
        Some(_) if trouble.kind == Kind::Slots => {
            Told::Cause(outcome.spikes.last().expect("there is one").cause)
        }
        Some(spike) => Told::Cause(spike.cause),
        None if outcome.struck_s >= 3.0 => Told::Missed,
        None => Told::TooSmall,
    }
}
