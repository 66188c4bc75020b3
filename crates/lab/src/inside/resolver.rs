//! Name resolution inside: files in `/etc`, written for the command.
//!
//! Specification: resolv.conf(5), hosts(5).

use std::fmt::Write;
use std::net::IpAddr;

/// The host name of the peer.
const PEER: &str = "peer";

/// The resolvers that a `resolv.conf` names, without those that belong to one device
/// (`fe80::1%eth0`).
pub(crate) fn resolvers(conf: &str) -> Vec<IpAddr> {
    let values = conf.lines().filter_map(|line| line.trim_start().strip_prefix("nameserver"));
    values
        .filter(|value| value.starts_with(char::is_whitespace))
        .filter_map(|value| value.split_whitespace().next()?.parse().ok())
        .collect()
}

/// A `resolv.conf` that names the peer, with the host's other settings.
pub(crate) fn conf(host: &str, peer: IpAddr) -> String {
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
pub(crate) fn hosts(host: &[u8], peer: &[IpAddr]) -> Vec<u8> {
    let mut text = String::new();
    for address in peer {
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "{address} {PEER}");
    }
    // The peer of a lab around this one is not meant.
    let is_outer = |line: &&[u8]| line.trim_ascii_end().ends_with(b" peer");
    let lines = host.split_inclusive(|byte| *byte == b'\n').filter(|line| !is_outer(line));
    [text.as_bytes(), &lines.collect::<Vec<_>>().concat()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn the_peer_has_a_name() {
        let around = b"10.1.0.2 peer\n127.0.0.1 localhost\n# \xfc\n";
        let text = hosts(around, &["10.0.0.2".parse().unwrap()]);
        assert_eq!(text, b"10.0.0.2 peer\n127.0.0.1 localhost\n# \xfc\n");
    }
}
