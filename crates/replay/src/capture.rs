//! Arrivals from a capture: its IP packets, at the times at which they were captured.

use std::io;

use qdisc::Ecn;
use units::{Span, Time};
use wire::{CaptureReader, PacketView};

use crate::{Arrival, ReplayError};

mod cut;
mod notes;
#[cfg(test)]
mod tests;

use cut::Pieces;
pub(crate) use notes::Notes;

/// Where several processors capture, packets may be written a little out of order. More than this
/// is a damaged file, or several in one.
const LARGEST_STEP_BACK: Span = Span::from_secs(1);

/// How packets lie on the wire of the replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Framing {
    /// Longer IP packets of a capture are super-packets, and are cut.
    pub mtu: u32,
    /// What the wire adds to each IP packet of a capture.
    pub overhead: u32,
}

/// Reads arrivals from a capture, in constant memory.
pub(crate) struct CaptureArrivals<R: io::Read> {
    reader: CaptureReader<R>,
    framing: Framing,
    /// The time of the first record, and of the latest.
    clock: Option<(Time, Time)>,
    /// What is left of the last packet.
    pieces: Pieces,
    last: Arrival,
    any: bool,
    notes: Notes,
}

impl<R: io::Read> CaptureArrivals<R> {
    /// Reads the header.
    pub(crate) fn new(reader: R, framing: Framing) -> Result<Self, ReplayError> {
        let last =
            Arrival { time: Time::ZERO, bytes: 1, flow: 0, ecn: Default::default(), dscp: 0 };
        Ok(Self {
            reader: CaptureReader::new(reader)?,
            framing,
            clock: None,
            pieces: Pieces::default(),
            last,
            any: false,
            notes: Notes::default(),
        })
    }

    /// The next arrival, if there is one more. Its time is that since the first record.
    pub(crate) fn next(&mut self) -> Result<Option<Arrival>, ReplayError> {
        loop {
            if let Some(bytes) = self.pieces.next() {
                return Ok(Some(Arrival { bytes: bytes + self.framing.overhead, ..self.last }));
            }
            let Some(record) = self.reader.next()? else { return self.end() };
            let number = record.number;
            let view = wire::dissect(record.link_type, record.data, record.original_len);
            self.notes.records += 1;
            let time = match record.time {
                Some(time) => tick(&mut self.clock, time, &mut self.notes),
                None => Err("bears no time (it is a Simple Packet Block)".into()),
            };
            let time = time.map_err(|why| ReplayError::Input(format!("record {number} {why}")))?;
            match view {
                Ok(view) => self.take(&view, time),
                Err(alien) => self.notes.skip(alien),
            }
        }
    }

    /// What was out of the ordinary so far.
    pub(crate) const fn notes(&self) -> &Notes {
        &self.notes
    }

    fn take(&mut self, view: &PacketView, time: Time) {
        self.any = true;
        self.pieces = Pieces::of(view, self.framing.mtu);
        if self.pieces.count() > 1 {
            self.notes.super_packets += 1;
            self.notes.pieces += self.pieces.count();
        }
        let (flow, ecn) = (view.flow_hash(0), Ecn::from_bits(view.ecn));
        self.last = Arrival { time, bytes: 1, flow, ecn, dscp: view.dscp };
    }

    fn end(&mut self) -> Result<Option<Arrival>, ReplayError> {
        self.notes.truncation = self.reader.truncation();
        if self.any { Ok(None) } else { Err(ReplayError::Input(self.notes.nothing())) }
    }
}

/// The time since the first record, kept from running backwards.
#[inline]
fn tick(clock: &mut Option<(Time, Time)>, time: Time, notes: &mut Notes) -> Result<Time, String> {
    let (first, latest) = clock.get_or_insert((time, time));
    if time < *latest {
        let back = latest.since(time);
        if back > LARGEST_STEP_BACK {
            return Err(format!(
                "lies {back} before the one before it; sort the capture by time, for instance \
                 with `reordercap`"
            ));
        }
        notes.steps_back += 1;
        notes.largest_step_back = notes.largest_step_back.max(back);
    }
    *latest = time.max(*latest);
    Ok(Time::ZERO + latest.since(*first))
}
