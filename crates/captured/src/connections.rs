//! All connections of a capture.

use std::collections::HashMap;
use std::io::Read;
use std::net::IpAddr;

use results::{Capture, CapturedConnection, CapturedEnd, CapturedQueue, LossPattern, QueueOwner};
use units::Time;
use wire::{CaptureError, CaptureReader, PacketView, Record, Segment, dissect, from_ip};

use crate::anomalies::Anomalies;
use crate::connection::{Captured, Connection, Endpoint};
use crate::document::document;

/// The connections of a capture, in the order of their first segments.
#[derive(Debug, Default)]
pub struct Connections {
    all: Vec<Connection>,
    /// The index of the latest connection between two ends, the lesser first.
    latest: HashMap<[Endpoint; 2], usize>,
    /// The ends of the latest packet: packets come in rows.
    recent: Option<([Endpoint; 2], usize)>,
    anomalies: Anomalies,
    /// The segments that belong to a connection.
    segments: u64,
    /// The latest time, for packets without one.
    now: Time,
}

/// A connection whose own data fills a queue: from where, and when.
struct Filler {
    from: IpAddr,
    first: Time,
    last: Time,
    rate_mbit: f64,
}

impl Filler {
    /// True if the connection sends from this host during this time.
    fn fills(&self, from: IpAddr, first: Time, last: Time) -> bool {
        self.from == from && self.first < last && self.last > first
    }

    /// True if the queue that another connection waits in is this one's: it is not told whose it is, or this one
    /// sends much more.
    fn explains(&self, queue: &CapturedQueue) -> bool {
        /// The part of this one's rate below which the other one does not fill the queue.
        const LITTLE: f64 = 1.0 / 3.0;
        match queue.whose {
            QueueOwner::Unknown => queue.correlation.is_some(),
            QueueOwner::Own => queue.rate_mbit.is_some_and(|rate| rate < LITTLE * self.rate_mbit),
            QueueOwner::Other | QueueOwner::None => false,
        }
    }
}

/// The ends of a connection whose own data fills a queue.
fn fillers((connection, document): (&Connection, &CapturedConnection)) -> Vec<Filler> {
    let filler = |(at, end): (&Endpoint, &CapturedEnd)| {
        let rate_mbit = end.queue?.rate_mbit?;
        let Connection { first, last, .. } = *connection;
        Some(Filler { from: at.address, first, last, rate_mbit })
    };
    connection.ends.iter().zip(&document.ends).filter_map(filler).collect()
}

/// The records that are read at once, before the caller may end the reading.
const AT_ONCE: u32 = 4096;

impl Connections {
    /// The connections of a capture, which `reader` gives. `go_on` is asked now and then; if it says no, what is
    /// left is not read.
    ///
    /// # Errors
    /// If the capture cannot be read, or is damaged.
    pub fn read(reader: impl Read, mut go_on: impl FnMut() -> bool) -> Result<Self, CaptureError> {
        let mut reader = CaptureReader::new(reader)?;
        let mut connections = Self::default();
        while go_on() {
            for _ in 0..AT_ONCE {
                let Some(record) = reader.next()? else {
                    connections.anomalies.truncation = reader.truncation();
                    return Ok(connections);
                };
                connections.take(&record);
            }
        }
        Ok(connections)
    }

    /// Takes a record. What is no TCP segment, or of which too little was captured, is left.
    pub fn take(&mut self, record: &Record<'_>) {
        self.anomalies.records += 1;
        let view = match dissect(record.link_type, record.data, record.original_len) {
            Ok(view) => view,
            Err(non_ip) => return self.anomalies.skip(non_ip),
        };
        let Ok(ip) = from_ip(record.link_type, record.data) else { return };
        let Some(segment) = Segment::of(&view, ip) else { return };
        self.note_time(record.time);
        self.segments += 1;
        let identification = match view.source {
            IpAddr::V4(_) => ip.get(4..6).map(|it| u16::from_be_bytes([it[0], it[1]])),
            IpAddr::V6(_) => None,
        };
        let captured = Captured { segment, ecn: view.ecn, identification, at: self.now };
        let (connection, index) = self.find(&view, &captured);
        connection.take(index, &captured);
    }

    /// The connections.
    pub fn all(&self) -> &[Connection] {
        &self.all
    }

    /// The document of all connections of a file with this name.
    pub fn document(&self, file: String) -> Capture {
        Capture {
            file,
            packets: self.anomalies.records,
            segments: self.segments,
            anomalies: self.anomalies.found(),
            connections: self.connections(),
            ..Capture::default()
        }
    }

    /// The documents of all connections. Whose queue it is may be told by another connection: one from the same host,
    /// at the same time, whose own data fills a queue.
    fn connections(&self) -> Vec<CapturedConnection> {
        let mut all: Vec<_> =
            self.all.iter().map(|connection| document(connection, self.now)).collect();
        let fillers: Vec<Filler> = self.all.iter().zip(&all).flat_map(fillers).collect();
        for (connection, document) in self.all.iter().zip(&mut all) {
            for (index, end) in document.ends.iter_mut().enumerate() {
                let from = connection.ends[index].address;
                let fills = |filler: &Filler| filler.fills(from, connection.first, connection.last);
                if let Some(queue) = &mut end.queue
                    && fillers.iter().any(|filler| fills(filler) && filler.explains(queue))
                {
                    *queue = CapturedQueue {
                        whose: QueueOwner::Other,
                        rate_mbit: None,
                        most_bytes: None,
                        losses: LossPattern::Unknown,
                        ..*queue
                    };
                }
            }
        }
        all
    }

    /// Takes the time of a record; one without a time has that of the record before.
    fn note_time(&mut self, time: Option<Time>) {
        let Some(time) = time else { return };
        if time < self.now {
            self.anomalies.steps_back += 1;
            let back = self.now.since(time);
            self.anomalies.largest_step_back = self.anomalies.largest_step_back.max(back);
        }
        self.now = time;
    }

    /// The connection of a segment, which may be a new one, and the index of its sender.
    fn find(&mut self, view: &PacketView, captured: &Captured) -> (&mut Connection, usize) {
        let (from, to) = view.ports.unwrap_or_default();
        let from = Endpoint { address: view.source, port: from };
        let to = Endpoint { address: view.destination, port: to };
        let is_less = (from.address, from.port) <= (to.address, to.port);
        let key = if is_less { [from, to] } else { [to, from] };
        let known = match self.recent {
            Some((recent, number)) if recent == key => Some(number),
            _ => self.latest.get(&key).copied(),
        };
        let sender = |it: &Connection| usize::from(it.ends[0] != from);
        let known = known.filter(|number| {
            let connection = &self.all[*number];
            !connection.is_over(sender(connection), &captured.segment, captured.at)
        });
        let number = known.unwrap_or_else(|| {
            self.all.push(Connection::new([from, to], captured.at));
            self.latest.insert(key, self.all.len() - 1);
            self.all.len() - 1
        });
        self.recent = Some((key, number));
        let connection = &mut self.all[number];
        let index = sender(connection);
        (connection, index)
    }
}
