//! The reflectors of a run: they are asked in turn, and answer with noise, late, or not at all.

use std::collections::VecDeque;

use autorate::{Delay, Probing, ReflectorId, Sample};
use libm::sin;
use sim::Supervised;
use units::{Rng, Span, Time};

use crate::line::{Detours, Trouble};
use crate::random::{chance, exponential, uniform};
use crate::scene;

/// The time after which an answer is missing. It still counts if it comes later.
const PATIENCE: Span = Span::from_secs(2);
/// The time after which a request is forgotten.
const FORGOTTEN: Span = Span::from_secs(10);
/// A part of the answers is later than the others, by up to so many times the mean noise.
const LATE: (f64, f64) = (0.03, 20.0);
/// The reflectors with a queue of their own while they are astray, and their delay, which swings
/// between these milliseconds once in so many seconds.
const ASTRAY: usize = 2;
const ASTRAY_MS: (f64, f64) = (20.0, 120.0);
const ASTRAY_S: f64 = 7.0;

/// The reflectors that are asked, and the requests on their way.
#[derive(Debug)]
pub(crate) struct Reflectors<'a> {
    trouble: &'a Trouble,
    rng: Rng,
    /// The reflectors that are asked in turn.
    places: Vec<Place>,
    next_place: usize,
    next_request: Time,
    /// The number of the next flow that takes a reflector's place, and of the next name.
    next_flow: usize,
    next_id: u32,
    sent: u64,
}

#[derive(Debug)]
struct Place {
    flow: usize,
    id: ReflectorId,
    requests: VecDeque<Request>,
}

#[derive(Clone, Copy, Debug)]
struct Request {
    sent: Time,
    is_missed: bool,
}

impl<'a> Reflectors<'a> {
    pub(crate) fn new(trouble: &'a Trouble, rng: Rng) -> Self {
        let mut this = Self {
            trouble,
            rng,
            places: Vec::new(),
            next_place: 0,
            next_request: Time::ZERO,
            next_flow: 0,
            next_id: 0,
            sent: 0,
        };
        for _ in 0..scene::REFLECTORS / 2 + 1 {
            let place = this.newcomer();
            this.places.push(place);
        }
        this
    }

    /// The number of requests sent.
    pub(crate) const fn sent(&self) -> u64 {
        self.sent
    }

    /// True if no reflector answers now.
    pub(crate) fn are_silent(&self, now: Time) -> bool {
        self.trouble.silences.iter().any(|period| period.contains(now))
    }

    /// Sends a request, if it is time.
    pub(crate) fn ask(&mut self, probing: Probing, run: &mut Supervised<'_>) {
        let now = run.now();
        let Some(every) = probing.every else { return };
        self.next_request = self.next_request.min(now + every);
        if now < self.next_request {
            return;
        }
        self.next_request = now + every;
        let count = probing.reflectors.clamp(1, self.places.len());
        self.next_place = (self.next_place + 1) % count;
        let place = &mut self.places[self.next_place];
        place.requests.push_back(Request { sent: now, is_missed: false });
        run.ping(place.flow);
        self.sent += 1;
    }

    /// Adds the answers since the last call, and the requests that have none, to `samples`.
    /// `step` is the time since the last call.
    pub(crate) fn collect(
        &mut self,
        run: &mut Supervised<'_>,
        step: Span,
        samples: &mut Vec<Sample>,
    ) {
        let now = run.now();
        for index in 0..self.places.len() {
            let flow = self.places[index].flow;
            if let Some(round_trip) = run.take_round_trip(flow) {
                samples.extend(self.answer(index, round_trip, now, step));
            }
            let place = &mut self.places[index];
            let requests = place.requests.iter_mut();
            for request in requests.filter(|it| !it.is_missed && now.since(it.sent) > PATIENCE) {
                request.is_missed = true;
                samples.push(Sample { reflector: place.id, delay: Delay::Missing });
            }
            place.requests.retain(|request| now.since(request.sent) < FORGOTTEN);
        }
    }

    /// Puts another reflector in the place of this one.
    pub(crate) fn replace(&mut self, id: ReflectorId) {
        if let Some(index) = self.places.iter().position(|place| place.id == id) {
            self.places[index] = self.newcomer();
        }
    }

    /// A reflector that has no place.
    fn newcomer(&mut self) -> Place {
        while self.places.iter().any(|place| place.flow == self.next_flow) {
            self.next_flow = (self.next_flow + 1) % scene::REFLECTORS;
        }
        let place = Place {
            flow: self.next_flow,
            id: ReflectorId(self.next_id),
            requests: VecDeque::new(),
        };
        self.next_flow = (self.next_flow + 1) % scene::REFLECTORS;
        self.next_id += 1;
        place
    }

    /// The answer of a reflector to one of its requests; `None` if it is silent, or if the answer is
    /// to a request of before it had its place.
    fn answer(&mut self, index: usize, round_trip: Span, now: Time, step: Span) -> Option<Sample> {
        // It came since the last call.
        let latest = now - round_trip;
        let place = &mut self.places[index];
        let is_it =
            |request: &Request| request.sent <= latest && latest.since(request.sent) <= step;
        let at = place.requests.iter().position(is_it)?;
        let (sent, flow, id) = (place.requests[at].sent, place.flow, place.id);
        if self.trouble.silences.iter().any(|period| period.contains(sent)) {
            return None;
        }
        place.requests.drain(..=at);
        let longer = self.noise_ms() + self.detour_ms(sent) + self.own_queue_ms(flow, sent);
        let delay = Delay::RoundTrip(round_trip + Span::from_micros((longer * 1e3) as u64));
        Some(Sample { reflector: id, delay })
    }

    fn noise_ms(&mut self) -> f64 {
        let mean = self.trouble.noise_ms;
        let late = if chance(&mut self.rng, LATE.0) {
            uniform(&mut self.rng, 0.0, LATE.1 * mean)
        } else {
            0.0
        };
        late + exponential(&mut self.rng, mean)
    }

    fn detour_ms(&self, now: Time) -> f64 {
        let Some(Detours { every, longer_ms }) = &self.trouble.detours else { return 0.0 };
        let slot = now.as_nanos() / every.as_nanos();
        longer_ms.get(slot as usize).copied().unwrap_or_default()
    }

    fn own_queue_ms(&self, flow: usize, now: Time) -> f64 {
        if flow >= ASTRAY || !self.trouble.astray.iter().any(|period| period.contains(now)) {
            return 0.0;
        }
        let turn = 2.0 * std::f64::consts::PI * now.as_secs_f64() / ASTRAY_S;
        let part = 0.5 + 0.5 * sin(turn + flow as f64);
        ASTRAY_MS.0 + part * (ASTRAY_MS.1 - ASTRAY_MS.0)
    }
}
