//! Drives a controller beside a simulated run.

use autorate::{Both, Controller, Decision, Heading, Observation, Passage, Sample};
use sim::{Supervised, Supervisor};
use units::{Bytes, Rate, Rng, Span, Time};

use crate::line::Line;
use crate::reflectors::Reflectors;
use crate::scene::{queue, shaper};
use crate::truth::{Said, Truth};

/// The time from one look at the run to the next.
const LOOK: Span = Span::from_millis(10);

/// A controller, and all that stands between it and the run.
pub(crate) struct Driver<'a> {
    line: &'a Line,
    controller: Box<dyn Controller + Send + 'a>,
    pub(crate) reflectors: Reflectors<'a>,
    pub(crate) truth: Truth,
    samples: Vec<Sample>,
    counted: Both<Counted>,
    decision: Option<Decision>,
    rates: Both<Rate>,
    due: Time,
    next_tick: Time,
}

/// The counters of a shaper at the last tick.
#[derive(Clone, Copy, Debug, Default)]
struct Counted {
    departed: u64,
    backlog: u64,
    drops: u64,
    marks: u64,
}

impl<'a> Driver<'a> {
    pub(crate) fn new(
        line: &'a Line,
        controller: Box<dyn Controller + Send + 'a>,
        rng: Rng,
    ) -> Self {
        Self {
            line,
            controller,
            reflectors: Reflectors::new(&line.trouble, rng),
            truth: Truth::default(),
            samples: Vec::new(),
            counted: Both::default(),
            decision: None,
            rates: line.limits.map(|limits| limits.base()),
            due: Time::ZERO + LOOK,
            next_tick: Time::ZERO + LOOK,
        }
    }

    fn passage(&mut self, heading: Heading, run: &Supervised<'_>) -> Passage {
        let place = shaper(heading);
        let counters = run.counters(place).unwrap_or_default();
        let now = Counted {
            departed: counters.departed_bytes,
            backlog: run.state(place).map_or(0, |state| state.backlog.bytes.0),
            drops: counters.drops.full + counters.drops.aqm,
            marks: counters.marks,
        };
        let before = std::mem::replace(&mut self.counted[heading], now);
        let (departed, drops) = (now.departed - before.departed, now.drops - before.drops);
        // What is dropped has come too. Those who are dropped are long packets, as a rule.
        let arrived = (departed + now.backlog + drops * 1500).saturating_sub(before.backlog);
        Passage {
            arrived: Bytes(arrived),
            departed: Bytes(departed),
            backlog: Bytes(now.backlog),
            drops,
            marks: now.marks - before.marks,
        }
    }

    fn tick(&mut self, run: &mut Supervised<'_>) {
        let traffic = Both::new(|heading| self.passage(heading, run));
        let seen = Observation { traffic, samples: &self.samples };
        let decision = self.controller.tick(run.now(), &seen);
        self.samples.clear();
        for heading in Heading::BOTH {
            let rate = decision.rates[heading];
            if rate != self.rates[heading] {
                self.rates[heading] = rate;
                let settings = queue(heading, rate).parse().expect("a queue in tc's words");
                run.change_queue(shaper(heading), settings);
            }
        }
        if let Some(reflector) = decision.replace {
            self.reflectors.replace(reflector);
        }
        self.decision = Some(decision);
    }
}

impl Supervisor for Driver<'_> {
    fn due(&self) -> Time {
        self.due
    }

    fn act(&mut self, run: &mut Supervised<'_>) {
        let now = run.now();
        self.reflectors.collect(run, LOOK, &mut self.samples);
        if now >= self.next_tick {
            self.tick(run);
            self.next_tick = now + self.controller.interval();
        }
        if let Some(decision) = self.decision {
            self.reflectors.ask(decision.probing, run);
        }
        let said = Said {
            rates: self.rates,
            is_blind: self.decision.is_some_and(|decision| decision.blind.is_some()),
            are_silent: self.reflectors.are_silent(now),
        };
        self.truth.sample(self.line, run, &said);
        self.due = now + LOOK;
    }
}
