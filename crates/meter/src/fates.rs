//! Records the fate of each packet.

use std::io;

use qdisc::Cause;
use tables::{Fate, FateSink, PacketFate};
use units::{DirectionId, Time};

use crate::Tag;

/// A packet at one direction of a link, as a row of the table of fates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Passage {
    /// The direction that the packet crosses.
    pub(crate) direction: DirectionId,
    /// The packet. Packets that one tag stands for share a row, with the sum of their lengths.
    pub(crate) tag: Tag,
    /// The time at which the packet was offered to the queue.
    pub(crate) offered: Time,
}

/// The fate of a packet that the queue dropped for this cause.
#[inline]
pub const fn fate_of_dropped(cause: Cause) -> Fate {
    match cause {
        Cause::Overflow | Cause::Discarded => Fate::DroppedFull,
        Cause::Superseded => Fate::DroppedAck,
        _ => Fate::DroppedAqm,
    }
}

/// The fate of a departed packet that the wire does not lose. `is_marked` is true if this queue has
/// marked the packet.
#[inline]
pub const fn fate_of_departed(is_marked: bool, departed: Time) -> Fate {
    match is_marked {
        true => Fate::Marked { departed },
        false => Fate::Delivered { departed },
    }
}

/// The recorder of the fate of each packet on each link.
pub(crate) struct FateRecorder {
    sink: Box<dyn FateSink + Send>,
    links: Vec<String>,
    flows: Vec<String>,
    /// The number of packets in the sink, per direction.
    written: Vec<u64>,
    /// The latest packet that departed, with the time of its departure, held back as long as the
    /// wire may lose it; `None` if no packet is held back.
    departed: Option<(Passage, Time)>,
    /// The first error, after which nothing is written; `None` before an error.
    error: Option<io::Error>,
}

impl FateRecorder {
    /// A recorder of the packets of these links and flows.
    pub(crate) fn new(
        sink: Box<dyn FateSink + Send>,
        links: Vec<String>,
        flows: Vec<String>,
    ) -> Self {
        let written = vec![0; 2 * links.len()];
        Self { sink, written, links, flows, departed: None, error: None }
    }

    /// Adds a flow. Returns its number.
    pub(crate) fn add_flow(&mut self, name: String) -> u32 {
        self.flows.push(name);
        (self.flows.len() - 1) as u32
    }

    /// Records that the queue has dropped this packet.
    pub(crate) fn dropped(&mut self, packet: &Passage, cause: Cause) {
        self.settle();
        self.write(packet, fate_of_dropped(cause));
    }

    /// Records that this packet goes onto the wire.
    #[cold]
    pub(crate) fn departed(&mut self, packet: &Passage, now: Time) {
        self.settle();
        self.departed = Some((*packet, now));
    }

    /// Records that the wire has lost the packet that departed last.
    pub(crate) fn lost(&mut self) {
        if let Some((packet, departed)) = self.departed.take() {
            self.write(&packet, Fate::Lost { departed });
        }
    }

    /// Writes the packet that is held back, and ends the table.
    ///
    /// # Errors
    /// The first error of writing; the table ends there.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.settle();
        match self.error {
            Some(error) => Err(error),
            None => self.sink.finish(),
        }
    }

    /// Writes the packet that departed last, which was not lost.
    fn settle(&mut self) {
        if let Some((packet, departed)) = self.departed.take() {
            self.write(&packet, fate_of_departed(packet.tag.is_marked, departed));
        }
    }

    fn write(&mut self, packet: &Passage, fate: Fate) {
        if self.error.is_some() {
            return;
        }
        let Passage { direction, tag: Tag { flow, packets, bytes, .. }, offered } = *packet;
        let row = PacketFate {
            index: self.written[direction.index()],
            link: &self.links[direction.link()],
            direction: direction.way(),
            flow: &self.flows[flow as usize],
            bytes,
            enqueued: offered,
            fate,
        };
        self.written[direction.index()] += packets;
        self.error = self.sink.packet(&row).err();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use tables::FateWriter;
    use units::{Bytes, Way};

    use super::*;

    const TAG: Tag = Tag { flow: 0, packets: 1, bytes: Bytes(100), is_marked: false };
    const PACKET: Passage =
        Passage { direction: DirectionId::new(0, Way::Reverse), tag: TAG, offered: Time::ZERO };

    fn recorder(sink: impl FateSink + Send + 'static) -> FateRecorder {
        FateRecorder::new(Box::new(sink), vec!["uplink".into()], vec!["one".into()])
    }

    fn rows(record: impl FnOnce(&mut FateRecorder)) -> Vec<String> {
        let table = Arc::new(Mutex::new(FateWriter::new(Vec::new()).unwrap()));
        let mut recorder = recorder(table.clone());
        record(&mut recorder);
        recorder.finish().unwrap();
        let table = Arc::into_inner(table).unwrap().into_inner().unwrap();
        let text = String::from_utf8(table.finish().unwrap()).unwrap();
        text.lines().skip(1).map(str::to_owned).collect()
    }

    #[test]
    fn a_departed_packet_waits_for_its_fate() {
        let rows = rows(|recorder| {
            let departed = Time::from_millis(1);
            recorder.departed(&PACKET, departed);
            recorder.departed(&Passage { tag: Tag { is_marked: true, ..TAG }, ..PACKET }, departed);
            recorder.departed(&PACKET, departed);
            recorder.lost();
            recorder.dropped(&PACKET, Cause::Overflow);
            recorder.dropped(&PACKET, Cause::Congestion);
        });
        let fates: Vec<&str> = rows.iter().map(|row| row.rsplit(',').next().unwrap()).collect();
        assert_eq!(fates, ["delivered", "marked", "lost", "dropped_full", "dropped_aqm"]);
        assert_eq!(rows[2], "2,uplink,reverse,one,100,0.000000000,0.001000000,1.000000,lost");
    }

    #[test]
    fn flows_may_come_later_and_rows_stand_for_several_packets() {
        let rows = rows(|recorder| {
            let flow = recorder.add_flow("two".into());
            recorder.dropped(
                &Passage { tag: Tag { flow, packets: 3, ..TAG }, ..PACKET },
                Cause::Overflow,
            );
            recorder.dropped(&Passage { tag: Tag { flow, ..TAG }, ..PACKET }, Cause::Overflow);
            recorder.dropped(
                &Passage { direction: DirectionId::new(0, Way::Forward), ..PACKET },
                Cause::Overflow,
            );
        });
        let begin = |row: &String| row.split(",100,").next().unwrap().to_owned();
        let begins: Vec<String> = rows.iter().map(begin).collect();
        assert_eq!(
            begins,
            ["0,uplink,reverse,two", "3,uplink,reverse,two", "0,uplink,forward,one"]
        );
    }

    #[test]
    fn a_full_disk_is_an_error() {
        let mut recorder = recorder(FateWriter::new(io::Cursor::new([0; 100])).unwrap());
        (0..9).for_each(|_| recorder.dropped(&PACKET, Cause::Overflow));
        assert_eq!(recorder.finish().unwrap_err().kind(), io::ErrorKind::WriteZero);
    }
}
