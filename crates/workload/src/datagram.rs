//! What an application wants sent without a connection.

use units::{Bytes, Time};

use crate::End;

/// A datagram that an application sends: over UDP, or as an ICMP echo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datagram {
    /// The end that sends it.
    pub from: End,
    /// The time that it carries: that of its sending, or in an echo's reply that of the request.
    pub sent: Time,
    /// The payload of UDP, or of ICMP.
    pub payload: Bytes,
}
