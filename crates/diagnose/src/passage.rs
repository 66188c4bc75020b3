//! What single packets met in one direction, on our clock.

use results::observation::{Heading, Observations, Probe, ProbeStream};
use units::Time;

use crate::clock::Clock;

/// A probe's way in one direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Passage {
    /// When it set out, in seconds of our clock since the beginning.
    pub(crate) at: f64,
    /// What became of it.
    pub(crate) fate: Fate,
}

/// What became of a probe on its way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fate {
    /// It waited so long, in seconds beyond the path's least.
    Waited(f64),
    /// It never arrived, though later ones did.
    Lost,
    /// It never arrived, nor did any later one: the test may have ended first.
    Unknown,
}

impl Passage {
    /// Seconds of waiting, if it arrived.
    pub(crate) fn wait(&self) -> Option<f64> {
        match self.fate {
            Fate::Waited(wait) => Some(wait),
            Fate::Lost | Fate::Unknown => None,
        }
    }
}

/// Both directions of one stream, each in the order in which probes set out.
#[derive(Clone, Debug, Default)]
pub(crate) struct Passages {
    /// From us to the server: one of each probe.
    pub(crate) up: Vec<Passage>,
    /// From the server to us: one of each probe that the server answered, as far as is known.
    pub(crate) down: Vec<Passage>,
}

impl Passages {
    /// The probes that stand for the path: those of best effort, or else the first.
    pub(crate) fn stream_of_the_path(observations: &Observations) -> Option<&ProbeStream> {
        let streams = &observations.probes;
        streams.iter().find(|stream| stream.dscp == 0).or(streams.first())
    }

    /// Of this stream.
    pub(crate) fn new(stream: &ProbeStream, clock: &Clock) -> Self {
        let (mut theirs, mut waits) = (clock.theirs(), clock.waits());
        let mut passages = Self::default();
        let last = |stamp: fn(&Probe) -> Option<Time>| {
            stream.probes.iter().rposition(|probe| stamp(probe).is_some())
        };
        let last_reached = last(|probe| probe.reached);
        let last_returned = last(|probe| probe.returned);
        for (index, probe) in stream.probes.iter().enumerate() {
            let [up, down] = waits(probe);
            // An answer that came says that the probe had arrived, whatever the server noted.
            let returned_unseen = up.is_none() && probe.returned.is_some();
            if !returned_unseen {
                let at = clock.ours(probe.sent);
                passages.up.push(Passage { at, fate: fate(up, Some(index) < last_reached) });
            }
            if let Some(answered) = probe.answered {
                let at = theirs(answered);
                passages.down.push(Passage { at, fate: fate(down, Some(index) < last_returned) });
            }
        }
        passages
    }

    /// Those of one direction.
    pub(crate) fn heading(&self, heading: Heading) -> &[Passage] {
        match heading {
            Heading::Up => &self.up,
            Heading::Down => &self.down,
        }
    }
}

fn fate(wait: Option<f64>, later_arrived: bool) -> Fate {
    match wait {
        Some(wait) => Fate::Waited(wait),
        None if later_arrived => Fate::Lost,
        None => Fate::Unknown,
    }
}

/// Those that set out from `from` to before `to`.
pub(crate) fn between(passages: &[Passage], from: f64, to: f64) -> &[Passage] {
    let start = passages.partition_point(|passage| passage.at < from);
    let end = passages.partition_point(|passage| passage.at < to);
    passages.get(start..end).unwrap_or_default()
}
