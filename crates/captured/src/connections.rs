//! All connections of a capture.

use std::collections::HashMap;
use std::io::Read;
use std::net::IpAddr;

use results::Capture;
use units::Time;
use wire::{
    CaptureError, CaptureReader, NonIp, PacketView, Record, Segment, dissect_from_ip,
    observation_point,
    protocol::{TCP, UDP},
    udp_data,
};

use crate::anomalies::Anomalies;
use crate::base::Bases;
use crate::clock::Clock;
use crate::connection::Connection;
use crate::datagrams::Datagrams;
use crate::document::document;
use crate::endpoint::Endpoint;
use crate::event::{Event, Observer};
use crate::packet::{CONGESTION_EXPERIENCED, Captured};
use crate::together::judge_together;

/// The connections of a capture, in the order of their first segments.
#[derive(Debug, Default)]
pub struct Connections {
    all: Vec<Connection>,
    /// The index of the latest connection between two ends, the lesser first.
    latest: HashMap<[Endpoint; 2], usize>,
    /// The connection of the latest packet, by its ports: packets come in rows.
    recent: Recent,
    anomalies: Anomalies,
    clock: Clock,
    datagrams: Datagrams,
    /// The segments that belong to a connection, without second copies.
    segments: u64,
    /// The time of the first packet that has one; `None` before it.
    first: Option<Time>,
    /// The latest time, for packets without one.
    now: Time,
    /// True if second copies count as packets of their own.
    counts_copies: bool,
}

/// The index of the connection of the latest packet with each [`place`].
#[derive(Debug)]
struct Recent([usize; PLACES]);

/// The places: as many connections as are often at work at a time.
const PLACES: usize = 64;

impl Default for Recent {
    fn default() -> Self {
        Self([usize::MAX; PLACES])
    }
}

/// The place of a connection between two ports: the same for both directions.
fn place(from: u16, to: u16) -> usize {
    usize::from(from ^ to) % PLACES
}

/// The bytes of a TCP header without options.
const TCP_HEADER: u64 = 20;

/// The records that are read at once, before the caller may end the reading.
const AT_ONCE: u32 = 4096;

impl Connections {
    /// No connections yet, whose second copies of packets will count as packets that were sent again, as in tcptrace.
    pub fn with_copies() -> Self {
        Self { counts_copies: true, ..Self::default() }
    }

    /// The connections of a capture, which `reader` gives. `go_on` is asked now and then; if it says no, what is
    /// left is not read.
    ///
    /// # Errors
    /// If nothing of the capture can be read. If a part of it can, the document says why what is left cannot.
    pub fn read(reader: impl Read, go_on: impl FnMut() -> bool) -> Result<Self, CaptureError> {
        Self::observe(reader, go_on, &mut ())
    }

    /// The same, while `observer` looks at each segment.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn observe(
        reader: impl Read,
        go_on: impl FnMut() -> bool,
        observer: &mut (impl Observer + ?Sized),
    ) -> Result<Self, CaptureError> {
        Self::default().followed(reader, go_on, observer)
    }

    /// These connections, with those of a capture, as [`observe`](Self::observe) reads it.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn followed(
        mut self,
        reader: impl Read,
        mut go_on: impl FnMut() -> bool,
        observer: &mut (impl Observer + ?Sized),
    ) -> Result<Self, CaptureError> {
        let mut reader = CaptureReader::new(reader)?;
        while go_on() {
            for _ in 0..AT_ONCE {
                match reader.next() {
                    Ok(Some(record)) => self.take(&record, observer),
                    Ok(None) => {
                        self.anomalies.truncation = reader.truncation();
                        return Ok(self);
                    }
                    Err(error) if self.anomalies.records > 0 => {
                        // What ends the reading may also be the error of a read that it has broken off.
                        self.anomalies.damage = go_on().then_some(error);
                        return Ok(self);
                    }
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(self)
    }

    /// Takes a record, which `observer` looks at too. What is no TCP segment, or of which too little was captured,
    /// is left.
    pub fn take(&mut self, record: &Record<'_>, observer: &mut (impl Observer + ?Sized)) {
        self.anomalies.records += 1;
        if let (None, Some(time)) = (self.first, record.time) {
            self.first = Some(time);
            observer.begin(time);
        }
        let packet = dissect_from_ip(record.link_type, record.data, record.original_len);
        let (view, ip) = match packet {
            Ok(packet) => packet,
            Err(non_ip) => return self.anomalies.skip(non_ip),
        };
        let Some(segment) = Segment::of(&view, ip) else {
            return self.take_other(&view, ip, record);
        };
        // A record without a time has that of the record before.
        self.now = record.time.map_or(self.now, |time| self.time(time));
        let identification = match view.source {
            IpAddr::V4(_) => ip.get(4..6).map(|it| u16::from_be_bytes([it[0], it[1]])),
            IpAddr::V6(_) => None,
        };
        let point = observation_point(record, ip);
        let captured =
            Captured { segment: &segment, ecn: view.ecn, identification, point, at: self.now };
        let (number, index) = self.find(&view, &captured);
        let connection = &mut self.all[number];
        if !self.counts_copies && connection.is_copy(index, &captured) {
            self.anomalies.copies += 1;
            return;
        }
        self.segments += 1;
        self.anomalies.cut_options += u64::from(segment.has_cut_options);
        if segment.data_len > 0 {
            let data = ip.get(view.header_len as usize..).unwrap_or_default();
            connection.note_hello(index, data, captured.at);
        }
        let effect = connection.take(index, &captured);
        observer.take(&Event {
            packet: self.anomalies.records,
            at: captured.at,
            connection: number,
            ends: &connection.ends,
            sender: index,
            segment: &segment,
            is_marked: captured.ecn == CONGESTION_EXPERIENCED,
            effect,
        });
    }

    /// Takes a packet that is none of TCP, or one of TCP of which too little was captured.
    fn take_other(&mut self, view: &PacketView, ip: &[u8], record: &Record<'_>) {
        let header_end = u64::from(view.transport_start) + TCP_HEADER;
        if view.protocol == TCP {
            let is_cut = (ip.len() as u64) < header_end.min(view.ip_len);
            self.anomalies.cut_headers += u64::from(is_cut);
        } else if view.protocol == UDP {
            let at = record.time.map_or(self.now, |time| self.time(time));
            self.datagrams.count(view, observation_point(record, ip), at);
            if let Some(data) = udp_data(view, ip) {
                self.datagrams.take(view, data, at);
            }
        }
    }

    /// Notes a packet that is known not to be one of IP.
    pub fn note_skipped(&mut self, non_ip: NonIp) {
        self.anomalies.records += 1;
        self.anomalies.skip(non_ip);
    }

    /// Notes that so many packets passed and are missing.
    pub fn note_missed(&mut self, count: u64) {
        self.anomalies.missed += count;
    }

    /// The document of all connections of a file with this name.
    pub fn document(&self, file: String) -> Capture {
        let bases = Bases::of(&self.all);
        let mut connections: Vec<_> =
            self.all.iter().map(|it| document(it, &bases, self.now)).collect();
        judge_together(&self.all, &self.datagrams.rates, &mut connections);
        let mut capture = Capture {
            file,
            packets: self.anomalies.records,
            segments: self.segments,
            first_s: self.first.unwrap_or_default().as_secs_f64(),
            anomalies: self.anomalies.found(),
            connections,
            ..Capture::default()
        };
        self.datagrams.tell(&mut capture);
        capture
    }

    /// The time of a record, which never goes back. tcptrace takes times as they are.
    fn time(&mut self, time: Time) -> Time {
        if self.counts_copies { time } else { self.clock.at(time, &mut self.anomalies) }
    }

    /// The index of the connection of a segment, which may be a new one, and that of its sender.
    fn find(&mut self, view: &PacketView, captured: &Captured<'_>) -> (usize, usize) {
        let (from, to) = view.ports.unwrap_or_default();
        let place = place(from, to);
        let from = Endpoint { address: view.source, port: from };
        let to = Endpoint { address: view.destination, port: to };
        let recent = self.recent.0[place];
        let known = self.sender(recent, &from, &to).map(|sender| (recent, sender)).or_else(|| {
            let number = *self.latest.get(&key(from, to))?;
            Some((number, self.sender(number, &from, &to)?))
        });
        let known = known.filter(|(number, sender)| {
            !self.all[*number].is_over(*sender, captured.segment, captured.at)
        });
        let (number, sender) = known.unwrap_or_else(|| {
            self.all.push(Connection::new([from, to], captured.at));
            self.latest.insert(key(from, to), self.all.len() - 1);
            (self.all.len() - 1, 0)
        });
        self.recent.0[place] = number;
        (number, sender)
    }

    /// The index of the sender in a connection; `None` if it is not between these two.
    fn sender(&self, number: usize, from: &Endpoint, to: &Endpoint) -> Option<usize> {
        let [one, other] = &self.all.get(number)?.ends;
        if one == from && other == to { Some(0) } else { (one == to && other == from).then_some(1) }
    }
}

/// The two ends, the lesser first.
fn key(from: Endpoint, to: Endpoint) -> [Endpoint; 2] {
    if (from.address, from.port) <= (to.address, to.port) { [from, to] } else { [to, from] }
}

#[cfg(test)]
mod tests;
