//! The reasons why there is no measurement.

use std::io;
use std::net::SocketAddr;

use crate::protocol::{PROTOCOL, Reason};

/// The reasons why a test could not begin. Once it has begun, there is always an
/// [`TestOutcome`](super::TestOutcome).
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The name has no address.
    #[error("{name} is not known: {cause}; write a host's name or address, and :PORT if it is not {port}", port = crate::protocol::PORT)]
    Unknown {
        /// The name as the caller gave it.
        name: String,
        /// The resolver's error.
        cause: io::Error,
    },
    /// The name has addresses, but none of the wanted version.
    #[error("{name} has no IPv{version} address")]
    NoAddress {
        /// The name as the caller gave it.
        name: String,
        /// The version of the Internet Protocol that was wanted.
        version: u8,
    },
    /// The host refuses connections to the port.
    #[error(
        "nobody listens at {address}: the host refuses connections to this port; is `unbloat serve` running there?"
    )]
    Closed {
        /// The last address that was tried.
        address: SocketAddr,
    },
    /// The host does not answer.
    #[error("{address} cannot be reached: {cause}")]
    Unreachable {
        /// The last address that was tried.
        address: SocketAddr,
        /// The kernel's error.
        cause: io::Error,
    },
    /// The host answers, but not as an `unbloat` server does.
    #[error("{address} answers, but not as `unbloat serve` does: {problem}")]
    OtherProtocol {
        /// The address.
        address: SocketAddr,
        /// The unexpected part of its answer.
        problem: String,
    },
    /// The server speaks another version of the protocol.
    #[error(
        "the server speaks version {theirs} of the protocol and this program version {PROTOCOL}; use the same release of unbloat on both ends"
    )]
    Version {
        /// The server's version.
        theirs: u32,
    },
    /// The server asks for a token, and the client has none.
    #[error("the server wants a token; pass it with --token-file")]
    TokenWanted,
    /// The server refuses the test.
    #[error("the server refuses: {message}{}", retry(*.retry_s))]
    Refused {
        /// The kind of reason.
        reason: Reason,
        /// The server's own sentence.
        message: String,
        /// The time after which to try again, in seconds, if the server gave one.
        retry_s: Option<u32>,
    },
    /// The server allows only shorter tests.
    #[error(
        "the server allows a test {allowed} s, and this one would take {wanted:.0} s; ask for less \
         (--time), or have the server allow more (unbloat serve --max-time)"
    )]
    TooLong {
        /// Seconds that the server allows.
        allowed: u32,
        /// Seconds that the test would take, if no stage is made longer.
        wanted: f64,
    },
    /// The caller's `watch` said to stop.
    #[error("stopped before the server had answered")]
    Interrupted,
    /// An action on the client's own machine failed.
    #[error("{what}: {cause}")]
    Own {
        /// The action.
        what: &'static str,
        /// The kernel's error.
        cause: io::Error,
    },
}

fn retry(seconds: Option<u32>) -> String {
    seconds.map_or_else(String::new, |seconds| format!("; try again in {seconds} s"))
}

/// An error of the client's own machine in this action.
pub(super) fn own(what: &'static str) -> impl Fn(io::Error) -> ClientError {
    move |cause| ClientError::Own { what, cause }
}
