//! Datagrams that an application sends, without a connection.

use units::{Bytes, Time};

use crate::End;

/// A datagram that an application sends: over UDP, or as an ICMP echo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datagram {
    /// The end that sends the datagram.
    pub from: End,
    /// The time that the datagram carries: that of its sending, or in an echo's reply that of the
    /// request.
    pub sent: Time,
    /// The length of the payload of UDP, or of ICMP.
    pub payload: Bytes,
}
