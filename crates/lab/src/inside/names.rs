//! Name resolution inside: the files in `/etc` by which the command finds the peer and a resolver.
//!
//! Specification: resolv.conf(5), hosts(5).

use std::fmt::Write;
use std::fs;
use std::io;
use std::net::IpAddr;

use sandbox::Replacement;

const CONF: &str = "/etc/resolv.conf";
const HOSTS: &str = "/etc/hosts";

/// The host name of the peer.
const PEER: &str = "peer";

/// Name resolution for a command.
#[derive(Debug)]
pub(super) struct NameResolution {
    /// The files that the command sees in place of the host's.
    pub(super) files: Vec<Replacement>,
    /// The host's resolvers.
    pub(super) resolvers: Vec<IpAddr>,
    /// The things that the command has to do without, one line each.
    pub(super) notes: Vec<String>,
}

impl NameResolution {
    /// The name resolution of the host with the name of the peer, whose addresses these are. The
    /// peer is also the command's resolver.
    pub(super) fn with(peer: [IpAddr; 2]) -> Self {
        Self::from_files(fs::read(HOSTS), &fs::read(CONF).unwrap_or_default(), peer)
    }

    /// The name resolution from the host's two files.
    fn from_files(host: io::Result<Vec<u8>>, host_conf: &[u8], peer: [IpAddr; 2]) -> Self {
        let host_conf = String::from_utf8_lossy(host_conf);
        let resolvers = resolvers(&host_conf);
        let (mut files, mut notes) = (Vec::new(), Vec::new());
        match host {
            Ok(host) => files.push(Replacement { path: HOSTS, content: hosts(&host, &peer) }),
            Err(error) => notes.push(format!("{HOSTS}: {error}; the peer has no name inside")),
        }
        if resolvers.is_empty() {
            notes.push(format!("{CONF} names no resolver, so there is none inside"));
        } else {
            let content = conf(&host_conf, peer[0]).into_bytes();
            files.push(Replacement { path: CONF, content });
        }
        Self { files, resolvers, notes }
    }
}

/// The resolvers that a `resolv.conf` names, without those that belong to one device
/// (`fe80::1%eth0`).
fn resolvers(conf: &str) -> Vec<IpAddr> {
    let values = conf.lines().filter_map(|line| line.trim_start().strip_prefix("nameserver"));
    values
        .filter(|value| value.starts_with(char::is_whitespace))
        .filter_map(|value| value.split_whitespace().next()?.parse().ok())
        .collect()
}

/// A `resolv.conf` that names the peer, with the host's other settings.
fn conf(host: &str, peer: IpAddr) -> String {
    let mut text = format!(
        "# Made by unbloat lab: the peer asks the resolver of the host.\nnameserver {peer}\n"
    );
    let kept = |line: &&str| {
        ["search", "domain", "options", "sortlist"]
            .contains(&line.split_whitespace().next().unwrap_or_default())
    };
    for line in host.lines().filter(kept) {
        text.push_str(line);
        text.push('\n');
    }
    text
}

/// The host's `hosts` file, with the peer added.
fn hosts(host: &[u8], peer: &[IpAddr]) -> Vec<u8> {
    let mut text = String::new();
    for address in peer {
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "{address} {PEER}");
    }
    // A line with the peer of a lab around this one is left out.
    let is_outer = |line: &&[u8]| line.trim_ascii_end().ends_with(b" peer");
    let lines = host.split_inclusive(|byte| *byte == b'\n').filter(|line| !is_outer(line));
    [text.as_bytes(), &lines.collect::<Vec<_>>().concat()].concat()
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, Ipv6Addr};

    use super::*;

    const PEER_ADDRESSES: [IpAddr; 2] =
        [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];

    const HOST: &str = "# comment\nnameserver 10.1.2.3\nsearch example.org\n\
                        nameserver fe80::1%eth0\n nameserver\t2001:db8::1 # x\n\
                        nameservers 1.1.1.1\noptions ndots:2\n";

    #[test]
    fn resolvers_are_those_that_can_be_asked() {
        let expected: [IpAddr; 2] = ["10.1.2.3".parse().unwrap(), "2001:db8::1".parse().unwrap()];
        assert_eq!(resolvers(HOST), expected);
        assert!(resolvers("").is_empty());
    }

    #[test]
    fn the_command_asks_the_peer_with_the_options_of_the_host() {
        let text = conf(HOST, "10.0.0.2".parse().unwrap());
        let lines: Vec<_> = text.lines().skip(1).collect();
        assert_eq!(lines, ["nameserver 10.0.0.2", "search example.org", "options ndots:2"]);
    }

    #[test]
    fn hosts_are_kept_in_whatever_encoding() {
        let host = b"127.0.0.1 localhost # gr\xfcn\n";
        let names = NameResolution::from_files(Ok(host.into()), b"# \xff", PEER_ADDRESSES);
        let [Replacement { path: HOSTS, content }] = &names.files[..] else { panic!("{names:?}") };
        assert!(content.ends_with(host), "{names:?}");
        assert!(names.notes[0].contains("no resolver"), "{names:?}");
    }

    #[test]
    fn hosts_that_cannot_be_read_are_left_alone() {
        let unreadable = Err(io::ErrorKind::NotFound.into());
        let names =
            NameResolution::from_files(unreadable, b"nameserver 10.1.2.3\n", PEER_ADDRESSES);
        let [Replacement { path: CONF, .. }] = names.files[..] else { panic!("{names:?}") };
        assert!(names.notes[0].starts_with(HOSTS), "{names:?}");
    }

    #[test]
    fn the_peer_has_a_name() {
        let around = b"10.1.0.2 peer\n127.0.0.1 localhost\n# \xfc\n";
        let text = hosts(around, &["10.0.0.2".parse().unwrap()]);
        assert_eq!(text, b"10.0.0.2 peer\n127.0.0.1 localhost\n# \xfc\n");
    }
}
