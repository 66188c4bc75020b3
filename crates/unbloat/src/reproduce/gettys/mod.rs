//! "Bufferbloat: Dark Buffers in the Internet" (Gettys and Nichols) and Gettys' talk of that time:
//! what a buffer that is too deep does to a home's line, and how long TCP takes to react to it.
//!
//! `paper` is what he says, `seen` what we look at in a run; `curve` is throughput against delay, `upload` is the smoking gun (figures 2
//! to 4), `shaped` its cure (figure 6), `page` a web page's burst, `buffers` what the same buffer
//! is on lines of several rates, `scatter` many lines as Netalyzr measures them, `series` several
//! buffers in a row, `starved` what is small behind a full buffer, `reaction` how the time to react grows with the buffer. `pings`, `transfer`,
//! `sawtooth` and `smoke` measure, `draw` helps to draw.

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

use super::Repeated;
use crate::args::ReproduceArgs;
use crate::failure::Failure;
use crate::reproduce::tolerance::reproduction;
use seen::{Look, Seen};

/// In one line, for the list of papers.
pub(super) const TITLE: &str = paper::TITLE;

/// Repeats it all. After an interrupt there is what can be said with the runs that are complete.
pub(super) fn reproduce(args: &ReproduceArgs) -> Result<Repeated, Failure> {
    let (looks, judges): (Vec<_>, Vec<_>) =
        claims().into_iter().map(|Claim { looks, judge }| (looks, judge)).unzip();
    let lengths: Vec<usize> = looks.iter().map(Vec::len).collect();
    let looks: Vec<Look> = looks.into_iter().flatten().collect();
    let seen = super::run::measure(&looks, args.volume.quiet, Look::take)?;
    let mut rest = &seen[..];
    let (mut rows, mut figures) = (Vec::new(), Vec::new());
    for (judge, length) in judges.into_iter().zip(lengths) {
        let (own, others) = rest.split_at(length);
        let found = judge(own);
        rows.extend(found.rows);
        figures.extend(found.figures);
        rest = others;
    }
    Ok(Repeated { reproduction: reproduction(paper::TITLE, rows), figures })
}

/// All of them, in the order in which they are told.
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

/// Something that he says: what is to be run for it, and what is made of that.
struct Claim {
    looks: Vec<Look>,
    judge: fn(&[Outcome]) -> Found,
}

/// What came of a run; nothing if an interrupt cut it short.
type Outcome = Option<Seen>;

/// What came of a claim.
#[derive(Default)]
struct Found {
    rows: Vec<ReproductionRow>,
    figures: Vec<Figure>,
}

/// All runs of a claim; none unless all are complete.
fn all(seen: &[Outcome]) -> Option<Vec<&Seen>> {
    seen.iter().map(Option::as_ref).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nothing is said of what was not run.
    #[test]
    fn a_row_needs_its_runs() {
        for Claim { looks, judge } in claims() {
            let found = judge(&vec![None; looks.len()]);
            assert!(found.rows.is_empty() && found.figures.is_empty());
            // Runs that show nothing make no row agree, and nothing stumbles over them.
            let found = judge(&vec![Some(Seen::default()); looks.len()]);
            assert!(found.rows.iter().all(|row| row.ours.is_none()), "{:?}", found.rows);
        }
    }
}
