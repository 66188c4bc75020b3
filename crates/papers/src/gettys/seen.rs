//! The observations of a run.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use results::{Document, FlowTimeline};
use tables::{FateSink, PacketFate};
use units::{Span, Way};

use super::Outcome;
use super::pings::{Ping, Pings};
use super::transfer::Sending;
use crate::error::Error;
use crate::run::{File, Ran, Run};

/// A run, and whether its packets are observed.
pub(super) struct Look {
    run: Run,
    watched: bool,
}

impl Look {
    /// A run of this scenario file, with a timeline of this step.
    pub(super) fn at(file: File, step: Span) -> Self {
        Self { run: Run::of(file).over_time(step), watched: false }
    }

    /// The run with this field changed.
    pub(super) fn set(self, path: &str, value: impl ToString) -> Self {
        Self { run: self.run.set(path, value), ..self }
    }

    /// The run with each packet observed.
    pub(super) fn closely(self) -> Self {
        Self { watched: true, ..self }
    }

    /// Simulates the run. `None` if `progress` ended it.
    pub(super) fn take(&self, progress: &mut dyn FnMut(f64) -> bool) -> Result<Outcome, Error> {
        let packets = Arc::new(Mutex::new(Packets::default()));
        let sink = self.watched.then(|| Box::new(packets.clone()) as Box<dyn FateSink + Send>);
        let ran = self.run.simulate(sink, progress)?;
        let mut packets = packets.lock().unwrap_or_else(PoisonError::into_inner);
        let Packets { pings, sending } = std::mem::take(&mut *packets);
        Ok(ran.map(|Ran { document, .. }| Seen { document, pings: pings.all(), sending }))
    }
}

/// The observations of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    pub(super) document: Document,
    /// The pings; empty unless packets were observed.
    pub(super) pings: Vec<Ping>,
    /// The upload's packets; empty unless packets were observed.
    pub(super) sending: Sending,
}

impl Seen {
    /// This flow's timeline. `None` if there is none.
    pub(super) fn flow(&self, name: &str) -> Option<&FlowTimeline> {
        self.document.timeline.as_ref()?.flows.get(name)
    }

    /// The step of the timeline in seconds; 0 without one.
    pub(super) fn step(&self) -> f64 {
        self.document.timeline.as_ref().map_or(0.0, |timeline| timeline.step_s)
    }
}

#[derive(Default)]
struct Packets {
    pings: Pings,
    sending: Sending,
}

impl FateSink for Packets {
    fn packet(&mut self, packet: &PacketFate<'_>) -> io::Result<()> {
        match (packet.flow, packet.direction) {
            ("ping", _) => self.pings.see(packet),
            ("upload", Way::Forward) => self.sending.see(packet),
            _ => {}
        }
        Ok(())
    }
}
