//! PIE against a slow and literal transcription of RFC 8033: sections 4 and 5, with the code of
//! appendix B where that decides. Every update is made by itself, at its time.

mod support;

use std::collections::VecDeque;

use proptest::prelude::*;
use qdisc::disciplines::pie::{Pie, PieDelay, PieParameters};
use qdisc::history::{Fates, Probe, run};
use qdisc::{Cause, Fifo, Limit, Packet};
use support::{Literal, phases};
use units::{Bytes, Rng, Span, Time};

const QDELAY_REF: f64 = 0.005;
const T_UPDATE: f64 = 0.004;
const MAX_BURST: f64 = 0.150;
const TAIL_DROP_PACKETS: u64 = 90;
const MEAN_PKTSIZE: u64 = 1500;
const DQ_THRESHOLD: u64 = 16_384;

#[derive(Clone, Copy, Debug)]
struct Options {
    ecn: bool,
    timestamps: bool,
    activation: Option<u64>,
}

struct Oracle {
    options: Options,
    rng: Rng,
    packets: VecDeque<(Time, Probe)>,
    bytes: u64,
    started: bool,
    active: bool,
    next_update: Time,
    drop_prob: f64,
    accu_prob: f64,
    qdelay_old: f64,
    current_qdelay: f64,
    burst_updates_left: i64,
    in_measurement: bool,
    measurement_start: Time,
    dq_count: u64,
    avg_dq_time: f64,
    outcome: Fates,
}

impl Oracle {
    fn new(options: Options, rng: Rng) -> Self {
        Self {
            options,
            rng,
            packets: VecDeque::new(),
            bytes: 0,
            started: false,
            active: false,
            next_update: Time::MAX,
            drop_prob: 0.0,
            accu_prob: 0.0,
            qdelay_old: 0.0,
            current_qdelay: 0.0,
            burst_updates_left: 0,
            in_measurement: false,
            measurement_start: Time::ZERO,
            dq_count: 0,
            avg_dq_time: 0.0,
            outcome: Fates::default(),
        }
    }

    /// The updates up to now.
    fn tick(&mut self, now: Time) {
        while self.active && self.next_update <= now {
            self.next_update += Span::from_secs_f64(T_UPDATE);
            self.calculate_drop_prob();
        }
    }

    fn calculate_drop_prob(&mut self) {
        if !self.options.timestamps {
            let qdelay = self.bytes as f64 / DQ_THRESHOLD as f64 * self.avg_dq_time;
            self.current_qdelay = Span::from_secs_f64(qdelay).as_secs_f64();
        }
        let mut p = 0.125 * (self.current_qdelay - QDELAY_REF)
            + 1.25 * (self.current_qdelay - self.qdelay_old);
        if self.drop_prob < 0.000001 {
            p *= 1.0 / 2048.0;
        } else if self.drop_prob < 0.00001 {
            p *= 1.0 / 512.0;
        } else if self.drop_prob < 0.0001 {
            p *= 1.0 / 128.0;
        } else if self.drop_prob < 0.001 {
            p *= 1.0 / 32.0;
        } else if self.drop_prob < 0.01 {
            p *= 1.0 / 8.0;
        } else if self.drop_prob < 0.1 {
            p *= 1.0 / 2.0;
        }
        if self.drop_prob >= 0.1 && p > 0.02 {
            p = 0.02;
        }
        self.drop_prob += p;
        let calm = self.current_qdelay < QDELAY_REF / 2.0 && self.qdelay_old < QDELAY_REF / 2.0;
        if calm {
            self.drop_prob *= 0.98;
        }
        self.drop_prob = self.drop_prob.clamp(0.0, 1.0);
        if self.burst_updates_left > 0 {
            self.burst_updates_left -= 1;
        }
        if self.drop_prob == 0.0 && calm {
            self.burst_updates_left = (MAX_BURST / T_UPDATE).ceil() as i64;
        }
        let idle = self.current_qdelay == 0.0 && self.qdelay_old == 0.0;
        self.qdelay_old = self.current_qdelay;
        if self.options.activation.is_some() && self.drop_prob == 0.0 && idle {
            self.active = false;
            self.in_measurement = false;
        }
    }

    fn drop_early(&mut self) -> bool {
        if self.burst_updates_left > 0 {
            return false;
        }
        if (self.qdelay_old < QDELAY_REF / 2.0 && self.drop_prob < 0.2)
            || self.bytes <= 2 * MEAN_PKTSIZE
        {
            return false;
        }
        if self.drop_prob == 0.0 {
            self.accu_prob = 0.0;
        }
        self.accu_prob += self.drop_prob;
        if self.accu_prob < 0.85 {
            return false;
        }
        if self.accu_prob >= 8.5 {
            return true;
        }
        self.rng.next_f64() < self.drop_prob
    }

    fn reset(&mut self, now: Time) {
        self.active = true;
        self.qdelay_old = 0.0;
        self.current_qdelay = 0.0;
        self.drop_prob = 0.0;
        self.accu_prob = 0.0;
        self.avg_dq_time = 0.0;
        self.burst_updates_left = (MAX_BURST / T_UPDATE).ceil() as i64;
        self.next_update = now + Span::from_secs_f64(T_UPDATE);
        self.in_measurement = self.options.activation.is_some();
        self.dq_count = 0;
        self.measurement_start = now;
    }

    fn enque(&mut self, mut packet: Probe, now: Time) {
        if self.options.activation.is_none() && !self.started {
            self.reset(now);
        }
        self.started = true;
        self.tick(now);
        let mut joins = false;
        if self.packets.len() as u64 >= TAIL_DROP_PACKETS {
            self.outcome.dropped.push((now, packet, Cause::Overflow));
            self.accu_prob = 0.0;
        } else if self.active && self.drop_early() {
            self.accu_prob = 0.0;
            if self.options.ecn && packet.ecn.is_capable() && self.drop_prob < 0.1 {
                packet.set_ce();
                self.outcome.marked.push((now, packet, Cause::Congestion));
                joins = true;
            } else {
                self.outcome.dropped.push((now, packet, Cause::Congestion));
            }
        } else {
            joins = true;
        }
        if joins {
            self.packets.push_back((now, packet));
            self.bytes += packet.len.0;
        }
        if self.options.activation.is_some_and(|third| !self.active && self.bytes >= third) {
            self.reset(now);
        }
    }

    fn deque(&mut self, now: Time) -> bool {
        self.tick(now);
        let Some((stamp, packet)) = self.packets.pop_front() else { return false };
        self.bytes -= packet.len.0;
        self.outcome.sent.push((now, packet));
        if self.options.timestamps {
            self.current_qdelay =
                if self.packets.is_empty() { 0.0 } else { now.since(stamp).as_secs_f64() };
            return true;
        }
        if self.in_measurement {
            self.dq_count += packet.len.0;
            if self.dq_count >= DQ_THRESHOLD {
                let dq_time = now.since(self.measurement_start).as_secs_f64();
                if self.avg_dq_time == 0.0 {
                    self.avg_dq_time = dq_time;
                } else {
                    self.avg_dq_time = dq_time * 0.25 + self.avg_dq_time * 0.75;
                }
                self.in_measurement = false;
            }
        }
        if self.bytes >= DQ_THRESHOLD && !self.in_measurement {
            self.in_measurement = true;
            self.measurement_start = now;
            self.dq_count = 0;
        }
        true
    }
}

impl Literal for Oracle {
    fn arrive(&mut self, packet: Probe, now: Time) {
        self.enque(packet, now);
    }

    fn depart(&mut self, now: Time) -> bool {
        self.deque(now)
    }

    fn outcome(self) -> Fates {
        self.outcome
    }
}

fn ours(options: Options, rng: Rng) -> Fifo<Probe, Pie> {
    let mut parameters = PieParameters::default();
    parameters.target = Span::from_secs_f64(QDELAY_REF);
    parameters.update_interval = Span::from_secs_f64(T_UPDATE);
    parameters.mean_packet = Bytes(MEAN_PKTSIZE);
    parameters.delay =
        if options.timestamps { PieDelay::Timestamps } else { PieDelay::DequeueRate };
    parameters.activation = options.activation.map(Bytes);
    parameters.ecn = options.ecn;
    Fifo::new(Limit::packets(TAIL_DROP_PACKETS), Pie::new(parameters, rng))
}

fn options() -> impl Strategy<Value = Options> {
    let activation = prop_oneof![Just(None), (3_000_u64..30_000).prop_map(Some)];
    (any::<bool>(), any::<bool>(), activation).prop_map(|(ecn, timestamps, activation)| Options {
        ecn,
        timestamps,
        activation,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn pie_is_rfc_8033(seed in any::<u64>(), options in options()) {
        let history = phases(seed);
        let rng = Rng::new(seed).fork("pie");
        let literal = Oracle::new(options, rng.clone()).run(&history);
        let ours = run(&mut ours(options, rng), &history).unwrap();
        prop_assert!(ours == literal, "{options:?} differs under seed {seed}");
    }
}

/// The comparison above is meaningful: drops and marks are frequent.
#[test]
fn the_histories_provoke_signals() {
    for (timestamps, activation, least_marked) in
        [(true, None, 20), (false, None, 20), (false, Some(5_000), 1)]
    {
        let options = Options { ecn: true, timestamps, activation };
        let outcomes = (0..40).map(|seed| Oracle::new(options, Rng::new(seed)).run(&phases(seed)));
        let (early, marked) = outcomes.fold((0, 0), |(early, marked), outcome| {
            let congestion = |(.., cause): &&(Time, Probe, Cause)| *cause == Cause::Congestion;
            let dropped = outcome.dropped.iter().filter(congestion).count();
            (early + dropped, marked + outcome.marked.len())
        });
        assert!(early > 1000 && marked >= least_marked, "{options:?}: {early} {marked}");
    }
}
