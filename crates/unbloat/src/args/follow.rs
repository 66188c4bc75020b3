//! The arguments of rates that follow a line.

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;

use units::{Excerpt, Rate};

/// The source of delays, and the rates between which the rules choose.
#[derive(Debug, clap::Args)]
pub(crate) struct FollowArgs {
    /// Measure delays to this server, HOST or HOST:PORT of an `unbloat serve`: it tells the
    /// directions apart
    #[arg(long, value_name = "SERVER", conflicts_with = "reflectors")]
    pub(crate) server: Option<String>,

    /// File with the token that the server asks for
    #[arg(long, value_name = "FILE", requires = "server", value_parser = super::file::input())]
    pub(crate) token_file: Option<PathBuf>,

    /// Ping these reflectors in turn: addresses with commas between them, six or more if you can.
    /// Without this and --server, delays are only those of TCP connections that pass
    #[arg(long, value_name = "ADDRESSES", value_delimiter = ',', value_parser = reflector)]
    pub(crate) reflectors: Vec<IpAddr>,

    /// Lowest and highest rate of the upload: 5mbit-30mbit [default: from an eighth of its queue's
    /// rate to one and a half times that rate]
    #[arg(long, value_name = "RATE-RATE", value_parser = range)]
    pub(crate) up_range: Option<RateRange>,

    /// Lowest and highest rate of the download
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

/// The address of one host, which can answer.
fn reflector(text: &str) -> Result<IpAddr, String> {
    let address: IpAddr = text.parse().map_err(|_| {
        format!(
            "{} is no address; write one such as 1.1.1.1 or 2606:4700:4700::1111",
            Excerpt(text)
        )
    })?;
    let address = address.to_canonical();
    let why = match address {
        _ if address.is_unspecified() => "is no host's address",
        _ if address.is_multicast() => "is the address of many hosts (multicast)",
        IpAddr::V4(Ipv4Addr::BROADCAST) => "is the address of all hosts (broadcast)",
        _ => return Ok(address),
    };
    Err(format!("{address} {why}; name reflectors: 1.1.1.1,9.9.9.9"))
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
    fn a_reflector_is_one_host() {
        for good in ["1.1.1.1", "192.168.1.1", "2606:4700:4700::1111"] {
            assert_eq!(reflector(good), Ok(good.parse().unwrap()));
        }
        assert_eq!(reflector("::ffff:9.9.9.9"), Ok("9.9.9.9".parse().unwrap()));
        for (wrong, why) in [
            ("0.0.0.0", "no host"),
            ("::", "no host"),
            ("224.0.0.1", "multicast"),
            ("ff02::1", "multicast"),
            ("::ffff:224.0.0.1", "multicast"),
            ("255.255.255.255", "broadcast"),
            ("dns.example", "1.1.1.1"),
        ] {
            let said = reflector(wrong).unwrap_err();
            assert!(said.contains(why), "{said}");
        }
    }

    #[test]
    fn a_range_is_two_rates_with_units_the_least_first() {
        let mbit = Rate::from_mbit;
        assert_eq!(range("5mbit-30mbit"), Ok(RateRange { least: mbit(5), greatest: mbit(30) }));
        for wrong in ["5mbit", "5-30mbit", "30mbit-5mbit", "-", "0mbit-5mbit", "5mbit-1tbit"] {
            assert!(range(wrong).is_err(), "{wrong}");
        }
    }
}
