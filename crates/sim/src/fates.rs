//! Writes what became of each packet while the world runs.

use std::io::{self, Write};

use results::{Fate, FateWriter, PacketFate, Way};
use units::{Bytes, Time};

use crate::packet::SimPacket;

/// Writes what became of each packet on each link.
pub(crate) struct FateRecorder {
    table: FateWriter<Box<dyn Write>>,
    links: Vec<String>,
    flows: Vec<String>,
    /// Per direction: how many packets have left its queue.
    written: Vec<u64>,
    /// The direction that is being observed.
    direction: usize,
    /// A departed packet, held back until it is clear that the wire did not lose it.
    departed: Option<(SimPacket, usize, Time)>,
    /// The first error; nothing is written after it.
    error: Option<io::Error>,
}

impl FateRecorder {
    pub(crate) fn new(
        writer: Box<dyn Write>,
        links: Vec<String>,
        flows: Vec<String>,
    ) -> io::Result<Self> {
        Ok(Self {
            table: FateWriter::new(writer)?,
            written: vec![0; 2 * links.len()],
            links,
            flows,
            direction: 0,
            departed: None,
            error: None,
        })
    }

    /// What follows is about this direction.
    pub(crate) fn observe(&mut self, direction: usize) {
        self.direction = direction;
    }

    pub(crate) fn dropped(&mut self, packet: &SimPacket, overflow: bool) {
        self.settle();
        let fate = if overflow { Fate::DroppedFull } else { Fate::DroppedAqm };
        self.write(packet, self.direction, fate);
    }

    pub(crate) fn departed(&mut self, packet: &SimPacket, now: Time) {
        self.settle();
        self.departed = Some((*packet, self.direction, now));
    }

    /// The packet that departed last is lost.
    pub(crate) fn lost(&mut self) {
        if let Some((packet, direction, departed)) = self.departed.take() {
            self.write(&packet, direction, Fate::Lost { departed });
        }
    }

    /// Writes what is held back and flushes.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.settle();
        match self.error {
            Some(error) => Err(error),
            None => self.table.finish().map(drop),
        }
    }

    /// The packet that departed last was not lost.
    fn settle(&mut self) {
        if let Some((packet, direction, departed)) = self.departed.take() {
            let fate = match packet.marked_here() {
                true => Fate::Marked { departed },
                false => Fate::Delivered { departed },
            };
            self.write(&packet, direction, fate);
        }
    }

    fn write(&mut self, packet: &SimPacket, direction: usize, fate: Fate) {
        if self.error.is_some() {
            return;
        }
        let row = PacketFate {
            index: self.written[direction],
            link: &self.links[direction / 2],
            direction: if direction.is_multiple_of(2) { Way::Forward } else { Way::Reverse },
            flow: &self.flows[packet.flow as usize],
            bytes: Bytes(u64::from(packet.len)),
            enqueued: packet.offered,
            fate,
        };
        self.written[direction] += 1;
        self.error = self.table.packet(&row).err();
    }
}
