//! The verdict on a run: a few sentences for readers who have never heard of bufferbloat.

use results::{Document, FlowKind, FlowResult, Grade};
use serde_json::Value;

use crate::congestion::{Place, bottleneck, places};
use crate::grade::{MANY_DROPS, MUCH_LOSS, STARVED, reason, words};
use crate::number::{count, duration, share, significant};
use crate::setting::{is_shaped, nothing, queue_changes, queue_in_words};

/// The result of the run, in sentences without a line feed: the grade of the direction that
/// matters, or the reason why it has none; its rate, drops and losses; or the link that is dead.
pub fn verdict(document: &Document) -> String {
    sentences(document).join(" ")
}

/// The sentences of [`verdict`], at least one; the first one is the headline.
pub(crate) fn sentences(document: &Document) -> Vec<String> {
    if let Some(place) = places(document).find(Place::is_dead) {
        return vec![dead(&place)];
    }
    let Some(place) = bottleneck([document].into_iter()) else {
        return vec![format!("Nothing to judge: {}.", nothing([document].into_iter()))];
    };
    let starved = starved(document, &place);
    let lossy: Vec<String> = many_drops(&place).into_iter().chain(losses(document)).collect();
    let flaw = flaw(starved.is_some(), &place, document);
    let judged = match place.direction.grade {
        Some(grade) => graded(&place, grade, flaw),
        None => ungraded(&place, flaw),
    };
    let sentences = judged.into_iter().chain(rate(document, &place)).chain(starved).chain(lossy);
    sentences.chain(changed_queue(document, &place)).chain(answer(document, &place)).collect()
}

/// The changes of the queue's settings, since the other sentences name the queue as it began;
/// `None` if there are none.
fn changed_queue(document: &Document, place: &Place<'_>) -> Option<String> {
    let changes = queue_changes(document, place);
    let (at, queue) = changes.first()?;
    let first = format!(
        "From {} on, the queue has the settings of `{}`",
        duration(at * 1e3),
        queue_in_words(queue)
    );
    Some(match changes.len() {
        1 => first + ".",
        all => format!("{first}; its settings change {} times in all.", count(all as u64)),
    })
}

/// The reason why a short queue is not healthy; `None` if the queue is healthy.
fn flaw(is_starved: bool, place: &Place<'_>, document: &Document) -> Option<&'static str> {
    let loses = |place: Place<'_>| place.loss_share() >= MUCH_LOSS;
    let is_lossy = place.drop_share() >= MANY_DROPS || places(document).any(loses);
    is_starved.then_some("starved").or(is_lossy.then_some("lossy"))
}

/// The grade of a direction that was filled, and the delay of others.
fn graded(place: &Place<'_>, grade: Grade, flaw: Option<&str>) -> [String; 2] {
    let headline = match flaw.filter(|_| grade <= Grade::A) {
        Some(flaw) => format!("Quick but {flaw}"),
        None => words(grade).into(),
    };
    let waits = place.direction.others_wait_ms;
    let [p50, p95] = [waits.p50, waits.p95].map(|wait| duration(wait.unwrap_or(0.0)));
    let (at_most, why) = match place.is_wait_a_bound() {
        true => ("at most ", " The queue drops many of the packets that wait."),
        false => ("", ""),
    };
    let (name, place_name, queue) = (grade.name(), place.words(), queue(place));
    [
        format!(
            "{headline}, grade {name}: while {place_name} is full, others wait {at_most}{p95}."
        ),
        format!(
            "That is the 95th percentile of time in the {queue}; the median is {at_most}{p50}.{why}"
        ),
    ]
}

/// The reason why there is no grade, and the busiest direction.
fn ungraded(place: &Place<'_>, flaw: Option<&str>) -> [String; 2] {
    let headline = match flaw {
        Some("starved") => "Starved, no grade",
        Some(_) => "Lossy, no grade",
        None => "No grade",
    };
    let reason = match place.direction.grade_reason {
        Some(why) => reason(why),
        None => "the result does not say how long others waited",
    };
    [
        format!("{headline}: {reason}."),
        format!("The busiest direction is {}, with its {}.", place.words(), queue(place)),
    ]
}

/// The sentence for a direction in which nothing is delivered, so that there is no delay to grade.
fn dead(place: &Place<'_>) -> String {
    let (all, loss) = (place.direction.drops.total(), place.direction.drops.loss);
    let fate = match (all - loss, loss) {
        (_, 0) => format!("its {} drops", queue(place)),
        (0, _) => "its wire loses".into(),
        _ => "its queue and its wire lose".into(),
    };
    let packets = match place.direction.drops.total() {
        1 => "the only packet".into(),
        all => format!("all {} packets", count(all)),
    };
    format!("Dead: nothing comes through {}; {fate} {packets}.", place.words())
}

/// The queue in words: `queue (pfifo limit 300)`.
fn queue(place: &Place<'_>) -> String {
    match place.direction.queue.as_str() {
        "" => "queue".into(),
        queue => format!("queue ({})", queue_in_words(brief(queue))),
    }
}

fn rate(document: &Document, place: &Place<'_>) -> Option<String> {
    let rate = place.direction.rate_mbit?;
    let whole = if is_shaped(document, place) { "shaper's rate" } else { "capacity" };
    let part = place.direction.utilisation.map(|part| format!(", {} of the {whole}", share(part)));
    Some(format!("The rate is {} Mbit/s{}.", significant(rate), part.unwrap_or_default()))
}

/// The queue with its options if that is short, as `pfifo limit 300p` is; otherwise its kind alone.
fn brief(queue: &str) -> &str {
    const SHORT: usize = 24;
    if queue.len() <= SHORT { queue } else { queue.split(' ').next().unwrap_or(queue) }
}

/// The sentence about a queue that starves its link: it drops packets although the link has room
/// and a flow would use it all the time. `None` if another link is busier or a wire loses packets,
/// since the queue may then not be the cause.
fn starved(document: &Document, place: &Place<'_>) -> Option<String> {
    let busiest = places(document).all(|other| other.utilisation() <= place.utilisation());
    let lossless = places(document).all(|other| other.direction.drops.loss == 0);
    let wanted = document.flows.iter().any(|(name, flow)| insatiable(document, name, flow));
    let used = place.direction.utilisation.filter(|&used| used < STARVED)?;
    let guilty = busiest && lossless && wanted && place.drop_share() > 0.0;
    guilty.then(|| {
        format!("The queue starves the link, which is idle {} of the time.", share(1.0 - used))
    })
}

/// True for a bulk flow that would use the whole link all the time: it starts at once, and the
/// scenario sets neither an end nor a rate. Without a list of flows in the scenario its kind
/// decides.
fn insatiable(document: &Document, name: &str, flow: &FlowResult) -> bool {
    let set = |entry: &Value, key| entry.get(key).is_some_and(|value| !value.is_null());
    let endless = |entry: &Value| {
        let at_once = !set(entry, "start") || entry["start"] == "0ms";
        at_once && !["bytes", "stop", "rate"].iter().any(|key| set(entry, key))
    };
    // The scenario has one entry for all members of a `count`: `name` for `name[0]`, `name[1]`, ...
    let entry_name = name.split('[').next();
    let planned = document.scenario.get("flow").and_then(Value::as_array).is_none_or(|flows| {
        let mut entries = flows.iter().filter(|entry| entry["name"].as_str() == entry_name);
        entries.next().is_some_and(endless)
    });
    flow.kind == FlowKind::Bulk && planned
}

fn many_drops(place: &Place<'_>) -> Option<String> {
    let dropped = Some(place.drop_share()).filter(|&dropped| dropped >= MANY_DROPS)?;
    Some(format!("The queue drops {} of all packets.", share(dropped)))
}

/// The wires that lose a considerable share, anywhere in the document and in its order; of many
/// only the worst.
fn losses(document: &Document) -> Option<String> {
    /// Largest number of wires that are named.
    const MOST: usize = 4;
    let is_named =
        |place: &Place<'_>| place.direction.other_loss.is_some() || place.loss_share() >= MUCH_LOSS;
    let mut lossy: Vec<(usize, Place<'_>)> =
        places(document).filter(is_named).enumerate().collect();
    let more = lossy.len().saturating_sub(MOST);
    lossy.sort_by(|(_, a), (_, b)| b.loss_share().total_cmp(&a.loss_share()));
    lossy.truncate(MOST);
    lossy.sort_by_key(|(index, _)| *index);
    let losses: Vec<String> = lossy
        .iter()
        .map(|(_, wire)| format!("{} {}", wire.words(), share(wire.loss_share())))
        .collect();
    match (lossy.as_slice(), losses.split_last()) {
        ([(_, wire)], _) => Some(format!(
            "The wire of {} loses {} of its packets; its queue does not cause that.",
            wire.words(),
            share(wire.loss_share())
        )),
        (_, Some((last, before))) => {
            let others = if more > 0 {
                format!(" ({} more lose at most as many)", count(more as u64))
            } else {
                String::new()
            };
            Some(format!(
                "Wires lose packets: {} and {last}{others}; their queues do not cause that.",
                before.join(", ")
            ))
        }
        _ => None,
    }
}

/// The time of an answer: the quickest if the queue is bad, the median ping if it is good.
fn answer(document: &Document, place: &Place<'_>) -> Option<String> {
    let is_bad = place.direction.grade.is_some_and(|grade| grade > Grade::A);
    if !is_bad {
        let ping =
            document.flows.values().filter(|flow| flow.kind == FlowKind::Ping).find_map(median)?;
        return Some(format!("A ping is answered in {} at the median.", duration(ping)));
    }
    let wait = place.direction.others_wait_ms.p50?;
    let quickest = document
        .flows
        .values()
        .filter_map(|flow| flow.rtt_ms?.min)
        .min_by(f64::total_cmp)
        .filter(|&quickest| quickest < wait)?;
    Some(format!("The quickest answer took {}.", duration(quickest)))
}

fn median(flow: &FlowResult) -> Option<f64> {
    flow.rtt_ms?.p50
}

#[cfg(test)]
mod tests;
