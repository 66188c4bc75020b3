//! The plans on a few lines: bounds that a wrong rule breaks.

use results::Untreated;

use super::*;
use crate::cure::judge::{Direction, Effect, SHORT_MS};

fn lines(lines: u64, seed: u64) -> Vec<Judged> {
    let settings = Settings { lines, seed, threads: 2, worst: 0, markdown: false };
    all(&settings, &|_| {}).unwrap()
}

/// Some tens of lines, whichever kind they are of. One line more or less is 2 %, so the bounds are
/// lower than the parts of thousands of lines in docs/fix.md: they fail if a rule of the plans is
/// wrong for a kind of line.
#[test]
fn plans_cure_most_lines() {
    let all = lines(40, 1);
    let (short, fast) = tally::parts(&all);
    assert!(short >= 0.75, "others wait less than 30 ms in {short} of all shaped directions");
    assert!(fast >= 0.70, "{fast} have 90 % of the best queue's goodput");
    // A shaper of the upload is before the line's own buffer, which stays empty if the rate and the
    // framing are right, so that others wait for a packet or two.
    let uploads = || all.iter().flat_map(uploads);
    let long = uploads().filter(|(line, it)| it.added_ms > SHORT_MS.max(3.0 * line.packet_ms()));
    let (long, of) = (long.count(), uploads().count());
    assert!(of >= 15 && 10 * long <= of, "others wait long in {long} of {of} uploads");
    let left: Vec<bool> = all.iter().flat_map(left_as_short).collect();
    let wrong = left.iter().filter(|is_true| !**is_true).count();
    assert!(left.len() >= 5 && 10 * wrong <= left.len(), "{wrong} of {} are not", left.len());
}

/// Whether others wait as briefly as a plan says that leaves a direction as it is for that reason.
fn left_as_short(judged: &Judged) -> impl Iterator<Item = bool> {
    judged.directions.iter().filter_map(|it| match it.plan {
        Effect::Left { why: Untreated::ShortAlready { .. }, is_true } => Some(is_true),
        _ => None,
    })
}

/// The uploads that are shaped and whose rate is the line's and constant.
fn uploads(judged: &Judged) -> impl Iterator<Item = (&line::Line, &Direction)> {
    let is_odd = matches!(judged.line.trouble, line::Trouble::Varying | line::Trouble::Beyond);
    let is_upload = |it: &&Direction| it.heading == observation::Heading::Up;
    let is_shaped = |it: &&Direction| matches!(it.plan, Effect::Shaped { .. });
    let shaped = judged.directions.iter().filter(is_upload).filter(is_shaped);
    shaped.filter(move |_| !is_odd).map(|it| (&judged.line, it))
}

#[test]
fn the_same_seeds_give_the_same_lines() {
    let text = || format!("{:?}", lines(2, 7));
    assert_eq!(text(), text());
}
