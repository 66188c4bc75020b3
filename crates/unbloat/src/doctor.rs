//! `unbloat doctor`: what is wrong with the queues of this machine.

#[cfg(target_os = "linux")]
mod explain;
mod shell;

use std::path::Path;

use checkup::{Known, check};
use results::Severity;
use survey::Survey;

use crate::args::DoctorArgs;
use crate::failure::Failure;
use crate::kept::{Kept, unfit};
use crate::output;

/// Looks at the machine and prints what was found.
pub(crate) fn doctor(args: &DoctorArgs) -> Result<(), Failure> {
    if let Some(dev) = &args.explain {
        return explain(dev, args);
    }
    let known = known(args)?;
    let pause = args.pause().map_err(Failure::Input)?;
    let answer = shell::run(pause)?;
    let survey = Survey::parse(&answer).map_err(|error| Failure::Run(error.to_string()))?;
    check_wan(args, &survey)?;
    let checkup = check(&survey, &known);
    output::print(&match args.json {
        true => report::json(&checkup),
        false => report::checkup_text(&checkup, output::style()),
    })?;
    match checkup.count(Severity::Wrong) {
        0 => Ok(()),
        _ => Err(Failure::Unhealthy),
    }
}

/// Explains the queues of a device.
#[cfg(target_os = "linux")]
fn explain(dev: &str, args: &DoctorArgs) -> Result<(), Failure> {
    explain::explain(dev, args.time, args.json)
}

/// Fails: the queues are Linux's.
#[cfg(not(target_os = "linux"))]
fn explain(_: &str, _: &DoctorArgs) -> Result<(), Failure> {
    Err(Failure::Run("the queues that are explained are those of Linux".into()))
}

/// What a measurement tells of the line, and the user in place of it.
fn known(args: &DoctorArgs) -> Result<Known, Failure> {
    let mut known = args.measurement.as_deref().map_or_else(|| Ok(Known::default()), measured)?;
    known.up.rate = args.up.or(known.up.rate);
    known.down.rate = args.down.or(known.down.rate);
    Ok(Known { link: args.link, wan: args.wan.clone(), ..known })
}

fn measured(file: &Path) -> Result<Known, Failure> {
    match Kept::load(file)? {
        Kept::Measurement(measurement) => Ok(Known::measured(&measurement)),
        _ => Err(unfit(file, "a checkup needs the measurement of a path")),
    }
}

/// Refuses an interface that the machine does not have.
fn check_wan(args: &DoctorArgs, survey: &Survey) -> Result<(), Failure> {
    match &args.wan {
        Some(wan) if !survey.devices.contains_key(wan) => {
            let names: Vec<&str> = survey.devices.keys().map(String::as_str).collect();
            let wan = report::printable(wan);
            let names = report::printable(&names.join(", "));
            Err(Failure::Input(format!("there is no interface `{wan}`; there are {names}")))
        }
        _ => Ok(()),
    }
}
