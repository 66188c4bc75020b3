//! The shape of a whole table: whether a column grows along a straight line.

use results::ReproductionRow;

use crate::fit::line;
use crate::judge::{Place, agrees, differs};
use crate::tolerance::FigureKind;

/// The share of variance that a straight line must explain to be called linear.
const LINEAR: f64 = 0.98;

/// The rows on a round trip in seconds that grows linearly with the buffer in frames: its slope,
/// and how straight it is.
pub(super) fn linear(
    table: &str,
    paper: &[(f64, f64)],
    ours: &[(f64, f64)],
    why: [&str; 2],
) -> [ReproductionRow; 2] {
    let [steeper, bent] = why;
    let (paper, ours) = (line(paper), line(ours));
    let place = Place { table, row: "shape" };
    let straight = place.figure("RTT against buffer, r\u{b2}", "", paper.fit, ours.fit);
    [
        place
            .figure("RTT per frame", "ms", paper.slope * 1e3, ours.slope * 1e3)
            .within(FigureKind::Approximate, || differs(steeper)),
        straight.with(
            FigureKind::Phrase,
            if ours.fit >= LINEAR { agrees(None) } else { differs(bent) },
        ),
    ]
}
