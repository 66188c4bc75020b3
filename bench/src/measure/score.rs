//! The number of correct figures of each kind, and the worst.

use super::judge::{Compared, HopOutcome, Judged};
use crate::table::Table;

/// The score of a kind of figure over all cases.
struct Score {
    what: &'static str,
    asked: &'static str,
    right: usize,
    of: usize,
    /// The place of the worst figure. `None` if all are right.
    worst: Option<String>,
}

/// The table of all requirements.
pub(super) fn table(judged: &[&Judged], lags: &[f64]) -> Table {
    let scores = [
        compared("delay, median", "2 % or 2 ms", judged, |one| Some(one.p50)),
        compared("delay, 99th percentile", "2 % or 2 ms", judged, |one| Some(one.p99)),
        compared("buffer of a byte FIFO", "2 %", judged, |one| one.buffer),
        kinds(judged),
        hops("hop", "95 %", judged, |outcome| outcome == HopOutcome::Right),
        hops("hop, not wrong silently", "all", judged, |outcome| outcome != HopOutcome::Wrong),
        phantoms(judged),
    ];
    let mut table = Table::new(2, &["what", "asked", "right", "of", "worst"]);
    for Score { what, asked, right, of, worst } in scores.into_iter().chain(spread_of(lags)) {
        let worst = worst.unwrap_or_else(|| "-".into());
        table.row(vec![what.into(), asked.into(), right.to_string(), of.to_string(), worst]);
    }
    table
}

fn compared(
    what: &'static str,
    asked: &'static str,
    judged: &[&Judged],
    of: fn(&Judged) -> Option<Compared>,
) -> Score {
    let all: Vec<_> = judged.iter().filter_map(|one| Some((*one, of(one)?))).collect();
    let size = |it: &Compared| it.error().map_or(f64::INFINITY, f64::abs);
    let wrong = all.iter().filter(|(_, it)| !it.is_right);
    let worst = wrong.max_by(|(_, one), (_, other)| size(one).total_cmp(&size(other)));
    let worst = worst.map(|(one, it)| {
        let error = it.error().map(|error| format!("{:+.1} %", 100.0 * error));
        format!("{}: {}", one.place(), error.unwrap_or_else(|| "nothing said".into()))
    });
    let right = all.iter().filter(|(_, it)| it.is_right).count();
    Score { what, asked, right, of: all.len(), worst }
}

fn kinds(judged: &[&Judged]) -> Score {
    let right = judged.iter().filter(|one| one.kind_is_right).count();
    let worst = judged.iter().find(|one| !one.kind_is_right).map(|one| one.place());
    Score { what: "kind of queue", asked: "95 %", right, of: judged.len(), worst }
}

fn hops(
    what: &'static str,
    asked: &'static str,
    judged: &[&Judged],
    is_right: fn(HopOutcome) -> bool,
) -> Score {
    let all: Vec<_> = judged.iter().filter_map(|one| Some((*one, one.hop?.outcome))).collect();
    let worst = all.iter().find(|(_, outcome)| !is_right(*outcome)).map(|(one, _)| one.place());
    let right = all.iter().filter(|(_, outcome)| is_right(*outcome)).count();
    Score { what, asked, right, of: all.len(), worst }
}

fn phantoms(judged: &[&Judged]) -> Score {
    let all: Vec<_> = judged.iter().filter_map(|one| Some((*one, one.phantom_ms?))).collect();
    let worst = all.iter().max_by(|(_, one), (_, other)| one.total_cmp(other));
    Score {
        what: "delay that is not there, other direction",
        asked: "under 2 ms",
        right: judged.iter().filter(|one| one.has_no_phantom() == Some(true)).count(),
        of: all.len(),
        worst: worst.map(|(one, phantom)| format!("{}: {phantom:.2} ms", one.place())),
    }
}

/// The score of several runs of one case: all are right if their spread is. `None` without runs.
fn spread_of(lags: &[f64]) -> Option<Score> {
    let spread = spread(lags)?;
    let right = if spread < 0.05 { lags.len() } else { 0 };
    let worst = Some(format!("from least to most {:.1} % of the mean", 100.0 * spread));
    Some(Score { what: "our number, run to run", asked: "5 %", right, of: lags.len(), worst })
}

/// The range from least to greatest, as a part of the mean.
fn spread(values: &[f64]) -> Option<f64> {
    let most = values.iter().copied().reduce(f64::max)?;
    let least = values.iter().copied().reduce(f64::min)?;
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    stats::ratio(most - least, mean)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Format;

    #[test]
    fn spread_is_relative_to_the_mean() {
        assert_eq!(spread(&[]), None);
        assert_eq!(spread(&[1000.0]), Some(0.0));
        assert_eq!(spread(&[990.0, 1010.0, 1000.0]), Some(0.02));
    }

    #[test]
    fn nothing_measured_is_nothing_right() {
        let text = table(&[], &[]).render(Format::Text);
        assert_eq!(text.lines().count(), 8);
        assert!(text.lines().skip(1).all(|line| line.contains("0    0")), "{text}");
    }
}
