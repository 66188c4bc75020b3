//! The arguments of `unbloat doctor`.

use std::path::PathBuf;

use remedy::LinkKind;
use units::{Excerpt, Rate, Span, UnitError};

use super::fix::{links, rate};

#[derive(Debug, clap::Args)]
pub(crate) struct DoctorArgs {
    /// What `unbloat test --json` printed on this machine: the rates of the line, and its delay
    #[arg(value_name = "MEASUREMENT.json")]
    pub(crate) measurement: Option<PathBuf>,

    /// Interface to the provider [default: that of the default route]
    #[arg(long, value_name = "DEV")]
    pub(crate) wan: Option<String>,

    /// Kind of the line, as `unbloat fix --help` lists them
    #[arg(long, value_name = "KIND", value_parser = links(), hide_possible_values = true)]
    pub(crate) link: Option<&'static LinkKind>,

    /// Rate that the line carries to the provider, in place of the measured one
    #[arg(long, value_name = "RATE", allow_hyphen_values = true, value_parser = rate)]
    pub(crate) up: Option<Rate>,

    /// Rate that the line carries from the provider, in place of the measured one
    #[arg(long, value_name = "RATE", allow_hyphen_values = true, value_parser = rate)]
    pub(crate) down: Option<Rate>,

    /// Time for which counters are watched, in whole seconds
    #[arg(long, value_name = "TIME", default_value = "2s", allow_hyphen_values = true)]
    #[arg(value_parser = time)]
    pub(crate) time: Span,

    /// Print the checkup document instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

/// The pause in a text: whole seconds from 1 to 600, since no other is known to every `sleep`.
fn time(text: &str) -> Result<Span, String> {
    const BOUNDS: [Span; 2] = [Span::from_secs(1), Span::from_secs(600)];
    let time: Span = text.parse().map_err(|error: UnitError| error.to_string())?;
    let is_whole = time.as_nanos().is_multiple_of(1_000_000_000);
    match is_whole && (BOUNDS[0]..=BOUNDS[1]).contains(&time) {
        true => Ok(time),
        false => Err(format!("{} is no time to watch; write 1s to 600s", Excerpt(text))),
    }
}

pub(super) const EXAMPLES: &str = "\
Examples:
  Look at this machine; load the line meanwhile, so that counters move:
    unbloat doctor --time 10s
  With what is known of the line:
    unbloat doctor --up 2mbit --down 20mbit --link vdsl2-pppoe
  With a test from this machine:
    unbloat test far.example.net --json > before.json
    unbloat doctor before.json

Nothing is changed, and no rights are needed; root sees more.
Exit codes: 0 nothing is wrong, 1 failed while running, 2 bad usage or bad input, 3 interrupted,
4 something is wrong.";
