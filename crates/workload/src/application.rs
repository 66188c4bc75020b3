//! What applications over TCP are told, and what they want.

use std::ops::Range;

use results::FlowResult;
use units::Time;

use crate::End;

/// An application over TCP connections, with both its ends.
///
/// Its driver calls [`on_time`](Self::on_time) when the application is due, tells it what arrives,
/// and after each of these calls carries out what [`next_request`](Self::next_request) returns,
/// until that is `None`.
pub trait Application {
    /// The end that opens the connections; the other one accepts them.
    const OPENER: End;

    /// The time of the application's next action; `None` if it only waits for data. Its stop comes
    /// on top.
    fn next_action(&self) -> Option<Time>;

    /// The time at which the application stops; `None` if it has stopped, or never does.
    fn stops(&self) -> Option<Time>;

    /// Acts on what is due.
    fn on_time(&mut self, now: Time);

    /// Takes data that has arrived.
    fn on_received(&mut self, data: Received, now: Time);

    /// Takes notice that a packet came back to the source, which says what has arrived at the sink.
    #[inline]
    fn on_answer(&mut self, _now: Time) {}

    /// Takes notice that everything has arrived at `at`, and that its peer has closed.
    fn on_peer_closed(&mut self, connection: u16, at: End);

    /// Takes notice that both ends have closed a connection, or that it broke.
    fn on_gone(&mut self, _connection: u16) {}

    /// The next request to carry out; `None` if there is none left.
    fn next_request(&mut self) -> Option<Request>;

    /// The warm-up is over: statistics begin now.
    fn reset(&mut self);

    /// The bytes that have arrived at the sink since the beginning.
    fn delivered(&self) -> u64;

    /// The application's part of the flow's result over `during`, the time since the statistics
    /// began: all figures but those of the transport.
    fn result(&self, during: &Range<Time>) -> FlowResult;
}

/// Data that has arrived at one end of a connection.
#[derive(Clone, Copy, Debug)]
pub struct Received {
    /// The connection, by the number with which it was opened.
    pub connection: u16,
    /// The end that has received it.
    pub at: End,
    /// The number of bytes that the application can now read in addition; 0 for data that fills no
    /// gap, or is here already.
    pub bytes: u64,
}

/// What an application wants done with a connection. The connection has the number with which it
/// was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// Open a connection, from the application's [`OPENER`](Application::OPENER).
    Open {
        /// A number that no other connection has now.
        connection: u16,
    },
    /// Write data; the connection need not be established yet.
    Write {
        /// The connection.
        connection: u16,
        /// The end that writes.
        at: End,
        /// The number of bytes; [`u64::MAX`] for data without end.
        bytes: u64,
    },
    /// End one direction after the data written. The other direction stays open.
    Close {
        /// The connection.
        connection: u16,
        /// The end that closes.
        at: End,
    },
    /// End one direction after the data sent; data that is written but not sent is dropped.
    Abandon {
        /// The connection.
        connection: u16,
        /// The end that sends no more.
        at: End,
    },
    /// Let go of a connection at both ends; the application is told nothing more of it.
    Drop {
        /// The connection.
        connection: u16,
    },
}
