//! The fate of each packet, over all queues of its direction.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io;
use std::sync::Arc;

use observation::Heading;
use tables::{Fate, FateSink, PacketFate};
use units::{PerWay, Time, Way};

use crate::path::Path;

/// A packet that was sent. Times are in seconds.
pub(crate) struct Packet {
    pub(crate) heading: Heading,
    pub(crate) flow: Arc<str>,
    pub(crate) bytes: f64,
    /// The time at which the packet was offered to the first queue.
    pub(crate) enqueued: f64,
    /// The sojourn in all queues; `None` if a queue dropped the packet.
    pub(crate) waited: Option<f64>,
    /// The time at which the packet left the last queue; `None` if a queue dropped it or a wire
    /// lost it.
    pub(crate) delivered: Option<f64>,
}

/// The fates of the packets of a run.
#[derive(Default)]
pub(crate) struct Fates {
    /// The packets at each link, by direction and by name.
    links: PerWay<BTreeMap<String, Vec<Row>>>,
    /// The names of the flows, which their packets share.
    flows: BTreeSet<Arc<str>>,
}

/// A packet at a link.
struct Row {
    flow: Arc<str>,
    bytes: f64,
    enqueued: f64,
    departed: Option<f64>,
    lost: bool,
}

impl FateSink for Fates {
    fn packet(&mut self, packet: &PacketFate<'_>) -> io::Result<()> {
        let row = Row {
            flow: self.name(packet.flow),
            bytes: packet.bytes.0 as f64,
            enqueued: packet.enqueued.as_secs_f64(),
            departed: packet.fate.departed().map(Time::as_secs_f64),
            lost: matches!(packet.fate, Fate::Lost { .. }),
        };
        let links = &mut self.links[packet.direction];
        match links.get_mut(packet.link) {
            Some(rows) => rows.push(row),
            None => drop(links.insert(packet.link.to_owned(), vec![row])),
        }
        Ok(())
    }
}

impl Fates {
    /// The packets, by their time at the first queue.
    pub(crate) fn packets(mut self, path: &Path) -> Vec<Packet> {
        for rows in self.links.iter_mut().flat_map(BTreeMap::values_mut) {
            rows.sort_by(|one, other| one.enqueued.total_cmp(&other.enqueued));
        }
        let mut all = Vec::new();
        for (heading, way) in [(Heading::Up, Way::Forward), (Heading::Down, Way::Reverse)] {
            let mut take = |link: &str| self.links[way].remove(link);
            let (near, aside) =
                (take("path").unwrap_or_default(), take("aside").unwrap_or_default());
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

    fn name(&mut self, flow: &str) -> Arc<str> {
        if let Some(name) = self.flows.get(flow) {
            return Arc::clone(name);
        }
        let name: Arc<str> = flow.into();
        self.flows.insert(Arc::clone(&name));
        name
    }
}

/// The packets from the rows of both links: the packets of a flow keep their order.
fn joined(heading: Heading, first: Vec<Row>, second: Option<Vec<Row>>) -> Vec<Packet> {
    let mut next: BTreeMap<Arc<str>, VecDeque<Row>> = BTreeMap::new();
    let is_one = second.is_none();
    for row in second.into_iter().flatten() {
        next.entry(Arc::clone(&row.flow)).or_default().push_back(row);
    }
    let mut order: Vec<usize> = (0..first.len()).collect();
    let left = |index: &usize| first[*index].departed.unwrap_or(f64::INFINITY);
    order.sort_by(|one, other| left(one).total_cmp(&left(other)));
    let mut beyond: Vec<Option<Row>> = first.iter().map(|_| None).collect();
    for index in order {
        let row = &first[index];
        if row.departed.is_some() && !row.lost {
            beyond[index] = next.get_mut(&row.flow).and_then(VecDeque::pop_front);
        }
    }
    let packet = |(row, far): (Row, Option<Row>)| {
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
