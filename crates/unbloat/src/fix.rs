//! `unbloat fix`: the configuration that ends the delay.

use std::path::Path;

use remedy::{Prescription, Wishes};
use results::{Measurement, Plan};

use crate::args::FixArgs;
use crate::failure::Failure;
use crate::kept::{Kept, unfit};
use crate::output;
use crate::test;

/// Prints the plan.
pub(crate) fn fix(args: &FixArgs) -> Result<(), Failure> {
    // What was typed is checked before a test that takes its time.
    plan(args, None)?;
    let measurement = measurement(args)?;
    let plan = plan(args, measurement.as_ref())?;
    output::print(&match args.json {
        true => report::json(&plan),
        false => report::plan_text(&plan, output::style()),
    })
}

/// The plan for a measurement and what the user says.
fn plan(args: &FixArgs, measurement: Option<&Measurement>) -> Result<Plan, Failure> {
    let wishes = Wishes { link: args.link, nat: !args.no_nat, tins: args.tins, rtt: args.rtt };
    let prescription = Prescription::of(measurement, [args.up, args.down], &wishes);
    for shaper in prescription.shapers() {
        if let Some(most) = shaper.link.fastest(shaper.heading).filter(|most| shaper.line > *most) {
            return Err(Failure::Input(format!(
                "{} carries at most {most} in the {}, and the rate is {}; name another --link",
                shaper.link.words,
                shaper.heading.in_words(),
                shaper.line
            )));
        }
    }
    let plan = args.platform.plan(&prescription, args.wan.as_deref());
    plan.map_err(|error| Failure::Input(error.to_string()))
}

/// The measurement in the file, or of the path to the server; `None` if the rates were named.
fn measurement(args: &FixArgs) -> Result<Option<Measurement>, Failure> {
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
    match Kept::load(file)? {
        Kept::Measurement(measurement) => Ok(Some(*measurement)),
        _ => Err(unfit(file, "a plan needs the measurement of a path")),
    }
}

/// True if the text names a file, which may be missing: a server has no such name.
fn is_file(source: &str) -> bool {
    let is_named = [".json", ".gz"].iter().any(|end| source.ends_with(end));
    is_named || source.contains('/') || Path::new(source).exists()
}
