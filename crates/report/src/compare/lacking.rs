//! The link that a comparison is about, and the runs that lack it.

use results::Document;
use units::Way;

use crate::congestion::{Place, bottleneck};
use crate::scene::Run;
use crate::setting::scenario_without_queues;
use crate::text::{listed, printable};

/// The direction that the comparison of these runs is about, as `uplink.forward`: the one whose queue
/// differs, or the one that [`comparison`](crate::comparison) shows if not exactly one differs. Empty if
/// no link carried a packet.
pub fn compared_link(runs: &[(String, Document)]) -> String {
    if let [(link, way)] = differing(runs)[..] {
        return name(link, way);
    }
    let place = bottleneck(runs.iter().map(|(_, document)| document));
    place.map(|place| name(place.link, place.way)).unwrap_or_default()
}

/// The sentence that only the queues of some directions differ in these runs; `None` if something else
/// differs, too, if nothing does, or if a run was cut short.
pub fn queues_alone(runs: &[(String, Document)]) -> Option<String> {
    let is_whole = |(_, document): &(String, Document)| document.interrupted_s.is_none();
    let (_, first) = runs.first()?;
    let rest = scenario_without_queues(first);
    let is_same = |(_, other): &(String, Document)| scenario_without_queues(other) == rest;
    if !(runs.iter().all(is_whole) && runs.iter().all(is_same)) {
        return None;
    }
    let places = differing(runs).into_iter().map(|(link, way)| printable(&name(link, way)));
    let places: Vec<String> = places.collect();
    match places.len() {
        0 => None,
        1 => Some(format!("Only the queue of {} differs.", places[0])),
        _ => Some(format!("Only the queues of {} differ.", listed(places))),
    }
}

fn name(link: &str, way: Way) -> String {
    format!("{link}.{}", way.name())
}

/// The directions whose queues are not the same in all runs.
fn differing(runs: &[(String, Document)]) -> Vec<(&String, Way)> {
    let first = runs.first().into_iter().flat_map(|(_, document)| document.links.keys());
    let directions = first.flat_map(|link| [(link, Way::Forward), (link, Way::Reverse)]);
    directions.filter(|(link, way)| differs(runs, link, *way)).collect()
}

/// True if the queues of this direction are not the same in all runs.
fn differs(runs: &[(String, Document)], link: &str, way: Way) -> bool {
    let queue = |document: &Document| {
        let link = document.links.get(link)?;
        Some(match way {
            Way::Forward => link.forward.queue.clone(),
            Way::Reverse => link.reverse.queue.clone(),
        })
    };
    let mut queues = runs.iter().map(|(_, document)| queue(document));
    let first = queues.next().flatten();
    queues.any(|other| other != first)
}

/// The runs that have no figures of the compared place, in sentences.
pub(super) fn remarks(runs: &[Run<'_>], place: &Place<'_>) -> Vec<String> {
    let lacking = || runs.iter().filter(|run| run.place.is_none());
    let has_link = |run: &&Run<'_>| run.document.links.contains_key(place.link);
    let about = |why: String| {
        format!("{why}. The table is about this link, and has no figures of it there.")
    };
    let without = labels(lacking().filter(|run| !has_link(run)));
    let without =
        without.map(|labels| format!("There is no link {} in {labels}", printable(place.link)));
    let idle = labels(lacking().filter(has_link));
    let idle = idle.map(|labels| format!("No packet came to {} in {labels}", place.words()));
    without.into_iter().chain(idle).map(about).collect()
}

/// The labels of these runs; `None` for no run.
fn labels<'a>(runs: impl Iterator<Item = &'a Run<'a>>) -> Option<String> {
    let labels: Vec<String> = runs.map(|run| printable(&run.label)).collect();
    (!labels.is_empty()).then(|| listed(labels))
}

#[cfg(test)]
mod tests {
    use results::LinkResult;

    use super::*;
    use crate::comparison;
    use crate::example::home;

    fn renamed(label: &str, link: &str) -> (String, Document) {
        let mut document = home(label, 5.0);
        let result = document.links.shift_remove("uplink").unwrap_or_default();
        document.links.insert(link.into(), result);
        (label.into(), document)
    }

    #[test]
    fn a_run_without_the_compared_link_is_named() {
        let mut idle = renamed("idle", "uplink");
        idle.1.links.insert("uplink".into(), LinkResult::default());
        let runs = [("slow".into(), home("slow", 900.0)), renamed("other", "line"), idle];
        let text = comparison(&runs, &[]).replace('\n', " ");
        assert!(
            text.contains("There is no link uplink in other. The table is about this"),
            "{text}"
        );
        assert!(text.contains("No packet came to uplink in idle. The table is"), "{text}");
        let text = comparison(&runs[..1], &[]);
        assert!(!text.contains("no figures"), "{text}");
    }

    #[test]
    fn the_compared_link_is_the_one_whose_queue_differs() {
        let runs = |queue: &str| {
            let mut runs = ["one", "other"].map(|label| (label.to_owned(), home("pfifo", 5.0)));
            runs[1].1.links["uplink"].reverse.queue = queue.into();
            runs
        };
        let mut other = runs("pfifo");
        let same = other[0].1.links["uplink"].reverse.queue.clone();
        assert_eq!(compared_link(&runs("fq_codel")), "uplink.reverse");
        // Nothing differs, or all do: it is that of the table.
        assert_eq!(compared_link(&runs(&same)), "uplink.forward");
        other[1].1.links["uplink"].forward.queue = "codel".into();
        other[1].1.links["uplink"].reverse.queue = "codel".into();
        assert_eq!(compared_link(&other), "uplink.forward");
        assert_eq!(compared_link(&[]), "");
    }

    #[test]
    fn it_is_said_that_only_queues_differ() {
        let link = |queue: &str| serde_json::json!([{ "name": "uplink", "rate": "2mbit", "queue": queue }]);
        let run = |queue: &str| {
            let mut document = home(queue, 5.0);
            document.scenario["link"] = link(queue);
            (queue.to_owned(), document)
        };
        let mut runs = [run("pfifo"), run("codel")];
        let said = |runs: &[(String, Document)]| queues_alone(runs);
        assert_eq!(said(&runs).unwrap(), "Only the queue of uplink.forward differs.");
        runs[1].1.links["uplink"].reverse.queue = "red".into();
        let both = "Only the queues of uplink.forward and uplink.reverse differ.";
        assert_eq!(said(&runs).unwrap(), both);
        assert_eq!(said(&[run("pfifo"), run("pfifo")]), None);
        assert_eq!(said(&[]), None);
        let mut cut = runs.clone();
        cut[0].1.interrupted_s = Some(30.0);
        assert_eq!(said(&cut), None);
        runs[1].1.scenario["seed"] = 2.into();
        assert_eq!(said(&runs), None);
    }
}
