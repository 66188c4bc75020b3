//! Arrivals from comma-separated values, `time_s,bytes[,flow,ecn,dscp]`: one line per packet, in
//! the order of time. Columns are recognised by their names and may come in any order.

use std::fmt::Display;
use std::io;

use csv::{ByteRecord, ErrorKind, Reader, ReaderBuilder, Terminator};
use units::{Excerpt, Time};

use crate::ReplayError;
use crate::arrival::Arrival;

mod bounded;
mod cell;
mod columns;
#[cfg(test)]
mod tests;

use bounded::{Bounded, TooLong};
use columns::Columns;

/// The bytes that are read at once.
const CHUNK: usize = 1 << 16;

/// The reader of arrivals from comma-separated values, in constant memory.
pub(crate) struct CsvArrivals<R> {
    reader: Reader<Bounded<R>>,
    record: ByteRecord,
    columns: Columns,
    /// The line and the time of the previous arrival; `None` before the first.
    last: Option<(u64, Time)>,
}

impl<R: io::Read> CsvArrivals<R> {
    /// Reads the header.
    pub(crate) fn new(reader: R) -> Result<Self, ReplayError> {
        let mut builder = ReaderBuilder::new();
        builder.has_headers(false).flexible(true).buffer_capacity(CHUNK);
        // A carriage return before the line feed counts as a blank at the end of the last cell.
        builder.terminator(Terminator::Any(b'\n'));
        let mut reader = builder.from_reader(Bounded::new(reader));
        let mut record = ByteRecord::new();
        if !read(&mut reader, &mut record)? {
            return Err(input("is empty; it must begin with the header `time_s,bytes`"));
        }
        let line = line_of(&reader, &record);
        let columns = Columns::of(&record).map_err(|why| input(format!("line {line}: {why}")))?;
        Ok(Self { reader, record, columns, last: None })
    }

    /// The next arrival; `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<Arrival>, ReplayError> {
        if !read(&mut self.reader, &mut self.record)? {
            return self.end();
        }
        let arrival = self.columns.arrival(&self.record).map_err(|why| self.fault(why))?;
        if let Some((line, last)) = self.last
            && arrival.time < last
        {
            let (now, last) = (seconds(arrival.time), seconds(last));
            return Err(self.fault(format!(
                "time runs backwards, from {last} on line {line} to {now}; sort the lines by time"
            )));
        }
        self.last = Some((line_of(&self.reader, &self.record), arrival.time));
        Ok(Some(arrival))
    }

    /// Checks that the file ends well: quotes are closed and there was an arrival.
    fn end(&self) -> Result<Option<Arrival>, ReplayError> {
        if !self.reader.get_ref().quotes_are_even() {
            return Err(input("a quote (\") is not closed, or stands alone"));
        }
        match self.last {
            Some(_) => Ok(None),
            None => Err(input("holds no arrivals, only a header")),
        }
    }

    fn fault(&self, why: impl Display) -> ReplayError {
        input(format!("line {}: {why}", line_of(&self.reader, &self.record)))
    }
}

/// Reads the next line that is not blank. Returns false if there is none.
fn read<R: io::Read>(
    reader: &mut Reader<Bounded<R>>,
    record: &mut ByteRecord,
) -> Result<bool, ReplayError> {
    loop {
        reader.get_mut().allow_a_line();
        let more = reader.read_byte_record(record).map_err(|error| failed(reader, error))?;
        let is_blank = record.len() == 1 && record[0].trim_ascii().is_empty();
        if !more || !is_blank {
            return Ok(more);
        }
    }
}

fn failed<R: io::Read>(reader: &Reader<Bounded<R>>, error: csv::Error) -> ReplayError {
    let line = reader.position().line();
    match error.into_kind() {
        ErrorKind::Io(error) if error.get_ref().is_some_and(|e| e.is::<TooLong>()) => {
            input(format!("line {line}: {TooLong}"))
        }
        ErrorKind::Io(error) => ReplayError::Read(error),
        other => input(format!("line {line}: {other:?}")),
    }
}

/// The line, from 1, on which the last record begins.
fn line_of<R: io::Read>(reader: &Reader<Bounded<R>>, record: &ByteRecord) -> u64 {
    let (position, cells) = (reader.position(), record.as_slice());
    // A quote that is not closed extends the record to the end of the file.
    let is_last = reader.get_ref().ends_at(position.byte()) || cells.ends_with(b"\n");
    let within = cells.iter().filter(|&&byte| byte == b'\n').count();
    position.line() - within as u64 - u64::from(!is_last)
}

fn input(message: impl Into<String>) -> ReplayError {
    ReplayError::Input(message.into())
}

fn seconds(time: Time) -> String {
    let nanos = time.as_nanos();
    format!("{}.{:09}", nanos / 1_000_000_000, nanos % 1_000_000_000)
}

/// A cell for a message: printable, and not too long.
fn excerpt(cell: &[u8]) -> String {
    Excerpt(&String::from_utf8_lossy(&cell[..cell.len().min(200)])).to_string()
}
