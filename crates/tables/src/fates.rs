//! The fate of each packet that was offered to a link.

use std::io;

use units::{Bytes, Time, Way};

use crate::csv::{Field, Millis, Seconds};

/// A packet and its fate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketFate<'a> {
    /// The number of the packet among those offered to this direction, from 0.
    pub index: u64,
    /// The name of the link.
    pub link: &'a str,
    /// The direction of the link that the packet crosses.
    pub direction: Way,
    /// The name of the flow.
    pub flow: &'a str,
    /// The length of the packet as the queue counts it, in bytes.
    pub bytes: Bytes,
    /// The time at which the packet was offered to the queue.
    pub enqueued: Time,
    /// The fate of the packet.
    pub fate: Fate,
}

/// The fates that a packet can have. `departed` is the time at which the packet left the queue,
/// when the link began to send it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The packet reached the far end.
    Delivered {
        /// The time at which the packet left the queue.
        departed: Time,
    },
    /// The packet reached the far end, marked with Congestion Experienced by this queue.
    Marked {
        /// The time at which the packet left the queue.
        departed: Time,
    },
    /// The packet was dropped, since the queue had reached its limit.
    DroppedFull,
    /// The packet was dropped by the queue's algorithm.
    DroppedAqm,
    /// The packet, an acknowledgement, was dropped since a later one says all that it says.
    DroppedAck,
    /// The packet was lost by the wire.
    Lost {
        /// The time at which the packet left the queue.
        departed: Time,
    },
}

impl Fate {
    /// The name of the fate in the table.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Delivered { .. } => "delivered",
            Self::Marked { .. } => "marked",
            Self::DroppedFull => "dropped_full",
            Self::DroppedAqm => "dropped_aqm",
            Self::DroppedAck => "dropped_ack",
            Self::Lost { .. } => "lost",
        }
    }

    /// The time at which the packet left the queue; `None` if the queue dropped it.
    pub const fn departed(self) -> Option<Time> {
        match self {
            Self::Delivered { departed } | Self::Marked { departed } | Self::Lost { departed } => {
                Some(departed)
            }
            Self::DroppedFull | Self::DroppedAqm | Self::DroppedAck => None,
        }
    }
}

/// The writer of packets as comma-separated values:
/// `index,link,direction,flow,bytes,enqueued_s,departed_s,sojourn_ms,fate`. Times are exact to the
/// nanosecond; a packet that the queue dropped has neither departure nor sojourn. The writer should
/// be buffered.
#[derive(Debug)]
pub struct FateWriter<W> {
    writer: W,
}

impl<W: io::Write> FateWriter<W> {
    /// Writes the line of column names.
    ///
    /// # Errors
    /// If writing fails.
    pub fn new(mut writer: W) -> io::Result<Self> {
        writeln!(writer, "index,link,direction,flow,bytes,enqueued_s,departed_s,sojourn_ms,fate")?;
        Ok(Self { writer })
    }

    /// Writes one packet.
    ///
    /// # Errors
    /// If writing fails.
    pub fn packet(&mut self, packet: &PacketFate<'_>) -> io::Result<()> {
        let PacketFate { index, link, direction, flow, bytes, enqueued, fate } = *packet;
        let (link, flow, way) = (Field(link), Field(flow), direction.name());
        write!(self.writer, "{index},{link},{way},{flow},{},{},", bytes.0, Seconds(enqueued))?;
        match fate.departed() {
            Some(departed) => {
                let sojourn = departed.since(enqueued);
                write!(self.writer, "{},{},", Seconds(departed), Millis(sojourn))?;
            }
            None => write!(self.writer, ",,")?,
        }
        writeln!(self.writer, "{}", fate.name())
    }

    /// Flushes, and returns the writer.
    ///
    /// # Errors
    /// If writing fails.
    pub fn finish(mut self) -> io::Result<W> {
        self.writer.flush()?;
        Ok(self.writer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_a_line_a_packet() {
        let departed = Time::from_nanos(2_000_000_001);
        let mut table = FateWriter::new(Vec::new()).unwrap();
        for (index, fate) in [
            Fate::Delivered { departed },
            Fate::Marked { departed },
            Fate::Lost { departed },
            Fate::DroppedFull,
            Fate::DroppedAqm,
        ]
        .into_iter()
        .enumerate()
        {
            let packet = PacketFate {
                index: index as u64,
                link: "uplink",
                direction: Way::Forward,
                flow: "web, 1",
                bytes: Bytes(1500),
                enqueued: Time::from_secs(1),
                fate,
            };
            table.packet(&packet).unwrap();
        }
        let expected = "\
            index,link,direction,flow,bytes,enqueued_s,departed_s,sojourn_ms,fate\n\
            0,uplink,forward,\"web, 1\",1500,1.000000000,2.000000001,1000.000001,delivered\n\
            1,uplink,forward,\"web, 1\",1500,1.000000000,2.000000001,1000.000001,marked\n\
            2,uplink,forward,\"web, 1\",1500,1.000000000,2.000000001,1000.000001,lost\n\
            3,uplink,forward,\"web, 1\",1500,1.000000000,,,dropped_full\n\
            4,uplink,forward,\"web, 1\",1500,1.000000000,,,dropped_aqm\n";
        assert_eq!(String::from_utf8(table.finish().unwrap()).unwrap(), expected);
    }
}
