//! From what was typed to a measurement on stdout.

use measure::client::{
    ClientError, Directions, Family, Outcome, Plan, Progress, Server, parse_server, run,
};
use report::Threshold;
use results::observation::{Heading, Load};
use results::{Claim, Measurement, Remark};
use units::Span;

use super::live::Live;
use crate::args::{DrawArgs, TestArgs};
use crate::drawings::Drawings;
use crate::failure::Failure;
use crate::files;
use crate::interrupt;
use crate::output;
use crate::serve;
use crate::staged::Staged;

/// A test that goes on because a queue still grows ends by then, unless it is said otherwise.
const LONGEST: Span = Span::from_secs(60);

/// Measures, and prints what was found.
pub(super) fn test(args: &TestArgs) -> Result<(), Failure> {
    let plan = plan(args)?;
    let (host, port) = parse_server(&args.server).map_err(Failure::Input)?;
    let token = args.token_file.as_deref().map(serve::token).transpose()?;
    let [page, plot] = args.draw.files();
    files::all_differ(&[], &[page, plot, ("--flent", args.flent.as_deref())])?;
    interrupt::watch()?;
    let DrawArgs { report, plot } = &args.draw;
    let drawings = Drawings::create(report.as_deref(), plot, report::MEASUREMENT_FIGURES)?;
    // Before anything is measured that could not be written.
    let flent = args.flent.as_deref().map(Staged::create).transpose()?;
    let mut live = Live::new(args.volume.quiet);
    let outcome = {
        let mut watch = |progress: &Progress| {
            live.show(progress);
            !interrupt::asked()
        };
        run(&plan, &Server { host, port, token }, &mut watch)
    };
    drop(live);
    let outcome = outcome.map_err(failure)?;
    let measurement = measurement(args, &plan, outcome);
    // First what needs no disk: a full one must not cost the measurement.
    let printed = output::print(&match args.json {
        true => report::json(&measurement),
        false => report::measurement_text(&measurement, output::style()),
    });
    write(drawings, flent, &measurement)?;
    match printed {
        Ok(()) | Err(Failure::Closed) => judge(&args.fail_if, &measurement),
        failed => failed,
    }
}

/// Writes the files that were asked for.
fn write(
    drawings: Drawings,
    flent: Option<Staged>,
    measurement: &Measurement,
) -> Result<(), Failure> {
    if drawings.wanted() {
        drawings.draw(&report::measurement_page(measurement))?;
        drawings.commit()?;
    }
    if let Some(file) = flent {
        file.write(&report::flent::write(measurement))?;
        file.commit()?;
    }
    Ok(())
}

/// Fails if it crosses a threshold.
fn judge(thresholds: &[Threshold], measurement: &Measurement) -> Result<(), Failure> {
    let crossed = thresholds.iter().filter_map(|threshold| threshold.crossed(measurement));
    let crossed: Vec<String> = crossed.collect();
    if crossed.is_empty() { Ok(()) } else { Err(Failure::Crossed(crossed)) }
}

/// What is to be measured.
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
            let plan = Plan::test(directions, args.time.unwrap_or(Span::from_secs(20)));
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

/// What was found, and where and when.
fn measurement(args: &TestArgs, plan: &Plan, outcome: Outcome) -> Measurement {
    let silent = silent(&outcome);
    let mut measurement = Measurement {
        test: plan.name.clone(),
        server: args.server.clone(),
        address: outcome.server.address.to_string(),
        started: humantime::format_rfc3339_micros(outcome.started).to_string(),
        duration_s: outcome.duration.as_secs_f64(),
        partial: outcome.partial,
        ..diagnose::diagnose(&outcome.observations)
    };
    measurement.limits.extend(silent);
    measurement.limits.extend(unmeasured(plan, &measurement));
    measurement.verdict = report::measurement_verdict(&measurement);
    measurement.advice = report::measurement_advice(&measurement);
    measurement
}

/// That the host has addresses which did not answer, as where IPv6 is broken.
fn silent(outcome: &Outcome) -> Option<Remark> {
    let address = outcome.server.address.ip();
    let silent = outcome.silent.first()?.ip();
    let version = if silent.is_ipv6() { 6 } else { 4 };
    let text = format!(
        "{silent} did not answer in time, so all this is about {address}. If IPv{version} is broken on \
         the way, other programs wait for it too; -{version} tests it alone."
    );
    Some(Remark::new(Claim::SilentAddress, text))
}

/// What was to be measured, and was not.
fn unmeasured(plan: &Plan, measurement: &Measurement) -> Vec<Remark> {
    let is_planned = |wanted| plan.stages.iter().any(|stage| stage.load == wanted);
    let Measurement { download, upload, both, .. } = measurement;
    let all = [
        (Load::One(Heading::Down), download.is_none(), "the download"),
        (Load::One(Heading::Up), upload.is_none(), "the upload"),
        (Load::Both, both.is_none(), "both directions at once"),
    ];
    let missing = all.into_iter().filter(|(load, is_none, _)| *is_none && is_planned(*load));
    let remark = |(load, _, name): (Load, bool, &str)| Remark {
        heading: if let Load::One(heading) = load { Some(heading) } else { None },
        ..Remark::new(
            Claim::NotLoaded,
            format!("Nothing is known of {name}: not loaded for long enough."),
        )
    };
    missing.map(remark).collect()
}

/// What was typed was wrong, or what it names cannot be measured; in one line, whatever the server
/// says.
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
