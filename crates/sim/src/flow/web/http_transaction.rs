//! One connection of a web load, with its browser and its server.

use std::sync::Arc;

use transport::Config;
use units::{Span, Time};

use crate::flow::connection::Connection;
use crate::hops::End;
use crate::packmime::Visit;

/// A connection that is live.
#[derive(Debug)]
pub(super) struct HttpTransaction {
    pub(super) connection: Connection,
    visit: Visit,
    stage: Stage,
    /// The time of the present request.
    asked: Time,
    /// The position in the browser's stream at which the request ends.
    request_ends: u64,
    /// The position in the server's stream at which the response ends.
    response_ends: u64,
}

/// The stage of the exchange.
#[derive(Clone, Copy, Debug)]
enum Stage {
    /// The request is on its way.
    Asking,
    /// The server will answer at this time.
    Thinking(Time),
    /// The response is on its way.
    Answering,
    /// The browser will send its next request at this time.
    Pausing(Time),
    /// No request follows.
    Over,
}

impl HttpTransaction {
    /// Opens a connection, on which the browser sends its first request.
    pub(super) fn open(visit: Visit, config: &Arc<Config>, channel: u16, now: Time) -> Self {
        let mut transaction = Self {
            connection: Connection::open(config, End::Sink, channel, now),
            visit,
            stage: Stage::Asking,
            asked: now,
            request_ends: 0,
            response_ends: 0,
        };
        transaction.ask(now);
        transaction
    }

    /// Takes data at the server, whose delay begins when the request is complete.
    pub(super) fn think(&mut self, now: Time) {
        if matches!(self.stage, Stage::Asking)
            && self.connection.source.received() >= self.request_ends
        {
            self.stage = Stage::Thinking(now + self.visit.server_delay());
        }
    }

    /// Takes data at the browser; returns the time since the request if the response is complete.
    pub(super) fn read(&mut self, now: Time) -> Option<Span> {
        self.connection.close_after_peer();
        if !matches!(self.stage, Stage::Answering)
            || self.connection.sink.received() < self.response_ends
        {
            return None;
        }
        self.stage = match self.visit.advance() {
            Some(gap) => Stage::Pausing(now + gap),
            None => Stage::Over,
        };
        Some(now.since(self.asked))
    }

    /// Sends a request or a response that is due, and runs the timers of the connection.
    pub(super) fn wake(&mut self, now: Time) {
        match self.stage {
            Stage::Thinking(due) if due <= now => self.answer(),
            Stage::Pausing(due) if due <= now => self.ask(now),
            _ => {}
        }
        self.connection.wake(now);
    }

    pub(super) fn next_wake(&self) -> Option<Time> {
        let due = match self.stage {
            Stage::Thinking(due) | Stage::Pausing(due) => Some(due),
            Stage::Asking | Stage::Answering | Stage::Over => None,
        };
        Time::earliest(due, self.connection.next_wake())
    }

    /// Ends the exchange; data already sent still arrives.
    pub(super) fn stop(&mut self) {
        self.stage = Stage::Over;
        self.connection.source.abandon();
    }

    /// True if both ends have closed, and both know it.
    pub(super) fn is_gone(&self) -> bool {
        self.connection.source.is_closed() && self.connection.sink.is_closed()
    }

    fn ask(&mut self, now: Time) {
        let request = self.visit.request().0;
        self.request_ends += request;
        self.response_ends += self.visit.response().0;
        self.connection.sink.write(request);
        self.asked = now;
        self.stage = Stage::Asking;
    }

    fn answer(&mut self) {
        self.connection.source.write(self.visit.response().0);
        if self.visit.is_last() {
            self.connection.source.close();
        }
        self.stage = Stage::Answering;
    }
}
