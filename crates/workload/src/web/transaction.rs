//! One connection of a web load, with its browser and its server.

use std::collections::VecDeque;

use units::{Span, Time};

use crate::packmime::Visit;
use crate::{End, Request};

/// The requests and responses of an open connection.
#[derive(Debug)]
pub(super) struct Transaction {
    connection: u16,
    visit: Visit,
    stage: Stage,
    /// The time at which the present request was sent.
    requested: Time,
    /// The bytes of the request that have not been delivered to the server.
    request_left: u64,
    /// The bytes of the response that have not been delivered to the browser.
    response_left: u64,
}

/// The stage of the exchange.
#[derive(Clone, Copy, Debug)]
enum Stage {
    /// The request is being sent.
    Requesting,
    /// The server will answer at this time.
    Thinking(Time),
    /// The response is being sent.
    Answering,
    /// The browser will send its next request at this time.
    Pausing(Time),
    /// No request follows.
    Over,
}

impl Transaction {
    /// A connection before its first request.
    pub(super) fn new(connection: u16, visit: Visit) -> Self {
        let (stage, requested) = (Stage::Over, Time::ZERO);
        Self { connection, visit, stage, requested, request_left: 0, response_left: 0 }
    }

    /// The browser's next request.
    pub(super) fn request(&mut self, now: Time) -> Request {
        let bytes = self.visit.request().0;
        (self.request_left, self.response_left) = (bytes, self.visit.response().0);
        (self.stage, self.requested) = (Stage::Requesting, now);
        Request::Write { connection: self.connection, at: End::Sink, bytes }
    }

    /// Takes data at the server, whose delay begins when the request is complete.
    pub(super) fn on_request_bytes(&mut self, bytes: u64, now: Time) {
        self.request_left = self.request_left.saturating_sub(bytes);
        if matches!(self.stage, Stage::Requesting) && self.request_left == 0 {
            self.stage = Stage::Thinking(now + self.visit.server_delay());
        }
    }

    /// Takes data at the browser. Returns the time since the request if the response is complete;
    /// `None` otherwise.
    pub(super) fn on_response_bytes(&mut self, bytes: u64, now: Time) -> Option<Span> {
        self.response_left = self.response_left.saturating_sub(bytes);
        if !matches!(self.stage, Stage::Answering) || self.response_left > 0 {
            return None;
        }
        self.stage = match self.visit.advance() {
            Some(gap) => Stage::Pausing(now + gap),
            None => Stage::Over,
        };
        Some(now.since(self.requested))
    }

    /// The time of the next action; `None` if the exchange waits for data, or is over.
    pub(super) fn due(&self) -> Option<Time> {
        match self.stage {
            Stage::Thinking(due) | Stage::Pausing(due) => Some(due),
            Stage::Requesting | Stage::Answering | Stage::Over => None,
        }
    }

    /// Sends the request or the response that is due now.
    pub(super) fn act(&mut self, now: Time, requests: &mut VecDeque<Request>) {
        match self.stage {
            Stage::Thinking(_) => self.answer(requests),
            Stage::Pausing(_) => requests.push_back(self.request(now)),
            Stage::Requesting | Stage::Answering | Stage::Over => {}
        }
    }

    /// Ends the exchange; data already sent is still delivered.
    pub(super) fn stop(&mut self) -> Request {
        self.stage = Stage::Over;
        Request::Abandon { connection: self.connection, at: End::Source }
    }

    fn answer(&mut self, requests: &mut VecDeque<Request>) {
        let (connection, at) = (self.connection, End::Source);
        let bytes = self.visit.response().0;
        requests.push_back(Request::Write { connection, at, bytes });
        if self.visit.is_last() {
            requests.push_back(Request::Close { connection, at });
        }
        self.stage = Stage::Answering;
    }
}
