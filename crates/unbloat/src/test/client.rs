//! From what was typed to a measurement on stdout.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use measure::client::{
    ClientError, Directions, Family, Outcome, Plan, Progress, Server, parse_server, run,
};
use measure::token::Token;
use results::Measurement;
use results::observation::Heading;
use units::Span;

use super::live::Live;
use crate::args::TestArgs;
use crate::failure::Failure;
use crate::interrupt;
use crate::output;

/// Measures, and prints what was found.
pub(super) fn test(args: &TestArgs) -> Result<(), Failure> {
    let plan = plan(args);
    let (host, port) = parse_server(&args.server).map_err(Failure::Input)?;
    let token = args.token_file.as_deref().map(token).transpose()?;
    interrupt::watch()?;
    let started = now();
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
    let measurement = measurement(args, &plan, &started, outcome);
    output::print(&report::json(&measurement))
}

/// What is to be measured.
fn plan(args: &TestArgs) -> Plan {
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
    plan.most = args.max.max(plan.time());
    plan.family = match (args.ipv4, args.ipv6) {
        (true, _) => Family::V4,
        (_, true) => Family::V6,
        _ => Family::Any,
    };
    plan
}

fn token(file: &Path) -> Result<Token, Failure> {
    let refuse = |why: String| Failure::Input(format!("{}: {why}", file.display()));
    let contents = fs::read(file).map_err(|error| refuse(error.to_string()))?;
    Token::new(&contents).map_err(|error| refuse(error.to_string()))
}

/// What was found, and where and when.
fn measurement(args: &TestArgs, plan: &Plan, started: &str, outcome: Outcome) -> Measurement {
    Measurement {
        test: plan.name.clone(),
        server: args.server.clone(),
        address: outcome.server.address.to_string(),
        started: started.to_owned(),
        duration_s: outcome.duration.as_secs_f64(),
        partial: outcome.partial,
        ..diagnose::diagnose(&outcome.observations)
    }
}

/// What was typed was wrong, or what it names cannot be measured.
fn failure(error: ClientError) -> Failure {
    match error {
        ClientError::Unknown { .. } | ClientError::NoAddress { .. } | ClientError::TokenWanted => {
            Failure::Input(error.to_string())
        }
        ClientError::Interrupted => Failure::Interrupted(error.to_string()),
        _ => Failure::Run(error.to_string()),
    }
}

#[expect(clippy::disallowed_methods, reason = "says when it was measured, never what")]
fn now() -> String {
    humantime::format_rfc3339_micros(SystemTime::now()).to_string()
}
