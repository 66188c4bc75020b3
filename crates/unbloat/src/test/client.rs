//! `unbloat test`: from the arguments to a measurement on stdout.

use std::net::SocketAddr;
use std::path::Path;

use measure::client::{
    ClientError, Directions, Family, Plan, Progress, RemoteServer, TestOutcome, parse_server, run,
};
use observation::Heading;
use report::Threshold;
use results::{Measurement, Recording};
use units::Span;

use super::live::Live;
use crate::args::{DrawArgs, TestArgs};
use crate::drawings::Drawings;
use crate::failure::Failure;
use crate::files;
use crate::guide;
use crate::interrupt;
use crate::message::note;
use crate::output;
use crate::serve;
use crate::staged::Staged;

/// The longest time of a test that goes on because a queue still grows, unless `--max` gives
/// another or the plan itself is longer.
const LONGEST: Span = Span::from_secs(60);

/// The time of a test, unless `--time` gives another.
const USUAL: Span = Span::from_secs(20);

/// Measures, and prints what was found.
pub(super) fn test(args: &TestArgs) -> Result<(), Failure> {
    let plan = plan(args)?;
    let name = args.server.as_deref().ok_or_else(|| Failure::Input(guide::of_a_test()))?;
    let server = remote_server(name, args.token_file.as_deref())?;
    let [page, plot] = args.draw.files();
    let flent = ("--flent", args.flent.as_deref());
    let observations = ("--observations", args.observations.as_deref());
    files::all_differ(&[], &[page, plot, flent, observations])?;
    interrupt::watch()?;
    let DrawArgs { report, plot } = &args.draw;
    let drawings = Drawings::create(report.as_deref(), plot, report::MEASUREMENT_FIGURES)?;
    let drawings = drawings.telling(args.volume.quiet);
    // Opened before the test, so that no measurement is made that cannot be written.
    let flent = args.flent.as_deref().map(Staged::create).transpose()?;
    let observations = args.observations.as_deref().map(Staged::create).transpose()?;
    let outcome = outcome(&plan, &server, args.volume.quiet)?;
    let recording = recording(name, &plan, outcome);
    let measurement = diagnose::recorded(&recording);
    // Printed first, because it needs no disk: a full disk must not cost the measurement.
    let printed = output::print(&match args.json {
        true => report::json(&report::told(measurement.clone())),
        false => report::measurement_text(&measurement, output::style()),
    });
    keep(observations, recording)?;
    write(drawings, flent, &measurement)?;
    match printed {
        Ok(()) | Err(Failure::Closed) => check_thresholds(&args.fail_if, &measurement),
        failed => failed,
    }
}

/// What `unbloat test` finds without options, on the path to this server. Interrupts are to be
/// watched before.
///
/// # Errors
/// As of `unbloat test`.
pub(crate) fn measure(
    name: &str,
    token_file: Option<&Path>,
    quiet: bool,
) -> Result<Measurement, Failure> {
    let plan = Plan { most: LONGEST, ..Plan::test(Directions::Both, USUAL) };
    let server = remote_server(name, token_file)?;
    let outcome = outcome(&plan, &server, quiet)?;
    Ok(diagnose::recorded(&recording(name, &plan, outcome)))
}

/// The server that was typed.
///
/// # Errors
/// If the name is none, or if the token cannot be read.
pub(crate) fn remote_server(
    name: &str,
    token_file: Option<&Path>,
) -> Result<RemoteServer, Failure> {
    let (host, port) = parse_server(name).map_err(Failure::Input)?;
    let token = token_file.map(serve::token).transpose()?;
    Ok(RemoteServer { host, port, token })
}

/// Runs the test, and shows how far it is.
fn outcome(plan: &Plan, server: &RemoteServer, quiet: bool) -> Result<TestOutcome, Failure> {
    if !quiet {
        note(format_args!("connecting to {}, port {}", server.host, server.port));
    }
    let mut live = Live::new(quiet);
    let mut watch = |progress: &Progress| {
        live.show(progress);
        !interrupt::asked()
    };
    let outcome = run(plan, server, &mut watch);
    drop(live);
    outcome.map_err(failure)
}

/// Writes the observations to `file`; does nothing if it is `None`.
fn keep(file: Option<Staged>, recording: Recording) -> Result<(), Failure> {
    let Some(file) = file else { return Ok(()) };
    file.write(&report::packed(&report::json(&report::told(recording))))?;
    file.commit()
}

/// Writes the files that were asked for.
fn write(
    drawings: Drawings,
    flent: Option<Staged>,
    measurement: &Measurement,
) -> Result<(), Failure> {
    drawings.write(|| report::measurement_page(measurement))?;
    if let Some(file) = flent {
        file.write(&report::flent::write(measurement))?;
        file.commit()?;
    }
    Ok(())
}

/// Fails if the measurement crosses a threshold.
fn check_thresholds(thresholds: &[Threshold], measurement: &Measurement) -> Result<(), Failure> {
    let crossed = thresholds.iter().filter_map(|threshold| threshold.crossed(measurement));
    let crossed: Vec<String> = crossed.collect();
    if crossed.is_empty() { Ok(()) } else { Err(Failure::Crossed(crossed)) }
}

/// The plan of the test.
fn plan(args: &TestArgs) -> Result<Plan, Failure> {
    let load = args.time.unwrap_or(Span::from_secs(60));
    let flows = args.flows.unwrap_or(4);
    let mut plan = match &args.kind {
        kind if kind.rrul => Plan::rrul(load),
        kind if kind.rrul_be => Plan::rrul_be(load),
        kind if kind.tcp_nup => Plan::tcp(Heading::Up, flows, load),
        kind if kind.tcp_ndown => Plan::tcp(Heading::Down, flows, load),
        _ => {
            let directions = match (args.up, args.down) {
                (true, _) => Directions::Only(Heading::Up),
                (_, true) => Directions::Only(Heading::Down),
                _ => Directions::Both,
            };
            let plan = Plan::test(directions, args.time.unwrap_or(USUAL));
            args.flows.map_or(plan.clone(), |flows| plan.with_flows(flows))
        }
    };
    plan.most = match args.max {
        Some(max) if max < plan.time() => {
            let time = plan.time();
            return Err(Failure::Input(format!("--max {max} is less than the {time} of the test")));
        }
        Some(max) => max,
        None => plan.time().max(LONGEST),
    };
    plan.family = match (args.ipv4, args.ipv6) {
        (true, _) => Family::V4,
        (_, true) => Family::V6,
        _ => Family::Any,
    };
    Ok(plan)
}

/// The observations with the test's place, time and plan.
fn recording(server: &str, plan: &Plan, outcome: TestOutcome) -> Recording {
    Recording {
        test: plan.name.clone(),
        server: server.to_owned(),
        address: outcome.server.address.to_string(),
        started: humantime::format_rfc3339_micros(outcome.started).to_string(),
        duration_s: outcome.duration.as_secs_f64(),
        partial_reason: outcome.partial,
        planned: plan.stages.iter().map(|stage| stage.load).collect(),
        silent: outcome.silent.first().map(SocketAddr::ip),
        observations: outcome.observations,
        ..Recording::default()
    }
}

/// The failure for an error of the client, as one line whatever text the server sent.
fn failure(error: ClientError) -> Failure {
    let sentence = report::printable(&error.to_string());
    match error {
        ClientError::Unknown { .. }
        | ClientError::NoAddress { .. }
        | ClientError::TokenWanted
        | ClientError::TooLong { .. } => Failure::Input(sentence),
        ClientError::Interrupted => Failure::Interrupted(sentence),
        _ => Failure::Run(sentence),
    }
}
