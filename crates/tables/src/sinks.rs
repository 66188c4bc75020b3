//! The destinations of tables: files, or the memory of the caller.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use units::Time;

use crate::fates::{FateWriter, PacketFate};
use crate::series::{Series, SeriesWriter, check_width};

/// A destination of the fates of packets.
pub trait FateSink {
    /// Takes the next packet.
    ///
    /// # Errors
    /// If the packet cannot be written.
    fn packet(&mut self, packet: &PacketFate<'_>) -> io::Result<()>;

    /// Ends the table. There is nothing to do for a destination in memory.
    ///
    /// # Errors
    /// If the rest cannot be written.
    fn finish(self: Box<Self>) -> io::Result<()> {
        Ok(())
    }
}

/// A destination of a time series, whose columns it knows.
pub trait SeriesSink {
    /// Takes the next row: a cell for each column, `None` where there is no value.
    ///
    /// # Errors
    /// If there are more or fewer cells than columns, or the row cannot be written.
    fn row(&mut self, time: Time, cells: &[Option<f64>]) -> io::Result<()>;

    /// Ends the table. There is nothing to do for a destination in memory.
    ///
    /// # Errors
    /// If the rest cannot be written.
    fn finish(self: Box<Self>) -> io::Result<()> {
        Ok(())
    }
}

impl<W: io::Write> FateSink for FateWriter<W> {
    fn packet(&mut self, packet: &PacketFate<'_>) -> io::Result<()> {
        self.packet(packet)
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        (*self).finish().map(drop)
    }
}

impl SeriesSink for Series {
    fn row(&mut self, time: Time, cells: &[Option<f64>]) -> io::Result<()> {
        check_width(cells.len(), self.columns().len())?;
        self.push(time, cells);
        Ok(())
    }
}

impl<W: io::Write> SeriesSink for SeriesWriter<W> {
    fn row(&mut self, time: Time, cells: &[Option<f64>]) -> io::Result<()> {
        self.row(time, cells)
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        (*self).finish().map(drop)
    }
}

/// A sink that the caller keeps, and reads or finishes after the run.
impl<S: FateSink> FateSink for Arc<Mutex<S>> {
    fn packet(&mut self, packet: &PacketFate<'_>) -> io::Result<()> {
        self.lock().unwrap_or_else(PoisonError::into_inner).packet(packet)
    }
}

/// A sink that the caller keeps, and reads or finishes after the run.
impl<S: SeriesSink> SeriesSink for Arc<Mutex<S>> {
    fn row(&mut self, time: Time, cells: &[Option<f64>]) -> io::Result<()> {
        self.lock().unwrap_or_else(PoisonError::into_inner).row(time, cells)
    }
}

#[cfg(test)]
mod tests {
    use units::{Bytes, Way};

    use super::*;
    use crate::{Fate, SeriesFormat};

    fn example() -> PacketFate<'static> {
        PacketFate {
            index: 0,
            link: "uplink",
            direction: Way::Forward,
            flow: "web",
            bytes: Bytes(1500),
            enqueued: Time::from_secs(1),
            fate: Fate::DroppedFull,
        }
    }

    /// Each packet comes to the writer, which the caller still has after the end of the sink.
    #[test]
    fn a_writer_is_a_sink() {
        let mut plain = FateWriter::new(Vec::new()).unwrap();
        plain.packet(&example()).unwrap();
        let shared = Arc::new(Mutex::new(FateWriter::new(Vec::new()).unwrap()));
        let mut sink: Box<dyn FateSink + Send> = Box::new(shared.clone());
        sink.packet(&example()).unwrap();
        sink.finish().unwrap();
        let shared = Arc::into_inner(shared).unwrap().into_inner().unwrap();
        assert_eq!(shared.finish().unwrap(), plain.finish().unwrap());
    }

    #[test]
    fn the_end_of_a_file_can_fail() {
        let disk = || io::BufWriter::new(io::Cursor::new([0; 10]));
        let mut fates: Box<dyn FateSink + Send> = Box::new(FateWriter::new(disk()).unwrap());
        fates.packet(&example()).unwrap();
        assert_eq!(fates.finish().unwrap_err().kind(), io::ErrorKind::WriteZero);
        for format in [SeriesFormat::Csv, SeriesFormat::Parquet] {
            let table = SeriesWriter::new(disk(), format, &["one"]).unwrap();
            let mut series: Box<dyn SeriesSink + Send> = Box::new(table);
            series.row(Time::ZERO, &[Some(1.0)]).unwrap();
            assert_eq!(series.finish().unwrap_err().kind(), io::ErrorKind::WriteZero);
        }
    }

    #[test]
    fn a_series_is_a_sink_in_memory() {
        let series = Arc::new(Mutex::new(Series::new(vec!["one".into()])));
        let mut sink: Box<dyn SeriesSink + Send> = Box::new(series.clone());
        sink.row(Time::from_secs(1), &[Some(2.0)]).unwrap();
        let error = sink.row(Time::from_secs(2), &[]).unwrap_err();
        assert_eq!(error.to_string(), "0 cells for 1 columns");
        sink.finish().unwrap();
        let series = Arc::into_inner(series).unwrap().into_inner().unwrap();
        let rows: Vec<_> = series.rows().collect();
        assert_eq!(rows, [(Time::from_secs(1), &[Some(2.0)][..])]);
    }
}
