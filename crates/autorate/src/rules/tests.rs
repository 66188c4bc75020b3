//! A line that is no more than an equation, for the tests of all rules.

use units::{Bytes, Rate, Span, Time};

use crate::{
    Both, Controller, Decision, Delay, Limits, Observation, Passage, ReflectorId, Rules, Sample,
};

/// The limits of the tests: 5, 20 and 80 Mbit/s in both directions.
pub(super) fn limits() -> Both<Limits> {
    let mbit = Rate::from_mbit;
    let limits = Limits::new(mbit(5), mbit(20), mbit(80)).unwrap();
    Both { up: limits, down: limits }
}

/// A driver of a controller: what its reflectors answer, and what passes.
pub(super) struct Bench {
    controller: Box<dyn Controller + Send>,
    now: Time,
    pub(super) last: Decision,
}

impl Bench {
    pub(super) fn new(rules: Rules) -> Self {
        let mut controller = rules.controller(limits(), 1);
        let last = controller.tick(Time::ZERO, &Observation::default());
        Self { controller, now: Time::ZERO, last }
    }

    /// A tick in which traffic uses this part of the rates, and in which this many reflectors
    /// answer after this round trip.
    pub(super) fn tick(&mut self, load: Both<f64>, reflectors: u32, millis: f64) -> Decision {
        let interval = self.controller.interval();
        self.now += interval;
        let delay = Delay::RoundTrip(Span::from_micros((millis * 1e3) as u64));
        let sample = |id| Sample { reflector: ReflectorId(id), delay };
        let samples: Vec<Sample> = (0..reflectors).map(sample).collect();
        let traffic = Both::new(|heading| {
            let bytes = (self.last.rates[heading] * interval).0 as f64 * load[heading];
            let bytes = Bytes(bytes as u64);
            // What is full holds traffic back.
            let backlog = if load[heading] >= 1.0 { Bytes(6000) } else { Bytes::ZERO };
            Passage { arrived: bytes, departed: bytes, backlog, ..Passage::default() }
        });
        let seen = Observation { traffic, samples: &samples };
        self.last = self.controller.tick(self.now, &seen);
        self.last
    }

    /// Ticks for this time.
    pub(super) fn run(&mut self, time: Span, load: Both<f64>, reflectors: u32, millis: f64) {
        let end = self.now + time;
        while self.now < end {
            self.tick(load, reflectors, millis);
        }
    }

    pub(super) fn down(&self) -> f64 {
        self.last.rates.down.as_mbit_f64()
    }

    pub(super) fn up(&self) -> f64 {
        self.last.rates.up.as_mbit_f64()
    }
}

/// Load in the download only.
pub(super) const DOWN: Both<f64> = Both { up: 0.0, down: 1.0 };
/// No load.
pub(super) const IDLE: Both<f64> = Both { up: 0.0, down: 0.0 };

#[track_caller]
pub(super) fn near(value: f64, expected: f64) {
    assert!((value - expected).abs() <= 1e-4 * expected, "{value} is not {expected}");
}

/// No set of rules leaves its limits, whatever it is told.
mod whatever_is_told {
    use proptest::prelude::*;

    use super::*;

    fn delay() -> impl Strategy<Value = Delay> {
        let span = || any::<u64>().prop_map(Span::from_nanos);
        prop_oneof![
            (span(), span()).prop_map(|(up, down)| Delay::OneWay(Both { up, down })),
            span().prop_map(Delay::RoundTrip),
            (0..200_u64).prop_map(|millis| Delay::RoundTrip(Span::from_millis(millis))),
            span().prop_map(Delay::Passing),
            Just(Delay::Missing),
        ]
    }

    fn passage() -> impl Strategy<Value = Passage> {
        let bytes = || prop_oneof![any::<u64>(), 0..1_000_000_u64].prop_map(Bytes);
        (bytes(), bytes(), bytes(), any::<u64>(), any::<u64>()).prop_map(
            |(arrived, departed, backlog, drops, marks)| Passage {
                arrived,
                departed,
                backlog,
                drops,
                marks,
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn rates_stay_within_the_limits(
            ticks in prop::collection::vec(
                (any::<u32>(), passage(), passage(), prop::collection::vec((0..4_u32, delay()), 0..4)),
                1..60,
            ),
        ) {
            for rules in Rules::ALL {
                let mut controller = rules.controller(limits(), 7);
                let mut now = Time::ZERO;
                for (nanos, up, down, samples) in &ticks {
                    now += Span::from_nanos(u64::from(*nanos));
                    let sample =
                        |(id, delay): &(u32, Delay)| Sample { reflector: ReflectorId(*id), delay: *delay };
                    let samples: Vec<Sample> = samples.iter().map(sample).collect();
                    let traffic = Both { up: *up, down: *down };
                    let decision = controller.tick(now, &Observation { traffic, samples: &samples });
                    let Both { up, down } = limits();
                    prop_assert!(up.contains(decision.rates.up), "{}", rules.name());
                    prop_assert!(down.contains(decision.rates.down), "{}", rules.name());
                }
            }
        }
    }
}
