//! The arguments of `unbloat fix`.

use std::ffi::OsStr;
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue};
use remedy::{LinkKind, Tins};
use remote::Destination;
use routers::Platform;
use units::{Excerpt, Rate, Span, UnitError};

use super::time::time;
use super::{COMMON, FILES, Volume};

#[derive(Debug, clap::Args)]
pub(crate) struct FixArgs {
    /// File with the output of `unbloat test --json` (- for stdin); or the machine that
    /// runs `unbloat serve`, for a test of the path to it now. Not needed with --up or --down
    #[arg(value_name = "FILE|HOST[:PORT]", value_parser = super::file::input_or_name())]
    pub(crate) source: Option<String>,

    /// System of the machine that shapes, which is the router or this machine; the list is below
    #[arg(long = "for", value_name = "PLATFORM", value_parser = Platforms)]
    #[arg(hide_possible_values = true)]
    pub(crate) platform: Option<&'static Platform>,

    /// Interface to the provider, where the platform needs its name
    #[arg(long, value_name = "DEV")]
    pub(crate) wan: Option<String>,

    /// Kind of the line, such as `docsis`; the list is below. It determines how many bytes a packet
    /// takes on the line [default: assumed from the rates]
    #[arg(long, value_name = "KIND", value_parser = Links, hide_possible_values = true)]
    pub(crate) link: Option<&'static LinkKind>,

    /// Upload rate of the line, as a test shows it, not the modem's sync rate; in place of the
    /// measured one
    #[arg(long, value_name = "RATE", allow_hyphen_values = true, value_parser = rate)]
    pub(crate) up: Option<Rate>,

    /// Download rate of the line, as a test shows it, not the modem's sync rate; in place of the
    /// measured one
    #[arg(long, value_name = "RATE", allow_hyphen_values = true, value_parser = rate)]
    pub(crate) down: Option<Rate>,

    /// The router does not translate addresses
    #[arg(long)]
    pub(crate) no_nat: bool,

    /// Classes by code point: besteffort, one class for all traffic, or diffserv4
    #[arg(long, value_name = "TINS", default_value = "besteffort", value_parser = tins())]
    #[arg(hide_possible_values = true)]
    pub(crate) tins: Tins,

    /// About the longest round trip of the usual traffic [default: 100ms, or that of the idle path
    /// if it is longer]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = rtt)]
    pub(crate) rtt: Option<Span>,

    /// File with the token that the server asks for
    #[arg(long, value_name = "FILE", value_parser = super::file::input())]
    pub(crate) token_file: Option<PathBuf>,

    /// Output of the plan's check commands on the router (- for stdin): print whether the
    /// plan is in force, and what differs
    #[arg(long, value_name = "FILE", value_parser = super::file::input(), conflicts_with = "change")]
    pub(crate) verify: Option<PathBuf>,

    /// Write a page with the plan, and buttons that copy its commands; with --apply a page with the
    /// line before and after
    #[arg(long, value_name = "FILE.html", value_parser = super::file::output(), help_heading = FILES)]
    #[arg(conflicts_with_all = ["undo", "verify"])]
    pub(crate) report: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) apply: ApplyArgs,

    /// Print the document instead of text: of the plan, with --apply of the treatment, or with
    /// --verify of the verification
    #[arg(long, help_heading = COMMON)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) volume: Volume,
}

/// The options of a plan that is applied.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "To apply the plan")]
pub(crate) struct ApplyArgs {
    /// Apply the plan, test again, and keep the plan if the line became better; otherwise take it
    /// back
    #[arg(long)]
    #[arg(group = "change")]
    pub(crate) apply: bool,

    /// Find the highest rate that keeps others within --target, in at most eight tests
    #[arg(long, requires = "apply")]
    pub(crate) autotune: bool,

    /// Longest acceptable delay of others
    #[arg(long, value_name = "TIME", default_value = "30ms", allow_hyphen_values = true)]
    #[arg(value_parser = target, requires = "autotune")]
    pub(crate) target: Span,

    /// Take back what an earlier --apply has kept
    #[arg(long, group = "change", conflicts_with_all = OF_A_PLAN)]
    pub(crate) undo: bool,

    /// Change another machine, by your ssh: ssh://root@192.168.1.1 [default: this machine]
    #[arg(long, value_name = "URL", requires = "change")]
    pub(crate) over: Option<Destination>,

    /// Replace a shaper that somebody else has set there
    #[arg(long, requires = "apply")]
    pub(crate) replace: bool,

    /// Do not ask before the change
    #[arg(long, short, requires = "apply")]
    pub(crate) yes: bool,

    /// Time after which the machine takes the change back by itself, if the connection to it or
    /// this program ends
    #[arg(long, value_name = "TIME", default_value = "5min", allow_hyphen_values = true)]
    #[arg(value_parser = undo_after, requires = "apply")]
    pub(crate) undo_after: Span,
}

/// The arguments that say what to do, and mean nothing where something is taken back.
const OF_A_PLAN: [&str; 17] = [
    "source",
    "platform",
    "wan",
    "link",
    "up",
    "down",
    "no_nat",
    "tins",
    "rtt",
    "token_file",
    "json",
    "apply",
    "autotune",
    "target",
    "replace",
    "yes",
    "undo_after",
];

/// The time of the timer in a text: from two minutes, as a test takes up to one, to an hour.
fn undo_after(text: &str) -> Result<Span, String> {
    time(text, ["2min", "1h"], "too short or too long")
}

/// The delay in a text: from 1 ms to 1 s.
fn target(text: &str) -> Result<Span, String> {
    time(text, ["1ms", "1s"], "no delay to aim at")
}

/// The parser of the names of platforms, which names those that may be meant by another word.
#[derive(Clone)]
struct Platforms;

impl TypedValueParser for Platforms {
    type Value = &'static Platform;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Self::Value, clap::Error> {
        let known: Vec<_> = Platform::ALL.iter().map(|it| (it.name, it.words)).collect();
        let name = named(command, argument, value, &known, Some(ANOTHER));
        name.map(|name| Platform::named(&name).expect("it is one of the names"))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let values = Platform::ALL.iter().map(|platform| PossibleValue::new(platform.name));
        Some(Box::new(values))
    }
}

/// The advice for a router that is none of the platforms.
const ANOTHER: &str = "for another router, such as a Fritz!Box, put an OpenWrt router between it and all \
    devices, and use `--for openwrt`; docs/fix.md has other ways";

/// One of these names, each with its words.
///
/// # Errors
/// If the value is none of the names; with those that may be meant, or else with the advice.
fn named(
    command: &clap::Command,
    argument: Option<&clap::Arg>,
    value: &OsStr,
    known: &[(&'static str, &'static str)],
    advice: Option<&'static str>,
) -> Result<String, clap::Error> {
    let names: Vec<_> = known.iter().map(|(name, _)| PossibleValue::new(*name)).collect();
    PossibleValuesParser::new(names).parse_ref(command, argument, value).map_err(|mut error| {
        let meant = meant(&value.to_string_lossy(), known);
        if !meant.is_empty() {
            error.insert(ContextKind::SuggestedValue, ContextValue::Strings(meant));
        } else if let Some(advice) = advice {
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![advice.into()]));
        }
        error
    })
}

/// The names that a word may mean, out of names with their words: it begins them, or else it is in
/// their words.
fn meant(word: &str, known: &[(&str, &str)]) -> Vec<String> {
    let plain = |text: &str| -> String {
        text.chars().filter(char::is_ascii_alphanumeric).map(|it| it.to_ascii_lowercase()).collect()
    };
    let word = plain(word);
    let of = |is_meant: &dyn Fn(&str, &str) -> bool| -> Vec<String> {
        let meant = known.iter().filter(|(name, words)| word.len() > 1 && is_meant(name, words));
        meant.map(|(name, _)| (*name).to_owned()).collect()
    };
    let by_name = of(&|name, _| plain(name).starts_with(&word));
    if by_name.is_empty() { of(&|_, words| plain(words).contains(&word)) } else { by_name }
}

/// The parser of the kinds of lines, which names those that may be meant by another word.
#[derive(Clone)]
pub(super) struct Links;

impl TypedValueParser for Links {
    type Value = &'static LinkKind;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Self::Value, clap::Error> {
        let known: Vec<_> = LinkKind::ALL.iter().map(|it| (it.name, it.words)).collect();
        let name = named(command, argument, value, &known, None);
        name.map(|name| LinkKind::named(&name).expect("it is one of the names"))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(LinkKind::ALL.iter().map(|kind| PossibleValue::new(kind.name))))
    }
}

fn tins() -> impl clap::builder::TypedValueParser<Value = Tins> {
    PossibleValuesParser::new(Tins::ALL.map(Tins::cake))
        .map(|name| Tins::named(&name).expect("it is one of the names"))
}

/// The rates of lines: from 64 kbit/s to 100 Gbit/s.
pub(crate) const LINES: std::ops::RangeInclusive<Rate> =
    Rate::from_bits_per_sec(64_000).expect("it is not zero")..=Rate::from_mbit(100_000);

/// The rate of a line in a text.
pub(super) fn rate(text: &str) -> Result<Rate, String> {
    let rate: Rate = text.parse().map_err(|error: UnitError| error.to_string())?;
    match LINES.contains(&rate) {
        true => Ok(rate),
        false => Err(format!("{} is no rate of a line; write 64kbit to 100gbit", Excerpt(text))),
    }
}

/// The round trip in a text: from 1 ms to 10 s.
fn rtt(text: &str) -> Result<Span, String> {
    time(text, ["1ms", "10s"], "no round trip")
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
  From a saved test:
    unbloat test far.example.net --json > before.json
    unbloat fix before.json --for tc --wan eth0 --link docsis
  From the rates that a speed test shows:
    unbloat fix --up 10mbit --down 50mbit --link vdsl2-pppoe --for vyos-1.5 \\
        --wan pppoe0

  Check that the router has it:
    ssh root@192.168.1.1 'uci show sqm; tc -s qdisc' |
        unbloat fix before.json --for openwrt --verify -

  Apply it on the router, and test that it helped:
    unbloat fix far.example.net --for tc --wan eth0 --apply \\
        --over ssh://root@192.168.1.1

  Find the highest rate that keeps others within 30 ms:
    unbloat fix far.example.net --for tc --wan eth0 --apply --autotune

  Take it back:
    unbloat fix --undo --over ssh://root@192.168.1.1

Without --apply nothing is changed: the plan is printed, with the commands that check it and those \
that take it back.
Exit codes: 0 done, 1 failed while running, 2 bad usage or bad input, 3 interrupted, \
4 the change did not help or could not be made, and was taken back, or with --verify the plan is not \
seen in force.";
