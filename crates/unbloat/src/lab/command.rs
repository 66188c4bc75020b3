//! A command, or a shell, behind a link.

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

use ::lab::{Ended, LabError, QueueState, Status};
use results::Document;
use units::Span;

use super::live::Live;
use super::scenario::summary;
use super::{machine, peer};
use crate::args::LabArgs;
use crate::failure::Failure;
use crate::intent::{self, Outputs};
use crate::message::{self, note};
use crate::output;
use crate::{interrupt, qdisc_stats, sim, terminal};

/// The step of the timeline: fine enough for a plot of a minute, and few enough steps for one of an
/// hour.
const TIMELINE_STEP: Span = Span::from_millis(100);

/// The remark that a test in a lab judges the settled part of each of its loads, and the lab the
/// whole time.
const OF_ALL: &str = "These figures cover the whole time of the command, including the start of \
     each of its connections.";

/// Runs the command, reports on its link, and exits with the command's exit code.
pub(super) fn command(args: &LabArgs) -> Result<ExitCode, Failure> {
    let command = if args.command.is_empty() { vec![shell()] } else { args.command.clone() };
    let scenario = intent::link(&args.link, &args.scenario, &command)?;
    Outputs::check(&scenario, &intent::traces(&args.link), &args.record, &args.draw)?;
    ::lab::fit(&scenario).map_err(|error| machine::failure(error, None))?;
    let congestion = congestion(args.link.congestion.as_deref())?;
    machine::isolate()?;
    // Before any output is opened. While the command runs, Ctrl-C is the command's.
    interrupt::stop_at_once()?;
    let outputs = Outputs::open(&scenario, &args.record, &args.draw)?;
    let mut live = args.live.then(Live::of_command);
    let mut queues = Vec::new();
    let mut options = machine::options(args, &outputs, TIMELINE_STEP)?;
    options.queues = Some(&mut queues);
    options.congestion = congestion;
    options.at_peer = Some(peer::answers_tests());
    options.progress = Some(Box::new(|status: &Status| {
        if let Some(live) = &mut live {
            live.show(status);
        }
        true
    }));
    let (document, Ended { code, notes }) = match ::lab::inside(&scenario, &command, options) {
        Err(error @ LabError::Command { .. }) => return Ok(not_started(&error)),
        ended => ended.map_err(|error| machine::failure(error, Some(&outputs)))?,
    };
    if !args.volume.quiet {
        notes.iter().for_each(|text| note(format_args!("note: {text}")));
    }
    let told = tell(document, &queues, outputs, args).unwrap_or_else(|failure| failure.report());
    Ok(if code == 0 { told } else { ExitCode::from(code) })
}

/// The congestion control that was asked for. Otherwise CUBIC, which most of the Internet uses,
/// whatever this machine's default is; `None` if the kernel lacks CUBIC.
fn congestion(asked: Option<&str>) -> Result<Option<String>, Failure> {
    let known = ::lab::congestion_controls();
    let has = |name: &str| known.iter().any(|known| known == name);
    match asked {
        Some(name) if !has(name) => Err(Failure::Input(format!(
            "--congestion `{name}`: this kernel has no such congestion control; it has {}",
            known.join(", ")
        ))),
        Some(name) => Ok(Some(name.to_owned())),
        None => Ok(has("cubic").then(|| "cubic".to_owned())),
    }
}

/// The user's shell, or `sh`.
fn shell() -> OsString {
    terminal::variable("SHELL").filter(|shell| !shell.is_empty()).unwrap_or_else(|| "sh".into())
}

/// The exit code that a shell would use: 127 if there is no such command, 126 if it cannot be run.
fn not_started(error: &LabError) -> ExitCode {
    note(format_args!("error: {error}"));
    let is_missing = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
    match error {
        LabError::Command { error, .. } if is_missing(error) => ExitCode::from(127),
        _ => ExitCode::from(126),
    }
}

/// Reports on the link, as text on stderr, since stdout belongs to the command.
fn tell(
    document: Document,
    queues: &[QueueState],
    outputs: Outputs,
    args: &LabArgs,
) -> Result<ExitCode, Failure> {
    let run = [(String::new(), document)];
    if outputs.drawings.wanted() {
        outputs.drawings.draw(&qdisc_stats::page(&run, queues))?;
    }
    outputs.telling(args.volume.quiet).commit()?;
    let [(_, document)] = run;
    if args.volume.verbose {
        note(sim::cost("cost", &document));
    }
    let exit = machine::exit(&document, args);
    if let Some(form) = args.qdisc_stats {
        if !args.volume.quiet {
            qdisc_stats::note_limits(&document);
        }
        qdisc_stats::print(queues, form)?;
    } else if args.json {
        output::print(&report::json(&report::told(document)))?;
    } else if !args.volume.quiet {
        let summary = summary(&document, output::style_of_stderr());
        message::tell(&format!("\n{summary}\n{}\n", report::wrap(OF_ALL)));
    }
    Ok(exit)
}
