//! The fate of each packet, over all queues of its direction.

use std::collections::{BTreeMap, VecDeque};

use observation::Heading;
use units::Way;

use crate::path::Path;

/// A packet that was sent. Times are in seconds.
pub(crate) struct Packet<'a> {
    pub(crate) heading: Heading,
    pub(crate) flow: &'a str,
    pub(crate) bytes: f64,
    /// The time at which the packet was offered to the first queue.
    pub(crate) enqueued: f64,
    /// The sojourn in all queues; `None` if a queue dropped the packet.
    pub(crate) waited: Option<f64>,
    /// The time at which the packet left the last queue; `None` if a queue dropped it or a wire
    /// lost it.
    pub(crate) delivered: Option<f64>,
}

/// One row of the table.
struct Row<'a> {
    flow: &'a str,
    bytes: f64,
    enqueued: f64,
    departed: Option<f64>,
    lost: bool,
}

/// The packets in the table of fates, by their time at the first queue.
pub(crate) fn packets<'a>(table: &'a str, path: &Path) -> Vec<Packet<'a>> {
    let mut links: BTreeMap<(&str, Way), Vec<Row<'a>>> = BTreeMap::new();
    for line in table.lines().skip(1) {
        let mut cells = [""; 9];
        cells.iter_mut().zip(line.split(',')).for_each(|(cell, text)| *cell = text);
        let row = Row {
            flow: cells[3],
            bytes: cells[4].parse().expect("a size"),
            enqueued: cells[5].parse().expect("a time"),
            departed: cells[6].parse().ok(),
            lost: cells[8] == "lost",
        };
        let way = Way::BOTH.into_iter().find(|way| way.name() == cells[2]).expect("a direction");
        links.entry((cells[1], way)).or_default().push(row);
    }
    for rows in links.values_mut() {
        rows.sort_by(|one, other| one.enqueued.total_cmp(&other.enqueued));
    }
    let mut all = Vec::new();
    for (heading, way) in [(Heading::Up, Way::Forward), (Heading::Down, Way::Reverse)] {
        let mut take = |link: &'static str| links.remove(&(link, way));
        let (near, aside) = (take("path").unwrap_or_default(), take("aside").unwrap_or_default());
        let far = path.beyond.is_some().then(|| take("beyond").unwrap_or_default());
        let (first, second) = match (heading, far) {
            (_, None) => (near, None),
            (Heading::Up, Some(far)) => (near, Some(far)),
            (Heading::Down, Some(far)) => (far, Some(near)),
        };
        all.extend(joined(heading, first, second));
        all.extend(joined(heading, aside, None));
    }
    all.sort_by(|one, other| one.enqueued.total_cmp(&other.enqueued));
    all
}

/// The packets from the rows of both links: the packets of a flow keep their order.
fn joined<'a>(
    heading: Heading,
    first: Vec<Row<'a>>,
    second: Option<Vec<Row<'a>>>,
) -> Vec<Packet<'a>> {
    let mut next: BTreeMap<&str, VecDeque<Row<'_>>> = BTreeMap::new();
    let is_one = second.is_none();
    for row in second.into_iter().flatten() {
        next.entry(row.flow).or_default().push_back(row);
    }
    let mut order: Vec<usize> = (0..first.len()).collect();
    let left = |index: &usize| first[*index].departed.unwrap_or(f64::INFINITY);
    order.sort_by(|one, other| left(one).total_cmp(&left(other)));
    let mut beyond: Vec<Option<Row<'_>>> = first.iter().map(|_| None).collect();
    for index in order {
        let row = &first[index];
        if row.departed.is_some() && !row.lost {
            beyond[index] = next.get_mut(row.flow).and_then(VecDeque::pop_front);
        }
    }
    let packet = |(row, far): (Row<'a>, Option<Row<'a>>)| {
        let near = row.departed.map(|left| left - row.enqueued);
        let on = (is_one && !row.lost).then_some(row.departed).flatten();
        let there = far.as_ref().and_then(|far| Some((far.departed?, far)));
        let waited = match &there {
            Some((left, far)) => near.map(|near| near + left - far.enqueued),
            None => near.filter(|_| is_one),
        };
        let delivered = on.or(there.filter(|(_, far)| !far.lost).map(|(left, _)| left));
        let Row { flow, bytes, enqueued, .. } = row;
        Packet { heading, flow, bytes, enqueued, waited, delivered }
    };
    first.into_iter().zip(beyond).map(packet).collect()
}
