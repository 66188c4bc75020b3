//! What really happened on a line, which no rule is told.

use autorate::{Both, Heading};
use sim::Supervised;
use units::{Rate, Span, Time};

use crate::cost;
use crate::line::Line;
use crate::scene::{shaper, wire};

/// The time from one point of the curves to the next.
pub(crate) const CURVE_STEP: Span = Span::from_millis(500);

/// The delays and rates of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Truth {
    /// The sum and the number of the samples of the delay beyond what is free, in milliseconds.
    beyond: (f64, u64),
    /// The samples since the last point of the curves.
    waits: (f64, u64),
    /// The samples in which no reflector answered, in which the rules said that they were blind,
    /// and in which both were so.
    silent: u64,
    blind: u64,
    told: u64,
    pub(crate) curves: Curves,
}

/// The curves of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Curves {
    /// The rate of each shaper in Mbit/s.
    pub(crate) rates: Both<Vec<f64>>,
    /// The mean delay of others, in milliseconds.
    pub(crate) delay_ms: Vec<f64>,
    /// True where the rules were blind.
    pub(crate) blind: Vec<bool>,
}

/// The statements of the rules and of the reflectors at the moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Said {
    pub(crate) rates: Both<Rate>,
    pub(crate) is_blind: bool,
    pub(crate) are_silent: bool,
}

impl Truth {
    /// Takes a sample.
    pub(crate) fn sample(&mut self, line: &Line, run: &Supervised<'_>, said: &Said) {
        let wait = wait_ms(run);
        if cost::counts(line, run.now()) {
            self.beyond.0 += (wait - cost::FREE_MS).max(0.0);
            self.beyond.1 += 1;
        }
        self.waits.0 += wait;
        self.waits.1 += 1;
        self.silent += u64::from(said.are_silent);
        self.blind += u64::from(said.is_blind);
        self.told += u64::from(said.is_blind && said.are_silent);
        if run.now().since(Time::ZERO).as_nanos().is_multiple_of(CURVE_STEP.as_nanos()) {
            self.point(said);
        }
    }

    /// The mean delay beyond what is free, in milliseconds.
    pub(crate) fn beyond_ms(&self) -> f64 {
        self.beyond.0 / self.beyond.1.max(1) as f64
    }

    /// The samples in which no reflector answered.
    pub(crate) const fn silent(&self) -> u64 {
        self.silent
    }

    /// The samples in which the rules said that they were blind.
    pub(crate) const fn blind(&self) -> u64 {
        self.blind
    }

    /// The samples in which the rules said so while no reflector answered.
    pub(crate) const fn told(&self) -> u64 {
        self.told
    }

    fn point(&mut self, said: &Said) {
        for heading in Heading::BOTH {
            self.curves.rates[heading].push(said.rates[heading].as_mbit_f64());
        }
        self.curves.delay_ms.push(self.waits.0 / self.waits.1.max(1) as f64);
        self.curves.blind.push(said.is_blind);
        self.waits = (0.0, 0);
    }
}

/// The time that a packet of a new flow would wait at present in both directions, in milliseconds.
fn wait_ms(run: &Supervised<'_>) -> f64 {
    let places = Heading::BOTH.into_iter().flat_map(|way| [shaper(way), wire(way)]);
    let waits = places.filter_map(|place| run.state(place)?.new_flow_wait);
    waits.map(Span::as_millis_f64).sum()
}
