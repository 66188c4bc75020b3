//! The sources of delays.

use std::fmt;
use std::net::IpAddr;

use measure::client::RemoteServer;

/// The source of delays.
#[derive(Clone)]
pub enum Source {
    /// A server of ours, whose answers tell the delays of both directions apart.
    Server(RemoteServer),
    /// Reflectors, hosts that answer pings: in turn, and another one in place of one that is of no use.
    Reflectors(Vec<IpAddr>),
    /// The round trips of TCP connections that pass, which the driver tells of.
    Passing,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Server(server) => write!(f, "the server {}", server.host),
            Self::Reflectors(hosts) if hosts.len() == 1 => write!(f, "the reflector {}", hosts[0]),
            Self::Reflectors(hosts) => write!(f, "{} reflectors", hosts.len()),
            Self::Passing => f.write_str("passing TCP connections"),
        }
    }
}

impl fmt::Debug for Source {
    /// Writes no token.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}
