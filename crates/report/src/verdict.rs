//! One sentence for someone who has never heard of bufferbloat.

use results::{Document, Drops, FlowResult, Grade};
use serde_json::Value;

use crate::congestion::{Place, bottleneck, places};
use crate::grade::{MANY_DROPS, STARVED, words};
use crate::number::{count, duration, share, significant};
use crate::text::printable;

/// What the run shows, in one sentence without a line feed: the worst queue, the grade of its
/// delay, and whether it starves its link or packets are lost; or which link is dead.
pub fn verdict(document: &Document) -> String {
    if let Some(place) = places(document).find(Place::is_dead) {
        return dead(&place);
    }
    let Some(place) = bottleneck([document].into_iter()) else {
        return "Nothing to judge: no link carried a packet.".into();
    };
    let sojourn = &place.direction.sojourn_ms;
    let (Some(p50), Some(p95)) = (sojourn.p50, sojourn.p95) else {
        return format!("Nothing to judge: no packet came out of the queue of {}.", place.words());
    };
    let grade = Grade::of(p95);
    let starved = starved(document, &place);
    let lossy: Vec<String> = many_drops(&place).into_iter().chain(many_losses(document)).collect();
    let headline = match (&starved, &lossy[..]) {
        (Some(_), _) if grade <= Grade::A => "Quick but starved".into(),
        (None, [_, ..]) if grade <= Grade::A => "Quick but lossy".into(),
        _ => format!("{}, grade {}", words(grade), grade.name()),
    };
    let mut sentence = format!(
        "{headline}: {} holds packets for {} at the median, one in twenty for more than {}{}",
        queue(&place),
        duration(p50),
        duration(p95),
        rate(&place),
    );
    for remark in starved.into_iter().chain(lossy).chain(answer(document, p50, grade)) {
        sentence += &remark;
    }
    sentence + "."
}

/// Nothing comes through, so that there is no delay to grade.
fn dead(place: &Place<'_>) -> String {
    let Drops { full, aqm, loss } = place.direction.drops;
    let fate = match (full.saturating_add(aqm), loss) {
        (_, 0) => format!("{} drops", queue(place)),
        (0, _) => "its wire loses".into(),
        _ => "its queue and its wire lose".into(),
    };
    let packets = match place.direction.drops.total() {
        1 => "the only packet".into(),
        all => format!("all {} packets", count(all)),
    };
    format!("Dead: nothing comes through {}; {fate} {packets}.", place.words())
}

/// `the queue of uplink (pfifo limit 300)`.
fn queue(place: &Place<'_>) -> String {
    match place.direction.queue.as_str() {
        "" => format!("the queue of {}", place.words()),
        queue => format!("the queue of {} ({})", place.words(), printable(brief(queue))),
    }
}

fn rate(place: &Place<'_>) -> String {
    let Some(rate) = place.direction.rate_mbit else { return String::new() };
    let part = place.direction.utilisation.map(|part| format!(" ({} of the link)", share(part)));
    format!(", while {} Mbit/s go through{}", significant(rate), part.unwrap_or_default())
}

/// The queue with its options if that is short, as `pfifo limit 300p` is, else its kind alone.
fn brief(queue: &str) -> &str {
    const SHORT: usize = 24;
    if queue.len() <= SHORT { queue } else { queue.split(' ').next().unwrap_or(queue) }
}

/// A queue starves its link if it drops packets although the link has room and a flow would use it
/// all the time. Where another link is busier, or a wire loses packets, the queue is not to blame.
fn starved(document: &Document, place: &Place<'_>) -> Option<String> {
    let busiest = places(document).all(|other| other.utilisation() <= place.utilisation());
    let lossless = places(document).all(|other| other.direction.drops.loss == 0);
    let wanted = document.flows.iter().any(|(name, flow)| insatiable(document, name, flow));
    let used = place.direction.utilisation.filter(|&used| used < STARVED)?;
    let guilty = busiest && lossless && wanted && place.drop_share() > 0.0;
    guilty
        .then(|| format!("; it starves the link, which is idle {} of the time", share(1.0 - used)))
}

/// A bulk flow that wants the whole link from beginning to end: the scenario lets it begin at once,
/// and sets neither an end nor a rate. Without a list of flows in the scenario its kind decides.
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
    flow.kind == "bulk" && planned
}

fn many_drops(place: &Place<'_>) -> Option<String> {
    let dropped = Some(place.drop_share()).filter(|&dropped| dropped >= MANY_DROPS)?;
    Some(format!("; it drops {} of all packets", share(dropped)))
}

/// The wire that loses the largest share, if that is a lot; it need not be where the queue is.
fn many_losses(document: &Document) -> Option<String> {
    let worst = places(document).max_by(|a, b| a.loss_share().total_cmp(&b.loss_share()))?;
    let lost = Some(worst.loss_share()).filter(|&lost| lost >= MANY_DROPS)?;
    Some(format!("; the wire of {} loses {} of its packets", worst.words(), share(lost)))
}

/// What the delay means for an answer: how fast it could be where the queue is bad, how fast it is
/// where the queue is good.
fn answer(document: &Document, queue_ms: f64, grade: Grade) -> Option<String> {
    if grade <= Grade::A {
        let ping = document.flows.values().filter(|flow| flow.kind == "ping").find_map(median)?;
        return Some(format!("; a ping is answered in {}", duration(ping)));
    }
    let quickest = document
        .flows
        .values()
        .filter_map(|flow| flow.rtt_ms?.min)
        .min_by(f64::total_cmp)
        .filter(|&quickest| quickest < queue_ms)?;
    Some(format!("; the quickest answer took {}", duration(quickest)))
}

fn median(flow: &FlowResult) -> Option<f64> {
    flow.rtt_ms?.p50
}

#[cfg(test)]
mod tests;
