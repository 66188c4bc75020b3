//! The files that are written beside a result: checked before anything begins, then opened.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use scenario::Scenario;
use tables::SeriesFormat;
use units::Span;

use super::Pcap;
use crate::args::{DrawArgs, RecordArgs};
use crate::drawings::Drawings;
use crate::failure::Failure;
use crate::files::all_differ;
use crate::message::note;
use crate::staged::{self, Staged};

/// The outputs that were asked for, opened.
pub(crate) struct Outputs {
    pub(crate) series: Option<SeriesOutput>,
    pub(crate) packets: Option<Staged>,
    pub(crate) pcap: Option<Pcap>,
    pub(crate) drawings: Drawings,
}

/// A time series to be written.
pub(crate) struct SeriesOutput {
    pub(crate) file: Staged,
    pub(crate) format: SeriesFormat,
    pub(crate) step: Span,
}

impl Outputs {
    /// Fails if one of these files cannot be written, as far as its name tells. `read` lists the
    /// files that must not be overwritten.
    pub(crate) fn check(
        scenario: &Scenario,
        read: &[&Path],
        record: &RecordArgs,
        draw: &DrawArgs,
    ) -> Result<(), Failure> {
        let written = [
            ("--series", record.series.as_deref()),
            ("--packets", record.packets.as_deref()),
            ("--pcap", record.pcap.as_deref()),
            ("--report", draw.report.as_deref()),
            ("--plot", draw.plot.plot.as_deref()),
        ];
        all_differ(read, &written)?;
        if let Some(series) = &record.series {
            // A command's duration is not known in advance.
            let duration = if scenario.flows.is_empty() { Span::ZERO } else { scenario.duration };
            check_rows(record.series_step, duration)?;
            format_of(series)?;
        }
        if let Some(file) = record.packets.as_deref().filter(|file| is_parquet(file)) {
            let file = file.display();
            let wrong = format!("--packets {file}: packets are written as .csv only");
            return Err(Failure::Input(wrong));
        }
        Pcap::check(scenario, record)?;
        Drawings::check_page(draw.report.as_deref())?;
        Drawings::check(&draw.plot, report::FIGURES)
    }

    /// Opens the outputs. They must have been [checked](Self::check) first.
    pub(crate) fn open(
        scenario: &Scenario,
        record: &RecordArgs,
        draw: &DrawArgs,
    ) -> Result<Self, Failure> {
        let open = |path: &PathBuf| SeriesOutput::create(path, record.series_step);
        let series = record.series.as_ref().map(open).transpose()?;
        let packets = record.packets.as_deref().map(Staged::create).transpose()?;
        let pcap = Pcap::open(scenario, record)?;
        let drawings = Drawings::create(draw.report.as_deref(), &draw.plot, report::FIGURES)?;
        Ok(Self { series, packets, pcap, drawings })
    }

    /// The names of the files that are written during the run, for messages.
    pub(crate) fn names(&self) -> String {
        let files = self.series.iter().map(|series| &series.file).chain(&self.packets);
        let files = files.chain(self.pcap.iter().map(|pcap| &pcap.file));
        files.map(Staged::to_string).collect::<Vec<_>>().join(" or ")
    }

    /// Gives all files their final names, after the run is over and they are whole.
    pub(crate) fn commit(self) -> Result<(), Failure> {
        let told = self.drawings.told();
        let files = self.series.into_iter().map(|series| series.file).chain(self.packets);
        let files = files.chain(self.pcap.map(|pcap| pcap.file));
        staged::commit_all(files.chain(self.drawings.files()))?;
        told.into_iter().for_each(note);
        Ok(())
    }

    /// The same, which print the names of the page and the picture on stderr unless `quiet`.
    pub(crate) fn telling(self, quiet: bool) -> Self {
        Self { drawings: self.drawings.telling(quiet), ..self }
    }
}

impl SeriesOutput {
    /// Begins to write `path`, in the format of its ending.
    fn create(path: &Path, step: Span) -> Result<Self, Failure> {
        Ok(Self { format: format_of(path)?, file: Staged::create(path)?, step })
    }
}

fn format_of(path: &Path) -> Result<SeriesFormat, Failure> {
    match path.extension().and_then(OsStr::to_str) {
        Some("csv") => Ok(SeriesFormat::Csv),
        Some("parquet") => Ok(SeriesFormat::Parquet),
        _ if staged::is_stdout(path) => Ok(SeriesFormat::Csv),
        _ => {
            let file = path.display();
            Err(Failure::Input(format!("--series {file}: the name must end in .csv or .parquet")))
        }
    }
}

fn is_parquet(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "parquet")
}

/// Fails if the step is 0 or would make more rows than anyone can read.
fn check_rows(step: Span, duration: Span) -> Result<(), Failure> {
    sim::check_series_step(step, duration)
        .map_err(|message| Failure::Input(format!("--series-step {message}")))
}
