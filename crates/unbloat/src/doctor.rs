//! `unbloat doctor`: what is wrong with the queues of a machine.

#[cfg(target_os = "linux")]
mod device;
#[cfg(target_os = "linux")]
mod explain;

use std::path::Path;

use checkup::{Known, check};
use results::Severity;
use survey::{SCRIPT, Survey};
use units::{Excerpt, Span};

use crate::args::DoctorArgs;
use crate::failure::Failure;
use crate::fix::is_file;
use crate::kept;
use crate::machine::Machine;
use crate::message::note;
use crate::output;

/// Looks at the machine and prints what was found.
pub(crate) fn doctor(args: &DoctorArgs) -> Result<(), Failure> {
    if let Some(dev) = &args.explain {
        return explain(dev, args);
    }
    let known = known(args)?;
    let pause = args.pause();
    if let Some(destination) = &args.over {
        note(format_args!("connecting to {destination}"));
    }
    let mut machine = Machine::reach(args.over.as_ref())?;
    let survey = survey(&mut machine, pause)?;
    check_wan(&known, &survey, &machine)?;
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
    explain::explain(dev, args.over.as_ref(), args.time, args.json)
}

/// Fails: the queues are Linux's.
#[cfg(not(target_os = "linux"))]
fn explain(_: &str, _: &DoctorArgs) -> Result<(), Failure> {
    Err(Failure::Run("the queues that are explained are those of Linux".into()))
}

/// What the machine says of itself, with this pause between its two readings of counters.
fn survey(machine: &mut Machine, pause: Span) -> Result<Survey, Failure> {
    let seconds = pause.as_nanos() / 1_000_000_000;
    let answer = machine.ask_for(&format!("set -- {seconds}\n{SCRIPT}"), pause)?;
    let failed = |error| Failure::Run(format!("{}: {error}", machine.name()));
    Survey::parse(&answer).map_err(failed)
}

/// What a measurement tells of the line, and the user in place of it.
fn known(args: &DoctorArgs) -> Result<Known, Failure> {
    let file = args.source.as_deref().filter(|source| is_file(source)).map(Path::new);
    let wanted = "a checkup needs the measurement of a path";
    let measurement = file.map(|file| kept::measurement(file, wanted)).transpose()?;
    let mut known = Known::of_line(measurement.as_deref(), [args.up, args.down]);
    if args.over.is_some() {
        // The test was made from here.
        known = known.of_another_machine();
    }
    Ok(Known { link: args.link, wan: wan(args)?.map(str::to_owned), ..known })
}

/// The interface to the provider; `None` if none is named.
fn wan(args: &DoctorArgs) -> Result<Option<&str>, Failure> {
    let device = args.source.as_deref().filter(|source| !is_file(source));
    match (device, args.wan.as_deref()) {
        (Some(device), Some(wan)) => Err(Failure::Input(format!(
            "the interface to the provider is named twice: {} and --wan {}",
            Excerpt(device),
            Excerpt(wan)
        ))),
        (device, wan) => Ok(device.or(wan)),
    }
}

/// Refuses an interface that the machine does not have.
fn check_wan(known: &Known, survey: &Survey, machine: &Machine) -> Result<(), Failure> {
    match &known.wan {
        Some(wan) if !survey.devices.contains_key(wan) => {
            let names: Vec<&str> = survey.devices.keys().map(String::as_str).collect();
            let wan = report::printable(wan);
            let names = report::printable(&names.join(", "));
            let name = machine.name();
            let wrong = format!("{name} has no interface `{wan}`; it has {names}");
            Err(Failure::Input(wrong))
        }
        _ => Ok(()),
    }
}
