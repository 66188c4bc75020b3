//! The predicted wait of a packet of a new flow, compared with the wait of a real one.
//!
//! A random load goes through each discipline. At random times the link is asked for its
//! prediction; then a copy of it gets a packet of a new flow, and no other, until that packet
//! leaves.

use link::{Capacity, Link, LinkSignals, Schedule, Trace, Wire};
use qdisc::{Cause, Ecn, Flow, Headers, LinkInfo, Packet, QdiscSpec, Signals};
use units::{Bytes, Rate, Rng, Span, Time};

/// A packet of the load, or the probe.
#[derive(Clone, Copy, Debug)]
struct Item {
    flow: u32,
    len: u64,
}

/// The probe, of a flow that is not in the load.
const PROBE: Item = Item { flow: 1_000_003, len: 64 };

impl Packet for Item {
    type Store = ();

    fn len(&self) -> Bytes {
        Bytes(self.len)
    }
    fn ecn(&self) -> Ecn {
        Ecn::NotEct
    }
    fn set_ce(&mut self) {}
}

impl Flow for Item {
    fn flow_hash(&self, salt: u64) -> u32 {
        ((salt ^ u64::from(self.flow)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32
    }
}

impl Headers for Item {}

/// The fate of the probe, and the drops meanwhile.
#[derive(Default)]
struct Fate {
    waited: Option<Span>,
    drops: u64,
    is_dropped: bool,
}

impl Signals<Item> for Fate {
    fn dropped(&mut self, packet: Item, _: Cause, _: Time) {
        self.drops += 1;
        self.is_dropped |= packet.flow == PROBE.flow;
    }
    fn marked(&mut self, _: &Item, _: Cause, _: Time) {}

    fn store(&self) -> &() {
        &()
    }
}

impl LinkSignals<Item> for Fate {
    fn departed(&mut self, packet: &Item, sojourn: Span, _: Time) {
        if packet.flow == PROBE.flow {
            self.waited = Some(sojourn);
        }
    }
    fn lost(&mut self, _: Item, _: Time) {}
}

type Bottleneck = Link<Item, qdisc::AnyQdisc<Item>>;

/// Sends the packets that are due before `now`.
fn catch_up(link: &mut Bottleneck, now: Time, fate: &mut Fate) {
    while let Some(due) = link.next_departure().filter(|due| *due < now) {
        link.serve(due, fate);
    }
    while link.take_delivery(now).is_some() {}
}

/// The fate of a packet of a new flow on a copy of the link.
fn probe(link: &Bottleneck, now: Time) -> Fate {
    let mut link = link.clone();
    let mut fate = Fate::default();
    link.offer(PROBE, now, &mut fate);
    while fate.waited.is_none() && !fate.is_dropped {
        let due = link.next_departure().expect("the probe waits");
        link.serve(due, &mut fate);
    }
    fate
}

/// Loads the link with 12 flows at about its rate, and asks and probes in between. Returns the
/// number of comparisons.
fn compare(spec: &str, wire: &Wire, rate: Rate, seed: u64) -> u32 {
    let environment = LinkInfo::new(rate, Bytes(1500));
    let queue = spec.parse::<QdiscSpec>().unwrap().build(environment, Rng::new(seed));
    let mut link = Link::new(queue, wire.clone(), Rng::new(seed));
    let mut rng = Rng::new(seed + 1);
    let (mut now, mut compared) = (Time::ZERO, 0);
    for _ in 0..4000 {
        // Bursts of up to 16 packets; on average what the wire carries.
        let burst = 1 + rng.next_u64() % 16;
        let spread = Bytes(burst * 780) / rate;
        now += Span::from_nanos(rng.next_u64() % (2 * spread.as_nanos()));
        catch_up(&mut link, now, &mut Fate::default());
        for _ in 0..burst {
            let item = Item { flow: (rng.next_u64() % 12) as u32, len: 60 + rng.next_u64() % 1440 };
            link.offer(item, now, &mut Fate::default());
        }
        now += Span::from_nanos(1 + rng.next_u64() % spread.as_nanos());
        catch_up(&mut link, now, &mut Fate::default());
        let answer = link.new_flow_wait(now);
        let fate = probe(&link, now);
        let Some(waited) = fate.waited else { continue };
        if fate.drops == 0 {
            // The limit allows for a nanosecond for each packet, since each end is rounded to one.
            let error = waited.saturating_sub(answer).max(answer.saturating_sub(waited));
            assert!(error <= Span::from_micros(1), "{spec}: {answer} said, {waited} waited");
            compared += 1;
        } else {
            // Drops ahead of the probe make its wait shorter. But if the head of a flow's queue is
            // dropped, the flow's next packet is sent, which may be longer.
            let longer = Bytes(1500 * fate.drops) / rate;
            assert!(waited <= answer + longer, "{spec}: {answer} < {waited}");
        }
    }
    compared
}

/// Every kind of queue with room for 100 packets, and variants of some.
fn queues() -> Vec<String> {
    let room = |text| QdiscSpec::with_room(text, 100, Bytes(1500)).unwrap().to_string();
    let kinds = QdiscSpec::KINDS.iter().map(|kind| kind.shortest);
    let variants = [
        "pfifo headdrop",
        "fq_codel quantum 300",
        "red min 20000 max 60000",
        "cake bandwidth 8mbit besteffort pppoe-llcsnap",
    ];
    kinds.chain(variants).map(room).collect()
}

#[test]
fn every_discipline_knows_what_is_ahead_of_a_new_flow() {
    let rate = Rate::from_mbit(10);
    let wire = Wire { capacity: Capacity::Constant(rate), ..Wire::default() };
    for queue in queues() {
        let compared = compare(&queue, &wire, rate, 7);
        assert!(compared > 1500, "{queue}: only {compared}");
    }
}

#[test]
fn whatever_keeps_the_rate() {
    let rate = Rate::from_mbit(10);
    let schedule = (0..50).map(|step| {
        let mbit = if step % 2 == 0 { 15 } else { 5 };
        (Time::from_millis(100 * step), Rate::from_mbit(mbit))
    });
    let schedule = Schedule::new(schedule.collect()).unwrap();
    // 1500 bytes every 1.2 ms on average.
    let lines: Vec<String> = (1..=1000).map(|n| (n * 6 / 5).to_string()).collect();
    let trace = Trace::parse(&lines.join("\n")).unwrap();
    let wires = [
        Wire { capacity: Capacity::Scheduled(schedule), ..Wire::default() },
        Wire { capacity: Capacity::Traced(trace), ..Wire::default() },
        Wire { capacity: Capacity::Constant(rate), shaper: Some(Bytes(6000)), ..Wire::default() },
    ];
    for wire in wires {
        for queue in ["pfifo limit 100", "fq_codel"] {
            let compared = compare(queue, &wire, rate, 3);
            assert!(compared > 1500, "{queue}, {wire:?}: only {compared}");
        }
    }
}
