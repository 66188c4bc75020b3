//! The tables of a run, which are written in the background.

use std::io::{self, Write};

use meter::BeginSeries;
use tables::{FateSink, FateWriter, PacketFate, SeriesSink, SeriesWriter};
use units::Time;

use super::background::Background;
use crate::SeriesOptions;

/// A table whose end waits until its file is written.
struct InBackground<T>(T);

/// Begins the table of packets.
pub(super) fn fates(writer: Box<dyn Write + Send>) -> io::Result<Box<dyn FateSink + Send>> {
    Ok(Box::new(InBackground(FateWriter::new(Background::new(writer)?)?)))
}

/// The series of the instruments, from the options of a run.
pub(super) fn series(options: SeriesOptions) -> meter::SeriesOptions {
    let SeriesOptions { writer, format, step } = options;
    let begin: BeginSeries = Box::new(move |columns| {
        let table = SeriesWriter::new(Background::new(writer)?, format, columns)?;
        Ok(Box::new(InBackground(table)))
    });
    meter::SeriesOptions { step, begin }
}

impl FateSink for InBackground<FateWriter<Background>> {
    fn packet(&mut self, packet: &PacketFate<'_>) -> io::Result<()> {
        self.0.packet(packet)
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        self.0.finish()?.finish()
    }
}

impl SeriesSink for InBackground<SeriesWriter<Background>> {
    fn row(&mut self, time: Time, cells: &[Option<f64>]) -> io::Result<()> {
        self.0.row(time, cells)
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        self.0.finish()?.finish()
    }
}
