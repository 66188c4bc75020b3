use units::{Bytes, Rate};

use super::*;
use crate::rules::tests::{Bench, DOWN, IDLE, limits};
use crate::{Delay, Passage, Reason, Rules, Sample};

/// A line in equations: what its shapers let pass fills its queues, and its reflectors answer after
/// them.
struct Toy {
    controller: Ours,
    now: Time,
    decision: Decision,
    /// The rates of the line, in bits per second, and the bytes in its queues.
    carries: Both<f64>,
    queues: Both<f64>,
    /// The rates that senders would use, in bits per second.
    wanted: Both<f64>,
    /// The round trip without queues, in milliseconds; `None` for silent reflectors.
    answers: Option<f64>,
}

impl Toy {
    fn new(carries: Both<f64>, wanted: Both<f64>) -> Self {
        let mut controller = Ours::new(limits());
        let decision = controller.tick(Time::ZERO, &Observation::default());
        let (now, queues, answers) = (Time::ZERO, Both { up: 0.0, down: 0.0 }, Some(20.0));
        Self { controller, now, decision, carries, queues, wanted, answers }
    }

    fn run(&mut self, time: Span) {
        let end = self.now + time;
        while self.now < end {
            self.tick();
        }
    }

    fn tick(&mut self) {
        self.now += TICK;
        let seconds = TICK.as_secs_f64();
        let traffic = Both::new(|heading| {
            let allowed = self.decision.rates[heading].bits_per_sec() as f64;
            let sent = self.wanted[heading].min(allowed) / 8.0 * seconds;
            let can = self.carries[heading] / 8.0 * seconds;
            let queue = &mut self.queues[heading];
            let carried = (*queue + sent).min(can);
            *queue += sent - carried;
            // A sender with more to send keeps the shaper full, unless its queue is in the line.
            let is_held = self.wanted[heading] > allowed && *queue < 1500.0;
            Passage {
                arrived: Bytes(carried as u64),
                departed: Bytes(if heading == Heading::Up { sent } else { carried } as u64),
                backlog: if is_held { Bytes(20_000) } else { Bytes::ZERO },
                ..Passage::default()
            }
        });
        let waits = Heading::BOTH.map(|it| 8e3 * self.queues[it] / self.carries[it]);
        let round_trip = self.answers.map(|base| base + waits.iter().sum::<f64>());
        let id = (self.now.as_nanos() / TICK.as_nanos() % 6) as u32;
        let sample = round_trip.map(|millis| Sample {
            reflector: ReflectorId(id),
            delay: Delay::RoundTrip(Span::from_micros((millis * 1e3) as u64)),
        });
        let samples: Vec<Sample> = sample.into_iter().collect();
        self.decision = self.controller.tick(self.now, &Observation { traffic, samples: &samples });
    }

    fn wait_ms(&self, heading: Heading) -> f64 {
        8e3 * self.queues[heading] / self.carries[heading]
    }
}

const MBIT: f64 = 1e6;

fn line(up: f64, down: f64) -> Both<f64> {
    Both { up: up * MBIT, down: down * MBIT }
}

#[test]
fn the_rate_follows_the_line_up_and_down() {
    let mut toy = Toy::new(line(20.0, 50.0), line(0.0, 200.0));
    toy.run(Span::from_secs(15));
    let up_to = toy.decision.rates.down.as_mbit_f64();
    assert!((45.0..56.0).contains(&up_to), "{up_to}");
    toy.carries.down = 15.0 * MBIT;
    toy.run(Span::from_secs(2));
    let down_to = toy.decision.rates.down.as_mbit_f64();
    assert!((10.0..16.0).contains(&down_to), "{down_to}");
    assert!(toy.wait_ms(Heading::Down) < 30.0, "{}", toy.wait_ms(Heading::Down));
    assert_eq!(toy.decision.rates.down.bits_per_sec() % 10_000, 0, "four digits");
    // The idle upload keeps its rate.
    assert_eq!(toy.decision.rates.up, limits().up.base());
}

#[test]
fn the_direction_that_got_slower_is_lowered_and_the_other_keeps_more_than_half() {
    let mut toy = Toy::new(line(20.0, 50.0), line(200.0, 200.0));
    toy.run(Span::from_secs(20));
    toy.carries.up = 8.0 * MBIT;
    toy.run(Span::from_secs(4));
    let Both { up, down } = toy.decision.rates.map(Rate::as_mbit_f64);
    assert!((5.0..9.0).contains(&up), "{up}");
    assert!(down > 25.0, "{down}");
}

/// After a fall, all that the line carries is less than a tenth of the rate.
#[test]
fn a_line_that_carries_its_least_rate_is_loaded_whatever_the_rate() {
    let mut line = Line::new(Heading::Down, limits().down);
    let mut now = Time::ZERO;
    while line.rate() < limits().down.maximum() {
        now += TICK;
        line.follow(0.0, true, now);
    }
    let carry = |line: &mut Line, rate: Rate| {
        let bytes = rate * TICK;
        (0..20).for_each(|_| {
            line.hear(Passage { arrived: bytes, departed: bytes, ..Passage::default() });
        });
        line.is_loaded()
    };
    assert!(carry(&mut line, limits().down.minimum()));
    assert!(!carry(&mut line, Rate::from_mbit(3)));
}

/// Twenty milliseconds more without load are a new path, and with load they are taken for one after
/// [`UNMOVED`](constants::UNMOVED).
#[test]
fn a_longer_path_is_not_taken_for_a_queue_for_long() {
    let mut toy = Toy::new(line(20.0, 50.0), line(0.0, 0.0));
    toy.run(Span::from_secs(3));
    toy.answers = Some(40.0);
    toy.run(Span::from_secs(3));
    assert_eq!(toy.decision.rates, limits().map(|it| it.base()));
    let mut toy = Toy::new(line(20.0, 50.0), line(0.0, 200.0));
    toy.run(Span::from_secs(15));
    toy.answers = Some(40.0);
    toy.run(Span::from_secs(8));
    let down = toy.decision.rates.down.as_mbit_f64();
    assert!(down > 30.0, "{down}");
}

#[test]
fn silence_under_load_is_told_within_a_second_and_a_tick_and_the_rate_is_safe() {
    let mut toy = Toy::new(line(20.0, 50.0), line(0.0, 200.0));
    toy.run(Span::from_secs(20));
    let silent_from = toy.now;
    toy.answers = None;
    toy.run(Span::from_secs(1));
    let blind = toy.decision.blind.expect("it is told");
    assert_eq!((blind.cause, blind.since), (Blindness::Silent, silent_from));
    assert_eq!(toy.decision.reasons.down, Reason::Blind);
    // The line carried this most of the time.
    let safe = toy.decision.rates.down.as_mbit_f64();
    assert!((20.0..50.0).contains(&safe), "{safe}");
    // It sees again with the first answers, and goes back to what the line carries.
    toy.answers = Some(20.0);
    toy.run(Span::from_secs(5));
    assert_eq!(toy.decision.blind, None);
    assert!(toy.decision.rates.down.as_mbit_f64() > 45.0, "{:?}", toy.decision.rates);
}

#[test]
fn a_line_without_traffic_and_answers_is_dead_and_its_rate_stays() {
    let mut toy = Toy::new(line(20.0, 50.0), line(0.0, 200.0));
    toy.run(Span::from_secs(10));
    toy.wanted.down = 0.0;
    toy.run(Span::from_secs(1));
    let rate = toy.decision.rates.down;
    toy.answers = None;
    toy.run(Span::from_secs(3));
    assert_eq!(toy.decision.blind.map(|blind| blind.cause), Some(Blindness::Dead));
    assert_eq!(toy.decision.rates.down, rate);
}

#[test]
fn an_idle_line_is_asked_once_a_second_and_a_loaded_one_twenty_times() {
    let mut bench = Bench::new(Rules::Ours);
    bench.run(Span::from_secs(6), IDLE, 1, 20.0);
    assert_eq!(bench.last.probing.every, Some(Span::from_secs(1)));
    bench.tick(DOWN, 1, 20.0);
    assert_eq!(bench.last.probing.every, Some(Span::from_millis(50)));
    // The answers to frequent requests take their time: that is no blindness.
    bench.run(Span::from_millis(900), DOWN, 0, 0.0);
    assert_eq!(bench.last.blind, None);
}

#[test]
fn a_reflector_with_a_queue_of_its_own_is_replaced() {
    let mut ours = Ours::new(limits());
    let mut replaced = None;
    for tick in 0..600_u64 {
        let now = Time::ZERO + TICK * (tick + 1);
        let id = (tick % 6) as u32;
        let longer = if id == 2 && tick > 200 { 80 } else { 0 };
        let delay = Delay::RoundTrip(Span::from_millis(20 + longer));
        let samples = [Sample { reflector: ReflectorId(id), delay }];
        let traffic = Both::<Passage>::default();
        let decision = ours.tick(now, &Observation { traffic, samples: &samples });
        replaced = replaced.or(decision.replace);
        assert_eq!(decision.rates, limits().map(|it| it.base()));
    }
    assert_eq!(replaced, Some(ReflectorId(2)));
}

/// Delays that are split need no guess.
#[test]
fn one_way_delays_name_the_direction() {
    let mut ours = Ours::new(limits());
    let mut decision = ours.tick(Time::ZERO, &Observation::default());
    for tick in 1..200_u64 {
        let now = Time::ZERO + TICK * tick;
        let up = Span::from_millis(if tick > 100 { 60 } else { 10 });
        let delay = Delay::OneWay(Both { up, down: Span::from_millis(10) });
        let samples = [Sample { reflector: ReflectorId(0), delay }];
        let half = |heading| Bytes((decision.rates[heading] * TICK).0 / 2);
        let traffic = Both::new(|heading| Passage {
            arrived: half(heading),
            departed: half(heading),
            ..Passage::default()
        });
        decision = ours.tick(now, &Observation { traffic, samples: &samples });
        if tick == 105 {
            break;
        }
    }
    assert!(decision.rates.up.as_mbit_f64() < 11.0, "{:?}", decision.rates);
    assert_eq!(decision.rates.down, limits().down.base());
}
