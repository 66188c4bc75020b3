//! What was told, beside what had happened.

use std::collections::BTreeMap;
use std::fmt::Display;

use results::{Spike, SpikeCause};

use crate::table::{Format, Table};

/// The kind of what happened, of which causes are told.
pub(super) trait Happened: Copy + Ord + Display {
    /// True if this cause is told rightly of it.
    fn is_right(self, cause: SpikeCause) -> bool;
}

/// The statement about what happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Told {
    Cause(SpikeCause),
    /// No spike was told, though there was one.
    Missed,
    /// No spike was told, and what happened was too small for one.
    TooSmall,
}

impl Told {
    /// True if a false cause is told.
    pub(super) fn is_false(self, happened: impl Happened) -> bool {
        matches!(self, Self::Cause(it) if it != SpikeCause::Unknown && !happened.is_right(it))
    }

    fn is_right(self, happened: impl Happened) -> bool {
        matches!(self, Self::Cause(it) if happened.is_right(it))
    }
}

/// The statements, by what had happened.
pub(super) struct Matrix<H> {
    rows: BTreeMap<H, BTreeMap<Told, u64>>,
    /// The numbers of spikes with each confidence, in percent, and of those whose cause was right.
    claims: BTreeMap<u64, (u64, u64)>,
}

impl<H: Happened> Matrix<H> {
    pub(super) const fn new() -> Self {
        Self { rows: BTreeMap::new(), claims: BTreeMap::new() }
    }

    /// Counts a statement.
    pub(super) fn count(&mut self, happened: H, told: Told) {
        *self.rows.entry(happened).or_default().entry(told).or_default() += 1;
    }

    /// Counts the confidence of a spike.
    pub(super) fn claim(&mut self, happened: H, spike: &Spike) {
        let claim = self.claims.entry((spike.confidence * 100.0).round() as u64).or_default();
        claim.0 += 1;
        claim.1 += u64::from(happened.is_right(spike.cause));
    }

    /// Prints the statements, and how often what was claimed was right.
    pub(super) fn print(&self, format: Format) {
        let heads: Vec<Told> = SpikeCause::ALL
            .map(Told::Cause)
            .into_iter()
            .chain([Told::Missed, Told::TooSmall])
            .collect();
        let names = heads.iter().map(|it| match it {
            Told::Cause(cause) => format!("{cause:?}"),
            other => format!("{other:?}"),
        });
        let first = ["what happened", "right, %", "wrong, %"].map(String::from);
        let names: Vec<String> = first.into_iter().chain(names).collect();
        let mut table = Table::new(1, &names.iter().map(String::as_str).collect::<Vec<_>>());
        let mut all: BTreeMap<Told, u64> = BTreeMap::new();
        let mut sums = [0; 3];
        for (happened, counts) in &self.rows {
            let sum = |of: &dyn Fn(&Told) -> bool| -> u64 {
                counts.iter().filter(|(told, _)| of(told)).map(|(_, count)| count).sum()
            };
            let of_this = [
                sum(&|it| it.is_right(*happened)),
                sum(&|it| it.is_false(*happened)),
                sum(&|it| *it != Told::TooSmall),
            ];
            sums.iter_mut().zip(of_this).for_each(|(sum, it)| *sum += it);
            for (told, count) in counts {
                *all.entry(*told).or_default() += count;
            }
            table.row(row(&happened.to_string(), of_this, &heads, counts));
        }
        table.row(row("all", sums, &heads, &all));
        print!("{}", table.render(format));
        let mut table = Table::new(0, &["claimed, %", "spikes", "right, %"]);
        for (claimed, (count, right)) in &self.claims {
            table.row(vec![claimed.to_string(), count.to_string(), percent(*right, *count)]);
        }
        print!("\n{}", table.render(format));
    }
}

/// A row: its name, the numbers that are right, wrong and judged, and the count of each statement.
fn row(name: &str, sums: [u64; 3], heads: &[Told], counts: &BTreeMap<Told, u64>) -> Vec<String> {
    let [right, wrong, judged] = sums;
    let mut row = vec![name.to_owned(), percent(right, judged), percent(wrong, judged)];
    row.extend(heads.iter().map(|it| counts.get(it).map_or(String::new(), u64::to_string)));
    row
}

fn percent(part: u64, all: u64) -> String {
    if all == 0 { String::new() } else { format!("{:.1}", 100.0 * part as f64 / all as f64) }
}
