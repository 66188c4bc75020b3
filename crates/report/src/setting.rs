//! The facts about the simulated network in a document's scenario. The scenario is not trusted:
//! parts that cannot be understood are left out.

use results::Document;
use serde_json::Value;
use units::{Rate, Span, Way};

use crate::congestion::Place;
use crate::number::{count, duration, figure as number};
use crate::text::{listed, printable};

/// The rate of a link, in Mbit/s.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Capacity {
    /// A rate that is always the same.
    Constant(f64),
    /// A schedule: times, in seconds, and the rate from each of them on.
    Schedule(Vec<(f64, f64)>),
}

/// The rate at which `place` sends; `None` if the scenario does not give it.
pub(crate) fn capacity(document: &Document, place: &Place<'_>) -> Option<Capacity> {
    match direction(document, place)?.get("rate")? {
        Value::String(text) => {
            let (first, changes) = (rate(text)?, changes(document, place));
            let steps = || [(0.0, first)].into_iter().chain(changes.iter().copied()).collect();
            Some(if changes.is_empty() {
                Capacity::Constant(first)
            } else {
                Capacity::Schedule(steps())
            })
        }
        Value::Array(steps) => {
            let step = |step: &Value| {
                let (time, speed) = (step.get(0)?.as_str()?, step.get(1)?.as_str()?);
                Some((seconds(time)?, rate(speed)?))
            };
            steps.iter().map(step).collect::<Option<Vec<_>>>().map(Capacity::Schedule)
        }
        _ => None,
    }
}

/// True if the queue has a shaper below the rate of the wire, so that the used part is that of the shaper's rate.
/// With `autorate-ingress`, the shaper follows the wire.
pub(crate) fn is_shaped(document: &Document, place: &Place<'_>) -> bool {
    let queue = &place.direction.queue;
    // The `bandwidth` of `red` is no shaper.
    if !queue.starts_with("cake ") {
        return false;
    }
    let after = queue.split(' ').skip_while(|word| *word != "bandwidth").nth(1);
    let Some(shaper) = after.and_then(rate) else { return false };
    let wire = direction(document, place).and_then(|it| it.get("rate")?.as_str());
    let is_slower = wire.is_some_and(|text| text == "unlimited" || rate(text) > Some(shaper));
    let is_constant = changes_of(document, place, "rate").is_empty()
        && queue_changes(document, place).is_empty()
        && !queue.contains("autorate-ingress");
    is_slower && is_constant
}

/// The changes of the rate while the run lasts: times in seconds, and the rate from each on.
fn changes(document: &Document, place: &Place<'_>) -> Vec<(f64, f64)> {
    let steps = changes_of(document, place, "rate").into_iter();
    steps.filter_map(|(at, text)| Some((at, rate(text)?))).collect()
}

/// A queue in the words of tc, with sizes in binary units: tc writes `256Kb` for 256 KiB, which
/// others read as kilobits.
pub(crate) fn queue_in_words(queue: &str) -> String {
    let size = |word: &str| {
        let number = word.strip_suffix('b')?;
        let digits = number.strip_suffix(['K', 'M', 'G'])?;
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| format!("{number}iB"))
    };
    let words = queue.split(' ').map(|word| size(word).unwrap_or_else(|| word.to_owned()));
    printable(&words.collect::<Vec<_>>().join(" "))
}

/// The changes of the queue's settings while the run lasts: times in seconds, and the words of tc.
pub(crate) fn queue_changes<'a>(document: &'a Document, place: &Place<'_>) -> Vec<(f64, &'a str)> {
    changes_of(document, place, "queue")
}

/// The changes of this key while the run lasts: times in seconds in their order, and the text of
/// each.
fn changes_of<'a>(document: &'a Document, place: &Place<'_>, key: &str) -> Vec<(f64, &'a str)> {
    fn text<'a>(change: &'a Value, key: &str) -> Option<&'a str> {
        change.get(key).and_then(Value::as_str)
    }
    let here = |change: &&Value| {
        let way = text(change, "direction").unwrap_or(Way::Forward.name());
        text(change, "link") == Some(place.link) && way == place.way.name()
    };
    let step = |change: &'a Value| Some((seconds(text(change, "at")?)?, text(change, key)?));
    let all = document.scenario.get("change").and_then(Value::as_array);
    let mut steps: Vec<_> = all.into_iter().flatten().filter(here).filter_map(step).collect();
    steps.sort_by(|one, other| one.0.total_cmp(&other.0));
    steps
}

/// The end of the run, in seconds of its own time; `None` if it is not known.
pub(crate) fn end(document: &Document) -> Option<f64> {
    document.interrupted_s.or_else(|| field(document, "duration"))
}

/// The length of the warm-up, in seconds; `None` if there was none. The statistics of a run that was interrupted before its
/// end include it.
pub(crate) fn warmup(document: &Document) -> Option<f64> {
    let is_left_out = |warmup| document.interrupted_s.is_none_or(|end| end > warmup);
    field(document, "warmup").filter(|&warmup| warmup > 0.0 && is_left_out(warmup))
}

/// The reason why no place of these documents matters, which may be a warm-up that is left out.
pub(crate) fn nothing<'a>(mut documents: impl Iterator<Item = &'a Document>) -> String {
    let since = match documents.find_map(warmup) {
        Some(warmup) => format!(" after the warm-up of {}", duration(warmup * 1e3)),
        None => String::new(),
    };
    format!("no link carried a packet{since}")
}

/// True if the links and the changes of their rates are the same, whatever their queues, so that one
/// place can be compared in all documents.
pub(crate) fn have_same_links<'a>(documents: impl Iterator<Item = &'a Document>) -> bool {
    let mut links = documents.map(links_without_queues);
    let Some(first) = links.next() else { return true };
    links.all(|other| other == first)
}

/// The scenario without the queues of its links.
pub(crate) fn scenario_without_queues(document: &Document) -> Value {
    let mut scenario = document.scenario.clone();
    if let Some(links) = scenario.get_mut("link") {
        remove_queues(links);
    }
    scenario
}

/// Removes the queues of these links, or of one.
fn remove_queues(links: &mut Value) {
    let links_or_one = match links {
        Value::Array(links) => &mut links[..],
        one => std::slice::from_mut(one),
    };
    for link in links_or_one.iter_mut().filter_map(Value::as_object_mut) {
        link.remove("queue");
        if let Some(reverse) = link.get_mut("reverse").and_then(Value::as_object_mut) {
            reverse.remove("queue");
        }
    }
}

fn links_without_queues(document: &Document) -> Option<(Value, Vec<Value>)> {
    let mut links = document.scenario.get("link").or(document.scenario.get("replay"))?.clone();
    remove_queues(&mut links);
    let changes = document.scenario.get("change").and_then(Value::as_array);
    let changes = changes.into_iter().flatten().filter(|change| change.get("rate").is_some());
    let without_queue = |mut change: Value| {
        change.as_object_mut().map(|change| change.remove("queue"));
        change
    };
    Some((links, changes.cloned().map(without_queue).collect()))
}

/// The link that matters and the flows that use it, in a sentence; `None` if the scenario does not
/// describe the link.
pub(crate) fn sentence(document: &Document, place: &Place<'_>) -> Option<String> {
    let direction = direction(document, place)?;
    let speed = match capacity(document, place) {
        Some(Capacity::Constant(rate)) => format!(" at {} Mbit/s", number(rate)),
        Some(Capacity::Schedule(_)) => " at a rate that changes".into(),
        None => String::new(),
    };
    let delay = direction.get("delay").and_then(Value::as_str).and_then(seconds);
    let delay = delay.map(|delay| format!(", {} ms one way", number(delay * 1e3)));
    let delay = delay.unwrap_or_default();
    let senders = senders(document).map(|senders| format!(" Its traffic is {senders}."));
    let senders = senders.unwrap_or_default();
    let words = place.words();
    Some(format!("The judged queue is that of {words}{speed}{delay}.{senders}"))
}

/// The flows with their kinds: `backup (bulk) and ping (ping)`.
fn senders(document: &Document) -> Option<String> {
    const NAMED: usize = 6;
    let flows = document.scenario.get("flow")?.as_array()?;
    let entry = |flow: &Value| {
        let text = |key| flow.get(key).and_then(Value::as_str).map(printable);
        let (name, traffic) = (text("name")?, text("traffic")?);
        let number = flow.get("count").and_then(Value::as_u64).unwrap_or(1);
        let number = if number == 1 { String::new() } else { format!("{} × ", count(number)) };
        Some(format!("{name} ({number}{traffic})"))
    };
    let mut entries: Vec<String> = flows.iter().filter_map(entry).collect();
    let more = entries.len().saturating_sub(NAMED);
    entries.truncate(NAMED);
    if more > 0 {
        entries.push(format!("{} more", count(more as u64)));
    }
    (!entries.is_empty()).then(|| listed(entries))
}

/// The scenario's entry for a direction of a link; a replay has only one link.
fn direction<'a>(document: &'a Document, place: &Place<'_>) -> Option<&'a Value> {
    let Some(links) = document.scenario.get("link") else { return document.scenario.get("replay") };
    let named = |link: &&Value| link.get("name").and_then(Value::as_str) == Some(place.link);
    let link = links.as_array()?.iter().find(named)?;
    match place.way {
        Way::Forward => Some(link),
        Way::Reverse => link.get("reverse"),
    }
}

fn field(document: &Document, name: &str) -> Option<f64> {
    seconds(document.scenario.get(name)?.as_str()?)
}

fn seconds(text: &str) -> Option<f64> {
    text.parse::<Span>().ok().map(Span::as_secs_f64)
}

fn rate(text: &str) -> Option<f64> {
    text.parse::<Rate>().ok().map(Rate::as_mbit_f64)
}

#[cfg(test)]
mod tests {
    use results::DirectionResult;
    use serde_json::json;

    use super::*;

    #[test]
    fn sizes_of_a_queue_have_binary_units() {
        for (queue, words) in [
            ("bfifo limit 256Kb", "bfifo limit 256KiB"),
            ("cake memlimit 4Mb overhead 18", "cake memlimit 4MiB overhead 18"),
            ("red limit 600000b bandwidth 10Mbit Kb", "red limit 600000b bandwidth 10Mbit Kb"),
        ] {
            assert_eq!(queue_in_words(queue), words);
        }
    }

    #[test]
    fn a_shaper_counts_if_it_is_slower_than_the_wire() {
        let cake = "cake bandwidth 1800Kbit diffserv3";
        for (wire, queue, is_slower) in [
            ("2mbit", cake, true),
            ("unlimited", cake, true),
            ("1mbit", cake, false),
            ("2mbit", "cake bandwidth 1Mbit autorate-ingress diffserv3", false),
            ("2mbit", "cake unlimited diffserv3", false),
            ("20mbit", "red limit 600000b bandwidth 10Mbit Kb", false),
        ] {
            let document = Document::new(json!({ "link": [{ "name": "up", "rate": wire }] }));
            let direction = DirectionResult { queue: queue.into(), ..DirectionResult::default() };
            let place = Place { link: "up", way: Way::Forward, direction: &direction };
            assert_eq!(is_shaped(&document, &place), is_slower, "{wire} {queue}");
        }
    }

    #[test]
    fn a_rate_that_is_changed_is_no_constant() {
        let document = |rate: &str| {
            Document::new(json!({
                "link": [{ "name": "up", "rate": "2mbit" }],
                "change": [
                    { "at": "5s", "link": "up", "rate": rate },
                    { "at": "6s", "link": "up", "direction": "reverse", "rate": "3mbit" },
                    { "at": "7s", "link": "up", "queue": "codel" },
                ],
            }))
        };
        let (one, other) = (document("1mbit"), document("4mbit"));
        let place = Place { link: "up", way: Way::Forward, direction: &DirectionResult::default() };
        let steps = vec![(0.0, 2.0), (5.0, 1.0)];
        assert_eq!(capacity(&one, &place), Some(Capacity::Schedule(steps)));
        assert!(have_same_links([&one, &one].into_iter()));
        assert!(!have_same_links([&one, &other].into_iter()));
    }
}
