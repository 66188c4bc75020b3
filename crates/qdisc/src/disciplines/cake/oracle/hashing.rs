//! The tables of flows and hosts: `cake_hash`, `cake_inc_*_bulk_flow_count`,
//! `cake_dec_*_bulk_flow_count` and the load in `cake_get_flow_quantum`.

use alloc::vec;
use alloc::vec::Vec;

use proptest::prelude::*;

use super::super::flow_table::{FLOWS, FlowTable, Lookups, Set};
use super::super::isolation::{Hashes, Isolation};

/// The flows and hosts of a tin (`struct cake_tin_data`).
pub(super) struct Table {
    pub(super) isolation: Isolation,
    pub(super) sets: Vec<Set>,
    pub(super) lookups: Lookups,
    tags: Vec<u32>,
    sources: Hosts,
    destinations: Hosts,
}

/// The hosts on one side.
struct Hosts {
    tags: Vec<u32>,
    bulk_flows: Vec<u16>,
    /// The host of each flow.
    of_flow: Vec<usize>,
}

impl Table {
    pub(super) fn new(isolation: Isolation) -> Self {
        let hosts =
            || Hosts { tags: vec![0; FLOWS], bulk_flows: vec![0; FLOWS], of_flow: vec![0; FLOWS] };
        Self {
            isolation,
            sets: vec![Set::None; FLOWS],
            lookups: Lookups::default(),
            tags: vec![0; FLOWS],
            sources: hosts(),
            destinations: hosts(),
        }
    }

    /// `cake_hash` behind the computation of hashes.
    pub(super) fn find(&mut self, hashes: Hashes) -> usize {
        let direct = hashes.flow as usize % FLOWS;
        if self.tags[direct] == hashes.flow && self.sets[direct] != Set::None {
            return direct;
        }
        for (step, way) in ways(direct).into_iter().enumerate() {
            if self.tags[way] == hashes.flow {
                if step > 0 {
                    self.lookups.indirect_hits += 1;
                }
                if self.sets[way] == Set::None {
                    self.allocate(way, hashes);
                }
                return way;
            }
        }
        for way in ways(direct) {
            if self.sets[way] == Set::None {
                self.lookups.misses += 1;
                self.tags[way] = hashes.flow;
                self.allocate(way, hashes);
                return way;
            }
        }
        self.lookups.collisions += 1;
        self.tags[direct] = hashes.flow;
        if self.sets[direct] == Set::Bulk {
            self.discount(direct);
        }
        self.allocate(direct, hashes);
        if self.sets[direct] == Set::Bulk {
            self.count(direct);
        }
        direct
    }

    fn allocate(&mut self, flow: usize, hashes: Hashes) {
        for (hosts, hash) in self.sides().into_iter().zip([hashes.source, hashes.destination]) {
            let Some(hosts) = hosts else { continue };
            let direct = hash as usize % FLOWS;
            let known = ways(direct).into_iter().find(|way| hosts.tags[*way] == hash);
            let idle = ways(direct).into_iter().find(|way| hosts.bulk_flows[*way] == 0);
            let place = known.or(idle).unwrap_or(direct);
            hosts.tags[place] = hash;
            hosts.of_flow[flow] = place;
        }
    }

    /// Gives a flow another part in the turns.
    pub(super) fn change_set(&mut self, flow: usize, set: Set) {
        if self.sets[flow] == Set::Bulk && set != Set::Bulk {
            self.discount(flow);
        }
        if self.sets[flow] != Set::Bulk && set == Set::Bulk {
            self.count(flow);
        }
        self.sets[flow] = set;
    }

    fn count(&mut self, flow: usize) {
        for hosts in self.sides().into_iter().flatten() {
            let bulk_flows = &mut hosts.bulk_flows[hosts.of_flow[flow]];
            *bulk_flows = (*bulk_flows + 1).min(1024);
        }
    }

    fn discount(&mut self, flow: usize) {
        for hosts in self.sides().into_iter().flatten() {
            let bulk_flows = &mut hosts.bulk_flows[hosts.of_flow[flow]];
            *bulk_flows = bulk_flows.saturating_sub(1);
        }
    }

    /// The load by which a quantum is divided.
    pub(super) fn host_load(&mut self, flow: usize) -> u16 {
        let loads = self.sides().into_iter().flatten().map(|it| it.bulk_flows[it.of_flow[flow]]);
        loads.max().unwrap_or(1).max(1)
    }

    /// Sources and destinations, where they count (`cake_dsrc`, `cake_ddst`).
    fn sides(&mut self) -> [Option<&mut Hosts>; 2] {
        let by_source = [Isolation::DualSrcHost, Isolation::Triple].contains(&self.isolation);
        let by_destination = [Isolation::DualDstHost, Isolation::Triple].contains(&self.isolation);
        [by_source.then_some(&mut self.sources), by_destination.then_some(&mut self.destinations)]
    }
}

/// The eight places of a set from this one on, in a circle.
fn ways(direct: usize) -> [usize; 8] {
    core::array::from_fn(|way| direct / 8 * 8 + (direct + way) % 8)
}

/// An event of the table.
#[derive(Clone, Debug)]
enum Event {
    Arrive(Hashes),
    /// Another part for one of the flows that arrived.
    Change(prop::sample::Index, Set),
    Isolate(Isolation),
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    // Three sets of flows, and three of hosts, each with more than eight that ask for it.
    let hash = (0_u32..24, 0_u32..5).prop_map(|(place, more)| place + 1024 * more);
    let hashes = (hash.clone(), hash.clone(), hash)
        .prop_map(|(flow, source, destination)| Hashes { flow, source, destination });
    let sets = [Set::None, Set::Sparse, Set::SparseWait, Set::Bulk, Set::Bulk, Set::Decaying];
    let isolations = Isolation::NAMES.map(|(_, isolation)| isolation);
    prop::collection::vec(
        prop_oneof![
            60 => hashes.prop_map(Event::Arrive),
            60 => (any::<prop::sample::Index>(), prop::sample::select(sets.to_vec()))
                .prop_map(|(flow, set)| Event::Change(flow, set)),
            1 => prop::sample::select(isolations.to_vec()).prop_map(Event::Isolate),
        ],
        1..800,
    )
}

/// Runs the events through both tables, and returns how packets found their queues.
fn compare(isolation: Isolation, events: &[Event]) -> Result<Lookups, TestCaseError> {
    let (mut ours, mut literal) = (FlowTable::new(isolation), Table::new(isolation));
    let mut arrived = vec![0];
    for event in events {
        match event {
            Event::Arrive(hashes) => {
                let place = literal.find(*hashes);
                prop_assert_eq!(ours.find(*hashes), place);
                arrived.push(place);
            }
            Event::Change(index, set) => {
                let flow = *index.get(&arrived);
                ours.change_set(flow, *set);
                literal.change_set(flow, *set);
            }
            Event::Isolate(isolation) => {
                ours.isolation = *isolation;
                literal.isolation = *isolation;
            }
        }
        prop_assert_eq!(ours.lookups, literal.lookups);
        for flow in arrived.iter().copied() {
            prop_assert_eq!(ours.loads().of(flow), literal.host_load(flow), "flow {}", flow);
        }
    }
    Ok(literal.lookups)
}

proptest! {
    #[test]
    fn flows_and_hosts_find_their_places(
        isolation in prop::sample::select(Isolation::NAMES.map(|(_, it)| it).to_vec()),
        events in events(),
    ) {
        compare(isolation, &events)?;
    }
}

/// The comparison above is meaningful: sets fill up, and flows and hosts share places.
#[test]
fn histories_hit_miss_and_collide() {
    let mut rng = units::Rng::new(1);
    let mut hash = || (rng.below(24) + 1024 * rng.below(5)) as u32;
    let mut table = Table::new(Isolation::Triple);
    for _ in 0..1000 {
        let place = table.find(Hashes { flow: hash(), source: hash(), destination: hash() });
        table.change_set(place, Set::Bulk);
    }
    let Lookups { indirect_hits, misses, collisions } = table.lookups;
    assert!(misses == 24 && indirect_hits > 0 && collisions > 100, "{:?}", table.lookups);
    assert!((0..24).any(|flow| table.host_load(flow) > 1));
}

/// A host has no more bulk flows than a tin has flows, whatever isolation was meanwhile
/// (`cake_inc_srchost_bulk_flow_count`).
#[test]
fn bulk_flows_that_were_forgotten_are_not_counted_for_ever() {
    let mut table = FlowTable::new(Isolation::Triple);
    for _ in 0..70 {
        table.isolation = Isolation::Triple;
        let flows: Vec<_> =
            (0..1024).map(|flow| table.find(Hashes { flow, source: 1, destination: 1 })).collect();
        flows.iter().for_each(|flow| table.change_set(*flow, Set::Bulk));
        table.isolation = Isolation::Flows;
        flows.iter().for_each(|flow| table.change_set(*flow, Set::None));
    }
    table.isolation = Isolation::Triple;
    let flow = table.find(Hashes { flow: 0, source: 1, destination: 1 });
    assert_eq!(table.loads().of(flow), 1024);
}
