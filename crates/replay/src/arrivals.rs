//! Arrivals from a CSV file or a capture, told apart by content.

use std::io::{Chain, Cursor, Read};

use qdisc::QdiscSpec;
use qdisc::disciplines::cake::{AckFilter, Isolation};
use results::CaptureAnomaly;
use wire::{CAPTURE_START, UnknownFormat};

use crate::capture::CaptureArrivals;
use crate::csv::CsvArrivals;
use crate::headers::LatestHeaders;
use crate::{Arrival, Framing, ReplayError};

/// The bytes at the beginning, and the rest.
type Whole<R> = Chain<Cursor<Vec<u8>>, R>;

/// A source of arrivals.
pub struct Arrivals<R: Read>(Source<R>);

enum Source<R: Read> {
    Csv(Box<CsvArrivals<Whole<R>>>),
    Capture(Box<CaptureArrivals<Whole<R>>>),
}

impl<R: Read> Arrivals<R> {
    /// Recognises the format and reads the header. `reader` need not be buffered.
    ///
    /// # Errors
    /// If it cannot be read, or is neither comma-separated values nor a capture.
    pub fn open(mut reader: R, framing: Framing) -> Result<Self, ReplayError> {
        let start = beginning(&mut reader).map_err(ReplayError::Read)?;
        let is_capture = wire::is_capture(&start);
        if !is_capture && let Some(complaint) = unreadable(&start) {
            return Err(ReplayError::Input(complaint));
        }
        let whole = Cursor::new(start).chain(reader);
        let source = match is_capture {
            true => Source::Capture(Box::new(CaptureArrivals::new(whole, framing)?)),
            false => Source::Csv(Box::new(CsvArrivals::new(whole)?)),
        };
        Ok(Self(source))
    }

    /// What this queue asks for by name and these arrivals do not have, in words; `None` if they
    /// have all of it.
    pub fn lacking(&self, queue: &QdiscSpec) -> Option<&'static str> {
        let (Source::Csv(_), QdiscSpec::Cake(cake)) = (&self.0, queue) else { return None };
        match cake.isolation {
            // `triple-isolate` is the default: all flows are of one host.
            Isolation::FlowBlind | Isolation::Flows | Isolation::Triple => {}
            _ => {
                return Some(
                    "a CSV has flows but no addresses, which isolation of hosts needs; write \
                     `flows`, or replay a capture",
                );
            }
        }
        (cake.ack_filter != AckFilter::Off).then_some(
            "a CSV has no TCP headers, which the filter of acknowledgements needs; leave \
             `ack-filter` out, or replay a capture",
        )
    }

    /// Reads the next arrival; `None` at the end.
    ///
    /// # Errors
    /// If the next arrival cannot be read or understood, or if there was no arrival at all.
    #[inline]
    pub(crate) fn read_next(&mut self) -> Result<Option<Arrival>, ReplayError> {
        match &mut self.0 {
            Source::Csv(source) => source.next(),
            Source::Capture(source) => source.next(),
        }
    }

    /// The headers of the latest arrival.
    pub(crate) fn headers(&self) -> &LatestHeaders {
        match &self.0 {
            Source::Csv(_) => &LatestHeaders::NONE,
            Source::Capture(source) => source.headers(),
        }
    }

    /// The anomalies so far; a CSV file has none.
    pub fn anomalies(&self) -> Vec<CaptureAnomaly> {
        match &self.0 {
            Source::Csv(_) => Vec::new(),
            Source::Capture(source) => source.anomalies().found(),
        }
    }

    /// The format: `csv` or `capture`.
    pub(crate) const fn format(&self) -> &'static str {
        match &self.0 {
            Source::Csv(_) => "csv",
            Source::Capture(_) => "capture",
        }
    }
}

/// The first bytes: as many as the format needs to be recognised, or all. If reading fails behind the
/// first byte, the next read reports it.
fn beginning(reader: &mut impl Read) -> Result<Vec<u8>, std::io::Error> {
    const MAGIC: usize = 4;
    let mut start = Vec::new();
    // A capture that its first bytes name may come through a pipe that has no more for now.
    for wanted in [MAGIC, CAPTURE_START] {
        let missing = wanted - start.len();
        match reader.by_ref().take(missing as u64).read_to_end(&mut start) {
            Err(error) if start.is_empty() => return Err(error),
            Ok(read) if read == missing && !wire::is_capture(&start) => {}
            _ => break,
        }
    }
    Ok(start)
}

/// The error message for a file that begins like this and is neither a capture nor a text; `None`
/// if the file may be a text.
fn unreadable(start: &[u8]) -> Option<String> {
    const WANTED: &str = "a CSV with the header `time_s,bytes`, or a pcap or pcapng capture";
    if start.is_empty() {
        return Some(format!("is empty; wanted is {WANTED}"));
    }
    if let Some(UnknownFormat { what, remedy }) = wire::unknown_format(start) {
        return Some(match remedy {
            Some(remedy) => format!("{what}; {remedy}"),
            None => format!("{what}; wanted is {WANTED}"),
        });
    }
    if matches!(start, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) {
        return Some("is UTF-16; write the CSV as UTF-8".into());
    }
    let is_odd = |byte: &u8| byte.is_ascii_control() && !matches!(byte, b'\t' | b'\n' | b'\r');
    // The reader of lines reports the place of a stray control character in a line.
    let first_line = start.split(|byte| *byte == b'\n').next().unwrap_or_default();
    first_line.iter().any(is_odd).then(|| {
        let first: Vec<_> = start.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        format!("begins with the bytes {}; wanted is {WANTED}", first.join(" "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAMING: Framing = Framing { mtu: 1500, overhead: 0 };

    fn refused(bytes: &[u8]) -> String {
        match Arrivals::open(bytes, FRAMING).map(|_| ()) {
            Err(ReplayError::Input(message)) => message,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn packets_without_ip_are_told() {
        for (bytes, part) in [
            (&b""[..], "is empty"),
            (&[0; 4096], "00 00 00 00"),
            (b"\xde\xad\xbe\xef\x02\x01\x01\0", "de ad be ef 02"),
            (b"\x7fELF\x02\x01\x01\0", "is a program; wanted is a CSV"),
            (b"\x1f\x8b\x08", "`gzip -d FILE`"),
            (b"BZh91AY", "`bzip2 -d FILE`"),
            (b"iptrace 2.0", "`editcap -F pcapng FILE OUT.pcapng`"),
            (b"\n<!DOCTYPE HTML>", "an HTML page"),
            (b"\xff\xfet\0i\0", "UTF-16"),
            (b"hello", "`hello`"),
        ] {
            let message = refused(bytes);
            assert!(message.contains(part), "no {part} in {message}");
        }
    }

    /// A pipe may give one byte at a time.
    #[test]
    fn a_slow_reader_is_read_to_its_end() {
        struct Slow<'a>(&'a [u8]);
        impl Read for Slow<'_> {
            fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
                let first = buffer.len().min(1);
                self.0.read(&mut buffer[..first])
            }
        }
        let text = format!("time_s,bytes\n{}", "1,100\n".repeat(1000));
        let mut arrivals = Arrivals::open(Slow(text.as_bytes()), FRAMING).unwrap();
        let mut count = 0;
        while arrivals.read_next().unwrap().is_some() {
            count += 1;
        }
        assert_eq!((count, arrivals.format()), (1000, "csv"));
    }
}
