//! `unbloat watch export` and `unbloat watch mark`: what a store has, for other tools; and a mark in it.

use std::io::BufWriter;
use std::path::Path;

use results::{WatchChange, WatchEvent, WatchEventKind};
use store::{Exported, Format, Reader, export as write};
use units::{Span, Time};

use super::keep::failure;
use super::page::{folder, is_store};
use crate::args::{ExportArgs, ExportFormat, ExportWhat, MarkArgs};
use crate::failure::Failure;
use crate::staged::Staged;

/// Writes what a store has as a table.
pub(super) fn export(args: &ExportArgs) -> Result<(), Failure> {
    let reader = Reader::open(folder(&args.folder)).map_err(failure)?;
    let seconds = |it: Option<jiff::Timestamp>| {
        it.map(|it| Time::ZERO + Span::from_nanos(u64::try_from(it.as_nanosecond()).unwrap_or(0)))
    };
    let (from, to) =
        (seconds(args.from).unwrap_or(Time::ZERO), seconds(args.to).unwrap_or(Time::MAX));
    if from >= to {
        return Err(Failure::Input("--from is not before --to".into()));
    }
    let what = match args.what {
        ExportWhat::Probes => Exported::Probes,
        ExportWhat::Minutes => Exported::Minutes,
        ExportWhat::Hours => Exported::Hours,
        ExportWhat::Seconds => Exported::Seconds,
        ExportWhat::Machine => Exported::Machine,
        ExportWhat::Events => Exported::Events,
    };
    let format = match args.format() {
        Some(ExportFormat::Csv) => Format::Csv,
        Some(ExportFormat::Parquet) => Format::Parquet,
        Some(ExportFormat::Jsonl) => Format::JsonLines,
        None => {
            let file = args.out.as_deref().unwrap_or(Path::new("-")).display();
            return Err(Failure::Input(format!(
                "--out {file}: the name must end in .csv, .parquet or .jsonl, or --format must say \
                 the form"
            )));
        }
    };
    let Some(out) = &args.out else {
        let stdout = BufWriter::new(std::io::stdout().lock());
        return write(&reader, what, from, to, format, stdout).map_err(failure);
    };
    let file = Staged::create(out)?;
    write(&reader, what, from, to, format, file.writer()?).map_err(failure)?;
    file.commit()
}

/// Marks a change, to compare the time before with the time after.
pub(super) fn mark(args: &MarkArgs) -> Result<(), Failure> {
    if !is_store(&args.folder) {
        let named = args.folder.display();
        return Err(Failure::Input(format!(
            "{named} is no store of a watch; name the folder of `unbloat watch --store`"
        )));
    }
    let change = WatchChange::Mark { text: args.text.clone() };
    let event = WatchEvent {
        start_s: kernel::wall().as_secs_f64(),
        duration_s: 0.0,
        what: WatchEventKind::Change(change),
    };
    store::add_event(folder(&args.folder), &event).map_err(failure)
}
