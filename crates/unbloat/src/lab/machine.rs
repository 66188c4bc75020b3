//! What all forms of the lab share: how a run begins, what is wanted of it, and how it fails.

use std::process::ExitCode;

use ::lab::{LabError, Options, PortKind, SeriesOptions};
use results::{Document, Soundness};
use units::Span;

use crate::args::{LabArgs, Ports};
use crate::failure::Failure;
use crate::intent::{Outputs, Pcap, Series};
use crate::output::note;

/// Takes us to where namespaces can be made. To be called while there is one thread, and so before
/// anybody listens for interrupts.
pub(super) fn isolate() -> Result<(), Failure> {
    let why = |error| format!("{error}\n`unbloat lab --check` says what works here");
    ::lab::isolate().map(|_| ()).map_err(|error| Failure::Run(why(error)))
}

/// What is wanted of a run, without progress.
pub(super) fn options<'a>(
    args: &LabArgs,
    outputs: &Outputs,
    timeline_step: Span,
) -> Result<Options<'a>, Failure> {
    let mut options = Options {
        ports: args.ports.map(|ports| match ports {
            Ports::Tun => PortKind::Tun,
            Ports::Packet => PortKind::Packet,
        }),
        no_gso: args.no_gso,
        ..Options::default()
    };
    if let Some(Series { file, format, step }) = &outputs.series {
        let writer = file.writer()?;
        options.series = Some(SeriesOptions { writer, format: *format, step: *step });
    }
    if let Some(packets) = &outputs.packets {
        options.packets = Some(packets.writer()?);
    }
    options.pcap = outputs.pcap.as_ref().map(Pcap::lab_options).transpose()?;
    options.timeline = (args.json || outputs.drawings.wanted()).then_some(timeline_step);
    Ok(options)
}

/// Why there was no run, or no whole one.
pub(super) fn failure(error: LabError, outputs: Option<&Outputs>) -> Failure {
    match error {
        LabError::Unfit(message) => Failure::Input(message),
        LabError::Output(error) => {
            Failure::writing(outputs.map(Outputs::names).unwrap_or_default(), &error)
        }
        other => Failure::Run(other.to_string()),
    }
}

/// How to exit after a run. One that the machine starved is a result with a warning, which stands in
/// the summary and in the document; with `--strict` it is a failure.
pub(super) fn exit(document: &Document, args: &LabArgs) -> ExitCode {
    let verdict = document.validity.as_ref().map(|validity| validity.verdict);
    if verdict != Some(Soundness::Starved) || !args.strict {
        return ExitCode::SUCCESS;
    }
    note("error: the machine did not keep time, and --strict asks for that");
    ExitCode::FAILURE
}
