//! A home is watched: probes are sent, answers are handed over, and spikes are told.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use observation::{LATE, PATIENCE, ProbeOutcome, WatchedProbe, WatchedSecond};
use results::Spike;
use spikes::{JudgedSpike, Load, Place, SpikeJudge, Traffic, Watched};
use units::{Bytes, Rng, Span, Time};

use super::home::{EARLIER, EARLIER_LENGTH, Home, HopAnswers, uniform};
use super::trouble::{Kind, Trouble};
use super::world::{STEP, World};

/// The seconds after a trouble: until all is known.
const AFTER: f64 = 110.0;
/// The time by which the transfers before have left all queues.
const LEARNT: f64 = EARLIER[1] + EARLIER_LENGTH + 5.0;
/// The time around a trouble within which a spike is of it, in seconds: queues empty slowly.
const AROUND: f64 = 3.0;

/// The spikes that were told of a home.
pub(super) struct Outcome {
    /// The spikes that overlap the trouble.
    pub(super) spikes: Vec<Spike>,
    /// The other spikes.
    pub(super) invented: Vec<Spike>,
    /// The seconds in which the trouble struck.
    pub(super) struck_s: f64,
    pub(super) hours: f64,
}

/// An answer on its way, or a time at which one is late or lost: when, which of these, the place, the time of
/// sending, the round trip, and what a clock told.
type Event = Reverse<(Time, u8, usize, Time, u64, Option<i64>)>;

const ANSWER: u8 = 0;
const AWAIT: u8 = 1;
const LOST: u8 = 2;

pub(super) fn play(home: &Home, trouble: &Trouble, seed: u64) -> Outcome {
    let mut rng = Rng::new(seed).fork("probes");
    let mut world = World::new(home, trouble, Rng::new(seed).fork("world"));
    let mut judge = judge(home);
    let places = 4 + home.targets_ms.len();
    let mut due: Vec<f64> = (0..places).map(|_| uniform(&mut rng, 0.0, 1.0)).collect();
    let mut events: BinaryHeap<Event> = BinaryHeap::new();
    let mut told = Vec::new();
    let [mut passed, mut local] = [[0.0; 2]; 2];
    let end = trouble.start + trouble.duration + AFTER;
    let mut struck_s = 0.0;
    for step in 1..=(end / STEP) as u64 {
        world.step();
        let seconds = step as f64 * STEP;
        let now = Time::ZERO + Span::from_secs_f64(seconds);
        struck_s += if seconds > LEARNT && world.is_struck() { STEP } else { 0.0 };
        let is_fast = judge.wants_more(now);
        for (place, due) in due.iter_mut().enumerate() {
            if seconds >= *due {
                let every = if is_fast { fast(home, place) } else { 1.0 };
                *due = seconds + every * uniform(&mut rng, 0.8, 1.2);
                send(&mut world, place, now, home, &mut events);
            }
        }
        hand_over(&mut judge, &mut events, now);
        if step.is_multiple_of(20) {
            let during = Span::from_millis(200);
            let traffic = |now: [f64; 2], before: [f64; 2]| {
                let [up, down] = [0, 1].map(|way| Bytes((now[way] - before[way]) as u64));
                Traffic { up, down }
            };
            let line = traffic(world.passed, passed);
            judge.take_load(Load { at: now, during, line, local: traffic(world.local, local) });
            (passed, local) = (world.passed, world.local);
            told.extend(judge.tick(now));
        }
        if step.is_multiple_of(100) {
            let (late, signal, retries) = world.second();
            let lateness = Span::from_secs_f64(late / 1e3);
            judge.take_second(WatchedSecond {
                at: now,
                lateness,
                signal,
                retries,
                ..WatchedSecond::default()
            });
        }
    }
    split(told, trouble, struck_s, end / 3600.0)
}

fn judge(home: &Home) -> SpikeJudge {
    let place = |index: usize| match index {
        0 => Place::Machine,
        1..4 => Place::Hop(index as u8),
        _ => Place::Target,
    };
    let watched = |index: usize| Watched {
        name: index.to_string(),
        host: index.to_string(),
        place: place(index),
    };
    let mut judge = SpikeJudge::new((0..4 + home.targets_ms.len()).map(watched).collect());
    judge.set_wireless(home.is_wireless);
    judge
}

/// The seconds between two probes while something happens.
fn fast(home: &Home, place: usize) -> f64 {
    match place {
        0 | 1 => 0.05,
        2 | 3 if home.hops[place - 1] == HopAnswers::Promptly => 0.05,
        2 | 3 => 1.0,
        4 if home.tells => 0.05,
        _ => 0.2,
    }
}

fn send(
    world: &mut World<'_>,
    place: usize,
    now: Time,
    home: &Home,
    events: &mut BinaryHeap<Event>,
) {
    let Some((ms, up_ms)) = world.probe(place) else { return };
    if ms.is_finite() {
        let round_trip = Span::from_secs_f64(ms / 1e3);
        let drift = now.as_nanos() as f64 * home.drift * 1e-6;
        let base = home.targets_ms.first().copied().unwrap_or(0.0) / 2.0;
        let up = (place == 4 && home.tells).then_some((drift + (base + up_ms) * 1e6) as i64);
        events.push(Reverse((now + round_trip, ANSWER, place, now, round_trip.as_nanos(), up)));
        if round_trip > LATE {
            events.push(Reverse((now + LATE, AWAIT, place, now, 0, None)));
        }
    } else {
        events.push(Reverse((now + LATE, AWAIT, place, now, 0, None)));
        events.push(Reverse((now + PATIENCE, LOST, place, now, 0, None)));
    }
}

fn hand_over(judge: &mut SpikeJudge, events: &mut BinaryHeap<Event>, now: Time) {
    while events.peek().is_some_and(|Reverse(it)| it.0 <= now) {
        let Some(Reverse((_, kind, place, sent, nanos, up))) = events.pop() else { return };
        let outcome = match kind {
            AWAIT => {
                judge.await_answer(place, sent, false);
                continue;
            }
            ANSWER => {
                ProbeOutcome::Answered { round_trip: Span::from_nanos(nanos), up, kept: None }
            }
            _ => ProbeOutcome::Lost,
        };
        judge.take_probe(place, WatchedProbe { sent, is_extra: false, outcome });
    }
}

fn split(told: Vec<JudgedSpike>, trouble: &Trouble, struck_s: f64, hours: f64) -> Outcome {
    let (from, to) = (trouble.start - AROUND, trouble.start + trouble.duration + AROUND);
    let is_of_it = |it: &JudgedSpike| {
        trouble.kind != Kind::Calm && it.end.as_secs_f64() >= from && it.start.as_secs_f64() <= to
    };
    // What was told of the transfers before is no matter of this trouble.
    let is_recent =
        |it: &JudgedSpike| it.start.as_secs_f64() > LEARNT || it.end.as_secs_f64() < EARLIER[0];
    let (spikes, invented): (Vec<_>, Vec<_>) =
        told.into_iter().filter(is_recent).partition(is_of_it);
    let only = |all: Vec<JudgedSpike>| all.into_iter().map(|it| it.spike).collect();
    Outcome { spikes: only(spikes), invented: only(invented), struck_s, hours }
}
