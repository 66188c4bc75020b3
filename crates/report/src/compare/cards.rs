//! Runs as cards: the grade, and what people notice.

use results::Grade;

use super::purpose::{Stream, goodput, opinion, page, ping};
use crate::number::{duration, significant};
use crate::page::{Badge, Card};
use crate::scene::Run;
use crate::text::printable;

/// A card for each run; none without a grade, and for so many runs that a table shows more. The card
/// of a single run has no label.
pub(crate) fn cards(runs: &[Run<'_>]) -> Vec<Card> {
    /// Largest number of cards that stand side by side.
    const MOST: usize = 6;
    let stream = Stream::of(runs);
    let is_graded = |run: &Run<'_>| run.place.is_some_and(|place| place.direction.grade.is_some());
    let fit = (1..=MOST).contains(&runs.len()) && runs.iter().any(is_graded);
    let title = |run: &Run<'_>| if runs.len() == 1 { "Grade".into() } else { run.label.clone() };
    runs.iter().filter(|_| fit).map(|run| card(title(run), run, stream.as_ref())).collect()
}

fn card(title: String, run: &Run<'_>, stream: Option<&Stream<'_>>) -> Card {
    let direction = run.place.map(|place| place.direction);
    let badge = |name: String, value: Option<String>, grade: Option<Grade>| {
        value.map(|value| Badge { name, value, grade })
    };
    let grade = direction.and_then(|direction| direction.grade);
    let others = direction.and_then(|it| it.others_wait_ms.p95).filter(|_| grade.is_some());
    let p95 = ping(run.document).and_then(|ping| ping.rtt_ms?.p95);
    let stream_name = stream.map(|stream| printable(stream.name)).unwrap_or_default();
    let badges = [
        badge("others wait".into(), others.map(duration), grade),
        badge("worst call, MOS".into(), opinion(run.document).map(significant), None),
        badge("a page loads in".into(), page(run.document, |it| it.p95).map(duration), None),
        badge("a ping is answered in".into(), p95.map(duration), None),
        badge(
            format!("a packet of {stream_name} takes"),
            stream.and_then(|stream| stream.delay_ms(run)).map(duration),
            None,
        ),
        badge(
            "goodput".into(),
            goodput(run).map(|mbit| format!("{} Mbit/s", significant(mbit))),
            None,
        ),
    ];
    Card { title, grade, badges: badges.into_iter().flatten().collect(), ..Card::default() }
}
