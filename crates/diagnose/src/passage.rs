//! The fates of single packets in one direction, on the client's clock.

use observation::{Heading, Observations, Probe, ProbeStream};
use units::Time;

use crate::clock::Clock;

/// The passage of a probe in one direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Passage {
    /// The time of sending, in seconds of the client's clock since the beginning.
    pub(crate) at: f64,
    /// The fate of the probe.
    pub(crate) fate: Fate,
}

/// The fate of a probe in one direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fate {
    /// The probe was delivered after this wait, in seconds beyond the path's least delay.
    Waited(f64),
    /// The probe was never delivered, though later ones were.
    Lost,
    /// Neither the probe nor any later one was delivered: the test may have ended first.
    Unknown,
}

impl Passage {
    /// The wait, in seconds; `None` if the probe was not delivered.
    pub(crate) fn wait(&self) -> Option<f64> {
        match self.fate {
            Fate::Waited(wait) => Some(wait),
            Fate::Lost | Fate::Unknown => None,
        }
    }
}

/// The passages of one stream in both directions, each in the order of sending.
#[derive(Clone, Debug, Default)]
pub(crate) struct Passages {
    /// The passages from the client to the server: one for each probe.
    pub(crate) up: Vec<Passage>,
    /// The passages from the server to the client: one for each probe that the server is known to
    /// have answered.
    pub(crate) down: Vec<Passage>,
}

impl Passages {
    /// The stream that represents the path: that of best effort, or else the first; `None` if there
    /// are none.
    pub(crate) fn stream_of_the_path(observations: &Observations) -> Option<&ProbeStream> {
        let streams = &observations.probes;
        streams.iter().find(|stream| stream.dscp == 0).or(streams.first())
    }

    /// The passages of this stream.
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
            // An answer that came shows that the probe had been delivered, whatever the server
            // noted.
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

    /// The passages in one direction.
    pub(crate) fn heading(&self, heading: Heading) -> &[Passage] {
        match heading {
            Heading::Up => &self.up,
            Heading::Down => &self.down,
        }
    }
}

fn fate(wait: Option<f64>, later_delivered: bool) -> Fate {
    match wait {
        Some(wait) => Fate::Waited(wait),
        None if later_delivered => Fate::Lost,
        None => Fate::Unknown,
    }
}

/// The passages that began at or after `from`, and before `to`.
pub(crate) fn between(passages: &[Passage], from: f64, to: f64) -> &[Passage] {
    let start = passages.partition_point(|passage| passage.at < from);
    let end = passages.partition_point(|passage| passage.at < to);
    passages.get(start..end).unwrap_or_default()
}
