//! `unbloat fix`: the configuration that ends the delay.

#[cfg(target_os = "linux")]
mod apply;
#[cfg(target_os = "linux")]
mod course;
#[cfg(target_os = "linux")]
mod machine;
mod verify;

use std::path::Path;

use remedy::{Prescription, Wishes};
use results::{Measurement, Plan};
use routers::Platform;
use units::Rate;

use crate::args::{FixArgs, LINES, PlotArgs};
use crate::drawings::Drawings;
use crate::failure::Failure;
use crate::files;
use crate::interrupt;
use crate::kept;
use crate::output;
use crate::test;

#[cfg(target_os = "linux")]
use apply::{apply, undo};

/// Prints the plan, or applies it.
pub(crate) fn fix(args: &FixArgs) -> Result<(), Failure> {
    if args.apply.undo {
        return undo(args);
    }
    if args.platform.is_none() {
        let names: Vec<&str> = Platform::ALL.iter().map(|platform| platform.name).collect();
        return Err(Failure::Input(format!(
            "which system does the router have? Name it with --for: {}",
            names.join(", ")
        )));
    }
    if args.apply.apply {
        return apply(args);
    }
    let prescribe = |measurement| prescribe(args, measurement);
    let written = |it: &Prescription| plan(args, it, args.wan.as_deref());
    // What was typed is checked before a test that takes its time.
    let is_tested = args.source.as_deref().is_some_and(|source| !is_file(source));
    let kept = if is_tested { None } else { measurement(args)? };
    written(&prescribe(None)?)?;
    let page = page(args)?;
    let measurement = match is_tested {
        true => {
            interrupt::watch()?;
            let measured = measurement(args)?;
            if interrupt::asked() {
                return Err(Failure::Interrupted(
                    "the test did not end, so there is no plan".into(),
                ));
            }
            measured
        }
        false => kept,
    };
    if let Some(file) = &args.verify {
        return verify::verify(args, &prescribe(measurement.as_ref())?, file);
    }
    let plan = written(&prescribe(measurement.as_ref())?)?;
    print_plan(args, &plan)?;
    page.telling(args.volume.quiet).write(|| report::plan_page(&plan))
}

fn print_plan(args: &FixArgs, plan: &Plan) -> Result<(), Failure> {
    output::print(&match args.json {
        true => report::json(plan),
        false => report::plan_text(plan, output::style()),
    })
}

/// The file of the page, opened before anything runs.
fn page(args: &FixArgs) -> Result<Drawings, Failure> {
    let none = PlotArgs { plot: None, only: Vec::new() };
    let source = args.source.as_deref().filter(|source| is_file(source)).map(Path::new);
    files::all_differ(source.as_slice(), &[("--report", args.report.as_deref())])?;
    Drawings::create(args.report.as_deref(), &none, &[])
}

/// Applies the plan on Linux, where the line can be tested again.
#[cfg(not(target_os = "linux"))]
fn apply(_: &FixArgs) -> Result<(), Failure> {
    Err(Failure::Run("--apply tests the line again, and a test needs Linux".into()))
}

/// Takes back what `apply` kept.
#[cfg(not(target_os = "linux"))]
fn undo(_: &FixArgs) -> Result<(), Failure> {
    Err(Failure::Run("--undo is for what --apply did, which needs Linux".into()))
}

/// What is to be done for a measurement and what the user says.
fn prescribe(args: &FixArgs, measurement: Option<&Measurement>) -> Result<Prescription, Failure> {
    let wishes = Wishes { link: args.link, nat: !args.no_nat, tins: args.tins, rtt: args.rtt };
    let prescription = Prescription::of(measurement, [args.up, args.down], &wishes);
    is_carried(&prescription)?;
    Ok(prescription)
}

/// # Errors
/// If a line of that kind cannot have these rates.
fn is_carried(prescription: &Prescription) -> Result<(), Failure> {
    let too_much = |link: &str, most: Rate, place: &str, rate: Rate| {
        Failure::Input(format!(
            "{link} carries at most {most} in {place}, and the rate is {rate}; name another --link"
        ))
    };
    for shaper in prescription.shapers() {
        if !LINES.contains(&shaper.line) {
            return Err(Failure::Input(format!(
                "the {} was measured at {}, and a plan takes 64kbit to 100gbit; name its rate",
                shaper.heading.in_words(),
                shaper.line
            )));
        }
        if let Some(most) = shaper.link.fastest(shaper.heading).filter(|most| shaper.line > *most) {
            let place = format!("the {}", shaper.heading.in_words());
            return Err(too_much(shaper.link.words, most, &place, shaper.line));
        }
    }
    if let (Ok(up), Ok(down)) = (&prescription.up, &prescription.down) {
        let both = up.line.bits_per_sec().saturating_add(down.line.bits_per_sec());
        let both = Rate::from_bits_per_sec(both).unwrap_or(up.line);
        if let Some(most) = up.link.fastest_together().filter(|most| both > *most) {
            return Err(too_much(up.link.words, most, "both directions together", both));
        }
    }
    Ok(())
}

/// The platform, which [`fix`] requires unless something is taken back.
fn platform(args: &FixArgs) -> &'static Platform {
    args.platform.expect("there is a platform")
}

fn plan(args: &FixArgs, prescription: &Prescription, wan: Option<&str>) -> Result<Plan, Failure> {
    let plan = platform(args).plan(prescription, wan);
    plan.map_err(|error| Failure::Input(error.to_string()))
}

/// The measurement in the file, or of the path to the server; `None` if the rates were named.
fn measurement(args: &FixArgs) -> Result<Option<Measurement>, Failure> {
    if args.token_file.is_some() && args.source.as_deref().is_none_or(is_file) {
        return Err(Failure::Input(
            "--token-file is for a test, and no server is named: unbloat fix far.example.net …"
                .into(),
        ));
    }
    let Some(source) = &args.source else {
        return match (args.up, args.down) {
            (None, None) => Err(Failure::Input(
                "what the line carries is not known; name a measurement, a server, or the rates: \
                 --up 10mbit --down 50mbit"
                    .into(),
            )),
            _ => Ok(None),
        };
    };
    let file = Path::new(source);
    if !is_file(source) {
        return test::measure(source, args.token_file.as_deref(), args.volume.quiet).map(Some);
    }
    kept::measurement(file, "a plan needs the measurement of a path").map(|it| Some(*it))
}

/// True if the text names a file, which may be missing: a server has no such name.
pub(crate) fn is_file(source: &str) -> bool {
    let is_named = [".json", ".gz"].iter().any(|end| source.ends_with(end));
    is_named || source.contains('/') || Path::new(source).exists()
}
