//! What goes wrong, in sentences.

use std::io;
use std::net::SocketAddr;

/// Why a test or a server could not be, or not go on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The URL is none that could be measured.
    #[error(
        "`{url}` {problem}; right would be https://nq.example.org or https://nq.example.org:4043/config"
    )]
    Url {
        /// As it was given.
        url: String,
        /// What is wrong with it.
        problem: String,
    },
    /// There is no such host.
    #[error("cannot find the host {host}: {source}")]
    Resolve {
        /// Its name.
        host: String,
        /// What the system says.
        source: io::Error,
    },
    /// Nobody took the connection.
    #[error("cannot connect to {address}: {source}")]
    Connect {
        /// Whom.
        address: SocketAddr,
        /// What the system says.
        source: io::Error,
    },
    /// The handshake failed; most often for a certificate that nobody vouches for.
    #[error("TLS with {address} failed: {source}")]
    Tls {
        /// With whom.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// It speaks something else.
    #[error("{address} does not speak HTTP/2 over TLS, which the test needs")]
    NoHttp2 {
        /// Who.
        address: SocketAddr,
    },
    /// HTTP broke off.
    #[error("{what} broke off: {source}")]
    Http {
        /// What was being done.
        what: String,
        /// Why.
        source: hyper::Error,
    },
    /// The server refuses.
    #[error("the server answered {what} with {status}")]
    Status {
        /// What was asked for.
        what: String,
        /// What it said.
        status: hyper::StatusCode,
    },
    /// The configuration is not what the draft asks for.
    #[error("the configuration at {url} cannot be used: {problem}")]
    Configuration {
        /// Where it is.
        url: String,
        /// What is wrong with it.
        problem: String,
    },
    /// It took too long.
    #[error("{what} took longer than {seconds} s")]
    Late {
        /// What.
        what: String,
        /// How long we waited.
        seconds: u64,
    },
    /// The certificate or the key of a server cannot be used.
    #[error("{file}: {problem}")]
    Certificate {
        /// Where it should be.
        file: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// What the system says.
        source: io::Error,
    },
    /// Congestion cannot be controlled as it is to be.
    #[error(transparent)]
    Congestion(#[from] kernel::CongestionError),
    /// The system does not give us what we need to begin.
    #[error("cannot start: {0}")]
    Start(String),
}

impl Error {
    /// Is it wrong input, rather than something that failed?
    pub fn is_input(&self) -> bool {
        matches!(
            self,
            Self::Url { .. }
                | Self::Resolve { .. }
                | Self::Certificate { .. }
                | Self::Congestion(_)
        )
    }
}
