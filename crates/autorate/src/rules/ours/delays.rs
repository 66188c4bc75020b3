//! The delay beyond that of an empty line.

use std::collections::VecDeque;

use units::Time;

use super::constants::{ASTRAY_MS, ASTRAY_PART, ASTRAY_WEIGHT, FRESH, QUORUM, SILENT_TIMES};
use super::floor::Floor;
use crate::{Both, Delay, ReflectorId, Sample};

/// The delays of all reflectors beyond their floors.
#[derive(Debug)]
pub(super) struct Delays {
    reflectors: Vec<Reflector>,
    /// The latest answers, the newest last.
    latest: VecDeque<Answer>,
    /// True if the delays of both directions are known apart.
    is_split: bool,
    answered: Time,
}

#[derive(Clone, Copy, Debug)]
struct Answer {
    at: Time,
    excess: Both<f64>,
}

#[derive(Debug)]
struct Reflector {
    id: ReflectorId,
    floors: Both<Floor>,
    /// The part of its latest answers whose excess was longer than that of the others.
    astray: f64,
    /// The requests in a row that it has not answered.
    missed: u32,
}

impl Delays {
    pub(super) const fn new() -> Self {
        Self {
            reflectors: Vec::new(),
            latest: VecDeque::new(),
            is_split: false,
            answered: Time::ZERO,
        }
    }

    /// The time of the latest answer; zero before the first.
    pub(super) const fn answered(&self) -> Time {
        self.answered
    }

    /// True if the delays of both directions are known apart.
    pub(super) const fn is_split(&self) -> bool {
        self.is_split
    }

    /// Takes the fate of a probe.
    pub(super) fn hear(&mut self, sample: &Sample, now: Time) {
        let delays = match sample.delay {
            Delay::OneWay(both) => both.map(|span| span.as_millis_f64()),
            Delay::RoundTrip(span) | Delay::Passing(span) => {
                let round_trip = span.as_millis_f64();
                Both { up: round_trip, down: round_trip }
            }
            Delay::Missing => return self.miss(sample.reflector),
        };
        self.is_split = matches!(sample.delay, Delay::OneWay(_));
        let others = self.excess(now);
        let reflector = self.known(sample.reflector, now);
        let excess = Both {
            up: reflector.floors.up.excess(delays.up, now),
            down: reflector.floors.down.excess(delays.down, now),
        };
        reflector.missed = 0;
        if let Some(others) = others {
            let longer = (excess.up - others.up).max(excess.down - others.down);
            let is_astray = f64::from(u8::from(longer > ASTRAY_MS));
            reflector.astray += ASTRAY_WEIGHT * (is_astray - reflector.astray);
        }
        self.latest.push_back(Answer { at: now, excess });
        if self.latest.len() > QUORUM {
            self.latest.pop_front();
        }
        self.answered = now;
    }

    /// The excess of each direction, in milliseconds, or of both together where they are not known
    /// apart; `None` without an answer lately.
    pub(super) fn excess(&self, now: Time) -> Option<Both<f64>> {
        let fresh = self.latest.iter().filter(|answer| now.since(answer.at) <= FRESH);
        fresh
            .map(|answer| answer.excess)
            .reduce(|one, other| Both { up: one.up.min(other.up), down: one.down.min(other.down) })
    }

    /// Takes the present delays for those of an empty line: the path has changed.
    pub(super) fn forget(&mut self, now: Time) {
        for reflector in &mut self.reflectors {
            let floor = Floor::new(now);
            reflector.floors = Both { up: floor, down: floor };
        }
        self.latest.clear();
    }

    /// A reflector that tells nothing of the line, which is forgotten; `None` if all do.
    pub(super) fn useless(&mut self) -> Option<ReflectorId> {
        let is_useless = |it: &Reflector| it.astray > ASTRAY_PART || it.missed >= SILENT_TIMES;
        // If all of them are silent, it is the line.
        let alive = self.reflectors.iter().filter(|it| it.missed == 0).count();
        if 2 * alive < self.reflectors.len() {
            return None;
        }
        let index = self.reflectors.iter().position(is_useless)?;
        Some(self.reflectors.remove(index).id)
    }

    fn miss(&mut self, id: ReflectorId) {
        if let Some(known) = self.reflectors.iter_mut().find(|known| known.id == id) {
            known.missed += 1;
        }
    }

    fn known(&mut self, id: ReflectorId, now: Time) -> &mut Reflector {
        let index = self.reflectors.iter().position(|known| known.id == id);
        let index = index.unwrap_or_else(|| {
            let floor = Floor::new(now);
            let floors = Both { up: floor, down: floor };
            self.reflectors.push(Reflector { id, floors, astray: 0.0, missed: 0 });
            self.reflectors.len() - 1
        });
        &mut self.reflectors[index]
    }
}
