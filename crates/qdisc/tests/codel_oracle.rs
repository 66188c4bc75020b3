//! CoDel against a slow and literal transcription of the loops that were published: RFC 8289
//! section 5, the paper's appendix, the first draft, and Linux with its marks.

mod support;

use std::collections::VecDeque;

use proptest::prelude::*;
use qdisc::disciplines::codel::{CoDel, CoDelParameters, CoDelVariant};
use qdisc::history::{Fates, Probe, run};
use qdisc::{Cause, Ecn, Fifo, Limit, Packet};
use support::{Literal, phases};
use units::{Bytes, Time};

const TARGET: i64 = 5_000_000;
const INTERVAL: i64 = 100_000_000;
const MTU: i64 = 1500;

/// One queue, all times in nanoseconds since the start.
struct Oracle {
    variant: CoDelVariant,
    ecn: bool,
    /// The resolution of the clock.
    tick: i64,
    packets: VecDeque<(i64, Probe)>,
    bytes: i64,
    first_above_time: i64,
    drop_next: i64,
    count: i64,
    lastcount: i64,
    rec_inv_sqrt: u64,
    dropping: bool,
    outcome: Fates,
}

impl Oracle {
    fn new(variant: CoDelVariant, ecn: bool, tick: i64) -> Self {
        Self {
            variant,
            ecn,
            tick,
            packets: VecDeque::new(),
            bytes: 0,
            first_above_time: 0,
            drop_next: 0,
            count: 0,
            lastcount: 0,
            rec_inv_sqrt: 0,
            dropping: false,
            outcome: Fates::default(),
        }
    }

    fn ticks(&self, nanos: i64) -> i64 {
        nanos / self.tick
    }

    fn control_law(&self, t: i64) -> i64 {
        if self.variant == CoDelVariant::Linux {
            return t + ((self.ticks(INTERVAL) as u64 * (self.rec_inv_sqrt << 16)) >> 32) as i64;
        }
        t + (self.ticks(INTERVAL) as f64 / (self.count as f64).sqrt()).round() as i64
    }

    fn newton_step(&mut self) {
        let invsqrt = self.rec_inv_sqrt << 16;
        let invsqrt2 = (invsqrt * invsqrt) >> 32;
        let val = (3_u64 << 32).wrapping_sub(self.count as u64 * invsqrt2) >> 2;
        self.rec_inv_sqrt = ((val.wrapping_mul(invsqrt) >> 31) & 0xffff_ffff) >> 16;
    }

    fn dodequeue(&mut self, now: i64) -> (Option<Probe>, bool) {
        let Some((stamp, packet)) = self.packets.pop_front() else {
            self.first_above_time = 0;
            return (None, false);
        };
        self.bytes -= packet.len.0 as i64;
        let sojourn = self.ticks(now) - self.ticks(stamp);
        let few = match self.variant {
            CoDelVariant::Paper2012 => self.bytes < MTU,
            _ => self.bytes <= MTU,
        };
        let mut ok = false;
        if sojourn < self.ticks(TARGET) || few {
            self.first_above_time = 0;
        } else if self.first_above_time == 0 {
            self.first_above_time = self.ticks(now) + self.ticks(INTERVAL);
        } else if self.variant == CoDelVariant::Linux {
            ok = self.ticks(now) > self.first_above_time;
        } else {
            ok = self.ticks(now) >= self.first_above_time;
        }
        (Some(packet), ok)
    }

    /// Marks the packet, or drops it and takes the next.
    fn signal(&mut self, mut packet: Probe, now: i64) -> Result<Probe, (Option<Probe>, bool)> {
        if self.ecn && packet.ecn.is_capable() {
            packet.set_ce();
            self.outcome.marked.push((Time::from_nanos(now as u64), packet, Cause::Congestion));
            return Ok(packet);
        }
        self.outcome.dropped.push((Time::from_nanos(now as u64), packet, Cause::Congestion));
        Err(self.dodequeue(now))
    }

    fn dequeue(&mut self, now: i64) -> Option<Probe> {
        let time = self.ticks(now);
        let (packet, mut ok) = self.dodequeue(now);
        let Some(mut packet) = packet else {
            self.dropping = false;
            return None;
        };
        if self.dropping {
            if !ok {
                self.dropping = false;
            }
            while self.dropping && time >= self.drop_next {
                self.count += 1;
                self.newton_step();
                let (next, next_ok) = match self.signal(packet, now) {
                    Ok(marked) => {
                        self.drop_next = self.control_law(self.drop_next);
                        return Some(marked);
                    }
                    Err(next) => next,
                };
                ok = next_ok;
                if ok {
                    self.drop_next = self.control_law(self.drop_next);
                } else {
                    self.dropping = false;
                }
                packet = next?;
            }
            return Some(packet);
        }
        if !ok || !self.enters(time) {
            return Some(packet);
        }
        let first = self.signal(packet, now);
        self.enter(time);
        match first {
            Ok(marked) => Some(marked),
            Err((next, _)) => next,
        }
    }

    /// Only the paper requires more than `ok`.
    fn enters(&self, time: i64) -> bool {
        // The second check on entry may clear it, so it is read before.
        self.variant != CoDelVariant::Paper2012
            || time - self.drop_next < self.ticks(INTERVAL)
            || time - self.first_above_time >= self.ticks(INTERVAL)
    }

    fn enter(&mut self, time: i64) {
        self.dropping = true;
        let since = time - self.drop_next;
        let interval = self.ticks(INTERVAL);
        match self.variant {
            CoDelVariant::Rfc8289 | CoDelVariant::Linux => {
                let delta = self.count - self.lastcount;
                self.count = 1;
                if delta > 1 && since < 16 * interval {
                    self.count = delta;
                    self.newton_step();
                } else {
                    self.rec_inv_sqrt = 65_535;
                }
                self.lastcount = self.count;
            }
            CoDelVariant::Paper2012 => {
                let recent = since < interval;
                self.count = if recent && self.count > 2 { self.count - 2 } else { 1 };
            }
            CoDelVariant::Draft01 => {
                let recent = since < 8 * interval;
                self.count = if recent && self.count > 2 { self.count - 2 } else { 1 };
            }
            other => panic!("{other:?} is not transcribed"),
        }
        self.drop_next = self.control_law(time);
    }

    fn departs(&mut self, now: i64) -> bool {
        let packet = self.dequeue(now);
        self.outcome.sent.extend(packet.map(|packet| (Time::from_nanos(now as u64), packet)));
        packet.is_some()
    }
}

impl Literal for Oracle {
    fn arrive(&mut self, packet: Probe, now: Time) {
        self.bytes += packet.len.0 as i64;
        self.packets.push_back((now.as_nanos() as i64, packet));
    }

    fn depart(&mut self, now: Time) -> bool {
        self.departs(now.as_nanos() as i64)
    }

    fn outcome(self) -> Fates {
        self.outcome
    }
}

fn parameters(variant: CoDelVariant, ecn: bool) -> CoDelParameters {
    let mut parameters = CoDelParameters::default();
    parameters.mtu = Bytes(MTU as u64);
    parameters.variant = variant;
    parameters.ecn = ecn;
    parameters
}

const VARIANTS: [CoDelVariant; 4] =
    [CoDelVariant::Rfc8289, CoDelVariant::Linux, CoDelVariant::Paper2012, CoDelVariant::Draft01];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn codel_is_the_published_loop(seed in any::<u64>(), ecn in any::<bool>()) {
        let history = phases(seed);
        for variant in VARIANTS {
            let unlimited = Limit { packets: u64::MAX, bytes: Bytes::MAX };
            let mut queue = Fifo::new(unlimited, CoDel::new(parameters(variant, ecn)));
            let ours = run(&mut queue, &history).unwrap();
            let tick = if variant == CoDelVariant::Linux { 1024 } else { 1 };
            let literal = Oracle::new(variant, ecn, tick).run(&history);
            prop_assert!(ours == literal, "{variant:?} differs under seed {seed}");
        }
    }
}

/// The comparison above is meaningful: drops and marks are frequent in every variant.
#[test]
fn the_histories_provoke_signals() {
    for variant in VARIANTS {
        let outcomes = (0..40).map(|seed| Oracle::new(variant, true, 1).run(&phases(seed)));
        let (dropped, marked) = outcomes.fold((0, 0), |(dropped, marked), outcome| {
            (dropped + outcome.dropped.len(), marked + outcome.marked.len())
        });
        assert!(dropped > 1_000 && marked > 1_000, "{variant:?}: {dropped} {marked}");
    }
}

/// Scenario A of `codel/tests.rs`: with exact times Linux's fixed point makes 2531 drops in 10 s,
/// in the kernel's ticks 2532.
#[test]
fn scenario_a_with_and_without_ticks() {
    for (tick, total) in [(1, 2531), (1024, 2532)] {
        let mut oracle = Oracle::new(CoDelVariant::Linux, false, tick);
        for millis in 0..=10_000 {
            let (len, ecn) = (Bytes(1000), Ecn::NotEct);
            let packet = Probe { id: millis, flow: 0, len, ecn, wrongly_marked: false, packets: 1 };
            oracle.packets.push_back((millis as i64 * 1_000_000, packet));
            oracle.bytes += 1000;
            if millis % 2 == 0 {
                oracle.dequeue(millis as i64 * 1_000_000);
            }
        }
        assert_eq!(oracle.outcome.dropped.len(), total, "ticks of {tick} ns");
    }
}
