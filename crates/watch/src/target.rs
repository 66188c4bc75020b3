//! Targets as users write them.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use results::is_watched_target;
use units::nearest;

/// The port of DNS (RFC 1035 section 4.2).
const DNS_PORT: u16 = 53;
/// A name that every resolver knows: RFC 2606 section 3 keeps it for such uses.
const DNS_NAME: &str = "example.com";

/// A target to probe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The name that its user gave it; `None` if it is known by how it was written.
    pub name: Option<String>,
    /// How it is probed.
    pub kind: TargetKind,
    /// The name or the address of its host.
    pub host: String,
    /// The port; 0 where the kind has none.
    pub port: u16,
}

/// How a target is probed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TargetKind {
    /// Pings (ICMP echo).
    Ping,
    /// A server of ours, which tells the delays of both directions apart.
    Server,
    /// A server of `irtt`, which tells them apart too.
    Irtt,
    /// Connections of TCP, which are closed at once.
    Tcp,
    /// A resolver, which is asked for the address of this name.
    Dns(String),
    /// A web server by HTTPS, which is asked for the head of this path: connection, handshake and answer.
    Https(String),
}

impl FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.trim().is_empty() {
            return Err(format!("the target is empty; {FORMS}"));
        }
        let (name, text) = named(text)?;
        unnamed(text).map(|it| Self { name, ..it })
    }
}

/// The name of a target, if it has one, and the target itself: `NAME=TARGET`. What is behind `=` in a URL is part
/// of it.
fn named(text: &str) -> Result<(Option<String>, &str), String> {
    let Some((name, target)) = text.split_once('=').filter(|(it, _)| !it.contains([':', '/']))
    else {
        return Ok((None, text));
    };
    let name = name.trim();
    let refused = |why: &str| Err(format!("`{text}`: {why}; write NAME=TARGET"));
    match () {
        () if name.is_empty() => refused("there is no name before `=`"),
        () if name.chars().any(char::is_control) => refused("a name has no control characters"),
        () if name.chars().count() > LONGEST_NAME => {
            refused(&format!("a name has at most {LONGEST_NAME} characters"))
        }
        () if !is_watched_target(name) => {
            refused(&format!("`{name}` is the name of a hop or of this machine"))
        }
        () if target.trim().is_empty() => refused("there is no target behind `=`"),
        () => Ok((Some(name.to_owned()), target.trim())),
    }
}

/// The target without a name.
fn unnamed(text: &str) -> Result<Target, String> {
    let (scheme, rest) = match text.split_once(':') {
        Some((scheme, rest)) if SCHEMES.contains(&scheme) => (scheme, rest),
        Some((word, rest)) if is_scheme(word, rest) => {
            return match nearest(word, &SCHEMES) {
                Some(near) => {
                    Err(format!("`{text}` is no kind of target; did you mean `{near}:{rest}`?"))
                }
                None => refused(text, "is no kind of target"),
            };
        }
        _ => return ping(text, text),
    };
    match scheme {
        "ping" => ping(rest, text),
        "server" => with_port(rest, Some(measure::protocol::PORT), text)
            .map(|(host, port)| Target::new(TargetKind::Server, host, port)),
        "irtt" => with_port(rest, Some(IRTT_PORT), text)
            .map(|(host, port)| Target::new(TargetKind::Irtt, host, port)),
        "tcp" => {
            with_port(rest, None, text).map(|(host, port)| Target::new(TargetKind::Tcp, host, port))
        }
        "dns" => {
            let (server, name) = rest.split_once('/').unwrap_or((rest, DNS_NAME));
            let (host, port) = with_port(server, Some(DNS_PORT), text)?;
            let name = dns_name(name, text)?;
            Ok(Target::new(TargetKind::Dns(name), host, port))
        }
        _ => https(rest, text),
    }
}

impl Target {
    pub(crate) const fn new(kind: TargetKind, host: String, port: u16) -> Self {
        Self { name: None, kind, host, port }
    }

    /// The name by which it is known: the one that its user gave it, or else how it was written.
    pub fn name(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.to_string())
    }
}

/// The longest name in characters: a row of a table has room for it.
const LONGEST_NAME: usize = 60;
/// What stands before the first colon of a target that is not pinged.
const SCHEMES: [&str; 6] = ["ping", "server", "irtt", "tcp", "dns", "https"];
/// The port of `irtt`, as its documentation has it.
const IRTT_PORT: u16 = 2112;

/// How a target may be written.
const FORMS: &str = "write HOST (pings), server:HOST (an `unbloat serve`), irtt:HOST, tcp:HOST:PORT, \
                     dns:RESOLVER or https://HOST";

/// True if `word`, before a colon, seems to say how the target is probed: neither it nor what follows is
/// a part of an address, nor is that a port or the rest of a URL.
fn is_scheme(word: &str, rest: &str) -> bool {
    let is_word = !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric());
    let is_ipv6 = word.chars().all(|c| c.is_ascii_hexdigit()) && rest.contains(':');
    let is_port = rest.chars().all(|c| c.is_ascii_digit());
    is_word && !is_ipv6 && !is_port && !rest.starts_with("//")
}

fn refused<T>(text: &str, what: &str) -> Result<T, String> {
    Err(format!("`{text}` {what}; {FORMS}"))
}

fn ping(host: &str, text: &str) -> Result<Target, String> {
    if host.contains("://") {
        return refused(text, "is a URL that is not of https");
    }
    no_user(host, text)?;
    no_comma(host, text)?;
    let host = match host.strip_prefix('[').map(|it| it.strip_suffix(']')) {
        Some(Some(address)) => address,
        Some(None) if !host.contains(']') => {
            return Err(format!(
                "`{text}` has no `]`; write `{text}]`, or the address without brackets"
            ));
        }
        _ => host,
    };
    if host.parse::<Ipv6Addr>().is_err() && host.contains(':') {
        return refused(text, "has a port, which pings do not have");
    }
    Ok(Target::new(TargetKind::Ping, checked(host, text)?, 0))
}

/// Fails if commas stand between a name and its target, or between targets.
fn no_comma(host: &str, text: &str) -> Result<(), String> {
    let Some((first, second)) = host.split_once(',') else { return Ok(()) };
    let [first, second] = [first, second].map(str::trim);
    if first.parse::<IpAddr>().is_ok() || second.contains(',') {
        return refused(text, "has a comma");
    }
    Err(format!("`{text}` has a comma; write `{first}={second}`"))
}

/// Fails if a user is named.
fn no_user(rest: &str, text: &str) -> Result<(), String> {
    let Some((user, _)) = rest.rsplit_once('@') else { return Ok(()) };
    let right = text.replacen(&format!("{user}@"), "", 1);
    Err(format!("`{text}` names a user, and no probe sends one; write `{right}`"))
}

/// Fails if an IPv6 address without brackets may have a port. With `may_be_plain`, one that can have none is good.
fn no_ambiguous_address(rest: &str, may_be_plain: bool, text: &str) -> Result<(), String> {
    if rest.parse::<Ipv6Addr>().is_err() {
        return Ok(());
    }
    let plain = text.replacen(rest, &format!("[{rest}]"), 1);
    let is_port = |port: &str| port.bytes().all(|it| it.is_ascii_digit());
    match rest.rsplit_once(':') {
        Some((address, port)) if address.parse::<Ipv6Addr>().is_ok() && is_port(port) => {
            let with_port = text.replacen(rest, &format!("[{address}]:{port}"), 1);
            Err(format!(
                "`{text}` may be an address with a port, or a longer address: write brackets, `{with_port}` or \
                 `{plain}`"
            ))
        }
        _ if may_be_plain => Ok(()),
        _ => Err(format!("`{text}` has an IPv6 address without brackets; write `{plain}`")),
    }
}

/// Host and port; `usual` is the port if there is none, and `None` if there must be one.
fn with_port(rest: &str, usual: Option<u16>, text: &str) -> Result<(String, u16), String> {
    no_user(rest, text)?;
    no_ambiguous_address(rest, true, text)?;
    let (host, port) = match rest.strip_prefix('[') {
        Some(rest) => match rest.split_once(']') {
            Some((host, port)) => {
                (host, port.strip_prefix(':').or((!port.is_empty()).then_some("")))
            }
            None => return refused(text, "has no `]`"),
        },
        None if rest.parse::<Ipv6Addr>().is_ok() => (rest, None),
        None => match rest.rsplit_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (rest, None),
        },
    };
    let host = checked(host, text)?;
    match (port.map(str::parse), usual) {
        (Some(Ok(port @ 1..)), _) | (None, Some(port)) => Ok((host, port)),
        (Some(_), _) => refused(text, "has no port from 1 to 65535"),
        (None, None) => refused(text, "names no port"),
    }
}

fn checked(host: &str, text: &str) -> Result<String, String> {
    if let Some((name, length)) = host.split_once('/').filter(|(name, _)| !name.is_empty()) {
        let is_network =
            name.parse::<IpAddr>().is_ok() && length.bytes().all(|it| it.is_ascii_digit());
        return match is_network {
            true => Err(format!("`{text}` is a network and no host; write one address of it")),
            false => {
                refused(text, "has a path, which a target of https alone has (https://HOST/PATH)")
            }
        };
    }
    if is_broken_address(host) {
        return Err(format!(
            "`{text}`: `{host}` is no IPv4 address; write four numbers from 0 to 255, as in 192.0.2.1"
        ));
    }
    let is_part = |c: char| !c.is_whitespace() && !c.is_control() && c != '/';
    match !host.is_empty() && !host.starts_with('-') && host.chars().all(is_part) {
        true => Ok(host.to_owned()),
        false => refused(text, "names no host"),
    }
}

/// True for a host that is an address by its last number, and a false one: no name ends in a number (RFC 1123 section
/// 2.1).
fn is_broken_address(host: &str) -> bool {
    let last = host.trim_end_matches('.').rsplit('.').next().unwrap_or_default();
    let is_number = !last.is_empty() && last.bytes().all(|it| it.is_ascii_digit());
    is_number && host.parse::<Ipv4Addr>().is_err()
}

/// A name with labels of 1 to 63 bytes (RFC 1035 section 2.3.4).
fn dns_name(name: &str, text: &str) -> Result<String, String> {
    let name = name.strip_suffix('.').unwrap_or(name);
    let is_printed = |label: &str| label.bytes().all(|it| it.is_ascii_graphic());
    let is_label = |label: &str| (1..=63).contains(&label.len()) && is_printed(label);
    match name.len() <= 253 && name.split('.').all(is_label) {
        true => Ok(name.to_owned()),
        false => refused(text, "asks for no name of DNS"),
    }
}

fn https(rest: &str, text: &str) -> Result<Target, String> {
    let Some(rest) = rest.strip_prefix("//") else {
        return refused(text, "has no `//` behind `https:`");
    };
    let (authority, path) = match rest.find(['/', '?']) {
        Some(at) => rest.split_at(at),
        None => (rest, "/"),
    };
    if path.chars().any(|c| c.is_whitespace() || c.is_control() || !c.is_ascii()) {
        return refused(text, "has a path with characters that a URL does not have");
    }
    let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
    // RFC 3986 section 3.2.2: an IPv6 address in a URL has brackets.
    no_ambiguous_address(authority, false, text)?;
    let (host, port) = with_port(authority, Some(443), text)?;
    Ok(Target::new(TargetKind::Https(path), host, port))
}

/// The target as users write it, without a name.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_ipv6 = self.host.parse::<Ipv6Addr>().is_ok();
        let host = if is_ipv6 { format!("[{}]", self.host) } else { self.host.clone() };
        let port = |usual: u16| match self.port {
            port if port == usual => String::new(),
            port => format!(":{port}"),
        };
        match &self.kind {
            TargetKind::Ping => f.write_str(&self.host),
            TargetKind::Server => write!(f, "server:{host}{}", port(measure::protocol::PORT)),
            TargetKind::Irtt => write!(f, "irtt:{host}{}", port(IRTT_PORT)),
            TargetKind::Tcp => write!(f, "tcp:{host}:{}", self.port),
            TargetKind::Dns(name) if name == DNS_NAME => write!(f, "dns:{host}{}", port(DNS_PORT)),
            TargetKind::Dns(name) => write!(f, "dns:{host}{}/{name}", port(DNS_PORT)),
            TargetKind::Https(path) if path == "/" => write!(f, "https://{host}{}", port(443)),
            TargetKind::Https(path) => write!(f, "https://{host}{}{path}", port(443)),
        }
    }
}

#[cfg(test)]
mod tests;
