//! The cost of one packet in a queue discipline alone.

use std::hint::black_box;

use qdisc::aqm::{
    Blue, BlueParameters, CoDel, CoDelParameters, Cobalt, CobaltParameters, Pie, PieParameters,
    Red, RedParameters, TailDrop,
};
use qdisc::{
    AnyQdisc, Dequeued, Ecn, Fifo, Flow, FlowQueueParameters, FqCoDel, FqCobalt, Limit, Packet,
    Qdisc, Sfb, SfbParameters,
};
use serde::Serialize;
use units::{Bytes, Rng, Span, Time};

use crate::machine;
use crate::table::Table;

/// The meaning of the columns.
pub(crate) const LEGEND: &str = "\
ns per packet that is enqueued and dequeued or dropped; packets of 16 flows.\n\
calm: 100 packets always wait, for 0.1 ms, so nothing is dropped. overloaded: at 1200 us a packet \
twice as many come as can leave.\n\
any: the same discipline chosen at run time (AnyQdisc).";

/// Packets in one timed batch.
const BATCH: u32 = 1_000_000;
/// The number of batches, of which the best counts.
const BATCHES: u32 = 5;
/// The packets that wait under the calm load.
const STANDING: u64 = 100;
const FLOWS: u32 = 16;

/// A packet as small as it can be.
#[derive(Clone, Copy)]
struct Frame {
    flow: u32,
    len: u32,
    ecn: Ecn,
}

impl Packet for Frame {
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

/// A pattern of arrivals and departures.
#[derive(Clone, Copy)]
struct Load {
    /// The time between departures.
    step: Span,
    arrivals_per_departure: u32,
}

const CALM: Load = Load { step: Span::from_micros(1), arrivals_per_departure: 1 };
const OVERLOADED: Load = Load { step: Span::from_micros(1200), arrivals_per_departure: 2 };

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
    let limit = Limit::packets(1000);
    let rng = || Rng::new(1);
    vec![
        cost("pfifo", || Fifo::new(limit, TailDrop)),
        cost("red", || {
            // Thresholds above the calm load's backlog.
            let thresholds = RedParameters { min: 200.0, max: 600.0, ..RedParameters::default() };
            Fifo::new(limit, Red::new(thresholds, rng()))
        }),
        cost("blue", || Fifo::new(limit, Blue::new(BlueParameters::default(), rng()))),
        cost("codel", || Fifo::new(limit, CoDel::new(CoDelParameters::default()))),
        cost("pie", || Fifo::new(limit, Pie::new(PieParameters::default(), rng()))),
        cost("fq_codel", || {
            let codel = CoDel::new(CoDelParameters::default());
            FqCoDel::new(FlowQueueParameters::default(), codel, rng())
        }),
        cost("cobalt", || Fifo::new(limit, Cobalt::new(CobaltParameters::default(), rng()))),
        cost("fq_cobalt", || {
            let cobalt = Cobalt::new(CobaltParameters::default(), rng());
            FqCobalt::new(FlowQueueParameters::default(), cobalt, rng())
        }),
        cost("sfb", || {
            // As for red.
            let parameters =
                SfbParameters { limit: 1000, target: 200, max: 250, ..SfbParameters::default() };
            Sfb::new(parameters, rng())
        }),
    ]
}

fn cost<Q>(queue: &'static str, make: impl Fn() -> Q) -> QueueCost
where
    Q: Qdisc<Frame> + Into<AnyQdisc<Frame>>,
{
    let any = || -> AnyQdisc<Frame> { make().into() };
    QueueCost {
        queue,
        calm_ns: best(&make, CALM),
        calm_any_ns: best(any, CALM),
        overloaded_ns: best(&make, OVERLOADED),
        overloaded_any_ns: best(any, OVERLOADED),
    }
}

/// The ns a packet in the best batch.
fn best<Q: Qdisc<Frame>>(make: impl Fn() -> Q, load: Load) -> f64 {
    (0..BATCHES).map(|_| batch(make(), load)).fold(f64::INFINITY, f64::min)
}

fn batch<Q: Qdisc<Frame>>(mut queue: Q, load: Load) -> f64 {
    let mut now = Time::ZERO;
    let mut offered = 0;
    let mut offer = |queue: &mut Q, now: Time| {
        let frame = Frame { flow: offered % FLOWS, len: 1514, ecn: Ecn::NotEct };
        queue.enqueue(black_box(frame), now, &mut ());
        offered += 1;
    };
    while queue.backlog().packets < STANDING {
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
