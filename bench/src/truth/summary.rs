//! The results of all paths as tables.

use std::collections::BTreeMap;

use serde::Serialize;

use super::judge::{Judged, Judgement};
use crate::table::{Format, Table, decimals};

/// The lower bounds of the bins of confidence.
const BINS: [f64; 6] = [0.0, 0.5, 0.7, 0.8, 0.9, 0.95];

/// The results of all paths.
#[derive(Serialize)]
pub(crate) struct Results {
    pub(crate) judged: Vec<Judged>,
    /// The paths without a result, each with the reason.
    pub(crate) failed: Vec<(String, String)>,
    /// The paths, each in a line.
    pub(crate) paths: Vec<String>,
}

/// The number of statements with each outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) right: usize,
    pub(crate) wrong: usize,
    pub(crate) harmful: usize,
    pub(crate) withheld: usize,
    pub(crate) unjudged: usize,
    pub(crate) unknown: usize,
}

impl Tally {
    pub(crate) fn of<'a>(judged: impl IntoIterator<Item = &'a Judged>) -> Self {
        let mut tally = Self::default();
        for judged in judged {
            match judged.outcome {
                Judgement::True => tally.right += 1,
                Judgement::False => tally.wrong += 1,
                Judgement::Harmful => {
                    tally.wrong += 1;
                    tally.harmful += 1;
                }
                Judgement::Withheld => tally.withheld += 1,
                Judgement::Unjudged => tally.unjudged += 1,
                Judgement::Unknown => tally.unknown += 1,
            }
        }
        tally
    }

    /// The false part of the judged statements; `None` without any.
    pub(crate) fn part_false(self) -> Option<f64> {
        stats::ratio(self.wrong as f64, (self.right + self.wrong) as f64)
    }

    /// The withheld part of all possible statements; `None` without any.
    pub(crate) fn part_withheld(self) -> Option<f64> {
        stats::ratio(self.withheld as f64, (self.right + self.wrong + self.withheld) as f64)
    }
}

impl Results {
    pub(crate) fn tally(&self) -> Tally {
        Tally::of(&self.judged)
    }
}

/// Prints the false statements, the table of kinds of statements, and that of confidences.
pub(crate) fn print(results: &Results, format: Format) {
    if format == Format::Text {
        falsehoods(results);
    }
    println!("{}", kinds(results).render(format));
    println!("{}", calibration(results).render(format));
    if format == Format::Markdown {
        println!("{}", listed(results).render(format));
    }
    for (path, why) in &results.failed {
        println!("Not run: {path}: {why}");
    }
    let tally = results.tally();
    println!(
        "{} paths; of {} statements {} are false ({} %), {} of them harmful; {} % withheld; {} could \
         not be judged here.",
        results.paths.len(),
        tally.right + tally.wrong,
        tally.wrong,
        percent(tally.part_false()),
        tally.harmful,
        percent(tally.part_withheld()),
        tally.unjudged,
    );
    if tally.unknown > 0 {
        println!("{} statements have names that the table of remarks lacks.", tally.unknown);
    }
}

fn falsehoods(results: &Results) {
    let mut path = "";
    for judged in &results.judged {
        let mark = match judged.outcome {
            Judgement::Harmful => "HARMFUL",
            Judgement::False => "false",
            Judgement::Unknown => "unknown",
            _ => continue,
        };
        if judged.path != path {
            path = &judged.path;
            println!("\n{path}");
        }
        let heading = judged.heading.unwrap_or_default();
        let sure = judged.confidence.map(|sure| format!(" (sure {sure:.2})")).unwrap_or_default();
        println!(
            "  {mark} {} {heading}: {}{sure}; truth: {}",
            judged.what, judged.said, judged.truth
        );
    }
    println!();
}

fn kinds(results: &Results) -> Table {
    let mut names: BTreeMap<&str, Vec<&Judged>> = BTreeMap::new();
    for judged in &results.judged {
        names.entry(&judged.what).or_default().push(judged);
    }
    let headings = [
        "statement",
        "true",
        "false",
        "harmful",
        "withheld",
        "not judged",
        "false %",
        "withheld %",
    ];
    let mut table = Table::new(1, &headings);
    let all = names.into_iter().map(|(name, judged)| (name, Tally::of(judged)));
    for (name, tally) in all.chain([("all", results.tally())]) {
        let counts = [
            tally.right,
            tally.wrong,
            tally.harmful,
            tally.withheld,
            tally.unjudged + tally.unknown,
        ];
        let mut row = vec![name.to_owned()];
        row.extend(counts.map(|count| count.to_string()));
        row.extend([percent(tally.part_false()), percent(tally.part_withheld())]);
        table.row(row);
    }
    table
}

/// The test's confidence, and the part of true statements at that confidence.
fn calibration(results: &Results) -> Table {
    let mut table = Table::new(1, &["confidence", "said", "right", "right %", "mean confidence"]);
    for (index, from) in BINS.iter().enumerate() {
        let to = BINS.get(index + 1).copied().unwrap_or(f64::INFINITY);
        let there: Vec<&Judged> = results
            .judged
            .iter()
            .filter(|judged| judged.is_false() || judged.outcome == Judgement::True)
            .filter(|judged| judged.confidence.is_some_and(|sure| (*from..to).contains(&sure)))
            .collect();
        let right = there.iter().filter(|judged| !judged.is_false()).count();
        let sum: f64 = there.iter().filter_map(|judged| judged.confidence).sum();
        let (said, part) = (there.len() as f64, stats::ratio(right as f64, there.len() as f64));
        table.row(vec![
            format!("{from} to {}", to.min(1.0)),
            there.len().to_string(),
            right.to_string(),
            percent(part),
            decimals(stats::ratio(sum, said), 2),
        ]);
    }
    table
}

/// The false statements in a table.
fn listed(results: &Results) -> Table {
    let mut table = Table::new(5, &["path", "statement", "way", "said", "truth"]);
    for judged in results.judged.iter().filter(|judged| judged.is_false()) {
        let heading = judged.heading.unwrap_or_default();
        table.row(vec![
            judged.index.to_string(),
            judged.what.clone(),
            heading.into(),
            judged.said.replace('|', "/"),
            judged.truth.clone(),
        ]);
    }
    table
}

fn percent(part: Option<f64>) -> String {
    decimals(part.map(|part| part * 100.0), 1)
}
