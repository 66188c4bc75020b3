//! Why there is no measurement.

use std::io;
use std::net::SocketAddr;

use crate::protocol::{PROTOCOL, Reason};

/// Why a test could not begin. Once it has begun, there is always an [`Outcome`](super::Outcome).
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The name has no address.
    #[error("{name} is not known: {cause}; write a host's name or address, and :PORT if it is not {port}", port = crate::protocol::PORT)]
    Unknown {
        /// As it was asked for.
        name: String,
        /// What the resolver says.
        cause: io::Error,
    },
    /// It has addresses, but none of the wanted version.
    #[error("{name} has no IPv{version} address")]
    NoAddress {
        /// As it was asked for.
        name: String,
        /// The version of the Internet Protocol that was asked for.
        version: u8,
    },
    /// Nobody listens there.
    #[error(
        "nobody listens at {address}: the host refuses connections to this port; is `unbloat serve` running there?"
    )]
    Closed {
        /// The last address that was tried.
        address: SocketAddr,
    },
    /// It does not answer.
    #[error("{address} cannot be reached: {cause}")]
    Unreachable {
        /// The last address that was tried.
        address: SocketAddr,
        /// Why, as the kernel says.
        cause: io::Error,
    },
    /// It answers, but not as a server of ours does.
    #[error("{address} answers, but not as `unbloat serve` does: {problem}")]
    Stranger {
        /// Who.
        address: SocketAddr,
        /// What was wrong.
        problem: String,
    },
    /// It speaks another version of the protocol.
    #[error(
        "the server speaks version {theirs} of the protocol and this program version {PROTOCOL}; use the same release of unbloat on both ends"
    )]
    Version {
        /// The server's.
        theirs: u32,
    },
    /// It wants a token, and we have none.
    #[error("the server wants a token; pass it with --token-file")]
    TokenWanted,
    /// It does not want us.
    #[error("the server refuses: {message}{}", retry(*.retry_s))]
    Refused {
        /// In a word.
        reason: Reason,
        /// Its own sentence.
        message: String,
        /// When to try again, in seconds.
        retry_s: Option<u32>,
    },
    /// It allows only shorter tests.
    #[error(
        "the server allows a test {allowed} s, and this one would take {wanted:.0} s; ask for less \
         (--time), or have the server allow more (unbloat serve --max-time)"
    )]
    TooLong {
        /// Seconds that it allows.
        allowed: u32,
        /// Seconds that the test would take, if nothing is made longer.
        wanted: f64,
    },
    /// Whoever watches said that it is enough.
    #[error("stopped before the server had answered")]
    Interrupted,
    /// Something of our own machine failed.
    #[error("{what}: {cause}")]
    Own {
        /// What we wanted to do.
        what: &'static str,
        /// What the kernel says.
        cause: io::Error,
    },
}

fn retry(seconds: Option<u32>) -> String {
    seconds.map_or_else(String::new, |seconds| format!("; try again in {seconds} s"))
}

/// Names what we wanted to do when our own machine failed.
pub(super) fn own(what: &'static str) -> impl Fn(io::Error) -> ClientError {
    move |cause| ClientError::Own { what, cause }
}
