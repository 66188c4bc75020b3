//! Finding the queue that matters.

use results::{Direction, Document, Drops, Way};

use crate::text::printable;

/// One direction of one link that carried packets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    pub(crate) link: &'a str,
    pub(crate) way: Way,
    pub(crate) direction: &'a Direction,
}

impl Place<'_> {
    /// As an entry of a table: `uplink →`.
    pub(crate) fn label(&self) -> String {
        let arrow = match self.way {
            Way::Forward => "→",
            Way::Reverse => "←",
        };
        format!("{} {arrow}", printable(self.link))
    }

    /// In a sentence: `uplink`, `uplink (reverse)`.
    pub(crate) fn words(&self) -> String {
        match self.way {
            Way::Forward => printable(self.link),
            Way::Reverse => format!("{} (reverse)", printable(self.link)),
        }
    }

    /// The 95th percentile of sojourn in milliseconds; 0 if nothing came out of the queue.
    pub(crate) fn sojourn(&self) -> f64 {
        self.direction.sojourn_ms.p95.unwrap_or(0.0)
    }

    pub(crate) fn utilisation(&self) -> f64 {
        self.direction.utilisation.unwrap_or(0.0)
    }

    /// The share of the packets offered to the queue that the queue dropped.
    pub(crate) fn drop_share(&self) -> f64 {
        let drops = self.direction.drops;
        let dropped = drops.full as f64 + drops.aqm as f64;
        let offered = self.direction.delivered_packets as f64 + drops.loss as f64 + dropped;
        if offered > 0.0 { dropped / offered } else { 0.0 }
    }

    /// The share of the packets given to the wire that the wire lost.
    pub(crate) fn loss_share(&self) -> f64 {
        let lost = self.direction.drops.loss as f64;
        let sent = self.direction.delivered_packets as f64 + lost;
        if sent > 0.0 { lost / sent } else { 0.0 }
    }

    /// Packets came, and none came out.
    pub(crate) fn is_dead(&self) -> bool {
        self.direction.delivered_packets == 0 && self.direction.drops != Drops::default()
    }
}

/// All directions that packets were offered to, in the document's order.
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

/// The place with the worst queue: the longest 95th percentile of sojourn among all `documents`
/// or, where none is worth a grade below A+, the highest utilisation.
pub(crate) fn bottleneck<'a>(documents: impl Iterator<Item = &'a Document>) -> Option<Place<'a>> {
    const WORTH_A_GRADE_MS: f64 = 5.0;
    let places: Vec<Place<'_>> = documents.flat_map(places).collect();
    let first_with_most = |most: fn(&Place<'a>) -> f64| {
        // Of equals the first: `max_by` takes the last.
        places.iter().rev().max_by(|a, b| most(a).total_cmp(&most(b))).copied()
    };
    first_with_most(Place::sojourn)
        .filter(|place| place.sojourn() >= WORTH_A_GRADE_MS)
        .or_else(|| first_with_most(Place::utilisation))
}

/// The same place in another document.
pub(crate) fn same_place<'a>(document: &'a Document, place: &Place<'_>) -> Option<Place<'a>> {
    places(document).find(|other| other.link == place.link && other.way == place.way)
}

#[cfg(test)]
mod tests {
    use results::{LinkResult, Sojourn};

    use super::*;

    fn direction(utilisation: f64, p95: f64) -> Direction {
        Direction {
            delivered_packets: 100,
            utilisation: Some(utilisation),
            sojourn_ms: Sojourn { p95: Some(p95), ..Sojourn::default() },
            ..Direction::default()
        }
    }

    fn found(up: Direction, down: Direction) -> Option<(String, Way)> {
        let mut document = Document::default();
        document.links.insert("quiet".into(), LinkResult::default());
        document.links.insert("home".into(), LinkResult { forward: up, reverse: down });
        bottleneck([&document].into_iter()).map(|place| (place.link.into(), place.way))
    }

    #[test]
    fn the_longest_queue_is_the_bottleneck() {
        let (up, down) = (direction(0.99, 1200.0), direction(1.0, 20.0));
        assert_eq!(found(up, down), Some(("home".into(), Way::Forward)));
    }

    #[test]
    fn without_queues_the_busiest_link_is() {
        let (up, down) = (direction(0.3, 4.9), direction(0.9, 0.1));
        assert_eq!(found(up, down), Some(("home".into(), Way::Reverse)));
        assert_eq!(found(Direction::default(), Direction::default()), None);
    }

    #[test]
    fn drop_share_is_of_what_was_offered_to_the_queue() {
        let drops = Drops { full: 3, aqm: 7, loss: 40 };
        let direction = Direction { delivered_packets: 150, drops, ..Direction::default() };
        let place = Place { link: "l", way: Way::Forward, direction: &direction };
        assert_eq!((place.drop_share(), place.loss_share()), (0.05, 40.0 / 190.0));
        assert!(!place.is_dead());
    }
}
