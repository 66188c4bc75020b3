//! The meaning of a run's delays for calls, games and web pages: only what follows from its
//! figures.

use results::{Document, FlowKind, FlowResult};

use crate::congestion::{Place, bottleneck, places};
use crate::grade::MANY_DROPS;
use crate::number::{duration, significant};
use crate::text::printable;

/// One-way delay below which a conversation does not suffer, in milliseconds: ITU-T G.114
/// (05/2003).
const TALK_MS: f64 = 150.0;
/// One-way delay that no network should be planned to exceed, in milliseconds: ITU-T G.114.
const TOO_LATE_MS: f64 = 400.0;
/// Delay of one queue, in milliseconds, below which the rest of the 150 ms is enough for the rest
/// of the path, and a game stays quick. Our own definition.
const QUICK_MS: f64 = 30.0;

/// The ratio of the ping's wait to that of others from which the one says nothing about the other.
/// Two queues like the one that matters, a queue each way, make twice its wait. Our own definition.
const UNLIKE: f64 = 2.0;

/// The sentences about the queue that matters, and about the calls and the pages of the run; empty
/// if there are none.
pub(crate) fn meaning(document: &Document) -> Vec<String> {
    let dead = places(document).any(|place| place.is_dead());
    let lost = |place: Place<'_>| place.drop_share().max(place.loss_share());
    let lossy = places(document).map(lost).any(|lost| lost >= MANY_DROPS);
    let call = call(document);
    let place = bottleneck([document].into_iter());
    let is_bound = place.is_some_and(|place| place.is_wait_a_bound());
    let queue = place
        .and_then(|place| place.direction.grade.and(place.direction.others_wait_ms.p95))
        .filter(|&wait| wait.is_finite() && !dead && !(lossy && wait < QUICK_MS))
        .and_then(|wait| match (unlike(document, wait), &call) {
            (Some(pings), _) => Some(pings),
            // How much less than the bound people wait is not known.
            (None, _) if is_bound => None,
            (None, Some(_)) => Some(for_games(wait)),
            (None, None) => Some(for_people(wait)),
        });
    call.into_iter().chain(queue).chain(pages(document)).collect()
}

/// A sentence about the worst call of the run; `None` if there was none.
fn call(document: &Document) -> Option<String> {
    let scores = document.flows.iter().filter_map(|(name, flow)| Some((name, flow.mos?)));
    let calls = scores.clone().count();
    let (name, mos) = scores.min_by(|(_, a), (_, b)| a.total_cmp(b))?;
    // ITU-T G.107 annex B.
    let listeners = match mos {
        4.34.. => "listeners are very satisfied",
        4.03.. => "listeners are satisfied",
        3.6.. => "some listeners are dissatisfied",
        3.1.. => "many listeners are dissatisfied",
        _ => "nearly all listeners are dissatisfied",
    };
    let worst = if calls > 1 { "worst call" } else { "call" };
    let (name, mos) = (printable(name), significant(mos));
    Some(format!("The {worst} ({name}) has a MOS of {mos}: {listeners} (ITU-T G.107)."))
}

/// The sentence about the pings where these waited much longer than a packet of a new flow would
/// have, or much shorter, so that `wait_ms` says nothing about all traffic; otherwise `None`.
fn unlike(document: &Document, wait_ms: f64) -> Option<String> {
    let pings = document.flows.values().filter(|flow| flow.kind == FlowKind::Ping);
    let trips = pings.filter_map(|ping| Some((ping.rtt_ms?.min?, ping.rtt_ms?.p95?)));
    let longest = trips.max_by(|(a_min, a), (b_min, b)| (a - a_min).total_cmp(&(b - b_min)));
    let (quickest, slow) = longest?;
    let waited = slow - quickest;
    let (less, more) = (waited.min(wait_ms), waited.max(wait_ms));
    (more > less * UNLIKE && more - less >= QUICK_MS).then(|| {
        let (slow, quickest) = (duration(slow), duration(quickest));
        format!("Of 100 pings 95 are answered within {slow}; the quickest answer took {quickest}.")
    })
}

/// The sentence about games alone, for runs whose calls speak for themselves.
fn for_games(wait_ms: f64) -> String {
    let wait = duration(wait_ms);
    match wait_ms {
        ..QUICK_MS => "A game in a flow of its own does not notice this queue.".into(),
        ..TALK_MS => format!("A fast game notices that some packets wait {wait} in the queue."),
        _ => format!("A fast game is unplayable: some packets wait {wait} in one queue alone."),
    }
}

fn for_people(wait_ms: f64) -> String {
    let wait = duration(wait_ms);
    match wait_ms {
        ..QUICK_MS => "A call or a game does not notice this queue.".into(),
        ..TALK_MS => format!(
            "A call still works; a fast game notices that some packets wait {wait} in the queue."
        ),
        ..TOO_LATE_MS => format!(
            "A call suffers: {wait} in one queue alone is more than 150 ms, the delay of the whole \
             path from which people talk over each other (ITU-T G.114). A fast game is unplayable."
        ),
        _ => format!(
            "A call through this queue is unusable: {wait} in one queue alone is more than 400 ms, \
             the limit for the whole path (ITU-T G.114). Each click waits as long for its first \
             answer, and a page needs several answers."
        ),
    }
}

/// A sentence about the slowest pages; `None` if none were loaded.
fn pages(document: &Document) -> Option<String> {
    let median = |flow: &FlowResult| flow.completion_s?.p50.filter(|median| median.is_finite());
    let pages = document.flows.values().filter(|flow| flow.kind == FlowKind::Page);
    let slowest = pages.filter_map(median).max_by(f64::total_cmp)?;
    Some(format!("Half of the web pages loaded within {}.", duration(slowest * 1e3)))
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
            (40.0, "A call still works; a fast game notices that some packets wait 50 ms"),
            (160.0, "A call suffers: 200 ms"),
            (800.0, "A call through this queue is unusable: 1.00 s"),
        ] {
            let meaning = meaning(&home("codel", wait_ms));
            assert!(meaning.len() == 1 && meaning[0].starts_with(expected), "{meaning:?}");
        }
        assert_eq!(meaning(&Document::default()), Vec::<String>::new());
    }

    #[test]
    fn the_calls_of_a_run_speak_for_themselves() {
        let mut document = home("cake", 10.0);
        for (mos, expected) in [
            (
                4.38,
                "The call (call) has a MOS of 4.38: listeners are very satisfied (ITU-T G.107).",
            ),
            (
                1.0,
                "The call (call) has a MOS of 1.00: nearly all listeners are dissatisfied (ITU-T G.107).",
            ),
        ] {
            document.flows["call"].mos = Some(mos);
            let game = "A game in a flow of its own does not notice this queue.";
            assert_eq!(meaning(&document), [expected, game]);
        }
        let back = FlowResult { mos: Some(3.7), ..FlowResult::default() };
        document.flows.insert("back".into(), back);
        document.flows["call"].mos = Some(4.3);
        assert!(meaning(&document)[0].starts_with("The worst call (back) has a MOS of 3.70: some"));
    }

    #[test]
    fn nothing_is_said_against_the_pings() {
        for (ping_ms, wait_ms, expected) in [
            (
                800.0,
                10.0,
                "Of 100 pings 95 are answered within 1.02 s; the quickest answer took 20 ms.",
            ),
            (
                0.0,
                800.0,
                "Of 100 pings 95 are answered within 20 ms; the quickest answer took 20 ms.",
            ),
            (20.0, 10.0, "A call or a game does not notice this queue."),
        ] {
            let mut document = home("cake", wait_ms);
            document.flows["ping"].rtt_ms = Some(crate::example::spread(20.0, ping_ms));
            assert_eq!(meaning(&document), [expected]);
        }
    }

    #[test]
    fn a_lossy_queue_is_not_praised() {
        let mut document = home("codel", 4.0);
        document.links["uplink"].forward.drops =
            Drops { full: 0, aqm: 4_000, loss: 0, ..Drops::default() };
        assert_eq!(meaning(&document), Vec::<String>::new());
    }

    /// Without a ping it is not known how much less than the bound a call waits.
    #[test]
    fn a_bound_means_nothing_by_itself() {
        let mut document = home("codel", 800.0);
        let drops = Drops { aqm: 4_000, ..Drops::default() };
        document.links["uplink"].forward.drops = drops;
        assert_eq!(meaning(&document), Vec::<String>::new());
        document.flows["ping"].rtt_ms = Some(crate::example::spread(20.0, 100.0));
        assert!(meaning(&document)[0].starts_with("Of 100 pings 95 are answered within"));
    }

    #[test]
    fn pages_are_told_by_their_median() {
        let mut document = home("codel", 4.0);
        let completion_s = Some(Completion { count: 3, p50: Some(2.4), ..Completion::default() });
        let page = FlowResult { kind: FlowKind::Page, completion_s, ..FlowResult::default() };
        document.flows.insert("reading".into(), page);
        assert_eq!(meaning(&document)[1], "Half of the web pages loaded within 2.40 s.");
    }
}
