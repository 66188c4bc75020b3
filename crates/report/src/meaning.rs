//! The meaning of a run's delays for calls, games and web pages: only what follows from its
//! figures.

use results::{Document, FlowKind, FlowResult};

use crate::congestion::{Place, bottleneck, places};
use crate::grade::MANY_DROPS;
use crate::number::duration;

/// One-way delay below which a conversation does not suffer, in milliseconds: ITU-T G.114
/// (05/2003).
const TALK_MS: f64 = 150.0;
/// One-way delay that no network should be planned to exceed, in milliseconds: ITU-T G.114.
const TOO_LATE_MS: f64 = 400.0;
/// Delay of one queue, in milliseconds, below which the rest of the 150 ms is enough for the rest
/// of the path, and a game stays quick. Our own definition.
const QUICK_MS: f64 = 30.0;

/// The sentences about the queue that matters, and about the pages that were loaded; empty if there
/// are none.
pub(crate) fn meaning(document: &Document) -> Vec<String> {
    let dead = places(document).any(|place| place.is_dead());
    let lost = |place: Place<'_>| place.drop_share().max(place.loss_share());
    let lossy = places(document).map(lost).any(|lost| lost >= MANY_DROPS);
    let queue = bottleneck([document].into_iter())
        .and_then(|place| place.direction.grade.and(place.direction.others_wait_ms.p95))
        .filter(|&wait| wait.is_finite() && !dead && !(lossy && wait < QUICK_MS))
        .map(for_people);
    queue.into_iter().chain(pages(document)).collect()
}

fn for_people(wait_ms: f64) -> String {
    let wait = duration(wait_ms);
    match wait_ms {
        ..QUICK_MS => "A call or a game does not notice this queue.".into(),
        ..TALK_MS => format!(
            "A call still works; a fast game feels the {wait} that some packets wait in the queue."
        ),
        ..TOO_LATE_MS => format!(
            "A call suffers: {wait} in one queue alone is more than the 150 ms that all of the way may \
             take before people talk over each other (ITU-T G.114). A fast game cannot be played."
        ),
        _ => format!(
            "A call through this queue is of no use: {wait} in one queue alone is more than the 400 ms \
             that all of the way may ever take (ITU-T G.114). Each click waits as long for its first \
             answer, and a page needs several."
        ),
    }
}

/// A sentence about the slowest pages; `None` if none were loaded.
fn pages(document: &Document) -> Option<String> {
    let median = |flow: &FlowResult| flow.completion_s?.p50.filter(|median| median.is_finite());
    let pages = document.flows.values().filter(|flow| flow.kind == FlowKind::Page);
    let slowest = pages.filter_map(median).max_by(f64::total_cmp)?;
    Some(format!("Half of the web pages needed more than {} to load.", duration(slowest * 1e3)))
}

#[cfg(test)]
mod tests {
    use results::{Completion, Drops};

    use super::*;
    use crate::example::home;

    #[test]
    fn what_people_notice() {
        for (wait_ms, expected) in [
            (4.0, "A call or a game does not notice"),
            (40.0, "A call still works; a fast game feels the 50 ms"),
            (160.0, "A call suffers: 200 ms"),
            (800.0, "A call through this queue is of no use: 1.00 s"),
        ] {
            let meaning = meaning(&home("codel", wait_ms));
            assert!(meaning.len() == 1 && meaning[0].starts_with(expected), "{meaning:?}");
        }
        assert_eq!(meaning(&Document::default()), Vec::<String>::new());
    }

    #[test]
    fn a_lossy_queue_is_not_praised() {
        let mut document = home("codel", 4.0);
        document.links["uplink"].forward.drops =
            Drops { full: 0, aqm: 4_000, loss: 0, ..Drops::default() };
        assert_eq!(meaning(&document), Vec::<String>::new());
    }

    #[test]
    fn pages_are_told_by_their_median() {
        let mut document = home("codel", 4.0);
        let completion_s = Some(Completion { count: 3, p50: Some(2.4), ..Completion::default() });
        let page = FlowResult { kind: FlowKind::Page, completion_s, ..FlowResult::default() };
        document.flows.insert("reading".into(), page);
        assert_eq!(meaning(&document)[1], "Half of the web pages needed more than 2.40 s to load.");
    }
}
