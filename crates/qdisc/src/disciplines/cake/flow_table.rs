//! The table in which a packet finds the queue of its flow: set-associative, so that two flows share
//! a queue only if nine active ones meet in a set of eight.
//!
//! Specification: Linux, net/sched/sch_cake.c, `cake_hash`, of 6.18: a host's flows are counted
//! while they are bulk flows.

use alloc::boxed::Box;
use alloc::vec;

use super::isolation::{Hashes, Isolation};

/// The number of queues, and of hosts, of a tin.
pub(super) const FLOWS: usize = 1024;
/// The number of places at which a flow may be.
const WAYS: usize = 8;

/// The part that a flow takes in the turns of its tin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Set {
    /// None: the flow has no packets, and its controller is at rest.
    #[default]
    None,
    /// The flow has few packets, and goes first.
    Sparse,
    /// The flow was sparse, has no packets now, and waits in the rotation of the bulk flows.
    SparseWait,
    /// The flow takes its turn.
    Bulk,
    /// The flow has no packets, and its controller comes to rest.
    Decaying,
}

/// How packets found their queues.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Lookups {
    /// Packets whose flow has a queue beside the one that its hash names.
    pub(super) indirect_hits: u32,
    /// Packets whose flow had no queue and got an idle one.
    pub(super) misses: u32,
    /// Packets whose flow had no queue and shares one.
    pub(super) collisions: u32,
}

/// The flows and hosts of a tin.
#[derive(Clone, Debug)]
pub(super) struct FlowTable {
    pub(super) isolation: Isolation,
    pub(super) lookups: Lookups,
    tags: OfEach<u32>,
    sets: OfEach<Set>,
    hosts: OfEach<FlowHosts>,
    sources: HostTable,
    destinations: HostTable,
}

/// Something of each flow, or of each host.
pub(super) type OfEach<T> = Box<[T; FLOWS]>;

/// The same of each.
pub(super) fn of_each<T: Clone + Default>() -> OfEach<T> {
    vec![T::default(); FLOWS].into_boxed_slice().try_into().unwrap_or_else(|_| unreachable!())
}

/// The places of a flow's hosts.
#[derive(Clone, Copy, Debug, Default)]
struct FlowHosts {
    source: u16,
    destination: u16,
}

/// The loads of flows: how many share the quantum of a host.
#[derive(Clone, Copy)]
pub(super) struct Loads<'a> {
    hosts: &'a [FlowHosts; FLOWS],
    /// The bulk flows of each source; none where sources do not count.
    sources: &'a [u16; FLOWS],
    /// The bulk flows of each destination; none where destinations do not count.
    destinations: &'a [u16; FLOWS],
}

/// The bulk flows of hosts that do not count.
static NONE: [u16; FLOWS] = [0; FLOWS];

impl Loads<'_> {
    /// The most bulk flows that share a host with this flow, itself included; at least 1 and at most
    /// [`FLOWS`].
    #[inline]
    pub(super) fn of(self, flow: usize) -> u16 {
        let FlowHosts { source, destination } = self.hosts[flow];
        let load =
            self.sources[usize::from(source)].max(self.destinations[usize::from(destination)]);
        load.max(1)
    }
}

impl FlowTable {
    pub(super) fn new(isolation: Isolation) -> Self {
        Self {
            isolation,
            lookups: Lookups::default(),
            tags: of_each(),
            sets: of_each(),
            hosts: of_each(),
            sources: HostTable::new(),
            destinations: HostTable::new(),
        }
    }

    /// The part of this flow.
    pub(super) fn set(&self, flow: usize) -> Set {
        self.sets[flow]
    }

    /// Gives this flow another part. The bulk flows of its hosts are counted.
    pub(super) fn change_set(&mut self, flow: usize, set: Set) {
        let was = core::mem::replace(&mut self.sets[flow], set);
        match (was == Set::Bulk, set == Set::Bulk) {
            (false, true) => self.count_bulk(flow),
            (true, false) => self.discount_bulk(flow),
            _ => {}
        }
    }

    /// The loads of flows, as they are now.
    pub(super) fn loads(&self) -> Loads<'_> {
        let Self { isolation, hosts, sources, destinations, .. } = self;
        Loads {
            hosts,
            sources: if isolation.shares_by_source() { &sources.bulk } else { &NONE },
            destinations: if isolation.shares_by_destination() {
                &destinations.bulk
            } else {
                &NONE
            },
        }
    }

    /// The queue of a packet with these hashes.
    pub(super) fn find(&mut self, hashes: Hashes) -> usize {
        let direct = hashes.flow as usize % FLOWS;
        if self.tags[direct] == hashes.flow && self.sets[direct] != Set::None {
            return direct;
        }
        let known = first_of_set(&self.tags, direct, |tag| tag == hashes.flow);
        if let Some(known) = known {
            self.lookups.indirect_hits += u32::from(known != direct);
            if self.sets[known] == Set::None {
                self.place_hosts(known, hashes);
            }
            return known;
        }
        let idle = first_of_set(&self.sets, direct, |set| set == Set::None);
        let place = idle.unwrap_or(direct);
        self.tags[place] = hashes.flow;
        if idle.is_some() {
            self.lookups.misses += 1;
            self.place_hosts(place, hashes);
        } else {
            self.lookups.collisions += 1;
            self.take_over(place, hashes);
        }
        place
    }

    /// Gives a queue that has packets of another flow to the hosts of this one.
    fn take_over(&mut self, flow: usize, hashes: Hashes) {
        let is_bulk = self.sets[flow] == Set::Bulk;
        if is_bulk {
            self.discount_bulk(flow);
        }
        self.place_hosts(flow, hashes);
        if is_bulk {
            self.count_bulk(flow);
        }
    }

    fn place_hosts(&mut self, flow: usize, hashes: Hashes) {
        if self.isolation.shares_by_source() {
            self.hosts[flow].source = self.sources.place(hashes.source);
        }
        if self.isolation.shares_by_destination() {
            self.hosts[flow].destination = self.destinations.place(hashes.destination);
        }
    }

    fn count_bulk(&mut self, flow: usize) {
        let FlowHosts { source, destination } = self.hosts[flow];
        if self.isolation.shares_by_source() {
            self.sources.count_bulk(source);
        }
        if self.isolation.shares_by_destination() {
            self.destinations.count_bulk(destination);
        }
    }

    fn discount_bulk(&mut self, flow: usize) {
        let FlowHosts { source, destination } = self.hosts[flow];
        if self.isolation.shares_by_source() {
            self.sources.discount_bulk(source);
        }
        if self.isolation.shares_by_destination() {
            self.destinations.discount_bulk(destination);
        }
    }
}

/// The hosts on one side of a tin's flows, found as queues are.
#[derive(Clone, Debug)]
struct HostTable {
    tags: OfEach<u32>,
    /// The number of bulk flows of each host.
    bulk: OfEach<u16>,
}

impl HostTable {
    fn new() -> Self {
        Self { tags: of_each(), bulk: of_each() }
    }

    /// The place of the host with this hash; that of another host if eight others are active.
    fn place(&mut self, hash: u32) -> u16 {
        let direct = hash as usize % FLOWS;
        let known = first_of_set(&self.tags, direct, |tag| tag == hash);
        let idle = || first_of_set(&self.bulk, direct, |bulk| bulk == 0);
        let place = known.or_else(idle).unwrap_or(direct);
        self.tags[place] = hash;
        place as u16
    }

    /// Counts a bulk flow of this host. Flows that came to rest while the isolation was another one
    /// have stayed counted, so the number is limited.
    fn count_bulk(&mut self, host: u16) {
        let bulk = &mut self.bulk[usize::from(host)];
        *bulk = (*bulk + 1).min(FLOWS as u16);
    }

    /// Takes back the count of a bulk flow, unless it became one while the isolation was another.
    fn discount_bulk(&mut self, host: u16) {
        let bulk = &mut self.bulk[usize::from(host)];
        *bulk = bulk.saturating_sub(1);
    }
}

/// The first place that `is_meant`, from `direct` on around its set; `None` if none of the eight is.
fn first_of_set<T: Copy>(
    places: &[T; FLOWS],
    direct: usize,
    is_meant: impl Fn(T) -> bool,
) -> Option<usize> {
    let set = direct - direct % WAYS;
    let ways: &[T; WAYS] = places[set..].first_chunk()?;
    // All ways are looked at, which takes less time than to stop at the first.
    let meant = ways.iter().rev().fold(0_u8, |meant, way| meant << 1 | u8::from(is_meant(*way)));
    let steps = meant.rotate_right((direct % WAYS) as u32).trailing_zeros() as usize;
    (meant != 0).then_some(set + (direct + steps) % WAYS)
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    fn hashes(flow: u32, source: u32) -> Hashes {
        Hashes { flow, source, destination: 7 }
    }

    /// Flows whose hashes name one queue.
    fn rivals(index: u32) -> Hashes {
        hashes(3 + 1024 * index, index)
    }

    #[test]
    fn eight_flows_of_a_set_have_queues_of_their_own() {
        let mut table = FlowTable::new(Isolation::DualSrcHost);
        let places: Vec<_> = (0..8)
            .map(|index| {
                let place = table.find(rivals(index));
                table.change_set(place, Set::Bulk);
                place
            })
            .collect();
        assert_eq!(places, [3, 4, 5, 6, 7, 0, 1, 2]);
        assert_eq!(table.find(rivals(2)), 5);
        let expected = Lookups { indirect_hits: 1, misses: 8, collisions: 0 };
        assert_eq!(table.lookups, expected);
        assert_eq!(table.find(rivals(8)), 3);
        assert_eq!(table.lookups, Lookups { collisions: 1, ..expected });
    }

    /// The queue of a flow that came to rest is still its own until another flow needs it.
    #[test]
    fn a_flow_finds_its_queue_again() {
        let mut table = FlowTable::new(Isolation::Triple);
        let places = [0, 1].map(|index| table.find(rivals(index)));
        assert_eq!(places, [3, 3], "a queue without packets is free");
        let other = hashes(4, 0);
        assert_eq!(table.find(other), 4);
        table.change_set(4, Set::Sparse);
        table.change_set(4, Set::None);
        assert_eq!(table.find(other), 4);
        assert_eq!(table.lookups.misses, 3);
    }

    #[test]
    fn a_host_is_as_busy_as_its_bulk_flows() {
        let mut table = FlowTable::new(Isolation::DualSrcHost);
        let flows = [(10, 1), (11, 1), (12, 1), (13, 2)].map(|(flow, source)| {
            let place = table.find(hashes(flow, source));
            table.change_set(place, Set::Sparse);
            place
        });
        assert_eq!(flows.map(|flow| table.loads().of(flow)), [1; 4]);
        flows.iter().for_each(|flow| table.change_set(*flow, Set::Bulk));
        assert_eq!(flows.map(|flow| table.loads().of(flow)), [3, 3, 3, 1]);
        table.change_set(flows[0], Set::Decaying);
        assert_eq!(flows.map(|flow| table.loads().of(flow)), [2, 2, 2, 1]);
        table.isolation = Isolation::Flows;
        assert_eq!(table.loads().of(flows[1]), 1);
    }

    #[test]
    fn a_collision_moves_the_queue_to_the_other_host() {
        let mut table = FlowTable::new(Isolation::DualSrcHost);
        for index in 0..8 {
            let place = table.find(rivals(index));
            table.change_set(place, Set::Bulk);
        }
        let before = table.sources.bulk.iter().map(|bulk| u32::from(*bulk)).sum::<u32>();
        let place = table.find(rivals(8));
        let after = table.sources.bulk.iter().map(|bulk| u32::from(*bulk)).sum::<u32>();
        assert_eq!((before, after), (8, 8));
        assert_eq!(table.loads().of(place), 1);
    }
}
