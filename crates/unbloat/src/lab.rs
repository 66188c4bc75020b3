//! `unbloat lab`: a scenario, or any program, over our queues and the kernels' own TCP.

#[cfg(target_os = "linux")]
mod against;
#[cfg(target_os = "linux")]
mod check;
#[cfg(target_os = "linux")]
mod command;
#[cfg(target_os = "linux")]
mod live;
#[cfg(target_os = "linux")]
mod machine;
#[cfg(target_os = "linux")]
mod peer;
#[cfg(target_os = "linux")]
mod scenario;

use std::path::Path;
use std::process::ExitCode;

use crate::args::LabArgs;
use crate::failure::Failure;

/// The task that the arguments ask for.
enum Asked<'a> {
    /// A check of what works on this machine.
    Check,
    /// A scenario in real time.
    Scenario(&'a Path),
    /// A command behind a link.
    Command,
}

/// Runs `unbloat lab` with these arguments, and returns the exit code.
pub(crate) fn lab(args: &LabArgs) -> Result<ExitCode, Failure> {
    let asked = asked(args)?;
    run(&asked, args)
}

#[cfg(target_os = "linux")]
fn run(asked: &Asked<'_>, args: &LabArgs) -> Result<ExitCode, Failure> {
    match asked {
        Asked::Check => check::check(args),
        Asked::Scenario(file) => scenario::scenario(file, args),
        Asked::Command => command::command(args),
    }
}

#[cfg(not(target_os = "linux"))]
fn run(asked: &Asked<'_>, args: &LabArgs) -> Result<ExitCode, Failure> {
    use crate::intent::{self, Outputs};
    // The request is checked in any case, so that a mistake in it is reported on every system.
    let (scenario, read) = match asked {
        Asked::Check => (None, Vec::new()),
        Asked::Scenario(file) => (Some(intent::scenario(file, &args.scenario)?), vec![*file]),
        Asked::Command => {
            let link = intent::link(&args.link, &args.scenario, &args.command)?;
            (Some(link), intent::traces(&args.link))
        }
    };
    let check = |scenario| Outputs::check(scenario, &read, &args.record, &args.draw);
    scenario.as_ref().map_or(Ok(()), check)?;
    let missing = "the lab needs Linux, whose namespaces and TCP it is made of; `unbloat sim` runs \
                   everywhere";
    Err(Failure::Run(missing.into()))
}

/// The task that the arguments ask for. Fails if they ask for several or for none.
fn asked(args: &LabArgs) -> Result<Asked<'_>, Failure> {
    let refuse = |message: String| Err(Failure::Input(message));
    let option = args.link.first();
    match (&args.file, args.command.first()) {
        _ if args.check => match args.file.is_none() && args.command.is_empty() {
            true if option.is_none() => Ok(Asked::Check),
            _ => refuse("--check tries this machine out and runs nothing; write it alone".into()),
        },
        (Some(file), Some(_)) => refuse(format!(
            "`{}` is a scenario, whose flows are the traffic, and after `--` is a COMMAND; leave \
             out one of the two",
            file.display()
        )),
        (Some(file), None) => match option {
            Some(option) => refuse(format!(
                "{option} is about the link of a COMMAND, but `{0}` is taken for a scenario, which \
                 has its own links; change those by --set, as in --set link.uplink.rate=2mbit, or \
                 write the COMMAND after two dashes: -- {0}",
                file.display()
            )),
            None => Ok(Asked::Scenario(file)),
        },
        (None, _) if args.against.is_some() => {
            refuse("--against compares what a SCENARIO does; name one".into())
        }
        (None, None) if option.is_none() && args.scenario.overrides.is_empty() => refuse(
            "name a scenario, or say what the link in front of a COMMAND is like: unbloat lab \
             --rate 2mbit --rtt 20ms -- COMMAND (without COMMAND a shell); unbloat lab --help shows \
             examples"
                .into(),
        ),
        (None, _) => Ok(Asked::Command),
    }
}
