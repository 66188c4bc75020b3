//! COBALT against a slow and literal reading of its description: signed time in nanoseconds, one
//! flag and one step after the other, and the queue's overflow as its caller handles it.

mod support;

use std::collections::VecDeque;

use proptest::prelude::*;
use qdisc::disciplines::cobalt::{Cobalt, CobaltParameters};
use qdisc::history::{Fates, Probe, run};
use qdisc::{Cause, Fifo, Limit, Packet};
use support::{Literal, phases};
use units::{Rng, Span, Time};

/// Nanoseconds.
const TARGET: i64 = 1_000_000;
const INTERVAL: i64 = 20_000_000;

/// The settings: true to mark; the guard in nanoseconds; the limit.
type Settings = (bool, i64, usize);

struct Oracle {
    rng: Rng,
    ecn: bool,
    mtu_time: i64,
    limit: usize,
    packets: VecDeque<(i64, Probe)>,
    count: u64,
    invsqrt: u64,
    dropping: bool,
    drop_next: i64,
    p_drop: u64,
    blue_timer: i64,
    outcome: Fates,
}

impl Oracle {
    fn new((ecn, mtu_time, limit): Settings, rng: Rng) -> Self {
        Self {
            rng,
            ecn,
            mtu_time,
            limit,
            packets: VecDeque::new(),
            count: 0,
            invsqrt: (1 << 32) - 1,
            dropping: false,
            drop_next: 0,
            p_drop: 0,
            // The clock has been running for long.
            blue_timer: i64::MIN / 2,
            outcome: Fates::default(),
        }
    }

    /// Follows a change of `count`: up to 15 rounded to the nearest, and at most the last fraction
    /// below 1; 4 is the exception.
    fn count_changed(&mut self) {
        self.invsqrt = match self.count {
            0 | 1 => (1 << 32) - 1,
            4 => (1 << 31) - 1,
            2..16 => ((1_u64 << 32) as f64 / (self.count as f64).sqrt()).round() as u64,
            _ => {
                let squared = (self.invsqrt * self.invsqrt) >> 32;
                let three_less = (3_u64 << 32) - self.count * squared;
                (three_less / 4 * self.invsqrt) >> 31
            }
        };
        self.drop_next += self.gap();
    }

    fn gap(&self) -> i64 {
        ((INTERVAL as u64 * self.invsqrt) >> 32) as i64
    }

    fn queue_full(&mut self, now: i64) {
        if now - self.blue_timer > TARGET {
            self.p_drop = (self.p_drop + (1 << 24)).min((1 << 32) - 1);
            self.blue_timer = now;
        }
        self.dropping = true;
        self.drop_next = now;
        if self.count == 0 {
            self.count = 1;
        }
    }

    fn queue_empty(&mut self, now: i64) {
        if self.p_drop > 0 && now - self.blue_timer > TARGET {
            self.p_drop = self.p_drop.saturating_sub(1 << 20);
            self.blue_timer = now;
        }
        self.dropping = false;
        if self.count > 0 && now >= self.drop_next {
            self.count -= 1;
            self.count_changed();
        }
    }

    /// Marks the packet, or returns true if it is to be dropped.
    fn should_drop(&mut self, packet: &mut Probe, sojourn: i64, now: i64) -> bool {
        let mut schedule = now - self.drop_next;
        let over_target = sojourn > TARGET && sojourn > 4 * self.mtu_time;
        let mut next_due = self.count > 0 && schedule >= 0;
        if over_target {
            if !self.dropping {
                self.dropping = true;
                self.drop_next = now + self.gap();
            }
            if self.count == 0 {
                self.count = 1;
            }
        } else if self.dropping {
            self.dropping = false;
        }
        let mut drop = false;
        if next_due && self.dropping {
            if self.ecn && packet.ecn().is_capable() {
                packet.set_ce();
            } else {
                drop = true;
            }
            self.count += 1;
            self.count_changed();
            schedule = now - self.drop_next;
        } else {
            while next_due {
                self.count -= 1;
                self.count_changed();
                schedule = now - self.drop_next;
                next_due = self.count > 0 && schedule >= 0;
            }
        }
        if self.p_drop > 0 {
            drop |= self.rng.next_u64() / (1 << 32) < self.p_drop;
        }
        if self.count == 0 {
            self.drop_next = now + INTERVAL;
        } else if schedule > 0 && !drop {
            self.drop_next = now;
        }
        drop
    }
}

impl Literal for Oracle {
    fn arrive(&mut self, packet: Probe, now: Time) {
        if self.packets.len() < self.limit {
            self.packets.push_back((now.as_nanos() as i64, packet));
        } else {
            self.queue_full(now.as_nanos() as i64);
            self.outcome.dropped.push((now, packet, Cause::Overflow));
        }
    }

    fn depart(&mut self, now: Time) -> bool {
        let nanos = now.as_nanos() as i64;
        while let Some((arrived, packet)) = self.packets.pop_front() {
            let mut judged = packet;
            let drop = self.should_drop(&mut judged, nanos - arrived, nanos);
            if drop && !self.packets.is_empty() {
                self.outcome.dropped.push((now, packet, Cause::Congestion));
                continue;
            }
            if judged.ecn != packet.ecn {
                self.outcome.marked.push((now, judged, Cause::Congestion));
            }
            self.outcome.sent.push((now, judged));
            return true;
        }
        self.queue_empty(nanos);
        false
    }

    fn outcome(self) -> Fates {
        self.outcome
    }
}

fn ours((ecn, mtu_time, limit): Settings, rng: Rng) -> Fifo<Probe, Cobalt> {
    let [target, interval, mtu_time] =
        [TARGET, INTERVAL, mtu_time].map(|nanos| Span::from_nanos(nanos as u64));
    let mut parameters = CobaltParameters::default();
    parameters.target = target;
    parameters.interval = interval;
    parameters.mtu_time = mtu_time;
    parameters.ecn = ecn;
    Fifo::new(Limit::packets(limit as u64), Cobalt::new(parameters, rng))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn cobalt_is_its_description(
        seed in any::<u64>(),
        settings in (any::<bool>(), 0_i64..2_000_000, 2_usize..300),
    ) {
        let history = phases(seed);
        let rng = Rng::new(seed).fork("cobalt");
        let literal = Oracle::new(settings, rng.clone()).run(&history);
        let ours = run(&mut ours(settings, rng), &history).unwrap();
        prop_assert!(ours == literal, "{settings:?} differs under seed {seed}");
    }
}

/// The comparison above is meaningful: all three fates are frequent.
#[test]
fn the_histories_provoke_signals() {
    let (mut early, mut full, mut marked) = (0, 0, 0);
    for seed in 0..40 {
        let outcome = Oracle::new((true, 100_000, 60), Rng::new(seed)).run(&phases(seed));
        let congestion = |(.., cause): &&(Time, Probe, Cause)| *cause == Cause::Congestion;
        let dropped = outcome.dropped.iter().filter(congestion).count();
        early += dropped;
        full += outcome.dropped.len() - dropped;
        marked += outcome.marked.len();
    }
    assert!(early > 1000 && full > 1000 && marked > 500, "{early} {full} {marked}");
}
