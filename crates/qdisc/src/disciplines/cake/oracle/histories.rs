//! Random histories through our queue and the literal one, side by side.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use proptest::prelude::*;
use units::{Bytes, Rate, Rng, Span, Time};

use super::super::flow_table::Set;
use super::super::{Cake, CakeStats, TinStats};
use super::parcel::Parcel;
use super::queue::{Drops, Literal, Outcome};
use crate::{Cause, Dequeued, Dscp, Ecn, LinkInfo, Qdisc, QdiscSpec, Signals};

/// Settings; those of a line are changed into each other while packets wait.
pub(super) const SETTINGS: &[[&str; 3]] = &[
    [
        "besteffort bandwidth 60mbit rtt 4ms",
        "besteffort bandwidth 100mbit rtt 2ms dual-srchost ack-filter",
        "besteffort bandwidth 80mbit rtt 4ms dual-dsthost ingress memlimit 40kb",
    ],
    [
        "diffserv3 bandwidth 100mbit rtt 4ms ack-filter-aggressive memlimit 60kb",
        "diffserv3 bandwidth 50mbit rtt 8ms ingress hosts",
        "diffserv3 rtt 4ms dual-srchost",
    ],
    ["diffserv4 rtt 3ms", "diffserv4 rtt 3ms flows memlimit 50kb", "diffserv4 srchost ack-filter"],
    [
        "diffserv8 bandwidth 100mbit rtt 4ms dual-dsthost ingress",
        "diffserv8 memlimit 30kb dsthost",
        "diffserv8 bandwidth 60mbit rtt 2ms ack-filter memlimit 100kb",
    ],
    [
        "precedence bandwidth 200mbit rtt 1ms",
        "precedence flowblind rtt 4ms ack-filter",
        "precedence rtt 1ms ingress",
    ],
];

#[derive(Clone, Copy, Debug)]
pub(super) enum Event {
    Pass(Span),
    Arrive(Parcel),
    Depart,
    /// The settings of another column come into force.
    Change(usize),
}

pub(super) fn cake(text: &str, seed: u64) -> Cake<Parcel> {
    match format!("cake {text}").parse().unwrap() {
        QdiscSpec::Cake(spec) => {
            Cake::new(spec, LinkInfo::new(Rate::from_mbit(1000), Bytes(1514)), Rng::new(seed))
        }
        other => panic!("{other}"),
    }
}

/// What happened to packets besides that they were sent.
#[derive(Default)]
struct Log(Drops);

impl Signals<Parcel> for Log {
    fn dropped(&mut self, packet: Parcel, cause: Cause, _now: Time) {
        self.0.push((packet.id, cause));
    }

    fn marked(&mut self, _packet: &Parcel, _cause: Cause, _now: Time) {}

    fn store(&self) -> &() {
        &()
    }
}

/// Our queue and the literal one.
struct Both {
    settings: [&'static str; 3],
    seed: u64,
    ours: Cake<Parcel>,
    literal: Literal,
    now: Time,
}

impl Both {
    fn new(settings: [&'static str; 3], seed: u64) -> Self {
        let ours = cake(settings[0], seed);
        let literal = Literal::new(&ours, Rng::new(seed));
        Self { settings, seed, ours, literal, now: Time::ZERO }
    }

    /// Lets the event happen in both. The error tells what differs.
    fn step(&mut self, event: Event) -> Result<(), String> {
        let mut log = Log::default();
        match event {
            Event::Pass(span) => self.now += span,
            Event::Arrive(packet) => {
                self.ours.enqueue(packet, self.now, &mut log);
                let victims = log.0.iter().filter(|(_, cause)| *cause == Cause::Overflow);
                let victims: Vec<u32> = victims.map(|(id, _)| *id).collect();
                same("drops", &log.0, &self.literal.enqueue(packet, self.now, &victims))?;
            }
            Event::Depart => {
                let outcome = match self.ours.dequeue(self.now, &mut log) {
                    Dequeued::Packet { packet, .. } => {
                        Outcome::Sent { id: packet.id, ecn: packet.ecn }
                    }
                    Dequeued::NotBefore(time) => Outcome::NotBefore(time.as_nanos()),
                    Dequeued::Empty => Outcome::Empty,
                };
                same("departure", &(outcome, log.0), &self.literal.dequeue(self.now))?;
            }
            Event::Change(column) => {
                let like = cake(self.settings[column], self.seed);
                self.ours.change(like, self.now, &mut log).map_err(|error| format!("{error}"))?;
                self.literal.configure(&self.ours);
            }
        }
        self.compare()
    }

    /// Compares what `tc -s qdisc show` would print.
    fn compare(&self) -> Result<(), String> {
        let stats = CakeStats::of(&self.ours);
        same("overlimits", &stats.overlimits, &self.literal.overlimits)?;
        for (place, ours) in stats.tins.iter().enumerate() {
            let tin = self.literal.tin_in_order(place);
            let lookups = tin.table.lookups;
            let literal = TinStats {
                backlog_bytes: Bytes(tin.bytes()),
                way_indirect_hits: lookups.indirect_hits,
                way_misses: lookups.misses,
                way_collisions: lookups.collisions,
                drops: tin.drops,
                ecn_mark: tin.marks,
                ack_drops: tin.ack_drops,
                sparse_flows: tin.count(&[Set::Sparse, Set::SparseWait, Set::Decaying]),
                bulk_flows: tin.count(&[Set::Bulk]),
                unresponsive_flows: tin.unresponsive(),
                ..*ours
            };
            same("tin", ours, &literal)?;
        }
        Ok(())
    }
}

fn same<T: PartialEq + core::fmt::Debug>(what: &str, ours: &T, literal: &T) -> Result<(), String> {
    if ours == literal { Ok(()) } else { Err(format!("{what}: {ours:?}, not {literal:?}")) }
}

/// Phases with few or with many flows, of overload and of relief.
pub(super) fn history(seed: u64) -> Vec<Event> {
    let (mut rng, mut events) = (Rng::new(seed), vec![]);
    let mut id = 0;
    for _ in 0..2 + rng.below(4) {
        let (flows, arrivals, longest) = (1 + rng.below(48), 20 + rng.below(60), rng.below(1400));
        for _ in 0..rng.below(500) {
            events.push(match rng.below(1000) {
                0..3 => Event::Change(rng.below(3) as usize),
                3..10 => Event::Pass(Span::from_micros(rng.below(20_000))),
                10..150 => Event::Pass(Span::from_nanos(rng.below(300_000))),
                it if it < 150 + 8 * arrivals => {
                    id += 1;
                    Event::Arrive(parcel(id, rng.below(flows) as u8, longest, &mut rng))
                }
                _ => Event::Depart,
            });
        }
    }
    events
}

/// A packet of a flow. A part of the flows has several code points, some flows understand ECN, and
/// some are acknowledgements.
fn parcel(id: u32, flow: u8, longest: u64, rng: &mut Rng) -> Parcel {
    let dscps = [0, 8, 46, 1, 34, 48, 18, 0];
    let is_ack = flow.is_multiple_of(7);
    Parcel {
        id,
        flow,
        len: if is_ack { 66 } else { 64 + rng.below(1 + longest) as u32 },
        dscp: Dscp::from_bits(dscps[usize::from(flow) / 3 % 8]),
        ecn: if flow.is_multiple_of(3) { Ecn::Ect0 } else { Ecn::NotEct },
        ack: is_ack.then(|| 100 * (id / 2)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn every_decision_is_that_of_linux(
        settings in prop::sample::select(SETTINGS.to_vec()),
        seed in any::<u64>(),
    ) {
        let mut both = Both::new(settings, seed);
        for (number, event) in history(seed).into_iter().enumerate() {
            if let Err(difference) = both.step(event) {
                prop_assert!(false, "{number}, {event:?}: {difference}");
            }
        }
    }
}

/// The comparison above is meaningful: its histories take every path.
#[test]
fn histories_take_every_path() {
    let mut sums = TinStats::default();
    for (settings, seed) in SETTINGS.iter().cycle().zip(0..30) {
        let mut both = Both::new(*settings, seed);
        history(seed).into_iter().for_each(|event| both.step(event).unwrap());
        for tin in CakeStats::of(&both.ours).tins {
            sums.way_indirect_hits += tin.way_indirect_hits;
            sums.way_collisions += tin.way_collisions;
            sums.drops += tin.drops;
            sums.ecn_mark += tin.ecn_mark;
            sums.ack_drops += tin.ack_drops;
            sums.bulk_flows += tin.bulk_flows;
            sums.unresponsive_flows += tin.unresponsive_flows;
        }
    }
    assert!(sums.way_indirect_hits > 100 && sums.way_collisions > 20, "{sums:?}");
    assert!(sums.drops > 100 && sums.ecn_mark > 100 && sums.ack_drops > 100, "{sums:?}");
    assert!(sums.bulk_flows > 20 && sums.unresponsive_flows > 0, "{sums:?}");
}
