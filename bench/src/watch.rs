//! `bench watch`: random homes whose targets are watched, one trouble each, and whose fault `spikes` tells,
//! held beside the truth.
//!
//! The delays are those of a fluid model: a queue in each direction of the line, and random delays of the
//! radio, the routers and the targets. Probes are sent, and answers handed over, as `watch` does.

mod home;
mod play;
mod trouble;
mod world;

use std::collections::BTreeMap;

use results::SpikeCause;
use units::Rng;

use crate::table::{Format, Table};
use home::Home;
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
    /// Print each home of which something false is told.
    #[arg(long)]
    differences: bool,
    /// Write the tables of docs/watch.md.
    #[arg(long)]
    markdown: bool,
}

/// The statement about a home's trouble.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Told {
    Cause(SpikeCause),
    /// No spike was told, though there was one.
    Missed,
    /// No spike was told, and the trouble was too small for one.
    TooSmall,
}

/// The numbers of spikes with each confidence, in percent, and of those whose cause was right.
type Claims = BTreeMap<u64, (u64, u64)>;

/// Prints the tables.
pub(crate) fn run(settings: &Settings) -> Result<(), String> {
    let mut matrix: BTreeMap<Kind, BTreeMap<Told, u64>> = BTreeMap::new();
    let mut claims = Claims::new();
    let (mut invented, mut hours) = (0, 0.0);
    for seed in settings.seed..settings.seed + settings.cases {
        let mut rng = Rng::new(seed).fork("home");
        let home = Home::draw(&mut rng);
        let trouble = Trouble::draw(&mut rng, &home);
        let outcome = play(&home, &trouble, seed);
        let told = told(&trouble, &outcome);
        let is_false = matches!(told, Told::Cause(cause)
            if cause != SpikeCause::Unknown && !trouble.kind.is_right(cause));
        if settings.differences
            && (is_false || !outcome.invented.is_empty() || told == Told::Missed)
        {
            println!("seed {seed}: {told:?} {trouble:?}\n  {home:?}\n  {:#?}", outcome.spikes);
            println!("  invented: {:#?}", outcome.invented);
        }
        // What was invented was claimed, too.
        for spike in outcome.spikes.iter().chain(&outcome.invented) {
            let claim = claims.entry((spike.confidence * 100.0).round() as u64).or_default();
            claim.0 += 1;
            claim.1 += u64::from(trouble.kind.is_right(spike.cause));
        }
        invented += outcome.invented.len();
        hours += outcome.hours;
        *matrix.entry(trouble.kind).or_default().entry(told).or_default() += 1;
    }
    print(settings, &matrix, &claims);
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

fn print(settings: &Settings, matrix: &BTreeMap<Kind, BTreeMap<Told, u64>>, claims: &Claims) {
    let format = Format::asked(false, settings.markdown);
    let heads: Vec<Told> = SpikeCause::ALL
        .map(Told::Cause)
        .into_iter()
        .chain([Told::Missed, Told::TooSmall])
        .collect();
    let names = heads.iter().map(|it| match it {
        Told::Cause(cause) => format!("{cause:?}"),
        other => format!("{other:?}"),
    });
    let names: Vec<String> = ["what happened", "right, %", "wrong, %"]
        .map(String::from)
        .into_iter()
        .chain(names)
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut table = Table::new(1, &names);
    let mut all: BTreeMap<Told, u64> = BTreeMap::new();
    let (mut right_of_all, mut wrong_of_all, mut judged) = (0, 0, 0);
    for (kind, counts) in matrix {
        let sum = |of: &dyn Fn(&Told) -> bool| -> u64 {
            counts.iter().filter(|(told, _)| of(told)).map(|(_, count)| count).sum()
        };
        let total = sum(&|it| *it != Told::TooSmall);
        let right = sum(&|it| matches!(it, Told::Cause(cause) if kind.is_right(*cause)));
        let wrong = sum(
            &|it| matches!(it, Told::Cause(cause) if *cause != SpikeCause::Unknown && !kind.is_right(*cause)),
        );
        (right_of_all, wrong_of_all, judged) =
            (right_of_all + right, wrong_of_all + wrong, judged + total);
        for (told, count) in counts {
            *all.entry(*told).or_default() += count;
        }
        let mut row = vec![kind.to_string(), percent(right, total), percent(wrong, total)];
        row.extend(heads.iter().map(|it| counts.get(it).map_or(String::new(), u64::to_string)));
        table.row(row);
    }
    let mut row = vec!["all".into(), percent(right_of_all, judged), percent(wrong_of_all, judged)];
    row.extend(heads.iter().map(|it| all.get(it).map_or(String::new(), u64::to_string)));
    table.row(row);
    print!("{}", table.render(format));
    let mut table = Table::new(0, &["claimed, %", "spikes", "right, %"]);
    for (claimed, (count, right)) in claims {
        table.row(vec![claimed.to_string(), count.to_string(), percent(*right, *count)]);
    }
    print!("\n{}", table.render(format));
}

fn percent(part: u64, all: u64) -> String {
    if all == 0 { String::new() } else { format!("{:.1}", 100.0 * part as f64 / all as f64) }
}
