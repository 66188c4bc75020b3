//! The arguments of `unbloat fix`.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::builder::TypedValueParser as _;
use remedy::{LinkKind, Tins};
use routers::Platform;
use units::{Excerpt, Rate, Span, UnitError};

use super::Volume;

#[derive(Debug, clap::Args)]
pub(crate) struct FixArgs {
    /// What `unbloat test --json` printed; or the machine that runs `unbloat serve`, to which the
    /// path is tested now. Not needed where --up or --down say the rates
    #[arg(value_name = "MEASUREMENT.json|HOST[:PORT]")]
    pub(crate) source: Option<String>,

    /// What shapes: the system of the router, or of this machine
    #[arg(long = "for", value_name = "PLATFORM", value_parser = platforms(), hide_possible_values = true)]
    pub(crate) platform: &'static Platform,

    /// Interface to the provider, where the platform needs its name
    #[arg(long, value_name = "DEV")]
    pub(crate) wan: Option<String>,

    /// Kind of the line, which tells how long a packet is there [default: unknown]
    #[arg(long, value_name = "KIND", value_parser = links(), hide_possible_values = true)]
    pub(crate) link: Option<&'static LinkKind>,

    /// Rate that the line carries to the provider, in place of the measured one
    #[arg(long, value_name = "RATE", allow_hyphen_values = true, value_parser = rate)]
    pub(crate) up: Option<Rate>,

    /// Rate that the line carries from the provider, in place of the measured one
    #[arg(long, value_name = "RATE", allow_hyphen_values = true, value_parser = rate)]
    pub(crate) down: Option<Rate>,

    /// The router does not translate addresses
    #[arg(long)]
    pub(crate) no_nat: bool,

    /// Division by code points: besteffort, where all traffic is alike, or diffserv4
    #[arg(long, value_name = "TINS", default_value = "besteffort", value_parser = tins())]
    #[arg(hide_possible_values = true)]
    pub(crate) tins: Tins,

    /// About the longest round trip of what the line is used for [default: 100ms, or that of the
    /// idle path if it is longer]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = rtt)]
    pub(crate) rtt: Option<Span>,

    /// File with the token that the server asks for
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,

    /// Print the plan document instead of text
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) volume: Volume,
}

fn platforms() -> impl clap::builder::TypedValueParser<Value = &'static Platform> {
    PossibleValuesParser::new(Platform::ALL.iter().map(|platform| platform.name))
        .map(|name| Platform::named(&name).expect("it is one of the names"))
}

fn links() -> impl clap::builder::TypedValueParser<Value = &'static LinkKind> {
    PossibleValuesParser::new(LinkKind::ALL.iter().map(|kind| kind.name))
        .map(|name| LinkKind::named(&name).expect("it is one of the names"))
}

fn tins() -> impl clap::builder::TypedValueParser<Value = Tins> {
    PossibleValuesParser::new(Tins::ALL.map(Tins::cake))
        .map(|name| Tins::named(&name).expect("it is one of the names"))
}

/// The rate of a line in a text: from 64 kbit/s to 100 Gbit/s.
fn rate(text: &str) -> Result<Rate, String> {
    const LEAST: Rate = Rate::from_bits_per_sec(64_000).expect("it is not zero");
    const MOST: Rate = Rate::from_mbit(100_000);
    let rate: Rate = text.parse().map_err(|error: UnitError| error.to_string())?;
    match (LEAST..=MOST).contains(&rate) {
        true => Ok(rate),
        false => Err(format!("{} is no rate of a line; write 64kbit to 100gbit", Excerpt(text))),
    }
}

/// The round trip in a text: from 1 ms to 10 s.
fn rtt(text: &str) -> Result<Span, String> {
    const BOUNDS: [Span; 2] = [Span::from_millis(1), Span::from_secs(10)];
    let time: Span = text.parse().map_err(|error: UnitError| error.to_string())?;
    match (BOUNDS[0]..=BOUNDS[1]).contains(&time) {
        true => Ok(time),
        false => Err(format!("{} is no round trip; write 1ms to 10s", Excerpt(text))),
    }
}

/// The examples, and the names of all platforms and kinds of lines.
pub(super) fn after_help() -> String {
    let list = |rows: Vec<(&str, &str)>| -> String {
        let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
        rows.iter().map(|(name, words)| format!("  {name:width$}  {words}\n")).collect()
    };
    let platforms = Platform::ALL.iter().map(|it| (it.name, it.words)).collect();
    let links = LinkKind::ALL.iter().map(|it| (it.name, it.words)).collect();
    format!("Platforms:\n{}\nKinds of lines:\n{}\n{EXAMPLES}", list(platforms), list(links))
}

const EXAMPLES: &str = "\
Examples:
  Test, and print what to type on the router:
    unbloat fix far.example.net --for openwrt
  From a test that was kept:
    unbloat test far.example.net --json > before.json
    unbloat fix before.json --for tc --wan eth0 --link docsis
  From the rates of the line alone:
    unbloat fix --up 10mbit --down 50mbit --link vdsl2-pppoe --for vyos-1.5 --wan pppoe0

Nothing is changed: the plan is printed, with the way to see that it is in force, and the way back.
Exit codes: 0 done, 1 failed while running, 2 bad usage or bad input, 3 interrupted.";
