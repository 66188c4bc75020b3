//! Errors, as sentences.

use std::io;
use std::net::SocketAddr;

/// The reason why a test or a server could not start or continue.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The URL cannot be measured.
    #[error(
        "`{url}` {problem}; right would be https://nq.example.org or https://nq.example.org:4043/config"
    )]
    Url {
        /// The URL as it was given.
        url: String,
        /// The problem with the URL.
        problem: String,
    },
    /// The host's name cannot be resolved.
    #[error("cannot find the host {host}: {source}")]
    Resolve {
        /// The host's name.
        host: String,
        /// The system's error.
        source: io::Error,
    },
    /// The connection failed.
    #[error("cannot connect to {address}: {source}")]
    Connect {
        /// The server's address.
        address: SocketAddr,
        /// The system's error.
        source: io::Error,
    },
    /// The TLS handshake failed, most often because no trusted authority signed the certificate.
    #[error("TLS with {address} failed: {source}")]
    Tls {
        /// The server's address.
        address: SocketAddr,
        /// The reason.
        source: io::Error,
    },
    /// The server does not use HTTP/2 over TLS.
    #[error("{address} does not speak HTTP/2 over TLS, which the test needs")]
    NoHttp2 {
        /// The server's address.
        address: SocketAddr,
    },
    /// An HTTP exchange was interrupted.
    #[error("{what} broke off: {source}")]
    Http {
        /// The exchange, in words.
        what: String,
        /// The reason.
        source: hyper::Error,
    },
    /// The server answered with an error status.
    #[error("the server answered {what} with {status}")]
    Status {
        /// The request.
        what: String,
        /// The server's answer.
        status: hyper::StatusCode,
    },
    /// The configuration is not what the draft asks for.
    #[error("the configuration at {url} cannot be used: {problem}")]
    Configuration {
        /// The URL of the configuration.
        url: String,
        /// The problem with the configuration.
        problem: String,
    },
    /// A step took too long.
    #[error("{what} took longer than {seconds} s")]
    Late {
        /// The step.
        what: String,
        /// The time waited, in seconds.
        seconds: u64,
    },
    /// The certificate or the key of a server cannot be used.
    #[error("{file}: {problem}")]
    Certificate {
        /// The file's name.
        file: String,
        /// The problem with the file.
        problem: String,
    },
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The system's error.
        source: io::Error,
    },
    /// The congestion control that was asked for is not available.
    #[error(transparent)]
    Congestion(#[from] kernel::CongestionError),
    /// The system lacks a resource that is needed to start.
    #[error("cannot start: {0}")]
    Start(String),
}

impl Error {
    /// True for wrong input, false for a step that failed.
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
