//! Arrivals from a capture: its IP packets, at the times at which they were captured.

use std::io;

use captured::Anomalies;
use qdisc::Ecn;
use results::SkippedRecords;
use units::{Span, Time};
use wire::{CaptureReader, PacketView};

use crate::headers::LatestHeaders;
use crate::{Arrival, ReplayError};

mod cut;
mod places;
#[cfg(test)]
mod tests;

use cut::Pieces;
use places::Places;

/// The largest step back in time. Where several processors capture, packets may be written slightly
/// out of order. A larger step means that the file is damaged, or made of several.
const LARGEST_STEP_BACK: Span = Span::from_secs(1);

/// The framing of packets on the wire of the replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Framing {
    /// The longest IP packet in bytes. Longer packets of a capture are super-packets, and are cut.
    pub mtu: u32,
    /// The bytes that the wire adds to each IP packet of a capture.
    pub overhead: u32,
}

/// The reader of arrivals from a capture, in constant memory.
pub(crate) struct CaptureArrivals<R: io::Read> {
    reader: CaptureReader<R>,
    framing: Framing,
    /// The times of the first record and of the latest; `None` before the first.
    clock: Option<(Time, Time)>,
    /// The pieces that are left of the last packet.
    pieces: Pieces,
    last: Arrival,
    headers: LatestHeaders,
    places: Places,
    any: bool,
    anomalies: Anomalies,
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
            headers: LatestHeaders::none(framing.overhead),
            places: Places::new(),
            any: false,
            anomalies: Anomalies::default(),
        })
    }

    /// The next arrival, with the time since the first record; `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<Arrival>, ReplayError> {
        loop {
            if let Some(bytes) = self.pieces.next() {
                return Ok(Some(Arrival { bytes: bytes + self.framing.overhead, ..self.last }));
            }
            let Some(record) = self.reader.next()? else { return self.end() };
            let number = record.number;
            let packet = wire::dissect_from_ip(record.link_type, record.data, record.original_len);
            self.anomalies.records += 1;
            let time = match record.time {
                Some(time) => tick(&mut self.clock, time, &mut self.anomalies),
                None => Err("has no time (it is a Simple Packet Block)".into()),
            };
            let time = time.map_err(|why| ReplayError::Input(format!("record {number} {why}")))?;
            match packet {
                Ok((view, ip)) => {
                    if self.places.is_copy(&view, ip, wire::observation_point(&record, ip)) {
                        self.anomalies.copies += 1;
                        continue;
                    }
                    self.headers.keep(&view, ip);
                    self.take(&view, time);
                }
                Err(non_ip) => self.anomalies.skip(non_ip),
            }
        }
    }

    /// The headers of the latest arrival.
    pub(crate) const fn headers(&self) -> &LatestHeaders {
        &self.headers
    }

    /// The anomalies so far.
    pub(crate) const fn anomalies(&self) -> &Anomalies {
        &self.anomalies
    }

    fn take(&mut self, view: &PacketView, time: Time) {
        self.any = true;
        self.pieces = Pieces::of(view, self.framing.mtu);
        if self.pieces.count() > 1 {
            self.anomalies.super_packets += 1;
            self.anomalies.pieces += self.pieces.count();
        }
        let (flow, ecn) = (view.flow_hash(0), Ecn::from_bits(view.ecn));
        self.last = Arrival { time, bytes: 1, flow, ecn, dscp: view.dscp };
    }

    fn end(&mut self) -> Result<Option<Arrival>, ReplayError> {
        self.anomalies.truncation = self.reader.truncation();
        if self.any {
            return Ok(None);
        }
        let cut = self.reader.truncation();
        let cut = cut.map(|cut| format!("; it is cut off at byte {}", cut.offset));
        let nothing = match self.anomalies.skipped() {
            SkippedRecords { records: 0, .. } => "holds no packets".into(),
            SkippedRecords { records: 1, .. } => "holds no IP packet in its only record".into(),
            all => format!("holds no IP packet in {} records ({})", all.records, all.list()),
        };
        Err(ReplayError::Input(nothing + &cut.unwrap_or_default()))
    }
}

/// The time since the first record, which never runs backwards.
#[inline]
fn tick(
    clock: &mut Option<(Time, Time)>,
    time: Time,
    anomalies: &mut Anomalies,
) -> Result<Time, String> {
    let (first, latest) = clock.get_or_insert((time, time));
    if time < *latest {
        let back = latest.since(time);
        if back > LARGEST_STEP_BACK {
            return Err(format!(
                "is {back} earlier than the record before it; sort the capture by time, for \
                 instance with `reordercap`"
            ));
        }
        anomalies.out_of_order.note(back);
    }
    *latest = time.max(*latest);
    Ok(Time::ZERO + latest.since(*first))
}
