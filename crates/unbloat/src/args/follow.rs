//! The arguments of rates that follow a line.

use std::net::IpAddr;
use std::path::PathBuf;

use units::Rate;

/// The source of delays, and the rates between which the rules choose.
#[derive(Debug, clap::Args)]
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "rates follow on Linux only"))]
pub(crate) struct FollowArgs {
    /// Ask this server for delays, HOST or HOST:PORT of an `unbloat serve`: it knows which direction is
    /// slow
    #[arg(long, value_name = "SERVER", conflicts_with = "reflectors")]
    pub(crate) server: Option<String>,

    /// File with the token that the server asks for
    #[arg(long, value_name = "FILE", requires = "server")]
    pub(crate) token_file: Option<PathBuf>,

    /// Ping these hosts in turn: addresses, six or more if you can. Without this and --server, only
    /// TCP connections that pass are listened to
    #[arg(long, value_name = "ADDRESS,...", value_delimiter = ',')]
    pub(crate) reflectors: Vec<IpAddr>,

    /// Rates between which the upload stays: 5mbit-30mbit. From an eighth of its queue's rate to one
    /// and a half times that, if you name none
    #[arg(long, value_name = "RATE-RATE", value_parser = range)]
    pub(crate) up_range: Option<RateRange>,

    /// Rates between which the download stays
    #[arg(long, value_name = "RATE-RATE", value_parser = range)]
    pub(crate) down_range: Option<RateRange>,
}

/// A least and a greatest rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RateRange {
    pub(crate) least: Rate,
    pub(crate) greatest: Rate,
}

impl FollowArgs {
    /// The name of an option that was typed; `None` if none was.
    pub(crate) fn typed(&self) -> Option<&'static str> {
        let options = [
            ("--server", self.server.is_some()),
            ("--reflectors", !self.reflectors.is_empty()),
            ("--up-range", self.up_range.is_some()),
            ("--down-range", self.down_range.is_some()),
        ];
        options.into_iter().find_map(|(name, is_typed)| is_typed.then_some(name))
    }
}

fn range(text: &str) -> Result<RateRange, String> {
    let (least, greatest) = text
        .split_once('-')
        .ok_or("write the least and the greatest rate with a `-` between: 5mbit-30mbit")?;
    let range =
        RateRange { least: super::fix::rate(least)?, greatest: super::fix::rate(greatest)? };
    match range.least <= range.greatest {
        true => Ok(range),
        false => Err(format!("{greatest} is less than {least}; write the least rate first")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_two_rates_with_units_the_least_first() {
        let mbit = Rate::from_mbit;
        assert_eq!(range("5mbit-30mbit"), Ok(RateRange { least: mbit(5), greatest: mbit(30) }));
        for wrong in ["5mbit", "5-30mbit", "30mbit-5mbit", "-", "0mbit-5mbit", "5mbit-1tbit"] {
            assert!(range(wrong).is_err(), "{wrong}");
        }
    }
}
