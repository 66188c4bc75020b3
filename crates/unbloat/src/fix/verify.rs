//! `unbloat fix --verify`: whether a router has the plan.

use std::io::Read;
use std::path::Path;

use remedy::Prescription;

use super::{FixArgs, platform};
use crate::failure::Failure;
use crate::output;

/// The longest text that a router shows.
const LONGEST: u64 = 16 << 20;

/// Prints what differs between the plan and what a router shows.
pub(super) fn verify(
    args: &FixArgs,
    prescription: &Prescription,
    file: &Path,
) -> Result<(), Failure> {
    if prescription.shapers().next().is_none() {
        let wrong = "the plan changes nothing, so a router has nothing of it to show";
        return Err(Failure::Input(wrong.into()));
    }
    let name = file.display();
    let shown = read(file).map_err(|error| Failure::Input(format!("{name}: {error}")))?;
    let platform = platform(args);
    let verified = platform.verify(prescription, args.wan.as_deref(), &shown);
    let verified = verified.map_err(|error| Failure::Input(error.to_string()))?;
    let verification = verified.ok_or_else(|| {
        Failure::Input(format!(
            "{name}: nothing there is of {}; give it what the check commands of the plan print",
            platform.words
        ))
    })?;
    output::print(&match args.json {
        true => report::json(&verification),
        false => report::verification_text(&verification, output::style()),
    })?;
    match verification.in_force {
        true => Ok(()),
        false => Err(Failure::Crossed(Vec::new())),
    }
}

/// The text in a file. Bytes that are no UTF-8 are no settings of ours.
fn read(file: &Path) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    std::fs::File::open(file)?.take(LONGEST).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
