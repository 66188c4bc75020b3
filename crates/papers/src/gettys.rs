//! "Bufferbloat: Dark Buffers in the Internet" (Gettys and Nichols) and Gettys' talk of that time:
//! the effect of a too deep buffer on a home's line, and the time that TCP takes to react to it.
//!
//! `paper` has the article's numbers, `seen` what is observed in a run. The claims: `curve` is
//! throughput against delay, `upload` the smoking gun (figures 2 to 4), `shaped` its cure (figure
//! 6), `page` a web page's burst, `buffers` one buffer on lines of several rates, `scatter` many
//! lines as Netalyzr measures them, `series` several buffers in a row, `starved` small transfers
//! behind a full buffer, `reaction` how the time to react grows with the buffer. `pings`,
//! `transfer`, `sawtooth` and `smoke` measure, `draw` has helpers for figures.

mod buffers;
mod curve;
mod draw;
mod page;
mod paper;
mod pings;
mod reaction;
mod sawtooth;
mod scatter;
mod seen;
mod series;
mod shaped;
mod smoke;
mod starved;
mod transfer;
mod upload;

use report::Figure;
use results::ReproductionRow;

use crate::error::Error;
use crate::repeated::Repeated;
use crate::request::Request;
use crate::run::{Runner, measure};
use crate::tolerance::reproduction;
use seen::{Look, Seen};

/// The title in one line, for the list of papers.
pub(crate) const TITLE: &str = paper::TITLE;

/// Repeats all claims. After an interrupt the result covers those whose runs are complete.
pub(crate) fn repeat(_: &Request<'_>, runner: &dyn Runner) -> Result<Repeated, Error> {
    let (looks, judges): (Vec<_>, Vec<_>) =
        claims().into_iter().map(|Claim { looks, judge }| (looks, judge)).unzip();
    let lengths: Vec<usize> = looks.iter().map(Vec::len).collect();
    let looks: Vec<Look> = looks.into_iter().flatten().collect();
    let seen = measure(&looks, runner, Look::take)?;
    let mut rest = &seen[..];
    let (mut rows, mut figures) = (Vec::new(), Vec::new());
    for (judge, length) in judges.into_iter().zip(lengths) {
        let (own, others) = rest.split_at(length);
        let found = judge(own);
        rows.extend(found.rows);
        figures.extend(found.figures);
        rest = others;
    }
    Ok(Repeated::reproduction(&reproduction(paper::TITLE, rows), figures))
}

/// All claims, in the order in which they are shown.
fn claims() -> [Claim; 10] {
    [
        curve::claim(),
        upload::claim(),
        shaped::claim(),
        page::claim(),
        buffers::claim(),
        scatter::claim(),
        series::claim(),
        starved::claim(),
        reaction::sawtooth(),
        reaction::newcomer(),
    ]
}

/// A claim: its runs, and the function that judges them.
struct Claim {
    looks: Vec<Look>,
    judge: fn(&[Outcome]) -> Found,
}

/// The result of a run. `None` if an interrupt cut it short.
type Outcome = Option<Seen>;

/// The result of a claim.
#[derive(Default)]
struct Found {
    rows: Vec<ReproductionRow>,
    figures: Vec<Figure>,
}

/// All runs of a claim. `None` unless all are complete.
fn all(seen: &[Outcome]) -> Option<Vec<&Seen>> {
    seen.iter().map(Option::as_ref).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run that was not done gives no rows.
    #[test]
    fn a_row_needs_its_runs() {
        for Claim { looks, judge } in claims() {
            let found = judge(&vec![None; looks.len()]);
            assert!(found.rows.is_empty() && found.figures.is_empty());
            // Empty results must neither agree nor panic.
            let found = judge(&vec![Some(Seen::default()); looks.len()]);
            assert!(found.rows.iter().all(|row| row.ours.is_none()), "{:?}", found.rows);
        }
    }
}
