//! The interface of applications over TCP.

use std::ops::Range;

use results::FlowResult;
use units::Time;

use crate::End;

/// An application over TCP connections, with both its ends.
///
/// Its driver calls [`on_time`](Self::on_time) when the application is due, and passes on what
/// is delivered. After each of these calls the driver carries out what
/// [`next_request`](Self::next_request) returns, until that is `None`.
pub trait Application {
    /// The end that opens the connections; the other one accepts them.
    const OPENER: End;

    /// The time of the application's next action, its stop not counted; `None` if it only waits for
    /// data.
    fn next_action(&self) -> Option<Time>;

    /// The time at which the application stops; `None` if it has stopped, or never does.
    fn stops(&self) -> Option<Time>;

    /// Takes the actions that are due at `now`.
    fn on_time(&mut self, now: Time);

    /// Takes data that has been delivered.
    fn on_received(&mut self, data: Received, now: Time);

    /// Takes notice of a packet that came back to the source, which acknowledges what has been
    /// delivered at the sink.
    #[inline]
    fn on_answer(&mut self, _now: Time) {}

    /// Takes notice that all data of the connection has been delivered to the end `at`, and that
    /// the other end has closed.
    fn on_peer_closed(&mut self, connection: u16, at: End);

    /// Takes notice that both ends have closed a connection, or that the connection broke.
    fn on_gone(&mut self, _connection: u16) {}

    /// The next request to carry out; `None` if there is none left.
    fn next_request(&mut self) -> Option<Request>;

    /// Restarts the statistics, after the warm-up.
    fn reset(&mut self);

    /// The bytes that have been delivered to the sink since the beginning.
    fn delivered(&self) -> u64;

    /// The application's part of the flow's result over `during`, the time since the statistics
    /// began: all figures but those of the transport.
    fn result(&self, during: &Range<Time>) -> FlowResult;
}

/// Data that has been delivered to one end of a connection.
#[derive(Clone, Copy, Debug)]
pub struct Received {
    /// The number with which the connection was opened.
    pub connection: u16,
    /// The end that has received the data.
    pub at: End,
    /// The number of bytes that the application can now read in addition; 0 for data that fills no
    /// gap, or was received before.
    pub bytes: u64,
}

/// An action on a connection that an application requests. The connection has the number with which
/// it was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// Open a connection, from the application's [`OPENER`](Application::OPENER).
    Open {
        /// The number of the connection, which no other connection has now.
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
    /// End one direction after the data sent. Data that is written but not sent is dropped.
    Abandon {
        /// The connection.
        connection: u16,
        /// The end that sends no more.
        at: End,
    },
    /// Drop a connection at both ends. The application is told nothing more of it.
    Drop {
        /// The connection.
        connection: u16,
    },
}
