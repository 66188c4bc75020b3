//! What became of each packet, if somebody wants to know.

use std::io;

use meter::FateRecorder;
use units::Time;

use crate::Writer;
use crate::packet::SimPacket;

/// The table of fates, and what only it wants to know of packets.
pub(crate) struct Fates {
    pub(crate) recorder: FateRecorder<Writer>,
    /// By the places of their payloads: when packets were offered to the queues that they are in.
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

    /// When the packet was offered to the queue of its present hop.
    pub(crate) fn offered(&self, packet: &SimPacket) -> Time {
        self.offered[packet.payload as usize]
    }

    /// Writes what is still to be written.
    pub(crate) fn finish(self) -> io::Result<()> {
        self.recorder.finish().map(drop)
    }
}
