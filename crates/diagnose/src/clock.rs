//! The relation of the server's clock to the client's.
//!
//! A probe's way up is `reached` minus `sent`, its way down `returned` minus `answered`: each the
//! difference of two clocks that were never compared. But the offset of the server's clock adds to
//! the one and is subtracted from the other, and nothing is delivered sooner than on an empty path.
//! So the lower envelopes of both ways show offset and drift together, even if there is a queue in
//! one of them at first:
//!
//! 1. A step of the server's clock makes one way jump up by as much as the other jumps down, for
//!    good ([`step`]). Steps are removed first, if the least round trip shows that they were real.
//! 2. The drift is the slope `b` that leaves the most to the least delays: the sum of
//!    `min(up - b t)` and `min(down + b t)` is the path's round trip without queues, which no wrong
//!    slope makes longer. The sum is concave in `b`, so that a search by thirds finds its top.
//! 3. The time that a probe took beyond these envelopes is its wait.
//!
//! Where no probe reached the server, loading connections show the clocks' offset, though not to
//! the millisecond: the server's first note on a connection is from just after its beginning by the
//! client's clock.
//!
//! Source of the idea: V. Paxson, "On calibrating measurements of packet transit times",
//! SIGMETRICS 1998 (steps, and both directions together); S. Moon, P. Skelly, D. Towsley,
//! "Estimation and removal of clock skew from network delay measurements", INFOCOM 1999 (the line
//! below all delays). Deviations: one slope for both directions, and a floor of round trips instead
//! of the sum of distances to the line, so that a direction that is loaded most of the time does
//! not pull it.

mod step;
#[cfg(test)]
mod tests;

use observation::{Heading, Observations, Probe};
use units::Time;

pub(crate) use step::{ClockStep, Walk};
use step::{Exchange, steps};

/// The fastest drift of a clock that is believed: ten times that of a bad crystal.
const MOST_DRIFT: f64 = 1e-3;

/// Seconds of round trip that a drift of 1 must explain before it is believed: probes closer
/// together than this are no evidence. A direction that others fill nearly always is usually free
/// for a moment, and noise in that moment would otherwise be taken for drift of the whole test.
const DOUBT: f64 = 2.0;

/// Seconds by which the least round trip varies, since delays do: a true step may make it shorter
/// by as much, and reveals itself by more.
const NOISE: f64 = 0.3e-3;

/// The weight of a step's difference from its neighbours' estimate, in seconds of the least round
/// trip for each second.
const DOUBTFUL: f64 = 0.05;

/// The most by which a step may differ from its neighbours' estimate: this part of it, plus these
/// seconds.
const UNSURE: f64 = 0.02;
const LEAST_UNSURE: f64 = 5e-3;

/// The server's clock, as the client's sees it. Seconds of the client's clock are counted from
/// [`ours`](Self::ours).
#[derive(Clone, Debug)]
pub(crate) struct Clock {
    /// Time 0 of the client's clock.
    ours: Time,
    /// Time 0 of the server's clock, before any step.
    theirs: Time,
    /// The steps of the server's clock.
    pub(crate) steps: Vec<ClockStep>,
    /// Seconds that the server's clock gains in a second.
    pub(crate) drift: f64,
    /// The least difference of both clocks on the way up, and on the way down, in seconds.
    floors: [f64; 2],
}

impl Clock {
    /// The clock by the probes' stamps. `ours` is the beginning of the test.
    pub(crate) fn new(observations: &Observations, ours: Time) -> Self {
        let stamps = observations.probes.iter().flat_map(|stream| &stream.probes);
        let theirs = stamps.filter_map(|probe| probe.reached.or(probe.answered)).next();
        let theirs = theirs.or_else(|| by_connections(observations, ours)).unwrap_or(ours);
        let longest = observations.probes.iter().max_by_key(|stream| stream.probes.len());
        let exchanges: Vec<Exchange> = longest.map_or(Vec::new(), |stream| {
            stream.probes.iter().filter_map(|probe| exchange(probe, ours, theirs)).collect()
        });
        let mut clock = Self { ours, theirs, steps: Vec::new(), drift: 0.0, floors: [0.0; 2] };
        clock.fit(observations);
        let mut steps = steps(&exchanges);
        // Large ones first: while one is left in, smaller ones seem to make no difference.
        steps.sort_by(|one, other| other.by.abs().total_cmp(&one.by.abs()));
        for step in steps {
            let mut other = clock.clone();
            let index = other.steps.partition_point(|earlier| earlier.at <= step.at);
            other.steps.insert(index, step);
            other.fit(observations);
            other.refine(observations, index);
            // Removing a step that was not real makes the path's least round trip shorter.
            if other.least() >= clock.least() - NOISE {
                clock = other;
            }
        }
        clock.doubt(observations);
        clock
    }

    /// Drops steps without evidence: single ones, or pairs of which the second undoes the first, as
    /// bursts of others' traffic look. A real step that is not removed makes the least round trip
    /// shorter by itself, since one of the ways is shorter by that much from then on.
    fn doubt(&mut self, observations: &Observations) {
        while let Some(clock) = self.without_idle_steps(observations) {
            *self = clock;
        }
    }

    /// The clock without the first step or pair that makes no difference; `None` if each makes one.
    fn without_idle_steps(&self, observations: &Observations) -> Option<Self> {
        let count = self.steps.len();
        let alone = (0..count).map(|one| (one, one));
        let twos = (0..count).flat_map(|one| (one + 1..count).map(move |other| (one, other)));
        let cancel = |&(one, other): &(usize, usize)| {
            let (one, other) = (self.steps[one].by, self.steps[other].by);
            (one + other).abs() <= one.abs() / 4.0
        };
        alone.chain(twos.filter(cancel)).find_map(|(one, other)| {
            let mut clock = self.clone();
            clock.steps.remove(other);
            if other > one {
                clock.steps.remove(one);
            }
            clock.fit(observations);
            let shown = self.least() - clock.least();
            (shown < (self.steps[one].by.abs() / 2.0).max(NOISE)).then_some(clock)
        })
    }

    /// Fits drift and floors to the differences without the steps.
    fn fit(&mut self, observations: &Observations) {
        let differences = self.differences(observations);
        self.drift = drift(&differences);
        self.floors = differences.floors(self.drift);
    }

    /// Refines the size of a step, which the probes around it show only roughly. The least round
    /// trip is longest at the true size, if both ways were free at some time before and after.
    fn refine(&mut self, observations: &Observations, index: usize) {
        let found = self.steps[index].by;
        let doubt = UNSURE * found.abs() + LEAST_UNSURE;
        let mut other = self.clone();
        let mut score = |off: f64| {
            other.steps[index].by = found + off;
            let [up, down] = other.differences(observations).floors(self.drift);
            up + down - DOUBTFUL * off.abs()
        };
        let off = top(-doubt, doubt, 30, &mut score);
        self.steps[index].by = found + off;
        self.fit(observations);
    }

    /// The least round trip, in seconds.
    fn least(&self) -> f64 {
        self.floors[0] + self.floors[1]
    }

    /// Seconds since the test began, by the client's clock.
    pub(crate) fn ours(&self, time: Time) -> f64 {
        seconds(self.ours, time)
    }

    /// The server's times, in the order in which they were taken, as seconds of the client's clock:
    /// exact but for half of the difference between the empty path's delays up and down.
    pub(crate) fn theirs(&self) -> impl FnMut(Time) -> f64 + '_ {
        let mut walk = Walk::new(&self.steps);
        move |time| self.uniform(&mut walk, time) - (self.floors[0] - self.floors[1]) / 2.0
    }

    /// The waits in seconds, up and down, of probes of one stream, in the order in which they were
    /// sent.
    pub(crate) fn waits(&self) -> impl FnMut(&Probe) -> [Option<f64>; 2] + '_ {
        let mut walk = Walk::new(&self.steps);
        move |probe| {
            let [up, down] = self.difference(&mut walk, probe);
            let wait = |both: (f64, f64), floor: f64| (both.0 - floor).max(0.0);
            [
                up.map(|(at, up)| wait((up - self.drift * at, at), self.floors[0])),
                down.map(|(at, down)| wait((down + self.drift * at, at), self.floors[1])),
            ]
        }
    }

    /// The round trip of the path without queues, in seconds; `None` if no probe came back.
    pub(crate) fn least_round_trip(&self) -> Option<f64> {
        let sum = self.least();
        (self.floors.iter().all(|floor| floor.is_finite()) && sum > 0.0).then_some(sum)
    }

    /// A probe's round trip without the server's part, in seconds; `None` if it did not come back.
    pub(crate) fn round_trip(&self, probe: &Probe) -> Option<f64> {
        let at_server = probe.answered?.since(probe.reached?).as_secs_f64();
        let away = seconds(probe.sent, probe.returned?);
        Some((away - at_server).max(0.0))
    }

    /// The server's time without steps and without drift, in seconds.
    fn uniform(&self, walk: &mut Walk<'_>, time: Time) -> f64 {
        walk.without_steps(seconds(self.theirs, time)) * (1.0 - self.drift)
    }

    /// Both ways of a probe, without steps: its time at the server, by the server's clock, and the
    /// difference of the clocks, in seconds.
    fn difference(&self, walk: &mut Walk<'_>, probe: &Probe) -> [Option<(f64, f64)>; 2] {
        let theirs = |walk: &mut Walk<'_>, time| walk.without_steps(seconds(self.theirs, time));
        let up = probe.reached.map(|reached| {
            let reached = theirs(walk, reached);
            (reached, reached - self.ours(probe.sent))
        });
        let down = probe.answered.zip(probe.returned).map(|(answered, returned)| {
            let answered = theirs(walk, answered);
            (answered, self.ours(returned) - answered)
        });
        [up, down]
    }

    /// The differences of all probes of all streams.
    fn differences(&self, observations: &Observations) -> Differences {
        let mut all = Differences::default();
        for stream in &observations.probes {
            let mut walk = Walk::new(&self.steps);
            for probe in &stream.probes {
                let [up, down] = self.difference(&mut walk, probe);
                all.up.extend(up);
                all.down.extend(down);
            }
        }
        all
    }
}

/// The server's time when the client's was `ours`: the earliest that any loading connection shows,
/// since the server notes each somewhat after its beginning. `None` if the server noted none.
fn by_connections(observations: &Observations, ours: Time) -> Option<Time> {
    let noted = observations.flows.iter().filter_map(|flow| {
        let first = match flow.heading {
            Heading::Up => flow.received.first().map(|receipt| receipt.at),
            Heading::Down => flow.sender.first().map(|sample| sample.at),
        };
        Some(first? - flow.start.since(ours))
    });
    noted.min()
}

/// The differences of the clocks on each way: the time by the server's clock, and the difference,
/// in seconds.
#[derive(Debug, Default)]
struct Differences {
    up: Vec<(f64, f64)>,
    down: Vec<(f64, f64)>,
}

impl Differences {
    /// The least difference of each way, without this drift; 0 if there is none.
    fn floors(&self, drift: f64) -> [f64; 2] {
        let least = |list: &[(f64, f64)], slope: f64| {
            let least =
                list.iter().map(|(at, apart)| apart + slope * at).fold(f64::INFINITY, f64::min);
            if least.is_finite() { least } else { 0.0 }
        };
        [least(&self.up, -drift), least(&self.down, drift)]
    }
}

/// The drift with the longest least round trip; among several, the smallest.
fn drift(differences: &Differences) -> f64 {
    let mut score = |drift: f64| {
        let [up, down] = differences.floors(drift);
        up + down - DOUBT * drift.abs()
    };
    // Each round leaves two thirds: after 50 the doubt is 3e-12.
    top(-MOST_DRIFT, MOST_DRIFT, 50, &mut score)
}

/// The argument of a concave function's maximum.
fn top(mut low: f64, mut high: f64, rounds: u32, function: &mut impl FnMut(f64) -> f64) -> f64 {
    for _ in 0..rounds {
        let third = (high - low) / 3.0;
        if function(low + third) < function(high - third) { low += third } else { high -= third }
    }
    (low + high) / 2.0
}

/// A probe that came back, in seconds of each clock.
fn exchange(probe: &Probe, ours: Time, theirs: Time) -> Option<Exchange> {
    Some(Exchange {
        sent: seconds(ours, probe.sent),
        reached: seconds(theirs, probe.reached?),
        answered: seconds(theirs, probe.answered?),
        returned: seconds(ours, probe.returned?),
    })
}

/// Seconds from `origin` to `time`; negative if `time` is earlier.
pub(crate) fn seconds(origin: Time, time: Time) -> f64 {
    time.since(origin).as_secs_f64() - origin.since(time).as_secs_f64()
}
