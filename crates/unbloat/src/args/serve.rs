//! The arguments of `unbloat serve`.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use clap::value_parser;
#[cfg(target_os = "linux")]
use measure::clock::Fault;
use measure::protocol::PORT;
use units::{Rate, Span, UnitError};

use super::Volume;

#[derive(Debug, clap::Args)]
pub(crate) struct ServeArgs {
    /// Address to listen at, TCP and UDP; repeatable [default: all addresses of this machine]
    #[arg(long, value_name = "ADDRESS[:PORT]", value_parser = ListenAddress::parse)]
    pub(crate) bind: Vec<ListenAddress>,

    /// Port, where --bind names none; 0 is any free port
    #[arg(long, value_name = "PORT", default_value_t = PORT, allow_negative_numbers = true)]
    pub(crate) port: u16,

    /// Serve only clients that know the token in this file, as with `unbloat test --token-file`
    #[arg(long, value_name = "FILE", value_parser = super::file::input())]
    pub(crate) token_file: Option<PathBuf>,

    /// Congestion control of the data that the server sends, such as `cubic` or `bbr`, whatever
    /// clients ask for [default: the one that a client asks for, otherwise cubic if this program
    /// may use it]
    #[arg(long, value_name = "NAME", value_parser = congestion)]
    pub(crate) congestion: Option<String>,

    /// Fault of the server's clock: `drift 100ppm` or `step -50ms at 10s`
    #[cfg(target_os = "linux")]
    #[arg(long, value_name = "FAULT", hide = true)]
    pub(crate) clock_fault: Option<Fault>,

    #[cfg(feature = "responsiveness")]
    #[command(flatten)]
    pub(crate) ietf: IetfArgs,

    // The bounds come last, because their heading is that of all that follows.
    #[command(flatten)]
    pub(crate) bounds: BoundArgs,

    #[command(flatten)]
    pub(crate) volume: Volume,
}

/// The options of the IETF's test, which is served in place of ours.
#[cfg(feature = "responsiveness")]
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "The IETF's responsiveness")]
pub(crate) struct IetfArgs {
    /// Serve tests of responsiveness as draft-ietf-ippm-responsiveness-09 defines them, over HTTP/2
    /// and TLS; --max-time then limits each connection, and --max-rate all of them together
    #[arg(long)]
    #[arg(conflicts_with_all = ["tests", "flows", "waiting", "per_address", "patience", "idle", "token_file"])]
    pub(crate) responsiveness: bool,

    /// The certificate, and its chain to one that clients trust, in PEM [default: a new self-signed
    /// one]
    #[arg(long, value_name = "FILE", value_parser = super::file::input(), requires_all = ["responsiveness", "key"])]
    pub(crate) certificate: Option<PathBuf>,

    /// The key of the certificate, in PEM
    #[arg(long, value_name = "FILE", value_parser = super::file::input(), requires = "certificate")]
    pub(crate) key: Option<PathBuf>,
}

/// Limits on what clients can make the server do.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Limits on what clients can make the server do")]
pub(crate) struct BoundArgs {
    /// Largest number of tests at once; one address gets at most half of them
    #[arg(long, value_name = "N", default_value_t = 8, allow_negative_numbers = true)]
    #[arg(value_parser = value_parser!(u32).range(1..=10_000))]
    pub(crate) tests: u32,

    /// Longest duration of a test
    #[arg(long, value_name = "TIME", default_value = "5min", allow_hyphen_values = true)]
    #[arg(value_parser = time)]
    pub(crate) max_time: Span,

    /// Largest number of flows of a test at once
    #[arg(long, value_name = "N", default_value_t = 32, allow_negative_numbers = true)]
    #[arg(value_parser = value_parser!(u32).range(1..=1_000))]
    pub(crate) flows: u32,

    /// Highest rate of a test in each direction, such as `1gbit` [default: no limit]
    #[arg(long, value_name = "RATE", allow_hyphen_values = true, value_parser = rate)]
    pub(crate) max_rate: Option<Rate>,

    /// Largest number of connections that have not yet sent a request
    #[arg(long, value_name = "N", default_value_t = 256, allow_negative_numbers = true)]
    #[arg(value_parser = value_parser!(u32).range(1..=100_000))]
    pub(crate) waiting: u32,

    /// Longest pause of a test, without data and probes
    #[arg(long, value_name = "TIME", default_value = "10s", allow_hyphen_values = true)]
    #[arg(value_parser = time)]
    pub(crate) idle: Span,

    /// Largest number of connections of one address
    #[arg(long, value_name = "N", default_value_t = 128, allow_negative_numbers = true)]
    #[arg(value_parser = value_parser!(u32).range(1..=100_000))]
    pub(crate) per_address: u32,

    /// Time within which a connection must have sent a request
    #[arg(long, value_name = "TIME", default_value = "15s", allow_hyphen_values = true)]
    #[arg(value_parser = time)]
    pub(crate) patience: Span,
}

/// An address to listen at, and the port; `None` if no port was named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ListenAddress {
    address: IpAddr,
    port: Option<u16>,
}

impl ListenAddress {
    fn parse(text: &str) -> Result<Self, String> {
        if let Ok(place) = text.parse::<SocketAddr>() {
            return Ok(Self { address: place.ip(), port: Some(place.port()) });
        }
        let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
        let address = bare.parse().map_err(|_| {
            "write an address of this machine, as 192.0.2.1, 192.0.2.1:8517, 2001:db8::1 or \
             [2001:db8::1]:8517"
        })?;
        Ok(Self { address, port: None })
    }

    /// The address with this port, if no port was named.
    #[cfg(target_os = "linux")]
    pub(crate) fn or(self, port: u16) -> SocketAddr {
        (self.address, self.port.unwrap_or(port)).into()
    }
}

fn time(text: &str) -> Result<Span, String> {
    super::time::time(text, ["100ms", "24h"], "no time for this")
}

/// The name of a congestion control: at most 15 bytes (`TCP_CA_NAME_MAX` of Linux, less one for the
/// end).
fn congestion(text: &str) -> Result<String, String> {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    match (1..16).contains(&text.len()) && text.bytes().all(is_name) {
        true => Ok(text.to_owned()),
        false => Err("write a name such as cubic, reno or bbr".into()),
    }
}

fn rate(text: &str) -> Result<Rate, String> {
    const SLOWEST: Rate = Rate::from_mbit(1);
    let rate: Rate = text.parse().map_err(|error: UnitError| error.to_string())?;
    match rate >= SLOWEST {
        true => Ok(rate),
        false => Err(format!("{rate} is too slow to fill anything; write at least {SLOWEST}")),
    }
}

pub(super) const EXAMPLES: &str = "\
Examples:
  The far end, on a machine in a data centre, for everybody:
    unbloat serve
  And at home:
    unbloat test far.example.net
  For clients with a token, and slower than the machine's own line:
    unbloat serve --token-file secret.txt --max-rate 500mbit --tests 2
  At one address and another port, and a line for each test:
    unbloat serve --bind 192.0.2.1:9000 -v
  For clients of the IETF's responsiveness:
    unbloat serve --responsiveness --port 443 --certificate chain.pem \\
        --key key.pem

It needs no root. It listens on TCP and UDP; a firewall must let both in.
Ctrl-C or SIGTERM ends the server and its tests.
Exit codes: 0 ended, 1 failed while running, 2 bad usage or bad input.";

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn places_have_an_address_and_perhaps_a_port() {
        for (text, place) in [
            ("192.0.2.1", "192.0.2.1:7"),
            ("192.0.2.1:9000", "192.0.2.1:9000"),
            ("::1", "[::1]:7"),
            ("[::1]", "[::1]:7"),
            ("[::1]:9000", "[::1]:9000"),
        ] {
            let read = ListenAddress::parse(text).map(|place| place.or(7).to_string());
            assert_eq!(read.as_deref(), Ok(place));
        }
        for wrong in ["", "localhost", "192.0.2.1:", "192.0.2.1:99999", ":9000", "[::1"] {
            assert!(ListenAddress::parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
