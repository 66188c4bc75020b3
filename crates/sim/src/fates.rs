//! The fate of each packet, if it is to be written.

use std::io;

use meter::FateRecorder;
use units::Time;

use crate::Writer;
use crate::packet::SimPacket;

/// The table of fates, and the data about packets that only this table needs.
pub(crate) struct Fates {
    pub(crate) recorder: FateRecorder<Writer>,
    /// The times at which packets were offered to the queues that they are in, by the place of
    /// their payload.
    offered: Vec<Time>,
}

impl Fates {
    pub(crate) fn new(recorder: FateRecorder<Writer>) -> Self {
        Self { recorder, offered: Vec::new() }
    }

    /// The packet is offered to the queue of its present hop.
    pub(crate) fn offer(&mut self, packet: &SimPacket, now: Time) {
        let place = packet.payload as usize;
        if place >= self.offered.len() {
            self.offered.resize(place + 1, Time::ZERO);
        }
        self.offered[place] = now;
    }

    /// The time at which the packet was offered to the queue of its present hop.
    pub(crate) fn offered(&self, packet: &SimPacket) -> Time {
        self.offered[packet.payload as usize]
    }

    /// Writes the rest of the table.
    pub(crate) fn finish(self) -> io::Result<()> {
        self.recorder.finish().map(drop)
    }
}
