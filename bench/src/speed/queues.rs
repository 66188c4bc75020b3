//! The cost of one packet in a queue discipline alone.

use std::hint::black_box;

use qdisc::{
    Dequeued, Discipline, Ecn, Flow, Headers, Hosts, LinkInfo, Packet, Qdisc, QdiscSpec, Visitor,
};
use serde::Serialize;
use units::{Bytes, Rate, Rng, Span, Time};

use crate::machine;
use crate::table::Table;

/// The meaning of the columns.
pub(crate) const LEGEND: &str = "\
ns per packet that is enqueued and dequeued or dropped; packets of 16 flows; settings as they are \
by default.\n\
calm: 100 packets wait at first, and one comes for each that leaves, one in a microsecond. \
overloaded: one leaves in 1200 us, and twice as many come.\n\
any: the same discipline chosen at run time (AnyQdisc).";

/// Packets in one timed batch.
const BATCH: u32 = 1_000_000;
/// The number of batches, of which the best counts.
const BATCHES: u32 = 5;
/// The length of a packet.
pub(super) const LEN: Bytes = Bytes(1514);

/// A packet as small as it can be.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    flow: u32,
    len: u32,
    source: u16,
    ecn: Ecn,
}

impl Packet for Frame {
    type Store = ();

    fn len(&self) -> Bytes {
        Bytes(u64::from(self.len))
    }

    fn ecn(&self) -> Ecn {
        self.ecn
    }

    fn set_ce(&mut self) {
        self.ecn = Ecn::Ce;
    }
}

impl Flow for Frame {
    fn flow_hash(&self, salt: u64) -> u32 {
        // Multiplicative hashing with the golden ratio.
        ((u64::from(self.flow) ^ salt).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32
    }
}

impl Headers for Frame {
    /// Each flow goes to another host.
    fn hosts(&self, _store: &()) -> Hosts {
        Hosts { source: self.source.into(), destination: self.flow.into() }
    }
}

/// A pattern of arrivals and departures.
#[derive(Clone, Copy)]
pub(super) struct Load {
    /// The time between departures.
    pub(super) step: Span,
    /// The rate of the link that takes so long for a packet, to which some queues adapt.
    pub(super) rate: Rate,
    pub(super) arrivals_per_departure: u32,
    /// The packets that wait at first.
    pub(super) standing: u64,
    /// The number of flows, each of which sends a packet in turn.
    pub(super) flows: u32,
    /// The number of flows that come from one host.
    pub(super) flows_per_host: u32,
}

pub(super) const CALM: Load = Load {
    step: Span::from_micros(1),
    rate: Rate::from_mbit(12_112),
    arrivals_per_departure: 1,
    standing: 100,
    flows: 16,
    flows_per_host: 16,
};
pub(super) const OVERLOADED: Load = Load {
    step: Span::from_micros(1200),
    rate: Rate::from_mbit(10),
    arrivals_per_departure: 2,
    ..CALM
};

/// The cost of one discipline, in ns a packet.
#[derive(Serialize)]
pub(crate) struct QueueCost {
    queue: &'static str,
    calm_ns: f64,
    calm_any_ns: f64,
    overloaded_ns: f64,
    overloaded_any_ns: f64,
}

/// Measures every discipline.
pub(crate) fn measure() -> Vec<QueueCost> {
    let mut costs = Costs(Vec::new());
    QdiscSpec::visit_kinds(&mut costs);
    costs.0
}

struct Costs(Vec<QueueCost>);

impl Visitor for Costs {
    fn visit<D: Discipline>(&mut self) {
        let link = |load: Load| LinkInfo::new(load.rate, LEN);
        let known = |load| best(|| D::default().build(link(load), Rng::new(1)), load);
        let spec: QdiscSpec = D::SHORTEST.parse().expect("a kind knows its own words");
        let any = |load| best(|| spec.build(link(load), Rng::new(1)), load);
        self.0.push(QueueCost {
            queue: D::SHORTEST,
            calm_ns: known(CALM),
            calm_any_ns: any(CALM),
            overloaded_ns: known(OVERLOADED),
            overloaded_any_ns: any(OVERLOADED),
        });
    }
}

/// The ns a packet in the best batch.
fn best<Q: Qdisc<Frame>>(make: impl Fn() -> Q, load: Load) -> f64 {
    (0..BATCHES).map(|_| batch(make(), load)).fold(f64::INFINITY, f64::min)
}

/// The ns a packet in one batch.
pub(super) fn batch<Q: Qdisc<Frame>>(mut queue: Q, load: Load) -> f64 {
    let mut now = Time::ZERO;
    let mut offered = 0;
    let mut offer = |queue: &mut Q, now: Time| {
        let flow = offered % load.flows;
        let source = (flow / load.flows_per_host) as u16;
        let frame = Frame { flow, len: LEN.0 as u32, source, ecn: Ecn::NotEct };
        queue.enqueue(black_box(frame), now, &mut ());
        offered += 1;
    };
    while queue.backlog().packets < load.standing {
        offer(&mut queue, now);
    }
    let started = machine::cpu_s();
    for _ in 0..BATCH / load.arrivals_per_departure {
        for _ in 0..load.arrivals_per_departure {
            offer(&mut queue, now);
        }
        if let Dequeued::Packet { packet, .. } = queue.dequeue(now, &mut ()) {
            black_box(packet);
        }
        now += load.step;
    }
    (machine::cpu_s() - started) * 1e9 / f64::from(BATCH)
}

/// The costs side by side.
pub(crate) fn table(costs: &[QueueCost]) -> Table {
    let headings = ["queue", "calm ns", "any ns", "x pfifo", "overloaded ns", "any ns", "x pfifo"];
    let mut table = Table::new(1, &headings);
    let Some(first) = costs.first() else { return table };
    for cost in costs {
        table.row(vec![
            cost.queue.into(),
            format!("{:.1}", cost.calm_ns),
            format!("{:.1}", cost.calm_any_ns),
            format!("{:.1}", cost.calm_ns / first.calm_ns),
            format!("{:.1}", cost.overloaded_ns),
            format!("{:.1}", cost.overloaded_any_ns),
            format!("{:.1}", cost.overloaded_ns / first.overloaded_ns),
        ]);
    }
    table
}
