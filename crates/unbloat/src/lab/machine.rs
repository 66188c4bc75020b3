//! The parts that all lab runs share: their start, their options and their failures.

use std::process::ExitCode;

use ::lab::{LabError, Options, PortKind, SeriesOptions};
use results::{Document, Soundness};
use units::Span;

use crate::args::{LabArgs, Ports};
use crate::failure::Failure;
use crate::intent::{Outputs, Pcap, SeriesOutput};
use crate::message::note;

/// Makes network namespaces possible for this process, in a user namespace where there are any.
/// Must be called while the process has one thread, and so before any listening for interrupts.
pub(super) fn isolate() -> Result<(), Failure> {
    let why = |error| format!("{error}\n`unbloat lab --check` says what works here");
    ::lab::isolate().map(|_| ()).map_err(|error| Failure::Run(why(error)))
}

/// The options of a run, without progress.
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
    if let Some(SeriesOutput { file, format, step }) = &outputs.series {
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

/// The failure for an error of the lab.
pub(super) fn failure(error: LabError, outputs: Option<&Outputs>) -> Failure {
    match error {
        LabError::Unfit(message) => Failure::Input(message),
        LabError::Output(error) => {
            Failure::writing(outputs.map(Outputs::names).unwrap_or_default(), &error)
        }
        other => Failure::Run(other.to_string()),
    }
}

/// The exit code after a run. A run that the machine starved is a result with a warning in the
/// summary and in the document; with `--strict` it is a failure.
pub(super) fn exit(document: &Document, args: &LabArgs) -> ExitCode {
    let verdict = document.validity.as_ref().map(|validity| validity.verdict);
    if verdict != Some(Soundness::Starved) || !args.strict {
        return ExitCode::SUCCESS;
    }
    note("error: the machine did not keep time, and --strict asks for that");
    ExitCode::FAILURE
}
