//! RED against a slow and literal transcription of the detailed algorithm of the 1993 paper, in packets.

mod support;

use std::collections::VecDeque;

use proptest::prelude::*;
use qdisc::disciplines::red::{Red, RedParameters};
use qdisc::history::{Fates, Probe, run};
use qdisc::{Cause, Fifo, Limit, Packet};
use support::{Literal, phases};
use units::{Prob, Rng, Span, Time};

const W_Q: f64 = 0.02;
const MIN_TH: f64 = 5.0;
const MAX_TH: f64 = 15.0;
const MAX_P: f64 = 0.1;
const PACKET_TIME: f64 = 0.0012;
const LIMIT: usize = 60;

struct Oracle {
    rng: Rng,
    ecn: bool,
    packets: VecDeque<Probe>,
    avg: f64,
    count: i64,
    q_time: Option<Time>,
    outcome: Fates,
}

impl Oracle {
    fn new(ecn: bool, rng: Rng) -> Self {
        let (packets, outcome) = (VecDeque::new(), Fates::default());
        Self { rng, ecn, packets, avg: 0.0, count: -1, q_time: None, outcome }
    }

    fn arrives(&mut self, mut packet: Probe, now: Time) {
        let q = self.packets.len() as f64;
        match self.q_time.take() {
            Some(q_time) => {
                let m = now.since(q_time).as_secs_f64() / PACKET_TIME;
                self.avg *= libm::pow(1.0 - W_Q, m);
            }
            None => self.avg += W_Q * (q - self.avg),
        }
        let mut mark = false;
        if MIN_TH <= self.avg && self.avg < MAX_TH {
            self.count += 1;
            let p_b = MAX_P * (self.avg - MIN_TH) / (MAX_TH - MIN_TH);
            let left = 1.0 - self.count as f64 * p_b;
            let p_a = if left <= 0.0 { 1.0 } else { (p_b / left).min(1.0) };
            if self.rng.next_f64() < p_a {
                mark = true;
                self.count = 0;
            }
        } else if MAX_TH <= self.avg {
            mark = true;
            self.count = 0;
        } else {
            self.count = -1;
        }
        let full = self.packets.len() >= LIMIT;
        let markable = self.ecn && packet.ecn.is_capable();
        if mark && !markable {
            self.outcome.dropped.push((now, packet, Cause::Congestion));
        } else if full {
            self.outcome.dropped.push((now, packet, Cause::Overflow));
        } else {
            if mark {
                packet.set_ce();
                self.outcome.marked.push((now, packet, Cause::Congestion));
            }
            self.packets.push_back(packet);
        }
    }

    fn departs(&mut self, now: Time) -> bool {
        match self.packets.pop_front() {
            Some(packet) => {
                self.outcome.sent.push((now, packet));
                true
            }
            None => {
                self.q_time.get_or_insert(now);
                false
            }
        }
    }
}

impl Literal for Oracle {
    fn arrive(&mut self, packet: Probe, now: Time) {
        self.arrives(packet, now);
    }

    fn depart(&mut self, now: Time) -> bool {
        self.departs(now)
    }

    fn outcome(self) -> Fates {
        self.outcome
    }
}

fn ours(ecn: bool, rng: Rng) -> Fifo<Probe, Red> {
    let mut parameters = RedParameters::default();
    parameters.min = MIN_TH;
    parameters.max = MAX_TH;
    parameters.max_probability = Prob::clamped(MAX_P);
    parameters.weight = W_Q;
    parameters.packet_time = Span::from_secs_f64(PACKET_TIME);
    parameters.ecn = ecn;
    Fifo::new(Limit::packets(LIMIT as u64), Red::new(parameters, rng))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn red_is_the_algorithm_of_1993(seed in any::<u64>(), ecn in any::<bool>()) {
        let history = phases(seed);
        let rng = Rng::new(seed).fork("red");
        let literal = Oracle::new(ecn, rng.clone()).run(&history);
        let ours = run(&mut ours(ecn, rng), &history).unwrap();
        prop_assert!(ours == literal, "differs under seed {seed}");
    }
}

/// The comparison above is meaningful: all three fates are frequent.
#[test]
fn the_histories_provoke_signals() {
    let outcomes = (0..40).map(|seed| Oracle::new(true, Rng::new(seed)).run(&phases(seed)));
    let (mut early, mut full, mut marked) = (0, 0, 0);
    for outcome in outcomes {
        let congestion = |(.., cause): &&(Time, Probe, Cause)| *cause == Cause::Congestion;
        let dropped = outcome.dropped.iter().filter(congestion).count();
        early += dropped;
        full += outcome.dropped.len() - dropped;
        marked += outcome.marked.len();
    }
    assert!(early > 1000 && full > 100 && marked > 1000, "{early} {full} {marked}");
}
