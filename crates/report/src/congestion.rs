//! The choice of the queue that matters.

use results::{DirectionResult, Document, Drops};
use units::Way;

use crate::grade::MANY_DROPS;
use crate::text::printable;

/// A direction of a link that carried packets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    pub(crate) link: &'a str,
    pub(crate) way: Way,
    pub(crate) direction: &'a DirectionResult,
}

impl Place<'_> {
    /// The name in a table: `uplink →`.
    pub(crate) fn label(&self) -> String {
        let arrow = match self.way {
            Way::Forward => "→",
            Way::Reverse => "←",
        };
        format!("{} {arrow}", printable(self.link))
    }

    /// The name in a sentence: `uplink`, `uplink (reverse)`.
    pub(crate) fn words(&self) -> String {
        match self.way {
            Way::Forward => printable(self.link),
            Way::Reverse => format!("{} (reverse)", printable(self.link)),
        }
    }

    /// The 95th percentile of others' delay, in milliseconds; below 0 if there is no grade.
    pub(crate) fn others_wait(&self) -> f64 {
        self.direction.others_wait_ms.p95.filter(|_| self.direction.grade.is_some()).unwrap_or(-1.0)
    }

    pub(crate) fn utilisation(&self) -> f64 {
        self.direction.utilisation.unwrap_or(0.0)
    }

    /// The share of the packets offered to the queue that the queue dropped.
    pub(crate) fn drop_share(&self) -> f64 {
        let drops = self.direction.drops;
        self.share_of_offered(drops.full as f64 + drops.aqm as f64)
    }

    /// True if others wait less than the result says: all packets share one queue, whose algorithm
    /// drops many of those that wait, and what others wait counts these as if they were sent.
    pub(crate) fn is_wait_a_bound(&self) -> bool {
        let mut words = self.direction.queue.split(' ');
        let drops_what_waits = match words.next() {
            Some("codel" | "cobalt") => true,
            Some("cake") => words.any(|word| word == "flowblind"),
            _ => false,
        };
        drops_what_waits && self.share_of_offered(self.direction.drops.aqm as f64) >= MANY_DROPS
    }

    /// The share that so many dropped packets are of those offered to the queue.
    fn share_of_offered(&self, dropped: f64) -> f64 {
        let drops = self.direction.drops;
        let all = drops.full as f64 + drops.aqm as f64 + drops.loss as f64;
        let offered = self.direction.delivered_packets as f64 + all;
        if offered > 0.0 { dropped / offered } else { 0.0 }
    }

    /// The share of the packets given to the wire that the wire lost.
    pub(crate) fn loss_share(&self) -> f64 {
        let lost = self.direction.drops.loss as f64;
        let sent = self.direction.delivered_packets as f64 + lost;
        if sent > 0.0 { lost / sent } else { 0.0 }
    }

    /// True if packets were offered, and none was delivered.
    pub(crate) fn is_dead(&self) -> bool {
        self.direction.delivered_packets == 0 && self.direction.drops != Drops::default()
    }
}

/// All directions to which packets were offered, in the document's order.
pub(crate) fn places(document: &Document) -> impl Iterator<Item = Place<'_>> {
    document
        .links
        .iter()
        .flat_map(|(link, result)| {
            [(Way::Forward, &result.forward), (Way::Reverse, &result.reverse)]
                .map(|(way, direction)| Place { link, way, direction })
        })
        .filter(|place| {
            place.direction.delivered_packets > 0 || place.direction.drops != Drops::default()
        })
}

/// The place that matters among all `documents`: the filled direction in which others wait longest;
/// if none was filled, the busiest. `None` if no link carried a packet.
pub(crate) fn bottleneck<'a>(documents: impl Iterator<Item = &'a Document>) -> Option<Place<'a>> {
    let places: Vec<Place<'_>> = documents.flat_map(places).collect();
    let first_with_most = |most: fn(&Place<'a>) -> f64| {
        // `max_by` takes the last of equals; the reversed order makes it the first.
        places.iter().rev().max_by(|a, b| most(a).total_cmp(&most(b))).copied()
    };
    first_with_most(Place::others_wait)
        .filter(|place| place.direction.grade.is_some())
        .or_else(|| first_with_most(Place::utilisation))
}

/// This place in another document; `None` if the document does not have it.
pub(crate) fn same_place<'a>(document: &'a Document, place: &Place<'_>) -> Option<Place<'a>> {
    places(document).find(|other| other.link == place.link && other.way == place.way)
}

#[cfg(test)]
mod tests {
    use results::{DelaySpread, Grade, LinkResult};

    use super::*;

    fn direction(utilisation: f64, p95: f64) -> DirectionResult {
        DirectionResult {
            delivered_packets: 100,
            utilisation: Some(utilisation),
            others_wait_ms: DelaySpread { p95: Some(p95), ..DelaySpread::default() },
            grade: Some(Grade::of(p95)).filter(|_| utilisation >= 0.9),
            ..DirectionResult::default()
        }
    }

    fn found(up: DirectionResult, down: DirectionResult) -> Option<(String, Way)> {
        let mut document = Document::default();
        document.links.insert("quiet".into(), LinkResult::default());
        document.links.insert("home".into(), LinkResult { forward: up, reverse: down });
        bottleneck([&document].into_iter()).map(|place| (place.link.into(), place.way))
    }

    #[test]
    fn where_others_wait_longest_is_the_bottleneck() {
        let (up, down) = (direction(0.99, 1200.0), direction(1.0, 20.0));
        assert_eq!(found(up, down), Some(("home".into(), Way::Forward)));
        // A burst into a line that is hardly used does not matter.
        let (up, down) = (direction(0.086, 1200.0), direction(0.95, 2.0));
        assert_eq!(found(up, down), Some(("home".into(), Way::Reverse)));
    }

    #[test]
    fn where_nothing_was_filled_the_busiest_link_is() {
        let (up, down) = (direction(0.3, 4.9), direction(0.8, 0.1));
        assert_eq!(found(up, down), Some(("home".into(), Way::Reverse)));
        assert_eq!(found(DirectionResult::default(), DirectionResult::default()), None);
    }

    #[test]
    fn drop_share_is_of_what_was_offered_to_the_queue() {
        let drops = Drops { full: 3, aqm: 7, loss: 40, ..Drops::default() };
        let direction =
            DirectionResult { delivered_packets: 150, drops, ..DirectionResult::default() };
        let place = Place { link: "l", way: Way::Forward, direction: &direction };
        assert_eq!((place.drop_share(), place.loss_share()), (0.05, 40.0 / 190.0));
        assert!(!place.is_dead());
    }

    #[test]
    fn drops_of_what_waits_make_the_wait_a_bound() {
        let is_bound = |queue: &str, aqm| {
            let drops = Drops { aqm, ..Drops::default() };
            let direction = DirectionResult {
                queue: queue.into(),
                delivered_packets: 97,
                drops,
                ..DirectionResult::default()
            };
            let place = Place { link: "l", way: Way::Forward, direction: &direction };
            place.is_wait_a_bound()
        };
        for queue in ["codel limit 1000p", "cobalt", "cake unlimited besteffort flowblind nonat"] {
            assert!(is_bound(queue, 3) && !is_bound(queue, 2), "{queue}");
        }
        // Here a new flow has a queue of its own, or packets are dropped before they wait.
        for queue in ["cake unlimited besteffort flows", "fq_codel", "pie", "pfifo"] {
            assert!(!is_bound(queue, 50), "{queue}");
        }
    }
}
