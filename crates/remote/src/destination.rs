//! Where another machine is.

use std::fmt;
use std::str::FromStr;

use crate::RemoteError;

/// A machine that `ssh` reaches: `ssh://root@192.168.1.1:2222`, or a name of the user's
/// configuration of ssh, as `ssh://router`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Destination {
    user: Option<String>,
    host: String,
    port: Option<u16>,
}

impl Destination {
    /// The arguments of `ssh` for this machine, the name of the machine last.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let port = self.port.iter().flat_map(|port| ["-p".to_owned(), port.to_string()]);
        let user = self.user.iter().flat_map(|user| ["-l".to_owned(), user.clone()]);
        // No name is taken for an option after `--`.
        port.chain(user).chain(["--".to_owned(), self.host.clone()]).collect()
    }
}

impl fmt::Display for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.port {
            Some(port) if self.host.contains(':') => write!(f, "[{}]:{port}", self.host),
            Some(port) => write!(f, "{}:{port}", self.host),
            None => f.write_str(&self.host),
        }
    }
}

impl FromStr for Destination {
    type Err = RemoteError;

    fn from_str(text: &str) -> Result<Self, RemoteError> {
        let wrong = || RemoteError::Destination(text.to_owned());
        let rest = text.strip_prefix("ssh://").ok_or_else(wrong)?;
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let (user, place) = match rest.split_once('@') {
            // A name with a colon holds a password, which ssh does not take here.
            Some((user, _)) if user.contains(':') => return Err(wrong()),
            Some((user, place)) => (Some(user), place),
            None => (None, rest),
        };
        let (host, port) = split_port(place).ok_or_else(wrong)?;
        let port = port.map(str::parse).transpose().map_err(|_| wrong())?;
        let is_word = |word: &str| {
            let fits = |it: char| it.is_ascii_alphanumeric() || "._-:%".contains(it);
            !word.is_empty() && !word.starts_with('-') && word.chars().all(fits)
        };
        if !is_word(host) || !user.is_none_or(is_word) || port == Some(0) {
            return Err(wrong());
        }
        Ok(Self { user: user.map(str::to_owned), host: host.to_owned(), port })
    }
}

/// The host and the port of `host`, `host:22`, `[::1]` or `[::1]:22`; `None` if it is none of these.
fn split_port(place: &str) -> Option<(&str, Option<&str>)> {
    if let Some(rest) = place.strip_prefix('[') {
        let (host, after) = rest.split_once(']')?;
        return match after {
            "" => Some((host, None)),
            after => Some((host, Some(after.strip_prefix(':')?))),
        };
    }
    match place.split_once(':') {
        Some((host, port)) => (!port.contains(':')).then_some((host, Some(port))),
        None => Some((place, None)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_become_arguments() {
        for (text, expected, name) in [
            ("ssh://router", "-- router", "router"),
            ("ssh://root@192.168.1.1/", "-l root -- 192.168.1.1", "192.168.1.1"),
            (
                "ssh://root@[fe80::1%eth0]:2222",
                "-p 2222 -l root -- fe80::1%eth0",
                "[fe80::1%eth0]:2222",
            ),
            ("ssh://my.router:22", "-p 22 -- my.router", "my.router:22"),
        ] {
            let destination: Destination = text.parse().unwrap();
            assert_eq!(destination.arguments().join(" "), expected);
            assert_eq!(destination.to_string(), name);
        }
    }

    #[test]
    fn what_is_no_place_is_refused() {
        for text in [
            "router",
            "ssh://",
            "ssh://root:secret@router",
            "ssh://-oProxyCommand=x",
            "ssh://a b",
            "ssh://root@",
            "ssh://@host",
            "ssh://host:",
            "ssh://host:0",
            "ssh://host:99999",
            "ssh://::1",
            "ssh://[::1",
            "ssh://a;b",
            "ssh://-x@host",
            "http://host",
            "ssh://host/path",
        ] {
            assert!(text.parse::<Destination>().is_err(), "{text}");
        }
    }
}
